//! Findings of Bicep that another check reports, too.

use foldhash::HashMap;

use crate::arm::SECRET_IN_NESTED_TEMPLATE;
use crate::bicep::compiler::check_of_rule;
use crate::diagnostic::Check;
use crate::diagnostic::common_checks::{EXPRESSION_NOT_DEPLOYED, SECRET_DEFAULT, SECRET_NAME, SECRET_OUTPUT};
use crate::engine::findings::Draft;
use crate::schema::checks::{
    SCHEMA_API_VERSION, SCHEMA_LENGTH, SCHEMA_MISSING_PROPERTY, SCHEMA_OLD_API_VERSION, SCHEMA_READ_ONLY,
    SCHEMA_RESOURCE_TYPE, SCHEMA_TYPE, SCHEMA_UNKNOWN_PROPERTY, SCHEMA_VALUE, SECRET_PROPERTY,
};
use crate::text::{FileId, Span};

/// The diagnostics of Bicep, and the IDs of ours that report the same, besides those that are rules of its linter.
const SAME: [(&str, &[&str]); 20] = [
    ("outputs-should-not-contain-secrets", &[SECRET_OUTPUT.id()]),
    ("secure-parameter-default", &[SECRET_DEFAULT.id()]),
    ("secure-secrets-in-params", &[SECRET_NAME.id()]),
    ("secure-params-in-nested-deploy", &[SECRET_IN_NESTED_TEMPLATE.id()]),
    ("use-recent-api-versions", &[SCHEMA_OLD_API_VERSION.id()]),
    ("use-recent-az-powershell-version", &["AZ-DEPLOYMENT-005"]),
    ("use-recognized-resource-type", &[SCHEMA_RESOURCE_TYPE.id()]),
    ("use-secure-value-for-secure-inputs", &[SECRET_PROPERTY.id()]),
    ("BCP035", &[SCHEMA_MISSING_PROPERTY.id()]),
    ("BCP036", &[SCHEMA_TYPE.id(), SCHEMA_VALUE.id()]),
    ("BCP037", &[SCHEMA_UNKNOWN_PROPERTY.id()]),
    ("BCP073", &[SCHEMA_READ_ONLY.id()]),
    ("BCP081", &[SCHEMA_RESOURCE_TYPE.id(), SCHEMA_API_VERSION.id()]),
    ("BCP088", &[SCHEMA_VALUE.id()]),
    ("BCP089", &[SCHEMA_UNKNOWN_PROPERTY.id()]),
    ("BCP187", &[SCHEMA_UNKNOWN_PROPERTY.id()]),
    ("BCP318", &[EXPRESSION_NOT_DEPLOYED.id()]),
    ("BCP333", &[SCHEMA_LENGTH.id()]),
    ("BCP334", &[SCHEMA_LENGTH.id()]),
    ("BCP422", &[EXPRESSION_NOT_DEPLOYED.id()]),
];

/// Spans of the findings of one check in one file.
#[derive(Default)]
struct Spans {
    /// Sorted starts, each with the greatest end so far.
    starts: Vec<(u32, u32)>,
}

/// Returns the IDs of formwork's checks and rules that report the same as a diagnostic of Bicep. `None` if there are
/// none.
pub(super) fn same(name: &str) -> Option<Vec<&'static str>> {
    let same = SAME.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)).flat_map(|(_, ids)| *ids).copied();
    let ids: Vec<&str> = check_of_rule(name).map(Check::id).into_iter().chain(same).collect();
    (!ids.is_empty()).then_some(ids)
}

/// Removes findings of Bicep's linter and warnings of its compiler, if another check reports the same problem at the
/// same text.
pub(super) fn without_repeated(drafts: &mut Vec<Draft>) {
    let mut names: HashMap<&str, Vec<&'static str>> = HashMap::default();
    for draft in &*drafts {
        if let Some(name) = draft.rule.id.strip_prefix("bicep/") {
            names.entry(name).or_insert_with(|| same(name).unwrap_or_default());
        }
    }
    names.retain(|name, ids| ids.iter().any(|id| id.strip_prefix("bicep/") != Some(name)));
    if names.is_empty() {
        return;
    }
    let spans = spans(drafts);
    let is_repeated = |draft: &Draft| {
        let name = draft.rule.id.strip_prefix("bicep/");
        let others = name.and_then(|name| names.get(name)).into_iter().flatten();
        others
            .filter(|id| **id != draft.rule.id)
            .any(|id| spans.get(&(*id, draft.span.file)).is_some_and(|spans| spans.overlap(draft.span)))
    };
    let repeated: Vec<bool> = drafts.iter().map(is_repeated).collect();
    let mut repeated = repeated.into_iter();
    drafts.retain(|_| !repeated.next().unwrap_or_default());
}

/// Returns the spans of all findings, by check and file.
fn spans(drafts: &[Draft]) -> HashMap<(&str, FileId), Spans> {
    let mut found: HashMap<(&str, FileId), Spans> = HashMap::default();
    for draft in drafts {
        let spans = found.entry((draft.rule.id.as_str(), draft.span.file)).or_default();
        spans.starts.push((draft.span.start, draft.span.end));
    }
    for spans in found.values_mut() {
        spans.starts.sort_unstable();
        let mut greatest = 0;
        for (_, end) in &mut spans.starts {
            greatest = greatest.max(*end);
            *end = greatest;
        }
    }
    found
}

impl Spans {
    /// True if a span overlaps one of these, or begins with it.
    fn overlap(&self, span: Span) -> bool {
        let after = self.starts.partition_point(|(start, _)| *start <= span.start);
        let is_inside = after
            .checked_sub(1)
            .and_then(|at| self.starts.get(at))
            .is_some_and(|(start, end)| span.start < *end || *start == span.start);
        is_inside || self.starts.get(after).is_some_and(|(start, _)| *start < span.end)
    }
}
