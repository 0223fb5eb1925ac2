//! Maps imported types, variables, and functions to the import statement. The compiler copies them and their
//! dependencies into the template, under names such as `_1.name`.

use foldhash::{HashMap, HashSet};

use crate::language::SyntaxTree;
use crate::language::ast::{Declaration, DeclarationKind, Import, ImportNames};
use crate::source_map::property::FileLocation;
use crate::text::Span;
use crate::value::{Data, Value};

/// Maximum number of steps from a dependency to the imported name that needs it. Dependencies can form a cycle.
const MAX_FOLLOWED: usize = 64;

/// Maximum number of prefixes for which the whole text is searched. Each search takes time linear in the text.
const MAX_SEARCHED: usize = 100;

/// Imported names of one file.
#[derive(Debug, Default)]
pub(super) struct Imports {
    /// Spans of individually imported names.
    parts: HashMap<Box<str>, Span>,
    /// For each dependency, such as `_1.name`, a name that needs it.
    needed_by: HashMap<Box<str>, Box<str>>,
    /// Import statement for each prefix, such as `_1`.
    prefixes: HashMap<Box<str>, Span>,
    /// First import statement, the fallback for unknown names.
    first: Option<Span>,
}

impl Imports {
    pub(super) fn new(tree: &SyntaxTree, template: &Value) -> Self {
        let mut imports = Self::default();
        let statements: Vec<(Span, &Import)> = tree.declarations.iter().filter_map(import).collect();
        imports.first = statements.first().map(|(span, _)| *span);
        if statements.is_empty() {
            return imports;
        }
        for (_, import) in &statements {
            if let ImportNames::Each(names) = &import.names {
                let parts = names.iter().map(|(original, alias)| (&*alias.text, original.span.to(alias.span)));
                imports.parts.extend(parts.map(|(name, span)| (name.into(), span)));
            }
        }
        let local: HashSet<&str> =
            tree.declarations.iter().filter_map(|declaration| Some(&*declaration.name()?.text)).collect();
        for (name, value) in definitions(template).filter(|(name, _)| !local.contains(name)) {
            if let Some((prefix, member)) = name.split_once('.') {
                imports.add_prefix(prefix, member, value, &statements, tree);
            }
            imports.collect(name, value);
        }
        imports
    }

    /// Finds the import statement for a prefix: the one whose file the compiler recorded as the origin, or a
    /// wildcard import whose `name.member` occurs in the text.
    fn add_prefix(
        &mut self,
        prefix: &str,
        member: &str,
        value: &Value,
        statements: &[(Span, &Import)],
        tree: &SyntaxTree,
    ) {
        if self.prefixes.contains_key(prefix) {
            return;
        }
        let by_origin = origin(value)
            .and_then(|origin| statements.iter().find(|(_, import)| import.path.literal() == Some(origin)));
        let is_searched = self.prefixes.len() < MAX_SEARCHED;
        let found = by_origin.or_else(|| {
            statements.iter().filter(|_| is_searched).find(|(_, import)| match &import.names {
                ImportNames::All(name) => tree.text.contains(&format!("{}.{member}", name.text)),
                ImportNames::Each(_) => false,
            })
        });
        if let Some((span, _)) = found {
            self.prefixes.insert(prefix.into(), *span);
        }
    }

    /// Records the dependencies in the strings of `value`, which belongs to `owner`.
    fn collect(&mut self, owner: &str, value: &Value) {
        match &value.data {
            Data::String(text) => {
                for needed in prefixed_names(text).filter(|name| *name != owner) {
                    self.needed_by.entry(needed.into()).or_insert_with(|| owner.into());
                }
            }
            Data::Array(items) => items.iter().for_each(|item| self.collect(owner, item)),
            Data::Object(members) => members.iter().for_each(|member| self.collect(owner, &member.value)),
            _ => {}
        }
    }

    /// Finds the import of `name`. `None` if the file has no imports.
    pub(super) fn find(&self, name: &str) -> Option<FileLocation> {
        let mut needed = name;
        for _ in 0..MAX_FOLLOWED {
            if let Some(&part) = self.parts.get(needed) {
                return Some(FileLocation::exact(part));
            }
            match self.needed_by.get(needed) {
                Some(owner) => needed = owner,
                None => break,
            }
        }
        let prefix = needed.split_once('.').and_then(|(prefix, _)| self.prefixes.get(prefix).copied());
        prefix.map(FileLocation::exact).or(self.first.map(FileLocation::nearest))
    }
}

/// Returns a declaration as an import.
fn import(declaration: &Declaration) -> Option<(Span, &Import)> {
    match &declaration.kind {
        DeclarationKind::Import(import) => Some((declaration.span, import)),
        _ => None,
    }
}

/// Returns the file that the compiler recorded as the origin of an imported definition.
fn origin(value: &Value) -> Option<&str> {
    value.get("metadata")?.get("__bicep_imported_from!")?.get("sourceTemplate")?.as_str()
}

/// Iterates over the types, variables, and functions of a template with their names, including variables with loops.
fn definitions(template: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let sections = ["definitions", "variables"].into_iter();
    let named = sections.filter_map(|section| template.get(section)?.as_object()).flatten();
    let namespaces = template.get("functions").and_then(Value::as_array).into_iter().flatten();
    let functions = namespaces.filter_map(|namespace| namespace.get("members")?.as_object()).flatten();
    let loops = template.get("variables").and_then(|variables| variables.get("copy")?.as_array()).into_iter().flatten();
    let looped = loops.filter_map(|entry| Some((entry.get("name")?.as_str()?, entry)));
    let all = named.chain(functions).map(|member| (&*member.key, &member.value));
    all.filter(|(name, _)| *name != "copy").chain(looped)
}

/// Iterates over the names of the form `_1.name` in a string.
fn prefixed_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).filter_map(|word| {
        let digits = word.strip_prefix('_')?;
        let (number, rest) = digits.split_once('.')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        // Drops the property in `_1.name.property`.
        let member = rest.split('.').next().unwrap_or_default();
        word.get(.."_".len() + number.len() + ".".len() + member.len()).filter(|_| is_number)
    })
}
