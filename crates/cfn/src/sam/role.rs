//! The execution roles of functions and state machines.

use foldhash::HashSet;

use crate::sam::build::{Draft, get, get_att, object, tag_list};
use crate::sam::intrinsics::{choice, is_no_value};
use crate::sam::policies::{Policy, is_choice};
use crate::sam::{Sam, Source};
use crate::value::{Str, Value};

/// A role to which event sources add policies.
#[derive(Debug)]
pub(super) struct Role {
    draft: Draft,
    managed: Vec<Value>,
    policies: Vec<Value>,
    /// The JSON of the managed policies, and of the documents of the inline policies, so that none is there twice.
    known: HashSet<String>,
}

/// Need of a resource for a generated role.
pub(super) enum Need {
    /// The resource has its own role.
    Given,
    /// The generated role is the only one.
    Generated,
    /// The generated role is one of the two values of `Fn::If`, under this condition.
    Chosen { role: Value, condition: Str },
}

impl Sam<'_, '_> {
    /// Returns the role of a resource, with the policies in its property `Policies`.
    pub(super) fn role(&self, source: &Source, trust: Value, managed: Vec<Value>, policies: Vec<Value>) -> Role {
        let draft = Draft::new(format!("{}Role", source.id), "AWS::IAM::Role", &source.origin)
            .with("AssumeRolePolicyDocument", trust)
            .with("Path", source.get("RolePath").cloned())
            .with("PermissionsBoundary", source.get("PermissionsBoundary").cloned());
        let known = managed.iter().chain(policies.iter().filter_map(|policy| get(policy, "PolicyDocument")));
        let known = known.map(Value::to_json).collect();
        let mut role = Role { draft, managed, policies, known };
        for (index, policy) in self.policies(source.get("Policies")).into_iter().enumerate() {
            match policy {
                Policy::Managed(arn) => role.attach(arn),
                Policy::Document(document) => {
                    role.known.insert(document.to_json());
                    role.policies.push(role.named(index, document));
                }
            }
        }
        role
    }

    /// Returns the tags of a resource, after the tag that marks it as made by SAM.
    pub(super) fn sam_tags(source: &Source, more: Vec<Value>) -> Value {
        let mut tags = vec![object([("Key", Value::from("lambda:createdBy")), ("Value", Value::from("SAM"))])];
        tags.extend(more);
        tags.extend(tag_list(source.get("Tags")));
        Value::array(tags)
    }

    /// Determines if a resource needs a generated role. May add a negated condition to the output.
    pub(super) fn need_of_role(&mut self, source: &Source) -> Need {
        let Some(given) = source.get("Role") else { return Need::Generated };
        let Some((condition, then, otherwise)) = choice(given) else { return Need::Given };
        let arn = get_att(&format!("{}Role", source.id), "Arn");
        let with = |then: Value, otherwise: Value| {
            let parts = vec![Value::from(condition.clone()), then, otherwise];
            Value { span: given.span, ..object([("Fn::If", Value::array(parts))]) }
        };
        match (is_no_value(then), is_no_value(otherwise)) {
            (true, true) => Need::Generated,
            (true, false) => Need::Chosen { role: with(arn, otherwise.clone()), condition: condition.clone() },
            (false, true) => {
                let opposite = Str::from(format!("NOT{condition}"));
                let negated = object([("Condition", Value::from(condition.clone()))]);
                self.output.conditions.set(opposite.clone(), object([("Fn::Not", Value::array(vec![negated]))]));
                Need::Chosen { role: with(then.clone(), arn), condition: opposite }
            }
            (false, false) => Need::Given,
        }
    }
}

impl Role {
    pub(super) fn arn(&self) -> Value {
        get_att(&self.draft.id, "Arn")
    }

    /// Creates the role only under a condition.
    pub(super) fn only_if(&mut self, condition: &Str) {
        self.draft.attributes.set("Condition", Value::from(condition.clone()));
    }

    /// Adds a managed policy.
    pub(super) fn attach(&mut self, arn: Value) {
        if self.known.insert(arn.to_json()) {
            self.managed.push(arn);
        }
    }

    /// Adds an inline policy, unless the role has one with the same document.
    pub(super) fn add(&mut self, policy: Value) {
        if get(&policy, "PolicyDocument").is_none_or(|document| self.known.insert(document.to_json())) {
            self.policies.push(policy);
        }
    }

    /// Returns an inline policy from a document, or a choice of inline policies from a choice of documents.
    fn named(&self, index: usize, document: Value) -> Value {
        let wrap = |document: &Value| {
            let name = Value::from(format!("{}Policy{index}", self.draft.id));
            let span = document.span;
            Value { span, ..object([("PolicyName", name), ("PolicyDocument", document.clone())]) }
        };
        match choice(&document).filter(|_| is_choice(&document)) {
            Some((condition, then, otherwise)) => {
                let branch = |value: &Value| if is_no_value(value) { value.clone() } else { wrap(value) };
                let parts = vec![Value::from(condition.clone()), branch(then), branch(otherwise)];
                Value { span: document.span, ..object([("Fn::If", Value::array(parts))]) }
            }
            None => wrap(&document),
        }
    }

    /// Returns the role with all policies that were added.
    pub(super) fn into_draft(self, tags: Value) -> Draft {
        let Self { draft, managed, policies, .. } = self;
        let policies = (!policies.is_empty()).then(|| Value::array(policies));
        draft.with("ManagedPolicyArns", Value::array(managed)).with("Policies", policies).with("Tags", tags)
    }
}
