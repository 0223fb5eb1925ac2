//! The suite `order`: which resources wait for which, and which do not although they should.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use crate::arm;
use crate::cfn;
use crate::diagnostic::common_checks::ORDER_MISSING;
use crate::model::{Budget, Document, Issue, Limits, Offline, Resource};
use crate::syntax::{json as json_syntax, yaml};
use crate::text::Sources;
use crate::value::{Str, Value};

/// The answer to a case.
pub(super) fn answer(line: &str) -> Result<Json, String> {
    let sources = Sources::new();
    let file = sources.add("case.json", line);
    let limits = Limits::default();
    let parsed = json_syntax::parse(file, sources.get(file).text(), limits.nesting);
    let case = parsed.value.ok_or("the case is not JSON")?;
    let id = case.get("id").and_then(Value::as_str).unwrap_or_default();
    if let Some(text) = case.get("template_text").and_then(Value::as_str) {
        return Ok(json!({"id": id, "edges": edges_of_stack(text, &limits)?}));
    }
    let template = case.get("template").ok_or("the case has no template")?;
    let values = case.get("parameters").and_then(Value::as_object).into_iter().flatten();
    let overrides: Vec<(Str, Value)> =
        values.filter_map(|member| Some((member.key.clone(), member.value.get("value")?.clone()))).collect();
    let expansion = arm::expand(&arm::Request {
        file,
        template,
        parameters: None,
        overrides: &overrides,
        context: &arm::Context::default(),
        budget: &Budget::new(&limits),
        states: false,
        explores: false,
        has_unknowns: false,
        loader: &Offline,
    });
    let document = expansion.document.ok_or("the template has no resources")?;
    let missing = missing(&document, &expansion.issues);
    Ok(json!({"id": id, "missing": missing, "edges": edges_of_deployment(&document)}))
}

/// The index of a resource in the root template. `None` for a child that is written inside its parent, and for a resource
/// of a nested template.
fn index(resource: &Resource) -> Option<usize> {
    resource.path.strip_prefix("resources[")?.strip_suffix(']')?.parse().ok()
}

fn edges_of_deployment(document: &Document) -> BTreeSet<(usize, usize)> {
    let edges = document.resources.iter().flat_map(|resource| {
        let others = resource.depends_on.iter().chain(&resource.parent);
        others.filter_map(|other| Some((index(resource)?, index(document.resource(*other))?)))
    });
    edges.collect()
}

/// The resources that do not wait for another one that they use. Those that use each other are not among them.
fn missing(document: &Document, issues: &[Issue]) -> BTreeSet<(usize, usize)> {
    let issues = issues.iter().filter(|issue| issue.check == ORDER_MISSING && issue.severity.is_none());
    let pairs = issues.filter_map(|issue| {
        let span = issue.related.first()?.span;
        let is_other = |resource: &&Resource| {
            index(resource).is_some() && resource.body.get("name").is_some_and(|name| name.span == Some(span))
        };
        let other = document.resources.iter().find(is_other)?;
        Some((index(document.resource(issue.resource?))?, index(other)?))
    });
    pairs.collect()
}

fn edges_of_stack(text: &str, limits: &Limits) -> Result<BTreeSet<(String, String)>, String> {
    let sources = Sources::new();
    let file = sources.add("case.yaml", text);
    let parsed = yaml::parse_template(file, sources.get(file).text(), limits.nesting, &|_| true);
    let template = parsed.value.ok_or("the template is not YAML")?;
    let expansion = cfn::expand(&cfn::Request {
        file,
        name: "case",
        template: &template,
        parameters: &[],
        overrides: &[],
        raw: false,
        scenario: None,
        loader: &Offline,
        budget: &Budget::new(limits),
    });
    let document = expansion.document.ok_or("the template has no resources")?;
    let name = |resource: &Resource| resource.name.to_string();
    let edges = document.resources.iter().flat_map(|resource| {
        let others = resource.depends_on.iter().map(|other| name(document.resource(*other)));
        others.map(|other| (name(resource), other))
    });
    Ok(edges.collect())
}
