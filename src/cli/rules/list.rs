//! `formwork rules list`: the catalog, as a table, as JSON, or as a Markdown page.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use crate::cli::Environment;
use crate::cli::args::{Controls, ListFormat, MappedTool, RulesListArguments};
use crate::cli::exit::{Error, Exit};
use crate::cli::rules::filter::{check_service, matches_filter};
use crate::cli::rules::page;
use crate::cli::rules::{cfn_lint, example};
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::cli::terminal::Color;
use crate::config::Profile;
use crate::diagnostic::{Category, Framework, Pillar, RuleInfo, anchor, service_of};
use crate::rules::counterparts::{self, Counterpart};
use crate::text::escape::{self, Notation, visible};

/// Lists the rules that match the filters. The profile defaults to all rules.
pub(super) fn run(arguments: &RulesListArguments, environment: &Environment) -> Result<Exit, Error> {
    if arguments.map == Some(MappedTool::CfnLint) {
        let (text, notation) = cfn_lint::table(arguments.format);
        streams::out(notation).write_all(text.as_bytes())?;
        return Ok(Exit::Clean);
    }
    let is_mapped = arguments.map.is_some();
    let mut workspace = Workspace::open(arguments.config.as_deref(), Color::Auto, environment)?;
    workspace.settings.choices.profile = Some(arguments.profile.unwrap_or(Profile::All));
    let mut infos = workspace.rules(&arguments.rules.given)?.infos;
    if let Some(framework) = arguments.filter.control.as_ref().map(Controls::framework) {
        let has_framework =
            |info: &Arc<RuleInfo>| info.details.controls.iter().any(|control| control.framework == framework);
        if !infos.iter().any(has_framework) {
            Framework::read(framework).map_err(Error::Usage)?;
        }
    }
    if let Some(service) = &arguments.filter.service {
        check_service(service, &infos)?;
    }
    infos.retain(|info| matches_filter(&arguments.filter, info));
    let (text, notation) = match arguments.format {
        ListFormat::Console if is_mapped => (columns(infos.iter().map(|info| mapped_row(info))), Notation::Plain),
        ListFormat::Console => (columns(infos.iter().map(|info| row(info))), Notation::Plain),
        ListFormat::Markdown => (index(&infos), Notation::Plain),
        ListFormat::Json => {
            let all: Vec<_> = infos.iter().map(|info| wire(info, is_mapped)).collect();
            (format!("{:#}\n", serde_json::Value::Array(all)), Notation::Json)
        }
    };
    streams::out(notation).write_all(text.as_bytes())?;
    Ok(Exit::Clean)
}

fn row(info: &RuleInfo) -> [String; 5] {
    let types = info.resource_types.join(", ");
    [info.id.clone(), info.severity.as_str().to_owned(), pillar(info), info.name.clone(), types]
}

/// Returns the pillar of a rule. Adds a note if the rule is outside the default profile.
fn pillar(info: &RuleInfo) -> String {
    let pillar = info.details.pillar.map_or("", Pillar::as_str);
    match (info.details.is_optional, info.details.is_for_production) {
        (true, _) => format!("{pillar} (optional)"),
        (false, true) => format!("{pillar} (production)"),
        (false, false) => pillar.to_owned(),
    }
}

/// Returns a row with the counterparts of a rule instead of its resource types.
fn mapped_row(info: &RuleInfo) -> [String; 3] {
    let theirs: Vec<String> = counterparts::counterparts(&info.id).iter().map(ToString::to_string).collect();
    [info.id.clone(), info.name.clone(), theirs.join(", ")]
}

fn wire(info: &RuleInfo, with_counterparts: bool) -> serde_json::Value {
    let details = &info.details;
    let controls: Vec<String> = details.controls.iter().map(ToString::to_string).collect();
    let fixes = details.fixes.iter().map(|fix| {
        let value: serde_json::Value = serde_json::from_str(&fix.value).unwrap_or_default();
        serde_json::json!({"path": fix.path, "value": value, "unsafe": fix.is_unsafe})
    });
    let mut wire = serde_json::json!({
        "id": info.id,
        "name": info.name,
        "severity": info.severity.number(),
        "level": info.severity.level().as_str(),
        "description": info.full_description,
        "recommendation": info.recommendation,
        "help": info.help_uri,
        "resourceTypes": info.resource_types,
        "category": details.category.map(Category::as_str),
        "pillar": details.pillar.map(Pillar::as_str),
        "optional": details.is_optional,
        "production": details.is_for_production,
        "platformDefault": details.platform_default,
        "controls": controls,
        "tags": details.tags,
        "fixes": fixes.collect::<Vec<_>>(),
        "example": example::whole(info).map(|[before, after]| serde_json::json!({"before": before, "after": after})),
    });
    if with_counterparts && let Some(members) = wire.as_object_mut() {
        let theirs = counterparts::counterparts(&info.id);
        let entry = |known: &Counterpart| serde_json::json!({"tool": known.tool.key(), "id": known.id, "extent": known.extent.key()});
        members.insert("counterparts".to_owned(), theirs.iter().map(entry).collect());
    }
    wire
}

/// Aligns the cells of rows in columns. Lines have no trailing blanks.
pub(super) fn columns<const N: usize>(rows: impl Iterator<Item = [String; N]>) -> String {
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

/// Returns the index page: a table with links to the pages of all rules for each service.
fn index(infos: &[Arc<RuleInfo>]) -> String {
    let mut text = "# Rules\n".to_owned();
    let chunks = infos.chunk_by(|a, b| service_of(&a.id) == service_of(&b.id) && service_of(&a.id).is_some());
    let (services, others): (Vec<_>, Vec<_>) = chunks.partition(|chunk| service_of(&chunk[0].id).is_some());
    for (cloud, heading) in [("azure", "Azure"), ("aws", "AWS")] {
        let chunks: Vec<_> =
            services.iter().filter(|chunk| service_of(&chunk[0].id).is_some_and(|(one, _)| one == cloud)).collect();
        if chunks.is_empty() {
            continue;
        }
        let count: usize = chunks.iter().map(|chunk| chunk.len()).sum();
        let optional = "Those with a star run only with `--profile all`, or if settings name them.";
        let _ = writeln!(text, "\n## {heading}\n\n{count} rules. {optional}");
        for chunk in chunks {
            let Some((_, service)) = service_of(&chunk[0].id) else { continue };
            let _ = writeln!(text, "\n### {}\n", page::cell(chunk[0].name.split('.').next().unwrap_or_default()));
            text.push_str(&table(chunk, &format!("{cloud}/{service}.md")));
        }
    }
    let others: Vec<Arc<RuleInfo>> = others.into_iter().flatten().cloned().collect();
    if !others.is_empty() {
        text.push_str("\n## Built-in checks\n\n");
        text.push_str(&table(&others, "checks.md"));
    }
    text
}

fn table(infos: &[Arc<RuleInfo>], page: &str) -> String {
    let mut text = "| rule | what should be | severity | pillar |\n|---|---|---|---|\n".to_owned();
    for info in infos {
        let star = if info.details.is_optional { "\\*" } else { "" };
        let pillar = info.details.pillar.map_or("", Pillar::as_str);
        let _ = writeln!(
            text,
            "| [{id}]({page}#{anchor}){star} | {summary} | {severity} | {pillar} |",
            id = page::cell(&info.id),
            anchor = anchor(&info.id),
            summary = page::cell(&info.short_description),
            severity = info.severity.as_str(),
        );
    }
    text
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
