//! The metadata of a rule in the comments right above it.
//!
//! The number of a line is not a stable ID: it changes when lines are added. So comments, which cfn-guard ignores, may
//! give a rule an ID and what reports show:
//!
//! ```text
//! # id: AWS-S3-001
//! # name: S3.Encryption
//! # severity: high
//! # summary: A bucket should configure its encryption.
//! # recommendation: Set `BucketEncryption`.
//! # help: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-encryption.html
//! # strict: true
//! # except: AWS::S3::Bucket LoggingConfiguration.DestinationBucketName
//! # Any other comment is the description: why it matters.
//! AWS::S3::Bucket BucketEncryption.ServerSideEncryptionConfiguration.0.BucketKeyEnabled == true
//! ```
//!
//! The catalogue shows `category`, `pillar`, `optional`, `platform-default`, `controls`, `tags`, and the resource of
//! `before` and `after`; `fix` and `unsafe-fix` say what to write. See [`details`](super::details).
//!
//! `strict` makes the rule fail for a missing property, as `--guard-strict` does for all rules. `except` lists
//! properties, with commas between them: the rule ignores each resource that one of them refers to.

use std::sync::Arc;

use crate::diagnostic::{RuleInfo, Severity};
use crate::guard::parse::details::{Details, is_detail};
use crate::guard::parse::fault::Fault;
use crate::guard::parse::path::path;
use crate::guard::piece::Piece;
use crate::guard::rule::Exception;
use crate::rule_fix::RuleFix;

/// Metadata in the comments of a rule.
#[derive(Debug, Default)]
pub(crate) struct Metadata<'a> {
    id: Option<&'a str>,
    name: Option<&'a str>,
    severity: Option<Severity>,
    summary: Option<&'a str>,
    recommendation: Option<&'a str>,
    help: Option<&'a str>,
    /// True if the rule fails for a missing property.
    pub(super) strict: bool,
    /// Properties whose targets the rule ignores.
    pub(super) except: Vec<Exception>,
    /// Details for the catalogue, and fixes.
    details: Details<'a>,
    /// Comments that are not metadata.
    description: Vec<&'a str>,
}

impl<'a> Metadata<'a> {
    /// Reads comments in the order of the text.
    pub(crate) fn new(comments: &[Piece<'a>], faults: &mut Vec<Fault<'a>>) -> Self {
        let mut metadata = Self::default();
        for comment in comments {
            let (key, value) = comment.text.split_once(": ").map_or(("", ""), |(key, value)| (key, value.trim()));
            match key {
                "id" => metadata.id = Some(value),
                "name" => metadata.name = Some(value),
                "summary" => metadata.summary = Some(value),
                "recommendation" => metadata.recommendation = Some(value),
                "help" => metadata.help = Some(value),
                "except" => match exceptions(*comment, value) {
                    Ok(found) => metadata.except.extend(found),
                    Err(fault) => faults.push(fault),
                },
                "strict" if value == "true" => metadata.strict = true,
                _ if is_detail(key) => metadata.details.read(key, within(*comment, value), faults),
                "severity" => {
                    metadata.severity = severity(value);
                    if metadata.severity.is_none() {
                        let message = format!("`{value}` is not a severity; expected `high`, `medium` or `low`");
                        faults.push(Fault::suspicious(*comment, message));
                    }
                }
                _ => metadata.description.push(comment.text),
            }
        }
        metadata
    }

    /// Applies the metadata to the defaults of a rule. Returns the declared fixes.
    pub(crate) fn describe(&self, info: &mut RuleInfo) -> Vec<RuleFix> {
        let description = self.description.join(" ");
        let texts = [
            (&mut info.id, self.id),
            (&mut info.name, self.name),
            (&mut info.short_description, self.summary),
            (&mut info.full_description, (!description.is_empty()).then_some(&*description)),
        ];
        for (text, given) in texts {
            if let Some(given) = given {
                given.clone_into(text);
            }
        }
        info.recommendation = self.recommendation.map(str::to_owned);
        info.help_uri = self.help.map(str::to_owned);
        info.severity = self.severity.unwrap_or(info.severity);
        info.details = Arc::new(self.details.finished());
        self.details.fixes()
    }
}

/// Parses `TYPE PATH, TYPE PATH`.
fn exceptions<'a>(comment: Piece<'a>, list: &'a str) -> Result<Vec<Exception>, Fault<'a>> {
    list.split(',')
        .map(|text: &'a str| {
            let mut rest = within(comment, text);
            let (type_name, path_text) = (rest.next_word(), rest.next_word());
            if path_text.text.is_empty() || !rest.trim().text.is_empty() {
                return Err(Fault::syntax(comment, "expected `TYPE PATH` between commas after `except:`"));
            }
            Ok(Exception { type_name: type_name.text.into(), path: path(path_text)? })
        })
        .collect()
}

/// Returns the piece of a comment for a substring of it.
fn within<'a>(comment: Piece<'a>, text: &'a str) -> Piece<'a> {
    let at = text.as_ptr().addr() - comment.text.as_ptr().addr();
    comment.split_at(at).1.split_at(text.len()).0
}

fn severity(word: &str) -> Option<Severity> {
    [Severity::High, Severity::Medium, Severity::Low].into_iter().find(|severity| severity.as_str() == word)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::guard::parse::parse;
    use crate::text::Sources;

    #[track_caller]
    fn read(text: &str) -> (RuleInfo, Vec<String>) {
        let file = Sources::new().add("x.ruleset", text);
        let (rules, problems) = parse(file, "x.ruleset", text, &BTreeMap::new());
        let messages = problems.into_iter().map(|problem| problem.message).collect();
        (RuleInfo::clone(rules[0].info()), messages)
    }

    #[test]
    fn comments_name_and_weigh_the_rule_below() {
        let (info, problems) = read(
            "# Why: because\n# id: A-1\n# name: A.B\n# severity: high\n# summary: It is so.\n# recommendation: Do it.\n\
             # help: https://example.org\n# indeed\nA::B::C D == e << no\n",
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!((info.id.as_str(), info.name.as_str(), info.severity), ("A-1", "A.B", Severity::High));
        assert_eq!(
            (info.short_description.as_str(), info.full_description.as_str()),
            ("It is so.", "Why: because indeed")
        );
        assert_eq!(info.recommendation.as_deref(), Some("Do it."));
        assert_eq!(info.help_uri.as_deref(), Some("https://example.org"));
    }

    #[test]
    fn comments_further_away_say_nothing() {
        let (info, problems) = read("# id: A-1\n\nA::B::C D == e << no\n");
        assert_eq!((info.id.as_str(), problems.len()), ("x:3", 0));
    }

    #[test]
    fn a_word_that_is_no_severity_is_pointed_at() {
        let (info, problems) = read("# severity: grave\nA::B::C D == e\n");
        assert_eq!(info.severity, Severity::Medium);
        assert_eq!(problems, ["`grave` is not a severity; expected `high`, `medium` or `low`"]);
    }
}
