//! Texts about drift that all formats show.

use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::drift::document::{ComparedResource, ComparedValues, DriftReport, DriftState};
use crate::text::{cut, cut_apart};

/// Bytes of a value that are shown.
const MAX_VALUE: usize = 120;

/// Word for an item of a list that only one side has.
const PRESENT: &str = "present";

impl ComparedResource {
    /// Returns the sign of the outcome.
    pub(super) const fn sign(&self) -> &'static str {
        match self.outcome {
            DriftState::Drifted => "~",
            DriftState::Missing => "-",
            DriftState::Unmanaged => "+",
            DriftState::Uncertain => "?",
            DriftState::Same => "=",
        }
    }

    /// Returns the outcome in words that follow the resource. Empty if the changes show it.
    pub(super) fn note(&self) -> String {
        let outcome = match self.outcome {
            DriftState::Missing => "is not there",
            DriftState::Unmanaged if self.would_be_deleted => "in no template; the next deployment deletes it",
            DriftState::Unmanaged => "in no template",
            DriftState::Uncertain => "is not compared",
            DriftState::Drifted | DriftState::Same => "",
        };
        let parts = [Some(outcome).filter(|text| !text.is_empty()), self.reason.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
    }

    /// Returns the name of the cloud that has the resource.
    pub(super) fn cloud(&self) -> &'static str {
        if self.type_name.contains("::") { "AWS" } else { "Azure" }
    }
}

impl ComparedValues {
    /// Returns the difference in words, with values written by `code`: `true in the template, false in Azure`.
    pub(super) fn text(&self, cloud: &str, code: impl Fn(&str) -> String) -> String {
        match (self.template.as_str(), self.live.as_str()) {
            (Some(PRESENT), None) if self.live.is_null() => format!("in the template, not in {cloud}"),
            (None, Some(PRESENT)) if self.template.is_null() => format!("not in the template, added in {cloud}"),
            _ => {
                let [own, other] = self.shortened();
                let [own, other] = [(&self.template, own), (&self.live, other)].map(|(value, text)| match value {
                    Json::Null => "nothing".to_owned(),
                    _ => code(&text),
                });
                format!("{own} in the template, {other} in {cloud}")
            }
        }
    }

    /// Returns both values, cut to the parts that differ.
    fn shortened(&self) -> [String; 2] {
        let texts = [&self.template, &self.live].map(ToString::to_string);
        if self.template.is_null() || self.live.is_null() {
            return texts.map(|text| cut(&text, MAX_VALUE));
        }
        let [own, other] = &texts;
        cut_apart(own, other, MAX_VALUE)
    }
}

impl DriftReport {
    /// Returns the resources to list: those that differ, and with `has_all` those with values that are not compared.
    pub(super) fn listed(&self, has_all: bool) -> Vec<&ComparedResource> {
        let is_listed = |resource: &&ComparedResource| {
            let has_more =
                [&resource.unseen, &resource.uncompared, &resource.unset].iter().any(|paths| !paths.is_empty());
            resource.outcome != DriftState::Same || has_all && has_more
        };
        self.resources.iter().filter(is_listed).collect()
    }

    /// Returns the counts of the outcomes. With `has_all`, everything is listed.
    pub(super) fn summary_text(&self, has_all: bool) -> String {
        let summary = &self.summary;
        let noun = if summary.drifted == 1 { "resource" } else { "resources" };
        let mut text = format!("{} {noun} drifted, {} missing", summary.drifted, summary.missing);
        if summary.uncertain > 0 {
            let _ = write!(text, ", {} not compared", summary.uncertain);
        }
        let _ = write!(text, ", {} in no template, {} as declared", summary.unmanaged, summary.same);
        if summary.uncompared > 0 {
            let (noun, hint) = (
                if summary.uncompared == 1 { "value" } else { "values" },
                if has_all { "" } else { " (`--all` lists them)" },
            );
            let _ = write!(text, "; {} {noun} cannot be compared{hint}", summary.uncompared);
        }
        if summary.skipped > 0 {
            let (noun, verb) =
                if summary.skipped == 1 { ("item", "is not a resource") } else { ("items", "are not resources") };
            let _ = write!(text, "; {} {noun} of the export {verb}", summary.skipped);
        }
        text
    }
}
