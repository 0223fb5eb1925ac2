//! Further properties of a rule, for the catalog and for fixes.

use std::fmt;

use crate::text::{cut, nearest_name};

/// Maximum length of a part of a rule file in a message, in bytes.
const MAX_QUOTED: usize = 40;

/// Declares a list of words for metadata, with their spelling in rule files.
macro_rules! words {
    ($(#[$about:meta])* $name:ident $what:literal { $($(#[$doc:meta])* $variant:ident $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All values, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the word in rule files and reports.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// Parses a word, ignoring case. The error describes the mistake.
            pub fn read(word: &str) -> Result<Self, String> {
                let found = Self::ALL.iter().copied().find(|one| one.as_str().eq_ignore_ascii_case(word));
                found.ok_or_else(|| not_among(word, $what, Self::ALL.iter().map(|one| one.as_str())))
            }
        }
    };
}

words! {
    /// The subject of a rule.
    Category "a category" {
        /// Permissions of users and services.
        Identity "identity",
        /// Reachability over networks.
        Network "network",
        /// Data that others cannot read, at rest and in transit.
        Encryption "encryption",
        /// Storage of passwords and keys.
        Secrets "secrets",
        /// Logs and other records.
        Logging "logging",
        /// Restoring of data.
        Backup "backup",
        /// Protection against outages.
        Availability "availability",
        /// Use of supported versions.
        Lifecycle "lifecycle",
        /// Other settings.
        Configuration "configuration",
        /// Costs of operation.
        Cost "cost",
    }
}

words! {
    /// The pillar of the well-architected frameworks that a rule belongs to.
    Pillar "a pillar" {
        /// Protection against attackers.
        Security "security",
        /// Rare and short outages.
        Reliability "reliability",
        /// No unnecessary costs.
        Cost "cost",
        /// Manageable changes and incidents.
        Operations "operations",
        /// Sufficient speed.
        Performance "performance",
    }
}

words! {
    /// A collection of controls that rules refer to.
    Framework "a framework of controls" {
        /// Microsoft cloud security benchmark.
        Mcsb "mcsb",
        /// CIS Microsoft Azure Foundations Benchmark.
        CisAzure "cis-azure",
        /// NIST SP 800-53, revision 5.
        Nist "nist",
        /// AWS Foundational Security Best Practices.
        Fsbp "fsbp",
        /// CIS AWS Foundations Benchmark.
        CisAws "cis-aws",
    }
}

/// Further properties of a rule. All are optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleDetails {
    /// The subject of the rule.
    pub category: Option<Category>,
    /// The pillar that the rule belongs to.
    pub pillar: Option<Pillar>,
    /// True if the rule is outside the default profile.
    pub is_optional: bool,
    /// True if following the rule needs another architecture, such as private endpoints. Its findings are of low
    /// severity unless the profile is `production` or `all`.
    pub is_for_production: bool,
    /// Behavior of the platform if the author sets nothing.
    pub platform_default: Option<String>,
    /// The controls that the rule helps to meet.
    pub controls: Vec<Control>,
    /// Words to search by.
    pub tags: Vec<String>,
    /// A resource that fails the rule, and one that passes.
    pub example: Option<RuleExample>,
    /// The changes that together fix a finding. Empty if there is no single fix.
    pub fixes: Vec<DeclaredFix>,
}

/// A control of a framework, such as `mcsb:NS-2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Control {
    /// The framework of the control, in lower case: the word of a [`Framework`], or the name of another framework in
    /// a mapping of rules.
    pub framework: String,
    /// The name of the control in the framework.
    pub name: String,
}

/// Resources before and after applying the recommendation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleExample {
    /// The API version of the resource.
    pub api_version: Option<String>,
    /// The failing resource, as JSON: a part of a resource, or an array of whole resources.
    pub before: String,
    /// The passing resource, in the same format.
    pub after: String,
}

/// A property of the resource, with the value that fixes a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredFix {
    /// The path of the property, in the language of the rule.
    pub path: String,
    /// The value, as JSON.
    pub value: String,
    /// True if the fix may break a working deployment, so it is applied only on request.
    pub is_unsafe: bool,
}

impl Control {
    /// Parses `framework:name`. The error describes the mistake.
    pub fn read(text: &str) -> Result<Self, String> {
        let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
        let parts = text.split_once(':').filter(|(_, name)| is_name(name));
        let (framework, name) = parts
            .ok_or_else(|| format!("`{}` is not a control; expected one like `mcsb:NS-2`", cut(text, MAX_QUOTED)))?;
        Ok(Self { framework: Framework::read(framework)?.as_str().to_owned(), name: name.to_owned() })
    }

    /// Creates a control of any framework.
    pub fn new(framework: &str, name: &str) -> Self {
        Self { framework: framework.to_lowercase(), name: name.to_owned() }
    }
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.framework, self.name)
    }
}

/// Parses a tag: lower-case words, separated by hyphens. The error describes the mistake.
pub fn read_tag(text: &str) -> Result<String, String> {
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if text.split('-').all(is_word) {
        return Ok(text.to_owned());
    }
    Err(format!("`{}` is not a tag; expected words in lower case with hyphens between them", cut(text, MAX_QUOTED)))
}

/// Returns the error for a word that is not in a list.
fn not_among(word: &str, what: &str, known: impl Iterator<Item = &'static str> + Clone) -> String {
    let hint = match nearest_name(word, known.clone()) {
        Some(near) => format!(", did you mean `{near}`?"),
        None => format!("; expected one of `{}`", known.collect::<Vec<_>>().join("`, `")),
    };
    format!("`{}` is not {what}{hint}", cut(word, MAX_QUOTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_names_a_framework_that_is_known() {
        let read = |text: &str| Control::read(text).map(|control| control.to_string());
        assert_eq!(read("MCSB:NS-2"), Ok("mcsb:NS-2".to_owned()));
        assert_eq!(read("cis-azure:3.8"), Ok("cis-azure:3.8".to_owned()));
        let expected = "`cis-azur` is not a framework of controls, did you mean `cis-azure`?";
        assert_eq!(read("cis-azur:3.8"), Err(expected.to_owned()));
        let expected = "`iso27001` is not a framework of controls; \
                        expected one of `mcsb`, `cis-azure`, `nist`, `fsbp`, `cis-aws`";
        assert_eq!(read("iso27001:A.5"), Err(expected.to_owned()));
        for text in ["NS-2", "mcsb:", "mcsb: NS-2"] {
            assert_eq!(read(text), Err(format!("`{text}` is not a control; expected one like `mcsb:NS-2`")));
        }
    }

    #[test]
    fn a_tag_is_words_with_hyphens() {
        assert_eq!(read_tag("open-port2"), Ok("open-port2".to_owned()));
        for text in ["", "Open", "a b", "a--b", "-a"] {
            assert!(read_tag(text).is_err(), "{text}");
        }
    }
}
