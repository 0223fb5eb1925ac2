//! Types that generate one resource: tables, layers and applications.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification-generated-resources.html>.

use crate::sam::build::{Fields, get, object, tag_list, text};
use crate::sam::code::{CODE, location};
use crate::sam::intrinsics::hash;
use crate::sam::{Sam, Source};
use crate::value::{Kind, Str, Unknown, Value};

/// Types of keys with their abbreviations.
const KEY_TYPES: [(&str, &str); 3] = [("String", "S"), ("Number", "N"), ("Binary", "B")];

/// Tags of an application, with the members of its location.
const APPLICATION_TAGS: [(&str, &str); 2] =
    [("serverlessrepo:applicationId", "ApplicationId"), ("serverlessrepo:semanticVersion", "SemanticVersion")];

impl Sam<'_, '_> {
    pub(super) fn table(&mut self, source: &Source) {
        let mut draft = source.main("AWS::DynamoDB::Table");
        let key = source.given_property("PrimaryKey");
        let name = key.and_then(|key| get(key, "Name")).cloned().unwrap_or_else(|| Value::from("id"));
        let kind = key.and_then(|key| get(key, "Type"));
        let short = kind.and_then(Value::as_str).and_then(|kind| KEY_TYPES.iter().find(|(long, _)| *long == kind));
        let kind = match (kind, short) {
            (Some(kind), Some((_, short))) => Value { span: kind.span, ..Value::from(*short) },
            (Some(kind), None) => kind.clone(),
            (None, _) => Value::from("S"),
        };
        let attribute = object([("AttributeName", name.clone()), ("AttributeType", kind)]);
        let schema = object([("AttributeName", name), ("KeyType", Value::from("HASH"))]);
        draft.set("AttributeDefinitions", Value::array(vec![attribute]));
        draft.set("KeySchema", Value::array(vec![schema]));
        draft.copy(&source.properties, &["PointInTimeRecoverySpecification", "SSESpecification", "TableName"]);
        match source.given_property("ProvisionedThroughput") {
            Some(_) => draft.copy(&source.properties, &["ProvisionedThroughput"]),
            None => draft.set("BillingMode", Value::from("PAY_PER_REQUEST")),
        }
        draft.derive("Tags", &source.properties, "Tags", |tags| Value::array(tag_list(Some(tags))));
        self.emit(source, vec![draft]);
    }

    /// Generates a layer, which has another name after each change.
    pub(super) fn layer(&mut self, source: &Source) {
        let mut draft = source.main("AWS::Lambda::LayerVersion");
        let mut properties = Fields::from_value(&source.properties);
        for name in ["LayerName", "LicenseInfo", "Description", "RetentionPolicy"] {
            properties.set_some(name, source.get(name).map(|value| self.resolved(value)));
        }
        let properties = properties.into_value();
        let mut hashed = Fields::default();
        hashed.set("Type", Value::from(source.kind.clone()));
        hashed.set_some("DependsOn", get(&source.body, "DependsOn").cloned());
        hashed.set_some("Condition", source.origin.attributes.get("Condition").cloned());
        hashed.set("Properties", properties.clone());
        let id = Str::from(format!("{}{}", source.id, hash(&object([(&source.id, hashed.into_value())]))));
        draft.id = id.clone();
        draft.copy(
            &properties,
            &["LayerName", "Description", "CompatibleArchitectures", "CompatibleRuntimes", "LicenseInfo"],
        );
        if !draft.properties.has("LayerName") {
            draft.set("LayerName", Value::from(source.id.clone()));
        }
        if source.get("ContentUri").is_some() {
            draft.derive("Content", &source.properties, "ContentUri", |uri| location(uri, &CODE));
        } else {
            let missing = Unknown::new(Kind::Any, "the required property `ContentUri` is missing");
            draft.set("Content", Value::unknown(missing));
        }
        let policy = match text(&properties, "RetentionPolicy").map(|policy| policy.to_lowercase()).as_deref() {
            Some("delete") => Some("Delete"),
            Some("retain") => Some("Retain"),
            _ => (!draft.attributes.has("DeletionPolicy")).then_some("Retain"),
        };
        draft.attributes.set_some("DeletionPolicy", policy.map(Value::from));
        self.output.references.rename(&source.id, &id);
        self.emit(source, vec![draft]);
    }

    /// Generates a nested stack. A local path is its template; the template of any other location is unknown.
    pub(super) fn application(&mut self, source: &Source) {
        let mut draft = source.main("AWS::CloudFormation::Stack");
        draft.copy(&source.properties, &["Parameters", "NotificationARNs", "TimeoutInMinutes"]);
        let place = source.get("Location");
        let tags = APPLICATION_TAGS
            .into_iter()
            .filter_map(|(tag, name)| Some(object([("Key", Value::from(tag)), ("Value", get(place?, name)?.clone())])));
        draft.set("Tags", Self::sam_tags(source, tags.collect()));
        let url =
            source.given_property("TemplateUrl").or_else(|| place.filter(|place| place.as_str().is_some())).cloned();
        let unknown = || Value::unknown(Unknown::new(Kind::String, "the repository of applications has the template"));
        draft.set("TemplateURL", url.unwrap_or_else(unknown));
        self.emit(source, vec![draft]);
    }
}
