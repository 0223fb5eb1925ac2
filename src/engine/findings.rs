//! Turns verdicts on a document into findings in files.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::diagnostic::{Check, Code, Diagnostic, Finding, Fix, Outcome, ResourceRef, RuleInfo};
use crate::engine::frontend::accepted;
use crate::model::Issue;
use crate::model::{Document, ResourceId};
use crate::rules::{Leaf, RuleSet, Verdict};
use crate::text::FileId;
use crate::value::Traits;

/// The selected checks of deployments, and what reports say about each.
pub(crate) type Checks = FxHashMap<Check, Arc<RuleInfo>>;

/// A finding with what its fingerprint will be made of.
#[derive(Debug)]
pub(super) struct Draft {
    /// Without a fingerprint yet.
    pub(super) finding: Finding,
    /// What stays the same when lines move.
    pub(super) anchor: Anchor,
    /// The names that its resource has under one parameter file each.
    pub(super) names: BTreeSet<String>,
}

/// Where in a template a finding is, without lines and, where the name of its resource is known, without positions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Anchor {
    /// Type of the resource, empty for the template as a whole.
    pub(super) type_name: String,
    /// Name of the resource; its authored path where the name is not known.
    pub(super) name: String,
    /// Authored path of the resource.
    pub(super) resource_path: String,
    /// Path of the property below the resource.
    pub(super) property: String,
}

/// What checks and rules say of a document, those that its author accepted among it.
pub(super) fn verdicts(issues: Vec<Issue>, document: &Document, rules: &RuleSet, checks: &Checks) -> Vec<Verdict> {
    let of_checks = issues.into_iter().filter_map(|issue| verdict(issue, checks));
    of_checks.chain(rules.check(document)).map(|verdict| accepted(verdict, document)).collect()
}

/// What an issue of a deployment says as a verdict like those of rules. `None` where its check does not run.
fn verdict(issue: Issue, checks: &Checks) -> Option<Verdict> {
    let rule = Arc::clone(checks.get(&issue.check)?);
    let Issue { outcome, message, path, span, related, actual, .. } = issue;
    let leaf = Leaf { path: path.clone(), span, extent: span, related, actual };
    Some(Verdict { rule, outcome, message, resource: None, path, span, leaves: vec![leaf], remedies: Vec::new() })
}

/// What is said of a template on which formwork itself failed.
pub(super) fn internal_fault(file: FileId) -> Diagnostic {
    let message = "formwork failed while it analysed this file, which is a defect of formwork";
    Diagnostic::of_file(Code::InternalFault, file, message).with_help("please report it with the template")
}

/// Turns a verdict into a finding of `template` under at most one parameter file.
pub(super) fn draft(
    verdict: Verdict,
    fix: Option<Fix>,
    document: &Document,
    template: &Arc<str>,
    parameters: Option<&Arc<str>>,
) -> Draft {
    let anchor = anchor(&verdict, document);
    let resource = verdict.resource.map(|id| resource_ref(document, id));
    let extents = verdict.leaves.iter().map(|leaf| leaf.extent).collect();
    let mut leaves = verdict.leaves.into_iter();
    let (span, related, actual, first_path) = match leaves.next() {
        Some(leaf) => (leaf.span, leaf.related, leaf.actual, Some(leaf.path)),
        None => (verdict.span, Vec::new(), None, None),
    };
    let (paths, failures): (Vec<_>, Vec<_>) = leaves.map(|leaf| (leaf.path, leaf.span)).unzip();
    let failed_paths = match verdict.outcome {
        Outcome::Failed => first_path.into_iter().chain(paths).collect(),
        _ => Vec::new(),
    };
    let finding = Finding {
        rule: verdict.rule,
        outcome: verdict.outcome,
        in_change: None,
        message: verdict.message,
        template: Arc::clone(template),
        parameters: parameters.cloned().into_iter().collect(),
        resource,
        path: verdict.path,
        failed_paths,
        span,
        related,
        failures,
        extents,
        actual,
        fix,
        fingerprint: String::new(),
        aliases: Vec::new(),
        in_baseline: false,
    };
    let names = BTreeSet::from([anchor.name.clone()]);
    Draft { finding, anchor, names }
}

fn resource_ref(document: &Document, id: ResourceId) -> ResourceRef {
    let resource = document.resource(id);
    ResourceRef {
        type_name: resource.type_name.to_string(),
        name: resource.name.to_string(),
        id: resource.id.to_string(),
    }
}

fn anchor(verdict: &Verdict, document: &Document) -> Anchor {
    let Some(resource) = verdict.resource.map(|id| document.resource(id)) else {
        return Anchor {
            type_name: String::new(),
            name: String::new(),
            resource_path: String::new(),
            property: verdict.path.clone(),
        };
    };
    let name_is_known = resource.body.get("name").is_none_or(|value| !value.traits.has(Traits::UNKNOWN));
    let below = verdict.path.strip_prefix(&resource.path);
    Anchor {
        type_name: resource.type_name.to_lowercase(),
        name: if name_is_known { resource.name.to_lowercase() } else { resource.path.clone() },
        resource_path: resource.path.clone(),
        property: below.unwrap_or(&verdict.path).to_owned(),
    }
}
