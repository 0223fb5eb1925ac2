//! Merges the drafts of several expansions of a template, and identifies each finding.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::{Diagnostic, Finding, Outcome};
use crate::engine::drained::drained;
use crate::engine::findings::{Draft, Identity};
#[cfg(test)]
use crate::engine::sorted_set::SortedSet;
use crate::engine::{counterparts, places};
use crate::text::{Sources, Span, digest};
use crate::value::Few;

/// Index of drafts by rule, outcome, message and place. The resource is not part of it, because its name often comes
/// from the parameters.
#[derive(Default)]
struct Index {
    /// The last draft with a hash. Others are reached through `earlier`.
    last: HashMap<u64, usize>,
    /// The previous draft with the same hash, for each draft.
    earlier: Vec<Option<usize>>,
}

impl Index {
    /// Returns the draft in `merged` that is the same as `draft`. If there is none, `draft` is noted as the next one.
    fn find(&mut self, merged: &[Draft], draft: &Draft, is_linked: bool) -> Option<usize> {
        let hash = self.last.hasher().hash_one(key(draft, is_linked));
        let mut next = self.last.get(&hash).copied();
        while let Some(at) = next {
            if merged.get(at).is_some_and(|known| key(known, is_linked) == key(draft, is_linked)) {
                return Some(at);
            }
            next = self.earlier.get(at).copied().flatten();
        }
        self.earlier.push(self.last.insert(hash, self.earlier.len()));
        None
    }

    /// Forgets the draft that was noted last.
    fn forget(&mut self, draft: &Draft) {
        let hash = self.last.hasher().hash_one(key(draft, false));
        match self.earlier.pop().flatten() {
            Some(before) => self.last.insert(hash, before),
            None => self.last.remove(&hash),
        };
    }
}

/// Drafts of a template, with equal ones merged. Its expansions are added in their order, so that the drafts of many of
/// them are never in memory together.
#[derive(Default)]
pub(super) struct United {
    index: Index,
    drafts: Vec<Draft>,
    /// Number of drafts that are omitted because there are too many different ones.
    omitted: usize,
}

impl United {
    /// Adds the drafts of an expansion. Once there are `most`, further different ones are only counted.
    pub(super) fn add(&mut self, drafts: impl IntoIterator<Item = Draft>, most: usize) {
        for draft in drafts {
            match self.index.find(&self.drafts, &draft, false) {
                Some(same) => {
                    if let Some(same) = self.drafts.get_mut(same) {
                        absorb(same, draft);
                    }
                }
                None if self.drafts.len() < most => self.drafts.push(draft),
                None => {
                    self.index.forget(&draft);
                    self.omitted += 1;
                }
            }
        }
    }

    /// Returns the drafts, and the number of those that were omitted.
    pub(super) fn into_parts(self) -> (Vec<Draft>, usize) {
        (self.drafts, self.omitted)
    }
}

/// Returns the key by which drafts are the same. Paths of a linked template are not part of it: they begin in the
/// template that links to it.
fn key(draft: &Draft, is_linked: bool) -> impl PartialEq + Hash {
    let rule = (draft.rule.id.as_str(), draft.rule.definition);
    let paths = (!is_linked).then_some((draft.path.as_str(), draft.failed_paths.paths(&draft.path)));
    (rule, draft.outcome, draft.message.as_str(), draft.span, paths)
}

/// Merges equal drafts of several expansions into one finding that names their parameter files, and gives each its
/// identity. `template` is the path of the template that does not depend on where the repository lies. The result is
/// ordered by place and rule.
pub(super) fn merge(drafts: Vec<Draft>, template: &str) -> Vec<Finding> {
    identified(drafts, template, false)
}

/// Merges drafts as [`merge`] does, for a template that others link to. Its resources may have other names in each of
/// them.
pub(super) fn merge_linked(drafts: Vec<Draft>, template: &str) -> Vec<Finding> {
    identified(drafts, template, true)
}

fn identified(drafts: Vec<Draft>, template: &str, is_linked: bool) -> Vec<Finding> {
    let mut merged = united(drafts, is_linked);
    for draft in &mut merged {
        if draft.outcome == Outcome::Failed
            && let Some(condition) = draft.qualifier.take()
        {
            draft.message = format!("{} ({condition})", draft.message);
        }
    }
    counterparts::without_repeated(&mut merged);
    sort(&mut merged);
    let merged = places::bound(merged);
    let mut identities = Identities { template, is_linked, seen: Seen::default(), seen_by_any_name: Seen::default() };
    let finding = |draft: Draft| {
        let identity = identities.identify(&draft);
        draft.into_finding(identity)
    };
    drained(merged).map(finding).collect()
}

/// Returns the drafts, with equal ones merged.
fn united(drafts: Vec<Draft>, is_linked: bool) -> Vec<Draft> {
    let mut index = Index::default();
    let first = drafts.iter().position(|draft| index.find(&drafts, draft, is_linked).is_some());
    // Mostly there are none, and the drafts of a long template are better not moved.
    let Some(first) = first else { return drafts };
    let mut index = Index::default();
    let mut merged: Vec<Draft> = Vec::with_capacity(first);
    for draft in drained(drafts) {
        let same = index.find(&merged, &draft, is_linked);
        match same.and_then(|at| merged.get_mut(at)) {
            Some(same) => absorb(same, draft),
            None => merged.push(draft),
        }
    }
    merged
}

/// Gives the findings of one template their identities, in the order of the findings.
struct Identities<'a> {
    template: &'a str,
    /// True if resources have other names in other runs, even without parameter files.
    is_linked: bool,
    seen: Seen,
    /// `seen`, keyed by every name that a resource has under some parameter file.
    seen_by_any_name: Seen,
}

impl Identities<'_> {
    fn identify(&mut self, draft: &Draft) -> Identity {
        let rule = &draft.rule.id;
        // What passed counts: what comes behind it keeps its fingerprint when it fails.
        let of = draft.place(&draft.anchor.home.name);
        let occurrence = Occurrence { before: next(&mut self.seen, rule, of), more: draft.more_places };
        let has_other_names = !draft.parameters.is_empty() || self.is_linked;
        if draft.is_counted_only {
            if has_other_names {
                self.aliases(draft, "");
            }
            return Identity::default();
        }
        let fingerprint = fingerprint(rule, self.template, of, occurrence);
        let aliases = if has_other_names { self.aliases(draft, &fingerprint) } else { Few::NONE };
        Identity { fingerprint, of_resource: self::fingerprint(rule, "", of, occurrence), aliases }
    }

    /// Returns the fingerprints under other names of the resource.
    fn aliases(&mut self, draft: &Draft, fingerprint: &str) -> Few<String> {
        let rule = &draft.rule.id;
        let is_asked_for = matches!(draft.outcome, Outcome::Failed | Outcome::Unknown);
        let mut names: BTreeSet<&String> = draft.names.as_slice().iter().collect();
        names.insert(&draft.anchor.home.path);
        let mut aliases = Vec::new();
        for name in names {
            let of = draft.place(name);
            // Others count how often there is one even if nobody asks for these.
            let before = next(&mut self.seen_by_any_name, rule, of);
            let occurrence = Occurrence { before, more: draft.more_places };
            if is_asked_for {
                aliases.push(self::fingerprint(rule, self.template, of, occurrence));
            }
        }
        aliases.retain(|alias| alias != fingerprint);
        aliases.into()
    }
}

/// Number of findings with the same parts of a fingerprint, by the hash of these parts: there may be a million of them.
type Seen = HashMap<u64, u32>;

/// Returns the number of previous findings of a rule at an anchor (see [`Draft::place`]), and counts this one.
fn next(seen: &mut Seen, rule: &str, [type_name, name, property]: [&str; 3]) -> u32 {
    // Nothing compares the parts themselves, so this hash needs to be a good one.
    let mut hasher = DefaultHasher::new();
    [rule, type_name, name, property].hash(&mut hasher);
    let count = seen.entry(hasher.finish()).or_default();
    *count += 1;
    *count - 1
}

fn absorb(into: &mut Draft, other: Draft) {
    // What holds in any case somewhere is not bound to a condition.
    if other.outcome == Outcome::Failed && other.qualifier.is_none() {
        into.qualifier = None;
    }
    // A branch that one parameter file takes is as grave as it is there.
    if other.rule.severity < into.rule.severity {
        into.rule = other.rule;
    }
    // A loop gives one resource several names under the same file, and none of them is its name in another run.
    if into.template != other.template || other.parameters.as_slice().iter().any(|file| !into.parameters.contains(file))
    {
        into.names.extend(other.names.into_few());
    }
    // A deployment with the defaults has no parameters that could change the name.
    if into.parameters.is_empty() && !other.parameters.is_empty() {
        into.names.insert(into.anchor.home.name.clone());
    }
    if into.template != other.template {
        into.other_templates.insert(other.template);
    }
    into.other_templates.extend(other.other_templates.into_few());
    into.parameters.extend(other.parameters.into_few());
    into.deployments.extend(other.deployments.into_few());
    into.subjects.extend(other.subjects.into_few());
    for label in other.related {
        if !into.related.contains(&label) {
            into.related.as_vec().push(label);
        }
    }
    into.hold_for(&other.holds);
    // Each says what one expansion has of them, and mostly all have the same.
    into.more_places = into.more_places.max(other.more_places);
    for extent in other.extents {
        if !into.extents.contains(&extent) {
            into.extents.as_vec().push(extent);
        }
    }
    // Where the same thing is written differently, what is right for one may be wrong for the other.
    if into.fix != other.fix {
        into.fix = None;
    }
    if into.anchor.home.name != other.anchor.home.name {
        let home = Arc::make_mut(&mut into.anchor.home);
        home.name.clone_from(&home.path);
    }
}

/// Sorts by [`order`], and keeps that of drafts that are the same in it. Only positions are sorted, because a sort that
/// keeps an order needs room for half of what it sorts.
fn sort(drafts: &mut [Draft]) {
    let mut sorted: Vec<usize> = (0..drafts.len()).collect();
    sorted.sort_by(|&a, &b| match (drafts.get(a), drafts.get(b)) {
        (Some(a), Some(b)) => order(a, b),
        _ => std::cmp::Ordering::Equal,
    });
    // Moves each draft to its place, cycle by cycle.
    for start in 0..sorted.len() {
        let mut at = start;
        while let Some(from) = sorted.get_mut(at).map(|from| std::mem::replace(from, at)).filter(|from| *from != start)
        {
            drafts.swap(at, from);
            at = from;
        }
    }
}

/// Compares drafts of a single template, whose places are in one file but for those that a parameter file caused.
fn order(a: &Draft, b: &Draft) -> std::cmp::Ordering {
    let key = |draft: &Draft| (draft.span.start, draft.span.end, draft.outcome);
    key(a)
        .cmp(&key(b))
        .then_with(|| a.rule.id.cmp(&b.rule.id))
        .then_with(|| a.path.cmp(&b.path))
        .then_with(|| a.failed_paths.paths(&a.path).cmp(b.failed_paths.paths(&b.path)))
        .then_with(|| a.message.cmp(&b.message))
        .then_with(|| a.parameters.as_slice().cmp(b.parameters.as_slice()))
}

/// Distinguishes findings of a rule at the same anchor.
#[derive(Clone, Copy)]
struct Occurrence {
    /// Number of previous findings.
    before: u32,
    /// Number of places of the finding that are not listed. Who accepts a finding with 50 of them does not accept the
    /// 51st.
    more: u32,
}

impl fmt::Display for Occurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.before)?;
        if self.more > 0 { write!(f, "+{}", self.more) } else { Ok(()) }
    }
}

/// Returns a digest of the subject of a finding. Lines, the folder of the repository and the values are not part of it.
fn fingerprint(rule: &str, template: &str, [type_name, name, property]: [&str; 3], occurrence: Occurrence) -> String {
    digest(&[rule, template, type_name, name, property, &occurrence.to_string()])
}

/// Maximum number of other places of a diagnostic that several expansions have.
const MAX_PLACES: usize = 8;

/// Drops the diagnostics that repeat those of another expansion, apart from the other places that they name.
pub(super) fn merge_diagnostics(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut merged: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
    let mut seen: HashMap<_, usize> = HashMap::default();
    for diagnostic in diagnostics {
        let key = (diagnostic.code, diagnostic.primary.span, diagnostic.message.clone());
        let at = *seen.entry(key).or_insert(merged.len());
        let Some(same) = merged.get_mut(at) else {
            merged.push(diagnostic);
            continue;
        };
        for label in diagnostic.secondary {
            if same.secondary.len() < MAX_PLACES && !same.secondary.contains(&label) {
                same.secondary.push(label);
            }
        }
    }
    merged
}

/// Orders diagnostics by the names of their files. The IDs of the files depend on which thread read them first.
pub(super) fn sort_diagnostics(diagnostics: &mut [Diagnostic], sources: &Sources) {
    diagnostics.sort_by_cached_key(|diagnostic| {
        let Span { file, start, end } = diagnostic.primary.span;
        (Arc::clone(sources.get(file).name()), start, end, diagnostic.code, diagnostic.message.clone())
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::diagnostic::{Code, DeploymentKey, Edit, FailedPaths, Fix, Label, RuleInfo, Severity};
    use crate::engine::findings::{Anchor, Home, Property};
    use crate::text::{FileId, Sources};

    #[test]
    fn a_problem_of_several_expansions_names_the_places_of_each() {
        let file = Sources::new().add("main.json", "");
        let problem = |start: u32| {
            let problem = Diagnostic::new(Code::ParameterMissing, Span::whole_file(file), "it is missing");
            problem.with_label(Span { file, start, end: start }, "this file does not set it")
        };
        let merged = merge_diagnostics(vec![problem(1), problem(2), problem(1)]);
        let places: Vec<Vec<u32>> =
            merged.iter().map(|problem| problem.secondary.iter().map(|label| label.span.start).collect()).collect();
        assert_eq!(places, [[1, 2]]);
    }

    struct Sample {
        file: FileId,
        rule: Arc<RuleInfo>,
    }

    impl Sample {
        fn new() -> Self {
            let rule = RuleInfo {
                id: "T-1".to_owned(),
                name: String::new(),
                short_description: String::new(),
                full_description: String::new(),
                recommendation: None,
                help_uri: None,
                severity: Severity::High,
                resource_types: Vec::new(),
                definition: None,
                check: None,
                details: Arc::default(),
            };
            Self { file: Sources::new().add("main.json", ""), rule: Arc::new(rule) }
        }

        /// Returns a failure at byte `start` of a resource called `name`, under one parameter file.
        fn draft(&self, start: u32, name: &str, parameters: &str) -> Draft {
            let home = Home { type_name: "t".to_owned(), name: name.to_owned(), path: "resources[0]".to_owned() };
            Draft {
                rule: Arc::clone(&self.rule),
                outcome: Outcome::Failed,
                message: "m".to_owned(),
                template: Arc::from("main.json"),
                other_templates: SortedSet::default(),
                parameters: SortedSet::from_iter([Arc::from(parameters)]),
                deployments: SortedSet::from_iter([DeploymentKey::new("main.json", Some(parameters), "")]),
                holds: Few::NONE,
                resource: None,
                subjects: SortedSet::default(),
                path: "resources[0].x".to_owned(),
                failed_paths: FailedPaths::Own,
                more_places: 0,
                qualifier: None,
                span: Span::new(self.file, start, start + 1),
                related: vec![Label::new(Span::whole_file(self.file), parameters)].into(),
                failures: Few::NONE,
                extents: Few::NONE,
                actual: None,
                fix: None,
                names: SortedSet::from_iter([name.to_owned()]),
                anchor: Anchor { home: Arc::new(home), property: Property::Rest("resources[0]".len()) },
                is_counted_only: false,
            }
        }
    }

    #[test]
    fn the_same_finding_under_two_parameter_files_is_one_that_names_both() {
        let it = Sample::new();
        let merged = merge(vec![it.draft(1, "a", "prod"), it.draft(1, "a", "dev")], "main.json");
        assert_eq!(merged.len(), 1);
        assert_eq!(*merged[0].parameters, [Arc::from("dev"), Arc::from("prod")]);
        assert_eq!(merged[0].deployments.len(), 2);
        let related: Vec<_> = merged[0].related.iter().map(|label| label.message.as_str()).collect();
        assert_eq!(related, ["prod", "dev"]);
    }

    /// Expansions that are put together one after the other give what all of them give together.
    #[test]
    fn many_expansions_are_put_together_one_after_the_other() {
        let it = Sample::new();
        let expansion = |at: u32| {
            let name = format!("p{at}");
            [it.draft(1, "a", &name), it.draft(2, &format!("n{at}"), &name), it.draft(3 + at % 3, "b", &name)]
        };
        let all = || (0..100).flat_map(expansion);
        let mut united = United::default();
        (0..100).for_each(|at| united.add(expansion(at), 100));
        let (drafts, omitted) = united.into_parts();
        assert_eq!((drafts.len(), omitted), (5, 0));
        let shown = |findings: Vec<Finding>| format!("{findings:#?}");
        assert_eq!(shown(merge(drafts, "main.json")), shown(merge(all().collect(), "main.json")));
        let mut united = United::default();
        (0..100).for_each(|at| united.add(expansion(at), 3));
        let (drafts, omitted) = united.into_parts();
        // The last of the three places is that of every third expansion.
        assert_eq!((drafts.len(), omitted), (3, 66));
        assert_eq!(drafts[2].parameters.as_slice().len(), 34);
    }

    #[test]
    fn a_finding_keeps_only_a_fix_that_is_right_under_every_parameter_file() {
        let it = Sample::new();
        let fixed = |parameters: &str, value: &str| {
            let mut draft = it.draft(1, "a", parameters);
            let edit = Edit { span: draft.span, name: "x".to_owned(), replacement: value.to_owned() };
            draft.fix = Some(Box::new(Fix { title: value.to_owned(), edits: vec![edit], is_guess: false }));
            draft
        };
        let kept = |drafts: Vec<Draft>| merge(drafts, "main.json").remove(0).fix.is_some();
        assert!(kept(vec![fixed("dev", "1"), fixed("prod", "1")]));
        assert!(!kept(vec![fixed("dev", "1"), fixed("prod", "2")]));
        assert!(!kept(vec![fixed("dev", "1"), it.draft(1, "a", "prod")]));
    }

    #[test]
    fn a_draft_and_a_finding_are_small() {
        // There may be a million of each.
        assert!(size_of::<Draft>() <= 256, "{}", size_of::<Draft>());
        assert!(size_of::<Finding>() <= 288, "{}", size_of::<Finding>());
    }

    #[test]
    fn many_findings_are_in_the_order_of_the_text() {
        let it = Sample::new();
        let starts = (0..1_000).map(|at| at * 7_919 % 1_000);
        let drafts = starts.map(|start| it.draft(start, &format!("r{start}"), "dev")).collect();
        let merged = merge(drafts, "main.json");
        assert!(merged.iter().map(|finding| finding.span.start).eq(0..1_000));
        assert!(merged.iter().all(|finding| finding.failed_paths() == ["resources[0].x"]));
    }

    #[test]
    fn findings_at_two_places_stay_two_in_the_order_of_the_text() {
        let it = Sample::new();
        let merged = merge(vec![it.draft(9, "a", "dev"), it.draft(1, "b", "dev")], "main.json");
        let starts: Vec<_> = merged.iter().map(|finding| finding.span.start).collect();
        assert_eq!(starts, [1, 9]);
    }

    #[test]
    fn a_fingerprint_does_not_depend_on_lines_or_on_which_environment_named_the_resource() {
        let it = Sample::new();
        let print = |drafts: Vec<Draft>, template| {
            let merged = merge(drafts, template);
            merged.into_iter().map(|finding| finding.fingerprint).collect::<Vec<_>>()
        };
        let one = print(vec![it.draft(1, "a", "dev")], "main.json");
        assert_eq!(one[0].len(), 16);
        assert_eq!(one, print(vec![it.draft(7, "a", "dev")], "main.json"));
        assert_ne!(one, print(vec![it.draft(1, "b", "dev")], "main.json"));
        assert_ne!(one, print(vec![it.draft(1, "a", "dev")], "other.json"));

        let two = |last| print(vec![it.draft(1, "app-dev", "dev"), it.draft(1, last, "prod")], "main.json");
        assert_eq!(two("app-prod"), two("app-test"));
    }

    #[test]
    fn a_template_that_is_renamed_keeps_the_fingerprints_of_its_resources() {
        let it = Sample::new();
        let of = |template| merge(vec![it.draft(1, "a", "dev")], template).remove(0).resource_fingerprint;
        assert_eq!(of("main.json"), of("app/site.json"));
        assert_ne!(of("main.json"), merge(vec![it.draft(1, "b", "dev")], "main.json")[0].resource_fingerprint);
    }

    #[test]
    fn alike_findings_at_two_places_have_different_fingerprints() {
        let it = Sample::new();
        let merged = merge(vec![it.draft(1, "a", "dev"), it.draft(9, "a", "dev")], "main.json");
        assert_ne!(merged[0].fingerprint, merged[1].fingerprint);
    }

    #[test]
    fn resources_of_one_name_have_findings_of_their_own() {
        let it = Sample::new();
        let mut other = it.draft(9, "a", "dev");
        Arc::make_mut(&mut other.anchor.home).path = "resources[1]".to_owned();
        let merged = merge(vec![it.draft(1, "a", "dev"), other], "main.json");
        assert_ne!(merged[0].fingerprint, merged[1].fingerprint);
    }

    #[test]
    fn what_a_run_with_a_part_of_the_parameter_files_calls_a_finding_is_known() {
        let sample = Sample::new();
        let both = merge(vec![sample.draft(5, "app-dev", "dev"), sample.draft(5, "app-prod", "prod")], "a.json");
        for (name, parameters) in [("app-dev", "dev"), ("app-prod", "prod")] {
            let one = merge(vec![sample.draft(5, name, parameters)], "a.json");
            assert_ne!(one[0].fingerprint, both[0].fingerprint);
            assert!(both[0].aliases.contains(&one[0].fingerprint), "{name}");
            assert!(one[0].aliases.contains(&both[0].fingerprint), "{name}");
        }
    }

    #[test]
    fn names_that_a_loop_gives_under_one_file_are_no_identity() {
        let sample = Sample::new();
        let copies = ["a-0", "a-1", "a-2"].map(|name| sample.draft(5, name, "dev"));
        let merged = merge(copies.into(), "a.json");
        assert_eq!((merged.len(), merged[0].aliases.len()), (1, 1));
    }
}
