//! Adds what only other scenarios say of a template to what it says with the given values.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};

use crate::cfn::Difference;
use crate::diagnostic::{CheckKind, Outcome, RuleInfo, Severity};
use crate::engine::findings::Draft;
use crate::text::Span;

/// The rule of a finding, and the ID of its resource.
type Subject = (String, Option<String>);

/// The findings of one template so far: each by its subject, its text, and its path or its message. Items that a branch
/// adds to an array change the paths of those after them.
#[derive(Debug, Default)]
pub(super) struct ReportedFindings(Option<HashSet<(Subject, Span, String)>>);

impl ReportedFindings {
    /// Adds to `drafts` those of a scenario that are new, qualified by `qualify`, which returns `false` for those that
    /// are not reported. What passes or is unknown there says nothing of a deployment with the given values. What was
    /// unknown without these assumptions is decided.
    pub(super) fn add(
        &mut self,
        drafts: &mut Vec<Vec<Draft>>,
        others: Vec<Vec<Draft>>,
        mut qualify: impl FnMut(&mut Draft) -> bool,
    ) {
        let known = self
            .0
            .get_or_insert_with(|| drafts.iter().flatten().filter(|draft| is_failed(draft)).flat_map(keys).collect());
        let mut is_new = |draft: &Draft| keys(draft).map(|key| known.insert(key)) == [true, true];
        let others = others.into_iter().flatten();
        let mut added: Vec<Draft> = others.filter(|draft| is_failed(draft) && is_new(draft)).collect();
        added.retain_mut(|draft| qualify(draft));
        let mut decided: HashMap<Subject, Vec<&str>> = HashMap::default();
        for draft in &added {
            decided.entry(subject(draft)).or_default().push(&draft.path);
        }
        let is_decided = |draft: &Draft| {
            let is_around = |path: &&str| path.starts_with(&draft.path);
            draft.outcome == Outcome::Unknown
                && decided.get(&subject(draft)).is_some_and(|paths| paths.iter().any(is_around))
        };
        for drafts in &mut *drafts {
            drafts.retain(|draft| !is_decided(draft));
        }
        drafts.push(added);
    }
}

/// Rules with low severity, for findings in branches that neither a default nor a parameter file takes.
#[derive(Debug)]
pub(super) struct Lowered<'a> {
    /// IDs of the rules whose severity the settings give.
    pub(super) fixed: &'a HashSet<String>,
    /// Cache: the descriptions, by ID.
    pub(super) low: HashMap<String, Arc<RuleInfo>>,
}

impl Lowered<'_> {
    /// Qualifies a draft by its difference from the given values. `is_default` returns `true` for the default values of
    /// parameters. Returns `false` if a deployment with other values need not have the problem.
    ///
    /// In a branch that the given values do not take, what the platform refuses keeps its severity, unless it is the
    /// default of a parameter, which nobody is meant to deploy there, or several differences may be needed for it. The
    /// rest is advice, except that rules of the user keep their severity, and so do those whose severity the settings
    /// give.
    pub(super) fn qualify(
        &mut self,
        draft: &mut Draft,
        difference: Option<Difference>,
        is_default: impl Fn(Span) -> bool,
    ) -> bool {
        let Some(Difference { text, is_open, is_sole }) = difference else { return true };
        draft.qualifier = Some(text.into_boxed_str());
        if is_open {
            return true;
        }
        if is_refused(&draft.rule) && is_sole {
            return !draft.related.iter().any(|label| is_default(label.span));
        }
        if draft.rule.definition.is_none() && !self.fixed.contains(&draft.rule.id) {
            draft.rule = self.low(&draft.rule);
        }
        true
    }

    fn low(&mut self, rule: &Arc<RuleInfo>) -> Arc<RuleInfo> {
        if rule.severity == Severity::Low {
            return Arc::clone(rule);
        }
        let lowered = || Arc::new(RuleInfo { severity: Severity::Low, ..RuleInfo::clone(rule) });
        Arc::clone(self.low.entry(rule.id.clone()).or_insert_with(lowered))
    }
}

/// Returns `true` if a rule reports what the platform refuses.
pub(super) fn is_refused(rule: &RuleInfo) -> bool {
    rule.check.is_some_and(|check| {
        let is_of_types = matches!(check.kind(), CheckKind::Schema | CheckKind::Service);
        let is_high = check.severity() == Severity::High;
        check.kind() != CheckKind::Secret && (is_high || is_of_types || check.is_of_platform())
    })
}

fn is_failed(draft: &Draft) -> bool {
    draft.outcome == Outcome::Failed
}

fn subject(draft: &Draft) -> Subject {
    (draft.rule.id.clone(), draft.resource.as_ref().map(|resource| resource.id.clone()))
}

fn keys(draft: &Draft) -> [(Subject, Span, String); 2] {
    [&draft.path, &draft.message].map(|text| (subject(draft), draft.span, text.clone()))
}
