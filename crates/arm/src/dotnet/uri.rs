//! Parsing URIs, resolving relative ones, and writing them in the normalized form of `System.Uri`.
//!
//! Reference: <https://www.rfc-editor.org/rfc/rfc3986>. Escapes are kept unchanged.

use std::fmt;

/// The default ports of schemes, which the normalized form omits.
const DEFAULT_PORTS: &[(&str, u16)] = &[("ftp", 21), ("http", 80), ("https", 443), ("ws", 80), ("wss", 443)];

/// An absolute URI in normalized form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Uri {
    /// The part before the first colon, in lower case.
    pub(crate) scheme: String,
    /// The part after `//`; `None` for URIs such as `urn:a`.
    pub(crate) authority: Option<Authority>,
    /// The path, with `.` and `..` segments resolved.
    pub(crate) path: String,
    /// The query with its `?`, or an empty string.
    pub(crate) query: String,
    /// The fragment with its `#`, or an empty string.
    fragment: String,
}

/// User, host and port of a URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Authority {
    /// The user information with its `@`, or an empty string.
    user: String,
    /// The host name or address, in lower case.
    pub(crate) host: String,
    /// The port; `None` for the default one of the scheme.
    pub(crate) port: Option<u16>,
}

impl Uri {
    /// Parses an absolute URI, or returns a message about the problem with it.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let parts = Parts::parse(text.trim());
        let scheme = parts.scheme.ok_or("it has no scheme such as `https:`")?.to_ascii_lowercase();
        let authority = match parts.authority {
            Some(text) => Some(Authority::parse(&scheme, text)?),
            None if default_port(&scheme).is_some() => return Err("it has no host"),
            None => None,
        };
        Ok(Self {
            path: normal_path(parts.path, authority.is_some()),
            scheme,
            authority,
            query: parts.query.to_owned(),
            fragment: parts.fragment.to_owned(),
        })
    }

    /// Resolves a reference with this URI as the base: RFC 3986, section 5.2.
    pub(crate) fn resolve(&self, reference: &str) -> Result<Self, &'static str> {
        let reference = reference.trim();
        let parts = Parts::parse(reference);
        // The reference is absolute.
        if parts.scheme.is_some() {
            return Self::parse(reference);
        }
        let mut uri = Self { fragment: parts.fragment.to_owned(), ..self.clone() };
        if let Some(authority) = parts.authority {
            uri.authority = Some(Authority::parse(&self.scheme, authority)?);
            uri.path = normal_path(parts.path, true);
            parts.query.clone_into(&mut uri.query);
        } else if !parts.path.is_empty() {
            let path = if parts.path.starts_with('/') {
                parts.path.to_owned()
            } else {
                let folder = self.path.rsplit_once('/').map(|(folder, _)| format!("{folder}/"));
                folder.unwrap_or_default() + parts.path
            };
            uri.path = normal_path(&path, self.authority.is_some());
            parts.query.clone_into(&mut uri.query);
        } else if !parts.query.is_empty() {
            parts.query.clone_into(&mut uri.query);
        } else if reference.is_empty() {
            self.fragment.clone_into(&mut uri.fragment);
        }
        Ok(uri)
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.scheme)?;
        if let Some(authority) = &self.authority {
            write!(f, "//{}{}", authority.user, authority.host)?;
            if let Some(port) = authority.port {
                write!(f, ":{port}")?;
            }
        }
        write!(f, "{}{}{}", self.path, self.query, self.fragment)
    }
}

impl Authority {
    fn parse(scheme: &str, text: &str) -> Result<Self, &'static str> {
        let (user, host_and_port) = text.split_at(text.rfind('@').map_or(0, |at| at + 1));
        let (host, port) = match host_and_port.rsplit_once(':') {
            // A colon inside brackets belongs to an IPv6 address.
            Some((host, port)) if !port.contains(']') => (host, port),
            _ => (host_and_port, ""),
        };
        // `file:///path` has an empty host.
        if host.is_empty() && scheme != "file" {
            return Err("it has no host");
        }
        let is_invalid = |c: char| c.is_whitespace() || "<>\"{}|\\^`".contains(c);
        if host.contains(is_invalid) {
            return Err("its host has an invalid character");
        }
        let port = match port {
            "" => None,
            digits => Some(digits.parse().map_err(|_| "its port is not a number from 0 to 65535")?),
        };
        Ok(Self {
            user: user.to_owned(),
            host: host.to_lowercase(),
            port: port.filter(|&port| Some(port) != default_port(scheme)),
        })
    }
}

/// Returns the default port of a scheme, if it is known.
fn default_port(scheme: &str) -> Option<u16> {
    let mut known = DEFAULT_PORTS.iter();
    known.find(|(name, _)| *name == scheme).map(|&(_, port)| port)
}

/// The parts of a URI reference: RFC 3986, appendix B. Query and fragment keep their `?` and `#`.
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: &'a str,
    fragment: &'a str,
}

impl<'a> Parts<'a> {
    fn parse(text: &'a str) -> Self {
        let (rest, fragment) = text.split_at(text.find('#').unwrap_or(text.len()));
        let (rest, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        let (scheme, rest) = match rest.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
            _ => (None, rest),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                (Some(authority), path)
            }
            None => (None, rest),
        };
        Self { scheme, authority, path, query, fragment }
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Resolves the `.` and `..` segments of a path: RFC 3986, section 5.2.4. After an authority, the path is never empty.
fn normal_path(path: &str, after_authority: bool) -> String {
    let Some(absolute) = path.strip_prefix('/') else {
        return if after_authority { "/" } else { path }.to_owned();
    };
    let mut segments: Vec<&str> = Vec::new();
    for segment in absolute.split('/') {
        match segment {
            "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    // A dot segment at the end names a folder.
    if path.ends_with("/.") || path.ends_with("/..") {
        segments.push("");
    }
    format!("/{}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base: &str, reference: &str, expected: &str) {
        let uri = Uri::parse(base).and_then(|base| base.resolve(reference));
        assert_eq!(uri.map(|uri| uri.to_string()).as_deref(), Ok(expected));
    }

    /// The examples of RFC 3986, section 5.4.
    #[test]
    fn references_are_resolved_as_the_rfc_says() {
        for (reference, expected) in [
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g/"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("https://H:443/x", "https://h/x"),
        ] {
            check("http://a/b/c/d;p?q", reference, expected);
        }
    }

    #[test]
    fn hosts_are_lowered_and_default_ports_omitted() {
        check("HTTPS://U@H.Example.COM:443", "", "https://U@h.example.com/");
        check("http://h:8080/x/", "c", "http://h:8080/x/c");
        check("https://[FE80::1]:8443", "?q", "https://[fe80::1]:8443/?q");
        check("https://h/a/../b#f", "", "https://h/b#f");
        check("https://h/a b/", "c%20d", "https://h/a b/c%20d");
        check("urn:a:b", "#f", "urn:a:b#f");
    }

    #[test]
    fn uris_that_are_not_absolute_are_refused() {
        for text in ["github.com", "/a", "", "https:", "https://", "https://:1", "http://h:x", "http://a b/"] {
            assert!(Uri::parse(text).is_err(), "{text}");
        }
    }
}
