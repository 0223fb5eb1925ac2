//! The tool `diff`: what unsaved texts deploy differently from the files on the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use formwork_mcp::{ToolAnswer, ToolCall};

use crate::cli::mcp::text::cut_lines;
use crate::cli::mcp::unsaved::Unsaved;
use crate::cli::mcp::workbench::Workbench;
use crate::diagnostic::{Level, Severity};
use crate::diff::{self, Change, Difference, Outcome, ResourceChange, Room};
use crate::engine::{Deployed, Deployment, Deployments, Inputs, Isolation, Threads};
use crate::model::Assumptions;
use crate::report::brief::{Words, quoted, quoted_file, quoted_message};
use crate::text::Sources;
use crate::value::{Traits, Value};

/// Maximum length of an answer, in tokens.
const MAX_LENGTH: usize = 2_000;

/// Number of changed properties of a resource that are listed.
const MAX_CHANGES: usize = 8;

/// A deployment: its template, its parameter file, and the environment.
type Key = (PathBuf, Option<PathBuf>, Option<String>);

/// The lines of an answer.
#[derive(Debug, Default)]
struct Lines {
    risks: BTreeSet<(Severity, String)>,
    /// Lines of resources, by the rank of their outcome.
    resources: BTreeSet<(u8, String)>,
    counts: [usize; 4],
    unread: usize,
}

/// Answers a call of the tool.
pub(super) fn diff(bench: &Workbench, call: &ToolCall) -> Result<ToolAnswer, String> {
    let unsaved = bench.unsaved(&call.arguments)?;
    if unsaved.is_empty() {
        return Err("`files` is empty; expected the unsaved files to compare with the files on disk".to_owned());
    }
    let paths = bench.paths(&call.arguments, &unsaved)?;
    let saved = Unsaved::default();
    let isolation = Isolation::until(&call.cancellation);
    let threads = Threads::start(0).map_err(|error| error.to_string())?;
    let lines = threads.install(|| {
        let side = |unsaved: &Unsaved| {
            let settings = bench.settings(unsaved);
            let assumptions = settings.configuration.as_ref().map(Assumptions::from_config).unwrap_or_default();
            let paths: Vec<PathBuf> = paths.iter().filter(|path| unsaved.has(path)).cloned().collect();
            (bench.bicep(&settings), assumptions, unsaved.files(&bench.roots), paths, settings)
        };
        let sides = [side(&saved), side(&unsaved)];
        let [old, new] = sides.each_ref().map(|(bicep, assumptions, files, paths, settings)| Inputs {
            filter: &settings.files,
            isolation: &isolation,
            ..Inputs::plain(files, &bench.root, paths, assumptions, bicep, &settings.limits)
        });
        let sources = [Sources::new(), Sources::new()];
        let open = |inputs, sources| Deployments::open(inputs, sources).map_err(|error| error.to_string());
        let [old_sources, new_sources] = &sources;
        Ok::<Lines, String>(compare(bench, open(&old, old_sources)?, open(&new, new_sources)?))
    })?;
    let text = lines.text(call.is_late());
    Ok(ToolAnswer::text(cut_lines(&text, MAX_LENGTH, "name fewer `paths`")))
}

fn compare(bench: &Workbench, mut old: Deployments<'_>, mut new: Deployments<'_>) -> Lines {
    let mut pairs: BTreeMap<Key, [Option<Deployment>; 2]> = BTreeMap::new();
    for (at, list) in [old.list(), new.list()].into_iter().enumerate() {
        for deployment in list {
            let key = (deployment.template.clone(), deployment.parameters.clone(), deployment.environment.clone());
            if let Some(place) = pairs.entry(key).or_default().get_mut(at) {
                *place = Some(deployment);
            }
        }
    }
    let (mut lines, mut room) = (Lines::default(), Room::default());
    for ((template, parameters, _), [before, after]) in pairs {
        let mut deployed = [before.as_ref().map(|one| old.expand(one)), after.as_ref().map(|one| new.expand(one))];
        let [old_deployed, new_deployed] = &mut deployed;
        before.as_ref().zip(old_deployed.as_mut()).into_iter().for_each(|(one, deployed)| old.note(one, deployed));
        after.as_ref().zip(new_deployed.as_mut()).into_iter().for_each(|(one, deployed)| new.note(one, deployed));
        let is_unread = |deployed: &Deployed| deployed.document.is_none();
        if deployed.iter().flatten().any(is_unread) {
            lines.unread += 1;
            continue;
        }
        let [before, after] = deployed.each_ref().map(|deployed| deployed.as_ref()?.document.as_ref());
        let mut difference = diff::compare(before, after);
        difference.bound(&mut room);
        let name = quoted_file(&bench.name(&template));
        let with = parameters.map_or_else(String::new, |path| format!(" with {}", quoted_file(&bench.name(&path))));
        lines.add(&difference, &format!("{name}{with}"));
    }
    let errors = [old.close(), new.close()]
        .map(|closed| closed.diagnostics.iter().filter(|problem| problem.level == Level::Error).count());
    lines.unread = lines.unread.max(errors.into_iter().max().unwrap_or_default());
    lines
}

impl Lines {
    fn add(&mut self, difference: &Difference, place: &str) {
        for change in &difference.resources {
            let index = Outcome::ALL.iter().position(|outcome| *outcome == change.outcome).unwrap_or_default();
            if let Some(count) = self.counts.get_mut(index) {
                *count += 1;
            }
            let title = format!("{} of {place}", title(change));
            for risk in &change.risks {
                let message = quoted_message(&risk.message, Words::Foreign);
                let path = risk.path.as_deref().map_or_else(String::new, |path| format!(" {}", quoted(path)));
                let line = format!("risk {} {title}{path}: {message}", risk.severity.as_str());
                self.risks.insert((risk.severity, line));
            }
            let (rank, word) = match change.outcome {
                Outcome::Remove => (0, "no longer deployed"),
                Outcome::Change => (1, "changed"),
                Outcome::Create => (2, "created"),
                Outcome::Uncertain => (3, "uncertain"),
            };
            let mut line = format!("{word}: {title}");
            for changed in change.changes.list.iter().take(MAX_CHANGES) {
                line.push_str(&property(changed));
            }
            let more = change.changes.list.len().saturating_sub(MAX_CHANGES) + change.changes.more;
            if more > 0 {
                let _ = write!(line, "\n  and {more} more properties");
            }
            self.resources.insert((rank, line));
        }
    }

    fn text(&self, is_late: bool) -> String {
        let [created, changed, removed, uncertain] = self.counts;
        let mut text = String::new();
        if is_late || self.unread > 0 {
            text.push_str("INCOMPLETE not everything could be read and compared; `check` says why. ");
        }
        let _ = writeln!(
            text,
            "{created} created, {changed} changed, {removed} no longer deployed, {uncertain} uncertain; {} risks",
            self.risks.len()
        );
        for (_, line) in &self.risks {
            text.push_str(line);
            text.push('\n');
        }
        for (_, line) in &self.resources {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

fn title(change: &ResourceChange) -> String {
    let name = change.seen().map(|seen| quoted(&seen.name)).unwrap_or_default();
    format!("{} {name}", quoted_file(&change.type_name))
}

fn property(change: &Change) -> String {
    let value = |value: Option<&Value>| match value {
        None => "nothing".to_owned(),
        Some(_) if change.is_secret => "a secret".to_owned(),
        Some(value) if value.traits.has(Traits::SECRET) => "a secret".to_owned(),
        Some(value) => {
            let json = value.to_json_up_to(200);
            quoted(json.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&json))
        }
    };
    format!("\n  {}: {} -> {}", quoted(&change.path), value(change.old.as_ref()), value(change.new.as_ref()))
}
