//! `.Rule.yaml` and `.Rule.jsonc` files of `PSRule`: suppression groups and baselines.

use std::ops::Range;
use std::path::Path;

use arcstr::ArcStr;

use crate::migrate::{ImportedSuppression, Importer, conditions};
use crate::rules::counterparts::{Purpose, Tool};
use crate::syntax;
use crate::text::{FileId, Span};
use crate::value::Value;

const TOOL: Tool = Tool::PsRule;

/// A baseline. `PSRule` uses only the selected one, so it is imported at the end.
#[derive(Clone, Debug)]
pub(super) struct PsRuleBaseline {
    name: String,
    spec: Value,
    place: Option<Span>,
}

impl Importer<'_> {
    /// Imports a file of resources. A YAML file may have several documents. A JSON file contains a list.
    pub(crate) fn ps_rule_resources(&mut self, file: FileId) {
        let source = self.sources.get(file);
        let extension = Path::new(&**source.name()).extension().unwrap_or_default();
        if extension.eq_ignore_ascii_case("json") || extension.eq_ignore_ascii_case("jsonc") {
            let Some(value) = self.parse(file, true) else { return };
            let items = value.as_array().unwrap_or_else(|| std::slice::from_ref(&value));
            for item in items {
                self.resource(item);
            }
            return;
        }
        for range in documents(source.text()) {
            let Some(text) = document(source.text(), range) else { continue };
            let parsed = syntax::yaml::parse(file, &text, self.nesting);
            self.imported.notes.extend(parsed.diagnostics);
            if let Some(value) = parsed.value.filter(|value| !value.is_null()) {
                self.resource(&value);
            }
        }
    }

    fn resource(&mut self, value: &Value) {
        let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default();
        let name = value.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str);
        let name = name.unwrap_or("unnamed");
        match kind {
            "SuppressionGroup" => self.suppression_group(name, value),
            "Baseline" => self.baselines.push(PsRuleBaseline {
                name: name.to_owned(),
                spec: value.get("spec").cloned().unwrap_or_else(|| Value::object(Vec::new())),
                place: value.get("kind").and_then(|kind| kind.span),
            }),
            "ModuleConfig" => {
                let rule = value.get("spec").and_then(|spec| spec.get("rule"));
                if let Some(name) = rule.and_then(|rule| rule.get("baseline")).and_then(Value::as_str) {
                    self.chosen = Some(name.to_owned());
                }
            }
            "" => {}
            other => {
                let message = format!("{other} `{name}` of PSRule has no counterpart; write a rule instead");
                self.note(value.get("kind").and_then(|kind| kind.span), message);
            }
        }
    }

    fn suppression_group(&mut self, name: &str, value: &Value) {
        let Some(place) = value.get("kind").and_then(|kind| kind.span) else { return };
        let spec = value.get("spec");
        let part = |key: &str| spec.and_then(|spec| spec.get(key)).filter(|part| !part.is_null());
        let rules = match part("rule").filter(|rules| rules.as_array().is_none_or(|rules| !rules.is_empty())) {
            None => vec!["*".to_owned()],
            Some(rules) => {
                let names = self.names(rules);
                let entries = self.translate(TOOL, &names, Purpose::SkipOnResource);
                entries.into_iter().map(|entry| entry.value).collect()
            }
        };
        if rules.is_empty() {
            return;
        }
        let mut types = Vec::new();
        if let Some(listed) = part("type") {
            types.extend(self.names(listed).into_iter().map(|name| name.id));
        }
        let scopes = match part("if") {
            None => vec![ImportedSuppression::default()],
            Some(condition) => match conditions::condition(condition) {
                Ok(scopes) => scopes,
                Err(what) => {
                    let message = format!("suppression group `{name}` is not imported: {what}");
                    return self.note(Some(place), message);
                }
            },
        };
        let until = part("expiresOn").and_then(Value::as_str).and_then(|date| date.get(..10)).map(str::to_owned);
        let source = self.sources.get(place.file);
        let synopsis = synopsis(source.text(), place.start);
        for scope in scopes {
            if !types.is_empty() && !scope.types.is_empty() {
                let message = format!("suppression group `{name}` restricts types twice; check the imported one");
                self.note(Some(place), message);
            }
            self.imported.suppressions.push(ImportedSuppression {
                rules: rules.clone(),
                types: if scope.types.is_empty() { types.clone() } else { scope.types },
                reason: synopsis.clone().unwrap_or_else(|| format!("suppression group {name} of {}", source.name())),
                until: until.clone(),
                comment: format!("{name} of {}", source.name()),
                ..scope
            });
        }
    }

    /// Imports the baseline in use: the selected one, or the only one.
    pub(super) fn import_baselines(&mut self) {
        let baselines = std::mem::take(&mut self.baselines);
        let is_only = baselines.len() == 1;
        let chosen = self.chosen.take();
        for baseline in baselines {
            let is_chosen = chosen.as_ref().map_or(is_only, |name| name.eq_ignore_ascii_case(&baseline.name));
            if !is_chosen {
                let message = format!(
                    "baseline `{}` is not imported: PSRule uses it only where its command line names it",
                    baseline.name
                );
                self.note(baseline.place, message);
                continue;
            }
            if chosen.is_none() {
                let message = format!("baseline `{}` is imported, because it is the only one", baseline.name);
                self.note(baseline.place, message);
            }
            if let Some(rule) = baseline.spec.get("rule") {
                self.rule(rule);
            }
            if let Some(overrides) = baseline.spec.get("override") {
                self.overrides(overrides);
            }
            if let Some(configuration) = baseline.spec.get("configuration").filter(|value| !value.is_null()) {
                let message = "the `configuration` of a baseline is not imported; write it into `formwork.yaml`";
                self.note(configuration.span, message.to_owned());
            }
        }
    }
}

/// Returns the ranges of the documents of a YAML file.
fn documents(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let marker = line.trim_end();
        if marker == "---" || marker.starts_with("--- ") {
            ranges.push(start..at);
            start = at + line.len();
        }
        at += line.len();
    }
    ranges.push(start..at);
    ranges
}

/// Returns one document, with blanks in place of the text before it, so that positions do not change. `None` if it is
/// empty.
fn document(text: &str, range: Range<usize>) -> Option<ArcStr> {
    let part = text.get(range.clone()).filter(|part| !part.trim().is_empty())?;
    let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
    let before: String = text.get(..range.start)?.bytes().map(blank).collect();
    Some([before.as_str(), part].concat().into())
}

/// Returns the comment `Synopsis: …` above a resource whose kind is at an offset.
fn synopsis(text: &str, offset: u32) -> Option<String> {
    let before = text.get(..usize::try_from(offset).ok()?)?;
    for line in before.lines().rev() {
        let line = line.trim();
        if line == "---" {
            return None;
        }
        let comment = line.strip_prefix('#').or_else(|| line.strip_prefix("//"));
        if let Some(synopsis) = comment.and_then(|comment| comment.trim().strip_prefix("Synopsis:")) {
            return Some(synopsis.trim().trim_end_matches('.').to_owned()).filter(|text| !text.is_empty());
        }
    }
    None
}
