//! The file of a service of the Serverless Framework, as the template that it adds to what the framework makes.
//!
//! `resources` is CloudFormation. The framework adds resources for functions, their events, and plugins, and replaces
//! variables such as `${self:service}`. What it makes is not known here, but the names that it gives are.
//!
//! References: <https://www.serverless.com/framework/docs/providers/aws/guide/resources>,
//! <https://www.serverless.com/framework/docs/guides/variables>, 2026-11.

use foldhash::HashSet;

use crate::FORMAT_VERSION;
use crate::made::Made;
use crate::stack::MAX_NAME;
use crate::value::{Ends, Kind, Member, Object, Str, Unknown, Value};

/// The sections that a service and its files add to the template.
const SECTIONS: [&str; 6] = ["Parameters", "Mappings", "Conditions", "Resources", "Outputs", "Rules"];

/// Members of a resource that CloudFormation does not evaluate. With a variable, they are left out.
const LITERAL: [&str; 6] =
    ["Type", "Condition", "DependsOn", "DeletionPolicy", "UpdateReplacePolicy", "CreationPolicy"];

/// The logical IDs that the framework gives to single resources.
const SINGLE: [&str; 4] = [
    "IamRoleLambdaExecution",
    "ServerlessDeploymentBucket",
    "ServerlessDeploymentBucketPolicy",
    "CodeDeployApplication",
];

/// Plugins that build, package, or run functions, and make no resources.
const HARMLESS: [&str; 14] = [
    "serverless-bundle",
    "serverless-dotenv-plugin",
    "serverless-dynamodb-local",
    "serverless-esbuild",
    "serverless-export-env",
    "serverless-offline",
    "serverless-offline-sqs",
    "serverless-plugin-typescript",
    "serverless-plugin-optimize",
    "serverless-pseudo-parameters",
    "serverless-prune-plugin",
    "serverless-python-requirements",
    "serverless-s3-local",
    "serverless-webpack",
];

/// A service, read as a template.
#[derive(Debug)]
pub(crate) struct Service {
    /// The sections of `resources`, with variables as unknown values.
    pub(crate) template: Value,
    pub(crate) made: Made,
}

/// Returns `true` if a value is a service of the Serverless Framework on AWS.
pub fn is_service(value: &Value) -> bool {
    let Some(object) = value.as_object() else { return false };
    let has = |name: &str| object.get_exact(name).is_some();
    let provider = object.get_exact("provider");
    let name =
        provider.and_then(|provider| provider.as_str().or_else(|| provider.as_object()?.get_exact("name")?.as_str()));
    has("service") && name == Some("aws") && !has("Resources") && !has(FORMAT_VERSION)
}

/// Returns the template of a service. `None` if a value is not a service.
pub(crate) fn service(value: &Value) -> Option<Service> {
    let object = value.as_object().filter(|_| is_service(value))?;
    let mut reader = ServiceReader::default();
    reader.made.ids.extend(SINGLE.map(Str::from));
    reader.made.is_open |= has_open_plugins(object);
    reader.functions(object);
    if let Some(resources) = object.get_exact("resources") {
        for part in resources.as_array().unwrap_or(std::slice::from_ref(resources)) {
            reader.part(part);
        }
    }
    let members =
        SECTIONS.iter().zip(reader.sections).filter(|(name, section)| **name == "Resources" || !section.is_empty());
    let members = members.map(|(name, section)| Member::new(*name, Value::object(section))).collect();
    Some(Service { template: Value { span: value.span, ..Value::object(members) }, made: reader.made })
}

/// Returns `true` if a plugin of a service may make resources.
fn has_open_plugins(service: &Object) -> bool {
    let Some(plugins) = service.get_exact("plugins") else { return false };
    let named = plugins.as_object().and_then(|plugins| plugins.get_exact("modules")).unwrap_or(plugins);
    let is_harmless = |plugin: &Value| plugin.as_str().is_some_and(|name| HARMLESS.contains(&name));
    !named.as_array().is_some_and(|plugins| plugins.iter().all(is_harmless))
}

#[derive(Default)]
struct ServiceReader {
    /// The members of [`SECTIONS`].
    sections: [Vec<Member>; SECTIONS.len()],
    made: Made,
}

impl ServiceReader {
    /// Adds the logical IDs of functions and layers.
    fn functions(&mut self, service: &Object) {
        for (section, end) in [("functions", "LambdaFunction"), ("layers", "LambdaLayer")] {
            let Some(declared) = service.get_exact(section) else { continue };
            for part in declared.as_array().unwrap_or(std::slice::from_ref(declared)) {
                let Some(functions) = part.as_object() else {
                    self.made.is_open = true;
                    continue;
                };
                for function in functions {
                    self.made.is_open |= has_variable(&function.key);
                    let name = normalized(&function.key);
                    self.made.ids.insert(Str::from(format!("{name}{end}")));
                    // CloudFormation refuses longer names, which would have to be looked up by many lengths.
                    if name.len() <= MAX_NAME {
                        self.made.lengths.insert(name.len());
                        self.made.beginnings.insert(name);
                    }
                }
            }
        }
    }

    /// Adds one of the parts of `resources`.
    fn part(&mut self, part: &Value) {
        let Some(object) = part.as_object() else {
            self.made.is_open = true;
            return;
        };
        for (name, members) in SECTIONS.iter().zip(&mut self.sections) {
            let Some(section) = object.get_exact(name) else { continue };
            let Some(section) = section.as_object() else {
                self.made.is_open = true;
                continue;
            };
            let mut names: HashSet<Str> = members.iter().map(|member| member.key.clone()).collect();
            for member in section {
                let is_known = !has_variable(&member.key) && (*name != "Resources" || is_known_resource(&member.value));
                if is_known {
                    // Of several parts with one name, the framework merges the last into the first.
                    if !names.insert(member.key.clone()) {
                        self.made.is_open = true;
                        continue;
                    }
                    members.push(Member {
                        value: without_variables(&member.value, *name == "Resources"),
                        ..member.clone()
                    });
                } else {
                    self.made.is_open |= has_variable(&member.key);
                    self.made.ids.insert(member.key.clone());
                }
            }
        }
    }
}

/// Returns the name of a function in logical IDs: `hello-world` is `HelloDashworld`.
fn normalized(name: &str) -> String {
    let name = name.replace('-', "Dash").replace('_', "Underscore");
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns `true` if a resource and its type are written in the file.
fn is_known_resource(resource: &Value) -> bool {
    let type_name = resource.as_object().map(|resource| resource.get_exact("Type").and_then(Value::as_str));
    type_name.is_some_and(|name| name.is_none_or(|name| !has_variable(name)))
}

fn has_variable(text: &str) -> bool {
    first_variable(text).is_some()
}

/// Returns where the first variable of the framework begins: `${self:custom.name}`, `${file(a.yml):b}`, or
/// `#{AWS::Region}` of the plugin for pseudo parameters. `${AWS::Region}` is one of CloudFormation.
fn first_variable(text: &str) -> Option<usize> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_variable = |(at, opening): &(usize, &str)| {
        let rest = text.get(at + opening.len()..).unwrap_or_default();
        if *opening == "#{" {
            return rest.starts_with(|c: char| c.is_ascii_alphabetic());
        }
        let rest = rest.trim_start();
        let after = rest.trim_start_matches(is_of_name);
        let is_named = after.len() < rest.len();
        let after = after.trim_start();
        is_named && (after.starts_with('(') || (after.starts_with(':') && !after.starts_with("::")))
    };
    let openings = text.match_indices("${").chain(text.match_indices("#{"));
    openings.filter(is_variable).map(|(at, _)| at).min()
}

/// Returns a value with variables as unknown values.
fn without_variables(value: &Value, is_resource: bool) -> Value {
    if let Some(text) = value.as_str() {
        return variable(text).map_or_else(|| value.clone(), |unknown| Value { span: value.span, ..unknown });
    }
    if let Some(items) = value.as_array() {
        let items = items.iter().map(|item| without_variables(item, false)).collect();
        return Value { span: value.span, ..Value::array(items) };
    }
    let Some(object) = value.as_object() else { return value.clone() };
    if let Some(unknown) = object.get_exact("Fn::Sub").and_then(sub_with_variable) {
        return Value { span: value.span, ..unknown };
    }
    let is_kept = |member: &&Member| {
        let is_text = member.value.as_str().is_some_and(has_variable) || is_list_with_variable(&member.value);
        !(has_variable(&member.key) || (is_resource && LITERAL.contains(&&*member.key) && is_text))
    };
    let members = object.iter().filter(is_kept);
    let members = members.map(|member| Member { value: without_variables(&member.value, false), ..member.clone() });
    Value { span: value.span, ..Value::object(members.collect()) }
}

fn is_list_with_variable(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().any(|item| item.as_str().is_some_and(has_variable)))
}

/// Returns the unknown value of a text with variables; `None` without any.
fn variable(text: &str) -> Option<Value> {
    let first = first_variable(text)?;
    let why = "the Serverless Framework replaces a variable";
    let start = text.get(..first)?;
    let end = text.rsplit_once('}').map_or("", |(_, end)| end);
    if start.is_empty() && end.is_empty() {
        return Some(Value::unknown(Unknown::new(Kind::Any, why)));
    }
    let ends = Ends { start: start.to_owned(), end: end.to_owned(), ..Ends::default() };
    Some(Value::unknown(Unknown::like(Kind::String, why, Value::from(text)).between(ends)))
}

/// Returns the unknown value of `Fn::Sub` if its text has a variable of the framework.
fn sub_with_variable(argument: &Value) -> Option<Value> {
    let text = argument.as_str().or_else(|| argument.as_array()?.first()?.as_str())?;
    has_variable(text)
        .then(|| Value::unknown(Unknown::new(Kind::String, "the Serverless Framework replaces a variable")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_has_the_name_that_the_framework_gives() {
        for (name, expected) in
            [("hello", "Hello"), ("hello-world", "HelloDashworld"), ("a_b", "AUnderscoreb"), ("", "")]
        {
            assert_eq!(normalized(name), expected);
        }
    }

    #[test]
    fn a_variable_of_the_framework_is_none_of_cloudformation() {
        for text in [
            "${self:service}",
            "a-${opt:stage, 'dev'}",
            "${file(a.yml):b}",
            "${env:A}",
            "${sls:stage}",
            "#{AWS::Region}",
        ] {
            assert!(has_variable(text), "{text}");
        }
        for text in ["${AWS::Region}", "${Table.Arn}", "${Table}", "$(a:b)", "#a"] {
            assert!(!has_variable(text), "{text}");
        }
    }
}
