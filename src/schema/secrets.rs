//! Secrets that are not secure: what stands in a property that holds a secret, and anyone can read in the template or in
//! the history of the deployment.

use crate::diagnostic::Check;
use crate::model::{Issue, Resource, ResourceId};
use crate::schema::catalog::Found;
use crate::schema::issue;
use crate::schema::misfit::Step;
use crate::schema::tolerance::is_placeholder;
use crate::value::{Data, Step as Origin, Traits, Value, Via};

/// Reports what is not secure in the secret properties of a resource.
pub(super) fn check(resource: &Resource, id: ResourceId, found: Found, issues: &mut Vec<Issue>) {
    for path in &found.kind.secrets {
        let mut parts: Vec<&str> = Vec::new();
        for part in found.block.text(*path).split('.') {
            match part.strip_suffix("[*]") {
                Some(name) => parts.extend([name, "[*]"]),
                None => parts.push(part),
            }
        }
        Search { resource, id, issues, steps: Vec::new() }.values(&resource.body, &parts);
    }
}

struct Search<'a, 'i> {
    resource: &'a Resource,
    id: ResourceId,
    issues: &'i mut Vec<Issue>,
    steps: Vec<Step<'a>>,
}

impl<'a> Search<'a, '_> {
    fn values(&mut self, value: &'a Value, parts: &[&str]) {
        let Some((part, rest)) = parts.split_first() else { return self.leaf(value) };
        match (*part, &value.data) {
            ("[*]", Data::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.within(Step::Item(index), item, rest);
                }
            }
            ("*", Data::Object(object)) => {
                for member in object.iter() {
                    self.within(Step::Member(&member.key), &member.value, rest);
                }
            }
            (name, Data::Object(object)) => {
                if let Some(member) = object.member(name) {
                    self.within(Step::Member(&member.key), &member.value, rest);
                }
            }
            _ => {}
        }
    }

    fn within(&mut self, step: Step<'a>, value: &'a Value, rest: &[&str]) {
        self.steps.push(step);
        self.values(value, rest);
        self.steps.pop();
    }

    fn leaf(&mut self, value: &'a Value) {
        let Some(source) = insecure(value) else { return };
        let Some(Step::Member(name)) = self.steps.iter().rev().find(|step| matches!(step, Step::Member(_))) else {
            return;
        };
        let message = format!("`{name}` holds a secret, but its value {source}, which is not secure");
        self.issues.push(issue(self.resource, self.id, Check::SecretProperty, &self.steps, message));
    }
}

/// Where a value comes from that anyone can read. `None` if it is secure, if there is none, or if nothing is known.
fn insecure(value: &Value) -> Option<String> {
    if value.traits.has(Traits::SECRET) {
        return None;
    }
    match &value.data {
        Data::String(text) if text.is_empty() || is_placeholder(text) => None,
        Data::String(_) => Some(origin(value).unwrap_or_else(|| "is written in the template".to_owned())),
        // Of what is only known in a deployment, a parameter that is not secure is enough.
        Data::Unknown(_) => origin(value).filter(|origin| origin.contains("parameter")),
        Data::Object(object) => object.iter().find_map(|member| insecure(&member.value)),
        Data::Array(items) => items.iter().find_map(insecure),
        _ => None,
    }
}

/// The first step in the provenance of a value that says where it is.
fn origin(value: &Value) -> Option<String> {
    let mut via: Option<&Via> = value.via.as_deref();
    let mut last = None;
    while let Some(step) = via {
        if matches!(step.step, Origin::Reference(_) | Origin::Combined) {
            return None;
        }
        if matches!(step.step, Origin::Parameter(_) | Origin::Default(_) | Origin::Variable(_)) {
            last = Some(format!("comes from {}", step.step.describe()));
        }
        via = step.earlier.first().map(|earlier| &**earlier);
    }
    last
}
