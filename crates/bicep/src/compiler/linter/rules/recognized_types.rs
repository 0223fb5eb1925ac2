//! `use-recognized-resource-type`: resource types in `reference()` and `list*()` that Azure does not publish.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::language::ast::{Expr, ExprKind};
use crate::schema;

declare_checks! {
    pub(super) USE_RECOGNIZED_RESOURCE_TYPE = Lint Low "bicep/use-recognized-resource-type" "Bicep.RecognizedResourceType"
        "A resource type in `reference()` or `list*()` should be one that Azure publishes"
        "The deployment fails if the type does not exist."
        "Correct the name of the type.";
}

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    if !schema::IS_KNOWN {
        return Vec::new();
    }
    let calls = file.exprs.iter().filter_map(|expr| {
        let (name, arguments) = file.built_in(expr)?;
        let is_call = &*name.text == "reference" || name.text.starts_with("list");
        let ty = unrecognized(file, arguments.first().filter(|_| is_call)?)?;
        Some((expr.span, format!("Azure has no resource type `{ty}`, which `{}()` names", name.text)))
    });
    calls.collect()
}

/// Returns the resource type of an argument, if it is not published.
fn unrecognized(file: &LintFile<'_>, argument: &Expr) -> Option<String> {
    let ty = match &argument.kind {
        ExprKind::Call { name, arguments } if &*name.text == "resourceId" => {
            arguments.iter().filter_map(|argument| file.types.text(argument)).find(|text| is_type(text))?
        }
        ExprKind::Call { .. } | ExprKind::Method { .. } => return None,
        _ => file.types.text(argument).filter(|text| is_type(text))?,
    };
    schema::type_name(ty, None).is_none().then(|| ty.to_owned())
}

/// True if a string has the form of a resource type.
fn is_type(text: &str) -> bool {
    let Some((provider, rest)) = text.split_once('/') else { return false };
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphabetic());
    let is_provider = provider.split_once('.').is_some_and(|(start, end)| is_word(start) && is_word(end));
    is_provider && rest.split('/').all(is_word)
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn a_type_that_is_not_published_is_found() {
        let text = "var t = 'Microsoft.Foo/bar'\noutput a object = reference(t, '2020-01-01')
output b object = listKeys(resourceId('Microsoft.Storage/storageAccounts', 'x'), '2023-01-01')
output c object = reference(resourceId('Microsoft.Foo/bar', 'x'), '2020-01-01')\n";
        assert_eq!(lines("use-recognized-resource-type", text), [2, 4]);
    }
}
