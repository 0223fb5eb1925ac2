//! The manifest of a module.

use serde::Deserialize;

use crate::text::cut;

/// The media types of manifests that can be those of a module.
#[cfg(feature = "download")]
pub(super) const MANIFESTS: &str =
    "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json";

/// The media type of the layer with the template.
pub(super) const LAYER: &str = "application/vnd.ms.bicep.module.layer.v1+json";

/// The media type of the configuration, which the manifests of older modules have in the place of a type.
const CONFIG: &str = "application/vnd.ms.bicep.module.config.v1+json";

/// The type of the artifact.
const ARTIFACT: &str = "application/vnd.ms.bicep.module.artifact";

/// The largest manifest, in bytes, as registries have to accept it.
pub(super) const MAX_MANIFEST: u64 = 4 << 20;

/// The greatest length of a type in a message, in bytes.
const MAX_SHOWN: usize = 80;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    schema_version: u32,
    artifact_type: Option<String>,
    config: Option<Typed>,
    #[serde(default)]
    layers: Vec<Layer>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Typed {
    media_type: String,
}

/// A part of an artifact.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Layer {
    media_type: String,
    pub(super) digest: String,
    pub(super) size: u64,
}

impl Manifest {
    /// Parses the JSON of a manifest. The error is a message.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let parsed: Result<Self, _> = serde_json::from_slice(bytes);
        let manifest = parsed.map_err(|error| format!("the manifest cannot be read: {error}"))?;
        if manifest.schema_version == 2 {
            return Ok(manifest);
        }
        Err(format!("the manifest has the version {}", manifest.schema_version))
    }

    /// Returns the layer with the template. Others have sources, which nothing here needs. The error is a message.
    pub(super) fn template(&self) -> Result<Layer, String> {
        let is = |found: &str, wanted: &str| found.eq_ignore_ascii_case(wanted);
        let other = match (self.artifact_type.as_deref(), &self.config) {
            (Some(found), _) => Some(found).filter(|found| !is(found, ARTIFACT)),
            (None, Some(config)) => Some(config.media_type.as_str()).filter(|found| !is(found, CONFIG)),
            (None, None) => None,
        };
        if let Some(other) = other {
            return Err(format!("it is not a Bicep module: it has the type `{}`", cut(other, MAX_SHOWN)));
        }
        let mut layers = self.layers.iter().filter(|layer| is(&layer.media_type, LAYER));
        match (layers.next(), layers.next()) {
            (Some(layer), None) => Ok(layer.clone()),
            (Some(_), Some(_)) => Err("the manifest has several templates".to_owned()),
            (None, _) => Err("the manifest has no template".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_modules_are_taken() {
        let layer = |kind: &str| format!(r#"{{"mediaType": "{kind}", "digest": "sha256:0", "size": 7}}"#);
        let (template, sources) = (layer(LAYER), layer("application/vnd.ms.bicep.module.source.v1.tar+gzip"));
        let config = r#""config": {"mediaType": "application/vnd.oci.image.config.v1+json"}"#;
        for (members, expected) in [
            (format!(r#""layers": [{sources}, {template}]"#), Ok(7)),
            (format!(r#""artifactType": "{ARTIFACT}", {config}, "layers": [{template}]"#), Ok(7)),
            (format!(r#""config": {{"mediaType": "{CONFIG}"}}, "layers": [{template}]"#), Ok(7)),
            (format!(r#"{config}, "layers": [{template}]"#), Err("it is not a Bicep module")),
            (format!(r#""artifactType": "application/x", "layers": [{template}]"#), Err("it is not a Bicep module")),
            (format!(r#""layers": [{template}, {template}]"#), Err("several templates")),
            (format!(r#""layers": [{sources}]"#), Err("no template")),
            (r#""manifests": []"#.to_owned(), Err("no template")),
        ] {
            let text = format!(r#"{{"schemaVersion": 2, {members}}}"#);
            let size = Manifest::parse(text.as_bytes()).and_then(|manifest| manifest.template());
            match (size, expected) {
                (Ok(layer), Ok(size)) => assert_eq!(layer.size, size, "{text}"),
                (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
        assert!(Manifest::parse(br#"{"schemaVersion": 1}"#).is_err());
        assert!(Manifest::parse(b"<html>").is_err());
    }
}
