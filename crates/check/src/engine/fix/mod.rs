//! Fixes: turns what would make a verdict pass into edits of the file that the author wrote.
//!
//! A value is fixed only if the file contains it as the rule saw it: as a literal, or as an object. Computed values are
//! not changed. See `docs/fixes.md`.
//!
//! # Invariant
//!
//! Source text is replaced only if parsing it returns the value of the finding. Only `apply.rs` writes templates.

mod bicep;
mod json;
mod layout;
mod meant;
mod yaml;

use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;

use crate::bicep::source_map::SourceLocation;
use crate::diagnostic::{CheckKind, Edit, Finding, Fix, Outcome};
use crate::engine::bicep::{Authored, Origins};
use crate::engine::detect::Kind;
use crate::model::{FixSite, ValueFix};
use crate::rules::Verdict;
use crate::text::{FileId, Sources, Span};
use crate::value::{Member, Value};

use self::layout::Added;

/// Maximum number of edits that the title of a fix lists.
const MAX_NAMED: usize = 3;

/// An edit: the bytes to replace, the replacement, and the words for the title of the fix.
struct PlannedEdit {
    span: Span,
    replacement: String,
    title: String,
}

/// Returns `true` if changing this template makes sense. Compiled files are overwritten by the next build, and an
/// export describes resources that already exist.
pub(super) fn is_authored(kind: Kind, template: &Value, origins: &Origins) -> bool {
    let generator = template.get("metadata").and_then(|object| object.get("_generator"));
    kind != Kind::Export && (generator.is_none() || !origins.is_empty())
}

/// Finds the fixes for the verdicts on one template.
pub(super) struct Fixes<'a> {
    origins: &'a Origins,
    sources: &'a Sources,
    /// Cache: notation of each file, which takes a scan of its whole text.
    notations: Mutex<HashMap<FileId, Notation>>,
}

/// Notation of a file.
#[derive(Clone, Copy)]
struct Notation {
    /// True for a document in JSON.
    is_json: bool,
    /// True if the file may have anchors, so that a value may also be used elsewhere.
    has_anchors: bool,
}

impl<'a> Fixes<'a> {
    pub(super) fn new(origins: &'a Origins, sources: &'a Sources) -> Self {
        Self { origins, sources, notations: Mutex::default() }
    }

    /// Returns the fix that makes a failed verdict pass, if that is certain.
    pub(super) fn fix_for(&self, verdict: &Verdict) -> Option<Fix> {
        if verdict.outcome != Outcome::Failed {
            return None;
        }
        if verdict.value_fixes.is_empty() {
            let span = verdict.leaves.first().map_or(verdict.span, |leaf| leaf.span);
            // Types know which names an object has already: without a fix of theirs, there is none.
            let is_of_types = verdict.rule.kind() == Some(CheckKind::Schema);
            let is_written = !is_of_types && verdict.leaves.len() <= 1 && !self.origins.is_compiled(span);
            return is_written.then(|| meant::of_message(&verdict.message, span, &self.sources.get(span.file)))?;
        }
        let (mut edits, mut titles): (Vec<Edit>, Vec<String>) = (Vec::new(), Vec::new());
        for value_fixes in by_object(&verdict.value_fixes) {
            let PlannedEdit { span, replacement, title } = self.change(&value_fixes)?;
            let names: Vec<&str> = value_fixes.iter().map(|value_fix| value_fix.name.as_str()).collect();
            let edit = Edit { span, name: names.join(", "), replacement };
            // The iterations of a loop share one position in the file.
            if edits.contains(&edit) {
                continue;
            }
            if edits.iter().any(|edit| overlap(edit.span, span)) {
                return None;
            }
            edits.push(edit);
            if !titles.contains(&title) {
                titles.push(title);
            }
        }
        let is_guess = verdict.value_fixes.iter().any(|value_fix| value_fix.is_guess);
        Some(Fix { title: joined(titles), edits, is_guess })
    }

    /// Returns the edit of one fix, or of several that add members to one object.
    fn change(&self, value_fixes: &[&ValueFix]) -> Option<PlannedEdit> {
        let value_fix = *value_fixes.first()?;
        let (span, is_bicep) = authored(value_fix, self.origins, self.sources)?;
        let source = self.sources.get(span.file);
        let (text, value) = (source.text(), &value_fix.value);
        if !source.is_utf8() {
            return None;
        }
        let old = text.get(span.start as usize..span.end as usize)?;
        match &value_fix.site {
            FixSite::Value { found, .. } => {
                if is_bicep && let Some(replacement) = bicep::with_version(old, found, value) {
                    let title = format!("set `{}` to `{}`", value_fix.name, value.as_str()?);
                    return Some(PlannedEdit { span, replacement, title });
                }
                let new = if is_bicep {
                    bicep::literal(span.file, old, found, value)?
                } else {
                    self.literal(span, old, found, value)?
                };
                let title = format!("set `{}` to `{new}`", value_fix.name);
                Some(PlannedEdit { span, replacement: new, title })
            }
            FixSite::Key { found, .. } => {
                let new = if is_bicep {
                    bicep::name(old, value)?
                } else {
                    self.literal(span, old, &Value::from(found.clone()), value)?
                };
                let title = format!("rename `{}` to `{}`", value_fix.name, value.as_str()?);
                Some(PlannedEdit { span, replacement: new, title })
            }
            FixSite::Member { .. } => {
                let new: Vec<Member> = value_fixes.iter().filter_map(|value_fix| new_member(value_fix)).collect();
                let added = if is_bicep { bicep::members(span, text, &new)? } else { self.members(span, text, &new)? };
                let (start, end) = (u32::try_from(added.range.start).ok()?, u32::try_from(added.range.end).ok()?);
                let title = format!("add `{}`", added.title);
                Some(PlannedEdit { span: Span::new(span.file, start, end), replacement: added.text, title })
            }
        }
    }

    /// Adds members to an object in JSON or YAML.
    fn members(&self, span: Span, text: &str, new: &[Member]) -> Option<Added> {
        let Notation { is_json, has_anchors } = self.notation(span.file);
        if has_anchors {
            return None;
        }
        json::members(span, text, is_json, new).or_else(|| yaml::members(span, text, new))
    }

    /// Returns the literal of JSON or YAML that replaces another one.
    fn literal(&self, span: Span, old: &str, found: &Value, value: &Value) -> Option<String> {
        let new = json::literal(span.file, old, found, value);
        new.or_else(|| yaml::literal(span.file, old, found, value)).filter(|_| !self.notation(span.file).has_anchors)
    }

    fn notation(&self, file: FileId) -> Notation {
        let look = || {
            let source = self.sources.get(file);
            let is_json = json::is_document(source.text());
            Notation { is_json, has_anchors: !is_json && yaml::has_anchors(source.text()) }
        };
        let mut notations = self.notations.lock().unwrap_or_else(PoisonError::into_inner);
        *notations.entry(file).or_insert_with(look)
    }
}

/// Returns the fixes, with those that add members to one object together.
fn by_object(value_fixes: &[ValueFix]) -> Vec<Vec<&ValueFix>> {
    let mut groups: Vec<Vec<&ValueFix>> = Vec::new();
    for value_fix in value_fixes {
        let is_there = |other: &&ValueFix| match (&value_fix.site, &other.site) {
            (FixSite::Member { object, .. }, FixSite::Member { object: other, .. }) => object == other,
            _ => false,
        };
        let group = groups.iter_mut().find(|group| group.first().is_some_and(is_there));
        match group {
            // The iterations of a loop add the same member.
            Some(group) if group.iter().any(|other| is_same_member(value_fix, other)) => {}
            Some(group) => group.push(value_fix),
            None => groups.push(vec![value_fix]),
        }
    }
    groups
}

/// Returns `true` if two fixes add the same member to the same object.
fn is_same_member(a: &ValueFix, b: &ValueFix) -> bool {
    match (&a.site, &b.site) {
        (FixSite::Member { key, .. }, FixSite::Member { key: other, .. }) => key == other && a.value.same(&b.value),
        _ => false,
    }
}

fn joined(mut titles: Vec<String>) -> String {
    let more = titles.len().saturating_sub(MAX_NAMED);
    titles.truncate(MAX_NAMED);
    let text = titles.join(", ");
    if more > 0 { format!("{text}, and {more} more") } else { text }
}

fn new_member(value_fix: &ValueFix) -> Option<Member> {
    let FixSite::Member { key, .. } = &value_fix.site else { return None };
    Some(Member::new(key.clone(), value_fix.value.clone()))
}

/// Returns the position of the value or object to change, as the author wrote it, and `true` if it is in a Bicep file.
fn authored(value_fix: &ValueFix, origins: &Origins, sources: &Sources) -> Option<(Span, bool)> {
    let seen = match &value_fix.site {
        FixSite::Value { span, .. } => *span,
        FixSite::Member { object, .. } => *object,
        FixSite::Key { value, .. } => *value,
    };
    match origins.authored(seen) {
        Authored::Here => match &value_fix.site {
            FixSite::Key { key, .. } => Some((*key, false)),
            FixSite::Value { .. } | FixSite::Member { .. } => Some((seen, false)),
        },
        Authored::At(place) if has_extension(sources.get(place.value.file).name(), "bicep") => {
            // The compiled value must be a literal too: an expression may be computed from the literal in Bicep.
            let compiled = sources.get(seen.file);
            let literal = if let FixSite::Key { key, .. } = &value_fix.site { *key } else { seen };
            let text = compiled.text().get(literal.start as usize..literal.end as usize)?;
            let is_same = json::is_literal(text, &value_fix.site) && is_called_so(&place, value_fix, sources);
            let target = match &value_fix.site {
                FixSite::Key { .. } => name_of(&place, sources)?.0,
                FixSite::Value { .. } | FixSite::Member { .. } => place.value,
            };
            is_same.then_some((target, true))
        }
        Authored::At(_) | Authored::Nowhere => None,
    }
}

/// Returns `true` if the property in the Bicep file has the name that the fix expects. Items and bodies of loops have
/// no name.
fn is_called_so(place: &SourceLocation, value_fix: &ValueFix, sources: &Sources) -> bool {
    if matches!(value_fix.site, FixSite::Member { .. }) {
        return true;
    }
    if place.span == place.value {
        // The version of a resource is a part of its type.
        return value_fix.name.ends_with(']') || value_fix.name == "apiVersion";
    }
    name_of(place, sources).is_some_and(|(_, name)| name.eq_ignore_ascii_case(&value_fix.name))
}

/// Returns the name of a property in a Bicep file, and its text with any quotes.
fn name_of(place: &SourceLocation, sources: &Sources) -> Option<(Span, String)> {
    let source = sources.get(place.span.file);
    let property = source.text().get(place.span.start as usize..place.value.start as usize)?;
    let name = property.trim_end().trim_end_matches(':').trim_end();
    let end = place.span.start.checked_add(u32::try_from(name.len()).ok()?)?;
    Some((Span::new(place.span.file, place.span.start, end), name.trim_matches('\'').to_owned()))
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, name)| name.eq_ignore_ascii_case(extension))
}

/// Returns `true` if two edits of one file conflict.
pub(super) fn overlap(a: Span, b: Span) -> bool {
    a.file == b.file && (a.start == b.start || (a.start < b.end && b.start < a.end))
}

/// Removes the fixes of findings that set different values at one position, since it is not certain which is right.
pub(super) fn drop_contradictions(findings: &mut [Finding], sources: &Sources) {
    // By name, because a file that was read for several templates has several sources.
    let mut wanted: HashMap<(Arc<str>, u32, &str), usize> = HashMap::default();
    // The first value for each position, and whether there are others.
    let mut values: Vec<(&str, bool)> = Vec::new();
    let mut fixed = Vec::new();
    for (finding, fix) in findings.iter().enumerate().filter_map(|(at, finding)| Some((at, finding.fix.as_ref()?))) {
        for Edit { span, name, replacement } in &fix.edits {
            let key = (Arc::clone(sources.get(span.file).name()), span.start, name.as_str());
            let at = *wanted.entry(key).or_insert(values.len());
            match values.get_mut(at) {
                Some((value, is_disputed)) => *is_disputed |= *value != replacement,
                None => values.push((replacement, false)),
            }
            fixed.push((finding, at));
        }
    }
    let is_disputed = |at: usize| values.get(at).is_some_and(|(_, is_disputed)| *is_disputed);
    let disputed: Vec<usize> = fixed.iter().filter(|(_, at)| is_disputed(*at)).map(|(finding, _)| *finding).collect();
    for finding in disputed {
        if let Some(finding) = findings.get_mut(finding) {
            finding.fix = None;
        }
    }
}
