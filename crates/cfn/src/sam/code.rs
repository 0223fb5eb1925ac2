//! The code of functions and layers, and other artifacts that SAM uploads.

use crate::sam::Source;
use crate::sam::build::{Fields, get, given_property, located, object, text};
use crate::value::{Kind, Unknown, Value};

/// Reason for which the location of an artifact is unknown.
const UPLOADED: &str = "only a deployment knows where the artifact is uploaded";

/// The names of the members that locate an artifact in a bucket.
pub(super) struct Names {
    pub(super) bucket: &'static str,
    pub(super) key: &'static str,
    pub(super) version: &'static str,
}

/// Property names for the code of functions and layers.
pub(super) const CODE: Names = Names { bucket: "S3Bucket", key: "S3Key", version: "S3ObjectVersion" };

/// Property names for the definitions of APIs and state machines.
pub(super) const BODY: Names = Names { bucket: "Bucket", key: "Key", version: "Version" };

/// Returns the location of an artifact: an object, or an `s3://` URI. A local path is uploaded, so its location is
/// unknown.
pub(super) fn location(written: &Value, names: &Names) -> Value {
    let mut fields = Fields::default();
    if let Some((bucket, key)) = given_property(written, "Bucket").zip(given_property(written, "Key")) {
        fields.set(names.bucket, bucket.clone());
        fields.set(names.key, key.clone());
        fields.set_some(names.version, get(written, "Version").cloned());
        return Value { span: written.span, ..fields.into_value() };
    }
    let uri = written.as_str().and_then(|uri| uri.strip_prefix("s3://")).and_then(|uri| uri.split_once('/'));
    if let Some((bucket, rest)) = uri {
        let (key, query) = rest.split_once('?').unwrap_or((rest, ""));
        fields.set(names.bucket, Value::from(bucket));
        fields.set(names.key, Value::from(key));
        let version = query.split('&').find_map(|part| part.strip_prefix("versionId="));
        fields.set_some(names.version, version.map(Value::from));
    } else {
        fields.set(names.bucket, Value::unknown(Unknown::new(Kind::String, UPLOADED)));
        fields.set(names.key, Value::unknown(Unknown::new(Kind::String, UPLOADED)));
    }
    located(fields.into_value(), written.span)
}

impl Source {
    /// Returns the property `Code` of a function.
    pub(super) fn code(&self) -> Value {
        let is_image = text(&self.properties, "PackageType").is_some_and(|kind| **kind == *"Image");
        if is_image {
            let uri = self.get("ImageUri").cloned();
            let unknown = || Value::unknown(Unknown::new(Kind::String, UPLOADED));
            return object([("ImageUri", uri.unwrap_or_else(unknown))]);
        }
        let mut code = match (self.get("InlineCode"), self.get("CodeUri")) {
            (Some(inline), _) => object([("ZipFile", inline.clone())]),
            (None, Some(uri)) => location(uri, &CODE),
            (None, None) => location(&Value::NULL, &CODE),
        };
        if let Some(key) = self.get("SourceKMSKeyArn") {
            let mut fields = Fields::from_value(&code);
            fields.set("SourceKMSKeyArn", key.clone());
            code = Value { span: code.span, ..fields.into_value() };
        }
        code
    }
}
