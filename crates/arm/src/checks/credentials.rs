//! Administrator names and passwords that are hard-coded in the template or passed through a parameter without a secure
//! type.

use std::sync::Arc;

use formwork_model::declare_checks;

use crate::diagnostic::Severity;
use crate::eval::World;
use crate::model::Issue;
use crate::model::{Document, join_index, join_key};
use crate::value::{Data, Member, Step, Traits, Value, Via};

declare_checks! {
    pub(crate) const CHECKS;

    pub CREDENTIAL = Secret High "secret/credential" "Deployment.Credential"
        "A template should not contain the names and passwords of administrators"
        "Anyone who can read the template, or the values of parameters without a secure type, can read them."
        "Use a parameter. For a password, declare it as `securestring`."
        .azure("templates/best-practices");
}

/// Properties that hold a password, in lower case. A configured property, such as an administrator name, may come from
/// any parameter; a password only from a secure one.
const PASSWORDS: &[&str] = &["adminpassword", "administratorloginpassword", "administratorpassword"];

/// Returns `true` if the last property of `path` holds a password.
pub(super) fn is_password(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path).to_ascii_lowercase();
    PASSWORDS.contains(&name.as_str())
}

/// Maximum number of steps of a value's provenance to follow: a value may be combined from arbitrarily many others.
const MAX_STEPS: usize = 64;

/// Reports the hard-coded credentials in the properties of all resources.
pub(super) fn check_credentials(document: &Document, world: &World<'_>) {
    for resource in &document.resources {
        // The arguments of a module are checked on the resources of the module that use them.
        let is_deployment = resource.type_name.eq_ignore_ascii_case("Microsoft.Resources/deployments");
        if let Some(properties) = resource.body.get("properties").filter(|_| !is_deployment) {
            CredentialFinder { world }.value(properties, &join_key(&resource.path, "properties"));
        }
    }
}

/// Searches the properties of a resource for credentials.
struct CredentialFinder<'a> {
    world: &'a World<'a>,
}

impl CredentialFinder<'_> {
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
        let is_nonempty_string = member.value.as_str().is_some_and(|text| !text.is_empty());
        if !is_nonempty_string {
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
        let configured = &self.world.context.sensitive_properties;
        if is_password || configured.iter().any(|name| name.eq_ignore_ascii_case(&key)) {
            self.credential(member, is_password, &join_key(path, &member.key));
        }
    }

    fn credential(&self, member: &Member, is_password: bool, path: &str) {
        let Some(span) = member.value.span else { return };
        let key = &member.key;
        let message = match origin(&member.value) {
            StringSource::Deployment => return,
            StringSource::Parameter(_) if !is_password => return,
            StringSource::Parameter(name) => {
                format!("`{key}` comes from parameter `{name}`, which does not have a secure type")
            }
            StringSource::Template => format!("`{key}` is hard-coded in the template"),
        };
        let mut issue = Issue::new(CREDENTIAL, path, span, message);
        // A name alone opens nothing.
        issue.severity = (!is_password).then_some(Severity::Low);
        let nearest_step = member.value.via.as_ref().and_then(|via| Some((via.span?, &via.step)));
        self.world.issue(match nearest_step {
            Some((span, step)) => issue.with_label(span, step.describe()),
            None => issue,
        });
    }
}

/// Source of a string.
enum StringSource {
    /// A literal in the template.
    Template,
    /// The parameter with this name, either an argument or its default.
    Parameter(String),
    /// The state of another resource, or the output of another deployment.
    Deployment,
}

/// Finds the origin of a value by following its provenance. A deployment anywhere in it takes precedence: the string
/// then has a part that is not in the text.
fn origin(value: &Value) -> StringSource {
    let mut pending: Vec<&Arc<Via>> = value.via.iter().collect();
    let mut origin = StringSource::Template;
    for _ in 0..MAX_STEPS {
        let Some(via) = pending.pop() else { break };
        match &via.step {
            Step::Parameter(name) | Step::Default(name) => origin = StringSource::Parameter(name.to_string()),
            Step::Reference(_) | Step::Output(_) => return StringSource::Deployment,
            Step::Condition => continue,
            Step::Variable(_) | Step::Mapping(_) | Step::Function(_) | Step::Combined => {}
        }
        pending.extend(&via.earlier);
    }
    origin
}
