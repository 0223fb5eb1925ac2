//! Conversion of items to diagnostics of the protocol.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use formwork_model::diagnostic::{BicepCode, Check, CheckKind, Code, CodeFamily, Level, TextTag};
use gen_lsp_types as lsp;
use serde_json::json;

use crate::client::Client;
use crate::items::{Item, Related, Site};
use crate::outline;
use crate::text::Text;

/// Maximum number of diagnostics of a file, and of all files together.
const MAX_OF_FILE: usize = 1_000;
const MAX_OF_ALL: usize = 10_000;

/// Source name that clients show with diagnostics.
pub(crate) const SOURCE: &str = "formwork";

/// Converter of items to diagnostics for a client.
pub(crate) struct DiagnosticsBuilder<'a> {
    pub(crate) client: &'a Client,
    /// Returns the current text of a file.
    pub(crate) text: &'a dyn Fn(&Path) -> Option<&'a Text>,
    /// Returns the URI of a file as the client writes it.
    pub(crate) uri: &'a dyn Fn(&Path) -> String,
}

impl DiagnosticsBuilder<'_> {
    /// Returns the diagnostics of items, by file.
    pub(crate) fn diagnostics<'i>(
        &self,
        items: impl Iterator<Item = &'i Item>,
    ) -> BTreeMap<PathBuf, Vec<lsp::Diagnostic>> {
        let mut drawn: BTreeMap<PathBuf, Vec<lsp::Diagnostic>> = BTreeMap::new();
        let mut causes: BTreeMap<(PathBuf, usize, usize), Vec<&Item>> = BTreeMap::new();
        let mut count = 0;
        let mut of_aws: BTreeMap<&Path, bool> = BTreeMap::new();
        for item in items {
            let file = item.site.file.as_path();
            // Each text is searched once.
            let mut is_of_aws = || {
                *of_aws
                    .entry(file)
                    .or_insert_with(|| (self.text)(file).is_some_and(|text| outline::is_of_aws(text.text())))
            };
            let is_minor = self.client.options.least.is_some_and(|least| item.level < least);
            if is_minor || self.is_of_others(item, &mut is_of_aws) {
                continue;
            }
            let of_file = drawn.entry(item.site.file.clone()).or_default();
            if count == MAX_OF_ALL || of_file.len() > MAX_OF_FILE {
                continue;
            }
            let Some(diagnostic) = self.diagnostic(item) else { continue };
            count += 1;
            of_file.push(if of_file.len() == MAX_OF_FILE { more(&diagnostic) } else { diagnostic });
            if self.client.options.causes && !item.is_undecided {
                for related in item.related.iter().filter(|related| related.is_origin) {
                    let Site { file, range } = &related.site;
                    causes.entry((file.clone(), range.start, range.end)).or_default().push(item);
                }
            }
        }
        for ((file, start, end), items) in causes {
            let hint = self.cause(&Site { file: file.clone(), range: start..end }, &items);
            let of_file = drawn.entry(file).or_default();
            if of_file.len() < MAX_OF_FILE {
                of_file.extend(hint);
            }
        }
        drawn
    }

    /// True if an extension that runs beside the server reports the same.
    fn is_of_others(&self, item: &Item, is_of_aws: &mut dyn FnMut() -> bool) -> bool {
        let is_bicep = item.site.file.extension().is_some_and(|name| name == "bicep" || name == "bicepparam");
        let beside = self.client.options.beside;
        (beside.bicep && is_bicep && is_of_bicep(item))
            || (beside.cloudformation && !is_bicep && is_of_cloudformation(item) && is_of_aws())
    }

    pub(crate) fn location(&self, site: &Site) -> Option<lsp::Location> {
        let range = (self.text)(&site.file)?.range(&site.range, self.client.encoding);
        Some(lsp::Location { uri: lsp::Uri((self.uri)(&site.file)), range })
    }

    fn diagnostic(&self, item: &Item) -> Option<lsp::Diagnostic> {
        let range = self.location(&item.site)?.range;
        let tags = tags(item);
        Some(lsp::Diagnostic {
            severity: Some(if item.is_undecided { lsp::DiagnosticSeverity::Hint } else { severity(item.level) }),
            code_description: item.page.clone().filter(|_| self.client.shows_pages).map(page),
            message: self.message(item).into(),
            tags: (!tags.is_empty()).then_some(tags),
            related_information: self.related(&item.related),
            data: (!item.fingerprint.is_empty()).then(|| json!({"fingerprint": item.fingerprint})),
            ..blank(range, &item.code)
        })
    }

    fn related(&self, related: &[Related]) -> Option<Vec<lsp::DiagnosticRelatedInformation>> {
        if !self.client.shows_related || related.is_empty() {
            return None;
        }
        let drawn = related.iter().filter_map(|related| {
            let location = self.location(&related.site)?;
            Some(lsp::DiagnosticRelatedInformation { location, message: related.message.clone() })
        });
        Some(drawn.collect())
    }

    /// Returns the message, with the origins of the value if the client does not show related locations.
    fn message(&self, item: &Item) -> String {
        let mut message = item.message.clone();
        if !self.client.shows_related {
            for Related { site, message: step, .. } in &item.related {
                let name = site.file.file_name().unwrap_or_default().to_string_lossy();
                let line = (self.text)(&site.file).map_or(0, |text| text.line(site.range.start)) + 1;
                let _ = write!(message, "\n{name}:{line}: {step}");
            }
        }
        message
    }

    /// Returns a hint at the origin of a value about the findings that the value causes.
    fn cause(&self, site: &Site, items: &[&Item]) -> Option<lsp::Diagnostic> {
        let range = self.location(site)?.range;
        let first = items.first()?;
        let name = first.site.file.file_name().unwrap_or_default().to_string_lossy();
        let line = (self.text)(&first.site.file)?.line(first.site.range.start) + 1;
        let more = match items.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let related = items.iter().take(20).filter_map(|item| {
            let message = format!("{}: {}", item.code, item.message);
            Some(lsp::DiagnosticRelatedInformation { location: self.location(&item.site)?, message })
        });
        Some(lsp::Diagnostic {
            severity: Some(lsp::DiagnosticSeverity::Hint),
            message: format!("leads to {}{more} in {name}:{line}", first.code).into(),
            related_information: self.client.shows_related.then(|| related.collect()),
            ..blank(range, &first.code)
        })
    }
}

/// Returns a diagnostic without a message.
fn blank(range: lsp::Range, code: &str) -> lsp::Diagnostic {
    lsp::Diagnostic {
        range,
        severity: None,
        code: Some(code.to_owned().into()),
        code_description: None,
        source: Some(SOURCE.to_owned()),
        message: String::new().into(),
        tags: None,
        related_information: None,
        data: None,
    }
}

fn page(href: String) -> lsp::CodeDescription {
    lsp::CodeDescription { href: lsp::Uri(href) }
}

/// Returns the diagnostic in place of those that are not shown.
fn more(last: &lsp::Diagnostic) -> lsp::Diagnostic {
    let message = format!("only the first {MAX_OF_FILE} findings of this file are shown; `formwork check` lists all");
    let severity = Some(lsp::DiagnosticSeverity::Information);
    lsp::Diagnostic { severity, message: message.into(), ..blank(last.range, "formwork") }
}

fn severity(level: Level) -> lsp::DiagnosticSeverity {
    match level {
        Level::Error => lsp::DiagnosticSeverity::Error,
        Level::Warning => lsp::DiagnosticSeverity::Warning,
        Level::Note => lsp::DiagnosticSeverity::Hint,
    }
}

/// Returns the tags that clients use for unneeded code.
fn tags(item: &Item) -> Vec<lsp::DiagnosticTag> {
    let tag = item.check.and_then(Check::tag);
    let tag = tag.map(|tag| match tag {
        TextTag::Unnecessary => lsp::DiagnosticTag::Unnecessary,
        TextTag::Deprecated => lsp::DiagnosticTag::Deprecated,
    });
    tag.into_iter().collect()
}

/// True if Bicep's own extension reports the same: errors, and warnings of its linter.
fn is_of_bicep(item: &Item) -> bool {
    if BicepCode::read_id(&item.code).is_some() {
        return true;
    }
    match item.check {
        Some(check) => matches!(check.kind(), CheckKind::Schema | CheckKind::Unused),
        None => {
            item.problem_code().is_some_and(|code| code == Code::BicepDiagnostic || code.family() == CodeFamily::Syntax)
        }
    }
}

/// True if extensions for CloudFormation, which run cfn-lint, report the same.
fn is_of_cloudformation(item: &Item) -> bool {
    match item.check {
        Some(check) => matches!(check.kind(), CheckKind::Schema | CheckKind::Template),
        None => {
            item.problem_code().is_some_and(|code| matches!(code.family(), CodeFamily::Syntax | CodeFamily::Template))
        }
    }
}

#[cfg(test)]
mod tests {
    use formwork_model::declare_checks;
    use formwork_model::diagnostic::CheckTable;

    use super::*;
    use crate::client::Beside;

    declare_checks! {
        const CHECKS;

        UNUSED = Unused Low "variable/unused" "V" "summary" "why" "fix";
        SECRET = Secret High "secret/output" "S" "summary" "why" "fix";
        SCHEMA = Schema High "schema/type" "T" "summary" "why" "fix";
        STALE = Deployment Medium "bicep/stale-output" "B" "summary" "why" "fix";
        SHAPE = Template High "template/shape" "H" "summary" "why" "fix";
    }

    /// Whether a finding or a problem of this code is shown, in a file with this text.
    #[track_caller]
    fn check(beside: Beside, file: &str, content: &'static str, code: &str, expected: bool) {
        let mut client = Client::default();
        client.options.beside = beside;
        let text = Text::new(content.into());
        let site = Site { file: file.into(), range: 0..1 };
        let mut item = Item::new(site, code, Level::Error, "");
        item.check = CheckTable::new(CHECKS.iter().copied()).find(code);
        item.is_finding = item.check.is_some() || Code::read(code).is_none();
        let builder =
            DiagnosticsBuilder { client: &client, text: &|_| Some(&text), uri: &|path| path.display().to_string() };
        assert_eq!(!builder.diagnostics(std::iter::once(&item)).is_empty(), expected, "{file}: {code}");
    }

    #[test]
    fn what_is_less_severe_than_the_client_asks_for_is_not_shown() {
        let text = Text::new("x".into());
        for (least, expected) in [("note", 3), ("warning", 2), ("error", 1), ("fatal", 3)] {
            let client = Client::from_parameters(&json!({"initializationOptions": {"minSeverity": least}}));
            let builder =
                DiagnosticsBuilder { client: &client, text: &|_| Some(&text), uri: &|path| path.display().to_string() };
            let site = Site { file: "a.bicep".into(), range: 0..1 };
            let items =
                [Level::Error, Level::Warning, Level::Note].map(|level| Item::new(site.clone(), "A", level, ""));
            assert_eq!(builder.diagnostics(items.iter()).values().map(Vec::len).sum::<usize>(), expected, "{least}");
        }
    }

    #[test]
    fn what_other_extensions_report_is_not_said_twice() {
        let bicep = Beside { bicep: true, ..Beside::default() };
        let aws = Beside { cloudformation: true, ..Beside::default() };
        let stack = "Resources: {Bucket: {Type: AWS::S3::Bucket}}";
        for code in ["syntax/bicep", "bicep/diagnostic", "schema/type", "variable/unused"] {
            check(bicep, "main.bicep", "x", code, false);
            check(aws, "main.bicep", "x", code, true);
            check(Beside::default(), "main.bicep", "x", code, true);
        }
        for code in ["syntax/yaml", "schema/type", "template/shape"] {
            check(aws, "stack.yaml", stack, code, false);
            check(bicep, "stack.yaml", stack, code, true);
            // Of Resource Manager's templates, they report nothing.
            check(aws, "main.json", "x", code, true);
        }
        for code in ["AZ-STORAGE-003", "secret/output", "bicep/stale-output", "parameter/missing"] {
            check(bicep, "main.bicep", "x", code, true);
            check(aws, "stack.yaml", stack, code, true);
        }
    }
}
