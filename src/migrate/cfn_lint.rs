//! `.cfnlintrc`: the settings of cfn-lint for a project.
//!
//! Reference: <https://github.com/aws-cloudformation/cfn-lint#config-file>.

use crate::migrate::{ImportedValue, Importer, ToolRuleId};
use crate::rules::counterparts::{Purpose, Tool};
use crate::text::FileId;
use crate::value::{Member, Value};

const TOOL: Tool = Tool::CfnLint;

/// Length of a rule ID. A shorter one selects all rules whose IDs begin with it.
const LENGTH: usize = 5;

/// Values of `non_zero_exit_code`, with the severity from which a check fails.
const EXIT: [(&str, &str); 4] = [("informational", "low"), ("warning", "medium"), ("error", "high"), ("none", "never")];

impl Importer<'_> {
    /// Imports a file of cfn-lint.
    pub(crate) fn cfn_lint(&mut self, file: FileId) {
        let Some(value) = self.parse(file, false) else { return };
        let mandatory = value.get("mandatory_checks").map(|checks| self.names(checks)).unwrap_or_default();
        let mut others = Vec::new();
        for member in value.as_object().into_iter().flatten() {
            match &*member.key {
                "ignore_checks" => self.ignore_checks(&member.value, &mandatory),
                "ignore_templates" => self.ignore_templates(&member.value),
                "mandatory_checks" => {}
                "non_zero_exit_code" => self.exit_code(member),
                _ => others.push(member),
            }
        }
        self.note_keys(&others, TOOL);
    }

    /// Imports ignored rules, except those that match `mandatory_checks`.
    fn ignore_checks(&mut self, value: &Value, mandatory: &[ToolRuleId]) {
        let is_kept = |name: &ToolRuleId| mandatory.iter().any(|kept| name.id.starts_with(&kept.id));
        let names = self.names(value).into_iter().filter(|name| !is_kept(name));
        let (ids, groups): (Vec<ToolRuleId>, Vec<ToolRuleId>) = names.partition(|name| name.id.len() >= LENGTH);
        for group in groups {
            let message = format!("`{}` is not imported: it means all rules of cfn-lint that begin so", group.id);
            self.note(Some(group.span), message);
        }
        let entries = self.translate(TOOL, &ids, Purpose::Skip);
        self.imported.exclude.extend(entries);
    }

    /// Imports ignored files. Globs of cfn-lint begin in its folder. Those of formwork match at any depth if they
    /// have no slash.
    fn ignore_templates(&mut self, value: &Value) {
        for item in value.as_array().unwrap_or_else(|| std::slice::from_ref(value)) {
            let glob = item.as_str().map(|text| text.trim_start_matches("./"));
            let Some(glob) = glob.filter(|glob| !glob.is_empty() && !glob.starts_with(['!', '#', '/', '.'])) else {
                self.note(item.span, "`ignore_templates`: expected globs of files in this folder".to_owned());
                continue;
            };
            let value = if glob.contains('/') { glob.to_owned() } else { format!("/{glob}") };
            let place = item.span.map(|span| ToolRuleId { id: "ignore_templates".to_owned(), span });
            let comment = self.comment(place.iter());
            self.imported.excluded_paths.push(ImportedValue { value, comment });
        }
    }

    fn exit_code(&mut self, member: &Member) {
        let ours = member.value.as_str().and_then(|word| EXIT.iter().find(|(theirs, _)| *theirs == word));
        if let Some((_, ours)) = ours {
            self.fail_on(ours, member);
        } else {
            let message = "`non_zero_exit_code` must be `informational`, `warning`, `error`, or `none`";
            self.note(member.value.span, message.to_owned());
        }
    }
}
