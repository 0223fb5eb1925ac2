//! Fetches commits of the remote `origin` into a shallow clone, which is what `actions/checkout` makes.
//!
//! No reference and no file of the working tree changes. No hook, helper or maintenance task runs, nor any other
//! program that the configuration names. The token is passed to a single `git` command in an environment variable, as a
//! header that is configured for the one server that the token is for.

use std::fmt;

use base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::engine::changes::git::Git;
use crate::text::escape::visible;

/// Options that turn off everything that a fetch does besides fetching.
const ONLY_FETCH: [&str; 16] = [
    "-c",
    "credential.helper=",
    "-c",
    "http.followRedirects=false",
    // Names a program that lists the references of other clones on this machine.
    "-c",
    "core.alternateRefsCommand=true",
    "-c",
    "fetch.bundleURI=",
    "-c",
    "transfer.bundleURI=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "fetch.writeCommitGraph=false",
];

const FETCH: [&str; 11] = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-prune",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    // A partial clone gets complete commits, since nothing is fetched later.
    "--no-filter",
    // No remote-tracking branch is updated.
    "--refmap=",
    "--upload-pack=git-upload-pack",
    "--end-of-options",
];

/// The environment variable that holds the authorization header for `git`.
const HEADER: &str = "FORMWORK_GIT_HEADER";

/// Server and credentials of the remote `origin`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Remote {
    /// The address of the server that the token is for, as `https://github.com`.
    pub server: Option<String>,
    /// A token that may read the repository.
    pub token: Option<String>,
}

/// Omits the token, which is secret.
impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = self.token.as_ref().map(|_| "…");
        f.debug_struct("Remote").field("server", &self.server).field("token", &token).finish()
    }
}

/// Reason why a fetch failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    /// The error message of git.
    pub(super) message: String,
    /// True if git had credentials for the server.
    pub(super) has_credentials: bool,
}

impl Remote {
    /// Fetches commits by their ids. With a depth, fetches that many commits of the history of each; without one, all
    /// missing history. **A depth makes a complete clone shallow.**
    pub(super) fn fetch(&self, git: &Git, depth: Option<u32>, commits: &[&str]) -> Result<(), Refused> {
        match git.is_configured_by_change() {
            Ok(None) => {}
            Ok(Some(file)) => {
                let file = visible(&file.to_string_lossy()).into_owned();
                let message = format!("git is configured by `{file}`, which is part of the repository");
                return Err(Refused { message, has_credentials: true });
            }
            Err(error) => return Err(Refused { message: error.to_string(), has_credentials: true }),
        }
        let header = self.header(git);
        let mut arguments: Vec<String> = Vec::new();
        let mut variables = Vec::new();
        if let Some((name, value)) = &header.own {
            arguments.push(format!("--config-env={name}={HEADER}"));
            variables.push((HEADER, value.as_str()));
        }
        arguments.extend(ONLY_FETCH.map(str::to_owned));
        // What is configured for one server counts more than what is configured for all.
        if let Some(server) = self.server() {
            let options = [format!("credential.{server}.helper="), format!("http.{server}/.followRedirects=false")];
            arguments.extend(options.into_iter().flat_map(|option| ["-c".to_owned(), option]));
        }
        let (last, options) = FETCH.split_last().unwrap_or((&"", &[]));
        arguments.extend(options.iter().map(|&option| option.to_owned()));
        arguments.extend(depth.map(|depth| format!("--depth={depth}")));
        arguments.extend([*last, "origin"].map(str::to_owned));
        arguments.extend(commits.iter().map(|&commit| commit.to_owned()));
        let refused = |message| Refused { message, has_credentials: header.is_there };
        match git.talk(&arguments, &variables) {
            Ok(output) if output.is_success() => Ok(()),
            Ok(output) => Err(refused(output.message())),
            Err(error) => Err(refused(error.to_string())),
        }
    }

    /// Returns the address of the server, without a slash at its end.
    fn server(&self) -> Option<&str> {
        self.server.as_deref().filter(|server| is_server(server)).map(|server| server.trim_end_matches('/'))
    }

    /// Returns the authorization header. If `actions/checkout` configured one, no other is added: a server rejects two.
    fn header(&self, git: &Git) -> Header {
        let Some(server) = self.server() else { return Header::default() };
        let kept = git.run(&["config", "--get-urlmatch", "http.extraheader", server]);
        if kept.is_ok_and(|answer| answer.is_success() && !answer.line().is_empty()) {
            return Header { own: None, is_there: true };
        }
        let own = self.token.as_ref().map(|token| {
            let pair = BASE64_STANDARD.encode(format!("x-access-token:{token}"));
            (format!("http.{server}/.extraheader"), format!("AUTHORIZATION: basic {pair}"))
        });
        Header { is_there: own.is_some(), own }
    }
}

#[derive(Default)]
struct Header {
    /// The key and the value of the configuration to add. The value is secret.
    own: Option<(String, String)>,
    /// True if any header is configured, that of formwork or another.
    is_there: bool,
}

/// Returns `true` if a text is the address of a server and nothing else, so that it can be part of a configuration key.
fn is_server(address: &str) -> bool {
    let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    rest.map(|rest| rest.trim_end_matches('/')).is_some_and(|host| !host.is_empty() && host.bytes().all(is_letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_an_address_without_a_path() {
        for address in ["https://github.com", "https://ghe.example.org:8443/", "http://127.0.0.1:80"] {
            assert!(is_server(address), "{address}");
        }
        for address in
            ["", "https://", "https:///", "github.com", "https://a/b", "https://u@a", "https://a=b", "file://a"]
        {
            assert!(!is_server(address), "{address}");
        }
    }

    #[test]
    fn the_token_is_not_shown() {
        let remote = Remote { server: None, token: Some("secret".to_owned()) };
        assert_eq!(format!("{remote:?}"), r#"Remote { server: None, token: Some("…") }"#);
    }
}
