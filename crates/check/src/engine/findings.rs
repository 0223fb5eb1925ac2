//! Makes findings of the verdicts on a document.

use std::cell::LazyCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashSet};

use crate::arm::CREDENTIAL;
use crate::diagnostic::common_checks::{EXPRESSION_PLACEMENT, ORDER_MISSING, TEMPLATE_PROPERTY};
use crate::diagnostic::{
    BicepCode, Check, CheckKind, Code, DeploymentKey, Diagnostic, FailedPaths, Finding, Fix, Holds, Label, Level,
    Outcome, ResourceRef, RuleInfo, Severity, Subject,
};
use crate::engine::bicep_codes::bicep_info;
use crate::engine::doubts::Namer;
use crate::engine::drained::drained;
use crate::engine::enclosing::Enclosing;
use crate::engine::sorted_set::SortedSet;
use crate::model::{Document, Expansion, Issue, Resource, ResourceId};
use crate::parallel;
use crate::rules::{Checked, Leaf, RuleSet, Verdict};
use crate::schema;
use crate::schema::checks::{
    SCHEMA_OLD_API_VERSION, SCHEMA_RETIRED, SCHEMA_SCOPE, SCHEMA_UNKNOWN_PROPERTY, SECRET_PROPERTY,
};
use crate::text::{FileId, Sources, Span, cut_long};
use crate::value::{Few, Traits, ValueExcerpt};

/// The selected checks of deployments, with their descriptions for reports.
pub type Checks = HashMap<Check, Selected>;

/// A check that runs.
#[derive(Clone, Debug)]
pub struct Selected {
    /// Description of the rule for reports.
    pub info: Arc<RuleInfo>,
    /// True if findings outside of the default profile are reported too.
    pub reports_all: bool,
    /// True if the settings give its severity, which then holds for all of its findings.
    is_severity_set: bool,
    /// Cache: the description with each other severity, high first, which findings share.
    with_severity: [OnceLock<Arc<RuleInfo>>; 3],
    /// Codes of Bicep's compiler that are reported, with their descriptions. `None` for the default.
    codes: Option<Arc<HashMap<BicepCode, Arc<RuleInfo>>>>,
}

impl Selected {
    /// Creates a check with this description. `is_severity_set` is true if the settings give its severity.
    pub(super) fn new(info: Arc<RuleInfo>, reports_all: bool, is_severity_set: bool) -> Self {
        Self { info, reports_all, is_severity_set, with_severity: Default::default(), codes: None }
    }

    /// Sets the codes of Bicep's compiler that are reported.
    pub(super) fn with_codes(self, codes: HashMap<BicepCode, Arc<RuleInfo>>) -> Self {
        Self { codes: Some(Arc::new(codes)), ..self }
    }

    /// True if the settings exclude a code of Bicep's compiler.
    fn excludes(&self, code: Option<BicepCode>) -> bool {
        code.zip(self.codes.as_ref()).is_some_and(|(code, codes)| !codes.contains_key(&code))
    }

    /// Returns the description of an issue's rule.
    fn rule_of(&self, severity: Option<Severity>, code: Option<BicepCode>) -> Arc<RuleInfo> {
        match code {
            Some(code) => {
                let known = self.codes.as_ref().and_then(|codes| codes.get(&code)).cloned();
                known.unwrap_or_else(|| Arc::new(bicep_info(code)))
            }
            None => self.rule(severity),
        }
    }

    /// Creates a check that the settings do not name.
    pub(super) fn by_default(check: Check) -> Self {
        Self::new(Arc::new(check.info()), false, false)
    }

    /// Returns the description for a finding of this severity, unless the settings give another one.
    fn rule(&self, severity: Option<Severity>) -> Arc<RuleInfo> {
        let other = severity.filter(|severity| !self.is_severity_set && *severity != self.info.severity);
        let cache = other.and_then(|severity| self.with_severity.get(usize::from(severity.number() - 1)));
        match other.zip(cache) {
            Some((severity, cache)) => {
                let changed = || Arc::new(RuleInfo { severity, ..RuleInfo::clone(&self.info) });
                Arc::clone(cache.get_or_init(changed))
            }
            None => Arc::clone(&self.info),
        }
    }
}

/// Verdict of one expansion of a template at one place. Several of them may become one finding, and only then is its
/// identity known.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) rule: Arc<RuleInfo>,
    pub(super) outcome: Outcome,
    pub(super) message: String,
    /// Name of the template's file.
    pub(super) template: Arc<str>,
    /// Names of further templates that deploy the same linked template.
    pub(super) other_templates: SortedSet<Arc<str>>,
    /// Names of the parameter files under which it holds.
    pub(super) parameters: SortedSet<Arc<str>>,
    /// The deployments in which it holds.
    pub(super) deployments: SortedSet<DeploymentKey>,
    /// Deployments and resources that it holds for in each deployed template, ordered by deployment.
    pub(super) holds: Few<Holds>,
    pub(super) resource: Option<Arc<ResourceRef>>,
    /// The resource in the trees of the deployments, where there are any.
    pub(super) subjects: SortedSet<Subject>,
    pub(super) path: String,
    pub(super) failed_paths: FailedPaths,
    pub(super) more_places: u32,
    /// Condition of a failure that depends on the deployment or on the assumption of a scenario: ``if `IsProd` ``. Path
    /// of the undecided value of an unknown result.
    pub(super) qualifier: Option<Box<str>>,
    pub(super) span: Span,
    pub(super) related: Few<Label>,
    pub(super) failures: Few<Span>,
    pub(super) extents: Few<Span>,
    pub(super) actual: Option<ValueExcerpt>,
    pub(super) fix: Option<Box<Fix>>,
    /// Position that stays the same when lines move.
    pub(super) anchor: Anchor,
    /// The names that its resource has under one parameter file each.
    pub(super) names: SortedSet<String>,
    /// True if the draft is only counted. Then it has only the data that distinguish it from others.
    pub(super) is_counted_only: bool,
}

/// Fingerprints by which another run recognizes a finding.
#[derive(Debug, Default)]
pub(super) struct Identity {
    pub(super) fingerprint: String,
    /// The fingerprint without the path of the template.
    pub(super) of_resource: String,
    /// The fingerprints of a run with a part of the parameter files.
    pub(super) aliases: Few<String>,
}

impl Draft {
    /// Returns the parts that identify its place, if its resource has this name.
    pub(super) fn place<'a>(&'a self, name: &'a str) -> [&'a str; 3] {
        let property = match &self.anchor.property {
            Property::Rest(start) => self.path.get(*start..).unwrap_or_default(),
            Property::Text(text) => text,
        };
        [&self.anchor.home.type_name, name, property]
    }

    /// Adds the resources of another one to those that it holds for.
    pub(super) fn hold_for(&mut self, others: &[Holds]) {
        for held in others {
            match self.holds.binary_search_by_key(&held.deployment, |held| held.deployment) {
                Ok(at) => self.holds.get_mut(at).into_iter().for_each(|own| own.add(*held)),
                Err(at) => self.holds.as_vec().insert(at, *held),
            }
        }
    }

    /// Converts into a finding. Callers that know the change and the baseline set whether it is part of the change, and
    /// whether it is accepted.
    pub(super) fn into_finding(self, identity: Identity) -> Finding {
        Finding {
            rule: self.rule,
            outcome: self.outcome,
            in_change: None,
            message: self.message,
            template: self.template,
            other_templates: self.other_templates.into_few(),
            parameters: self.parameters.into_few(),
            deployments: self.deployments.into_few(),
            holds: self.holds,
            resource: self.resource,
            subjects: self.subjects.into_few(),
            path: self.path,
            failed_paths: self.failed_paths,
            more_places: self.more_places,
            undecided: self.qualifier.filter(|_| self.outcome == Outcome::Unknown),
            span: self.span,
            related: self.related,
            failures: self.failures,
            extents: self.extents,
            actual: self.actual,
            fix: self.fix,
            fingerprint: identity.fingerprint,
            resource_fingerprint: identity.of_resource,
            aliases: identity.aliases,
            suppressed: None,
        }
    }
}

/// Position of a finding in a template, without lines and, where the name of its resource is known, without indexes.
#[derive(Clone, Debug)]
pub(super) struct Anchor {
    /// The resource, which its drafts share.
    pub(super) home: Arc<Home>,
    /// Path of the property below the resource.
    pub(super) property: Property,
}

/// Path of a property below a resource.
#[derive(Clone, Debug)]
pub(super) enum Property {
    /// Part of the path of the draft after this number of bytes.
    Rest(usize),
    /// A text that is not in this path.
    Text(Box<str>),
}

/// The resource of an anchor. All of it is empty for the template as a whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Home {
    /// Type of the resource.
    pub(super) type_name: String,
    /// Name of the resource; its authored path where the name is not known.
    pub(super) name: String,
    /// Authored path of the resource.
    pub(super) path: String,
}

/// Checks a document and converts its verdicts with `draft`, in their order and in several parts, each of which `keep`
/// converts: together, the verdicts of a long document would be in memory twice, beside the document. Drafts are made
/// soon after their verdicts, which take more memory. Also returns the rules that take too many steps.
pub(super) fn drafts<T: Send, K: Send>(
    issues: Vec<Issue>,
    document: &Document,
    rules: &RuleSet,
    checks: &Checks,
    draft: impl Fn(Verdict) -> T + Sync,
    keep: impl Fn(Vec<T>) -> K + Sync,
) -> (Vec<K>, Vec<Arc<RuleInfo>>) {
    let of_rule = |verdicts: Vec<Verdict>| {
        let mut drafts = Vec::with_capacity(verdicts.len());
        drafts.extend(drained(verdicts).map(&draft));
        keep(drafts)
    };
    let (of_checks, of_rules) =
        parallel::join(|| of_checks(issues, document, checks, &draft), || rules.check_with(document, of_rule));
    let Checked { made, exceeded } = of_rules;
    (std::iter::once(keep(of_checks)).chain(made).collect(), exceeded)
}

/// Rules, each with the check whose finding is more specific if both report a value: AWS refuses a runtime, and does
/// not only stop patching it.
const COVERED: &[(&str, Check)] = &[("AWS-LAMBDA-001", SCHEMA_RETIRED)];

/// Removes drafts of a rule on values for which a check reports more.
pub(super) fn leave_out_covered(drafts: &mut [Vec<Draft>]) {
    for (rule, check) in COVERED {
        let of_check = drafts.iter().flatten().filter(|draft| draft.rule.check == Some(*check));
        let places: HashSet<Span> = of_check.map(|draft| draft.span).collect();
        if !places.is_empty() {
            for part in drafts.iter_mut() {
                part.retain(|draft| draft.rule.id != *rule || !places.contains(&draft.span));
            }
        }
    }
}

/// Runs the checks on a document and converts their verdicts with `draft`.
fn of_checks<T>(mut issues: Vec<Issue>, document: &Document, checks: &Checks, draft: impl Fn(Verdict) -> T) -> Vec<T> {
    let reports_all = |check: Check| checks.get(&check).is_some_and(|selected| selected.reports_all);
    // Resources wait for each other, which the types of AWS tell.
    let mut of_resources = schema::checks::CHECKS.iter().chain([&ORDER_MISSING]);
    if of_resources.any(|check| checks.contains_key(check)) {
        issues.extend(schema::check_resources(document, reports_all(SCHEMA_OLD_API_VERSION)));
    }
    let issues = without_repetition(issues, document, checks);
    let enclosing = LazyCell::new(|| Enclosing::new(document));
    let mut drafts = Vec::with_capacity(issues.len());
    for issue in drained(issues) {
        let is_reported =
            |selected: &&Selected| (!issue.is_pedantic || selected.reports_all) && !selected.excludes(issue.bicep_code);
        let Some(selected) = checks.get(&issue.check).filter(is_reported) else { continue };
        // The name of a resource identifies a problem inside it better than a position does.
        let is_of_types = issue.check.kind() == CheckKind::Schema || issue.check == SECRET_PROPERTY;
        let is_unplaced = is_of_types && issue.resource.is_none();
        let resource =
            if is_unplaced || issue.check.is_of_problems() { enclosing.innermost(issue.span) } else { issue.resource };
        drafts.push(draft(verdict(issue, selected, resource)));
    }
    drafts.shrink_to_fit();
    drafts
}

/// Removes issues that another check also reports: a secret property that is a credential, and a property that no
/// resource has if the check of its type reports it.
fn without_repetition(mut issues: Vec<Issue>, document: &Document, checks: &Checks) -> Vec<Issue> {
    if checks.contains_key(&CREDENTIAL) {
        let credentials = issues.iter().filter(|issue| issue.check == CREDENTIAL);
        let credentials: HashSet<String> = credentials.map(|issue| issue.path.clone()).collect();
        issues.retain(|issue| issue.check != SECRET_PROPERTY || !credentials.contains(&issue.path));
    }
    // Where a nested deployment is at the wrong scope, functions that need the right one fail, too.
    let misplaced = issues.iter().filter(|issue| issue.check == SCHEMA_SCOPE && !issue.further.is_empty());
    let nested = misplaced.filter_map(|issue| Some(document.resource(issue.resource?).span));
    let nested: Vec<Span> = nested.filter(|_| checks.contains_key(&SCHEMA_SCOPE)).collect();
    issues.retain(|issue| {
        issue.check != EXPRESSION_PLACEMENT || !nested.iter().any(|nested| nested.contains(issue.span))
    });
    let general: HashMap<(FileId, u32), Severity> = issues
        .iter()
        .filter(|issue| issue.check == TEMPLATE_PROPERTY)
        .filter_map(|issue| Some((start(issue), checks.get(&issue.check)?.info.severity)))
        .collect();
    let mut told: HashSet<(FileId, u32)> = HashSet::default();
    for issue in issues.iter_mut().filter(|issue| issue.check == SCHEMA_UNKNOWN_PROPERTY) {
        let Some(selected) = checks.get(&issue.check).filter(|selected| !issue.is_pedantic || selected.reports_all)
        else {
            continue;
        };
        if let Some(severity) = general.get(&start(issue)) {
            // The type knows more names. The fault is as grave as it was.
            issue.severity = Some(issue.severity.unwrap_or(selected.info.severity).min(*severity));
            told.insert(start(issue));
        }
    }
    issues.retain(|issue| issue.check != TEMPLATE_PROPERTY || !told.contains(&start(issue)));
    issues
}

/// Returns the start of the property name that an issue is about.
fn start(issue: &Issue) -> (FileId, u32) {
    (issue.span.file, issue.span.start)
}

/// Returns the verdict for an issue of a deployment.
fn verdict(issue: Issue, selected: &Selected, resource: Option<ResourceId>) -> Verdict {
    let Issue { outcome, message, path, span, related, further, actual, severity, value_fixes, bicep_code, .. } = issue;
    let rule = selected.rule_of(severity, bicep_code);
    let leaf = Leaf { path: path.clone(), span, extent: span, related, actual };
    let consequence = |(path, span)| Leaf { path, span, extent: span, related: Vec::new(), actual: None };
    let leaves = std::iter::once(leaf).chain(further.into_iter().map(consequence)).collect();
    Verdict { rule, outcome, message, resource, alike: Vec::new(), path, span, leaves, value_fixes }
}

/// Returns `true` if every part of a template was evaluated, so that a missing finding means that there is none.
pub(super) fn is_whole(expansion: &Expansion) -> bool {
    expansion.document.is_some()
        && expansion.issues.iter().all(|issue| !issue.check.is_of_problems())
        && expansion.diagnostics.iter().all(|problem| problem.level != Level::Error)
}

/// Drops the warnings and notes of checks that do not run.
pub(super) fn drop_excluded(diagnostics: &mut Vec<Diagnostic>, checks: &Checks) {
    diagnostics.retain(|problem| Check::for_code(problem.code).is_none_or(|check| checks.contains_key(&check)));
}

/// Returns the diagnostic for a template on which formwork itself failed.
pub(super) fn internal_fault(file: FileId) -> Diagnostic {
    let message = "formwork failed while it analyzed this file, which is a defect of formwork";
    Diagnostic::of_file(Code::InternalFault, file, message).with_help("please report it with the template")
}

/// Data that the drafts of one resource share, filled on first use.
#[derive(Clone, Default)]
struct SharedData {
    home: OnceLock<Arc<Home>>,
    /// Reference to the resource in reports.
    shown: OnceLock<Arc<ResourceRef>>,
    /// A digest of its name; 0 if that is not known.
    name: OnceLock<u64>,
}

/// Returns the path of the construct of the CDK that a resource comes from. Reference:
/// <https://docs.aws.amazon.com/cdk/v2/guide/identifiers.html>.
fn construct(document: &Document, id: ResourceId) -> Option<&str> {
    let metadata = document.resource(id).body.as_object()?.get_exact("Metadata")?.as_object()?;
    metadata.get_exact("aws:cdk:path")?.as_str()
}

/// Converts the verdicts on a document into drafts.
pub(super) struct Drafting<'a> {
    document: &'a Document,
    /// Name of the template's file.
    template: &'a Arc<str>,
    parameters: &'a [Arc<str>],
    /// True if verdicts that passed are reported in full, and not only counted.
    keeps_passed: bool,
    /// Maps a span to the place where the author wrote the text.
    authored: &'a (dyn Fn(Span) -> Span + Sync),
    sources: &'a Sources,
    /// True if all resources are certainly deployed.
    is_certain: bool,
    /// Names the conditions of the others.
    namer: OnceLock<Namer<'a>>,
    /// Cache: shared data of drafts, by resource.
    known: Vec<SharedData>,
    /// The home of drafts about the template.
    nowhere: Arc<Home>,
}

impl<'a> Drafting<'a> {
    /// Prepares drafts about `template` under its parameter files, of which later ones override earlier ones. Verdicts
    /// that passed are always counted, and reported in full if `keeps_passed`.
    pub(super) fn new(
        document: &'a Document,
        template: &'a Arc<str>,
        parameters: &'a [Arc<str>],
        keeps_passed: bool,
        authored: &'a (dyn Fn(Span) -> Span + Sync),
        sources: &'a Sources,
    ) -> Self {
        let mut resources = document.resources.iter().chain(&document.possible);
        let is_certain = resources.all(|resource| resource.presence.doubt().is_none());
        let known = vec![SharedData::default(); document.resources.len()];
        Self {
            document,
            template,
            parameters,
            keeps_passed,
            authored,
            sources,
            is_certain,
            namer: OnceLock::new(),
            known,
            nowhere: Arc::default(),
        }
    }

    pub(super) fn draft(&self, verdict: Verdict, fix: Option<Fix>) -> Draft {
        let is_counted_only = verdict.outcome == Outcome::Passed && !self.keeps_passed;
        let condition = self.condition(&verdict);
        let (home, resource) = self.home(verdict.resource, !is_counted_only);
        let property = Property::Rest(if verdict.path.starts_with(&home.path) { home.path.len() } else { 0 });
        // Only under several parameter files does a resource have several names.
        let names = self.parameters.first().map(|_| home.name.clone()).into_iter().collect();
        let (deployments, holds) = if is_counted_only { Default::default() } else { self.holds(&verdict) };
        let extents = verdict.leaves.iter().map(|leaf| leaf.extent).collect::<Few<Span>>();
        // The first leaf is what is shown; the others are places that are marked as well.
        let mut leaves = verdict.leaves.into_iter();
        let (span, related, actual, first_path) = match leaves.next() {
            Some(leaf) => (leaf.span, leaf.related, leaf.actual, Some(leaf.path)),
            None => (verdict.span, Vec::new(), None, None),
        };
        let more = leaves.len().saturating_sub(FailedPaths::MOST - 1);
        let leaves = leaves.take(FailedPaths::MOST - 1);
        let (paths, failures): (Vec<_>, Vec<_>) = leaves.map(|leaf| (leaf.path, leaf.span)).unzip();
        let (failed_paths, qualifier) = match verdict.outcome {
            Outcome::Failed => {
                let paths = first_path.into_iter().chain(paths).collect();
                (FailedPaths::new(paths, more, &verdict.path), condition)
            }
            Outcome::Unknown => (FailedPaths::NONE, first_path.map(String::into_boxed_str)),
            Outcome::Passed | Outcome::Suppressed => (FailedPaths::NONE, None),
        };
        Draft {
            rule: verdict.rule,
            outcome: verdict.outcome,
            message: fitted(self.message(verdict.message, verdict.resource.filter(|_| !is_counted_only))),
            template: Arc::clone(self.template),
            other_templates: SortedSet::default(),
            parameters: self.parameters.iter().cloned().collect(),
            deployments,
            holds,
            resource,
            subjects: SortedSet::default(),
            path: fitted(verdict.path),
            failed_paths,
            more_places: 0,
            qualifier,
            span,
            related: related.into(),
            failures: failures.into(),
            extents,
            actual,
            fix: fix.map(Box::new),
            anchor: Anchor { home, property },
            names,
            is_counted_only,
        }
    }

    /// Returns the deployments in which a verdict holds, and the resources there.
    fn holds(&self, verdict: &Verdict) -> (SortedSet<DeploymentKey>, Few<Holds>) {
        let key = |path: &str| DeploymentKey::new(self.template, self.parameters.last().map(|name| &**name), path);
        let mut deployments = SortedSet::default();
        deployments.insert(key(deployment_path(verdict, self.document)));
        let resources = verdict.resource.iter().chain(&verdict.alike);
        (deployments, vec![Holds::new(key(""), resources.map(|id| self.name(*id)))].into())
    }

    /// Returns the condition under which a verdict fails.
    fn condition(&self, verdict: &Verdict) -> Option<Box<str>> {
        // What is wrong with the text is wrong whatever is deployed.
        let is_of_text = matches!(verdict.rule.kind(), Some(CheckKind::Template | CheckKind::Expression));
        if self.is_certain || is_of_text || verdict.outcome != Outcome::Failed {
            return None;
        }
        let around = || {
            let path = deployment_path(verdict, self.document);
            self.document.deployments.iter().find(|deployment| deployment.path == path)?.resource
        };
        let subject = verdict.resource.or_else(around);
        let namer = self.namer.get_or_init(|| Namer::new(self.document, self.authored, self.sources));
        if let Some(possible) = possible_resource(verdict, self.document) {
            return namer.reason_of_presence(&possible.presence).map(String::into_boxed_str);
        }
        namer.reason_of(subject.into_iter().chain(verdict.alike.iter().copied())).map(String::into_boxed_str)
    }

    /// Returns a message, with the construct of the resource if the CDK wrote it.
    fn message(&self, message: String, resource: Option<ResourceId>) -> String {
        match resource.and_then(|id| construct(self.document, id)) {
            Some(path) => format!("{message} (in construct `{}`)", self.document.hidden.masked(path)),
            None => message,
        }
    }

    /// Returns the shared position of a resource and, for a finding that is reported, its reference in reports.
    fn home(&self, resource: Option<ResourceId>, is_reported: bool) -> (Arc<Home>, Option<Arc<ResourceRef>>) {
        let Some((id, SharedData { home, shown, .. })) = resource.and_then(|id| Some((id, self.known.get(id.0)?)))
        else {
            return (Arc::clone(&self.nowhere), None);
        };
        let home = home.get_or_init(|| Arc::new(self::home(self.document, id)));
        let resource_ref = || {
            let mut resource = resource_ref(self.document, id);
            resource.declared = resource.declared.map(self.authored);
            Arc::new(resource)
        };
        let shown = is_reported.then(|| Arc::clone(shown.get_or_init(resource_ref)));
        (Arc::clone(home), shown)
    }

    /// Returns a digest of the name of a resource; 0 if that is not known.
    fn name(&self, id: ResourceId) -> u64 {
        let digest = || {
            let mut hasher = DefaultHasher::new();
            self.document.resource(id).name.to_lowercase().hash(&mut hasher);
            if has_name(self.document, id) { hasher.finish() } else { 0 }
        };
        self.known.get(id.0).map_or(0, |known| *known.name.get_or_init(digest))
    }
}

/// Converts into a string without spare capacity: drafts are kept to the end of the run, and there may be a million.
fn fitted(mut text: String) -> String {
    text.shrink_to_fit();
    text
}

/// Returns the resource that a finding about its type is in, if it is not deployed with the given values.
fn possible_resource<'a>(verdict: &Verdict, document: &'a Document) -> Option<&'a Resource> {
    if verdict.rule.kind() != Some(CheckKind::Schema) {
        return None;
    }
    let is_below = |path: &str, above: &str| path.strip_prefix(above).is_some_and(|rest| rest.starts_with(['.', '[']));
    document.possible.iter().filter(|resource| resource.presence.doubt().is_some()).find(|resource| {
        let is_nested = |id| is_below(&resource.path, &document.resource(id).path);
        is_below(&verdict.path, &resource.path) && verdict.resource.is_none_or(is_nested)
    })
}

/// Returns the path of the innermost deployment that a verdict is about.
fn deployment_path<'a>(verdict: &Verdict, document: &'a Document) -> &'a str {
    if let Some(id) = verdict.resource {
        return &document.deployment(document.resource(id).deployment).path;
    }
    let around = document.deployments.iter().map(|deployment| deployment.path.as_str());
    around.filter(|path| verdict.path.starts_with(path)).max_by_key(|path| path.len()).unwrap_or_default()
}

fn resource_ref(document: &Document, id: ResourceId) -> ResourceRef {
    let resource = document.resource(id);
    ResourceRef {
        type_name: shown(document, &resource.type_name),
        name: shown(document, &resource.name),
        id: shown(document, &resource.id),
        declared: Some(resource.span).filter(|span| *span != Span::whole_file(span.file)),
    }
}

/// Returns a name or an ID as reports show it, with secret segments masked.
pub(super) fn shown(document: &Document, text: &str) -> String {
    cut_long(document.hidden.masked(text).into_owned(), MAX_NAME)
}

/// The longest name of a resource in a report, in bytes. Azure takes IDs of a few hundred characters.
const MAX_NAME: usize = 2_000;

/// Returns `true` if the name of a resource is known before it is deployed.
fn has_name(document: &Document, id: ResourceId) -> bool {
    document.resource(id).body.get("name").is_none_or(|name| !name.traits.has(Traits::UNKNOWN))
}

fn home(document: &Document, id: ResourceId) -> Home {
    let resource = document.resource(id);
    Home {
        type_name: resource.type_name.to_lowercase(),
        name: if has_name(document, id) { resource.name.to_lowercase() } else { resource.path.clone() },
        path: resource.path.clone(),
    }
}
