//! The tool `rules`: the page of a rule, or the rules that some words describe.

use std::sync::Arc;

use formwork_mcp::{ToolAnswer, ToolCall};

use crate::cli::mcp::text::cut_lines;
use crate::cli::mcp::unsaved::Unsaved;
use crate::cli::mcp::workbench::Workbench;
use crate::cli::rules::page;
use crate::config::Profile;
use crate::diagnostic::RuleInfo;
use crate::engine::{self, RuleSource, Threads};
use crate::report::brief::quoted;
use crate::text::{Sources, Suggestions};

/// Maximum length of a page, in tokens.
const MAX_PAGE: usize = 500;

/// Number of rules that a query returns.
const MAX_FOUND: usize = 10;

/// Answers a call of the tool.
pub(super) fn rules(bench: &Workbench, call: &ToolCall) -> Result<ToolAnswer, String> {
    let (id, query) = (call.arguments.text("id"), call.arguments.text("query"));
    let (infos, sources) = loaded(bench)?;
    match (id, query) {
        (Some(id), None) => Ok(ToolAnswer::text(rule_page(&infos, id, &sources)?)),
        (None, Some(query)) => Ok(ToolAnswer::text(found(&infos, query))),
        _ => Err("`rules` needs either an `id` or a `query`".to_owned()),
    }
}

/// Returns all rules, with those of the workspace.
pub(super) fn loaded(bench: &Workbench) -> Result<(Vec<Arc<RuleInfo>>, Sources), String> {
    let saved = Unsaved::default();
    let mut settings = bench.settings(&saved);
    settings.choices.profile = Some(Profile::All);
    let (files, sources) = (saved.files(&bench.roots), Sources::new());
    let source = RuleSource {
        working: &bench.root,
        tree: &files,
        choices: settings.choices,
        needs_texts: true,
        paths: &[],
        settings: &settings.rules,
        environment: &bench.environment.variables,
        limits: &settings.limits,
    };
    let threads = Threads::start(1).map_err(|error| error.to_string())?;
    let (rules, _) = threads.install(|| engine::load_rules(&source, &sources));
    Ok((rules.infos, sources))
}

/// Returns the page of a rule.
pub(super) fn rule_page(infos: &[Arc<RuleInfo>], id: &str, sources: &Sources) -> Result<String, String> {
    let of_bicep: Option<Arc<RuleInfo>> = engine::bicep_rule(id).map(Arc::new);
    let known = infos.iter().find(|info| info.id.eq_ignore_ascii_case(id));
    let known = known.or_else(|| infos.iter().find(|info| info.name.eq_ignore_ascii_case(id))).or(of_bicep.as_ref());
    let Some(info) = known else {
        let names = infos.iter().flat_map(|info| [info.id.as_str(), info.name.as_str()]);
        let hint = Suggestions::default().did_you_mean(id, names);
        return Err(format!("there is no rule {}{hint}; search with `query`", quoted(id)));
    };
    let page = page::console(info, &page::properties(info, sources));
    let page = match info.definition {
        // Whoever wrote the rule did not write formwork.
        Some(_) => page.lines().map(|line| quoted(line) + "\n").collect(),
        None => page,
    };
    Ok(cut_lines(&page, MAX_PAGE, "the page is in docs/rules"))
}

/// Returns the rules that have the most words of a query, one line each.
fn found(infos: &[Arc<RuleInfo>], query: &str) -> String {
    let words: Vec<String> =
        query.split_whitespace().map(str::to_lowercase).filter(|word| !word.is_empty()).take(20).collect();
    let score = |info: &RuleInfo| {
        let types = info.resource_types.join(" ");
        let names = format!("{} {} {types}", info.id, info.name).to_lowercase();
        let texts = format!("{} {}", info.short_description, info.full_description).to_lowercase();
        let of_word = |word: &String| 2 * usize::from(names.contains(&**word)) + usize::from(texts.contains(&**word));
        words.iter().map(of_word).sum::<usize>()
    };
    let mut scored: Vec<(usize, &Arc<RuleInfo>)> = infos.iter().map(|info| (score(info), info)).collect();
    scored.retain(|(score, _)| *score > 0);
    scored.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.id.cmp(&other.id)));
    let total = scored.len();
    let lines = scored.into_iter().take(MAX_FOUND).map(|(_, info)| {
        let text =
            if info.definition.is_some() { quoted(&info.short_description) } else { info.short_description.clone() };
        format!("{} {} {text}\n", info.id, info.severity.as_str())
    });
    let lines: String = lines.collect();
    match total {
        0 => format!("no rule has a word of {}\n", quoted(query)),
        total if total > MAX_FOUND => format!("{lines}not shown: {} rules; use more words\n", total - MAX_FOUND),
        _ => lines,
    }
}
