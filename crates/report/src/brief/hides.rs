//! Section about what a change hides: suppressions that it adds, settings and entries of the baseline that weaken its check, and
//! resources that it no longer deploys. This list is never cut: if it is long, its entries are summed up.

use std::collections::BTreeMap;

use crate::brief::quote::{self, Words};
use crate::counted::counted;
use crate::model::{AddedSuppression, NoLongerDeployed, Origin, Report};

/// The code of the problem that lists weakened settings.
pub(super) const WEAKENED: &str = "config/weakened";

/// Returns the lines of the list, in at most about `length` bytes. Empty if the change hides nothing.
pub(super) fn lines(report: &Report, length: usize) -> Vec<String> {
    let words = Words::of_rule(Origin::Builtin, report.may_have_backticks);
    let weakened = report.problems.iter().filter(|problem| problem.code == WEAKENED);
    let weakened: Vec<String> =
        weakened.map(|problem| format!("- settings: {}", quote::message(&problem.message, words))).collect();
    let each = |suppressions: Vec<String>, resources: Vec<String>| {
        let mut lines = weakened.clone();
        lines.extend(suppressions);
        lines.extend(resources);
        lines
    };
    let mut all = each(
        report.added_suppressions.iter().map(suppression).collect(),
        report.no_longer_deployed.iter().map(resource).collect(),
    );
    if all.iter().map(String::len).sum::<usize>() > length {
        all = each(suppressions_by_rule(report), resources_by_type(report));
    }
    if !all.is_empty() {
        all.insert(0, "this change hides:".to_owned());
    }
    all
}

fn suppression(added: &AddedSuppression) -> String {
    let AddedSuppression { rule, kind, place, findings, .. } = added;
    format!(
        "- {} suppression of {} at {}:{} ({})",
        kind.as_str(),
        quote::id(rule),
        quote::file(place.file.name()),
        place.start.line,
        counted(*findings, "finding"),
    )
}

fn resource(gone: &NoLongerDeployed) -> String {
    let NoLongerDeployed { template, type_name, name } = gone;
    format!("- no longer deployed: {} {} of {}", quote::id(type_name), quote::quoted(name), quote::file(template))
}

/// Sums the suppressions up, one line for each rule.
fn suppressions_by_rule(report: &Report) -> Vec<String> {
    let mut rules: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for added in &report.added_suppressions {
        let (count, findings) = rules.entry(&added.rule).or_default();
        *count += 1;
        *findings += added.findings;
    }
    summed(
        rules.into_iter().map(|(rule, (count, findings))| {
            (
                count,
                format!(
                    "- {} of {} ({})",
                    counted(count, "suppression"),
                    quote::id(rule),
                    counted(findings, "finding")
                ),
            )
        }),
        "further suppressions",
    )
}

/// Sums the resources up, one line for each type.
fn resources_by_type(report: &Report) -> Vec<String> {
    let mut types: BTreeMap<&str, usize> = BTreeMap::new();
    for gone in &report.no_longer_deployed {
        *types.entry(&gone.type_name).or_default() += 1;
    }
    summed(
        types.into_iter().map(|(type_name, count)| {
            (count, format!("- no longer deployed: {} of {}", counted(count, "resource"), quote::id(type_name)))
        }),
        "further resources that are no longer deployed",
    )
}

/// Number of rules or types that have a line of their own.
const MAX_LINES: usize = 30;

/// Returns the lines, and the sum of those after the first ones.
fn summed(lines: impl Iterator<Item = (usize, String)>, rest: &str) -> Vec<String> {
    let all: Vec<(usize, String)> = lines.collect();
    let more: usize = all.iter().skip(MAX_LINES).map(|(count, _)| count).sum();
    let mut lines: Vec<String> = all.into_iter().take(MAX_LINES).map(|(_, line)| line).collect();
    if more > 0 {
        lines.push(format!("- {more} {rest}"));
    }
    lines
}
