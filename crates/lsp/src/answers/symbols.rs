//! Outline of a document, and search for resources in all templates.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use gen_lsp_types::{DocumentSymbol, SymbolKind, WorkspaceSymbolParams};
use serde_json::{Value, json};

use crate::answers::first_values;
use crate::outline::{self, Declaration, Kind};
use crate::results::Resource;
use crate::server::Server;
use crate::text::Text;
use crate::view::View;

/// Maximum number of resources that are found.
const MAX_FOUND: usize = 500;

/// Returns the declarations of a document. A resource has its name in the chosen environment. Declarations without a
/// name are left out, because a client may reject all of them otherwise.
pub(crate) fn symbols(view: &View<'_>) -> Vec<DocumentSymbol> {
    let declarations = outline::declarations(&view.path, view.text.text());
    let is_computed = declarations.iter().any(|declaration| declaration.computed.is_some());
    let names = if is_computed { first_values(view) } else { BTreeMap::new() };
    let declarations = declarations.into_iter().filter(|declaration| !declaration.name.is_empty());
    let symbols = declarations.map(|Declaration { name, kind, place, type_name, computed }| {
        let selection_range = view.range(place.clone());
        let known = computed.and_then(|key| names.get(&key)?.first()?.text()).filter(|known| !known.is_empty());
        #[expect(deprecated, reason = "the type has this field of an old version of the protocol")]
        DocumentSymbol {
            name: known.map_or(name, ToOwned::to_owned),
            detail: Some(type_name.unwrap_or_else(|| kind.noun().to_owned())),
            kind: symbol_kind(kind),
            tags: None,
            deprecated: None,
            range: view.range(lines(view.text, &place)),
            selection_range,
            children: None,
        }
    });
    symbols.collect()
}

/// Returns the lines of a range.
fn lines(text: &Text, place: &Range<usize>) -> Range<usize> {
    let start = text.content(text.line(place.start)).map_or(place.start, |line| line.start);
    let end = text.content(text.line(place.end)).map_or(place.end, |line| line.end);
    start..end.max(place.end)
}

/// Returns the resources whose names contain the characters of a query in order. Names are those in the chosen
/// environment.
pub(crate) fn resources(server: &Server, asked: &WorkspaceSymbolParams) -> Vec<Value> {
    let query: Vec<char> = asked.query.chars().flat_map(char::to_lowercase).collect();
    let mut found = Vec::new();
    let mut seen: BTreeSet<&Path> = BTreeSet::new();
    // The results for open files are newer.
    for folder in server.folders.values().chain(server.workspace.folders()) {
        let paths = folder.paths();
        let mut here = BTreeSet::new();
        for (file, resources) in folder.resources() {
            let mut is_new = |one: &Resource| {
                let template = paths.get(&*one.template).copied().filter(|template| !seen.contains(template));
                here.extend(template);
                template.is_some()
            };
            let Some(text) = server.text(file) else { continue };
            let named = resources.iter().filter(|one| is_new(one) && has_in_order(&one.name, &query));
            let drawn = named.map(|one| {
                let range = text.range(&one.range, server.client.encoding);
                let location = json!({"uri": server.uri(file), "range": range});
                json!({"name": one.name, "kind": SymbolKind::Class, "containerName": one.type_name, "location": location})
            });
            found.extend(drawn.take(MAX_FOUND - found.len()));
        }
        seen.extend(here);
    }
    found
}

fn has_in_order(name: &str, query: &[char]) -> bool {
    let mut wanted = query.iter().peekable();
    for c in name.chars().flat_map(char::to_lowercase) {
        wanted.next_if(|wanted| **wanted == c);
    }
    wanted.peek().is_none()
}

const fn symbol_kind(kind: Kind) -> SymbolKind {
    match kind {
        Kind::Parameter => SymbolKind::Constant,
        Kind::Variable => SymbolKind::Variable,
        Kind::Resource => SymbolKind::Class,
        Kind::Module => SymbolKind::Module,
        Kind::Output => SymbolKind::Field,
        Kind::Function => SymbolKind::Function,
        Kind::Type => SymbolKind::Struct,
        Kind::Extension => SymbolKind::Package,
        Kind::Condition => SymbolKind::Boolean,
        Kind::Mapping => SymbolKind::Object,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_found_in_any_case_and_with_gaps() {
        let has = |name: &str, query: &str| has_in_order(name, &query.chars().collect::<Vec<_>>());
        assert!(has("St-Shop-Dev", "stdev") && has("x", "") && has("app", "app"));
        assert!(!has("app", "pa") && !has("", "x"));
    }
}
