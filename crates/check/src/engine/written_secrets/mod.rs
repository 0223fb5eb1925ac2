//! Finds the secrets that are written in the files of an expansion: tokens and keys of known formats in any string, and
//! the values of settings whose names are those of secrets.
//!
//! # Invariant
//!
//! No report shows a token or key of a known format: each text hides those that it has from excerpts, and
//! [`report`] hides them in the values and the messages of an expansion.

mod settings;
mod table;

use std::sync::Arc;

use foldhash::HashSet;

use crate::checks::{SECRET_SETTING, SECRET_TOKEN};
use crate::diagnostic::common_checks::SECRET_NAME;
use crate::engine::problems::Texts;
use crate::engine::written_secrets::settings::{Setting, Verdict};
use crate::model::{Document, Expansion, Issue, Mask, SecretTexts};
use crate::text::{FileId, Sources, Span, known_secrets};
use crate::value::{Step, Value};

/// Reports the secrets that are written in the files of an expansion, and hides them. If `is_silent`, only hides them.
pub(super) fn report(expansion: &mut Expansion, texts: &Texts<'_>, is_silent: bool) {
    let Some(document) = &mut expansion.document else { return };
    let (mut issues, mask) = tokens(document, texts);
    let mask = mask.map(Arc::new);
    let mut spans = Vec::new();
    let parameters = reported_parameters(&expansion.issues);
    settings::visit(document, &mut |setting| {
        let Some(verdict) = settings::verdict(setting) else { return };
        if mask.as_ref().is_some_and(|mask| mask.is_in(setting.text)) || is_of_parameter(setting, &parameters) {
            return;
        }
        spans.extend(setting.spans());
        issues.extend(setting.value.span.map(|span| issue_of(setting, verdict, span)));
    });
    if mask.is_none() && spans.is_empty() {
        return;
    }
    if let Some(mask) = &mask {
        expansion.diagnostics.iter_mut().for_each(|diagnostic| mask.hide_in(diagnostic));
        expansion.issues.iter_mut().for_each(|issue| mask.hide_in_issue(issue));
    }
    document.hidden.extend(spans, mask);
    document.mark_hidden();
    if !is_silent {
        let mut seen = HashSet::default();
        issues.retain(|issue| seen.insert((issue.check, issue.span)));
        expansion.issues.extend(issues);
    }
}

/// Returns the findings about tokens and keys in the texts of a document, and what hides them.
fn tokens(document: &Document, texts: &Texts<'_>) -> (Vec<Issue>, Option<Mask>) {
    let (secret_texts, mut issues, mut linked) = (SecretTexts::default(), Vec::new(), Vec::new());
    for file in files(document, texts) {
        let source = texts.sources.get(file);
        for secret in source.known_secrets() {
            let [start, end] = [secret.range.start, secret.range.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
            let span = Span::new(file, start, end);
            let text = source.text().get(secret.range.clone()).unwrap_or_default();
            secret_texts.note(&Value::from(distinctive(text)).into_secret());
            let message = format!("{} is written here", secret.what);
            issues.push(Issue::new(SECRET_TOKEN, texts.path(span, &mut linked), span, message));
        }
    }
    let mask = (!issues.is_empty()).then(|| secret_texts.mask());
    (issues, mask)
}

/// Returns what hides the tokens and keys of one text in messages. `None` if it has none.
pub(super) fn mask_of(sources: &Sources, file: FileId) -> Option<Mask> {
    let source = sources.get(file);
    let texts = SecretTexts::default();
    for secret in source.known_secrets() {
        let text = source.text().get(secret.range.clone()).unwrap_or_default();
        texts.note(&Value::from(distinctive(text)).into_secret());
    }
    (!source.known_secrets().is_empty()).then(|| texts.mask())
}

/// Returns the files that the resources of a document come from, and those with parameters.
fn files(document: &Document, texts: &Texts<'_>) -> Vec<FileId> {
    let mut files: Vec<FileId> = texts.known.iter().map(|(file, _)| *file).collect();
    files.extend(document.resources.iter().map(|resource| resource.span.file));
    let mut seen = HashSet::default();
    files.retain(|file| seen.insert(*file));
    files
}

/// Returns the part of a secret that is the same in a text and in its value: the longest one without escapes.
fn distinctive(secret: &str) -> &str {
    let is_of_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-' | '.' | '~');
    if secret.chars().all(|c| c != '\\' && !c.is_whitespace()) {
        return secret;
    }
    let parts = secret.split("\\n").flat_map(|part| part.split(|c| !is_of_part(c)));
    parts.max_by_key(|part| part.len()).unwrap_or(secret)
}

/// Returns the names of the parameters that are reported by their names, in lower case.
fn reported_parameters(issues: &[Issue]) -> HashSet<String> {
    let named = issues.iter().filter(|issue| issue.check == SECRET_NAME);
    named.filter_map(|issue| Some(issue.path.rsplit_once('.')?.1.to_ascii_lowercase())).collect()
}

/// Returns `true` if the value of a setting is that of a parameter which is reported: the cause and the fix are the same.
fn is_of_parameter(setting: &Setting<'_>, reported: &HashSet<String>) -> bool {
    match setting.value.via.as_ref().map(|via| &via.step) {
        Some(Step::Parameter(name) | Step::Default(name)) => reported.contains(&name.to_ascii_lowercase()),
        _ => false,
    }
}

/// Returns the finding about a setting.
fn issue_of(setting: &Setting<'_>, verdict: Verdict, span: Span) -> Issue {
    let Setting { name, noun, resource, path, .. } = setting;
    let (check, message) = match verdict {
        Verdict::Known(what) => (SECRET_TOKEN, format!("{noun} `{name}` has {what}")),
        Verdict::ByName => (SECRET_SETTING, format!("the value of {noun} `{name}` is written in the template")),
    };
    let mut issue = Issue::new(check, path.as_str(), span, message);
    issue.resource = Some(*resource);
    match setting.value.via.as_ref().and_then(|via| Some((via.span?, via.step.describe()))) {
        Some((span, step)) => issue.with_label(span, step),
        None => issue,
    }
}

/// Returns the name of the format of a token or key in a text.
fn known(text: &str) -> Option<&'static str> {
    known_secrets(text).first().map(|secret| secret.what)
}
