//! References to modules: paths, and artifacts in registries with their aliases.

use std::fmt;

use crate::compiler::configuration::Configuration;

/// Target of a module's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ModuleReference {
    Local(String),
    Registry(Artifact),
}

/// An artifact in a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    pub registry: String,
    pub repository: String,
    /// The tag, or the digest if `is_digest`.
    pub version: String,
    pub is_digest: bool,
}

impl fmt::Display for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_digest { '@' } else { ':' };
        write!(f, "br:{}/{}{sign}{}", self.registry, self.repository, self.version)
    }
}

/// Maximum length of the name of a registry, and of a repository.
const MAX_NAME: usize = 255;

/// Maximum length of a tag.
const MAX_TAG: usize = 128;

/// True if the text is a host, optionally with a port.
fn is_registry(text: &str) -> bool {
    let (host, port) = text.split_once(':').unwrap_or((text, "443"));
    let is_host = host.split('.').all(|label| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    });
    text.len() <= MAX_NAME && is_host && port.parse::<u16>().is_ok_and(|port| port > 0)
}

/// True if the text is a segment of a repository's path: words of lowercase letters and digits, with separators
/// between them.
fn is_path_segment(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit());
    let separators = text.split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()).filter(|text| !text.is_empty());
    let mut ends = [words.clone().next(), words.clone().next_back()].into_iter().flatten();
    ends.all(|word| !word.is_empty())
        && separators.into_iter().all(|text| matches!(text, "." | "_" | "__") || text.bytes().all(|byte| byte == b'-'))
}

fn is_tag(text: &str) -> bool {
    text.len() <= MAX_TAG
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
        && !text.starts_with(['.', '-'])
        && !text.is_empty()
}

/// True for `sha256:` and 64 hexadecimal digits.
fn is_digest_name(text: &str) -> bool {
    let digits = text.strip_prefix("sha256:");
    digits.is_some_and(|digits| digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

impl Artifact {
    fn parse(text: &str) -> Option<Self> {
        let (registry, rest) = text.split_once('/')?;
        let (repository, version, is_digest) = match rest.split_once('@') {
            Some((repository, digest)) => (repository, digest, true),
            None => rest.rsplit_once(':').map(|(repository, tag)| (repository, tag, false))?,
        };
        let is_version = if is_digest { is_digest_name(version) } else { is_tag(version) };
        let is_path = repository.len() <= MAX_NAME && repository.split('/').all(is_path_segment);
        (is_registry(registry) && is_path && is_version).then(|| Self {
            registry: registry.to_owned(),
            repository: repository.to_owned(),
            version: version.to_owned(),
            is_digest,
        })
    }

    /// Returns the folders of the artifact in the cache of the Bicep CLI, below `br`.
    pub fn folders(&self) -> [String; 3] {
        let version = if self.is_digest {
            self.version.replace(':', "#")
        } else {
            // File names may be case-insensitive, so capitals are recorded as bits.
            let capitals = self.version.chars().enumerate().filter(|(_, c)| c.is_ascii_uppercase());
            let mask = capitals.fold(0_u128, |mask, (at, _)| {
                mask | u32::try_from(at).ok().and_then(|at| 1_u128.checked_shl(at)).unwrap_or(0)
            });
            if mask == 0 { format!("{}$", self.version) } else { format!("{}${mask:x}", self.version) }
        };
        [self.registry.replace(':', "$"), self.repository.replace('/', "$"), version]
    }
}

/// Returns the code for a path that Bicep refuses.
fn path_code(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return Some("BCP050");
    }
    if path.starts_with('/') {
        return Some("BCP051");
    }
    let of_letter = path.chars().find_map(|letter| match letter {
        '\\' => Some("BCP098"),
        '"' | '*' | ':' | '<' | '>' | '?' | '|' => Some("BCP085"),
        letter if letter.is_ascii_control() => Some("BCP111"),
        _ => None,
    });
    of_letter.or_else(|| path.ends_with([' ', '.']).then_some("BCP086"))
}

/// Returns the code for a reference to an artifact that a registry cannot have.
fn artifact_code(text: &str) -> &'static str {
    let Some((registry, rest)) = text.split_once('/') else { return "BCP193" };
    let (repository, version) = match rest.split_once('@') {
        Some((repository, _)) => (repository, Err("BCP224")),
        None => match rest.rsplit_once(':') {
            Some((repository, tag)) if !tag.is_empty() => (repository, Ok(tag)),
            _ => return "BCP196",
        },
    };
    if registry.len() > MAX_NAME {
        return "BCP200";
    }
    if repository.len() > MAX_NAME {
        return "BCP199";
    }
    if !is_registry(registry) {
        return "BCP193";
    }
    if !repository.split('/').all(is_path_segment) {
        return "BCP195";
    }
    match version {
        Err(code) => code,
        Ok(tag) if tag.len() > MAX_TAG => "BCP197",
        Ok(_) => "BCP198",
    }
}

impl ModuleReference {
    /// Parses a reference to a local file or to an artifact in a registry.
    ///
    /// # Errors
    ///
    /// A code and a message, if the reference cannot be used.
    pub(super) fn parse(text: &str, configuration: &Configuration) -> Result<Self, (&'static str, String)> {
        let Some((scheme, rest)) = text.split_once(':').filter(|(scheme, _)| {
            let name = scheme.split('/').next().unwrap_or_default();
            name.len() > 1 && name.chars().all(|c| c.is_ascii_alphabetic())
        }) else {
            return match path_code(text) {
                Some(code) => Err((code, "the path is not one that Bicep accepts on every system".to_owned())),
                None => Ok(Self::Local(text.replace('\\', "/"))),
            };
        };
        let invalid = |rest: &str| {
            let message = format!("`{}` is not a reference to a module in a registry", crate::text::cut(text, 80));
            (artifact_code(rest), message)
        };
        match scheme.split_once('/') {
            None if scheme == "br" => Artifact::parse(rest).map(Self::Registry).ok_or_else(|| invalid(rest)),
            Some(("br", alias)) => {
                let prefix = configuration
                    .alias(alias)
                    .ok_or_else(|| ("BCP213", format!("the module alias `{alias}` is not in `bicepconfig.json`")))?;
                let whole = format!("{prefix}/{rest}");
                Artifact::parse(&whole).map(Self::Registry).ok_or_else(|| invalid(&whole))
            }
            None if scheme == "ts" => Err(("", "template specs need the Bicep CLI".to_owned())),
            Some(("ts", _)) => Err(("", "template specs need the Bicep CLI".to_owned())),
            _ => Err(("BCP189", format!("the scheme `{scheme}` of the reference is unknown"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_to_registries_are_those_that_registries_take() {
        let digest = format!("sha256:{}", "0a".repeat(32));
        for text in [
            "mcr.microsoft.com/bicep/avm/res/a-b/c_d/e__f/g.h:1.0.0-rc.1",
            "localhost:5000/x:latest",
            "a.b/c---d:_x",
            &format!("a.b/c@{digest}"),
        ] {
            assert_eq!(
                Artifact::parse(text).map(|artifact| artifact.to_string()),
                Some(format!("br:{text}")),
                "{text}"
            );
        }
        for text in [
            "a.b/c",
            "a.b/c:",
            "a.b/:1",
            "a.b//c:1",
            "a.b/../c:1",
            "a.b/C:1",
            "a.b/c:1/2",
            "a.b/c:-1",
            "a.b/c:a b",
            "u@a.b/c:1",
            "a.b?x/c:1",
            "a b/c:1",
            "a.b:0/c:1",
            "a.b:x/c:1",
            "a..b/c:1",
            "a.b/c@sha256:0",
            "a.b/c@md5:0",
            "a.b/c%2f:1",
            "a.b/-c:1",
            "a.b/c-:1",
            "a.b/c..d:1",
            "a.b/c___d:1",
            "",
        ] {
            assert_eq!(Artifact::parse(text), None, "{text}");
        }
    }
}
