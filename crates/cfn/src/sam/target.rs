//! Targets of the events of a function: the function, or its alias. Versions and aliases.

use crate::functions::text_of;
use crate::sam::build::{Draft, Fields, get, get_att, is_set, items, object, reference, text};
use crate::sam::function::has;
use crate::sam::intrinsics::{digest, hash, target_of};
use crate::sam::{Sam, Source};
use crate::value::{JsonStyle, Str, Value};

/// Target that an event invokes.
#[derive(Debug)]
pub(super) struct EventTarget {
    /// The value for properties that take a name.
    pub(super) name: Value,
    pub(super) arn: Value,
    /// The logical ID of the alias.
    pub(super) alias: Option<Str>,
    pub(super) alias_name: Option<Value>,
}

/// The alias that events of a function invoke.
pub(super) struct Alias {
    id: Str,
    name: Value,
}

impl EventTarget {
    pub(super) fn function(source: &Source) -> Self {
        Self { name: reference(&source.id), arn: get_att(&source.id, "Arn"), alias: None, alias_name: None }
    }

    /// Returns the logical ID of what is invoked.
    pub(super) fn id(&self, source: &Source) -> Str {
        self.alias.clone().unwrap_or_else(|| source.id.clone())
    }

    pub(super) fn alias(alias: &Alias) -> Self {
        let (name, arn) = (reference(&alias.id), reference(&alias.id));
        Self { name, arn, alias: Some(alias.id.clone()), alias_name: Some(alias.name.clone()) }
    }
}

impl Sam<'_, '_> {
    /// Returns the alias that `AutoPublishAlias` asks for, and its version.
    pub(super) fn alias(&mut self, source: &Source, function: &mut Draft, drafts: &mut Vec<Draft>) -> Option<Alias> {
        let written = source.given_property("AutoPublishAlias")?;
        let name = self.resolved(written);
        // The name of a parameter without a value is not known, and neither is the end of the logical ID.
        let label = name.as_str().unwrap_or_default().replace('-', "D").replace('_', "U");
        let sha = source.given_property("AutoPublishCodeSha256").map(|sha| self.resolved(sha));
        if let Some(sha) = &sha {
            describe(function, source, sha);
        }
        let version = self.version(source, function, sha.as_ref());
        let id = Str::from(format!("{}Alias{label}", source.id));
        let mut alias = Draft::new(id.clone(), "AWS::Lambda::Alias", &source.origin)
            .with("Name", name.clone())
            .with("FunctionName", reference(&source.id))
            .with("FunctionVersion", get_att(&version.id, "Version"))
            .with("ProvisionedConcurrencyConfig", source.given_property("ProvisionedConcurrencyConfig").cloned());
        self.deployment_preference(source, &mut alias);
        self.output.references.add(&source.id, "Version", &version.id);
        self.output.references.add(&source.id, "Alias", &id);
        drafts.push(version);
        drafts.push(alias);
        Some(Alias { id, name })
    }

    fn version(&self, source: &Source, function: &Draft, sha: Option<&Value>) -> Draft {
        let suffix = match sha.and_then(text_of) {
            Some(sha) => sha.chars().take(10).collect(),
            None => hash(&self.versioned(source, function)),
        };
        let mut version = Draft::new(format!("{}Version{suffix}", source.id), "AWS::Lambda::Version", &source.origin)
            .with("FunctionName", reference(&source.id))
            .with("Description", source.get("VersionDescription").cloned());
        if source.get("CapacityProviderConfig").is_some() {
            version.set("FunctionScalingConfig", source.get("FunctionScalingConfig").cloned());
        }
        if !version.attributes.has("DeletionPolicy") {
            let default = if source.get("CapacityProviderConfig").is_some() { "Delete" } else { "Retain" };
            let policy = source.get("VersionDeletionPolicy").cloned();
            version.attributes.set("DeletionPolicy", policy.unwrap_or_else(|| Value::from(default)));
        }
        version
    }

    /// Returns the value whose changes give a version another logical ID.
    fn versioned(&self, source: &Source, function: &Draft) -> Value {
        let is_all = source.get("AutoPublishAliasAllProperties").and_then(Value::as_bool) == Some(true);
        if is_all {
            let mut all = function.properties.clone();
            for layer in source.get("Layers").map(items).unwrap_or_default() {
                let Some(id) = target_of(layer) else { continue };
                let properties = self.declared(&id).and_then(|layer| get(layer, "Properties"));
                let properties = properties.filter(|layer| has(layer, "PublishLambdaVersion"));
                all.set_some(&id, properties.cloned());
            }
            return all.into_value();
        }
        let code = function.properties.get("Code").map_or(Value::NULL, |code| self.resolved(code));
        let mut fields = Fields::from_value(&code);
        for member in function.properties.get("Environment").and_then(Value::as_object).into_iter().flatten() {
            fields.put(member.clone());
        }
        fields.set_some("MemorySize", function.properties.get("MemorySize").filter(|size| is_set(size)).cloned());
        let snapshot = function.properties.get("SnapStart");
        let is_used = snapshot.and_then(|start| text(start, "ApplyOn")).is_some_and(|on| **on != *"None");
        fields.set_some("SnapStart", snapshot.filter(|_| is_used).cloned());
        fields.into_value()
    }
}

/// Adds the hash of the code to the description, so that a new hash publishes a new version.
fn describe(function: &mut Draft, source: &Source, sha: &Value) {
    let Some(sha) = sha.as_str() else { return };
    let described = match source.given_property("Description").map(|description| (description, description.as_str())) {
        Some((_, Some(text))) => Value::from(format!("{text} {sha}")),
        Some((description, None)) => {
            let parts = Value::array(vec![description.clone(), Value::from(sha)]);
            object([("Fn::Join", Value::array(vec![Value::from(" "), parts]))])
        }
        None => Value::from(sha),
    };
    function.set("Description", described);
}

/// Returns the SHA-1 of the JSON of a value.
pub(super) fn json_digest(value: &Value) -> String {
    digest(&value.to_json_as(JsonStyle::SORTED))
}
