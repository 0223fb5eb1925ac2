//! What the actions of a pipeline take and give.

use std::collections::BTreeSet;

use crate::diagnostic::Check;
use crate::published::facts::{Remark, member, text};
use crate::published::misfit::Step;
use crate::value::Value;

/// An action takes what actions before it give, and no two give the same. Reference:
/// <https://docs.aws.amazon.com/codepipeline/latest/userguide/welcome-introducing-artifacts.html>.
pub(super) fn artifacts(stages: &Value) -> Vec<Remark<'_>> {
    let mut given: BTreeSet<&str> = BTreeSet::new();
    let mut remarks = Vec::new();
    for (stage, actions) in stages.as_array().into_iter().flatten().enumerate() {
        let Some(actions) = member(actions, "Actions").and_then(Value::as_array) else { return Vec::new() };
        let mut output = Vec::new();
        for (action, value) in actions.iter().enumerate() {
            let place = |list: &'static str, item: usize| {
                let action = [Step::Item(stage), Step::Member("Actions"), Step::Item(action)];
                [&action[..], &[Step::Member(list), Step::Item(item), Step::Member("Name")]].concat()
            };
            // What is not known may give anything.
            let (Some(inputs), Some(outputs)) = (names(value, "InputArtifacts"), names(value, "OutputArtifacts"))
            else {
                return Vec::new();
            };
            for (item, name) in inputs.into_iter().enumerate().filter(|(_, name)| !given.contains(name)) {
                output.push((name, place("InputArtifacts", item)));
            }
            for (item, name) in outputs.into_iter().enumerate() {
                if !given.insert(name) {
                    let message = format!("an action before this one gives the artifact `{name}`, too");
                    remarks.push(Remark::new(Check::SchemaCombination, &place("OutputArtifacts", item), message));
                }
            }
        }
        // Actions of one stage may run in any order.
        for (name, steps) in output.into_iter().filter(|(name, _)| !given.contains(name)) {
            let message = format!("no action before this one gives the artifact `{name}`");
            remarks.push(Remark::new(Check::SchemaCombination, &steps, message));
        }
    }
    remarks
}

/// The names of artifacts. `None` if one is not known.
fn names<'a>(action: &'a Value, list: &str) -> Option<Vec<&'a str>> {
    match member(action, list) {
        None => action.as_object().map(|_| Vec::new()),
        Some(artifacts) => artifacts.as_array()?.iter().map(|artifact| text(member(artifact, "Name")?)).collect(),
    }
}
