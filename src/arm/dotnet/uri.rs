//! URIs: taking them apart, resolving relative ones, and the form in which `System.Uri` writes them.
//!
//! Reference: <https://www.rfc-editor.org/rfc/rfc3986>. Escapes are kept as they were written.

use std::fmt;

/// Ports that are left out where the scheme implies them.
const DEFAULT_PORTS: &[(&str, u16)] = &[("ftp", 21), ("http", 80), ("https", 443), ("ws", 80), ("wss", 443)];

/// An absolute URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::arm) struct Uri {
    /// In lower case.
    pub(in crate::arm) scheme: String,
    /// What stands behind `//`; `None` for URIs such as `urn:a`.
    pub(in crate::arm) authority: Option<Authority>,
    /// Without `.` and `..` segments.
    pub(in crate::arm) path: String,
    /// With its `?`; empty where there is none.
    pub(in crate::arm) query: String,
    /// With its `#`; empty where there is none.
    fragment: String,
}

/// The place that a URI names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::arm) struct Authority {
    /// With its `@`; empty where there is none.
    user: String,
    /// In lower case.
    pub(in crate::arm) host: String,
    /// `None` for that of the scheme.
    pub(in crate::arm) port: Option<u16>,
}

impl Uri {
    /// Reads an absolute URI, or says what is wrong with it.
    pub(in crate::arm) fn parse(text: &str) -> Result<Self, &'static str> {
        let parts = Parts::of(text.trim());
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

    /// The URI that a reference names when it stands in this one: RFC 3986, section 5.2.
    pub(in crate::arm) fn resolve(&self, reference: &str) -> Result<Self, &'static str> {
        let reference = reference.trim();
        let parts = Parts::of(reference);
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
                let folder = self.path.rfind('/').map_or(0, |at| at + 1);
                format!("{}{}", &self.path[..folder], parts.path)
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
        let (user, place) = text.split_at(text.rfind('@').map_or(0, |at| at + 1));
        let (host, port) = match place.rsplit_once(':') {
            // The colons of an IPv6 address stand in brackets.
            Some((host, port)) if !port.contains(']') => (host, port),
            _ => (place, ""),
        };
        if host.is_empty() && scheme != "file" {
            return Err("it has no host");
        }
        let illegal = |it: char| it.is_whitespace() || "<>\"{}|\\^`".contains(it);
        if host.contains(illegal) {
            return Err("its host has characters that no host may have");
        }
        let port = match port {
            "" => None,
            digits => Some(digits.parse().map_err(|_| "its port is no port number")?),
        };
        Ok(Self {
            user: user.to_owned(),
            host: host.to_lowercase(),
            port: port.filter(|&it| Some(it) != default_port(scheme)),
        })
    }
}

/// The port that a scheme implies.
fn default_port(scheme: &str) -> Option<u16> {
    let mut known = DEFAULT_PORTS.iter();
    known.find(|(name, _)| *name == scheme).map(|&(_, port)| port)
}

/// The parts of a URI reference: RFC 3986, appendix B. Query and fragment keep their signs.
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: &'a str,
    fragment: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
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
    text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || b"+-.".contains(&it))
}

/// A path without `.` and `..` segments: RFC 3986, section 5.2.4. Below an authority it is never empty.
fn normal_path(path: &str, below_authority: bool) -> String {
    if !path.starts_with('/') {
        return if below_authority { "/" } else { path }.to_owned();
    }
    let mut segments: Vec<&str> = Vec::new();
    for segment in path[1..].split('/') {
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
        let uri = Uri::parse(base).and_then(|it| it.resolve(reference));
        assert_eq!(uri.map(|it| it.to_string()).as_deref(), Ok(expected));
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
    fn hosts_are_lowered_and_default_ports_left_out() {
        check("HTTPS://U@H.Example.COM:443", "", "https://U@h.example.com/");
        check("http://h:8080/x/", "c", "http://h:8080/x/c");
        check("https://[FE80::1]:8443", "?q", "https://[fe80::1]:8443/?q");
        check("https://h/a/../b#f", "", "https://h/b#f");
        check("https://h/a b/", "c%20d", "https://h/a b/c%20d");
        check("urn:a:b", "#f", "urn:a:b#f");
    }

    #[test]
    fn what_is_not_absolute_is_refused() {
        for text in ["github.com", "/a", "", "https:", "https://", "https://:1", "http://h:x", "http://a b/"] {
            assert!(Uri::parse(text).is_err(), "{text}");
        }
    }
}
