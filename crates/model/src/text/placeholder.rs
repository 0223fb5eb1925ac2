//! Placeholders in files, which a pipeline replaces by values before the deployment.

/// How placeholders begin and end, such as `#{name}#`. What is between them has none of these characters, as in
/// `<policies><inbound/></policies>`.
const FENCES: &[(&str, &str)] = &[("__", "__"), ("#{", "}#"), ("#{", "}"), ("<", ">"), ("$(", ")"), ("{{", "}}")];

/// How those of the parameter files of Azure's quickstart templates begin: `GEN-UNIQUE`, `GET-PREREQ-vaultName`.
const PREFIXES: &[&str] = &["GEN-", "GET-"];

/// Whether the whole string is a placeholder.
pub fn is_placeholder(text: &str) -> bool {
    let is_fenced = |(start, end): &(&str, &str)| {
        let inner = text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(start) && !inner.contains(end))
    };
    PREFIXES.iter().any(|prefix| text.starts_with(prefix)) || FENCES.iter().any(is_fenced)
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;

    #[test]
    fn a_placeholder_is_the_whole_string() {
        for text in
            ["GEN-UNIQUE-8", "GET-PREREQ-vnet", "__name__", "#{name}#", "#{name}", "<name>", "$(name)", "{{name}}"]
        {
            assert!(is_placeholder(text), "{text}");
        }
        for text in
            ["", "x", "GENERAL", "gen-1", "____", "<>", "a-$(name)", "<a>b</a>", "$(a)$(b)", "{{a}}-{{b}}", "#{}#"]
        {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
