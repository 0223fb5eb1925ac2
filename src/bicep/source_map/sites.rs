//! Matches the resources of a compiled template with their declarations.
//!
//! With language version 2, resources have the symbolic names of their declarations. Without it, they are an array in
//! the compiler's order (`src/Bicep.Core/Emit/TemplateWriter.cs`): nested resources, innermost first, then other
//! resources, then modules.

use std::collections::{BTreeMap, VecDeque};

use foldhash::{HashMap, HashSet};

use crate::bicep::reader::{Declaration, DeclarationId, DeclarationKind as Kind, File};
use crate::value::Value;

/// The type that a module has in a template.
const MODULE_TYPE: &str = "Microsoft.Resources/deployments";

/// How many candidates are tried if the expected one does not match, which happens if the source is newer than the
/// template. Trying all would take quadratic time.
const SEARCHED: usize = 32;

/// The declarations of the resources and modules in a template.
#[derive(Debug, Default)]
pub(super) struct Sites {
    by_symbol: BTreeMap<Box<str>, DeclarationId>,
    listed: Vec<Option<DeclarationId>>,
}

impl Sites {
    /// Matches the declarations in `file` with the `resources` of its template.
    pub(super) fn new(file: &File, resources: Option<&Value>) -> Self {
        let Some(list) = resources.and_then(Value::as_array) else {
            let symbols = file.iter().filter(|(_, declaration)| is_site(declaration));
            let by_symbol = symbols.map(|(id, declaration)| (symbol(file, declaration).into(), id)).collect();
            return Self { by_symbol, listed: Vec::new() };
        };
        Self { by_symbol: BTreeMap::new(), listed: match_list(file, list) }
    }

    /// The declaration of `resources/<step>`. `None` if there is no match.
    pub(super) fn get(&self, step: &str) -> Option<DeclarationId> {
        if let Some(&id) = self.by_symbol.get(step) {
            return Some(id);
        }
        *self.listed.get(step.parse::<usize>().ok()?)?
    }

    /// All matched declarations, each with its step in `resources`.
    pub(super) fn iter(&self) -> impl Iterator<Item = (String, DeclarationId)> {
        let named = self.by_symbol.iter().map(|(symbol, &id)| (symbol.to_string(), id));
        let listed = self.listed.iter().enumerate();
        named.chain(listed.filter_map(|(at, id)| Some((at.to_string(), (*id)?))))
    }
}

fn is_site(declaration: &Declaration) -> bool {
    matches!(declaration.kind, Kind::Resource | Kind::Module)
}

/// The symbolic name in the template. That of a nested resource is `grandparent::parent::name`.
fn symbol(file: &File, declaration: &Declaration) -> String {
    let mut symbol = file.name(declaration).to_owned();
    let mut parent = declaration.parent;
    while let Some(outer) = parent.map(|id| file.declaration(id)) {
        symbol = format!("{}::{symbol}", file.name(outer));
        parent = outer.parent;
    }
    symbol
}

/// The lowercase type that a resource has in the template.
fn full_type(file: &File, declaration: &Declaration) -> String {
    if declaration.kind == Kind::Module {
        return MODULE_TYPE.to_ascii_lowercase();
    }
    let target = declaration.target.and_then(|range| file.word(range)).unwrap_or_default();
    let own = target.split_once('@').map_or(&*target, |(name, _)| name);
    // Without a namespace such as `az:`.
    let own = own.rsplit_once(':').map_or(own, |(_, name)| name);
    match declaration.parent.filter(|_| !own.contains('/')) {
        Some(parent) => format!("{}/{}", full_type(file, file.declaration(parent)), own.to_ascii_lowercase()),
        None => own.to_ascii_lowercase(),
    }
}

/// The declarations in the compiler's order.
fn in_order(file: &File) -> Vec<DeclarationId> {
    let group = |declaration: &Declaration| match (declaration.kind, declaration.parent) {
        (Kind::Resource, Some(_)) => 0,
        (Kind::Resource, None) => 1,
        _ => 2,
    };
    let deployed = file.iter().filter(|(_, declaration)| is_site(declaration) && !declaration.existing);
    let mut ids: Vec<_> = deployed.map(|(id, _)| id).collect();
    ids.sort_by_key(|&id| group(file.declaration(id)));
    ids
}

/// Matches an array of resources with the declarations, by position, type and loop. An item without a match is `None`.
fn match_list(file: &File, list: &[Value]) -> Vec<Option<DeclarationId>> {
    let order = in_order(file);
    let types: Vec<String> = order.iter().map(|&id| full_type(file, file.declaration(id))).collect();
    let mut waiting: HashMap<&str, VecDeque<DeclarationId>> = HashMap::default();
    for (&id, type_name) in order.iter().zip(&types) {
        waiting.entry(type_name).or_default().push_back(id);
    }
    let mut taken = HashSet::default();
    let mut matched = Vec::with_capacity(list.len());
    for (at, resource) in list.iter().enumerate() {
        let type_name = resource.get("type").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
        let fits = |id: DeclarationId| has_same_loop(file, file.declaration(id), resource);
        let same_position = order.get(at).copied().filter(|_| types.get(at) == Some(&type_name));
        let expected = same_position.filter(|&id| !taken.contains(&id) && fits(id));
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

/// Whether both or neither are in a loop. The loop of a resource that is not nested has the name of its declaration.
fn has_same_loop(file: &File, declaration: &Declaration, resource: &Value) -> bool {
    let name = resource.get("copy").and_then(|copy| copy.get("name")?.as_str());
    match name {
        Some(name) => {
            declaration.iteration().is_some() && (name == file.name(declaration) || declaration.parent.is_some())
        }
        None => declaration.iteration().is_none(),
    }
}
