//! The values that the user gives for parameters, in files and arguments.

use foldhash::HashMap;

use crate::diagnostic::{Code, Diagnostic};
use crate::text::{FileId, Span};
use crate::value::{Kind, Member, Str, Unknown, Value};

/// The member of a deployment file of Git sync that names the template.
pub const TEMPLATE_PATH: &str = "template-file-path";

/// The members that a template configuration of `CodePipeline` may have.
const OF_PIPELINE: [&str; 3] = ["Parameters", "StackPolicy", "Tags"];

/// Returns `true` if a value has the form of a parameter file: the list of the AWS command line (`[{"ParameterKey":
/// "a", "ParameterValue": "b"}]` or `["a=b"]`), the object of `CodePipeline` (`{"Parameters": {"a": "b"}}`), or the
/// object of Git sync, which names a template. If the user `named` the file, the form is checked less strictly.
///
/// References: <https://docs.aws.amazon.com/cli/latest/reference/cloudformation/create-stack.html>,
/// <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/continuous-delivery-codepipeline-cfn-artifacts.html>,
/// <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/git-sync-concepts-terms.html>.
pub fn is_parameter_file(value: &Value, named: bool) -> bool {
    match (value.as_array(), value.as_object()) {
        (Some(items), _) => !items.is_empty() && items.iter().all(|item| is_entry(item, named)),
        (_, Some(object)) => {
            let parameters = object.get_exact("Parameters");
            // `sam local invoke --env-vars` takes environment variables in the same form; those with `_` are not parameters.
            let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let is_plain = |member: &Member| {
                is_name(&member.key) && member.value.as_array().is_none() && !is_declaration(&member.value)
            };
            let is_of_pipeline = || {
                object.iter().all(|member| OF_PIPELINE.contains(&&*member.key))
                    && parameters.and_then(Value::as_object).is_some_and(|all| all.iter().all(is_plain))
            };
            object.get_exact(TEMPLATE_PATH).is_some_and(|path| path.as_str().is_some())
                || (named && parameters.is_some() && object.get_exact("Resources").is_none())
                || is_of_pipeline()
        }
        _ => false,
    }
}

/// Returns the names of the parameters that a parameter file sets; also those of one of Resource Manager.
pub fn parameter_names(file: &Value) -> Vec<&str> {
    if let Some(items) = file.as_array() {
        return items.iter().filter_map(entry_name).collect();
    }
    let members = file.get("parameters").and_then(Value::as_object).into_iter().flatten();
    members.map(|member| &*member.key).collect()
}

fn entry_name(item: &Value) -> Option<&str> {
    match item.as_str() {
        Some(text) => text.split_once('=').map(|(name, _)| name),
        None => item.get("ParameterKey")?.as_str(),
    }
}

fn is_entry(item: &Value, named: bool) -> bool {
    let is_name = |name: &str| !name.is_empty() && (named || name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    item.get("ParameterKey").is_some()
        || item.as_str().and_then(|text| text.split_once('=')).is_some_and(|(name, _)| is_name(name))
}

/// Returns `true` if a value declares a parameter, as templates do.
fn is_declaration(value: &Value) -> bool {
    value.get("Type").is_some()
}

/// The given values. Later values override earlier ones of the same name.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    values: Vec<(Str, Value)>,
    /// The places of the values of each name.
    places: HashMap<Str, Vec<usize>>,
    /// Number of values from parameter files. They come first.
    of_files: usize,
}

impl Arguments {
    /// Returns the values of the files, then `overrides`, which override them. Entries without a value are reported.
    pub(super) fn new(
        files: &[(FileId, &Value)],
        overrides: &[(Str, Value)],
        report: &mut dyn FnMut(Diagnostic),
    ) -> Self {
        let mut values = Vec::new();
        for &(file, value) in files {
            read(file, value, &mut values, report);
        }
        let mut arguments = Self { of_files: values.len(), ..Self::of_stack(values) };
        arguments.extend(overrides.iter().cloned());
        arguments
    }

    /// Adds values that override those before them.
    pub(super) fn extend(&mut self, values: impl IntoIterator<Item = (Str, Value)>) {
        for (name, value) in values {
            self.places.entry(name.clone()).or_default().push(self.values.len());
            self.values.push((name, value));
        }
    }

    /// Returns the values that a parent stack passes.
    pub(super) fn of_stack(values: Vec<(Str, Value)>) -> Self {
        let mut arguments = Self::default();
        arguments.extend(values);
        arguments
    }

    /// Returns the value of a parameter or pseudo parameter.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.all(name).next_back()
    }

    /// Returns all names and values in the order in which they were given, also those that later ones override.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(Str, Value)> {
        self.values.iter()
    }

    /// Returns the values from parameter files.
    pub(super) fn of_files(&self) -> impl Iterator<Item = &(Str, Value)> {
        self.values.iter().take(self.of_files)
    }

    /// Returns all values that were given for a name, also those that later ones override.
    pub(super) fn all(&self, name: &str) -> impl DoubleEndedIterator<Item = &Value> {
        self.places.get(name).into_iter().flatten().filter_map(|&at| self.values.get(at)).map(|(_, value)| value)
    }
}

/// Returns the value of a parameter in the object of `CodePipeline`, which may be read from an artifact.
fn of_pipeline(value: &Value) -> Value {
    if value.as_object().is_none() {
        return value.clone();
    }
    let unknown = Unknown::new(Kind::String, "only the pipeline knows what its artifact has");
    Value { span: value.span, ..Value::unknown(unknown) }
}

fn read(file: FileId, value: &Value, values: &mut Vec<(Str, Value)>, report: &mut dyn FnMut(Diagnostic)) {
    if let Some(object) = value.as_object() {
        let section = if object.get_exact(TEMPLATE_PATH).is_some() { "parameters" } else { "Parameters" };
        let parameters = object.get_exact(section);
        if parameters.is_some() || section == "parameters" {
            let members = parameters.and_then(Value::as_object).into_iter().flatten();
            values.extend(members.map(|member| (member.key.clone(), of_pipeline(&member.value))));
            return;
        }
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
