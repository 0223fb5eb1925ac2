//! The environment variables that the Bicep CLI gets.
//!
//! A parameter file may read any of them with `readEnvironmentVariable`, and a template names the registries that the
//! CLI logs in to. Whoever writes one must not get at the tokens and passwords of a job. So the CLI gets what a program
//! of its kind needs to run, and what the user names.

use std::collections::BTreeMap;

use crate::bicep::NAMES_VARIABLE;

/// The names that are passed, in the notation of [`NAMES_VARIABLE`]. Windows does not tell `Path` from `PATH`.
const PASSED: &[&str] = &[
    // Programs and folders. The Azure CLI keeps its sign-in in the home folder.
    "PATH",
    "PATHEXT",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "TMP",
    "TEMP",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "LD_LIBRARY_PATH",
    "NIX_LD",
    "NIX_LD_LIBRARY_PATH",
    "AZURE_CONFIG_DIR",
    "AZURE_EXTENSION_DIR",
    // Language and time.
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    // The runtime of the CLI, and its own settings.
    "DOTNET_*",
    "CLR_ICU_VERSION_OVERRIDE",
    "BICEP_*",
    // How it gets to a registry.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    // Windows.
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMMONPROGRAMFILES*",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PROCESSOR_*",
    "PROGRAMDATA",
    "PROGRAMFILES*",
    "PROGRAMW6432",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// Returns the `variables` that the CLI gets.
pub(super) fn passed(variables: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    let named: Vec<&str> = named(variables).collect();
    let is_passed = move |name: &str| PASSED.iter().chain(&named).any(|pattern| is_meant(pattern, name));
    let all = variables.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    all.filter(move |(name, _)| is_passed(name))
}

/// Returns the `variables` that the CLI gets because the user named them.
pub(super) fn chosen(variables: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    let named: Vec<&str> = named(variables).collect();
    let all = variables.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    all.filter(move |(name, _)| named.iter().any(|pattern| is_meant(pattern, name)))
}

fn named(variables: &BTreeMap<String, String>) -> impl Iterator<Item = &str> {
    let names = variables.get(NAMES_VARIABLE).map_or("", String::as_str);
    // `*` alone would pass everything, by an oversight.
    names.split([',', ' ', '\n']).map(str::trim).filter(|name| !name.trim_end_matches('*').is_empty())
}

fn is_meant(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)),
        None => name.eq_ignore_ascii_case(pattern),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &str, expected: &[&str]) {
        let all = [
            "PATH",
            "https_proxy",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
            "ACTIONS_RUNTIME_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "AZURE_CLIENT_SECRET",
            "ARM_CLIENT_SECRET",
            "NPM_PAT",
            "STAGE",
            "STAGE_TWO",
            "SystemRoot",
        ];
        let variables: BTreeMap<String, String> =
            all.iter().chain(&[NAMES_VARIABLE]).map(|&name| (name.to_owned(), names.to_owned())).collect();
        assert_eq!(passed(&variables).map(|(name, _)| name).collect::<Vec<_>>(), expected, "{names}");
    }

    #[test]
    fn what_a_program_needs_is_passed_and_no_credential() {
        check("", &["PATH", "SystemRoot", "https_proxy"]);
        check("*", &["PATH", "SystemRoot", "https_proxy"]);
    }

    #[test]
    fn what_the_user_names_is_passed_too() {
        check("STAGE", &["PATH", "STAGE", "SystemRoot", "https_proxy"]);
        check("STAGE*, NPM_PAT", &["NPM_PAT", "PATH", "STAGE", "STAGE_TWO", "SystemRoot", "https_proxy"]);
    }
}
