//! Reads the policy documents that settings and flags name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::HashSet;

use crate::diagnostic::{Code, Diagnostic, Level};
use crate::engine::redacted;
use crate::files::{Entry, Tree, display_name, register};
use crate::model::Limits;
use crate::path::normalize;
use crate::policy::{self, Assignment, Policies};
use crate::syntax;
use crate::text::{Sources, Span};
use crate::value::{Member, Str, Value};

/// Which policies a run uses.
#[derive(Debug)]
pub struct PolicySource<'a> {
    /// The current folder, absolute.
    pub working: &'a Path,
    /// Where files are read from.
    pub tree: &'a dyn Tree,
    /// Files and folders of the command line.
    pub paths: &'a [PathBuf],
    /// Whether definitions that nothing assigns are tried: see [`tried`].
    pub tries_unassigned: bool,
    /// The values that the command line gives to the parameters of definitions that nothing assigns.
    pub parameters: Option<&'a Path>,
    /// Files and folders of the settings, and where each was named.
    pub settings: &'a [(PathBuf, Span)],
    /// The limits for reading files.
    pub limits: &'a Limits,
}

/// Reads all policy documents. They may be used only if no diagnostic is an error.
pub fn load_policies(source: &PolicySource<'_>, sources: &Sources) -> (Policies, Vec<Diagnostic>) {
    let mut loader =
        Loader { source, sources, gathering: policy::files::Gathering::default(), diagnostics: Vec::new() };
    for (path, span) in source.settings {
        loader.read_named(path, Some(*span));
    }
    for path in source.paths {
        loader.read_named(&normalize(source.working, path), None);
    }
    let parameters =
        source.parameters.and_then(|path| loader.parse(&normalize(source.working, path), None, Level::Error));
    let Loader { gathering, mut diagnostics, .. } = loader;
    let mut policies = gathering.finish();
    diagnostics.extend(problems(&policies));
    if policies.assignments.is_empty() && source.tries_unassigned {
        policies.assignments = tried(&policies, parameters.as_ref());
    }
    (policies, diagnostics)
}

/// An assignment of each initiative, and of each definition that is in none, at the root of the tenant: to try what nothing
/// assigns. Its parameters have the values of an object like that of an assignment, or their default values.
pub fn tried(policies: &Policies, parameters: Option<&Value>) -> Vec<Assignment> {
    let given = parameters.map_or(Value::NULL, |file| file.get("parameters").unwrap_or(file).clone());
    let index = policy::documents::Index::new(policies);
    let references = policies.initiatives.iter().flat_map(|initiative| &initiative.references);
    let grouped: HashSet<*const policy::Definition> =
        references.filter_map(|reference| index.definition(&reference.definition)).map(Arc::as_ptr).collect();
    let initiatives = policies.initiatives.iter().map(|own| (&own.id, &own.name, &own.parameters));
    let alone = policies.definitions.iter().filter(|own| !grouped.contains(&Arc::as_ptr(own)));
    let definitions = alone.map(|own| (&own.id, &own.name, &own.parameters));
    let assign = |(id, name, declared): (&Str, &Str, &Vec<policy::documents::Parameter>)| {
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
        Assignment::read(&Value::object(members))
    };
    initiatives.chain(definitions).map(assign).collect()
}

/// What Azure would refuse in the documents of files. They decide nothing.
pub(in crate::engine) fn problems(policies: &Policies) -> Vec<Diagnostic> {
    let all = policies.definitions.iter().flat_map(|document| &document.problems);
    let all = all.chain(policies.initiatives.iter().flat_map(|document| &document.problems));
    let all = all.chain(policies.assignments.iter().flat_map(|document| &document.problems));
    let all = all.chain(policies.exemptions.iter().flat_map(|document| &document.problems));
    let all = all.chain(&policies.problems);
    let diagnostic = |problem: &policy::Problem| {
        let diagnostic = Diagnostic::new(Code::AzurePolicyInvalid, problem.span?, problem.message.clone());
        Some(diagnostic.with_level(Level::Warning))
    };
    all.filter_map(diagnostic).collect()
}

struct Loader<'a> {
    source: &'a PolicySource<'a>,
    sources: &'a Sources,
    gathering: policy::files::Gathering,
    diagnostics: Vec<Diagnostic>,
}

impl Loader<'_> {
    /// A path that the user gave: a file, or a folder with policies at any depth.
    fn read_named(&mut self, path: &Path, named_at: Option<Span>) {
        if self.source.tree.entry(path) != Some(Entry::Folder) {
            if let Some(value) = self.parse(path, named_at, Level::Error)
                && !self.gathering.add(&name(path), &value)
            {
                self.complain(path, named_at, "the file has no policy document", Level::Error);
            }
            return;
        }
        let mut found = 0;
        let files = self.source.tree.files(path);
        for file in files.iter().filter(|file| is_json(file) && !is_of_tool(file.strip_prefix(path).unwrap_or(file))) {
            // Folders of policies have other files, too. One that cannot be read may be a policy.
            let value = self.parse(file, named_at, Level::Warning);
            found += usize::from(value.is_some_and(|value| self.gathering.add(&name(file), &value)));
        }
        if found == 0 {
            self.complain(path, named_at, "there is no policy document in the folder", Level::Error);
        }
    }

    /// The JSON of a file. Says what is wrong with it, at this level.
    fn parse(&mut self, path: &Path, named_at: Option<Span>, level: Level) -> Option<Value> {
        let name = display_name(self.source.working, path);
        let bytes = match self.source.tree.read(path, self.source.limits.file_bytes) {
            Ok(bytes) => bytes,
            Err(problem) => {
                let problem = problem.into_diagnostic(&name, self.sources).with_level(level);
                self.diagnostics.push(match named_at {
                    Some(span) => problem.with_label(span, "named here"),
                    None => problem,
                });
                return None;
            }
        };
        let place = redacted::place(&name, &bytes);
        let value = register(&name, bytes, self.sources).ok().and_then(|file| {
            syntax::json::parse(file, self.sources.get(file).text(), self.source.limits.nesting).value
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

/// A path with `/` between its segments.
fn name(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// Whether a file, by its path in a folder of policies, is below a folder that other tools keep their files in.
fn is_of_tool(path: &Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Path::iter).filter_map(|folder| folder.to_str());
    folders.into_iter().any(|folder| folder.starts_with('.') || folder == "node_modules")
}

fn is_json(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["json", "jsonc"].iter().any(|known| known.eq_ignore_ascii_case(extension))
}
