//! Environment variables that git gets.

/// Git's own variables that it gets: the configuration that a user or a job chose, how to reach a server, which index a
/// hook is about, and where to trace what it does. The others would steer it: to another repository, to other programs,
/// or to other attributes.
const OWN: [&str; 6] = [
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_SYSTEM",
    "GIT_INDEX_FILE",
];

/// The beginnings of the names of more such variables.
const OWN_STARTS: [&str; 6] =
    ["GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_HTTP_", "GIT_PROXY_", "GIT_SSL_", "GIT_TRACE"];

/// Words in the names of variables that hold credentials. A word of up to four letters is one between underscores.
const CREDENTIAL_WORDS: [&str; 16] = [
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "PRIVATE",
    "APIKEY",
    "COOKIE",
    "CONNECTION_STRING",
    "KEY",
    "PAT",
    "PWD",
    "PASS",
    "AUTH",
    "SAS",
];

/// The beginnings of the names of variables with which a runner or a cloud signs a program in.
const CREDENTIAL_STARTS: [&str; 8] = ["ACTIONS_", "GH_", "AWS_", "AZURE_", "ARM_", "GOOGLE_", "CLOUDSDK_", "DOCKER_"];

/// Returns `true` if git does not get a variable: it has credentials, or would redirect git. Variables for proxies and
/// certificates are kept, without which git cannot reach a server.
pub(super) fn is_withheld(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    if name.starts_with("GIT_") {
        return !OWN.contains(&name.as_str()) && !OWN_STARTS.iter().any(|start| name.starts_with(start));
    }
    // The folder that a shell is in, and the one before.
    !["PWD", "OLDPWD"].contains(&name.as_str()) && is_credential(&name)
}

fn is_credential(name: &str) -> bool {
    let has = |word: &str| match word.len() {
        ..=4 => name.split('_').any(|part| part == word),
        _ => name.contains(word),
    };
    CREDENTIAL_STARTS.iter().any(|start| name.starts_with(start)) || CREDENTIAL_WORDS.iter().any(|word| has(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_what_steers_git_are_withheld() {
        let withheld = [
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "GH_ENTERPRISE_TOKEN",
            "FORMWORK_TOKEN",
            "ACTIONS_RUNTIME_TOKEN",
            "ACTIONS_ID_TOKEN_REQUEST_URL",
            "AWS_SECRET_ACCESS_KEY",
            "AZURE_CLIENT_SECRET",
            "ARM_CLIENT_ID",
            "npm_config__auth",
            "NPM_PAT",
            "SYSTEM_ACCESSTOKEN",
            "DB_PASSWORD",
            "SSH_AUTH_SOCK",
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_COMMON_DIR",
            "GIT_OBJECT_DIRECTORY",
            "GIT_CONFIG",
            "GIT_ATTR_SOURCE",
            "GIT_EXEC_PATH",
            "GIT_EXTERNAL_DIFF",
            "GIT_LITERAL_PATHSPECS",
            "GIT_REPLACE_REF_BASE",
            "GIT_SSH_COMMAND",
        ];
        for name in withheld {
            assert!(is_withheld(name), "{name}");
        }
        let others = [
            "PATH",
            "HOME",
            "PWD",
            "GIT_CONFIG_KEY_0",
            "GIT_CONFIG_GLOBAL",
            "GIT_INDEX_FILE",
            "GIT_SSL_CAINFO",
            "https_proxy",
            "SSL_CERT_FILE",
            "GITHUB_SHA",
        ];
        for name in others {
            assert!(!is_withheld(name), "{name}");
        }
    }
}
