//! Reads a baseline and reports everything that is wrong with it.

use std::path::Path;

use crate::diagnostic::{Code, Diagnostic, Level};
use crate::engine::baseline::{Baseline, BaselineEntry, SCHEMA};
use crate::engine::redacted;
use crate::files::{Contents, Tree, display_name, register};
use crate::model::Limits;
use crate::syntax;
use crate::text::{FileId, Sources, Span, did_you_mean};
use crate::value::{Member, Object, Value};

/// Maximum nesting depth of a baseline; it needs three levels.
const MAX_DEPTH: u32 = 16;

/// The beginning of the schema of every version.
const SIGN: &str = "formwork/baseline/";

const PAGE: &[&str] = &["schema", "findings"];
const ENTRY: &[&str] = &["template", "rule", "resource", "parameters", "fingerprint", "note"];

impl Baseline {
    /// Reads the baseline in a file. `named_at` is the position in the settings that names the file, if one does. The
    /// baseline is usable only if no diagnostic is an error.
    pub fn open(
        path: &Path,
        named_at: Option<Span>,
        (tree, working): (&dyn Tree, &Path),
        limits: &Limits,
        sources: &Sources,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let name = display_name(working, path);
        let file = tree
            .read(path, limits.file_bytes)
            .map_err(|problem| problem.into_diagnostic(&name, sources))
            .and_then(|bytes| register_baseline(&name, bytes, sources));
        match file {
            Ok(file) => {
                let (baseline, problems) = Self::read(file, sources);
                (Some(baseline), problems)
            }
            Err(problem) => {
                let problem =
                    named_at.into_iter().fold(problem, |problem, span| problem.with_label(span, "named here"));
                let help = format!("`--write-baseline {name}` creates one");
                (None, vec![if tree.entry(path).is_some() { problem } else { problem.with_help(help) }])
            }
        }
    }

    /// Reads a baseline that is registered as a source. It is usable only if no diagnostic is an error.
    pub fn read(file: FileId, sources: &Sources) -> (Self, Vec<Diagnostic>) {
        let parsed = syntax::json::parse(file, sources.get(file).text(), MAX_DEPTH);
        let mut reader = BaselineReader { file, diagnostics: parsed.diagnostics };
        let entries = parsed.value.as_ref().and_then(|page| reader.page(page)).unwrap_or_default();
        (Self { entries }, reader.diagnostics)
    }
}

/// Registers a file that was meant as a baseline. Nothing is quoted of any other: settings may name one with a secret.
fn register_baseline(name: &str, bytes: Contents, sources: &Sources) -> Result<FileId, Diagnostic> {
    if memchr::memmem::find(&bytes, SIGN.as_bytes()).is_some() {
        return register(name, bytes, sources);
    }
    let place = redacted::place(name, &bytes);
    let message = format!("`{place}`: this is not a baseline: `\"schema\": \"{SCHEMA}\"` is missing");
    Err(Diagnostic::of_file(Code::BaselineInvalid, sources.add(name, ""), message))
}

struct BaselineReader {
    file: FileId,
    diagnostics: Vec<Diagnostic>,
}

impl BaselineReader {
    fn invalid(&mut self, at: &Value, message: String) {
        let span = at.span.unwrap_or(Span::whole_file(self.file));
        self.diagnostics.push(Diagnostic::new(Code::BaselineInvalid, span, message));
    }

    fn page(&mut self, value: &Value) -> Option<Vec<BaselineEntry>> {
        let object = self.object(value, "a baseline", PAGE)?;
        match object.get("schema") {
            Some(schema) if schema.as_str() == Some(SCHEMA) => {}
            Some(other) => {
                self.invalid(other, format!("`schema` is `{}`; expected `\"{SCHEMA}\"`", other.to_json_up_to(40)));
                return None;
            }
            None => {
                self.invalid(value, format!("this is not a baseline: `\"schema\": \"{SCHEMA}\"` is missing"));
                return None;
            }
        }
        let Some(findings) = object.get("findings") else {
            self.invalid(value, "missing list `findings`".to_owned());
            return None;
        };
        let Some(items) = findings.as_array() else {
            self.invalid(findings, "`findings` must be a list".to_owned());
            return None;
        };
        Some(items.iter().filter_map(|item| self.entry(item)).collect())
    }

    fn object<'v>(&mut self, value: &'v Value, what: &str, known: &[&'static str]) -> Option<&'v Object> {
        let Some(object) = value.as_object() else {
            self.invalid(value, format!("{what} must be an object"));
            return None;
        };
        object.iter().filter(|member| !known.contains(&&*member.key)).for_each(|member| self.unknown(member, known));
        Some(object)
    }

    /// Reports a member with an unknown name. Its value would be lost when the file is written again.
    fn unknown(&mut self, member: &Member, known: &[&'static str]) {
        let hint = did_you_mean(&member.key, known.iter().copied());
        let message = format!("unknown member `{}`{hint}", member.key);
        let span = member.key_span.unwrap_or(Span::whole_file(self.file));
        let problem = Diagnostic::new(Code::BaselineInvalid, span, message).with_level(Level::Warning);
        self.diagnostics.push(problem.with_help("put remarks into `note`"));
    }

    fn entry(&mut self, value: &Value) -> Option<BaselineEntry> {
        let object = self.object(value, "a finding of a baseline", ENTRY)?;
        let (template, rule) = (self.required(value, "template"), self.required(value, "rule"));
        let fingerprint = self.required(value, "fingerprint");
        let resource = self.optional(value, "resource");
        let note = self.optional(value, "note");
        let parameters = self.parameters(value);
        let span = object.get("rule").or(Some(value)).and_then(|value| value.span);
        Some(BaselineEntry {
            template: template?,
            rule: rule?,
            resource,
            parameters,
            fingerprint: fingerprint?,
            note,
            span,
        })
    }

    fn required(&mut self, entry: &Value, name: &str) -> Option<String> {
        match entry.get(name).map(|value| (value, value.as_str())) {
            Some((_, Some(text))) if !text.is_empty() => Some(text.to_owned()),
            Some((other, _)) => {
                self.invalid(other, format!("`{name}` must be a non-empty string"));
                None
            }
            None => {
                self.invalid(entry, format!("missing member `{name}`"));
                None
            }
        }
    }

    fn optional(&mut self, entry: &Value, name: &str) -> Option<String> {
        let value = entry.get(name).filter(|value| !value.is_null())?;
        let text = value.as_str().map(str::to_owned);
        if text.is_none() {
            self.invalid(value, format!("`{name}` must be a string"));
        }
        text
    }

    fn parameters(&mut self, entry: &Value) -> Vec<String> {
        let Some(value) = entry.get("parameters") else { return Vec::new() };
        let texts = value.as_array().map(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
        texts.flatten().unwrap_or_else(|| {
            self.invalid(value, "`parameters` must be a list of strings".to_owned());
            Vec::new()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the problems of a baseline, each as `level line:column message`.
    fn problems(text: &str) -> Vec<String> {
        let sources = Sources::new();
        let file = sources.add("baseline.json", text);
        let (_, problems) = Baseline::read(file, &sources);
        let shown = problems.iter().map(|problem| {
            let at = sources.range(problem.primary.span).0;
            format!("{} {}:{} {}", problem.level.as_str(), at.line, at.column, problem.message)
        });
        shown.collect()
    }

    #[track_caller]
    fn refuses(text: &str, expected: &[&str]) {
        assert_eq!(problems(text), expected, "{text}");
    }

    fn page(entry: &str) -> String {
        format!("{{\"schema\": \"formwork/baseline/v1\", \"findings\": [\n{entry}\n]}}")
    }

    #[test]
    fn a_file_that_is_not_a_baseline_is_refused() {
        refuses("[]", &["error 1:1 a baseline must be an object"]);
        refuses("{}", &["error 1:1 this is not a baseline: `\"schema\": \"formwork/baseline/v1\"` is missing"]);
        let other = r#"{"schema": "formwork/baseline/v2", "findings": []}"#;
        refuses(other, &["error 1:12 `schema` is `\"formwork/baseline/v2\"`; expected `\"formwork/baseline/v1\"`"]);
        let without = r#"{"schema": "formwork/baseline/v1"}"#;
        refuses(without, &["error 1:1 missing list `findings`"]);
        refuses(&without.replace('}', ", \"findings\": {}}"), &["error 1:48 `findings` must be a list"]);
    }

    #[test]
    fn every_entry_is_validated() {
        let good = r#"{"template": "a.json", "rule": "R", "fingerprint": "f", "note": "later"}"#;
        refuses(&page(good), &[]);
        refuses(&page("5"), &["error 2:1 a finding of a baseline must be an object"]);
        refuses(
            &page(r#"{"template": "a.json", "rule": ""}"#),
            &["error 2:32 `rule` must be a non-empty string", "error 2:1 missing member `fingerprint`"],
        );
        refuses(&page(&good.replace("\"later\"", "[1]")), &["error 2:65 `note` must be a string"]);
        let parameters = good.replace('}', ", \"parameters\": [1]}");
        refuses(&page(&parameters), &["error 2:88 `parameters` must be a list of strings"]);
        refuses(
            &page(&good.replace("\"note\"", "\"notes\"")),
            &["warning 2:57 unknown member `notes`, did you mean `note`?"],
        );
    }

    #[test]
    fn conflict_markers_are_a_syntax_error_at_their_position() {
        let text = page("<<<<<<< ours");
        assert!(problems(&text)[0].starts_with("error 2:1 "), "{:?}", problems(&text));
    }
}
