//! Challenge of a registry that requires a token: the address at which to get one.

/// A challenge of the scheme `Bearer`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Challenge {
    /// The address that gives tokens.
    pub(super) realm: String,
    pub(super) service: Option<String>,
    pub(super) scope: Option<String>,
}

impl Challenge {
    /// Reads the value of a header `WWW-Authenticate`. `None` if it wants something other than a token.
    pub(super) fn parse(header: &str) -> Option<Self> {
        let (scheme, mut rest) = header.trim().split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let mut challenge = Self::default();
        while let Some((name, after)) = rest.split_once('=') {
            let value;
            (value, rest) = match after.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"')?,
                None => after.split_once(',').unwrap_or((after, "")),
            };
            let value = value.trim().to_owned();
            match name.trim_matches([' ', ',']).to_ascii_lowercase().as_str() {
                "realm" => challenge.realm = value,
                "service" => challenge.service = Some(value),
                "scope" => challenge.scope = Some(value),
                _ => {}
            }
        }
        (!challenge.realm.is_empty()).then_some(challenge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_for_tokens_are_read() {
        let full = Challenge {
            realm: "https://a.example/token".to_owned(),
            service: Some("a.example".to_owned()),
            scope: Some("repository:x/y:pull,push".to_owned()),
        };
        for header in [
            r#"Bearer realm="https://a.example/token",service="a.example",scope="repository:x/y:pull,push""#,
            r#"bearer  error="x", realm="https://a.example/token", service=a.example, scope="repository:x/y:pull,push""#,
        ] {
            assert_eq!(Challenge::parse(header).as_ref(), Some(&full), "{header}");
        }
        for header in ["", "Bearer", "Basic realm=\"x\"", "Bearer realm=\"x", "Bearer service=\"x\""] {
            assert_eq!(Challenge::parse(header), None, "{header}");
        }
    }
}
