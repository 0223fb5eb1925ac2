//! Adds what only other scenarios say of a template to what it says with the given values.

use foldhash::{HashMap, HashSet};

use crate::diagnostic::Outcome;
use crate::engine::findings::Draft;
use crate::text::Span;

/// The rule of a finding, and the ID of its resource.
type Subject = (String, Option<String>);

/// The findings of one template so far: each by its subject, its text, and its path or its message. Items that a branch
/// adds to an array change the paths of those after them.
#[derive(Debug, Default)]
pub(super) struct Known(Option<HashSet<(Subject, Span, String)>>);

impl Known {
    /// Adds to `drafts` those of a scenario that are new, with what the scenario assumes according to `reason`. What
    /// passes or is unknown there says nothing of a deployment with the given values. What was unknown without these
    /// assumptions is decided.
    pub(super) fn add(
        &mut self,
        drafts: &mut Vec<Vec<Draft>>,
        others: Vec<Vec<Draft>>,
        reason: impl Fn(&Draft) -> Option<String>,
    ) {
        let known = self
            .0
            .get_or_insert_with(|| drafts.iter().flatten().filter(|draft| is_failed(draft)).flat_map(keys).collect());
        let mut is_new = |draft: &Draft| keys(draft).map(|key| known.insert(key)) == [true, true];
        let others = others.into_iter().flatten();
        let mut added: Vec<Draft> = others.filter(|draft| is_failed(draft) && is_new(draft)).collect();
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
        for draft in &mut added {
            if let Some(reason) = reason(draft) {
                draft.qualifier = Some(reason.into_boxed_str());
            }
        }
        drafts.push(added);
    }
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
