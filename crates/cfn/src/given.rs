//! The values that the user gives for parameters, in files and arguments.

use crate::diagnostic::{Code, Diagnostic};
use crate::text::{FileId, Span};
use crate::value::{Str, Value};

/// Whether a value has the form of a parameter file: the list of the AWS command line
/// (`[{"ParameterKey": "a", "ParameterValue": "b"}]` or `["a=b"]`), or the object of `CodePipeline` (`{"Parameters": {"a": "b"}}`).
///
/// References: <https://docs.aws.amazon.com/cli/latest/reference/cloudformation/create-stack.html>,
/// <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/continuous-delivery-codepipeline-cfn-artifacts.html>.
pub fn is_parameter_file(value: &Value) -> bool {
    match (value.as_array(), value.as_object()) {
        (Some(items), _) => {
            let is_entry = |item: &Value| {
                item.get("ParameterKey").is_some() || item.as_str().is_some_and(|text| text.contains('='))
            };
            !items.is_empty() && items.iter().all(is_entry)
        }
        (_, Some(object)) => object.get_exact("Parameters").is_some() && object.get_exact("Resources").is_none(),
        _ => false,
    }
}

/// The given values. Later values override earlier ones of the same name.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    values: Vec<(Str, Value)>,
}

impl Arguments {
    /// The values of the files, then `overrides`, which override them. Entries without a value are reported.
    pub(super) fn new(
        files: &[(FileId, &Value)],
        overrides: &[(Str, Value)],
        report: &mut dyn FnMut(Diagnostic),
    ) -> Self {
        let mut values = Vec::new();
        for &(file, value) in files {
            read(file, value, &mut values, report);
        }
        values.extend(overrides.iter().cloned());
        Self { values }
    }

    /// The values that a parent stack passes.
    pub(super) fn of_stack(values: Vec<(Str, Value)>) -> Self {
        Self { values }
    }

    /// The value of a parameter or pseudo parameter.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.values.iter().rev().find(|(known, _)| **known == *name).map(|(_, value)| value)
    }

    /// All names and values in the order in which they were given.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(Str, Value)> {
        self.values.iter()
    }
}

fn read(file: FileId, value: &Value, values: &mut Vec<(Str, Value)>, report: &mut dyn FnMut(Diagnostic)) {
    if let Some(parameters) = value.as_object().and_then(|file| file.get_exact("Parameters")?.as_object()) {
        values.extend(parameters.iter().map(|member| (member.key.clone(), member.value.clone())));
        return;
    }
    let Some(items) = value.as_array() else {
        let message = "a parameter file of CloudFormation is a list of `ParameterKey` and `ParameterValue`, or an \
                       object with `Parameters`";
        return report(Diagnostic::of_file(Code::ParameterFormat, file, message));
    };
    for item in items {
        if let Some((name, value)) = item.as_str().and_then(|text| text.split_once('=')) {
            let value = Value { span: item.span, ..Value::from(value) };
            values.push((Str::from(name), value));
            continue;
        }
        let key = item.get("ParameterKey").and_then(Value::as_shared_str);
        match (key, item.get("ParameterValue")) {
            (Some(key), Some(value)) => values.push((key.clone(), value.clone())),
            // The current value of the stack, which only a deployment can know.
            (Some(_), None) if item.get("UsePreviousValue").is_some() => {}
            _ => {
                let span = item.span.unwrap_or_else(|| Span::whole_file(file));
                let message = "the entry has no `ParameterKey` and `ParameterValue`";
                report(Diagnostic::new(Code::ParameterFormat, span, message));
            }
        }
    }
}
