//! Finds which findings the suppressions of the settings cover.

use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::{Finding, RulePattern, Run};
use crate::engine::suppress::covered::is_open;
use crate::engine::suppress::{Context, Coverage, Entry};
use crate::text::FileId;

/// The findings of one rule, by their indexes, in groups that paths cover together.
type Groups<'a> = HashMap<Whereabouts<'a>, Vec<usize>>;

/// What decides whether paths cover a finding.
type Whereabouts<'a> = (FileId, &'a Arc<str>, &'a [Arc<str>]);

/// Adds to what suppresses each finding: where nothing in a text does, the first suppression of the settings that covers it
/// and holds. Notes which patterns of the entries match a finding.
pub(super) fn complete(
    mut by: Vec<Option<usize>>,
    entries: &mut [Entry],
    run: &Run,
    context: &Context<'_>,
) -> Vec<Option<usize>> {
    if context.suppressing.settings.is_empty() {
        return by;
    }
    let reached = |name: &str| (context.reached)(name);
    for groups in by_rule(&run.findings).into_values() {
        let first = groups.values().next().and_then(|group| run.findings.get(*group.first()?));
        let Some(rule) = first.map(|finding| &finding.rule) else { continue };
        let is_of = |pattern: &RulePattern| pattern.matches(rule);
        for (at, Entry { suppression, coverage, is_matched }) in entries.iter_mut().enumerate() {
            let Coverage::Settings(scope) = coverage else { continue };
            let Some(scoped) = context.suppressing.settings.get(*scope) else { continue };
            if !suppression.rules.iter().any(is_of) {
                continue;
            }
            let holds = suppression.holds(context.suppressing.today);
            let mut covers_any = false;
            for group in groups.values() {
                let findings = group.iter().filter_map(|at| Some((*at, run.findings.get(*at)?)));
                let mut findings = findings.peekable();
                let is_inside = findings.peek().is_some_and(|(_, finding)| {
                    let name = run.sources.get(finding.span.file);
                    scoped.scope.covers_place(finding, name.name(), &reached)
                });
                for (finding, _) in findings.filter(|(_, finding)| is_inside && scoped.scope.covers_resource(finding)) {
                    covers_any = true;
                    if let Some(by) = by.get_mut(finding).filter(|by| holds && by.is_none()) {
                        *by = Some(at);
                    }
                }
            }
            if covers_any {
                for (is_matched, pattern) in is_matched.iter_mut().zip(&suppression.rules) {
                    *is_matched |= is_of(pattern);
                }
            }
        }
    }
    by
}

/// The open findings by rule.
fn by_rule(findings: &[Finding]) -> HashMap<(&str, &str), Groups<'_>> {
    let mut rules: HashMap<_, Groups<'_>> = HashMap::default();
    for (at, finding) in findings.iter().enumerate().filter(|(_, finding)| is_open(finding)) {
        let place: Whereabouts<'_> = (finding.span.file, &finding.template, &finding.other_templates);
        let of_rule = rules.entry((&*finding.rule.id, &*finding.rule.name)).or_default();
        of_rule.entry(place).or_default().push(at);
    }
    rules
}
