//! Names of environments.

/// Returns the name of an environment, such as `dev` for `main.dev.bicepparam` beside `main.bicep`.
pub(crate) fn name(template: &str, parameters: Option<&str>) -> String {
    let Some(parameters) = parameters.map(file_name) else { return "defaults".to_owned() };
    let template = file_name(template);
    let own = template.split('.').next().unwrap_or_default();
    let parts = parameters.split('.').filter(|part| {
        !["bicepparam", "json", "jsonc", "yaml", "yml", "parameters", own]
            .iter()
            .any(|word| part.eq_ignore_ascii_case(word))
    });
    let parts: Vec<&str> = parts.collect();
    if parts.is_empty() { parameters.to_owned() } else { parts.join(".") }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_are_named_by_their_parameter_files() {
        for (template, parameters, expected) in [
            ("main.bicep", Some("main.dev.bicepparam"), "dev"),
            ("a/main.json", Some("a/main.parameters.prod.json"), "prod"),
            ("main.bicep", Some("main.bicepparam"), "main.bicepparam"),
            ("main.bicep", Some("env/prod.bicepparam"), "prod"),
            ("main.bicep", None, "defaults"),
        ] {
            assert_eq!(name(template, parameters), expected);
        }
    }
}
