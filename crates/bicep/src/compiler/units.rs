//! Files of one compilation: the entry, and everything that it is compiled from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arcstr::ArcStr;
use foldhash::HashMap;

use crate::compiler::configuration::Configuration;
use crate::compiler::host::{Host, Missing};
use crate::compiler::reference::ModuleReference;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::language::SyntaxTree;
use crate::language::ast::{DeclarationKind, Text};
use crate::path::normalize;
use crate::syntax;
use crate::text::{FileId, Span};
use crate::value::Value;

/// Maximum number of files in one compilation.
const MAX_FILES: usize = 5_000;

/// Maximum depth of nested modules.
const MAX_MODULES: usize = 60;

/// Maximum number of missing modules that a message names.
const MAX_SHOWN: usize = 3;

/// Index of a [`Unit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct UnitId(pub usize);

/// A file that was read.
#[derive(Debug)]
pub(super) struct Unit {
    pub path: PathBuf,
    pub file: FileId,
    pub content: Content,
    /// Full reference, if the file comes from a registry.
    pub registry: Option<String>,
    pub is_broken: bool,
    pub configuration: Configuration,
}

impl Unit {
    /// Returns the text of a Bicep file at a span.
    pub(super) fn slice(&self, span: Span) -> &str {
        match &self.content {
            Content::Bicep(tree, _) => tree.slice(span),
            Content::Template(_) | Content::Unknown => "",
        }
    }

    /// Returns the text of a Bicep file with syntax errors.
    pub(super) fn broken_text(&self) -> Option<&str> {
        match &self.content {
            Content::Bicep(tree, _) if self.is_broken => Some(&tree.text),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) enum Content {
    /// The syntax tree, and the file that each declaration names.
    Bicep(Arc<SyntaxTree>, Vec<Option<UnitId>>),
    /// An ARM template, which is used unchanged.
    Template(Value),
    /// A module that cannot be read. Its declarations and deployments are unknown.
    Unknown,
}

/// All files, the entry first.
#[derive(Debug, Default)]
pub(super) struct Units {
    pub all: Vec<Unit>,
    /// Total length in bytes.
    pub bytes: usize,
    pub problems: Vec<Diagnostic>,
    /// Missing modules of registries, with their references.
    missing: Vec<(Span, String, Missing)>,
    known: HashMap<PathBuf, UnitId>,
    open: Vec<UnitId>,
}

impl Units {
    /// Reads a file and everything that it names. The ID is `None` if the file itself cannot be read.
    pub(super) fn load(entry: &Path, host: &mut dyn Host) -> (Self, Option<UnitId>) {
        let mut units = Self::default();
        let entry = match units.open(entry, host) {
            Ok(id) => Some(id),
            Err(problem) => {
                if let Some(file) = problem.1 {
                    units.problems.push(Diagnostic::of_file(Code::BicepDiagnostic, file, problem.0));
                }
                None
            }
        };
        units.problems.extend(units.missing_modules());
        (units, entry)
    }

    /// Returns one problem for all modules that are missing for the same reason, because one action helps for all of
    /// them.
    fn missing_modules(&self) -> Vec<Diagnostic> {
        let mut reasons: BTreeMap<&Missing, (Span, BTreeSet<&str>)> = BTreeMap::new();
        for (span, name, missing) in &self.missing {
            reasons.entry(missing).or_insert_with(|| (*span, BTreeSet::new())).1.insert(name);
        }
        let mut problems: Vec<Diagnostic> =
            reasons.into_iter().map(|(missing, (first, names))| Self::missing_for(missing, first, &names)).collect();
        problems.sort_by_key(|problem| (problem.primary.span.file, problem.primary.span.start));
        problems
    }

    fn missing_for(missing: &Missing, first: Span, names: &BTreeSet<&str>) -> Diagnostic {
        let shown: Vec<String> = names.iter().take(MAX_SHOWN).map(|name| format!("`{name}`")).collect();
        let more = names.len().saturating_sub(MAX_SHOWN);
        let list = if more > 0 { format!("{}, and {more} more", shown.join(", ")) } else { shown.join(", ") };
        let why = &missing.why;
        let message = match names.len() {
            1 => format!("the module {list} is not in the module cache, and {why}"),
            count => format!("{count} modules are not in the module cache, and {why}: {list}"),
        };
        let problem = if missing.is_error {
            Diagnostic::new(Code::BicepDiagnostic, first, message).with_bicep_code("BCP192")
        } else {
            Diagnostic::new(Code::BicepRestore, first, message).with_level(Level::Error)
        };
        problem.with_help(missing.help.as_str())
    }

    pub(super) fn get(&self, id: UnitId) -> Option<&Unit> {
        self.all.get(id.0)
    }

    fn open(&mut self, path: &Path, host: &mut dyn Host) -> Result<UnitId, (String, Option<FileId>)> {
        if let Some(&id) = self.known.get(path) {
            if let Some(at) = self.open.iter().position(|open| *open == id) {
                let names = self.open.iter().skip(at).chain([&id]).filter_map(|id| self.get(*id));
                let names: Vec<String> = names
                    .map(|unit| format!("`{}`", unit.path.file_name().unwrap_or_default().to_string_lossy()))
                    .collect();
                return Err((format!("the files use each other in a cycle: {}", names.join(" -> ")), None));
            }
            return Ok(id);
        }
        if self.all.len() >= MAX_FILES {
            return Err((format!("more than {MAX_FILES} files are compiled into this one"), None));
        }
        if self.open.len() >= MAX_MODULES {
            return Err((format!("modules are nested more than {MAX_MODULES} deep"), None));
        }
        let id = UnitId(self.all.len());
        let is_template = path.extension().is_some_and(|extension| {
            ["json", "jsonc", "arm"].iter().any(|other| extension.eq_ignore_ascii_case(other))
        });
        if is_template {
            let (file, text) = host.open(path).map_err(|problem| (problem, None))?;
            self.bytes += text.len();
            self.known.insert(path.to_owned(), id);
            let value = Self::template(file, &text)?;
            self.push(path, file, Content::Template(value), false);
        } else {
            let tree = host.parse(path).map_err(|problem| (problem, None))?;
            self.bytes += tree.text.len();
            self.known.insert(path.to_owned(), id);
            self.push(path, tree.file, Content::Bicep(Arc::clone(&tree), Vec::new()), !tree.problems.is_empty());
            self.problems.extend(tree.problems.iter().cloned());
            self.open.push(id);
            let configuration = Configuration::load(path, host);
            let links = self.links(path, &tree, &configuration, host);
            self.open.pop();
            if let Some(unit) = self.all.get_mut(id.0) {
                unit.configuration = configuration;
                unit.content = Content::Bicep(tree, links);
            }
        }
        Ok(id)
    }

    fn push(&mut self, path: &Path, file: FileId, content: Content, is_broken: bool) {
        self.all.push(Unit {
            path: path.to_owned(),
            file,
            content,
            registry: None,
            is_broken,
            configuration: Configuration::default(),
        });
    }

    fn template(file: FileId, text: &ArcStr) -> Result<Value, (String, Option<FileId>)> {
        let parsed = syntax::json::parse(file, text, 200);
        let problem = parsed.diagnostics.first().map(|problem| problem.message.clone());
        match (parsed.value, problem) {
            (Some(value), None) if value.as_object().is_some() => Ok(value),
            (_, Some(problem)) => Err((format!("the template cannot be read: {problem}"), None)),
            _ => Err(("the file is not a template".to_owned(), None)),
        }
    }

    /// Reads the files that the declarations name.
    fn links(
        &mut self,
        path: &Path,
        tree: &SyntaxTree,
        configuration: &Configuration,
        host: &mut dyn Host,
    ) -> Vec<Option<UnitId>> {
        let mut links = Vec::with_capacity(tree.declarations.len());
        for declaration in &tree.declarations {
            let target = match &declaration.kind {
                DeclarationKind::Module(module) | DeclarationKind::Test(module) => Some(&module.path),
                DeclarationKind::Import(import) => Some(&import.path),
                DeclarationKind::Using { target, .. } => target.as_ref(),
                DeclarationKind::Extends(target) => Some(target),
                _ => None,
            };
            let link = target.and_then(|target| self.link(path, target, configuration, host));
            let is_module = matches!(declaration.kind, DeclarationKind::Module(_));
            links.push(link.or_else(|| is_module.then(|| self.unknown(tree.file))));
        }
        links
    }

    fn link(
        &mut self,
        from: &Path,
        target: &Text,
        configuration: &Configuration,
        host: &mut dyn Host,
    ) -> Option<UnitId> {
        let text = target.literal().unwrap_or_default();
        let (path, registry) = match ModuleReference::parse(text, configuration) {
            Ok(ModuleReference::Local(path)) => (self.local(from, &path, target.span, host)?, None),
            Ok(ModuleReference::Registry(artifact)) => match host.module(&artifact, configuration.cache_root()) {
                Ok(path) => (path, Some(artifact.to_string())),
                Err(missing) => {
                    self.missing.push((target.span, artifact.to_string(), missing));
                    return None;
                }
            },
            Err((code, problem)) => {
                let problem = Diagnostic::new(Code::BicepDiagnostic, target.span, problem);
                self.problems.push(problem.with_bicep_code(code));
                return None;
            }
        };
        match self.open(&path, host) {
            Ok(id) => {
                if let Some(unit) = self.all.get_mut(id.0) {
                    unit.registry = unit.registry.take().or(registry);
                }
                Some(id)
            }
            Err((problem, _)) => {
                let is_open = |id: &UnitId| self.open.contains(id);
                let code = match self.known.get(&path).filter(|id| is_open(id)) {
                    Some(id) if self.open.last() == Some(id) => "BCP094",
                    Some(_) => "BCP095",
                    None if self.known.contains_key(&path) => "BCP188",
                    None => "BCP091",
                };
                let problem = Diagnostic::new(Code::BicepDiagnostic, target.span, problem);
                self.problems.push(problem.with_bicep_code(code));
                None
            }
        }
    }

    /// Adds a module that cannot be read. The problem has been reported.
    fn unknown(&mut self, from: FileId) -> UnitId {
        let id = UnitId(self.all.len());
        self.push(Path::new(""), from, Content::Unknown, false);
        id
    }

    fn local(&mut self, from: &Path, path: &str, span: Span, host: &mut dyn Host) -> Option<PathBuf> {
        let path = normalize(from.parent().unwrap_or(from), Path::new(path));
        if host.is_inside(&path) {
            return Some(path);
        }
        let message = "the path leads out of the repository; only files in it are read";
        self.problems.push(Diagnostic::new(Code::BicepDiagnostic, span, message).with_bicep_code("BCP091"));
        None
    }
}
