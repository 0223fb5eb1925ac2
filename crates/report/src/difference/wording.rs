//! Texts about a difference: counts, notes, and values that fit on a line.

use crate::counted::counted;
use crate::difference::document::{
    Deployment, Difference, Fate, Outcome, Resource, Severity, Status, Unlisted, Value, VersionCounts,
};
use crate::text::{cut, cut_apart};

/// Bytes of a value, or of a reason, that are shown.
const MAX_VALUE: usize = 120;

/// Deployments that each one is compared with.
const MAX_COMPARED: usize = 100;

/// Placeholder for a value that only the deployment knows.
const UNKNOWN: &str = "(known after deployment)";

/// Describes the templates and parameter files that were not expanded.
pub(super) fn untouched(count: usize) -> String {
    match count {
        1 => "1 template or parameter file that the change does not affect was not expanded".to_owned(),
        _ => format!("{count} templates and parameter files that the change does not affect were not expanded"),
    }
}

/// Describes the resources with another API version.
pub(super) fn versions(counts: &VersionCounts) -> String {
    let verb = if counts.changed == 1 { "has" } else { "have" };
    let resources = counted(counts.changed, "resource");
    let fits = match counts.breaking {
        0 => "nothing that the templates set changes by that".to_owned(),
        1 => "1 of them does not fit it".to_owned(),
        count => format!("{count} of them do not fit it"),
    };
    format!("{resources} {verb} another API version; {fits}")
}

impl Difference {
    /// Sorts deployments and their resources by risk, most severe first, as pages show them. Otherwise, the order stays.
    #[must_use]
    pub fn worst_first(mut self) -> Self {
        for deployment in &mut self.deployments {
            deployment.resources.sort_by_cached_key(|resource| resource.worst().map_or(3, |severity| severity as u8));
        }
        self.deployments.sort_by_cached_key(|deployment| {
            Severity::ALL.map(|severity| std::cmp::Reverse(deployment.risks(severity)))
        });
        self
    }

    /// Groups the deployments. Deployments of one template that differ in the same way are one group, such as `dev` and
    /// `prod`.
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

    /// True if nothing differs, and everything could be read.
    pub fn is_empty(&self) -> bool {
        self.deployments.is_empty()
    }

    /// Counts the risks with a severity.
    pub(super) fn risks(&self, severity: Severity) -> usize {
        self.deployments.iter().map(|deployment| deployment.risks(severity)).sum()
    }

    /// True if a note has to state that nothing is deleted.
    pub(super) fn leaves_resources(&self) -> bool {
        let resources = self.deployments.iter().flat_map(|deployment| &deployment.resources);
        resources.into_iter().any(|resource| resource.fate == Some(Fate::Untouched))
    }

    /// Formats the counts: `2 to create, 8 to change, 4 no longer deployed, 1 uncertain, 0 the same`.
    pub(super) fn counts(&self) -> String {
        let resources = &self.summary.resources;
        format!(
            "{} to create, {} to change, {} no longer deployed, {} uncertain, {} the same",
            resources.create, resources.change, resources.remove, resources.uncertain, resources.same
        )
    }

    /// Returns the number of deployments that differ, of all deployments, and of those that cannot be compared.
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

    /// Formats the counts: `1 to create, 2 to change`.
    pub(super) fn counts(&self) -> String {
        let more = &self.more_resources;
        let counts = [
            (Outcome::Create, more.create, "to create"),
            (Outcome::Change, more.change, "to change"),
            (Outcome::Remove, more.remove, "no longer deployed"),
            (Outcome::Uncertain, more.uncertain, "uncertain"),
        ];
        let counts = counts.map(|(outcome, more, word)| {
            let listed = self.resources.iter().filter(|resource| resource.outcome == outcome).count();
            (listed.saturating_add(more), word)
        });
        let present = counts.iter().filter(|(count, _)| *count > 0);
        let mut parts: Vec<String> = present.map(|(count, word)| format!("{count} {word}")).collect();
        for severity in Severity::ALL {
            let count = self.risks(severity);
            let noun = if count == 1 { "risk" } else { "risks" };
            parts.extend((count > 0).then(|| format!("{count} {} {noun}", severity.as_str())));
        }
        parts.join(", ")
    }

    /// Counts the resources that are not listed.
    pub(super) fn unlisted(&self) -> usize {
        let Unlisted { create, change, remove, uncertain } = self.more_resources;
        [create, change, remove, uncertain].into_iter().fold(0, usize::saturating_add)
    }

    /// True if another deployment of its template differs in the same way.
    fn is_like(&self, other: &Self) -> bool {
        (&self.template, self.status, self.more_resources) == (&other.template, other.status, other.more_resources)
            && (&self.causes, &self.resources) == (&other.causes, &other.resources)
            && !self.resources.is_empty()
    }

    /// Returns a note about the deployment as a whole.
    pub(super) const fn note(&self) -> &'static str {
        match self.status {
            Status::New => "a new deployment",
            Status::Changed => "",
            Status::Removed => "no longer deployed",
            Status::Unreadable => "cannot be compared, because one side cannot be read",
        }
    }

    /// Returns, for each resource, the cause under which it is only counted: the resource differs by nothing else, has
    /// no risk, and similar ones are shown.
    pub(super) fn folded(&self) -> Vec<Option<usize>> {
        /// Resources that are shown in full although they differ only by the same parameter.
        const MAX_OF_CAUSE: usize = 3;
        let mut shown = vec![0_usize; self.causes.len()];
        let folded = self.resources.iter().map(|resource| {
            let cause = resource.only_cause()?;
            let shown = shown.get_mut(cause)?;
            *shown += 1;
            (*shown > MAX_OF_CAUSE).then_some(cause)
        });
        folded.collect()
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

    /// Returns further notes, with names in backticks.
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
    /// Returns the value on one line. For an unknown value, this is its known part with the reason.
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

    /// Returns the value, shortened to fit on a line.
    fn short(&self) -> String {
        if self.is_written() { cut(&self.text(), MAX_VALUE) } else { self.text() }
    }

    const fn is_written(&self) -> bool {
        matches!(self, Self::Known(_) | Self::Cut(_))
    }
}

/// Formats a change as `old → new`, with values written by `code`. Long values are cut to the parts that differ.
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

/// Returns `… and 3 more risks` if items are not listed: `count` minus `listed`, and the `unread` ones.
pub(super) fn unsaid(count: usize, listed: usize, unread: usize, noun: &str) -> Option<String> {
    let left = count.saturating_sub(listed).saturating_add(unread);
    let plural = match noun {
        "property" => "properties".to_owned(),
        noun => format!("{noun}s"),
    };
    (left > 0).then(|| format!("… and {left} more {}", if left == 1 { noun } else { &plural }))
}
