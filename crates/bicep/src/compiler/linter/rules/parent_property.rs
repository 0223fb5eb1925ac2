//! `use-parent-property`: a child resource whose name begins with its parent's.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::linter::same::same;
use crate::compiler::model::ResourceInfo;
use crate::language::ast::{Expr, ExprKind, Text};

declare_checks! {
    pub(super) USE_PARENT_PROPERTY = Lint Low "bicep/use-parent-property" "Bicep.UseParentProperty"
        "A child of a resource should name it as its parent"
        "A name such as `parent/child` repeats the name of the parent, and does not make the child depend on it."
        "Set `parent`, and write only the last part of the name.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
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

/// Returns the resource of the file that is the parent by its name.
fn parent_of<'w>(file: &LintFile<'w>, child: &ResourceInfo<'_>, name: &Expr) -> Option<&'w ResourceInfo<'w>> {
    let (ExprKind::Text(text), Some((ty, _))) = (&name.kind, child.ty.rsplit_once('/')) else { return None };
    let named = name_of_resource(file, text).filter(|other| is_of_type(other, ty));
    named.or_else(|| {
        file.model.resources.iter().find(|other| {
            let own = other.body.get("name");
            is_of_type(other, ty) && !other.is_collection() && own.is_some_and(|own| begins_with(text, own))
        })
    })
}

fn is_of_type(resource: &ResourceInfo<'_>, ty: &str) -> bool {
    ty.contains('/') && resource.is_azure() && resource.ty.eq_ignore_ascii_case(ty)
}

/// Returns the resource whose `name` is the start of a string, before a slash.
fn name_of_resource<'w>(file: &LintFile<'w>, text: &Text) -> Option<&'w ResourceInfo<'w>> {
    let first = text.interpolations.first().filter(|first| text.first.is_empty() && first.text.starts_with('/'))?;
    match &first.value.kind {
        ExprKind::Property { base, name, .. } if &*name.text == "name" => file.resource(base),
        _ => None,
    }
}

/// True if a string starts with another value and a slash.
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
    let mut pairs = common.iter().zip(&parent.interpolations);
    follows && own == others && pairs.all(|(own, other)| same(&own.value, &other.value))
}

/// Returns the texts of a string before its first `count` interpolations, and the text after them.
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
