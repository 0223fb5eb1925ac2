//! Compares values that versions of Bicep write in different ways and that mean the same.

use crate::value::Value;

/// The versions of nested deployments that Bicep has written, the newest last. What it makes of modules has been the
/// same in all of them.
const DEPLOYMENTS: [&str; 5] = ["2019-10-01", "2020-06-01", "2020-10-01", "2022-09-01", "2025-04-01"];

/// Texts that identify an expression with the version of a nested deployment.
const OF_DEPLOYMENTS: [&str; 2] = ["Microsoft.Resources/deployments", "listOutputsWithSecureValues"];

/// Returns `true` if two strings of templates differ at most in line ends and versions of nested deployments.
pub(super) fn is_same_text(written: &str, built: &str) -> bool {
    written == built || normalized(written) == normalized(built)
}

fn normalized(text: &str) -> String {
    let mut text = text.replace("\r\n", "\n");
    if text.starts_with('[') && OF_DEPLOYMENTS.iter().any(|part| text.contains(part)) {
        for version in DEPLOYMENTS {
            text = text.replace(&format!("'{version}'"), "'deployments'");
        }
    }
    text
}

/// Returns `true` if two different values of a property of a resource mean the same. `ty` is the type of the resource.
pub(super) fn is_same_property(key: &str, ty: Option<&str>, written: &Value, built: &Value) -> bool {
    match (key, written.as_str(), built.as_str()) {
        ("scope", Some(written), Some(built)) => relative_scope(written).unwrap_or_else(|| written.to_owned()) == built,
        ("apiVersion", Some(written), Some(built)) => {
            ty.is_some_and(|ty| ty.eq_ignore_ascii_case("Microsoft.Resources/deployments"))
                && [written, built].iter().all(|version| DEPLOYMENTS.contains(version))
        }
        ("dependsOn", None, None) => names(written).is_some() && names(written) == names(built),
        _ => false,
    }
}

/// Returns the names in `dependsOn`, whose order means nothing.
fn names(value: &Value) -> Option<Vec<String>> {
    let mut names: Vec<String> =
        value.as_array()?.iter().map(|name| name.as_str().map(normalized)).collect::<Option<_>>()?;
    names.sort();
    Some(names)
}

/// Returns the ID for a scope that is written relative to the deployment: `[format('Microsoft.A/b/{0}/c/{1}', …)]`.
fn relative_scope(scope: &str) -> Option<String> {
    let (format, arguments) = scope.strip_prefix("[format('")?.split_once('\'')?;
    let mut segments = format.split('/');
    let mut ty = format!("{}/{}", segments.next()?, segments.next()?);
    for at in 0_usize.. {
        if segments.next()? != format!("{{{at}}}") {
            return None;
        }
        match segments.next() {
            Some(segment) => ty = format!("{ty}/{segment}"),
            None => break,
        }
    }
    Some(format!("[resourceId('{ty}'{arguments}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_scope_is_an_id() {
        for (written, expected) in [
            ("[format('Microsoft.A/b/{0}', parameters('n'))]", Some("[resourceId('Microsoft.A/b', parameters('n'))]")),
            ("[format('Microsoft.A/b/{0}/c/{1}', 'x', 'y')]", Some("[resourceId('Microsoft.A/b/c', 'x', 'y')]")),
            ("[format('Microsoft.A/b/{1}/c/{0}', 'x', 'y')]", None),
            ("[format('{0}/b', 'x')]", None),
            ("[resourceId('Microsoft.A/b', 'x')]", None),
        ] {
            assert_eq!(relative_scope(written).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn line_ends_and_versions_of_deployments_do_not_matter() {
        assert!(is_same_text("a\r\nb", "a\nb"));
        let old = "[reference(resourceId('Microsoft.Resources/deployments', 'm'), '2022-09-01').outputs.x.value]";
        assert!(is_same_text(old, &old.replace("2022-09-01", "2025-04-01")));
        assert!(!is_same_text(old, &old.replace("outputs.x", "outputs.y")));
        assert!(!is_same_text("[reference('a', '2022-09-01')]", "[reference('a', '2025-04-01')]"));
    }
}
