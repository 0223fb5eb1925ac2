//! The comments above a rule that say more than its descriptions: for the catalogue, and for fixes.
//!
//! ```text
//! # category: encryption
//! # pillar: security
//! # optional: true
//! # platform-default: Volumes are not encrypted unless the account says so.
//! # controls: fsbp:EC2.3, nist:SC-28
//! # tags: disk, kms
//! # before: {"Properties": {"Encrypted": false}}
//! # after: {"Properties": {"Encrypted": true}}
//! # fix: Encrypted = true
//! ```
//!
//! Nothing of it decides what the rule finds, so a mistake in it is a warning, and the part with the mistake is left
//! out.

use std::fmt::Write as _;

use arcstr::ArcStr;

use crate::diagnostic::{Category, Control, DeclaredFix, Pillar, RuleDetails, RuleExample, read_tag};
use crate::guard::parse::fault::{Fault, quoted};
use crate::guard::parse::path::path;
use crate::guard::piece::Piece;
use crate::lookup::Path;
use crate::rule_fix::RuleFix;
use crate::syntax::json as syntax;
use crate::value::Value;

/// Greatest depth of JSON in a comment.
const MAX_DEPTH: u32 = 64;

/// The keys of the comments.
const KEYS: [&str; 11] = [
    "category",
    "pillar",
    "optional",
    "production",
    "platform-default",
    "controls",
    "tags",
    "before",
    "after",
    "fix",
    "unsafe-fix",
];

/// True if this module reads comments with the key.
pub(super) fn is_detail(key: &str) -> bool {
    KEYS.contains(&key)
}

/// Details from the comments of one rule.
#[derive(Debug, Default)]
pub(super) struct Details<'a> {
    info: RuleDetails,
    fixes: Vec<RuleFix>,
    before: Option<Piece<'a>>,
    after: Option<Piece<'a>>,
}

impl<'a> Details<'a> {
    /// Reads the value of one comment.
    pub(super) fn read(&mut self, key: &str, value: Piece<'a>, faults: &mut Vec<Fault<'a>>) {
        if let Err(fault) = self.set(key, value, faults) {
            faults.push(fault);
        }
    }

    fn set(&mut self, key: &str, value: Piece<'a>, faults: &mut Vec<Fault<'a>>) -> Result<(), Fault<'a>> {
        let wrong = |message: String| Fault::suspicious(value, message);
        match key {
            "category" => self.info.category = Some(Category::read(value.text).map_err(wrong)?),
            "pillar" => self.info.pillar = Some(Pillar::read(value.text).map_err(wrong)?),
            "optional" => self.info.is_optional = flag(value)?,
            "production" => self.info.is_for_production = flag(value)?,
            "platform-default" => self.info.platform_default = Some(value.text.to_owned()),
            "controls" => self.info.controls.extend(words(value, Control::read, faults)),
            "tags" => self.info.tags.extend(words(value, read_tag, faults)),
            "before" => self.before = Some(resource(value)?),
            "after" => self.after = Some(resource(value)?),
            _ => {
                let (declared, rule_fix) = fix(value, key == "unsafe-fix")?;
                self.info.fixes.push(declared);
                self.fixes.push(rule_fix);
            }
        }
        Ok(())
    }

    /// Returns the fixes of the rule.
    pub(super) fn fixes(&self) -> Vec<RuleFix> {
        self.fixes.clone()
    }

    /// Returns all details.
    pub(super) fn finished(&self) -> RuleDetails {
        let [before, after] = [self.before, self.after].map(|piece| Some(json(piece?.text)?.to_json()));
        let example = before.zip(after).map(|(before, after)| RuleExample { api_version: None, before, after });
        RuleDetails { example, ..self.info.clone() }
    }
}

/// Reads `true` or `false`.
fn flag(value: Piece<'_>) -> Result<bool, Fault<'_>> {
    let flag = value.text.parse();
    flag.map_err(|_| Fault::suspicious(value, format!("{} is not `true` or `false`", quoted(value.text))))
}

/// Words with commas between them, each with a meaning.
fn words<'a, T>(list: Piece<'a>, read: fn(&str) -> Result<T, String>, faults: &mut Vec<Fault<'a>>) -> Vec<T> {
    let mut words = Vec::new();
    let mut rest = list;
    while !rest.text.is_empty() {
        let end = rest.text.find(',').unwrap_or(rest.text.len());
        let (word, after) = rest.split_at(end);
        rest = after.split_at(after.text.len().min(1)).1;
        let word = word.trim();
        match read(word.text) {
            Ok(found) => words.push(found),
            Err(message) => faults.push(Fault::suspicious(if word.text.is_empty() { list } else { word }, message)),
        }
    }
    words
}

fn json(text: &str) -> Option<Value> {
    syntax::parse_computed(&ArcStr::from(text), MAX_DEPTH).ok()
}

/// Checks that a comment is an object in JSON, or an array of objects.
fn resource(piece: Piece<'_>) -> Result<Piece<'_>, Fault<'_>> {
    let value = json(piece.text);
    let items = value.as_ref().map(|value| value.as_array().unwrap_or(std::slice::from_ref(value)));
    match items {
        Some([first, rest @ ..]) if std::iter::once(first).chain(rest).all(|item| item.as_object().is_some()) => {
            Ok(piece)
        }
        _ => {
            Err(Fault::suspicious(piece, "expected the members of a resource as JSON, or an array of whole resources"))
        }
    }
}

/// Reads a fix, `PATH = JSON`, for reports and for its application.
fn fix(piece: Piece<'_>, is_unsafe: bool) -> Result<(DeclaredFix, RuleFix), Fault<'_>> {
    let expected = || Fault::suspicious(piece, "expected `PATH = VALUE`, with the value in JSON");
    let equals = piece.text.find(" = ").ok_or_else(expected)?;
    let (at, rest) = piece.split_at(equals);
    let at = at.trim();
    path(at).map_err(Fault::into_warning)?;
    let value = json(rest.split_at(3).1.trim().text).ok_or_else(expected)?;
    let declared = DeclaredFix { path: at.text.to_owned(), value: value.to_json(), is_unsafe };
    Ok((declared, RuleFix { path: from_resource(at.text), value, is_unsafe }))
}

/// Converts a path of Guard, which begins at the properties, to one that begins at the resource: `Properties.A[0][*]`
/// for `A.0.*`.
fn from_resource(path: &str) -> Path {
    let (mut text, rest) = match path.strip_prefix('.') {
        Some(rest) => (String::new(), rest),
        None => ("Properties".to_owned(), path),
    };
    for segment in rest.split('.') {
        let is_index = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
        if (is_index || segment == "*") && !text.is_empty() {
            let _ = write!(text, "[{segment}]");
        } else {
            text.push_str(if text.is_empty() { "" } else { "." });
            text.push_str(segment);
        }
    }
    Path::parse(&text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::diagnostic::{Category, Pillar, RuleDetails};
    use crate::guard::parse::parse;
    use crate::text::Sources;

    /// Returns the details of the rule below some comments, and what is wrong with them: `line:column: message`.
    #[track_caller]
    fn read(comments: &str) -> (RuleDetails, Vec<String>) {
        let text = format!("{comments}\nA::B::C D == e << no\n");
        let sources = Sources::new();
        let file = sources.add("x.ruleset", text.as_str());
        let (rules, problems) = parse(file, "x.ruleset", &text, &BTreeMap::new());
        let problems = problems.into_iter().map(|problem| {
            let start = sources.range(problem.primary.span).0;
            format!("{}:{}: {}", start.line, start.column, problem.message)
        });
        (RuleDetails::clone(&rules[0].info().details), problems.collect())
    }

    #[test]
    fn comments_say_what_the_catalogue_shows() {
        let (details, problems) = read(
            "# category: encryption\n# pillar: security\n# optional: true\n# platform-default: No.\n\
             # controls: fsbp:EC2.3, nist:SC-28\n# tags: disk, kms\n# before: {\"Properties\": {\"D\": 1}}\n\
             # after: {\"Properties\": {\"D\": \"e\"}}\n# fix: D = \"e\"\n# unsafe-fix: F.0.G = true",
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!((details.category, details.pillar), (Some(Category::Encryption), Some(Pillar::Security)));
        assert!(details.is_optional);
        assert_eq!(details.platform_default.as_deref(), Some("No."));
        let controls: Vec<String> = details.controls.iter().map(ToString::to_string).collect();
        assert_eq!(
            (controls.join(" ").as_str(), details.tags.join(" ").as_str()),
            ("fsbp:EC2.3 nist:SC-28", "disk kms")
        );
        let example = details.example.expect("there is an example");
        assert_eq!(
            (example.before.as_str(), example.after.as_str()),
            (r#"{"Properties":{"D":1}}"#, r#"{"Properties":{"D":"e"}}"#)
        );
        let fixes = details.fixes.iter().map(|fix| (fix.path.as_str(), fix.value.as_str(), fix.is_unsafe));
        assert_eq!(fixes.collect::<Vec<_>>(), [("D", r#""e""#, false), ("F.0.G", "true", true)]);
    }

    #[test]
    fn what_is_wrong_is_pointed_at_and_left_out() {
        let (details, problems) = read(
            "# category: encrytion\n# optional: yes\n# controls: fsbp:EC2.3, cis-asw:1.1\n# tags: Disk\n\
             # before: {\n# fix: D == 1\n# after: [{}, 1]",
        );
        assert_eq!(
            problems,
            [
                "1:13: `encrytion` is not a category, did you mean `encryption`?",
                "2:13: `yes` is not `true` or `false`",
                "3:25: `cis-asw` is not a framework of controls, did you mean `cis-aws`?",
                "4:9: `Disk` is not a tag; expected words in lower case with hyphens between them",
                "5:11: expected the members of a resource as JSON, or an array of whole resources",
                "6:8: expected `PATH = VALUE`, with the value in JSON",
                "7:10: expected the members of a resource as JSON, or an array of whole resources",
            ]
        );
        assert_eq!((details.category, details.controls.len(), details.fixes.len()), (None, 1, 0));
    }
}
