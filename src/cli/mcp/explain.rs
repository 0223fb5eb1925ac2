//! The tool `explain`: where a value comes from, and what a rule expects of it.

use std::fmt::Write as _;
use std::path::Path;

use formwork_mcp::{ToolAnswer, ToolCall};

use crate::cli::explain::{ValueOrigin, steps_on_line};
use crate::cli::mcp::expand::expanded;
use crate::cli::mcp::rules;
use crate::cli::mcp::text::cut_lines;
use crate::cli::mcp::unsaved::{Unsaved, inside};
use crate::cli::mcp::workbench::Workbench;
use crate::diagnostic::{Finding, Outcome};
use crate::report::brief::{Words, quoted, quoted_file, quoted_message};
use crate::report::model::Resolver;
use crate::text::Sources;

/// Maximum length of an answer, in tokens.
const MAX_LENGTH: usize = 500;

/// Number of values that are explained.
const MAX_VALUES: usize = 4;

/// Number of steps of a value.
const MAX_STEPS: usize = 8;

/// Answers a call of the tool.
pub(super) fn explain(bench: &mut Workbench, call: &ToolCall) -> Result<ToolAnswer, String> {
    let at = call.arguments.text("at").unwrap_or_default();
    let unsaved = bench.unsaved(&call.arguments)?;
    let text = match place(at) {
        Some((file, line)) => explain_line(bench, &unsaved, file, line, call)?,
        None => explain_finding(bench, &unsaved, at, call)?,
    };
    Ok(ToolAnswer::text(cut_lines(&text, MAX_LENGTH, "`rules` shows the page of a rule")))
}

/// Returns the file and the line of `FILE:LINE` or `FILE:LINE:COLUMN`.
fn place(at: &str) -> Option<(&str, u32)> {
    let (rest, last) = at.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?))) {
        Some((file, line)) => Some((file, line)),
        None => Some((rest, last)),
    }
}

fn explain_line(
    bench: &Workbench,
    unsaved: &Unsaved,
    file: &str,
    line: u32,
    call: &ToolCall,
) -> Result<String, String> {
    let path = inside(file, &bench.root)?;
    let (expanded, sources) = expanded(bench, unsaved, path, &[], call)?;
    let found = steps_on_line(&expanded, line, &sources);
    if found.is_empty() {
        return Err(format!("no value that is deployed begins at {}:{line}", quoted_file(file)));
    }
    let mut text: String = found.iter().take(MAX_VALUES).map(shown).collect();
    if found.len() > MAX_VALUES {
        let _ = writeln!(text, "and {} more values", found.len() - MAX_VALUES);
    }
    Ok(text)
}

fn shown(steps: &ValueOrigin) -> String {
    let of = steps
        .resource
        .as_ref()
        .map_or_else(String::new, |(type_name, name)| format!(" of {} {}", quoted_file(type_name), quoted(name)));
    let mut text = format!("{}{of} is {}\n", quoted(&steps.path), quoted(&steps.value));
    for (label, place) in steps.steps.iter().take(MAX_STEPS) {
        let place = place.as_ref().map_or_else(
            || "given by the settings or the environment".to_owned(),
            |(file, line)| format!("at {}:{line}", quoted_file(file)),
        );
        let _ = writeln!(text, "- {}, {place}", quoted_message(label, Words::Foreign));
    }
    if let Some(why) = &steps.unknown {
        let _ = writeln!(text, "- known only after the deployment: {}", quoted_message(why, Words::Foreign));
    }
    text
}

/// Explains the finding with an ID: its message, the steps to its value, and its rule.
fn explain_finding(bench: &mut Workbench, unsaved: &Unsaved, id: &str, call: &ToolCall) -> Result<String, String> {
    let is_id = id.len() >= 4 && id.chars().all(|c| c.is_ascii_hexdigit());
    if !is_id {
        return Err("`at` must be `file:line`, or the ID of a finding, such as 3f1c9a02".to_owned());
    }
    let root = bench.root.clone();
    let finished = bench.check(unsaved, vec![root], None, call)?;
    let run = &finished.run;
    let is_meant = |finding: &&Finding| finding.fingerprint.starts_with(id) && finding.outcome != Outcome::Passed;
    let Some(finding) = run.findings.iter().find(is_meant) else {
        return Err("no finding has this ID now; `check` lists them".to_owned());
    };
    let mut text = finding_text(finding, &run.sources);
    let (infos, sources) = rules::loaded(bench)?;
    if let Ok(page) = rules::rule_page(&infos, &finding.rule.id, &sources) {
        text.push_str(&page);
    }
    Ok(text)
}

fn finding_text(finding: &Finding, sources: &Sources) -> String {
    let mut resolver = Resolver::new(sources);
    let place = resolver.place(finding.span);
    let name = quoted_file(place.file.name());
    let mut text = format!(
        "{} {} {name}:{}:{} {}\n",
        finding.rule.severity.as_str(),
        finding.rule.id,
        place.start.line,
        place.start.column,
        quoted_message(&finding.message, Words::Foreign)
    );
    if let Some(resource) = &finding.resource {
        let _ = writeln!(text, "- resource: {} {}", quoted_file(&resource.type_name), quoted(&resource.name));
    }
    for label in finding.related.iter().take(MAX_STEPS) {
        let place = resolver.label(label.clone());
        let file = quoted_file(Path::new(&**place.place.file.name()).to_string_lossy().as_ref());
        let message = quoted_message(&place.text(), Words::Foreign);
        let _ = writeln!(text, "- {message} at {file}:{}", place.place.start.line);
    }
    text
}
