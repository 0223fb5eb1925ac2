//! Reads the policy documents that settings and flags name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::HashSet;

use crate::diagnostic::{Code, Diagnostic, Level, NotChecked};
use crate::engine::azure_policy::deployed;
use crate::engine::bicep::is_bicep;
use crate::engine::detect::of_azure;
use crate::engine::{Inputs, redacted};
use crate::files::{Contents, Entry, Tree, display_name, register};
use crate::model::Limits;
use crate::path::normalize;
use crate::policy::files::is_meant_as_policy;
use crate::policy::{self, Assignment, Consequence, Policies};
use crate::syntax;
use crate::text::{FileId, Sources, Span};
use crate::value::{Member, Str, Value};

/// Sources of the policies that a run uses.
#[derive(Debug)]
pub struct PolicySource<'a> {
    /// The current folder, absolute.
    pub working: &'a Path,
    /// Tree that files are read from.
    pub tree: &'a dyn Tree,
    /// Files and folders of the command line.
    pub paths: &'a [PathBuf],
    /// True if definitions that nothing assigns are tried: see [`tried`].
    pub tries_unassigned: bool,
    /// The values that the command line gives to the parameters of definitions that nothing assigns.
    pub parameters: Option<&'a Path>,
    /// Files and folders of the settings, and where each was named.
    pub settings: &'a [(PathBuf, Span)],
    /// Environments of Enterprise Policy as Code whose documents count. All, if it is empty.
    pub environments: &'a [String],
    /// The limits for reading files.
    pub limits: &'a Limits,
    /// Inputs for reading the templates that deploy policies, or the reason why they are not read.
    pub templates: Result<&'a Inputs<'a>, &'static str>,
}

/// Reads all policy documents. They may be used only if no diagnostic is an error.
pub fn load_policies(source: &PolicySource<'_>, sources: &Sources) -> (Policies, Vec<Diagnostic>) {
    let gathering = policy::files::Gathering::new(source.environments);
    let mut loader = Loader { source, sources, gathering, unread: Vec::new(), diagnostics: Vec::new() };
    let given: Vec<PathBuf> = source.paths.iter().map(|path| normalize(source.working, path)).collect();
    let of_settings = source.settings.iter().map(|(path, span)| (path.as_path(), Some(*span)));
    let paths = of_settings.chain(given.iter().map(|path| (path.as_path(), None)));
    let named = paths.map(|(path, span)| loader.named(path, span)).collect();
    loader.read_all(named);
    let parameters = source.parameters.and_then(|path| loader.parse(&normalize(source.working, path), None, false));
    let parameters = parameters.map(|(_, value)| value);
    let gathering = std::mem::take(&mut loader.gathering);
    let mut policies = gathering.finish();
    loader.tell_unread(&policies);
    let Loader { mut diagnostics, .. } = loader;
    diagnostics.extend(problems(&policies));
    if policies.assignments.is_empty() && source.tries_unassigned {
        policies.assignments = tried(&policies, parameters.as_ref());
    }
    (policies, diagnostics)
}

/// Assigns each initiative, and each definition that is in none, at the root of the tenant, to try definitions that
/// nothing assigns. The parameters have the values of an object like that of an assignment, or their default values.
pub fn tried(policies: &Policies, parameters: Option<&Value>) -> Vec<Assignment> {
    let given = parameters.map_or(Value::NULL, |file| file.get("parameters").unwrap_or(file).clone());
    let index = policy::documents::Index::new(policies);
    let references = policies.initiatives.iter().flat_map(|initiative| &initiative.references);
    let grouped: HashSet<*const policy::Definition> =
        references.filter_map(|reference| index.definition(&reference.definition)).map(Arc::as_ptr).collect();
    let initiatives = policies.initiatives.iter().map(|own| (&own.id, &own.name, &own.parameters, own.span));
    let alone = policies.definitions.iter().filter(|own| !grouped.contains(&Arc::as_ptr(own)));
    let definitions = alone.map(|own| (&own.id, &own.name, &own.parameters, own.span));
    let assign = |(id, name, declared, span): (&Str, &Str, &Vec<policy::documents::Parameter>, Option<Span>)| {
        let id = if id.is_empty() { name } else { id };
        let of_others = |member: &&Member| declared.iter().any(|known| known.name.eq_ignore_ascii_case(&member.key));
        let members = given.as_object().into_iter().flatten().filter(of_others).cloned().collect();
        let properties = vec![
            Member::new("policyDefinitionId", Value::from(id.clone())),
            Member::new("scope", Value::from("/")),
            Member::new("parameters", Value::object(members)),
        ];
        let members =
            vec![Member::new("name", Value::from(name.clone())), Member::new("properties", Value::object(properties))];
        Assignment::read(&Value { span, ..Value::object(members) })
    };
    initiatives.chain(definitions).map(assign).collect()
}

/// Reports errors in policy documents, and values that are unknown in those that templates deploy.
pub(in crate::engine) fn problems(policies: &Policies) -> Vec<Diagnostic> {
    let definitions = policies.definitions.iter().map(|own| (&own.problems, own.span));
    let all = definitions.chain(policies.initiatives.iter().map(|own| (&own.problems, own.span)));
    let all = all.chain(policies.assignments.iter().map(|own| (&own.problems, own.span)));
    let all = all.chain(policies.exemptions.iter().map(|own| (&own.problems, own.span)));
    let all = all.chain([(&policies.problems, None)]);
    // What is built in has no text.
    let diagnostic = |problem: &policy::Problem, document: Option<Span>| {
        let (span, message) = (problem.span.or(document)?, problem.message.clone());
        Some(match problem.consequence {
            Consequence::Refused => Diagnostic::new(Code::AzurePolicyInvalid, span, message),
            Consequence::LeftOut => Diagnostic::new(Code::AzurePolicyInvalid, span, message).with_level(Level::Warning),
            Consequence::Unknown => {
                Diagnostic::new(Code::AzurePolicyUnresolved, span, message).not_checked(NotChecked::Policy)
            }
        })
    };
    all.flat_map(|(problems, document)| problems.iter().filter_map(move |problem| diagnostic(problem, document)))
        .collect()
}

struct Loader<'a> {
    source: &'a PolicySource<'a>,
    sources: &'a Sources,
    gathering: policy::files::Gathering,
    /// Paths with templates that are not read, and where the settings name each.
    unread: Vec<(&'a Path, Option<Span>)>,
    diagnostics: Vec<Diagnostic>,
}

/// A path that the user gave, and what is there.
struct Named<'a> {
    path: &'a Path,
    /// Position at which the settings name the path.
    place: Option<Span>,
    is_folder: bool,
    /// Files that are no templates, with what they have.
    files: Vec<(PathBuf, Value)>,
    /// Templates that may deploy policies, and parameter files.
    templates: Vec<PathBuf>,
    /// True if there is a template, a Bicep file, or a parameter file that is named directly.
    has_template: bool,
    /// Number of policy documents that were found.
    found: usize,
}

impl<'a> Loader<'a> {
    /// Reads what is at the paths that the user gave. A file that a template loads counts as what the template deploys
    /// of it.
    fn read_all(&mut self, mut all: Vec<Named<'a>>) {
        let mut files = HashSet::default();
        for named in &mut all {
            files.extend(self.expand(named));
        }
        for mut named in all {
            for (path, value) in std::mem::take(&mut named.files) {
                // What the user named itself is meant.
                let is_part = named.is_folder && files.contains(&path);
                if !is_part {
                    named.found += usize::from(self.gathering.add(&name(&path), &value));
                }
            }
            self.require(&named);
        }
    }

    /// Says that there is nothing at a path, if that is so.
    fn require(&mut self, named: &Named<'_>) {
        let message = match (named.is_folder, named.templates.is_empty()) {
            _ if named.found > 0 => return,
            (true, _) => "there is no policy document in the folder",
            (false, true) => "the file has no policy document",
            (false, false) => "the template deploys no policy",
        };
        let is_told = self.diagnostics.iter().any(|problem| problem.level == Level::Error);
        if !is_told {
            self.complain(named.path, named.place, message, Level::Error);
        }
    }

    /// Returns the files at a path: one file, or the policy files in a folder at any depth.
    fn named(&mut self, path: &'a Path, named_at: Option<Span>) -> Named<'a> {
        let is_folder = self.source.tree.entry(path) == Some(Entry::Folder);
        let mut named = Named {
            path,
            place: named_at,
            is_folder,
            files: Vec::new(),
            templates: Vec::new(),
            has_template: false,
            found: 0,
        };
        if !is_folder {
            self.sort(path.to_path_buf(), &mut named);
            return named;
        }
        let files = self.source.tree.files(path);
        let known: HashSet<&PathBuf> = files.iter().collect();
        let is_wanted = |file: &PathBuf| {
            let below = file.strip_prefix(path).unwrap_or(file);
            (is_bicep(file) || is_json(file) || is_table(file))
                && !is_of_tool(below)
                && !is_of_other_cloud(file, below, &known)
        };
        for file in files.iter().filter(|file| is_wanted(file)) {
            self.sort(file.clone(), &mut named);
        }
        named
    }

    /// Adds a file to those that it is one of.
    fn sort(&mut self, path: PathBuf, named: &mut Named<'_>) {
        if is_bicep(&path) {
            named.has_template = true;
            named.templates.push(path);
            return;
        }
        if has_extension(&path, TABLE_EXTENSIONS) {
            return self.add_table(&path, named);
        }
        let Some((file, value)) = self.parse(&path, named.place, named.is_folder) else { return };
        match of_azure(&value) {
            // The templates of a folder are many, and parameter files say nothing of what they are for.
            Some(kind) if kind.is_of_parameters() || !named.is_folder || deploys_policies(self.sources, file) => {
                named.has_template |= !kind.is_of_parameters() || !named.is_folder;
                named.templates.push(path);
            }
            Some(_) => {}
            None => named.files.push((path, value)),
        }
    }

    /// Adds the exemptions of a table.
    fn add_table(&mut self, path: &Path, named: &mut Named<'_>) {
        let Some((name, bytes)) = self.read(path, named.place) else { return };
        let is_added = register(&name, bytes, self.sources).is_ok_and(|file| {
            let source = self.sources.get(file);
            self.gathering.add_table(&self::name(path), source.text(), file)
        });
        named.found += usize::from(is_added);
        if !is_added {
            let level = if named.is_folder { Level::Warning } else { Level::Error };
            self.complain(path, named.place, "the table has no exemptions", level);
        }
    }

    /// Adds what templates deploy. Returns the files that they load.
    fn expand(&mut self, named: &mut Named<'a>) -> HashSet<PathBuf> {
        if !named.has_template {
            return HashSet::default();
        }
        let Ok(run) = self.source.templates else {
            self.unread.push((named.path, named.place));
            named.found += 1;
            return HashSet::default();
        };
        let found = deployed::read(run, &named.templates, !named.is_folder, self.sources);
        let lower = |problem: Diagnostic| if named.is_folder { problem.with_level(Level::Warning) } else { problem };
        self.diagnostics.extend(found.diagnostics.into_iter().map(lower));
        named.found += found.resources.iter().filter(|resource| self.gathering.add_deployed(resource)).count();
        found.loaded
    }

    /// Says which templates are not read. If nothing else assigns policies, a run would judge nothing, or by
    /// definitions that the templates assign otherwise.
    fn tell_unread(&mut self, policies: &Policies) {
        let Err(why) = self.source.templates else { return };
        let (level, help) = if policies.assignments.is_empty() {
            let help = "no other file assigns policies: keep assignments and what they assign as JSON files as well, such as those \
                        that `az policy assignment list` and `az policy definition list` print, or use `--config-from head`";
            (Level::Error, Some(help))
        } else {
            (Level::Warning, None)
        };
        let told = self.diagnostics.len();
        for (path, named_at) in std::mem::take(&mut self.unread) {
            self.complain(path, named_at, why, level);
        }
        for diagnostic in self.diagnostics.iter_mut().skip(told) {
            diagnostic.help = help.map(str::to_owned);
        }
    }

    /// Reads a file, and reports why it cannot be read. Also returns its name for reports.
    fn read(&mut self, path: &Path, named_at: Option<Span>) -> Option<(String, Contents)> {
        let name = display_name(self.source.working, path);
        match self.source.tree.read(path, self.source.limits.file_bytes) {
            Ok(bytes) => Some((name, bytes)),
            Err(problem) => {
                let problem = problem.into_diagnostic(&name, self.sources).with_level(Level::Error);
                self.diagnostics.push(match named_at {
                    Some(span) => problem.with_label(span, "named here"),
                    None => problem,
                });
                None
            }
        }
    }

    /// Parses the JSON of a file, and reports its errors. A folder of policies has other files, too: one that is not
    /// JSON is only an error there if it was meant as a policy.
    fn parse(&mut self, path: &Path, named_at: Option<Span>, is_in_folder: bool) -> Option<(FileId, Value)> {
        let (name, bytes) = self.read(path, named_at)?;
        let place = redacted::place(&name, &bytes);
        let is_meant = !is_in_folder || is_meant_as_policy(&self::name(path), &bytes);
        let level = if is_meant { Level::Error } else { Level::Warning };
        let value = register(&name, bytes, self.sources).ok().and_then(|file| {
            let parsed = syntax::json::parse(file, self.sources.get(file).text(), self.source.limits.nesting);
            Some((file, parsed.value?))
        });
        if value.is_none() {
            self.complain(path, named_at, &format!("the file is not JSON: {place}"), level);
        }
        value
    }

    fn complain(&mut self, path: &Path, named_at: Option<Span>, message: &str, level: Level) {
        let name = display_name(self.source.working, path);
        let diagnostic = match named_at {
            Some(span) => Diagnostic::new(Code::AzurePolicyInvalid, span, format!("`{name}`: {message}")),
            None => Diagnostic::of_file(Code::AzurePolicyInvalid, self.sources.add(name, ""), message),
        };
        self.diagnostics.push(diagnostic.with_level(level));
    }
}

/// Returns `true` if the text of a template mentions types of policies.
fn deploys_policies(sources: &Sources, file: FileId) -> bool {
    let source = sources.get(file);
    let text = source.text().as_bytes();
    text.windows(deployed::TYPES.len()).any(|part| part.eq_ignore_ascii_case(deployed::TYPES.as_bytes()))
}

/// Returns a path with `/` between its segments.
fn name(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// Returns `true` if a file, by its path in a folder of policies, is below a folder in which other tools keep their
/// files.
pub(in crate::engine) fn is_of_tool(path: &Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Path::iter).filter_map(|folder| folder.to_str());
    folders.into_iter().any(|folder| folder.starts_with('.') || folder == "node_modules")
}

/// Returns `true` if a file is a variant for the cloud of China, in the layout of ALZ-Bicep: in a folder `china`, or
/// `mc-x.bicep` beside `x.bicep`. Only the public cloud is supported.
fn is_of_other_cloud(path: &Path, below: &Path, files: &HashSet<&PathBuf>) -> bool {
    let folders = below.parent().into_iter().flat_map(Path::iter);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let public = name.strip_prefix("mc-").map(|public| path.with_file_name(public));
    folders.into_iter().any(|folder| folder == "china") || public.is_some_and(|public| files.contains(&public))
}

/// Extensions of tables.
const TABLE_EXTENSIONS: &[&str] = &["csv"];

/// Folder of the exemptions of Enterprise Policy as Code, in lower case.
const EXEMPTIONS: &str = "policyexemptions";

/// Returns `true` if a file, by its path, is a table of exemptions.
fn is_table(file: &Path) -> bool {
    let mut folders = file.parent().into_iter().flat_map(Path::iter);
    has_extension(file, TABLE_EXTENSIONS) && folders.any(|folder| folder.eq_ignore_ascii_case(EXEMPTIONS))
}

fn is_json(path: &Path) -> bool {
    has_extension(path, &["json", "jsonc"])
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|extension| extensions.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}
