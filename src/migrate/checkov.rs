//! `.checkov.yaml`: the flags of checkov's command line in a file.

use crate::migrate::{ImportedValue, Importer, ToolRuleId};
use crate::rules::counterparts::{Purpose, Tool};
use crate::text::FileId;
use crate::value::{Member, Value};

const TOOL: Tool = Tool::Checkov;

/// Severities of checkov. Its platform assigns them to checks.
const SEVERITIES: [(&str, &str); 6] = [
    ("CRITICAL", "high"),
    ("HIGH", "high"),
    ("MEDIUM", "medium"),
    ("MODERATE", "medium"),
    ("LOW", "low"),
    ("NONE", "low"),
];

impl Importer<'_> {
    /// Imports a file of checkov.
    pub(crate) fn checkov(&mut self, file: FileId) {
        let Some(value) = self.parse(file, false) else { return };
        let mut others = Vec::new();
        for member in value.as_object().into_iter().flatten() {
            match &*member.key {
                "check" => {
                    let names = self.checks(&member.value);
                    let entries = self.translate(TOOL, &names, Purpose::Run);
                    self.imported.include.extend(entries);
                }
                "skip-check" => {
                    let names = self.checks(&member.value);
                    let entries = self.translate(TOOL, &names, Purpose::Skip);
                    self.imported.exclude.extend(entries);
                }
                "skip-path" => self.skip_path(member),
                "soft-fail" => self.soft_fail(member),
                "hard-fail-on" => self.hard_fail_on(member),
                "framework" => self.framework(member),
                _ => others.push(member),
            }
        }
        self.note_keys(&others, TOOL);
    }

    /// Returns the IDs of a list of checks. A severity in the list results in a note.
    fn checks(&mut self, value: &Value) -> Vec<ToolRuleId> {
        let (severities, ids): (Vec<ToolRuleId>, Vec<ToolRuleId>) =
            self.names(value).into_iter().partition(|name| severity(&name.id).is_some());
        for name in severities {
            let message = format!("severity `{}` is not imported: it means the severities of checkov", name.id);
            self.note(Some(name.span), message);
        }
        ids
    }

    /// Imports the regular expressions of `skip-path` that are plain paths as globs.
    fn skip_path(&mut self, member: &Member) {
        for path in self.names(&member.value) {
            let plain = path.id.trim_start_matches("./").trim_end_matches('/').trim_end_matches("/.*");
            let is_plain = !plain.is_empty()
                && plain
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'.' | b' '));
            if !is_plain {
                let message = format!("`{}` is a regular expression; write a glob into `exclude` instead", path.id);
                self.note(Some(path.span), message);
                continue;
            }
            let comment = self.comment(std::iter::once(&ToolRuleId { id: "skip-path".to_owned(), span: path.span }));
            self.imported.excluded_paths.push(ImportedValue { value: plain.to_owned(), comment });
        }
    }

    /// Imports `soft-fail`. `hard-fail-on` has precedence, in any order.
    fn soft_fail(&mut self, member: &Member) {
        if member.value.as_bool() == Some(true) && self.imported.fail_on.is_none() {
            self.fail_on("never", member);
        }
    }

    /// Imports the lowest severity of `hard-fail-on`, from which a check fails.
    fn hard_fail_on(&mut self, member: &Member) {
        let mut lowest: Option<&str> = None;
        for name in self.names(&member.value) {
            let Some(severity) = severity(&name.id) else {
                let message = format!("`hard-fail-on` of `{}` is not imported: `fail-on` is a severity", name.id);
                self.note(Some(name.span), message);
                continue;
            };
            lowest = Some(lowest.filter(|other| rank(other) > rank(severity)).unwrap_or(severity));
        }
        if let Some(severity) = lowest {
            self.fail_on(severity, member);
        }
    }

    /// Adds a note for `framework`. It selects kinds of files, which formwork detects by content.
    fn framework(&mut self, member: &Member) {
        let is_all = self.names(&member.value).iter().any(|name| name.id.eq_ignore_ascii_case("all"));
        if !is_all {
            let message = "`framework` is not imported: formwork checks all ARM, Bicep, and CloudFormation templates";
            self.note(member.key_span.or(member.value.span), message.to_owned());
        }
    }
}

/// Returns the position of a severity of formwork in [`SEVERITIES`], the highest first.
fn rank(word: &str) -> Option<usize> {
    SEVERITIES.iter().position(|(_, ours)| *ours == word)
}

/// Returns the severity of formwork for one of checkov.
fn severity(word: &str) -> Option<&'static str> {
    SEVERITIES.iter().find(|(theirs, _)| theirs.eq_ignore_ascii_case(word)).map(|&(_, ours)| ours)
}
