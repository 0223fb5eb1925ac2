//! Names and passwords of users that a resource gets from a text which everybody reads.

use std::sync::Arc;

use crate::arm::eval::World;
use crate::diagnostic::Check;
use crate::model::Issue;
use crate::model::{Document, join_index, join_key};
use crate::value::{Data, Member, Step, Traits, Value, Via};

/// Properties that hold a password, in lower case.
const PASSWORDS: &[&str] = &["adminpassword", "administratorloginpassword", "administratorpassword"];

/// How many steps of the chain behind a value are looked at.
const MAX_STEPS: usize = 64;

/// Reports the credentials of all resources.
pub(super) fn check(document: &Document, world: &World<'_>) {
    for resource in &document.resources {
        // What is given to a module is checked where the module uses it.
        let is_deployment = resource.type_name.eq_ignore_ascii_case("Microsoft.Resources/deployments");
        if let Some(properties) = resource.body.get("properties").filter(|_| !is_deployment) {
            Walk { world }.value(properties, &join_key(&resource.path, "properties"));
        }
    }
}

struct Walk<'a> {
    world: &'a World<'a>,
}

impl Walk<'_> {
    fn value(&self, value: &Value, path: &str) {
        match &value.data {
            Data::Object(object) => {
                for member in object.iter() {
                    self.member(member, path);
                }
            }
            Data::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.value(item, &join_index(path, at));
                }
            }
            _ => {}
        }
    }

    fn member(&self, member: &Member, path: &str) {
        let is_text = member.value.as_str().is_some_and(|it| !it.is_empty());
        if !is_text {
            return match &member.value.data {
                Data::Object(_) | Data::Array(_) => self.value(&member.value, &join_key(path, &member.key)),
                _ => {}
            };
        }
        if member.value.traits.has(Traits::SECRET) {
            return;
        }
        let key = member.key.to_ascii_lowercase();
        let is_password = PASSWORDS.contains(&key.as_str());
        if is_password || self.world.context.sensitive_properties.iter().any(|it| it.eq_ignore_ascii_case(&key)) {
            self.credential(member, is_password, &join_key(path, &member.key));
        }
    }

    fn credential(&self, member: &Member, is_password: bool, path: &str) {
        let Some(span) = member.value.span else { return };
        let key = &member.key;
        let message = match origin(&member.value) {
            Origin::Deployment => return,
            Origin::Parameter(_) if !is_password => return,
            Origin::Parameter(name) => {
                format!("`{key}` comes from parameter `{name}`, which is not of a secure type")
            }
            Origin::Text => format!("`{key}` is written in the template"),
        };
        let issue = Issue::new(Check::Credential, path, span, message);
        self.world.issue(match member.value.via.as_ref().and_then(|it| Some((it.span?, &it.step))) {
            Some((span, step)) => issue.with_label(span, step.describe()),
            None => issue,
        });
    }
}

/// Where the text of a value is from.
enum Origin {
    /// The template.
    Text,
    /// A parameter of this name.
    Parameter(String),
    /// Something that the deployment makes.
    Deployment,
}

fn origin(value: &Value) -> Origin {
    let mut pending: Vec<&Arc<Via>> = value.via.iter().collect();
    let mut origin = Origin::Text;
    for _ in 0..MAX_STEPS {
        let Some(via) = pending.pop() else { break };
        match &via.step {
            Step::Parameter(name) | Step::Default(name) => origin = Origin::Parameter(name.to_string()),
            Step::Reference(_) | Step::Output(_) => return Origin::Deployment,
            Step::Variable(_) | Step::Mapping(_) | Step::Function(_) | Step::Combined => {}
        }
        pending.extend(&via.behind);
    }
    origin
}
