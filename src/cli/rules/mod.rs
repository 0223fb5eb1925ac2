//! `formwork rules`: lists, explains, validates, generates and tests rules.

mod marks;
mod test;

use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;

use crate::cli::Environment;
use crate::cli::args::{
    ListFormat, RuleArguments, RulesCommand, RulesGenArguments, RulesLintArguments, RulesListArguments,
    RulesShowArguments,
};
use crate::cli::exit::{Error, Exit};
use crate::cli::expand::{self, expand_template};
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::cli::terminal::Color;
use crate::config::RuleSettings;
use crate::diagnostic::{Code, Diagnostic, Level, RuleInfo};
use crate::engine::{RuleSource, lint_rules};
use crate::files::Disk;
use crate::rules::counterparts::{self, Counterpart};
use crate::rules::{builtin, guard, json};
use crate::text::escape::{self, Notation, visible};
use crate::text::{Sources, did_you_mean};

/// Runs one of the commands about rules.
pub(super) fn run(command: &RulesCommand, environment: &Environment) -> Result<Exit, Error> {
    match command {
        RulesCommand::List(it) => list(it, environment),
        RulesCommand::Show(it) => show(it, environment),
        RulesCommand::Lint(it) => lint(it, environment),
        RulesCommand::Gen(it) => generate(it, environment),
        RulesCommand::Test(it) => test::run(it, environment),
        RulesCommand::Schema => schema(),
    }
}

fn list(arguments: &RulesListArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut workspace = Workspace::open(arguments.config.as_deref(), Color::Auto, environment)?;
    let infos = workspace.rules(&arguments.rules)?.infos;
    let text = match arguments.format {
        ListFormat::Console if arguments.map => columns(infos.iter().map(|info| mapped(info))),
        ListFormat::Console => columns(infos.iter().map(|info| row(info))),
        ListFormat::Json => {
            let all: Vec<_> = infos.iter().map(|info| wire(info, arguments.map)).collect();
            format!("{:#}\n", serde_json::Value::Array(all))
        }
    };
    let notation = match arguments.format {
        ListFormat::Console => Notation::Plain,
        ListFormat::Json => Notation::Json,
    };
    streams::out(notation).write_all(text.as_bytes())?;
    Ok(Exit::Clean)
}

fn row(info: &RuleInfo) -> [String; 4] {
    let types = info.resource_types.join(", ");
    [info.id.clone(), info.severity.as_str().to_owned(), info.name.clone(), types]
}

/// The counterparts of a rule instead of its resources.
fn mapped(info: &RuleInfo) -> [String; 3] {
    let theirs: Vec<String> = counterparts::of(&info.id).iter().map(ToString::to_string).collect();
    [info.id.clone(), info.name.clone(), theirs.join(", ")]
}

fn wire(info: &RuleInfo, with_counterparts: bool) -> serde_json::Value {
    let mut wire = serde_json::json!({
        "id": info.id,
        "name": info.name,
        "severity": info.severity.number(),
        "level": info.severity.level().as_str(),
        "description": info.full_description,
        "recommendation": info.recommendation,
        "help": info.help_uri,
        "resourceTypes": info.resource_types,
    });
    if with_counterparts && let Some(members) = wire.as_object_mut() {
        let theirs = counterparts::of(&info.id);
        let entry = |known: &Counterpart| serde_json::json!({"tool": known.tool.key(), "id": known.id, "extent": known.extent.key()});
        members.insert("counterparts".to_owned(), theirs.iter().map(entry).collect());
    }
    wire
}

/// Aligns the cells of rows in columns. Lines have no trailing blanks.
fn columns<const N: usize>(rows: impl Iterator<Item = [String; N]>) -> String {
    let rows: Vec<[String; N]> = rows.collect();
    let rows: Vec<[Cow<'_, str>; N]> = rows.iter().map(|row| row.each_ref().map(|cell| visible(cell))).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        text.push_str(&escape::line(line.trim_end()));
        text.push('\n');
    }
    text
}

fn show(arguments: &RulesShowArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut workspace = Workspace::open(arguments.config.as_deref(), Color::Auto, environment)?;
    let infos = workspace.rules(&arguments.rules)?.infos;
    let is_meant = |name: &str| name.eq_ignore_ascii_case(&arguments.id);
    // Names need not be unique, so an ID comes before them.
    let mut found: Vec<_> = infos.iter().filter(|info| is_meant(&info.id)).collect();
    if found.is_empty() {
        found = infos.iter().filter(|info| is_meant(&info.name)).collect();
    }
    if found.is_empty() {
        let names = infos.iter().flat_map(|info| [info.id.as_str(), info.name.as_str()]);
        return Err(unknown_rule(&arguments.rules, &arguments.id, names));
    }
    let pages: Vec<String> = found.iter().map(|info| page(info, &properties(info, &workspace.sources))).collect();
    streams::out(Notation::Plain).write_all(pages.join("\n").as_bytes())?;
    Ok(Exit::Clean)
}

fn unknown_rule<'a>(arguments: &RuleArguments, id: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let mut hint = did_you_mean(id, known);
    if hint.is_empty() && arguments.rules.is_empty() {
        hint.push_str("; `--rules` adds rule files");
    }
    Error::Usage(format!("there is no rule `{id}`{hint}"))
}

/// The paths that a JSON rule names, with the types that they have. A ruleset has no paths of this kind.
fn properties(info: &RuleInfo, sources: &Sources) -> Vec<(String, String)> {
    if let Some(span) = info.definition {
        return json::declarations(span.file, sources.get(span.file).text(), &info.id);
    }
    let embedded = builtin::sources().iter().map(|(_, text)| *text).filter(|text| text.contains(&info.id));
    embedded
        .flat_map(|text| {
            let file = sources.add("builtin", text);
            json::declarations(file, sources.get(file).text(), &info.id)
        })
        .collect()
}

fn page(info: &RuleInfo, properties: &[(String, String)]) -> String {
    let types = info.resource_types.join(", ");
    let fields = [
        ("Severity", Some(info.severity.as_str())),
        ("Resources", Some(types.as_str()).filter(|text| !text.is_empty())),
        ("More", info.help_uri.as_deref()),
    ];
    let mut lines = vec![format!("{}  {}", info.id, info.name)];
    lines.extend(fields.iter().filter_map(|(name, value)| value.map(|value| format!("{name}: {value}"))));
    lines.extend(properties.iter().map(|(path, declared)| format!("Property: {path} ({declared})")));
    let mut paragraphs = vec![info.short_description.as_str(), &info.full_description];
    paragraphs.extend(info.recommendation.as_deref());
    // Many rules say the same in their short and their full description.
    paragraphs.dedup();
    for paragraph in paragraphs.into_iter().filter(|paragraph| !paragraph.is_empty()) {
        lines.push(String::new());
        lines.extend(paragraph.lines().map(str::to_owned));
    }
    lines.iter().flat_map(|line| [escape::line(line), "\n".into()]).collect()
}

fn lint(arguments: &RulesLintArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut workspace = Workspace::bare(arguments.color, environment);
    let files: &[PathBuf] = &arguments.files;
    let source = RuleSource {
        working: &environment.working,
        tree: &Disk,
        builtin: false,
        needs_texts: true,
        paths: files,
        settings: &RuleSettings::default(),
        environment: &environment.variables,
        limits: &workspace.limits,
    };
    let (loaded, problems) = lint_rules(&source, &workspace.sources);
    // A check warns of what it cannot compare with a variable and goes on. Here such a file is wrong.
    let problems: Vec<Diagnostic> = problems.into_iter().map(at_usual_level).collect();
    let errors = problems.iter().filter(|problem| problem.level == Level::Error).count();
    let warnings = problems.iter().filter(|problem| problem.level == Level::Warning).count();
    workspace.print(Vec::new(), problems)?;
    let mut out = streams::out(Notation::Plain);
    writeln!(out, "{} rules, {errors} errors, {warnings} warnings", loaded.rules.len())?;
    Ok(if errors > 0 { Exit::Usage } else { Exit::Clean })
}

/// An invalid rule is an error here, even if a check would go on with it.
fn at_usual_level(problem: Diagnostic) -> Diagnostic {
    let level = if problem.code == Code::RuleInvalid { Level::Error } else { problem.level };
    problem.with_level(level)
}

fn generate(arguments: &RulesGenArguments, environment: &Environment) -> Result<Exit, Error> {
    let inputs = &arguments.template.inputs;
    let mut workspace = Workspace::open(inputs.config.as_deref(), inputs.color, environment)?;
    let (expanded, problems) = expand_template(&arguments.template, &workspace.assumptions(), &workspace)?;
    let exit = expand::exit(expanded.as_ref(), &problems);
    let findings = expanded.as_ref().map_or_else(Vec::new, |expanded| expanded.problems.clone());
    if let Some(document) = expanded.and_then(|expanded| expanded.expansion.document) {
        streams::out(Notation::Plain).write_all(guard::generate(&document).as_bytes())?;
    }
    workspace.print(findings, problems)?;
    Ok(exit)
}

fn schema() -> Result<Exit, Error> {
    writeln!(streams::out(Notation::Json), "{:#}", json::schema())?;
    Ok(Exit::Clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_under_each_other_without_blanks_at_the_end() {
        let rows = [["a", "high", ""], ["long", "b", "c"]].map(|row| row.map(str::to_owned));
        assert_eq!(columns(rows.into_iter()), "a     high\nlong  b     c\n");
    }
}
