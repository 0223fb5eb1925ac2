//! `no-unnecessary-dependson`: entries of `dependsOn` that follow from the references of a resource or module.

use foldhash::HashSet;
use formwork_model::declare_checks;

use crate::compiler::depend::{Inferred, Node};
use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::model::{Body, Symbol};
use crate::language::ast::{Expr, ExprKind};

declare_checks! {
    pub(super) NO_UNNECESSARY_DEPENDSON = Lint Low "bicep/no-unnecessary-dependson" "Bicep.UnnecessaryDependsOn"
        "A dependency that follows from the properties should not be declared"
        "Bicep finds the dependencies of a resource by what its properties use, so the entry says nothing new."
        "Remove the entry from `dependsOn`.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let model = file.model;
    let resources = model.resources.iter().enumerate().map(|(at, own)| (Node::Resource(at), own.body));
    let modules = model.modules.iter().enumerate().map(|(at, own)| (Node::Module(at), own.body));
    let all: Vec<_> = resources.chain(modules).filter_map(|(node, body)| Some((node, entries(body)?))).collect();
    if all.is_empty() || file.is_huge() {
        return Vec::new();
    }
    let inferred = Inferred::new(model);
    let mut found = Vec::new();
    for (node, entries) in all {
        let named: Vec<(&Expr, Node)> = entries.filter_map(|entry| Some((entry, target(file, entry)?))).collect();
        let implied = inferred.dependencies(node, &named.iter().map(|(_, target)| *target).collect());
        let mut explicit: HashSet<Node> = HashSet::default();
        for (entry, target) in named {
            if implied.contains(&target) || !explicit.insert(target) {
                let name = file.slice(entry.span);
                found.push((entry.span, format!("the dependency on `{name}` follows from the properties; remove it")));
            }
        }
    }
    found
}

fn entries(body: Body<'_>) -> Option<impl Iterator<Item = &Expr>> {
    match &body.get("dependsOn")?.kind {
        ExprKind::Array(items) => Some(items.iter().filter(|item| !item.is_spread).map(|item| &item.value)),
        _ => None,
    }
}

/// Returns the declaration that an entry names. `None` for a loop, and for an expression that is not a name.
fn target(file: &LintFile<'_>, entry: &Expr) -> Option<Node> {
    if let Some(Symbol::Module(at)) = file.symbol(entry) {
        let is_loop = file.model.modules.get(at)?.body.iteration.is_some();
        return (!is_loop).then_some(Node::Module(at));
    }
    if !matches!(entry.kind, ExprKind::Variable(_) | ExprKind::Nested { .. }) {
        return None;
    }
    let id = file.resource_id(entry)?;
    (!file.model.resources.get(id)?.is_collection()).then_some(Node::Resource(id))
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::check;

    #[test]
    fn a_dependency_that_follows_is_found() {
        check(
            "no-unnecessary-dependson",
            "resource a 'Microsoft.A/b@2020-01-01' = { name: 'a' }
resource b 'Microsoft.A/b@2020-01-01' = { name: 'b', tags: { c: v } }
var v = a.properties.x
resource e 'Microsoft.A/b@2020-01-01' existing = { name: 'e' }
resource c 'Microsoft.A/b/c@2020-01-01' = {
  parent: b
  name: 'c'
  dependsOn: [
    a
 // ^ the dependency on `a` follows from the properties; remove it
    b
 // ^ the dependency on `b` follows from the properties; remove it
    e
  ]
}
resource d 'Microsoft.A/b@2020-01-01' = {
  name: 'd'
  dependsOn: [a, a, b]
   //            ^ the dependency on `a` follows from the properties; remove it
  resource f 'c' = {
    name: 'f'
    dependsOn: [d, c]
     //         ^ the dependency on `d` follows from the properties; remove it
  }
}
resource l 'Microsoft.A/b@2020-01-01' = [for x in [1]: { name: 'l${x}', tags: { y: a.id }, dependsOn: [a] }]
                                                                                                 //    ^ the dependency on `a` follows from the properties; remove it
resource m 'Microsoft.A/b@2020-01-01' = { name: 'm', tags: { n: l[0].id }, dependsOn: [l] }
",
        );
    }
}
