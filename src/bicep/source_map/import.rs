//! Types, variables and functions that come from other files: the compiler copies them into the template, and what they
//! hang on under names such as `_1.name`. They are placed at the name that is imported.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::bicep::reader::{Declaration, DeclarationKind as Kind, File, Range};
use crate::bicep::source_map::property::Found;
use crate::value::{Data, Value};

/// How far names are followed to the import that needs them.
const MAX_FOLLOWED: usize = 64;

/// For so many prefixes the text is searched for a use of `import * as name`.
const MAX_SEARCHED: usize = 100;

/// What is known of imported names.
#[derive(Debug, Default)]
pub(super) struct Imports {
    /// The places of the names that are imported one by one.
    parts: FxHashMap<Box<str>, Range>,
    /// `_1.name` to an imported name that needs it.
    needed_by: FxHashMap<Box<str>, Box<str>>,
    /// The prefix `_1` to an import of its file.
    prefixes: FxHashMap<Box<str>, Range>,
    /// Some import, where nothing better is known.
    first: Option<Range>,
}

impl Imports {
    pub(super) fn new(file: &File, template: &Value) -> Self {
        let mut imports = Self::default();
        let statements: Vec<&Declaration> = file.declarations.iter().filter(|it| it.kind == Kind::Import).collect();
        imports.first = statements.first().map(|it| it.range);
        if statements.is_empty() {
            return imports;
        }
        let parts = statements.iter().flat_map(|it| &it.parts);
        imports.parts = parts.map(|part| (file.slice(part.name).into(), part.range)).collect();
        let local: FxHashSet<&str> = file.declarations.iter().map(|it| file.name(it)).collect();
        for (name, value) in definitions(template).filter(|(name, _)| !local.contains(name)) {
            if let Some((prefix, member)) = name.split_once('.') {
                imports.add_prefix(prefix, member, value, &statements, file);
            }
            imports.collect(name, value);
        }
        imports
    }

    /// Remembers the import behind a prefix: by the origin that the compiler notes, or by a use of the member.
    fn add_prefix(&mut self, prefix: &str, member: &str, value: &Value, statements: &[&Declaration], file: &File) {
        if self.prefixes.contains_key(prefix) {
            return;
        }
        let by_origin = origin(value).and_then(|origin| {
            statements.iter().find(|it| it.target.and_then(|it| file.word(it)).is_some_and(|it| it == origin))
        });
        let is_searched = self.prefixes.len() < MAX_SEARCHED;
        let by_use = || {
            let is_used =
                |it: &&&Declaration| it.name.is_some() && file.text.contains(&format!("{}.{member}", file.name(it)));
            statements.iter().filter(|_| is_searched).find(is_used)
        };
        if let Some(statement) = by_origin.or_else(by_use) {
            self.prefixes.insert(prefix.into(), statement.range);
        }
    }

    fn collect(&mut self, owner: &str, value: &Value) {
        match &value.data {
            Data::String(text) => {
                for needed in prefixed_names(text).filter(|it| *it != owner) {
                    self.needed_by.entry(needed.into()).or_insert_with(|| owner.into());
                }
            }
            Data::Array(items) => items.iter().for_each(|it| self.collect(owner, it)),
            Data::Object(members) => members.iter().for_each(|it| self.collect(owner, &it.value)),
            _ => {}
        }
    }

    /// The import that brings `name`.
    pub(super) fn find(&self, name: &str) -> Option<Found> {
        let mut needed = name;
        for _ in 0..MAX_FOLLOWED {
            if let Some(&part) = self.parts.get(needed) {
                return Some(Found::exact(part));
            }
            match self.needed_by.get(needed) {
                Some(owner) => needed = owner,
                None => break,
            }
        }
        let prefix = needed.split_once('.').and_then(|(prefix, _)| self.prefixes.get(prefix).copied());
        prefix.map(Found::exact).or(self.first.map(Found::nearest))
    }
}

/// The file that the compiler names as the origin.
fn origin(value: &Value) -> Option<&str> {
    value.get("metadata")?.get("__bicep_imported_from!")?.get("sourceTemplate")?.as_str()
}

/// Types, variables, loops of variables, and functions.
fn definitions(template: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let sections = ["definitions", "variables"].into_iter();
    let named = sections.filter_map(|it| template.get(it)?.as_object()).flatten();
    let namespaces = template.get("functions").and_then(Value::as_array).into_iter().flatten();
    let functions = namespaces.filter_map(|it| it.get("members")?.as_object()).flatten();
    let loops = template.get("variables").and_then(|it| it.get("copy")?.as_array()).into_iter().flatten();
    let looped = loops.filter_map(|it| Some((it.get("name")?.as_str()?, it)));
    let all = named.chain(functions).map(|it| (&*it.key, &it.value)).filter(|(name, _)| *name != "copy");
    all.chain(looped)
}

/// The names like `_1.name` in a text.
fn prefixed_names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
    text.split(move |it| !is_part(it)).filter_map(|word| {
        let digits = word.strip_prefix('_')?;
        let (number, rest) = digits.split_once('.')?;
        let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
        // `_1.name.property` uses a property of it.
        let member = rest.split('.').next().unwrap_or_default();
        is_number.then(|| &word[..number.len() + 2 + member.len()])
    })
}
