//! CloudFormation documents for tests, from templates without intrinsic functions.

use std::collections::BTreeMap;

use arcstr::ArcStr;

use crate::RuleSet;
use crate::diagnostic::{Diagnostic, Outcome};
use crate::guard::{Rule, parse};
use crate::model::{Deployment, DeploymentId, Document, Hidden, Presence, Resource, ResourceId, join_key};
use crate::text::{Sources, Span};
use crate::value::{Member, Str, Unknown, Value};

pub(super) use crate::json::testing::json;

/// Notation of unknown values in test templates.
pub(super) const UNKNOWN: &str = "<unknown>";

/// Converts the template of a test to a document.
#[track_caller]
pub(super) fn document(text: &str) -> (Sources, Document) {
    let sources = Sources::new();
    let text: ArcStr = text.into();
    let file = sources.add("main.json", text.clone());
    let template = crate::syntax::json::parse(file, &text, 64).value.expect("the text is JSON");
    let members = template.get("Resources").and_then(Value::as_object).expect("a template has resources");
    let resource = |name: &Str, value: &Value| Resource {
        type_name: value.get("Type").and_then(Value::as_shared_str).expect("the type is a string").clone(),
        name: name.clone(),
        id: name.clone(),
        scope: Str::from("/"),
        body: with_unknowns(value),
        state: Value::NULL,
        path: join_key("Resources", name),
        span: value.span.unwrap_or_else(|| Span::whole_file(file)),
        symbolic_name: None,
        deployment: DeploymentId(0),
        parent: None,
        children: Vec::new(),
        depends_on: Vec::new(),
        implied: Vec::new(),
        presence: Presence::Deployed,
    };
    let typed = members.iter().filter(|member| member.value.get("Type").is_some_and(|name| name.as_str().is_some()));
    let resources: Vec<Resource> = typed.map(|member| resource(&member.key, &member.value)).collect();
    let deployment = Deployment {
        name: Str::from("main"),
        id: Str::from("main"),
        scope: Str::from("/"),
        resource: None,
        path: String::new(),
        template: Value::NULL,
        parameters: Value::NULL,
        resources: (0..resources.len()).map(ResourceId).collect(),
        outputs: Value::NULL,
        settings: Value::NULL,
        written: Value::NULL,
    };
    (
        sources,
        Document {
            file,
            deployments: vec![deployment],
            resources,
            existing: Vec::new(),
            possible: Vec::new(),
            mentioned: Vec::new(),
            linked: Vec::new(),
            hidden: Hidden::default(),
        },
    )
}

fn with_unknowns(value: &Value) -> Value {
    let replaced = match (value.as_str(), value.as_array(), value.as_object()) {
        (Some(UNKNOWN), ..) => Value::unknown(Unknown::new(crate::value::Kind::Any, "a test says so")),
        (_, Some(items), _) => Value::array(items.iter().map(with_unknowns).collect()),
        (.., Some(object)) => Value::object(
            object
                .iter()
                .map(|member: &Member| Member { value: with_unknowns(&member.value), ..member.clone() })
                .collect(),
        ),
        _ => return value.clone(),
    };
    Value { span: value.span, ..replaced }
}

/// Parses a ruleset called `case.ruleset`.
pub(super) fn read(text: &str, environment: &[(&str, &str)]) -> (Vec<Rule>, Vec<Diagnostic>) {
    let sources = Sources::new();
    let file = sources.add("case.ruleset", text);
    let owned = environment.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    parse(file, "case.ruleset", text, &owned.collect::<BTreeMap<_, _>>())
}

/// Returns the messages of a ruleset's verdicts with an outcome, in the order of the text.
#[track_caller]
pub(super) fn messages(ruleset: &str, template: &str, strict: bool, outcome: Outcome) -> Vec<String> {
    let (rules, problems) = read(ruleset, &[]);
    let errors = problems.iter().filter(|problem| problem.level == crate::diagnostic::Level::Error).count();
    assert_eq!(errors, 0, "{problems:?}");
    let (_sources, document) = document(template);
    let set = RuleSet::new(rules).guard_strict(strict);
    let verdicts = set.check(&document).into_iter().filter(|verdict| verdict.outcome == outcome);
    let mut messages: Vec<String> = verdicts.map(|verdict| verdict.message).collect();
    messages.sort();
    messages
}
