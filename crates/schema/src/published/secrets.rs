//! Insecure values of secret properties, which anyone can read in the template or in the history of the deployment.

use crate::checks::SECRET_PROPERTY;
use crate::model::{Issue, Resource, ResourceId};
use crate::published::catalog::DescribedType;
use crate::published::issue;
use crate::published::misfit::MisfitStep;
use crate::published::tolerance::is_placeholder;
use crate::text::is_stand_in;
use crate::value::{Data, Step, Traits, Value, Via};

/// Ends of parameter names that mark values as not secret.
const PLAIN: &[&str] = &["name", "login", "user", "clientid", "tenantid", "objectid", "publickey", "thumbprint"];

/// Type of a key vault's secrets.
const VAULT_SECRET: &str = "Microsoft.KeyVault/vaults/secrets";

/// Reports insecure values in the secret properties of a resource.
pub(super) fn check_secrets(resource: &Resource, id: ResourceId, found: DescribedType, issues: &mut Vec<Issue>) {
    for path in &found.kind.secrets {
        let mut parts: Vec<&str> = Vec::new();
        for part in found.block.text(*path).split('.') {
            match part.strip_suffix("[*]") {
                Some(name) => parts.extend([name, "[*]"]),
                None => parts.push(part),
            }
        }
        SecretSearch { resource, id, issues, steps: Vec::new() }.values(&resource.body, &parts);
    }
}

struct SecretSearch<'a, 'i> {
    resource: &'a Resource,
    id: ResourceId,
    issues: &'i mut Vec<Issue>,
    steps: Vec<MisfitStep<'a>>,
}

impl<'a> SecretSearch<'a, '_> {
    fn values(&mut self, value: &'a Value, parts: &[&str]) {
        let Some((part, rest)) = parts.split_first() else { return self.leaf(value) };
        match (*part, &value.data) {
            ("[*]", Data::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.within(MisfitStep::Item(index), item, rest);
                }
            }
            ("*", Data::Object(object)) => {
                for member in object.iter() {
                    self.within(MisfitStep::Member(&member.key), &member.value, rest);
                }
            }
            (name, Data::Object(object)) => {
                if let Some(member) = object.member(name) {
                    self.within(MisfitStep::Member(&member.key), &member.value, rest);
                }
            }
            _ => {}
        }
    }

    fn within(&mut self, step: MisfitStep<'a>, value: &'a Value, rest: &[&str]) {
        self.steps.push(step);
        self.values(value, rest);
        self.steps.pop();
    }

    fn leaf(&mut self, value: &'a Value) {
        let is_vault = self.resource.type_name.eq_ignore_ascii_case(VAULT_SECRET);
        let Some(source) = insecure(value, is_vault) else { return };
        let Some(MisfitStep::Member(name)) = self.steps.iter().rev().find(|step| matches!(step, MisfitStep::Member(_)))
        else {
            return;
        };
        let message = format!("`{name}` holds a secret, but its value {source}, which is not secure");
        self.issues.push(issue(self.resource, self.id, SECRET_PROPERTY, &self.steps, message));
    }
}

/// Describes the origin of a value that anyone can read. `None` if the value is secure or absent, or if nothing is
/// known about it. `is_vault` is `true` for a secret in a key vault, which may also hold user names and the like.
fn insecure(value: &Value, is_vault: bool) -> Option<String> {
    if value.traits.has(Traits::SECRET) {
        return None;
    }
    let words = match origin(value) {
        ValueOrigin::Secure => return None,
        ValueOrigin::Parameter { words, is_plain } => {
            (!is_plain || value.as_str().is_some() && !is_vault).then_some(words)
        }
        // What is only known in a deployment may be secure.
        ValueOrigin::Variable { words, is_plain } => {
            (value.as_str().is_some() && !(is_plain && is_vault)).then_some(words)
        }
        ValueOrigin::Unclear => value.as_str().map(|_| "is written in the template".to_owned()),
    };
    match &value.data {
        Data::String(text) if text.is_empty() || is_placeholder(text) => None,
        // In other properties, such a word may be a real password.
        Data::String(text) if is_vault && is_stand_in(text) => None,
        Data::String(_) | Data::Unknown(_) => words,
        Data::Object(object) => object.iter().find_map(|member| insecure(&member.value, is_vault)),
        Data::Array(items) => items.iter().find_map(|item| insecure(item, is_vault)),
        _ => None,
    }
}

/// True if the name of a parameter or variable indicates that its value is not secret.
fn has_plain_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PLAIN.iter().any(|end| name.ends_with(end))
}

/// Origin of a value: the first step of its provenance.
enum ValueOrigin {
    /// A secure parameter that has no value yet: its default is empty.
    Secure,
    /// A parameter that is not secure, described by `words`. `is_plain` is `true` if a name on the way indicates that
    /// the value is not secret.
    Parameter { words: String, is_plain: bool },
    /// A variable, with the same fields.
    Variable { words: String, is_plain: bool },
    /// Several values, the state of another resource, or nothing.
    Unclear,
}

fn origin(value: &Value) -> ValueOrigin {
    let mut via: Option<&Via> = value.via.as_deref();
    if via.is_some_and(|via| via.secret.is_some()) {
        return ValueOrigin::Secure;
    }
    let (mut last, mut is_plain) = (ValueOrigin::Unclear, false);
    while let Some(step) = via {
        let words = format!("comes from {}", step.step.describe());
        match &step.step {
            Step::Reference(_) | Step::Combined => return ValueOrigin::Unclear,
            Step::Condition => break,
            Step::Parameter(name) | Step::Default(name) => {
                is_plain |= has_plain_name(name);
                last = ValueOrigin::Parameter { words, is_plain };
            }
            Step::Variable(name) => {
                is_plain |= has_plain_name(name);
                last = ValueOrigin::Variable { words, is_plain };
            }
            Step::Output(_) | Step::Mapping(_) | Step::Function(_) => {}
        }
        via = step.earlier.first().map(|earlier| &**earlier);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::insecure;
    use crate::value::{Kind, Step, Unknown, Value, Via};

    fn unknown(step: Step) -> Value {
        Value::unknown(Unknown::new(Kind::String, "it has no value")).through(Some(Via::new(step, None, None)))
    }

    #[test]
    fn a_parameter_without_a_secure_type_is_not_secure() {
        let found = insecure(&unknown(Step::Parameter("sharedKey".into())), false);
        assert_eq!(found.as_deref(), Some("comes from parameter `sharedKey`"));
        assert_eq!(insecure(&unknown(Step::Parameter("sharedKey".into())).into_secret(), false), None);
    }

    #[test]
    fn a_parameter_whose_name_says_that_it_is_public_is_no_secret() {
        for name in ["adminUsername", "sshPublicKey", "clientId"] {
            assert_eq!(insecure(&unknown(Step::Parameter(name.into())), false), None, "{name}");
            for step in [Step::Parameter(name.into()), Step::Default(name.into()), Step::Variable(name.into())] {
                let known = Value::from("sa").through(Some(Via::new(step, None, None)));
                // In a key vault it need not be one, but a password that is written out is.
                assert_eq!(insecure(&known, true), None, "{name}");
                assert!(insecure(&known, false).is_some(), "{name}");
            }
        }
        let known = Value::from("sa").through(Some(Via::new(Step::Variable("adminKey".into()), None, None)));
        assert_eq!(insecure(&known, true).as_deref(), Some("comes from variable `adminKey`"));
    }

    #[test]
    fn a_literal_does_not_come_from_the_parameter_that_chose_it() {
        let condition = Via::new(Step::Default("pw".into()), None, None).chosen();
        let literal = Value::from("hunter2").through(Some(condition));
        assert_eq!(insecure(&literal, false).as_deref(), Some("is written in the template"));
        let variable = Via::new(Step::Variable("adminUserName".into()), None, literal.via.clone());
        assert_eq!(insecure(&literal.through(Some(variable)), true), None);
    }

    #[test]
    fn the_state_of_a_resource_is_not_that_of_the_parameter_with_its_name() {
        let name = Via::new(Step::Parameter("component".into()), None, None);
        let state = Value::unknown(Unknown::new(Kind::String, "it is deployed later"));
        let state = state.through(Some(Via::new(Step::Combined, None, [name])));
        assert_eq!(insecure(&state, true), None);
    }
}
