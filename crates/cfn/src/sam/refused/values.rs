//! Errors of the transform about values of functions, policies, and tags.
//!
//! Facts from `samtranslator/model/sam_resources.py`, `samtranslator/model/role_utils`, and `samtranslator/model/s3_utils` of
//! aws/serverless-application-model (Apache-2.0).

use crate::model::{join_index, join_key};
use crate::sam::build::{get, given_property};
use crate::sam::intrinsics::{call, choice, is_intrinsic, is_no_value};
use crate::sam::policies::parameters_of;
use crate::sam::refused::is_whole;
use crate::sam::{PREFIX, Sam, Source};
use crate::value::{Data, Value};

/// Tags that the transform sets itself.
const RESERVED_TAGS: [&str; 3] = ["lambda:createdBy", "serverlessrepo:applicationId", "serverlessrepo:semanticVersion"];

/// Properties that cannot be given for a function of an image.
const NOT_OF_IMAGES: [&str; 3] = ["Runtime", "Handler", "Layers"];

/// Properties that cannot be given for a function of an archive.
const OF_IMAGES: [&str; 2] = ["ImageUri", "ImageConfig"];

/// Properties of the CORS configuration of a function URL, each with the kind of its value.
const OF_URL_CORS: [(&str, ValueKind); 6] = [
    ("AllowCredentials", ValueKind::Boolean),
    ("AllowHeaders", ValueKind::List),
    ("AllowMethods", ValueKind::List),
    ("AllowOrigins", ValueKind::List),
    ("ExposeHeaders", ValueKind::List),
    ("MaxAge", ValueKind::Integer),
];

/// Kind of a value that the transform demands.
#[derive(Clone, Copy)]
enum ValueKind {
    Boolean,
    Integer,
    List,
}

impl ValueKind {
    fn has(self, value: &Value) -> bool {
        match self {
            Self::Boolean => value.as_bool().is_some(),
            Self::Integer => matches!(value.data, Data::Int(_)),
            Self::List => value.as_array().is_some(),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "a Boolean",
            Self::Integer => "an integer",
            Self::List => "a list",
        }
    }
}

impl Sam<'_, '_> {
    /// Reports the values of a function that the transform rejects.
    pub(super) fn refused_values(&self, source: &Source, path: &str) {
        let package = source.get("PackageType").and_then(Value::as_str);
        let misplaced: &[&str] = if package == Some("Image") { &NOT_OF_IMAGES } else { &OF_IMAGES };
        for name in misplaced.iter().filter(|_| package.is_some()) {
            // `Globals` may have a runtime for the other functions, which the transform refuses as well.
            if let Some(value) = source.given_property(name) {
                let message = format!("`{name}` cannot be used with `PackageType` `{}`", package.unwrap_or_default());
                self.refuse(value, &join_key(path, name), message);
            }
        }
        if let Some(uri) = source.get("CodeUri") {
            self.refused_uri(uri, &join_key(path, "CodeUri"), "CodeUri");
        }
        if let Some(queue) = source.given_property("DeadLetterQueue").filter(|queue| is_whole(queue)) {
            self.refused_queue(queue, &join_key(path, "DeadLetterQueue"));
        }
        if let Some(all) = source.get("AutoPublishAliasAllProperties") {
            let is_reference = call(all).is_some_and(|call| matches!(&*call.key, "Ref" | "Fn::FindInMap"));
            if all.as_bool().is_none() && !is_reference {
                let path = join_key(path, "AutoPublishAliasAllProperties");
                self.refuse(all, &path, "`AutoPublishAliasAllProperties` must be a Boolean");
            }
        }
        let cors = source
            .given_property("FunctionUrlConfig")
            .and_then(|url| given_property(url, "Cors"))
            .filter(|cors| is_whole(cors));
        for (name, kind) in OF_URL_CORS {
            let value = cors.and_then(|cors| get(cors, name)).filter(|value| !is_intrinsic(value));
            if let Some(value) = value.filter(|value| value.as_unknown().is_none() && !kind.has(value)) {
                let path = join_key(&join_key(&join_key(path, "FunctionUrlConfig"), "Cors"), name);
                self.refuse(value, &path, format!("`{name}` must be {}", kind.name()));
            }
        }
    }

    /// Reports the URI of an artifact that is neither a local path nor an object in S3.
    fn refused_uri(&self, uri: &Value, path: &str, name: &str) {
        let Some(text) = uri.as_str() else { return };
        let is_right = match text.split_once("://") {
            Some(("s3", rest)) => {
                rest.split_once('/').is_some_and(|(bucket, key)| !bucket.is_empty() && !key.is_empty())
            }
            Some((scheme, _)) => !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            None => true,
        };
        if !is_right {
            self.refuse(uri, path, format!("`{name}` must be a local path, or of the form `s3://bucket/key`"));
        }
    }

    fn refused_queue(&self, queue: &Value, path: &str) {
        for name in ["Type", "TargetArn"] {
            if get(queue, name).is_none() {
                self.refuse(queue, &join_key(path, name), format!("`DeadLetterQueue` needs `{name}`"));
            }
        }
        let kind = get(queue, "Type").filter(|kind| kind.as_str().is_some_and(|kind| !matches!(kind, "SQS" | "SNS")));
        if let Some(kind) = kind {
            self.refuse(kind, &join_key(path, "Type"), "the `Type` of `DeadLetterQueue` must be `SQS` or `SNS`");
        }
    }

    /// Reports the properties of a layer that must be one of a few strings.
    pub(super) fn refused_layer(&self, source: &Source, path: &str) {
        if let Some(policy) =
            source.get("RetentionPolicy").filter(|policy| call(policy).is_none_or(|call| *call.key != *"Ref"))
        {
            let is_right = |text: &str| ["retain", "delete"].iter().any(|known| text.eq_ignore_ascii_case(known));
            if !policy.as_str().is_some_and(is_right) {
                let path = join_key(path, "RetentionPolicy");
                self.refuse(policy, &path, "`RetentionPolicy` must be `Retain` or `Delete`, without a function");
            }
        }
        let architectures = source.get("CompatibleArchitectures").and_then(Value::as_array).unwrap_or_default();
        for (at, item) in architectures.iter().enumerate().filter(|(_, item)| !is_intrinsic(item)) {
            if !matches!(item.as_str(), Some("x86_64" | "arm64")) {
                let path = join_index(&join_key(path, "CompatibleArchitectures"), at);
                self.refuse(item, &path, "an architecture must be `x86_64` or `arm64`");
            }
        }
    }

    /// Reports tags of a resource that the transform sets itself.
    pub(super) fn refused_tags(&self, source: &Source, path: &str) {
        let kind = source.kind.strip_prefix(PREFIX).unwrap_or_default();
        if !matches!(kind, "Function" | "Application") {
            return;
        }
        let tags = source.get("Tags").and_then(Value::as_object).into_iter().flatten();
        for tag in tags.filter(|tag| RESERVED_TAGS.contains(&&*tag.key)) {
            let path = join_key(&join_key(path, "Tags"), &tag.key);
            self.refuse_member(tag, &path, format!("the transform sets the tag `{}` itself; remove it", tag.key));
        }
    }

    /// Reports the policies of a role that are neither names, nor templates, nor documents.
    pub(super) fn refused_policies(&self, source: &Source, path: &str) {
        let Some(policies) = source.get("Policies") else { return };
        let path = join_key(path, "Policies");
        match policies.as_array() {
            Some(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.refused_policy(item, &join_index(&path, at));
                }
            }
            None => self.refused_policy(policies, &path),
        }
    }

    fn refused_policy(&self, policy: &Value, path: &str) {
        if let Some((_, then, otherwise)) = choice(policy) {
            for branch in [then, otherwise].into_iter().filter(|branch| !is_no_value(branch)) {
                self.refused_policy(branch, path);
            }
            return;
        }
        if policy.is_null() || policy.as_str().is_some() || policy.as_unknown().is_some() || is_intrinsic(policy) {
            return;
        }
        let Some(object) = policy.as_object() else {
            return self.refuse(policy, path, "a policy must be a name, a policy template, or a document");
        };
        let is_open = object.iter().any(|member| member.key.starts_with("Fn::"));
        if get(policy, "Statement").is_some() || is_open {
            return;
        }
        let mut members = object.iter();
        let (Some(named), None) = (members.next(), members.next()) else {
            return self.refuse(policy, path, "a policy must have a `Statement`, or be one policy template");
        };
        let Some(parameters) = parameters_of(&named.key) else {
            let hint = self.stack.world.suggestions.did_you_mean(&named.key, crate::sam::policies::names());
            let message = format!("AWS SAM has no policy template `{}`{hint}", named.key);
            return self.refuse_member(named, &join_key(path, &named.key), message);
        };
        let path = join_key(path, &named.key);
        if !is_whole(&named.value) {
            if named.value.as_object().is_none() && !is_intrinsic(&named.value) {
                self.refuse_member(named, &path, format!("`{}` needs an object with its parameters", named.key));
            }
            return;
        }
        for name in parameters.filter(|name| get(&named.value, name).is_none()) {
            let message = format!("the policy template `{}` needs the parameter `{name}`", named.key);
            self.refuse_member(named, &join_key(&path, name), message);
        }
    }
}
