//! Which resource of a compiled template is which declaration.
//!
//! With language version 2 resources have the name of their declaration. Before, they are a list, and its order is that of
//! the compiler (`src/Bicep.Core/Emit/TemplateWriter.cs`): nested resources, innermost first; other resources; modules.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::bicep::reader::{Declaration, DeclarationId, DeclarationKind as Kind, File};
use crate::value::Value;

const MODULE_TYPE: &str = "Microsoft.Resources/deployments";

/// How far a candidate is looked for if the expected one does not fit: sources that are newer than their template differ
/// a little, and a search through everything would take quadratic time.
const SEARCHED: usize = 32;

/// Resources and modules of one file, as their template names them.
#[derive(Debug, Default)]
pub(super) struct Sites {
    by_symbol: FxHashMap<Box<str>, DeclarationId>,
    listed: Vec<Option<DeclarationId>>,
}

impl Sites {
    /// Matches the declarations of `file` with the `resources` of its template.
    pub(super) fn new(file: &File, resources: Option<&Value>) -> Self {
        let Some(list) = resources.and_then(Value::as_array) else {
            let symbols = file.iter().filter(|(_, it)| is_site(it));
            let by_symbol = symbols.map(|(id, it)| (symbol(file, it).into(), id)).collect();
            return Self { by_symbol, listed: Vec::new() };
        };
        Self { by_symbol: FxHashMap::default(), listed: match_list(file, list) }
    }

    /// The declaration of `resources/step`.
    pub(super) fn get(&self, step: &str) -> Option<DeclarationId> {
        if let Some(&id) = self.by_symbol.get(step) {
            return Some(id);
        }
        *self.listed.get(step.parse::<usize>().ok()?)?
    }

    /// All that is matched, with the last step of its pointer.
    pub(super) fn iter(&self) -> impl Iterator<Item = (String, DeclarationId)> {
        let named = self.by_symbol.iter().map(|(symbol, &id)| (symbol.to_string(), id));
        let listed = self.listed.iter().enumerate();
        named.chain(listed.filter_map(|(at, id)| Some((at.to_string(), (*id)?))))
    }
}

fn is_site(it: &Declaration) -> bool {
    matches!(it.kind, Kind::Resource | Kind::Module)
}

/// `grandparent::parent::name`
fn symbol(file: &File, it: &Declaration) -> String {
    let mut symbol = file.name(it).to_owned();
    let mut parent = it.parent;
    while let Some(outer) = parent.map(|id| file.declaration(id)) {
        symbol = format!("{}::{symbol}", file.name(outer));
        parent = outer.parent;
    }
    symbol
}

/// The type that a resource gets in the template, in lower case.
fn full_type(file: &File, it: &Declaration) -> String {
    if it.kind == Kind::Module {
        return MODULE_TYPE.to_ascii_lowercase();
    }
    let target = it.target.and_then(|range| file.word(range)).unwrap_or_default();
    let own = target.split_once('@').map_or(&*target, |(name, _)| name);
    let own = own.rsplit_once(':').map_or(own, |(_, name)| name);
    match it.parent.filter(|_| !own.contains('/')) {
        Some(parent) => format!("{}/{}", full_type(file, file.declaration(parent)), own.to_ascii_lowercase()),
        None => own.to_ascii_lowercase(),
    }
}

/// The declarations in the order of the compiler.
fn in_order(file: &File) -> Vec<DeclarationId> {
    let group = |it: &Declaration| match (it.kind, it.parent) {
        (Kind::Resource, Some(_)) => 0,
        (Kind::Resource, None) => 1,
        _ => 2,
    };
    let mut ids: Vec<_> = file.iter().filter(|(_, it)| is_site(it) && !it.existing).map(|(id, _)| id).collect();
    ids.sort_by_key(|&id| group(file.declaration(id)));
    ids
}

fn match_list(file: &File, list: &[Value]) -> Vec<Option<DeclarationId>> {
    let order = in_order(file);
    let types: Vec<String> = order.iter().map(|&id| full_type(file, file.declaration(id))).collect();
    let mut waiting: FxHashMap<&str, VecDeque<DeclarationId>> = FxHashMap::default();
    for (&id, type_name) in order.iter().zip(&types) {
        waiting.entry(type_name).or_default().push_back(id);
    }
    let mut taken = FxHashSet::default();
    let mut matched = Vec::with_capacity(list.len());
    for (at, resource) in list.iter().enumerate() {
        let type_name = resource.get("type").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
        let fits = |id: DeclarationId| has_same_loop(file, file.declaration(id), resource);
        let expected = order.get(at).copied().filter(|id| types[at] == type_name && !taken.contains(id) && fits(*id));
        let found = expected.or_else(|| {
            let queue = waiting.get_mut(type_name.as_str())?;
            while queue.front().is_some_and(|id| taken.contains(id)) {
                queue.pop_front();
            }
            queue.iter().take(SEARCHED).copied().find(|&id| !taken.contains(&id) && fits(id))
        });
        taken.extend(found);
        matched.push(found);
    }
    matched
}

/// A loop has the name of its declaration.
fn has_same_loop(file: &File, it: &Declaration, resource: &Value) -> bool {
    let name = resource.get("copy").and_then(|copy| copy.get("name")?.as_str());
    match name {
        Some(name) => it.iteration().is_some() && (name == file.name(it) || it.parent.is_some()),
        None => it.iteration().is_none(),
    }
}
