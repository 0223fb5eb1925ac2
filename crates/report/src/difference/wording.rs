//! What pages say of a difference: counts, notes, and values that fit on a line.

use crate::difference::document::{Deployment, Difference, Fate, Outcome, Resource, Severity, Status, Unlisted, Value};
use crate::text::{cut, cut_apart};

/// How many bytes of a value, or of a reason, are shown.
const MAX_VALUE: usize = 120;

/// How many deployments are compared with each one.
const MAX_COMPARED: usize = 100;

/// What takes the place of what only a deployment can know.
const UNKNOWN: &str = "(known after deployment)";

/// What is said of templates and parameter files that were not expanded.
pub(super) fn untouched(count: usize) -> String {
    match count {
        1 => "1 template or parameter file that the change does not affect was not expanded".to_owned(),
        _ => format!("{count} templates and parameter files that the change does not affect were not expanded"),
    }
}

impl Difference {
    /// The same with the worst risks first, as pages show it; otherwise the order stays.
    #[must_use]
    pub fn worst_first(mut self) -> Self {
        for deployment in &mut self.deployments {
            deployment.resources.sort_by_cached_key(|resource| resource.worst().map_or(3, |severity| severity as u8));
        }
        self.deployments.sort_by_cached_key(|deployment| {
            let count = |severity| std::cmp::Reverse(deployment.risks(severity));
            Severity::ALL.map(count)
        });
        self
    }

    /// The deployments, those of a template together that differ in the same way: `dev` and `prod` are often one group.
    pub(super) fn alike(&self) -> Vec<Vec<&Deployment>> {
        let mut all: Vec<Vec<&Deployment>> = Vec::new();
        for deployment in &self.deployments {
            let is_alike =
                |others: &&mut Vec<&Deployment>| others.first().is_some_and(|first| first.is_like(deployment));
            match all.iter_mut().rev().take(MAX_COMPARED).find(is_alike) {
                Some(others) => others.push(deployment),
                None => all.push(vec![deployment]),
            }
        }
        all
    }

    /// Whether nothing differs, and nothing is unreadable.
    pub fn is_empty(&self) -> bool {
        self.deployments.is_empty()
    }

    /// How many risks have a severity.
    pub(super) fn risks(&self, severity: Severity) -> usize {
        self.deployments.iter().map(|deployment| deployment.risks(severity)).sum()
    }

    /// Whether it has to be said that nothing is deleted.
    pub(super) fn leaves_resources(&self) -> bool {
        let resources = self.deployments.iter().flat_map(|deployment| &deployment.resources);
        resources.into_iter().any(|resource| resource.fate == Some(Fate::Untouched))
    }

    /// `2 to create, 8 to change, 4 no longer deployed, 1 uncertain, 0 the same`
    pub(super) fn counts(&self) -> String {
        let resources = &self.summary.resources;
        format!(
            "{} to create, {} to change, {} no longer deployed, {} uncertain, {} the same",
            resources.create, resources.change, resources.remove, resources.uncertain, resources.same
        )
    }

    /// How many deployments differ, how many there are, and how many cannot be compared.
    pub(super) fn deployments(&self) -> (usize, usize, usize) {
        let counts = &self.summary.deployments;
        let differing = counts.new.saturating_add(counts.changed).saturating_add(counts.removed);
        (differing, differing.saturating_add(counts.same).saturating_add(counts.unreadable), counts.unreadable)
    }
}

impl Deployment {
    pub(super) fn risks(&self, severity: Severity) -> usize {
        let risks = self.resources.iter().flat_map(|resource| &resource.risks);
        risks.filter(|risk| risk.severity == severity).count()
    }

    /// `1 to create, 2 to change`
    pub(super) fn counts(&self) -> String {
        let more = &self.more_resources;
        let of = |outcome, more: usize| {
            let listed = self.resources.iter().filter(|resource| resource.outcome == outcome).count();
            listed.saturating_add(more)
        };
        let counts = [
            (of(Outcome::Create, more.create), "to create"),
            (of(Outcome::Change, more.change), "to change"),
            (of(Outcome::Remove, more.remove), "no longer deployed"),
            (of(Outcome::Uncertain, more.uncertain), "uncertain"),
        ];
        let present = counts.iter().filter(|(count, _)| *count > 0);
        let mut parts: Vec<String> = present.map(|(count, word)| format!("{count} {word}")).collect();
        for severity in Severity::ALL {
            let count = self.risks(severity);
            let noun = if count == 1 { "risk" } else { "risks" };
            parts.extend((count > 0).then(|| format!("{count} {} {noun}", severity.as_str())));
        }
        parts.join(", ")
    }

    /// How many more resources there are than are listed.
    pub(super) fn unlisted(&self) -> usize {
        let Unlisted { create, change, remove, uncertain } = self.more_resources;
        [create, change, remove, uncertain].into_iter().fold(0, usize::saturating_add)
    }

    /// Whether another deployment of its template differs in the same way.
    fn is_like(&self, other: &Self) -> bool {
        (&self.template, self.status, self.more_resources) == (&other.template, other.status, other.more_resources)
            && (&self.causes, &self.resources) == (&other.causes, &other.resources)
            && !self.resources.is_empty()
    }

    /// What is to be said of it besides its resources.
    pub(super) const fn note(&self) -> &'static str {
        match self.status {
            Status::New => "a new deployment",
            Status::Changed => "",
            Status::Removed => "no longer deployed",
            Status::Unreadable => "cannot be compared, because one side cannot be read",
        }
    }

    /// For each resource, the cause under which it is only counted: it differs by nothing else, has no risk, and others
    /// like it are shown.
    pub(super) fn folded(&self) -> Vec<Option<usize>> {
        /// How many resources are shown in full that differ only by the same parameter.
        const MAX_OF_CAUSE: usize = 3;
        let mut shown = vec![0_usize; self.causes.len()];
        let mut fold = |resource: &Resource| {
            let cause = resource.only_cause()?;
            let shown = shown.get_mut(cause)?;
            *shown += 1;
            (*shown > MAX_OF_CAUSE).then_some(cause)
        };
        self.resources.iter().map(&mut fold).collect()
    }
}

impl Resource {
    pub(super) fn worst(&self) -> Option<Severity> {
        self.risks.iter().map(|risk| risk.severity).min()
    }

    fn only_cause(&self) -> Option<usize> {
        let first = self.changes.first()?.cause?;
        let is_plain = self.outcome == Outcome::Change && self.more_changes == 0 && self.risks.is_empty();
        (is_plain && self.changes.iter().all(|change| change.cause == Some(first))).then_some(first)
    }

    pub(super) const fn sign(&self) -> &'static str {
        match self.outcome {
            Outcome::Create => "+",
            Outcome::Remove => "-",
            Outcome::Change => "~",
            Outcome::Uncertain => "?",
        }
    }

    /// What else there is to know, as texts with names in backticks.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.name_is_approximate {
            notes.push("name known after deployment".to_owned());
        }
        if let (Outcome::Uncertain, Some(why)) = (self.outcome, self.new_maybe.as_ref().or(self.old_maybe.as_ref())) {
            notes.push(format!("depends on a condition: {why}"));
        }
        notes.extend(self.old_name.as_ref().map(|name| format!("renamed from {name}")));
        let kept = match self.fate {
            Some(Fate::Untouched) => ": Azure creates a second one and keeps the first",
            _ => "",
        };
        notes.extend(self.new_name.as_ref().map(|name| format!("renamed to {name}{kept}")));
        match self.fate {
            Some(Fate::Deleted) => notes.push("deleted".to_owned()),
            Some(Fate::Snapshot) => notes.push("deleted after a snapshot".to_owned()),
            Some(Fate::Kept) => notes.push("kept by its `DeletionPolicy`".to_owned()),
            Some(Fate::Untouched) | None => {}
        }
        notes
    }
}

impl Value {
    /// The value on one line. Of a value that only a deployment knows, what is known of it, and the reason.
    fn text(&self) -> String {
        match self {
            Self::Known(value) => value.to_string(),
            Self::Cut(text) => text.clone(),
            Self::Unknown { why, approximation: None } => format!("{UNKNOWN}: {}", cut(why, MAX_VALUE)),
            Self::Unknown { why, approximation: Some(like) } => {
                format!("{UNKNOWN}, like {}: {}", cut(&like.to_string(), MAX_VALUE), cut(why, MAX_VALUE))
            }
            Self::Secret => "(secret)".to_owned(),
        }
    }

    /// The same, of a length that fits on a line.
    fn short(&self) -> String {
        if self.is_written() { cut(&self.text(), MAX_VALUE) } else { self.text() }
    }

    const fn is_written(&self) -> bool {
        matches!(self, Self::Known(_) | Self::Cut(_))
    }
}

/// `old → new`, each as `code` writes it. Of long values, the parts that differ are shown.
pub(super) fn values(old: Option<&Value>, new: Option<&Value>, code: impl Fn(&str) -> String) -> String {
    let texts = match (old, new) {
        (Some(old), Some(new)) if old.is_written() && new.is_written() => {
            cut_apart(&old.text(), &new.text(), MAX_VALUE).map(Some)
        }
        _ => [old, new].map(|value| value.map(Value::short)),
    };
    let [old, new] = texts.map(|text| text.map_or_else(|| "(none)".to_owned(), |text| code(&text)));
    // Secrets look the same, and what is unknown for the same reason may still be computed in another way.
    if old == new { format!("{old}, changed") } else { format!("{old} → {new}") }
}

/// `… and 3 more risks`, if there are more than the first `listed` of `count`, and than `unread` others.
pub(super) fn unsaid(count: usize, listed: usize, unread: usize, noun: &str) -> Option<String> {
    let left = count.saturating_sub(listed).saturating_add(unread);
    let plural = match noun {
        "property" => "properties".to_owned(),
        noun => format!("{noun}s"),
    };
    (left > 0).then(|| format!("… and {left} more {}", if left == 1 { noun } else { &plural }))
}
