//! Types, variables and functions that come from other files: the compiler copies them into the template, and what they
//! hang on under names such as `_1.name`. They are placed at the name that is imported.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::bicep::reader::{Declaration, DeclarationKind as Kind, File};
use crate::bicep::source_map::property::Found;
use crate::value::{Data, Value};

/// How far names are followed to the import that needs them.
const MAX_FOLLOWED: usize = 64;

/// What is known of imported names.
#[derive(Debug, Default)]
pub(super) struct Imports {
    /// `_1.name` to an imported name that needs it.
    needed_by: FxHashMap<Box<str>, Box<str>>,
    /// The prefix `_1` to the file that the compiler names as its origin.
    origins: FxHashMap<Box<str>, Box<str>>,
}

impl Imports {
    pub(super) fn new(file: &File, template: &Value) -> Self {
        let mut imports = Self::default();
        if file.declarations.iter().all(|it| it.kind != Kind::Import) {
            return imports;
        }
        let is_local = |name: &str| {
            let kinds = [Kind::Type, Kind::Var, Kind::Func];
            file.declarations.iter().any(|it| kinds.contains(&it.kind) && file.name(it) == name)
        };
        for (name, value) in definitions(template) {
            if let (Some((prefix, _)), Some(origin)) = (name.split_once('.'), origin(value)) {
                imports.origins.entry(prefix.into()).or_insert_with(|| origin.into());
            }
            if !is_local(name) {
                imports.collect(name, value);
            }
        }
        imports
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
    pub(super) fn find(&self, file: &File, name: &str, value: Option<&Value>) -> Option<Found> {
        let imports = || file.declarations.iter().filter(|it| it.kind == Kind::Import);
        let mut needed = name;
        for _ in 0..MAX_FOLLOWED {
            let mut parts = imports().flat_map(|it| &it.parts);
            if let Some(part) = parts.find(|part| file.slice(part.name) == needed) {
                return Some(Found::exact(part.range));
            }
            match self.needed_by.get(needed) {
                Some(owner) => needed = owner,
                None => break,
            }
        }
        let (prefix, member) = needed.split_once('.').unwrap_or(("", needed));
        let origin = value.and_then(origin).or_else(|| self.origins.get(prefix).map(|it| &**it));
        let is_from = |it: &&Declaration| it.target.and_then(|it| file.word(it)).map(Cow::into_owned).as_deref() == origin;
        let is_used = |it: &&Declaration| it.name.is_some() && file.text.contains(&format!("{}.{member}", file.name(it)));
        let import = imports()
            .find(|it| origin.is_some() && is_from(it))
            .or_else(|| imports().find(is_used))
            .or_else(|| imports().next())?;
        Some(Found::exact(import.range))
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
    named.chain(functions).map(|it| (&*it.key, &it.value)).chain(looped)
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
