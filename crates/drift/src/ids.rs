//! Resource IDs of Azure.

/// The parts of a resource ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IdParts<'a> {
    /// ID of the scope, such as a resource group or the resource that an extension belongs to.
    pub(crate) scope: &'a str,
    /// The rest: `Microsoft.Sql/servers/one/databases/two`.
    pub(crate) tail: &'a str,
}

/// Separates the scope of a resource from its type.
const PROVIDERS: &str = "/providers/";

/// Splits a resource ID into its scope and the rest.
pub(crate) fn split(id: &str) -> IdParts<'_> {
    let lower = id.to_ascii_lowercase();
    let parts = lower.rfind(PROVIDERS).and_then(|at| Some((id.get(..at)?, id.get(at + PROVIDERS.len()..)?)));
    match parts {
        Some((scope, tail)) => IdParts { scope, tail },
        None => IdParts { scope: "", tail: id.trim_start_matches('/') },
    }
}

/// Returns the type and the full name in a resource ID: `Microsoft.Sql/servers/databases` and `one/two`. `None` if the
/// text is not a resource ID.
pub(crate) fn type_and_name(id: &str) -> Option<(String, String)> {
    let IdParts { scope, tail } = split(id.strip_suffix('/').unwrap_or(id));
    let mut segments = tail.split('/');
    if scope.is_empty() && !id.to_ascii_lowercase().starts_with(PROVIDERS) {
        let segments: Vec<&str> = segments.collect();
        return match segments.as_slice() {
            [_, name] => Some(("Microsoft.Resources/subscriptions".to_owned(), (*name).to_owned())),
            [_, _, _, name] => Some(("Microsoft.Resources/resourceGroups".to_owned(), (*name).to_owned())),
            _ => None,
        };
    }
    let (mut type_name, mut names) = (segments.next()?.to_owned(), Vec::new());
    while let Some(kind) = segments.next() {
        type_name.push('/');
        type_name.push_str(kind);
        names.push(segments.next()?);
    }
    (!names.is_empty()).then(|| (type_name, names.join("/")))
}

/// True if an ID is one with invented segments, which stand for any. `is_any` decides which segments do.
pub(crate) fn admits(template: &str, live: &str, is_any: impl Fn(&str) -> bool) -> bool {
    let [mut own, mut other] = [template, live].map(|id| id.trim_matches('/').split('/'));
    loop {
        match (own.next(), other.next()) {
            (None, None) => return true,
            (Some(own), Some(other)) if own.eq_ignore_ascii_case(other) || is_any(own) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_a_type_and_a_name() {
        let check = |id: &str, expected: Option<(&str, &str)>| {
            let parts = type_and_name(id);
            assert_eq!(parts.as_ref().map(|(one, two)| (one.as_str(), two.as_str())), expected, "{id}");
        };
        let database = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Sql/servers/one/databases/two";
        check(database, Some(("Microsoft.Sql/servers/databases", "one/two")));
        check(&format!("{database}/PROVIDERS/A.B/c/d"), Some(("A.B/c", "d")));
        check("/subscriptions/s/resourceGroups/g", Some(("Microsoft.Resources/resourceGroups", "g")));
        check("/subscriptions/s", Some(("Microsoft.Resources/subscriptions", "s")));
        check("/providers/A.B/c/d", Some(("A.B/c", "d")));
        check("/providers/A.B/c", None);
        check("/providers/A.B", None);
        check("/a/b/c", None);
        check("", None);
    }

    #[test]
    fn an_invented_segment_admits_any() {
        let check = |template: &str, live: &str, expected: bool| {
            assert_eq!(admits(template, live, |segment| segment == "?"), expected, "{template} {live}");
        };
        check("/subscriptions/?/resourceGroups/?", "/SUBSCRIPTIONS/s/resourcegroups/g", true);
        check("/subscriptions/?/resourceGroups/h", "/subscriptions/s/resourcegroups/g", false);
        check("/subscriptions/?", "/subscriptions/s/resourceGroups/g", false);
        check("", "/", true);
    }
}
