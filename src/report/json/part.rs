//! What the JSON report of a part has in addition, so that merging all parts gives the report of the whole run.

use serde::Serialize;

use crate::diagnostic::{Edit, Finding, Outcome, ResourceNode, ResourceTree, RuleInfo, Run, StaleEntry, Subject};
use crate::report::json::{self, Location, Verdict};
use crate::report::listed_trees::listed_trees;
use crate::report::source_range::SourceRange;

/// The member `shard` of the report.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Shard<'a> {
    index: u32,
    count: u32,
    /// What decides on the result of the whole run.
    gate: Gate<'a>,
    /// All rules that ran, ordered by ID.
    rules: Vec<FullRule<'a>>,
    /// The entries of the baseline that are no longer found.
    stale: Vec<Stale<'a>>,
    suppressions: Suppressions<'a>,
    /// The files that have other names or lines in the head of the pull request.
    head: Vec<HeadFile>,
    /// What its deployments would create.
    trees: Vec<Tree<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Tree<'a> {
    /// What findings refer to it by.
    key: String,
    template: String,
    parameters: Option<String>,
    nodes: Vec<Node<'a>>,
    /// How many resources there are beyond `nodes`.
    more: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Node<'a> {
    r#type: &'a str,
    name: &'a str,
    /// The position of the resource that it is in.
    parent: Option<usize>,
    location: Location,
    uncertain: bool,
}

/// The position of the resource of a finding in a tree.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Place {
    tree: String,
    node: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Gate<'a> {
    fail_on: &'static str,
    fail_on_unknown: bool,
    strict: bool,
    baseline: Option<&'a str>,
    file_bytes: u64,
}

/// All that reports say about a rule.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FullRule<'a> {
    id: &'a str,
    name: &'a str,
    description: &'a str,
    full_description: &'a str,
    recommendation: Option<&'a str>,
    help_uri: Option<&'a str>,
    severity: u8,
    resource_types: &'a [String],
    origin: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Stale<'a> {
    rule: &'a str,
    template: &'a str,
    /// Whether its template was checked, and is not gone.
    checked: bool,
    location: Location,
}

/// Suppressions that are not about one template alone: those of settings and of modules.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Suppressions<'a> {
    files: Vec<String>,
    /// Whether all that they could cover in this part was checked in full.
    everything: bool,
    /// Whether a parameter file may be missing, so that nothing counts as not found.
    in_doubt: bool,
    /// Findings about them, as far as this part can tell.
    findings: Vec<Verdict<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct HeadFile {
    file: String,
    name: String,
    /// Each as `[old start, old count, new start, new count]`; `null` for a file that the head does not have.
    hunks: Option<Vec<[u32; 4]>>,
}

/// A fix, as replacements that only together are one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Edits<'a> {
    title: &'a str,
    /// Whether it is only likely that the author wants it.
    #[serde(rename = "unsafe", skip_serializing_if = "std::ops::Not::not")]
    is_guess: bool,
    replacements: Vec<Replacement<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Replacement<'a> {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    text: &'a str,
}

/// The member of the report; `None` for a whole run.
pub(super) fn shard<'a>(run: &'a Run) -> Option<Shard<'a>> {
    let part = run.part.as_ref()?;
    let mut head: Vec<HeadFile> = run
        .change
        .iter()
        .flat_map(|change| &change.files)
        .map(|(&file, head)| {
            let lines = head.lines.as_ref().map(|lines| {
                let hunks = lines.hunks().iter();
                hunks.map(|hunk| [hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count]).collect()
            });
            HeadFile { file: run.sources.get(file).name().to_string(), name: head.name.to_string(), hunks: lines }
        })
        .collect();
    head.sort_by(|a, b| a.file.cmp(&b.file));
    let stale = |StaleEntry { rule, template, is_checked, place }: &'a StaleEntry| Stale {
        rule,
        template,
        checked: *is_checked,
        location: json::location(*place, run),
    };
    Some(Shard {
        index: part.shard.index,
        count: part.shard.count,
        gate: Gate {
            fail_on: part.gate.fail_on.as_str(),
            fail_on_unknown: part.gate.fail_on_unknown,
            strict: part.gate.strict,
            baseline: part.gate.baseline.as_deref(),
            file_bytes: part.gate.file_bytes,
        },
        rules: run.rules.iter().map(|info| rule(info, run)).collect(),
        stale: part.stale.iter().map(stale).collect(),
        suppressions: Suppressions {
            files: shared_files(run),
            everything: run.shared.is_everything,
            in_doubt: run.shared.is_in_doubt,
            findings: part.open.iter().map(|finding| json::verdict(finding, run)).collect(),
        },
        head,
        trees: listed_trees(run).map(|(tree, nodes)| self::tree(tree, nodes, run)).collect(),
    })
}

/// The files of these suppressions by name: threads number the files in any order.
fn shared_files(run: &Run) -> Vec<String> {
    let files = run.shared.files.iter().map(|&file| run.sources.get(file).name().to_string());
    let mut files: Vec<String> = files.collect();
    files.sort();
    files
}

fn tree<'a>(tree: &'a ResourceTree, nodes: &'a [ResourceNode], run: &Run) -> Tree<'a> {
    let node = |node: &'a ResourceNode| Node {
        r#type: &node.type_name,
        name: &node.name,
        parent: node.parent,
        location: json::location(node.place, run),
        uncertain: node.is_uncertain,
    };
    let name = |file| run.sources.get(file).name().to_string();
    Tree {
        key: tree.key.to_string(),
        template: name(tree.template),
        parameters: tree.parameters.map(name),
        nodes: nodes.iter().map(node).collect(),
        more: tree.more + (tree.nodes.len() - nodes.len()),
    }
}

/// The places of the resource of a finding in trees, in the report of a part.
pub(super) fn subjects(finding: &Finding, run: &Run) -> Option<Vec<Place>> {
    let place = |subject: &Subject| Place { tree: subject.tree.to_string(), node: subject.node };
    (run.part.is_some() && !finding.subjects.is_empty()).then(|| finding.subjects.iter().map(place).collect())
}

fn rule<'a>(rule: &'a RuleInfo, run: &Run) -> FullRule<'a> {
    FullRule {
        id: &rule.id,
        name: &rule.name,
        description: &rule.short_description,
        full_description: &rule.full_description,
        recommendation: rule.recommendation.as_deref(),
        help_uri: rule.help_uri.as_deref(),
        severity: rule.severity.number(),
        resource_types: &rule.resource_types,
        origin: json::origin(rule, run),
    }
}

/// The fix of a finding, in the report of a part.
pub(super) fn edits<'a>(finding: &'a Finding, run: &Run) -> Option<Edits<'a>> {
    let is_shown = run.part.is_some() && finding.outcome == Outcome::Failed;
    let fix = finding.fix.as_ref().filter(|_| is_shown)?;
    let replacement = |edit: &'a Edit| {
        let SourceRange { file, start, end, .. } = SourceRange::of(&run.sources, edit.span);
        Replacement {
            file: file.to_string(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text: &edit.replacement,
        }
    };
    Some(Edits { title: &fix.title, is_guess: fix.is_guess, replacements: fix.edits.iter().map(replacement).collect() })
}
