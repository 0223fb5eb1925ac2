//! Experimental features of Bicep, which `experimentalFeaturesEnabled` of `bicepconfig.json` turns on.
//!
//! Reference: <https://github.com/Azure/bicep/blob/main/src/Bicep.Core/Features/IFeatureProvider.cs>.

use crate::value::Value;

/// A feature that changes the syntax of a file or its compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    Assertions,
    AzExtensionConfig,
    DeployCommands,
    LocalDeploy,
    ModuleExtensionConfigs,
    Patch,
    ResourceInfoCodegen,
    ResourceTypedParamsAndOutputs,
    RuntimeValuesInTagsAndSku,
    SymbolicNameCodegen,
    TestFramework,
    UserDefinedConstraints,
    WaitUntil,
}

/// A feature, its name in the configuration, and its name in templates, if it needs an experimental version of the
/// template language.
type Row = (Feature, &'static str, Option<&'static str>);

/// All features, in the order of their names in templates.
const FEATURES: &[Row] = &[
    (Feature::SymbolicNameCodegen, "symbolicNameCodegen", None),
    (Feature::ResourceInfoCodegen, "resourceInfoCodegen", Some("Resource info code generation")),
    (Feature::ResourceTypedParamsAndOutputs, "resourceTypedParamsAndOutputs", None),
    (Feature::TestFramework, "testFramework", None),
    (Feature::Assertions, "assertions", Some("Asserts")),
    (Feature::WaitUntil, "waitUntil", Some("Enable waitUntil feature on resource bicep types")),
    (Feature::LocalDeploy, "localDeploy", Some("Enable local deploy")),
    (Feature::ModuleExtensionConfigs, "moduleExtensionConfigs", Some("Enable defining extension configs for modules")),
    (Feature::UserDefinedConstraints, "userDefinedConstraints", Some("Enable @validate() decorator")),
    (Feature::DeployCommands, "deployCommands", Some("Enable deploy commands")),
    (Feature::Patch, "patch", None),
    (Feature::RuntimeValuesInTagsAndSku, "runtimeValuesInTagsAndSku", Some("Enable runtime values in tags and SKU")),
    (Feature::AzExtensionConfig, "azExtensionConfig", Some("Enable configuration for the built-in 'az' extension")),
];

impl Feature {
    /// Returns the name in the configuration.
    pub(super) fn name(self) -> &'static str {
        FEATURES.iter().find(|(feature, ..)| *feature == self).map_or("", |(_, name, _)| name)
    }
}

/// Features that a configuration turns on.
#[derive(Clone, Debug, Default)]
pub(super) struct Features {
    on: Vec<Feature>,
}

impl Features {
    /// Merges a configuration, which overrides earlier ones.
    pub(super) fn add(&mut self, configuration: &Value) {
        let Some(given) = configuration.get("experimentalFeaturesEnabled") else { return };
        for (feature, name, _) in FEATURES {
            let Some(is_on) = given.get(name).and_then(Value::as_bool) else { continue };
            self.on.retain(|known| known != feature);
            if is_on {
                self.on.push(*feature);
            }
        }
    }

    pub(super) fn has(&self, feature: Feature) -> bool {
        self.on.contains(&feature)
    }

    /// Returns the names, in templates, of the features that need an experimental version of the template language.
    pub(super) fn experimental(&self) -> Vec<&'static str> {
        FEATURES.iter().filter(|(feature, ..)| self.has(*feature)).filter_map(|(_, _, title)| *title).collect()
    }
}
