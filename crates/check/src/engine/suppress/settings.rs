//! Finds which findings the suppressions of the settings cover.

use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::{Code, Diagnostic, Finding, RulePattern, Run, Suppression};
use crate::engine::suppress::covered::is_open;
use crate::engine::suppress::{CollectedSuppression, Context, Coverage};
use crate::text::FileId;

/// The findings of one rule, by their indexes, in groups that paths cover together.
type Groups<'a> = HashMap<Whereabouts<'a>, Vec<usize>>;

/// Paths by which a suppression may cover a finding.
type Whereabouts<'a> = (FileId, &'a Arc<str>, &'a [Arc<str>]);

/// Maximum number of steps for comparing all suppressions with all findings, about a second.
const STEPS: u64 = 10_000_000;

/// The steps for comparing the paths of a suppression with the path of a file.
const STEPS_OF_PATH: u64 = 8;

/// The findings of one rule.
struct OfRule<'a> {
    groups: Vec<(Whereabouts<'a>, Vec<usize>)>,
    /// Group and finding, by the name of the resource in lower case.
    by_name: HashMap<String, Vec<(usize, usize)>>,
}

impl<'a> OfRule<'a> {
    fn new(groups: Groups<'a>, findings: &[Finding]) -> Self {
        let mut groups: Vec<(Whereabouts<'a>, Vec<usize>)> = groups.into_iter().collect();
        groups.sort_unstable_by_key(|(_, members)| members.first().copied());
        let mut by_name: HashMap<String, Vec<(usize, usize)>> = HashMap::default();
        for (group, (_, members)) in groups.iter().enumerate() {
            for at in members {
                let resource = findings.get(*at).and_then(|finding| finding.resource.as_deref());
                if let Some(resource) = resource {
                    by_name.entry(resource.name.to_ascii_lowercase()).or_default().push((group, *at));
                }
            }
        }
        Self { groups, by_name }
    }

    /// Returns the findings that a suppression may cover, each with its group.
    fn candidates(&self, names: &[String]) -> Vec<(usize, usize)> {
        let is_plain = |name: &String| name.is_ascii() && !name.contains('*');
        if names.is_empty() || !names.iter().all(is_plain) {
            let all = self.groups.iter().enumerate();
            return all.flat_map(|(group, (_, members))| members.iter().map(move |at| (group, *at))).collect();
        }
        let named = names.iter().filter_map(|name| self.by_name.get(&name.to_ascii_lowercase()));
        named.flatten().copied().collect()
    }
}

/// Completes the suppression of each finding: if none in a text covers it, with the first one of the settings that
/// covers it and holds. Notes which patterns of the entries match a finding. Reports the first suppression for which
/// there are no steps left.
pub(super) fn complete(
    mut by: Vec<Option<usize>>,
    entries: &mut [CollectedSuppression],
    run: &Run,
    context: &Context<'_>,
) -> (Vec<Option<usize>>, Option<Diagnostic>) {
    if context.suppressing.settings.is_empty() {
        return (by, None);
    }
    let reached = |name: &str| (context.reached)(name);
    let mut left = STEPS;
    for groups in in_order(by_rule(&run.findings)) {
        let first = groups.values().next().and_then(|group| run.findings.get(*group.first()?));
        let Some(rule) = first.map(|finding| &finding.rule) else { continue };
        let is_of = |pattern: &RulePattern| pattern.matches(rule);
        let of_rule = OfRule::new(groups, &run.findings);
        for (at, CollectedSuppression { suppression, coverage, is_matched }) in entries.iter_mut().enumerate() {
            let Coverage::Settings(scope) = coverage else { continue };
            let Some(scoped) = context.suppressing.settings.get(*scope) else { continue };
            if !suppression.rules.iter().any(is_of) {
                continue;
            }
            let holds = suppression.holds(context.suppressing.today);
            let mut covers_any = false;
            let mut is_inside: HashMap<usize, bool> = HashMap::default();
            for (group, finding_at) in of_rule.candidates(&scoped.scope.names) {
                let Some(finding) = run.findings.get(finding_at) else { continue };
                let is_inside = *is_inside.entry(group).or_insert_with(|| {
                    left = left.saturating_sub(STEPS_OF_PATH);
                    let name = run.sources.get(finding.span.file);
                    scoped.scope.covers_place(finding, name.name(), &reached)
                });
                left = left.saturating_sub(1);
                if left == 0 {
                    return (by, Some(too_many(suppression)));
                }
                if !is_inside || !scoped.scope.covers_resource(finding) {
                    continue;
                }
                covers_any = true;
                if let Some(by) = by.get_mut(finding_at).filter(|by| holds && by.is_none()) {
                    *by = Some(at);
                }
            }
            if covers_any {
                for (is_matched, pattern) in is_matched.iter_mut().zip(&suppression.rules) {
                    *is_matched |= is_of(pattern);
                }
            }
        }
    }
    (by, None)
}

/// Returns the findings of each rule, in the order of the rules: which of them are compared before the steps end must
/// not depend on hashes.
fn in_order<'a>(rules: HashMap<(&'a str, &'a str), Groups<'a>>) -> Vec<Groups<'a>> {
    let mut rules: Vec<_> = rules.into_iter().collect();
    rules.sort_unstable_by_key(|(rule, _)| *rule);
    rules.into_iter().map(|(_, groups)| groups).collect()
}

/// Reports that suppressions are compared with too many findings.
fn too_many(suppression: &Suppression) -> Diagnostic {
    let message =
        "the suppressions take too many steps to compare with all findings: this one and others suppress nothing";
    Diagnostic::new(Code::TemplateLimit, suppression.place, message)
        .with_help("use fewer suppressions, for example with names of resources instead of patterns")
}

/// Returns the open findings by rule.
fn by_rule(findings: &[Finding]) -> HashMap<(&str, &str), Groups<'_>> {
    let mut rules: HashMap<_, Groups<'_>> = HashMap::default();
    for (at, finding) in findings.iter().enumerate().filter(|(_, finding)| is_open(finding)) {
        let place: Whereabouts<'_> = (finding.span.file, &finding.template, &finding.other_templates);
        let of_rule = rules.entry((&*finding.rule.id, &*finding.rule.name)).or_default();
        of_rule.entry(place).or_default().push(at);
    }
    rules
}
