//! Secrets that are visible to everyone who can read a deployment: in outputs, and in parameters without a secure type.
//!
//! A secret that leaks usually does so in many places. All places that show the same secret in the same way are one
//! finding: the cause is one, and so is the fix.

use std::sync::Arc;

use foldhash::HashMap;
use formwork_model::declare_checks;

use crate::checks::{ProcessedTemplate, name_span};
use crate::diagnostic::common_checks::SECRET_OUTPUT;
use crate::diagnostic::{Check, Severity};
use crate::eval::World;
use crate::model::Issue;
use crate::text::Span;
use crate::types::without_secrets;
use crate::value::{Kind, SecretSource, Traits, Value};

declare_checks! {
    pub(crate) const CHECKS;

    SECRET_ARGUMENT = Secret High "secret/argument" "Deployment.SecretArgument"
        "A secret should be passed only to parameters with a secure type"
        "The deployment history and logs show the values of parameters without a secure type."
        "Change the type of the parameter to `securestring` or `secureObject`."
        .azure("templates/best-practices");
}

/// A place where a deployment shows a secret.
#[derive(Debug)]
pub(crate) struct Leak {
    check: Check,
    /// The name of the parameter or output.
    name: String,
    path: String,
    span: Span,
    /// The declaration of the parameter.
    declared: Option<Span>,
    source: Option<Arc<SecretSource>>,
    /// True if the secret comes from a parameter that shows it as well.
    is_consequence: bool,
}

/// Finds secrets that are passed to parameters without a secure type.
pub(super) fn in_arguments(subject: &ProcessedTemplate<'_>, leaks: &mut Vec<Leak>) {
    let types = &subject.evaluator.level.types;
    for member in subject.section("parameters") {
        let Ok(value) = subject.evaluator.parameter(&member.key) else { continue };
        // What is no secret gives none away, and its type need not be read.
        let Some(span) = value.span.filter(|_| value.traits.has(Traits::SECRET)) else { continue };
        let shown = without_secrets(subject.evaluator, types, &types.declared_type(&member.value), value);
        if gives_away(&shown) {
            let path = subject.path_of("parameters", &member.key);
            let leak = Leak::new(SECRET_ARGUMENT, &member.key, path, span, &shown);
            leaks.push(Leak { declared: name_span(member), is_consequence: false, ..leak });
        }
    }
}

/// Finds outputs that contain a secret but do not have a secure type.
pub(super) fn in_outputs(subject: &ProcessedTemplate<'_>, leaks: &mut Vec<Leak>) {
    let types = subject.world().types(subject.template);
    for member in subject.section("outputs") {
        let output = subject.outputs.get(&member.key).and_then(|output| output.get("value"));
        let Some((value, span)) = output.and_then(|value| Some((value.clone(), value.span?))) else { continue };
        let shown = without_secrets(subject.evaluator, &types, &types.declared_type(&member.value), value);
        if gives_away(&shown) {
            let path = subject.path_of("outputs", &member.key);
            leaks.push(Leak::new(SECRET_OUTPUT, &member.key, path, span, &shown));
        }
    }
}

/// Returns `true` if a reader of `value` learns a secret. A number or a Boolean that is computed from one, such as its
/// length, reveals too little to count.
fn gives_away(value: &Value) -> bool {
    let is_plain = || value.secret_via().and_then(|via| via.secret.as_ref()).is_some_and(|secret| secret.is_plain);
    value.traits.has(Traits::SECRET)
        && !matches!(value.kind(), Kind::Bool | Kind::Int | Kind::Float | Kind::Null)
        && !is_plain()
}

/// Reports the leaks of all templates, in the order in which they were found: one issue for each secret and check.
pub(super) fn report(leaks: Vec<Leak>, world: &World<'_>) {
    for group in merged(grouped(leaks)) {
        if let Some((first, others)) = group.split_first() {
            world.issue(issue(first, others));
        }
    }
}

/// Groups the leaks that show the same secret in the same way. Leaks without a source are not grouped.
fn grouped(leaks: Vec<Leak>) -> Vec<Vec<Leak>> {
    let mut groups: Vec<Vec<Leak>> = Vec::new();
    let mut known: HashMap<(Check, Arc<SecretSource>), usize> = HashMap::default();
    for leak in leaks {
        let source = leak.source.clone();
        let at = source.map_or(groups.len(), |source| *known.entry((leak.check, source)).or_insert(groups.len()));
        match groups.get_mut(at) {
            Some(group) => group.push(leak),
            None => groups.push(vec![leak]),
        }
    }
    groups
}

/// Moves outputs that only pass on the secret of a parameter to the group of that parameter.
fn merged(mut groups: Vec<Vec<Leak>>) -> Vec<Vec<Leak>> {
    let mut moved = Vec::new();
    for group in &mut groups {
        let is_output = |leak: &mut Leak| leak.is_consequence && leak.check == SECRET_OUTPUT;
        moved.extend(group.extract_if(.., is_output));
    }
    let mut of_arguments: HashMap<Option<Arc<SecretSource>>, usize> = HashMap::default();
    for (at, group) in groups.iter().enumerate() {
        if let Some(first) = group.first().filter(|first| first.check == SECRET_ARGUMENT) {
            of_arguments.entry(first.source.clone()).or_insert(at);
        }
    }
    let mut rest = Vec::new();
    for leak in moved {
        match of_arguments.get(&leak.source).and_then(|&at| groups.get_mut(at)) {
            Some(group) => group.push(leak),
            None => rest.push(leak),
        }
    }
    groups.into_iter().chain(grouped(rest)).filter(|group| !group.is_empty()).collect()
}

/// Returns the issue for places with the same cause. The issue is at the first one, which is the outermost, and lists
/// the others.
fn issue(first: &Leak, others: &[Leak]) -> Issue {
    let secret = first.source.as_ref().map_or("a secret", |source| &source.what);
    let name = &first.name;
    let mut message = if first.check == SECRET_ARGUMENT {
        format!("{secret} is passed to parameter `{name}`, which does not have a secure type")
    } else {
        format!("output `{name}` contains {secret}")
    };
    if let Some(others) = counted(others) {
        message = format!("{message}; {others} it");
    }
    let is_identifier = first.source.as_ref().is_some_and(|source| source.is_identifier);
    if is_identifier {
        message.push_str("; remove the secure type if the value only identifies something");
    }
    let mut issue = Issue::new(first.check, first.path.as_str(), first.span, message);
    issue.severity = is_identifier.then_some(Severity::Low);
    if let Some(span) = first.declared {
        issue = issue.with_label(span, "the parameter is declared here");
    }
    if let Some(span) = first.source.as_ref().and_then(|source| source.span) {
        issue = issue.with_label(span, "the secret is declared here");
    }
    issue.further = others.iter().map(|leak| (leak.path.clone(), leak.span)).collect();
    issue
}

/// Returns the subject and verb of a sentence about further places. `None` if there are none.
fn counted(others: &[Leak]) -> Option<String> {
    let count = |check: Check| others.iter().filter(|leak| leak.check == check).count();
    let noun = |count: usize, one: &str| match count {
        0 => None,
        1 => Some(format!("1 more {one}")),
        count => Some(format!("{count} more {one}s")),
    };
    let nouns = [noun(count(SECRET_ARGUMENT), "parameter"), noun(count(SECRET_OUTPUT), "output")];
    let nouns: Vec<String> = nouns.into_iter().flatten().collect();
    let verb = if others.len() == 1 { "contains" } else { "contain" };
    (!nouns.is_empty()).then(|| format!("{} {verb}", nouns.join(" and ")))
}

impl Leak {
    fn new(check: Check, name: &str, path: String, span: Span, shown: &Value) -> Self {
        let via = shown.secret_via();
        Self {
            check,
            name: name.to_owned(),
            path,
            span,
            declared: None,
            source: via.and_then(|via| via.secret.clone()),
            is_consequence: via.is_some_and(|via| via.is_exposed),
        }
    }
}
