//! The diagnosis as text: one line per topic, with its name first.

use std::io::{self, Write};

use crate::cli::doctor::Diagnosis;
use crate::cli::doctor::surroundings::{Bicep, Cache, Git};
use crate::cli::doctor::tables::Table;
use crate::cli::doctor::workflow::{Publishing, Workflow};
use crate::text::escape::visible;

const NAME_WIDTH: usize = 12;

pub(super) fn write(diagnosis: &Diagnosis, out: &mut dyn Write) -> io::Result<()> {
    write_line(out, "formwork", &format!("{}, {}", diagnosis.version, diagnosis.platform))?;
    write_line(
        out,
        "settings",
        &listed(&diagnosis.settings, "no file; `formwork.yaml` is looked for up to the root of the repository"),
    )?;
    write_line(
        out,
        "rules",
        &diagnosis
            .rules
            .map_or("cannot be read".to_owned(), |count| format!("{count}, checks of deployments among them")),
    )?;
    write_line(out, "types", &listed(&diagnosis.types, "none: this program was built without them"))?;
    write_line(out, "policies", &listed(&diagnosis.policies, "none: this program was built without them"))?;
    write_line(out, "tables", &tables(&diagnosis.tables))?;
    write_line(out, "baseline", diagnosis.baseline.as_deref().unwrap_or("none in the settings"))?;
    write_line(out, "Bicep CLI", &bicep(&diagnosis.bicep))?;
    write_line(out, "git", &git(&diagnosis.git))?;
    write_line(
        out,
        "event",
        &diagnosis.workflow.as_ref().map_or("none: not a GitHub Actions workflow".to_owned(), workflow),
    )?;
    write_line(out, "token", &diagnosis.token.map_or("none".to_owned(), |variable| format!("in `{variable}`")))?;
    let proxies: Vec<String> =
        diagnosis.proxies.iter().map(|proxy| format!("{} by `{}`", proxy.host, proxy.variable)).collect();
    write_line(out, "proxy", &listed(&proxies, "none"))?;
    write_line(out, "cache", &diagnosis.cache.as_ref().map_or("none: no folder for it is known".to_owned(), cache))?;
    write_line(out, "publishing", &publishing(&diagnosis.publishing))?;
    for problem in &diagnosis.problems {
        write_line(out, "problem", problem)?;
    }
    Ok(())
}

fn write_line(out: &mut dyn Write, name: &str, text: &str) -> io::Result<()> {
    writeln!(out, "{name:NAME_WIDTH$}{}", visible(text))
}

fn listed(items: &[String], none: &str) -> String {
    if items.is_empty() { none.to_owned() } else { items.join(", ") }
}

/// Describes the number of built-in tables, and the oldest of them.
fn tables(tables: &[Table]) -> String {
    let oldest = tables.iter().min_by_key(|table| table.date);
    let oldest = oldest.map_or_else(String::new, |table| format!(", the oldest of {}: {}", table.date, table.content));
    format!("{}{oldest}; `--format json` lists all with their sources", tables.len())
}

fn bicep(it: &Bicep) -> String {
    let Some(program) = &it.program else { return it.error.clone().unwrap_or_default() };
    let by = it.found_by.map_or(String::new(), |means| format!(", means by `{means}`"));
    match (&it.error, &it.version) {
        (Some(error), _) => format!("{error}{by}"),
        (None, Some(version)) => format!("{version} at {program}{by}"),
        (None, None) => format!("of an unknown version at {program}{by}"),
    }
}

fn git(it: &Git) -> String {
    let Some(version) = &it.version else { return it.error.clone().unwrap_or_default() };
    let Some(root) = &it.repository else { return format!("{version}; this folder is in no working tree") };
    let head = it.head.as_ref().map_or("no commit".to_owned(), |head| head.chars().take(12).collect());
    let depth = match it.depth {
        Some(1) => "shallow clone of 1 commit".to_owned(),
        Some(depth) => format!("shallow clone of {depth} commits"),
        None => "full history".to_owned(),
    };
    format!("{version}; {root} at {head}, {depth}")
}

fn workflow(it: &Workflow) -> String {
    let parts = [
        Some(format!("`{}`", it.event)),
        it.pull_request.map(|number| format!("pull request {number}")),
        it.base.as_ref().map(|base| format!("base {base}")),
        it.error.clone(),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn cache(it: &Cache) -> String {
    let kib = it.bytes.div_ceil(1024);
    format!("{}, {} files, {kib} KiB", it.folder, it.files)
}

fn publishing(it: &Publishing) -> String {
    let mut parts = Vec::new();
    if it.annotations {
        parts.push("annotations".to_owned());
    }
    if it.job_summary {
        parts.push("the summary of the job".to_owned());
    }
    match (&it.obstacle, it.pull_request) {
        (Some(obstacle), _) => parts.push(format!("nothing in a pull request: {obstacle}")),
        (None, Some(number)) => parts.push(format!("comments in pull request {number}, if asked to")),
        (None, None) => parts.push("comments in the pull request of the commit, if asked to".to_owned()),
    }
    parts.join(", ")
}
