//! Input and output artifacts of the actions of a pipeline.

use std::collections::BTreeSet;

use crate::checks::{SCHEMA_COMBINATION, SERVICE_LIMIT, SERVICE_VALUE};
use crate::published::facts::{FactViolation, member, text};
use crate::published::misfit::MisfitStep;
use crate::value::Value;

/// Reports input artifacts that no earlier action outputs, and artifacts that two actions output. Reference:
/// <https://docs.aws.amazon.com/codepipeline/latest/userguide/welcome-introducing-artifacts.html>.
pub(super) fn artifacts(stages: &Value) -> Vec<FactViolation<'_>> {
    let mut given: BTreeSet<&str> = BTreeSet::new();
    let mut violations = Vec::new();
    for (stage, actions) in stages.as_array().into_iter().flatten().enumerate() {
        let Some(actions) = member(actions, "Actions").and_then(Value::as_array) else { return Vec::new() };
        let mut output = Vec::new();
        for (action, value) in actions.iter().enumerate() {
            // What is not known may give anything.
            let (Some(inputs), Some(outputs)) = (names(value, "InputArtifacts"), names(value, "OutputArtifacts"))
            else {
                return Vec::new();
            };
            for (item, name) in inputs.into_iter().enumerate().filter(|(_, name)| !given.contains(name)) {
                output.push((name, name_path([stage, action], "InputArtifacts", item)));
            }
            for (item, name) in outputs.into_iter().enumerate() {
                if !given.insert(name) {
                    let message = format!("an action before this one gives the artifact `{name}`, too");
                    violations.push(FactViolation::new(
                        SCHEMA_COMBINATION,
                        &name_path([stage, action], "OutputArtifacts", item),
                        message,
                    ));
                }
            }
        }
        // Actions of one stage may run in any order.
        for (name, steps) in output.into_iter().filter(|(name, _)| !given.contains(name)) {
            let message = format!("no action before this one gives the artifact `{name}`");
            violations.push(FactViolation::new(SCHEMA_COMBINATION, &steps, message));
        }
    }
    violations
}

/// Owner, category, and provider of an action, and the least and most numbers of its input and output artifacts.
type ArtifactCounts = (&'static str, &'static str, &'static str, [usize; 2], [usize; 2]);

/// Numbers of input and output artifacts that the actions of a provider take, the least and the most of each. Reference:
/// <https://docs.aws.amazon.com/codepipeline/latest/userguide/reference-action-artifacts.html>.
const COUNTS: &[ArtifactCounts] = &[
    ("AWS", "Approval", "Manual", [0, 0], [0, 0]),
    ("AWS", "Build", "CodeBuild", [1, 5], [0, 5]),
    ("AWS", "Deploy", "CloudFormation", [0, 10], [0, 1]),
    ("AWS", "Deploy", "CodeDeploy", [1, 1], [0, 0]),
    ("AWS", "Deploy", "ECS", [1, 1], [0, 0]),
    ("AWS", "Deploy", "ElasticBeanstalk", [1, 1], [0, 0]),
    ("AWS", "Deploy", "OpsWorks", [1, 1], [0, 0]),
    ("AWS", "Deploy", "S3", [1, 1], [0, 0]),
    ("AWS", "Deploy", "ServiceCatalog", [1, 1], [0, 0]),
    ("AWS", "Invoke", "Lambda", [0, 5], [0, 5]),
    ("AWS", "Source", "CodeCommit", [0, 0], [1, 1]),
    ("AWS", "Source", "CodeStarSourceConnection", [0, 0], [1, 1]),
    ("AWS", "Source", "ECR", [0, 0], [1, 1]),
    ("AWS", "Source", "S3", [0, 0], [1, 1]),
    ("AWS", "Test", "CodeBuild", [1, 5], [0, 5]),
    ("AWS", "Test", "DeviceFarm", [1, 1], [0, 0]),
    ("ThirdParty", "Deploy", "AlexaSkillsKit", [0, 2], [0, 0]),
    ("ThirdParty", "Source", "GitHub", [0, 0], [1, 1]),
];

/// Reports an action with more or fewer artifacts than its provider takes.
pub(super) fn counts(action: &Value) -> Vec<FactViolation<'_>> {
    let Some(kind) = member(action, "ActionTypeId") else { return Vec::new() };
    let [owner, category, provider] = ["Owner", "Category", "Provider"].map(|name| member(kind, name).and_then(text));
    let (Some(owner), Some(category), Some(provider)) = (owner, category, provider) else { return Vec::new() };
    let row = COUNTS.iter().find(|row| (row.0, row.1, row.2) == (owner, category, provider));
    let Some((.., inputs, outputs)) = row else { return Vec::new() };
    let mut violations = Vec::new();
    for (name, [least, most]) in [("InputArtifacts", *inputs), ("OutputArtifacts", *outputs)] {
        let Some(found) = names(action, name).map(|names| names.len()) else { continue };
        if found < least || found > most {
            let expected = if least == most { most.to_string() } else { format!("{least} to {most}") };
            let message = format!("an action of `{provider}` has {found} `{name}`; expected {expected}");
            violations.push(FactViolation::new(SERVICE_LIMIT, &[MisfitStep::Member(name)], message));
        }
    }
    violations
}

/// Reports actions with a source outside of the first stage, and other actions in it. Reference:
/// <https://docs.aws.amazon.com/codepipeline/latest/userguide/reference-pipeline-structure.html>.
pub(super) fn sources(stages: &Value) -> Vec<FactViolation<'_>> {
    let mut violations = Vec::new();
    for (stage, value) in stages.as_array().into_iter().flatten().enumerate() {
        let actions = member(value, "Actions").and_then(Value::as_array).unwrap_or_default();
        for (action, value) in actions.iter().enumerate() {
            let category = member(value, "ActionTypeId").and_then(|kind| member(kind, "Category")).and_then(text);
            let Some(category) = category else { continue };
            let message = match (stage, category) {
                (0, "Source") => continue,
                (0, _) => {
                    format!("`Category` is `{category}`; expected `Source`, as in all actions of the first stage")
                }
                (_, "Source") => "only actions of the first stage can have the `Category` `Source`".to_owned(),
                _ => continue,
            };
            let steps = [
                MisfitStep::Item(stage),
                MisfitStep::Member("Actions"),
                MisfitStep::Item(action),
                MisfitStep::Member("ActionTypeId"),
                MisfitStep::Member("Category"),
            ];
            violations.push(FactViolation::new(SERVICE_VALUE, &steps, message));
        }
    }
    violations
}

/// Returns the path of an artifact's name in an action.
fn name_path([stage, action]: [usize; 2], list: &'static str, item: usize) -> [MisfitStep<'static>; 6] {
    [
        MisfitStep::Item(stage),
        MisfitStep::Member("Actions"),
        MisfitStep::Item(action),
        MisfitStep::Member(list),
        MisfitStep::Item(item),
        MisfitStep::Member("Name"),
    ]
}

/// Returns the names of artifacts, or `None` if one of them is not known.
fn names<'a>(action: &'a Value, list: &str) -> Option<Vec<&'a str>> {
    match member(action, list) {
        None => action.as_object().map(|_| Vec::new()),
        Some(artifacts) => artifacts.as_array()?.iter().map(|artifact| text(member(artifact, "Name")?)).collect(),
    }
}
