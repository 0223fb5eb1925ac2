//! The tool `fix`: edits, which the client applies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arcstr::ArcStr;
use formwork_mcp::{ToolAnswer, ToolCall};
use serde_json::{Value, json};

use crate::cli::mcp::check::late;
use crate::cli::mcp::unsaved::Unsaved;
use crate::cli::mcp::workbench::{Workbench, into_report};
use crate::diagnostic::{Finding, Outcome, Run, matches_pattern};
use crate::engine::{FixPlan, ReplacedLines, RewrittenFile};
use crate::path::normalize;
use crate::report::{BriefOptions, brief, counted};

/// Returns the edits for the findings that a call names, and the verdict after them.
pub(super) fn fix(bench: &mut Workbench, call: &ToolCall) -> Result<ToolAnswer, String> {
    let arguments = &call.arguments;
    let (ids, rule) = (arguments.texts("ids"), arguments.text("rule"));
    if ids.is_empty() && rule.is_none() {
        return Err("`fix` needs `ids` of findings from `check`, or a `rule`".to_owned());
    }
    let unsaved = bench.unsaved(arguments)?;
    let paths = bench.paths(arguments, &unsaved)?;
    let is_unsafe = arguments.flag("unsafe");
    let finished = bench.check(&unsaved, paths.clone(), None, call)?;
    let named = named(&finished.run, &ids, rule);
    if named.is_empty() {
        return Err("no finding has this ID or rule; `check` lists them".to_owned());
    }
    let is_wanted = |finding: &Finding| {
        let is_allowed = finding.fix.as_ref().is_some_and(|fix| is_unsafe || !fix.is_guess);
        is_allowed && named.contains(&finding.fingerprint)
    };
    let mut plan = FixPlan::of_texts(&finished.run, is_wanted);
    let files = plan.rewritten_files(&finished.run);
    let refused = plan.refused.values().next().map(ToString::to_string);
    let fixed = files.iter().map(|file| file.fixed).sum::<usize>();
    let edits: Vec<Value> = files.iter().flat_map(edits).collect();
    let finished = if files.is_empty() {
        finished
    } else {
        bench.check(&with_texts(&unsaved, &files, &bench.root.clone()), paths, None, call)?
    };
    let report = into_report(finished);
    let text = brief::text(&report, &BriefOptions { kinds: 1, ..BriefOptions::default() });
    let verdict = late(call) + text.lines().next().unwrap_or_default();
    let without = named.len().saturating_sub(fixed);
    let rest = match (without, refused) {
        (0, _) => String::new(),
        (count, _) if !plan.postponed.is_empty() => {
            format!(
                " {} left: their edits conflict with these; call again after you applied them.",
                counted(count, "finding")
            )
        }
        (count, Some(why)) => format!(" {} without an edit: {why}.", counted(count, "finding")),
        (count, None) if is_unsafe => format!(" {} without an edit.", counted(count, "finding")),
        (count, None) => format!(" {} without a safe edit.", counted(count, "finding")),
    };
    let text = format!("{}, which you have to apply.{rest} After them: {verdict}", counted(edits.len(), "edit"));
    Ok(ToolAnswer { structured: Some(json!({"edits": edits, "verdict": verdict})), ..ToolAnswer::text(text) })
}

/// Returns the fingerprints of the findings that are named: those with one of the IDs, all others of the same kind, and
/// those of the rule.
fn named(run: &Run, ids: &[&str], rule: Option<&str>) -> BTreeSet<String> {
    let failed = || run.findings.iter().filter(|finding| finding.outcome == Outcome::Failed);
    let has_id = |finding: &&Finding| ids.iter().any(|id| id.len() >= 4 && finding.fingerprint.starts_with(*id));
    let kinds: BTreeSet<(&str, &str)> =
        failed().filter(has_id).map(|finding| (&*finding.rule.id, &*finding.message)).collect();
    let is_named = |finding: &&Finding| {
        let has_rule = rule
            .is_some_and(|rule| matches_pattern(rule, &finding.rule.id) || matches_pattern(rule, &finding.rule.name));
        has_rule || kinds.contains(&(&*finding.rule.id, &*finding.message))
    };
    failed().filter(is_named).map(|finding| finding.fingerprint.clone()).collect()
}

/// Returns the unsaved texts with new ones.
fn with_texts(unsaved: &Unsaved, files: &[RewrittenFile], root: &Path) -> Unsaved {
    let mut texts: BTreeMap<PathBuf, ArcStr> = (*unsaved.texts).clone();
    for file in files {
        texts.insert(normalize(root, Path::new(&*file.name)), ArcStr::from(file.text.as_str()));
    }
    Unsaved { texts: Arc::new(texts), deleted: Arc::clone(&unsaved.deleted) }
}

/// Returns the edits of a file. Their lines are those before any of them.
fn edits(file: &RewrittenFile) -> impl Iterator<Item = Value> {
    file.lines.iter().map(|ReplacedLines { start_line, end_line, old, new }| {
        json!({"file": &*file.name, "start_line": start_line, "end_line": end_line, "old": old, "new": new})
    })
}
