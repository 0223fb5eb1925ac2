//! Finds which findings the suppressions in texts cover, without comparing each suppression with each finding.
//!
//! The findings of one rule with a place in one file are a group. A suppression asks only the groups of the rules that
//! it names, and a group answers all suppressions in one pass over its places.

use chrono::NaiveDate;
use foldhash::{HashMap, HashSet};

use crate::diagnostic::{Finding, Outcome, RuleInfo, RulePattern};
use crate::engine::suppress::{CollectedSuppression, Coverage};
use crate::text::{FileId, Span};

/// Returns, for each finding, the first suppression that covers it and holds, as an index of `entries`: one in the file
/// of the finding comes before one in the file of its resource. Notes which patterns of the entries match a finding,
/// whether or not their suppressions hold.
pub(super) fn by_texts(
    entries: &mut [CollectedSuppression],
    findings: &[Finding],
    today: Option<NaiveDate>,
) -> Vec<Option<usize>> {
    let mut groups = Groups::new(entries, findings);
    for (at, entry) in entries.iter_mut().enumerate() {
        let Coverage::Text { places, declared } = &entry.coverage else { continue };
        let holds = entry.suppression.holds(today);
        let file = entry.suppression.place.file;
        for (pattern, is_matched) in entry.suppression.rules.iter().zip(&mut entry.is_matched) {
            for group in groups.matching_groups(file, pattern) {
                *is_matched |= groups.covers(group, places, declared, holds.then_some(at));
            }
        }
    }
    groups.first(findings)
}

/// Returns `true` for a failed or undecided finding: nothing suppresses others.
pub(super) fn is_open(finding: &Finding) -> bool {
    matches!(finding.outcome, Outcome::Failed | Outcome::Unknown)
}

/// Returns the declaration of the resource of a finding. `None` if the finding stands for several places: a suppression
/// of one resource does not cover the others.
fn declared(finding: &Finding) -> Option<Span> {
    finding.resource.as_ref().filter(|_| finding.more_places == 0).and_then(|resource| resource.declared)
}

/// The groups of the files that have suppressions.
struct Groups<'a> {
    all: Vec<RuleFindings<'a>>,
    /// Groups of each file.
    by_file: HashMap<FileId, Vec<usize>>,
    /// Groups of each rule in a file, by its ID and by its name in lower case.
    by_name: HashMap<(FileId, String), Vec<usize>>,
    /// Groups that a pattern with `*` means in a file.
    by_wildcard: HashMap<(FileId, String), Vec<usize>>,
    /// The texts that suppressions of one line share, with the groups that have asked for them.
    asked: HashSet<(*const Span, usize)>,
}

impl<'a> Groups<'a> {
    fn new(entries: &[CollectedSuppression], findings: &'a [Finding]) -> Self {
        let files: HashSet<FileId> = entries.iter().map(|entry| entry.suppression.place.file).collect();
        let mut groups: Vec<RuleFindings<'a>> = Vec::new();
        let mut known: HashMap<(FileId, &str, &str), usize> = HashMap::default();
        let mut group = |file: FileId, rule: &'a RuleInfo| {
            let at = *known.entry((file, &rule.id, &rule.name)).or_insert(groups.len());
            if at == groups.len() {
                groups.push(RuleFindings { file, rule, places: Spots::default(), declared: Spots::default() });
            }
            at
        };
        let mut spots: Vec<(usize, bool, Span, usize)> = Vec::new();
        for (at, finding) in findings.iter().enumerate().filter(|(_, finding)| is_open(finding)) {
            let Span { file, start, .. } = finding.span;
            if files.contains(&file) {
                spots.push((group(file, &finding.rule), false, Span::new(file, start, start), at));
            }
            if let Some(text) = declared(finding).filter(|text| files.contains(&text.file)) {
                spots.push((group(text.file, &finding.rule), true, text, at));
            }
        }
        for (at, is_declared, text, finding) in spots {
            if let Some(RuleFindings { places, declared, .. }) = groups.get_mut(at) {
                let spots = if is_declared { declared } else { places };
                spots.own.push((text, finding));
            }
        }
        let (mut by_file, mut by_name): (HashMap<_, Vec<_>>, HashMap<_, Vec<_>>) = Default::default();
        for (at, group) in groups.iter_mut().enumerate() {
            group.places.arrange();
            group.declared.arrange();
            by_file.entry(group.file).or_default().push(at);
            for name in [&group.rule.id, &group.rule.name] {
                by_name.entry((group.file, name.to_lowercase())).or_default().push(at);
            }
        }
        Self { all: groups, by_file, by_name, by_wildcard: HashMap::default(), asked: HashSet::default() }
    }

    /// Returns the groups of the rules that a pattern means.
    fn matching_groups(&mut self, file: FileId, pattern: &RulePattern) -> Vec<usize> {
        let groups = &self.all;
        let is_meant = |at: &usize| groups.get(*at).is_some_and(|group| pattern.matches(group.rule));
        let meant = |among: Option<&Vec<usize>>| -> Vec<usize> {
            among.into_iter().flatten().copied().filter(is_meant).collect()
        };
        if pattern.is_wildcard() {
            let of_file = || meant(self.by_file.get(&file));
            return self.by_wildcard.entry((file, pattern.text.clone())).or_insert_with(of_file).clone();
        }
        let mut found = meant(self.by_name.get(&(file, pattern.text.to_lowercase())));
        // The ID of a rule may be its name.
        found.dedup();
        found
    }

    /// Returns `true` if a group has a finding in one of these places, or one of a resource that is declared in one of
    /// these texts. If so, both are recorded as covered by the suppression `holds`, if there is one.
    fn covers(&mut self, at: usize, places: &[Span], declared: &[Span], holds: Option<usize>) -> bool {
        let Some(group) = self.all.get_mut(at) else { return false };
        let is_covered = group.places.any_in(places) || group.declared.any_in(declared);
        if let Some(entry) = holds.filter(|_| is_covered) {
            group.places.texts.extend(places.iter().map(|text| (*text, entry)));
            // Of several suppressions of one line, the first one covers all that the others cover.
            if self.asked.insert((declared.as_ptr(), at)) {
                group.declared.texts.extend(declared.iter().map(|text| (*text, entry)));
            }
        }
        is_covered
    }

    /// Returns, for each finding, the first of the recorded suppressions.
    fn first(self, findings: &[Finding]) -> Vec<Option<usize>> {
        let mut first: Vec<Option<(bool, usize)>> = vec![None; findings.len()];
        for RuleFindings { file, places, declared, .. } in self.all {
            for (at, entry) in places.first().into_iter().chain(declared.first()) {
                let is_elsewhere = findings.get(at).is_some_and(|finding| finding.span.file != file);
                if let Some(known) = first.get_mut(at) {
                    let new = (is_elsewhere, entry);
                    *known = Some(known.map_or(new, |known| known.min(new)));
                }
            }
        }
        first.into_iter().map(|first| first.map(|(_, entry)| entry)).collect()
    }
}

/// The findings of one rule that have a text in one file.
struct RuleFindings<'a> {
    file: FileId,
    rule: &'a RuleInfo,
    /// Spans of its findings, and the suppressed texts.
    places: Spots,
    /// Declarations of the resources of its findings, and the suppressed texts.
    declared: Spots,
}

/// Texts of findings in one file, and the texts that suppressions cover there.
#[derive(Default)]
struct Spots {
    /// The texts with their findings, ordered by start.
    own: Vec<(Span, usize)>,
    /// Least end of the texts from each index on.
    least_ends: Vec<u32>,
    /// Texts that suppressions cover, with the indexes of the suppressions.
    texts: Vec<(Span, usize)>,
}

impl Spots {
    fn arrange(&mut self) {
        self.own.sort_unstable_by_key(|(text, finding)| (text.start, *finding));
        let mut least = u32::MAX;
        let ends = self.own.iter().rev().map(|(text, _)| {
            least = least.min(text.end);
            least
        });
        self.least_ends = ends.collect();
        self.least_ends.reverse();
    }

    /// Returns `true` if a finding's text lies in one of these texts.
    fn any_in(&self, texts: &[Span]) -> bool {
        texts.iter().any(|text| {
            let from = self.own.partition_point(|(spot, _)| spot.start < text.start);
            self.least_ends.get(from).is_some_and(|least| *least <= text.end)
        })
    }

    /// Returns the findings whose texts lie in one that a suppression covers, each with the least index of such a
    /// suppression.
    fn first(mut self) -> Vec<(usize, usize)> {
        self.texts.sort_unstable_by_key(|(text, entry)| (text.start, *entry));
        let mut ends: Vec<u32> = self.texts.iter().map(|(text, _)| text.end).collect();
        ends.sort_unstable_by(|a, b| b.cmp(a));
        ends.dedup();
        // How many ends are at or after this one: a text holds a spot if it starts before it, and its end counts here.
        let rank = |end: u32| ends.partition_point(|other| *other >= end);
        let mut open = Least::new(ends.len());
        let mut texts = self.texts.iter().peekable();
        let mut found = Vec::new();
        for (spot, finding) in &self.own {
            while let Some((text, entry)) = texts.next_if(|(text, _)| text.start <= spot.start) {
                open.lower(rank(text.end), *entry);
            }
            found.extend(open.least(rank(spot.end)).map(|entry| (*finding, entry)));
        }
        found
    }
}

/// The least values of the beginnings of a list (a Fenwick tree). Positions count from 1.
struct Least {
    values: Vec<Option<usize>>,
}

impl Least {
    fn new(count: usize) -> Self {
        Self { values: vec![None; count + 1] }
    }

    /// Lowers the value at a position.
    fn lower(&mut self, mut at: usize, value: usize) {
        while let Some(known) = self.values.get_mut(at).filter(|_| at > 0) {
            *known = Some(known.map_or(value, |known| known.min(value)));
            at += at & at.wrapping_neg();
        }
    }

    /// Returns the least value among the first `count`.
    fn least(&self, mut count: usize) -> Option<usize> {
        let mut least: Option<usize> = None;
        while count > 0 {
            let here = self.values.get(count).copied().flatten();
            least = least.into_iter().chain(here).min();
            count &= count - 1;
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::arm::CREDENTIAL;
    use crate::diagnostic::common_checks::{SECRET_OUTPUT, TEMPLATE_PROPERTY};
    use crate::diagnostic::{Check, ResourceRef, Suppression, SuppressionKind};
    use crate::engine::merge::merge;
    use crate::engine::suppress::judge::draft;
    use crate::text::Sources;

    const CHECKS: [Check; 3] = [CREDENTIAL, SECRET_OUTPUT, TEMPLATE_PROPERTY];
    const PATTERNS: [&str; 6] =
        ["secret/CREDENTIAL", "secret/*", "*t*", "template/property", "Secret.Output", "template/none"];

    /// Two ranges of each of two files, and which of six patterns, of three rules, or of the outcomes is meant.
    type Picked = (usize, (u32, u32), usize, (u32, u32), u8);

    fn picked() -> impl Strategy<Value = Vec<Picked>> {
        let range = || (0..40_u32, 0..12_u32);
        prop::collection::vec((0..2_usize, range(), 0..3_usize, range(), 0..24_u8), 0..24)
    }

    fn span(files: &[FileId], file: usize, (start, length): (u32, u32)) -> Span {
        Span::new(files[file % 2], start, start + length)
    }

    fn findings(picked: &[Picked], files: &[FileId]) -> Vec<Finding> {
        let finding = |&(file, place, rule, declared, what): &Picked| {
            let rule = Arc::new(CHECKS[rule].info());
            let name = Arc::from("a");
            let draft = draft(rule, span(files, file, place), String::new(), &name, String::new());
            let mut finding = merge(vec![draft], "a").remove(0);
            finding.outcome = [Outcome::Failed, Outcome::Unknown, Outcome::Passed][usize::from(what % 3)];
            let declared = span(files, file + usize::from(what % 4 == 0), declared);
            let resource = ResourceRef {
                type_name: String::new(),
                name: String::new(),
                id: String::new(),
                declared: Some(declared).filter(|_| what % 5 > 0),
            };
            finding.resource = Some(Arc::new(resource)).filter(|_| what % 7 > 0);
            finding
        };
        picked.iter().map(finding).collect()
    }

    fn entries(picked: &[Picked], files: &[FileId]) -> Vec<CollectedSuppression> {
        let entry = |&(file, place, rule, declared, what): &Picked| {
            let place = span(files, file, place);
            let pattern = |at: usize| RulePattern { text: PATTERNS[at % 6].to_owned(), span: place };
            let suppression = Suppression {
                kind: SuppressionKind::Comment,
                rules: [pattern(rule), pattern(usize::from(what))].into_iter().skip(usize::from(what % 2)).collect(),
                reason: Some("x".to_owned()).filter(|_| what % 3 > 0),
                until: None,
                place,
                is_foreign: false,
            };
            let declared = [span(files, file, declared), place];
            CollectedSuppression::new(suppression, Coverage::Text { places: vec![place], declared: declared.into() })
        };
        picked.iter().map(entry).collect()
    }

    /// Compares each suppression with each finding.
    fn naive(entries: &mut [CollectedSuppression], findings: &[Finding]) -> Vec<Option<usize>> {
        let mut first = Vec::new();
        for finding in findings {
            let declared = declared(finding);
            let mut covering = Vec::new();
            for (at, entry) in entries.iter_mut().enumerate().filter(|_| is_open(finding)) {
                let (places, texts) = match &entry.coverage {
                    Coverage::Text { places, declared } => (places, declared),
                    Coverage::Settings(_) | Coverage::Exemption { .. } => continue,
                };
                let Span { file, start, .. } = finding.span;
                let begins = places.iter().any(|text| text.contains(Span::new(file, start, start)));
                if begins || texts.iter().any(|text| declared.is_some_and(|declared| text.contains(declared))) {
                    let rules = entry.suppression.rules.iter();
                    for (_, is_matched) in rules.zip(&mut entry.is_matched).filter(|(it, _)| it.matches(&finding.rule))
                    {
                        *is_matched = true;
                        covering.extend(
                            entry.suppression.holds(None).then_some((entry.suppression.place.file != file, at)),
                        );
                    }
                }
            }
            first.push(covering.into_iter().min().map(|(_, at)| at));
        }
        first
    }

    proptest! {
        #[test]
        fn suppressions_cover_what_comparing_each_with_each_finds(of_findings in picked(), of_entries in picked()) {
            let sources = Sources::new();
            let files = ["a", "b"].map(|name| sources.add(name, ""));
            let findings = findings(&of_findings, &files);
            let [mut one, mut other] = [(); 2].map(|()| entries(&of_entries, &files));
            prop_assert_eq!(by_texts(&mut one, &findings, None), naive(&mut other, &findings));
            for (one, other) in one.iter().zip(&other) {
                prop_assert_eq!(&one.is_matched, &other.is_matched);
            }
        }
    }
}
