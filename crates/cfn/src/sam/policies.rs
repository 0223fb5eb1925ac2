//! Policies that functions and state machines name: policy templates, managed policies, and statements.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-policy-templates.html>.

use std::sync::OnceLock;

use foldhash::HashMap;

use crate::sam::Sam;
use crate::sam::build::{Fields, get, items, object};
use crate::sam::intrinsics::{call, choice, is_intrinsic, is_no_value};
use crate::value::{Kind, Member, Unknown, Value};

/// The policy templates; its header describes the format.
const TEMPLATES: &str = include_str!("policies.txt");

/// The names of managed policies; its header describes the format.
const MANAGED: &str = include_str!("managed_policies.txt");

/// A policy of a role.
pub(super) enum Policy {
    /// The ARN of a managed policy, or a function that returns it.
    Managed(Value),
    /// A policy document, or a choice of them.
    Document(Value),
}

/// The lines of a policy template, the first with its name and parameters.
type Template = Vec<&'static str>;

fn templates() -> &'static HashMap<&'static str, Template> {
    static TABLE: OnceLock<HashMap<&'static str, Template>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: HashMap<&'static str, Template> = HashMap::default();
        let mut name = "";
        for line in TEMPLATES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if !line.starts_with(' ') {
                name = line.split(' ').next().unwrap_or_default();
            }
            table.entry(name).or_default().push(line.trim_start());
        }
        table
    })
}

/// Returns the parameters of a policy template. `None` if there is no such template.
pub(super) fn parameters_of(name: &str) -> Option<impl Iterator<Item = &'static str>> {
    let head = templates().get(name)?.first()?;
    Some(head.split(' ').skip(1))
}

/// Returns the names of the policy templates.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    templates().keys().copied()
}

/// Returns the path in the ARN of each managed policy.
fn managed() -> &'static HashMap<&'static str, &'static str> {
    static TABLE: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = HashMap::default();
        let mut path = "";
        for line in MANAGED.lines().filter(|line| !line.starts_with('#')) {
            if line.ends_with('/') {
                path = line;
            } else {
                table.extend(line.split(' ').map(|name| (name, path)));
            }
        }
        table
    })
}

/// Returns the path in the ARN of a managed policy: `service-role/`, or an empty string.
pub(crate) fn managed_path(name: &str) -> Option<&'static str> {
    managed().get(name).copied()
}

/// Returns the names of the managed policies.
pub(crate) fn managed_names() -> impl Iterator<Item = &'static str> {
    managed().keys().copied()
}

impl Sam<'_, '_> {
    /// Returns the ARN of a managed policy in the partition of the stack.
    pub(super) fn managed_policy(&self, path: &str) -> Value {
        Value::from(format!("arn:{}:iam::aws:policy/{path}", self.partition()))
    }

    /// Returns the policies in a property `Policies`.
    pub(super) fn policies(&self, property: Option<&Value>) -> Vec<Policy> {
        let all = property.map(items).unwrap_or_default();
        all.iter().filter(|policy| !policy.is_null()).filter_map(|policy| self.policy(policy)).collect()
    }

    fn policy(&self, policy: &Value) -> Option<Policy> {
        if let Some(name) = policy.as_str() {
            return Some(Policy::Managed(Value { span: policy.span, ..self.managed_arn(name) }));
        }
        if let Some((condition, then, otherwise)) = choice(policy) {
            let branch = |value: &Value| if is_no_value(value) { None } else { self.policy(value) };
            let (first, second) = (branch(then), branch(otherwise));
            let is_document = matches!(first, Some(Policy::Document(_))) || matches!(second, Some(Policy::Document(_)));
            let chosen = |branch: Option<Policy>, written: &Value| match branch {
                Some(Policy::Managed(value) | Policy::Document(value)) => value,
                None => written.clone(),
            };
            let parts = vec![Value::from(condition.clone()), chosen(first, then), chosen(second, otherwise)];
            let value = Value { span: policy.span, ..object([("Fn::If", Value::array(parts))]) };
            return Some(if is_document { Policy::Document(value) } else { Policy::Managed(value) });
        }
        if is_intrinsic(policy) {
            return Some(Policy::Managed(policy.clone()));
        }
        if get(policy, "Statement").is_some() {
            return Some(Policy::Document(policy.clone()));
        }
        let named = policy.as_object().filter(|object| object.len() == 1)?.iter().next()?;
        let Some(template) = templates().get(&*named.key) else {
            let message =
                format!("`{}` is not a policy template that is known, so its statements are not checked", named.key);
            self.note(named.key_span.or(policy.span), message);
            return None;
        };
        Some(Policy::Document(Value { span: policy.span, ..document(template, &named.value) }))
    }

    /// Returns the ARN of a managed policy that is given by its name. Anything else is an ARN already.
    fn managed_arn(&self, name: &str) -> Value {
        match managed().get(name) {
            Some(path) => self.managed_policy(&format!("{path}{name}")),
            None => Value::from(name),
        }
    }
}

/// Returns the document of a policy template with the values of its parameters.
fn document(template: &[&str], parameters: &Value) -> Value {
    let mut statements: Vec<Fields> = Vec::new();
    for line in template.iter().skip(1) {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        if verb == "allow" {
            let mut statement = Fields::default();
            statement.set("Effect", Value::from("Allow"));
            let action = match rest.strip_prefix("only ") {
                Some(action) => Value::from(action),
                None => Value::array(rest.split(' ').map(Value::from).collect()),
            };
            statement.set("Action", action);
            statements.push(statement);
            continue;
        }
        let Some(statement) = statements.last_mut() else { continue };
        match (verb, rest.strip_prefix("each ")) {
            ("on", None) => statement.set("Resource", filled(rest, parameters)),
            ("on", Some(resource)) => {
                let mut all = statement.get("Resource").map(items).unwrap_or_default().to_vec();
                all.push(filled(resource, parameters));
                statement.set("Resource", Value::array(all));
            }
            ("if", _) => statement.set_some("Condition", condition(rest, parameters)),
            ("named", _) => statement.set("Sid", Value::from(rest)),
            _ => {}
        }
    }
    object([("Statement", Value::array(statements.into_iter().map(Fields::into_value).collect()))])
}

/// Returns a condition that is written as `operator key text`.
fn condition(line: &str, parameters: &Value) -> Option<Value> {
    let mut parts = line.splitn(3, ' ');
    let (operator, key, text) = (parts.next()?, parts.next()?, parts.next()?);
    Some(object([(operator, object([(key, filled(text, parameters))]))]))
}

/// Returns a text of a policy template with its parameters: `Fn::Sub`, or a string if it has none.
fn filled(text: &str, parameters: &Value) -> Value {
    if !text.contains(['<', '$']) {
        return Value::from(text);
    }
    let mut result = String::new();
    let mut variables: Vec<Member> = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        let (name, after) = after.split_once('>').unwrap_or((after, ""));
        result.extend([before, "${", name, "}"]);
        variables.push(Member::new(name, argument(parameters, name)));
        rest = after;
    }
    result.push_str(rest);
    let text = Value::from(result);
    if variables.is_empty() {
        return object([("Fn::Sub", text)]);
    }
    object([("Fn::Sub", Value::array(vec![text, Value::object(variables)]))])
}

/// Returns the value of a parameter. Without one SAM rejects the template, so nothing is known of the policy.
fn argument(parameters: &Value, name: &str) -> Value {
    let missing = || Value::unknown(Unknown::new(Kind::String, format!("the policy template has no `{name}`")));
    get(parameters, name).cloned().unwrap_or_else(missing)
}

/// Returns `true` if a value is a call of `Fn::If`, whose branches are policies.
pub(super) fn is_choice(value: &Value) -> bool {
    call(value).is_some_and(|call| *call.key == *"Fn::If")
}
