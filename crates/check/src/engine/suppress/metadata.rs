//! Suppressions in the metadata of templates and of their parts.
//!
//! Besides `metadata: {formwork: {suppress: [{rule, reason, until}]}}`, the lists of three other checkers count, so
//! that authors need not write everything twice.

use crate::diagnostic::{RulePattern, Suppression, SuppressionKind, parse_date};
use crate::engine::suppress::comment::{Invalid, of_everything};
use crate::text::{Span, did_you_mean};
use crate::value::{Object, Value};

/// The member of metadata that has our own list.
pub(super) const OWN: &str = "formwork";

/// The lists of other tools in metadata.
const FOREIGN: [(&str, &str); 3] =
    [("cfn_nag", "rules_to_suppress"), ("guard", "SuppressedRules"), ("checkov", "skip")];

/// The members of an entry. Other tools call the rule `id`.
const KEYS: &[&str] = &["rule", "id", "reason", "until"];

/// The sections of a template whose entries may have metadata.
const SECTIONS: [&str; 3] = ["parameters", "outputs", "resources"];

/// Suppressions with the text that they cover, and errors in others.
#[derive(Debug, Default)]
pub(super) struct InMetadata {
    pub(super) found: Vec<(Suppression, Span)>,
    pub(super) invalid: Vec<Invalid>,
    /// The texts of all parts that may have metadata, such as resources.
    pub(super) blocks: Vec<Span>,
}

impl InMetadata {
    /// Adds the suppressions of a template or a parameter file, and of nested templates. `whole` is the text that the
    /// metadata of the template covers.
    pub(super) fn template(&mut self, template: &Value, whole: Span) {
        let Some(root) = template.as_object() else { return };
        self.add_object(root, whole);
        for section in SECTIONS {
            self.entries(root.get(section));
        }
    }

    /// Returns the entries of a section: members of an object, or items of an array. In CloudFormation, a loop is an array.
    fn entries(&mut self, section: Option<&Value>) {
        let Some(section) = section else { return };
        for item in section.as_array().into_iter().flatten() {
            self.entry(item, item.span);
        }
        for member in section.as_object().into_iter().flatten() {
            match member.value.as_array() {
                Some(parts) => parts.iter().for_each(|part| self.entries(part.as_object().and(Some(part)))),
                None => self.entry(&member.value, member.span()),
            }
        }
    }

    fn entry(&mut self, entry: &Value, text: Option<Span>) {
        let Some((object, text)) = entry.as_object().zip(text) else { return };
        self.blocks.push(text);
        self.add_object(object, text);
        self.entries(object.get("resources"));
        if let Some(nested) = object.get("properties").and_then(|properties| properties.get("template"))
            && let Some(whole) = nested.span
        {
            self.template(nested, whole);
        }
    }

    /// Adds the suppressions in the metadata of an object, which cover `text`.
    pub(super) fn add_object(&mut self, object: &Object, text: Span) {
        let Some(metadata) = object.get("metadata").and_then(Value::as_object) else { return };
        if let Some(list) = metadata.get_exact(OWN).and_then(|own| own.get("suppress")) {
            self.own(list, text);
        }
        for (tool, list) in FOREIGN {
            // In ARM templates, checkov has the list without `skip`.
            let section = metadata.get_exact(tool).map(|section| section.get(list).unwrap_or(section));
            let entries = section.and_then(Value::as_array);
            for entry in entries.into_iter().flatten() {
                self.found.extend(foreign(entry).map(|suppression| (suppression, text)));
            }
        }
    }

    /// Adds the entries of `formwork.suppress`, which cover `text`.
    pub(super) fn own(&mut self, list: &Value, text: Span) {
        match (list.as_array(), list.span) {
            (Some(entries), _) => entries.iter().for_each(|entry| self.own_entry(entry, text)),
            (None, Some(place)) => {
                self.invalid
                    .push((place, "`suppress`: expected a list of objects with `rule` and `reason`".to_owned()));
            }
            (None, None) => {}
        }
    }

    fn own_entry(&mut self, entry: &Value, text: Span) {
        let Some(place) = entry.span else { return };
        let name = entry.as_object().map_or(Some(entry), |object| object.get("rule").or_else(|| object.get("id")));
        let Some(rule) = name.and_then(|name| Some((name.as_str()?, name.span?))) else {
            return self.invalid.push((place, "expected an object with `rule` and `reason`".to_owned()));
        };
        let rule = RulePattern { text: rule.0.to_owned(), span: rule.1 };
        if rule.is_of_everything() {
            return self.invalid.push((place, of_everything(&rule)));
        }
        let member = |name: &str| entry.as_object().and_then(|object| object.get(name));
        let unknown = entry.as_object().into_iter().flatten().find(|member| !KEYS.contains(&&*member.key));
        if let Some(key) = unknown {
            let hint = did_you_mean(&key.key, KEYS.iter().copied());
            return self.invalid.push((place, format!("unknown property `{}` of a suppression{hint}", key.key)));
        }
        let until = member("until").map(|until| until.as_str().and_then(parse_date));
        if until == Some(None) {
            return self.invalid.push((place, "`until`: expected a date such as `2027-01-31`".to_owned()));
        }
        let reason = member("reason").and_then(Value::as_str).map(str::trim).filter(|reason| !reason.is_empty());
        let suppression = Suppression {
            kind: SuppressionKind::Metadata,
            rules: vec![rule],
            reason: reason.map(str::to_owned),
            until: until.flatten(),
            place,
            is_foreign: false,
        };
        self.found.push((suppression, text));
    }
}

/// Returns an entry for another tool: the name of a rule, or an object with the name as `id`.
fn foreign(entry: &Value) -> Option<Suppression> {
    let name = if entry.as_object().is_some() { entry.get("id")? } else { entry };
    let reason = ["reason", "comment"].iter().find_map(|key| entry.as_object()?.get(key)?.as_str());
    // checkov takes `ID:reason`, too.
    let (id, after) = name.as_str()?.split_once(':').map_or((name.as_str()?, None), |(id, after)| (id, Some(after)));
    let reason = reason.or(after).map(str::trim).filter(|reason| !reason.is_empty());
    Some(Suppression {
        kind: SuppressionKind::Metadata,
        rules: vec![RulePattern { text: id.trim().to_owned(), span: name.span? }],
        reason: reason.map(str::to_owned),
        until: None,
        place: entry.span?,
        is_foreign: true,
    })
}
