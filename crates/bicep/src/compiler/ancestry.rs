//! Parents and scopes of resources, resolved before anything is computed.

use crate::compiler::model::{Model, Parent, ResourceId, ResourceInfo, Symbol};
use crate::language::ast::ExprKind;

/// Maximum number of ancestors of a resource.
const MAX_PARENTS: usize = 50;

/// Maximum number of variables on the way to the scope of a resource.
const MAX_VARIABLES: usize = 100;

impl<'a> Model<'a> {
    /// Resolves the property `parent` of resources.
    pub(super) fn resolve_parents(&mut self) {
        let found: Vec<(ResourceId, Parent<'a>)> = self
            .resources
            .iter()
            .enumerate()
            .filter_map(|(id, resource)| {
                let value = resource.parent.is_none().then(|| resource.body.get("parent"))??.bare();
                let (base, index) = match &value.kind {
                    ExprKind::Index { base, index, .. } => (base.bare(), Some(&**index)),
                    _ => (value, None),
                };
                let resource = self.resource_named(base)?;
                Some((id, Parent { resource, index, is_nested: false }))
            })
            .collect();
        for (id, parent) in found {
            if let Some(resource) = self.resources.get_mut(id) {
                resource.parent = Some(parent);
            }
        }
        let parents: Vec<Option<ResourceId>> =
            self.resources.iter().map(|resource| Some(resource.parent?.resource)).collect();
        for cycle in cycles(&parents) {
            self.break_cycle(&cycle);
        }
        self.limit_parents();
    }

    /// Reports a resource that is its own ancestor.
    fn break_cycle(&mut self, cycle: &[ResourceId]) {
        let Some(resource) = cycle.iter().min().and_then(|id| self.resources.get_mut(*id)) else { return };
        resource.parent = None;
        let name = &resource.declaration.name;
        self.problem("BCP079", name.span, format!("`{}` is its own parent", name.text));
    }

    /// Reports resources with too many ancestors; types have far fewer segments.
    fn limit_parents(&mut self) {
        let mut first = None;
        for id in 0..self.resources.len() {
            let mut ancestors = std::iter::successors(Some(id), |at| self.parent_id(*at));
            let is_too_deep = ancestors.nth(MAX_PARENTS + 1).is_some();
            if is_too_deep && let Some(resource) = self.resources.get_mut(id) {
                resource.parent = None;
                first = first.or(Some(resource.declaration.name.span));
            }
        }
        if let Some(span) = first {
            self.problem("", span, format!("the resource has more than {MAX_PARENTS} parents"));
        }
    }

    fn parent_id(&self, id: ResourceId) -> Option<ResourceId> {
        Some(self.resources.get(id)?.parent?.resource)
    }

    /// Reports resources whose scopes form a cycle.
    pub(super) fn check_scope_cycles(&mut self) {
        let places: Vec<Option<ResourceId>> = self
            .resources
            .iter()
            .map(|resource| match resource.parent {
                Some(parent) => Some(parent.resource),
                None => self.scope_of(resource),
            })
            .collect();
        for cycle in cycles(&places) {
            let names: Vec<String> =
                cycle.iter().chain(cycle.first()).map(|id| format!("`{}`", self.symbolic_name(*id))).collect();
            let message = match cycle.as_slice() {
                [_] => format!("{} is its own scope", names.first().map_or("", String::as_str)),
                _ => format!("the scopes of resources are a cycle: {}", names.join(" -> ")),
            };
            let mut span = None;
            for id in cycle {
                if let Some(resource) = self.resources.get_mut(id) {
                    resource.has_cyclic_scope = true;
                    span =
                        span.or_else(|| Some(resource.body.get("scope").filter(|_| resource.parent.is_none())?.span));
                }
            }
            if let Some(span) = span {
                self.problem("BCP080", span, message.clone());
            }
        }
    }

    /// Resolves the resource in the property `scope`, following variables.
    fn scope_of(&self, resource: &ResourceInfo<'a>) -> Option<ResourceId> {
        let mut value = resource.body.get("scope")?;
        for _ in 0..MAX_VARIABLES {
            let base = match &value.bare().kind {
                ExprKind::Index { base, .. } => base.bare(),
                _ => value.bare(),
            };
            let symbol = match &base.kind {
                ExprKind::Variable(name) => self.symbols.get(&*name.text),
                _ => None,
            };
            let Some(Symbol::Variable(at)) = symbol else { return self.resource_named(base) };
            value = self.variables.get(*at)?.value?;
        }
        None
    }
}

/// Finds the cycles of a graph in which each node has at most one successor. Lists each cycle once, in order.
fn cycles(next: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    // The start of the first walk that reached each node.
    let mut seen: Vec<Option<usize>> = vec![None; next.len()];
    for start in 0..next.len() {
        let mut walk = Vec::new();
        let mut at = Some(start);
        while let Some(here) = at {
            let Some(mark) = seen.get_mut(here) else { break };
            match *mark {
                Some(earlier) if earlier == start => {
                    found.extend(walk.iter().position(|other| *other == here).map(|first| walk.split_off(first)));
                    break;
                }
                Some(_) => break,
                None => *mark = Some(start),
            }
            walk.push(here);
            at = next.get(here).copied().flatten();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cycle_is_found_once() {
        let check = |next: &[Option<usize>], expected: &[&[usize]]| assert_eq!(cycles(next), expected, "{next:?}");
        check(&[], &[]);
        check(&[Some(1), Some(2), None], &[]);
        check(&[Some(0)], &[&[0]]);
        check(&[Some(1), Some(2), Some(1), Some(0), Some(9)], &[&[1, 2]]);
        check(&[Some(1), Some(0), Some(3), Some(2)], &[&[0, 1], &[2, 3]]);
    }
}
