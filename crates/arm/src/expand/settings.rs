//! Settings of a deployment: the inputs besides its resources and parameter values that decide which resources it
//! deploys or deletes.

use crate::eval::Frames;
use crate::expand::Expander;
use crate::expand::nested::evaluated_property;
use crate::expand::registry::{Instance, Node};
use crate::value::{Member, Str, Value};

/// The members of a template that decide where and how its resources are deployed.
const OF_TEMPLATE: [&str; 4] = ["apiProfile", "extensions", "imports", "providers"];

/// The properties of a nested deployment that are settings themselves. The effect of all others is in its resources.
const PROPERTIES: [&str; 3] = ["onErrorDeployment", "debugSetting", "extensionConfigs"];

/// The links of a nested deployment, each with the members that do not affect its target: the content of a file in the
/// repository is compared wherever the file is.
const LINKS: [(&str, &[&str]); 2] =
    [("templateLink", &["relativePath", "contentVersion"]), ("parametersLink", &["contentVersion"])];

/// The members of a nested deployment besides its properties that are settings.
const OF_RESOURCE: [&str; 2] = ["identity", "tags"];

impl Expander<'_> {
    /// Returns the settings of a deployment, as [`Deployment::settings`](crate::model::Deployment::settings) has them.
    pub(super) fn settings(&self, node: &Node) -> Value {
        let mut settings = Vec::new();
        if let Some(index) = node.instance {
            self.of_resource(node, &self.registry.instance(index), &mut settings);
        }
        // A template with outer scope has the parameters of the deployment around it, which tells of them.
        if node.frames.is_none() && (node.instance.is_none() || !self.shares_level(node)) {
            put(&mut settings, "parameters", references(node));
        }
        for name in OF_TEMPLATE {
            if let Some(member) = node.template.as_object().and_then(|template| template.member(name)) {
                let value = self.evaluator(node).expand(&member.value, &Frames::None);
                settings.push(Member { value, ..member.clone() });
            }
        }
        Value::object(settings)
    }

    /// Returns `true` if the expressions of a nested template see the parameters of the enclosing deployment.
    fn shares_level(&self, node: &Node) -> bool {
        let around = node.parent.map(|parent| self.registry.node(parent));
        around.is_some_and(|around| std::rc::Rc::ptr_eq(&around.level, &node.level))
    }

    fn of_resource(&self, node: &Node, instance: &Instance, settings: &mut Vec<Member>) {
        let evaluator = self.evaluator_of(instance);
        let property = |name: &str| evaluated_property(instance, &evaluator, name);
        let mut properties = Vec::new();
        let mode = property("mode");
        let is_default = mode.is_null() || mode.as_str().is_some_and(|mode| mode.eq_ignore_ascii_case("incremental"));
        if !is_default {
            properties.push(Member::new("mode", mode));
            // What a complete deployment deletes depends on nothing but its scope.
            settings.push(Member::new("scope", Value::from(node.target.id())));
        }
        for name in PROPERTIES {
            put(&mut properties, name, property(name));
        }
        for (name, ignored) in LINKS {
            put(&mut properties, name, without(&property(name), ignored));
        }
        put(settings, "properties", Value::object(properties));
        let body = instance.body.borrow();
        for name in OF_RESOURCE {
            put(settings, name, body.as_ref().and_then(|body| body.get(name).cloned()).unwrap_or(Value::NULL));
        }
    }
}

/// Returns the secrets in key vaults that the parameters of a deployment refer to.
fn references(node: &Node) -> Value {
    let reference = |(name, reference): (&Str, &Value)| {
        let value = Value::object(vec![Member::new("reference", reference.clone())]);
        Member::new(name.clone(), value)
    };
    Value::object(node.level.parameters.references().map(reference).collect())
}

/// Adds a member, unless its value is empty.
fn put(members: &mut Vec<Member>, name: &str, value: Value) {
    let is_empty = value.is_null() || value.as_object().is_some_and(crate::value::Object::is_empty);
    if !is_empty {
        members.push(Member::new(name, value));
    }
}

fn without(value: &Value, ignored: &[&str]) -> Value {
    let Some(object) = value.as_object() else { return value.clone() };
    let counts = |member: &&Member| !ignored.iter().any(|name| member.key.eq_ignore_ascii_case(name));
    Value { span: value.span, ..Value::object(object.iter().filter(counts).cloned().collect()) }
}
