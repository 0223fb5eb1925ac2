//! `use-parent-property`: a child whose name begins with that of its parent.

use crate::compiler::linter::file::{File, Found};
use crate::compiler::linter::same::same;
use crate::compiler::model::ResourceInfo;
use crate::language::ast::{Expr, ExprKind, Interpolation, Text};

pub(super) fn find(file: &File<'_>) -> Vec<Found> {
    if file.is_huge() {
        return Vec::new();
    }
    let children = file.model.resources.iter().filter(|child| child.is_azure() && child.parent.is_none());
    let found = children.filter_map(|child| {
        let name = child.body.get("name")?;
        let parent = &parent_of(file, child, name)?.declaration.name.text;
        Some((name.span, format!("set `parent: {parent}`, and leave its name out of this one")))
    });
    found.collect()
}

/// The resource of the file whose name the name of a child begins with.
fn parent_of<'w>(file: &File<'w>, child: &ResourceInfo<'_>, name: &Expr) -> Option<&'w ResourceInfo<'w>> {
    let (ExprKind::Text(text), Some((ty, _))) = (&name.kind, child.ty.rsplit_once('/')) else { return None };
    let is_parent =
        |other: &ResourceInfo<'_>| ty.contains('/') && other.is_azure() && other.ty.eq_ignore_ascii_case(ty);
    let begins = |other: &&ResourceInfo<'_>| {
        let own = other.body.get("name");
        is_parent(other) && !other.is_collection() && own.is_some_and(|own| begins_with(text, own))
    };
    let named = name_of_resource(file, text).filter(|other| is_parent(other));
    named.or_else(|| file.model.resources.iter().find(begins))
}

/// The resource whose `name` begins a string, before a slash.
fn name_of_resource<'w>(file: &File<'w>, text: &Text) -> Option<&'w ResourceInfo<'w>> {
    let first = text.interpolations.first().filter(|first| text.first.is_empty() && first.text.starts_with('/'))?;
    match &first.value.kind {
        ExprKind::Property { base, name, .. } if &*name.text == "name" => file.resource(base),
        _ => None,
    }
}

/// Whether a string is another value, a slash, and more.
fn begins_with(child: &Text, parent: &Expr) -> bool {
    let ExprKind::Text(parent) = &parent.kind else {
        let first = child.interpolations.first().filter(|_| child.first.is_empty());
        return first.is_some_and(|first| first.text.starts_with('/') && same(&first.value, parent));
    };
    let count = parent.interpolations.len();
    let Some(common) = child.interpolations.get(..count) else { return false };
    let (own, own_last) = segments(child, count);
    let (others, last) = segments(parent, count);
    let follows = own_last.strip_prefix(last).is_some_and(|rest| rest.starts_with('/'));
    let is_same = |(own, other): (&Interpolation, &Interpolation)| same(&own.value, &other.value);
    follows && own == others && common.iter().zip(&parent.interpolations).all(is_same)
}

/// The texts of a string before its first interpolations, and the one after them.
fn segments(text: &Text, count: usize) -> (Vec<&str>, &str) {
    let rest = text.interpolations.iter().take(count).map(|part| &*part.text);
    let mut all: Vec<&str> = std::iter::once(&*text.first).chain(rest).collect();
    let last = all.pop().unwrap_or_default();
    (all, last)
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::check;

    #[test]
    fn a_name_that_begins_with_that_of_the_parent_is_found() {
        check(
            "use-parent-property",
            "param p string
resource a 'Microsoft.A/b@2020-01-01' = { name: 'a' }
resource b 'Microsoft.A/b@2020-01-01' existing = { name: p }
resource c 'Microsoft.A/b@2020-01-01' existing = { name: '${p}-x' }
resource d 'Microsoft.A/b/c@2020-01-01' = { name: 'a/d' }
                                            //    ^^^^^ set `parent: a`, and leave its name out of this one
resource e 'microsoft.a/B/c@2020-01-01' = { name: '${p}/${p}' }
                                            //    ^^^^^^^^^^^ set `parent: b`, and leave its name out of this one
resource f 'Microsoft.A/b/c@2020-01-01' = { name: '${p}-x/f' }
                                            //    ^^^^^^^^^^ set `parent: c`, and leave its name out of this one
resource g 'Microsoft.A/b/c@2020-01-01' = { name: '${a.name}/f' }
                                            //    ^^^^^^^^^^^^^ set `parent: a`, and leave its name out of this one
resource h 'Microsoft.A/b/c@2020-01-01' = { name: 'ab/d' }
resource i 'Microsoft.A/b/c@2020-01-01' = { name: '${toLower(p)}/d' }
resource j 'Microsoft.A/b/c@2020-01-01' = { parent: a, name: 'a/d' }
resource k 'Microsoft.A/b/c/d@2020-01-01' = { name: 'a/d/e' }
                                              //    ^^^^^^^ set `parent: d`, and leave its name out of this one
",
        );
    }
}
