//! Input and output artifacts of the actions of a pipeline.

use std::collections::BTreeSet;

use crate::checks::SCHEMA_COMBINATION;
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
