//! The settings of resources, which are read by programs and shown to everyone who may read the resource.
//!
//! Source: the reference of each type, <https://learn.microsoft.com/azure/templates/> and
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/>, 2026-11.

/// Place of the settings in a resource, and of their names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// An array of objects with a name and a value.
    Pairs(&'static str, &'static str),
    /// An object with the values by their names. A value may be in a member with this name.
    Map(Option<&'static str>),
    /// A value whose name is the last segment of the resource's own name.
    Single,
}

use self::Shape::{Map, Pairs, Single};

/// A place of settings: the type of the resource, the end of its name if only resources with that name have settings,
/// the path, the shape, and the noun for messages. `*` stands for each item of an array.
pub(super) type Row = (&'static str, Option<&'static str>, &'static str, Shape, &'static str);

/// Name and value, as Azure writes them.
const AZURE: Shape = Pairs("name", "value");

/// Name and value, as AWS writes them.
const AWS: Shape = Pairs("Name", "Value");

const VARIABLE: &str = "environment variable";

/// All places, sorted by type in lower case.
pub(super) const ROWS: &[Row] = &[
    ("aws::amplify::app", None, "Properties.EnvironmentVariables", AWS, VARIABLE),
    ("aws::amplify::branch", None, "Properties.EnvironmentVariables", AWS, VARIABLE),
    (
        "aws::apprunner::service",
        None,
        "Properties.SourceConfiguration.CodeRepository.CodeConfiguration.CodeConfigurationValues.RuntimeEnvironmentVariables",
        AWS,
        VARIABLE,
    ),
    (
        "aws::apprunner::service",
        None,
        "Properties.SourceConfiguration.ImageRepository.ImageConfiguration.RuntimeEnvironmentVariables",
        AWS,
        VARIABLE,
    ),
    ("aws::batch::jobdefinition", None, "Properties.ContainerProperties.Environment", AWS, VARIABLE),
    ("aws::codebuild::project", None, "Properties.Environment.EnvironmentVariables", AWS, VARIABLE),
    ("aws::ecs::taskdefinition", None, "Properties.ContainerDefinitions.*.Environment", AWS, VARIABLE),
    (
        "aws::elasticbeanstalk::configurationtemplate",
        None,
        "Properties.OptionSettings",
        Pairs("OptionName", "Value"),
        "option",
    ),
    ("aws::elasticbeanstalk::environment", None, "Properties.OptionSettings", Pairs("OptionName", "Value"), "option"),
    ("aws::glue::job", None, "Properties.DefaultArguments", Map(None), "argument"),
    ("aws::lambda::function", None, "Properties.Environment.Variables", Map(None), VARIABLE),
    (
        "aws::lightsail::container",
        None,
        "Properties.ContainerServiceDeployment.Containers.*.Environment",
        Pairs("Variable", "Value"),
        VARIABLE,
    ),
    ("aws::sagemaker::model", None, "Properties.Containers.*.Environment", Map(None), VARIABLE),
    ("aws::sagemaker::model", None, "Properties.PrimaryContainer.Environment", Map(None), VARIABLE),
    ("aws::serverless::function", None, "Properties.Environment.Variables", Map(None), VARIABLE),
    ("aws::ssm::parameter", None, "Properties.Value", Single, "parameter"),
    ("aws::synthetics::canary", None, "Properties.RunConfig.EnvironmentVariables", Map(None), VARIABLE),
    ("microsoft.app/containerapps", None, "properties.template.containers.*.env", AZURE, VARIABLE),
    ("microsoft.app/containerapps", None, "properties.template.initContainers.*.env", AZURE, VARIABLE),
    ("microsoft.app/jobs", None, "properties.template.containers.*.env", AZURE, VARIABLE),
    ("microsoft.app/jobs", None, "properties.template.initContainers.*.env", AZURE, VARIABLE),
    ("microsoft.appconfiguration/configurationstores/keyvalues", None, "properties.value", Single, "key"),
    (
        "microsoft.appplatform/spring/apps/deployments",
        None,
        "properties.deploymentSettings.environmentVariables",
        Map(None),
        VARIABLE,
    ),
    ("microsoft.automation/automationaccounts/variables", None, "properties.value", Single, "variable"),
    ("microsoft.batch/batchaccounts/pools", None, "properties.startTask.environmentSettings", AZURE, VARIABLE),
    (
        "microsoft.containerinstance/containergroups",
        None,
        "properties.containers.*.properties.environmentVariables",
        AZURE,
        VARIABLE,
    ),
    (
        "microsoft.containerinstance/containergroups",
        None,
        "properties.initContainers.*.properties.environmentVariables",
        AZURE,
        VARIABLE,
    ),
    ("microsoft.resources/deploymentscripts", None, "properties.environmentVariables", AZURE, VARIABLE),
    ("microsoft.web/sites", None, "properties.siteConfig.appSettings", AZURE, APP_SETTING),
    ("microsoft.web/sites", None, "properties.siteConfig.connectionStrings", CONNECTION, "connection string"),
    ("microsoft.web/sites/config", Some("appsettings"), "properties", Map(None), APP_SETTING),
    ("microsoft.web/sites/config", Some("connectionstrings"), "properties", Map(Some("value")), "connection string"),
    ("microsoft.web/sites/config", Some("web"), "properties.appSettings", AZURE, APP_SETTING),
    ("microsoft.web/sites/config", Some("web"), "properties.connectionStrings", CONNECTION, "connection string"),
    ("microsoft.web/sites/slots", None, "properties.siteConfig.appSettings", AZURE, APP_SETTING),
    ("microsoft.web/sites/slots", None, "properties.siteConfig.connectionStrings", CONNECTION, "connection string"),
    ("microsoft.web/sites/slots/config", Some("appsettings"), "properties", Map(None), APP_SETTING),
    (
        "microsoft.web/sites/slots/config",
        Some("connectionstrings"),
        "properties",
        Map(Some("value")),
        "connection string",
    ),
    ("microsoft.web/staticsites/config", Some("appsettings"), "properties", Map(None), APP_SETTING),
    ("microsoft.web/staticsites/config", Some("functionappsettings"), "properties", Map(None), APP_SETTING),
];

const APP_SETTING: &str = "app setting";

/// Connection strings of a site.
const CONNECTION: Shape = Pairs("name", "connectionString");

/// Returns the rows of a type.
pub(super) fn rows(type_name: &str) -> impl Iterator<Item = &'static Row> {
    let name = type_name.to_ascii_lowercase();
    let start = ROWS.partition_point(|row| *row.0 < *name);
    ROWS.get(start..).unwrap_or_default().iter().take_while(move |row| *row.0 == *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_sorted() {
        assert!(ROWS.is_sorted_by_key(|row| row.0) && ROWS.iter().all(|row| row.0 == row.0.to_ascii_lowercase()));
        assert_eq!(rows("Microsoft.Web/Sites").count(), 2);
        assert_eq!(rows("AWS::S3::Bucket").count(), 0);
    }
}
