//! Names of resources in running text.

/// Formats the type and the name of a resource with `code`. The name is empty if it is not known before the deployment.
pub(crate) fn resource(type_name: &str, name: &str, code: impl Fn(&str) -> String) -> String {
    match name {
        "" => format!("{} with an unknown name", code(type_name)),
        name => format!("{} {}", code(type_name), code(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_without_a_name_has_no_empty_code() {
        let of = |name: &str| resource("Microsoft.Web/sites", name, |text| format!("<{text}>"));
        assert_eq!(of("app"), "<Microsoft.Web/sites> <app>");
        assert_eq!(of(""), "<Microsoft.Web/sites> with an unknown name");
    }
}
