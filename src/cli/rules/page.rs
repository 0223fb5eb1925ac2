//! `formwork rules show`: everything about a rule, for the terminal and as a Markdown page.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::Environment;
use crate::cli::args::{PageFormat, RulesShowArguments};
use crate::cli::exit::{Error, Exit};
use crate::cli::rules::example;
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::cli::terminal::Color;
use crate::config::Profile;
use crate::diagnostic::{Category, Code, DeclaredFix, Effect, Pillar, RuleInfo, matches_pattern};
use crate::engine;
use crate::rules::{counterparts, json};
use crate::text::escape::{self, Notation, visible};
use crate::text::{Sources, Suggestions};

/// Prints the pages of the rules that match an ID, a name, or a pattern.
pub(super) fn run(arguments: &RulesShowArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut workspace = Workspace::open(arguments.config.as_deref(), Color::Auto, environment)?;
    workspace.settings.choices.profile = Some(Profile::All);
    let infos = workspace.rules(&arguments.rules.given)?.infos;
    let of_bicep: Vec<Arc<RuleInfo>> = engine::bicep_rule(&arguments.id).map(Arc::new).into_iter().collect();
    let mut found = matching_rules(&infos, &arguments.id);
    if found.is_empty() {
        found.extend(&of_bicep);
    }
    if let Some(code) = Code::read(&arguments.id).filter(|_| found.is_empty()) {
        streams::out(Notation::Plain).write_all(code_page(code).as_bytes())?;
        return Ok(Exit::Clean);
    }
    if found.is_empty() {
        let names = infos.iter().flat_map(|info| [info.id.as_str(), info.name.as_str()]);
        return Err(unknown_rule(&arguments.rules.given.rules, &arguments.id, names));
    }
    let page = |info: &&Arc<RuleInfo>| match arguments.format {
        PageFormat::Console => console(info, &properties(info, &workspace.sources)),
        PageFormat::Markdown => markdown(info),
    };
    let pages: Vec<String> = found.iter().map(page).collect();
    streams::out(Notation::Plain).write_all(pages.join("\n").as_bytes())?;
    Ok(Exit::Clean)
}

/// Returns the page of a problem code, which is not a finding of a rule.
fn code_page(code: Code) -> String {
    let (id, level, summary) = (code.as_str(), code.level(), code.summary());
    let effect = match code.effect() {
        Effect::EndsRun => "ends the run with exit code 2, and nothing is checked",
        Effect::Error => "fails the run with exit code 3, unless `--allow-unreadable` is set",
        Effect::Unchecked => {
            "does not change the exit code, unless `--strict` is set: then it fails the run with exit code 3"
        }
        Effect::Warning | Effect::Note => "does not change the exit code",
    };
    format!("{id}\nLevel: {}; it {effect}\n\n{summary}\n", level.as_str())
}

/// Returns the rules that match an ID, a name, or a pattern with `*`. IDs have precedence, because names may not be
/// unique.
fn matching_rules<'a>(infos: &'a [Arc<RuleInfo>], text: &str) -> Vec<&'a Arc<RuleInfo>> {
    if text.contains('*') {
        return infos
            .iter()
            .filter(|info| [&info.id, &info.name].iter().any(|name| matches_pattern(text, name)))
            .collect();
    }
    let by_id: Vec<_> = infos.iter().filter(|info| text.eq_ignore_ascii_case(&info.id)).collect();
    if by_id.is_empty() { infos.iter().filter(|info| text.eq_ignore_ascii_case(&info.name)).collect() } else { by_id }
}

fn unknown_rule<'a>(rules: &[PathBuf], id: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let mut hint = Suggestions::default().did_you_mean(id, known);
    if hint.is_empty() && rules.is_empty() {
        hint.push_str("; `--rules` adds rule files");
    }
    Error::Usage(format!("there is no rule `{id}`{hint}"))
}

/// Returns the property paths of a JSON rule with their types. A ruleset has no such paths.
pub(in crate::cli) fn properties(info: &RuleInfo, sources: &Sources) -> Vec<(String, String)> {
    if let Some(span) = info.definition {
        return json::declarations(span.file, sources.get(span.file).text(), &info.id);
    }
    let embedded = formwork_builtin::FILES.iter().map(|(_, text)| *text).filter(|text| text.contains(&info.id));
    embedded
        .flat_map(|text| {
            let file = sources.add("builtin", text);
            json::declarations(file, sources.get(file).text(), &info.id)
        })
        .collect()
}

/// Returns the facts that a page shows on one line each, with their headings.
fn facts(info: &RuleInfo) -> Vec<(&'static str, String)> {
    let details = &info.details;
    let profile = match (details.is_optional, details.is_for_production) {
        (true, _) => "only with `--profile all`, or if the settings name it",
        (false, true) => "with severity `low`, unless the profile is `production` or `all`",
        (false, false) => "",
    };
    let facts = [
        ("Severity", info.severity.as_str().to_owned()),
        ("Pillar", details.pillar.map_or("", Pillar::as_str).to_owned()),
        ("Category", details.category.map_or("", Category::as_str).to_owned()),
        ("Runs", profile.to_owned()),
        ("Resources", info.resource_types.join(", ")),
        ("Default", details.platform_default.clone().unwrap_or_default()),
        ("Fix", listed(details.fixes.iter().map(fix_fact))),
        ("Controls", listed(details.controls.iter().map(ToString::to_string))),
        ("Tags", details.tags.join(", ")),
        ("Other tools", listed(counterparts::counterparts(&info.id).iter().map(ToString::to_string))),
        ("More", info.help_uri.clone().unwrap_or_default()),
    ];
    facts.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

fn fix_fact(fix: &DeclaredFix) -> String {
    let flag = if fix.is_unsafe { "--unsafe-fixes" } else { "--fix" };
    format!("`{flag}` sets `{}` to `{}`", fix.path, fix.value)
}

fn listed(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

/// Returns the paragraphs about a rule. The short and the full description of many rules are equal.
fn paragraphs(info: &RuleInfo) -> Vec<&str> {
    let mut paragraphs = vec![info.short_description.as_str(), &info.full_description];
    paragraphs.extend(info.recommendation.as_deref());
    paragraphs.dedup();
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

pub(in crate::cli) fn console(info: &RuleInfo, properties: &[(String, String)]) -> String {
    let mut lines = vec![format!("{}  {}", info.id, info.name)];
    lines.extend(facts(info).into_iter().map(|(name, text)| format!("{name}: {}", text.replace('`', ""))));
    lines.extend(properties.iter().map(|(path, declared)| format!("Property: {path} ({declared})")));
    for paragraph in paragraphs(info) {
        lines.push(String::new());
        lines.extend(paragraph.lines().map(str::to_owned));
    }
    for shown in example::languages(info) {
        for (what, text) in [("fails", shown.before), ("passes", shown.after)] {
            lines.push(String::new());
            lines.push(format!("{}, {what}:", shown.language));
            lines.extend(text.lines().map(|line| format!("  {line}")));
        }
    }
    lines.iter().flat_map(|line| [escape::line(line), "\n".into()]).collect()
}

fn markdown(info: &RuleInfo) -> String {
    let mut text = format!("## {}\n\n`{}`\n", line(&info.id), line(&info.name));
    for (at, paragraph) in paragraphs(info).into_iter().enumerate() {
        let bold = if at == 0 { "**" } else { "" };
        let _ = writeln!(text, "\n{bold}{}{bold}", line(paragraph));
    }
    text.push_str("\n| | |\n|---|---|\n");
    for (name, fact) in facts(info) {
        let _ = writeln!(text, "| {name} | {} |", cell(&fact));
    }
    for (at, shown) in example::languages(info).into_iter().enumerate() {
        let fence = shown.fence;
        let (before, after) = (escaped_lines(&shown.before), escaped_lines(&shown.after));
        // The first language is shown. The others are folded.
        let (open, close) = match at {
            0 => (String::new(), ""),
            _ => (format!("\n<details><summary>{}</summary>\n", shown.language), "\n</details>\n"),
        };
        let _ = write!(text, "{open}\nFails:\n\n```{fence}\n{before}```\n\nPasses:\n\n```{fence}\n{after}```\n{close}");
    }
    text
}

fn escaped_lines(text: &str) -> String {
    text.lines().flat_map(|one| [escape::line(one), "\n".into()]).collect()
}

/// Escapes text for one line of a Markdown page.
fn line(text: &str) -> Cow<'_, str> {
    escape::line(text)
}

/// Escapes text for a cell of a Markdown table.
pub(super) fn cell(text: &str) -> String {
    visible(text).replace('|', "\\|")
}
