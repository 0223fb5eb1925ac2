//! Parameters and results of functions.

use crate::compiler::model::Target;
use crate::compiler::semantics::types::{Property, Type};

/// An overload of a function: its name, the types of its parameters, and the type of its result.
///
/// A type is a list of names, separated by `|`. A parameter with `?` is optional, one with `*` can be repeated.
type Row = (&'static str, &'static [&'static str], &'static str);

/// Functions, sorted by name. A function with several rows has overloads.
const FUNCTIONS: &[Row] = &[
    ("any", &["any"], "any"),
    ("array", &["any"], "array"),
    ("base64", &["string"], "string"),
    ("base64ToJson", &["string"], "any"),
    ("base64ToString", &["string"], "string"),
    ("bool", &["any"], "bool"),
    ("buildUri", &["object"], "string"),
    ("cidrHost", &["string", "int"], "string"),
    ("cidrSubnet", &["string", "int", "int"], "string"),
    ("concat", &["array*"], "array"),
    ("concat", &["string|int|bool*"], "string"),
    ("contains", &["object", "string"], "bool"),
    ("contains", &["array", "any"], "bool"),
    ("contains", &["string", "string"], "bool"),
    ("dataUri", &["any"], "string"),
    ("dataUriToString", &["string"], "string"),
    ("dateTimeAdd", &["string", "string", "string?"], "string"),
    ("dateTimeFromEpoch", &["int"], "string"),
    ("dateTimeToEpoch", &["string"], "int"),
    ("empty", &["null|object|array|string"], "bool"),
    ("endsWith", &["string", "string"], "bool"),
    ("fail", &["string"], "any"),
    ("filter", &["array", "lambda"], "array"),
    ("first", &["array"], "any"),
    ("first", &["string"], "string"),
    ("flatten", &["array"], "array"),
    ("format", &["string", "any*"], "string"),
    ("groupBy", &["array", "lambda", "lambda?"], "object"),
    ("guid", &["string*"], "string"),
    ("indexOf", &["string", "string"], "int"),
    ("indexOf", &["array", "any"], "int"),
    ("int", &["string|int"], "int"),
    ("items", &["object"], "any"),
    ("join", &["array", "string"], "string"),
    ("json", &["string"], "any"),
    ("last", &["array"], "any"),
    ("last", &["string"], "string"),
    ("lastIndexOf", &["string", "string"], "int"),
    ("lastIndexOf", &["array", "any"], "int"),
    ("length", &["string|object"], "int"),
    ("length", &["array"], "int"),
    ("like", &["string", "string"], "bool"),
    ("loadFileAsBase64", &["string"], "string"),
    ("loadTextContent", &["string", "string?"], "string"),
    ("map", &["array", "lambda"], "array"),
    ("mapValues", &["object", "lambda"], "object"),
    ("max", &["int*"], "int"),
    ("max", &["array"], "int"),
    ("min", &["int*"], "int"),
    ("min", &["array"], "int"),
    ("newGuid", &[], "string"),
    ("objectKeys", &["object"], "strings"),
    ("padLeft", &["string|int", "int", "string?"], "string"),
    ("parseCidr", &["string"], "object"),
    ("parseUri", &["string"], "object"),
    ("range", &["int", "int"], "ints"),
    ("readCliArg", &["string"], "string"),
    ("readEnvVar", &["string"], "string"),
    ("readEnvironmentVariable", &["string", "string?"], "string"),
    ("reduce", &["array", "any", "lambda"], "any"),
    ("replace", &["string", "string", "string"], "string"),
    ("shallowMerge", &["array"], "object"),
    ("skip", &["array", "int"], "array"),
    ("skip", &["string", "int"], "string"),
    ("sort", &["array", "lambda"], "array"),
    ("split", &["string", "string|array"], "strings"),
    ("startsWith", &["string", "string"], "bool"),
    ("string", &["any"], "string"),
    ("substring", &["string", "int", "int?"], "string"),
    ("take", &["array", "int"], "array"),
    ("take", &["string", "int"], "string"),
    ("toLower", &["string"], "string"),
    ("toObject", &["array", "lambda", "lambda?"], "object"),
    ("toUpper", &["string"], "string"),
    ("trim", &["string"], "string"),
    ("uniqueString", &["string*"], "string"),
    ("uri", &["string", "string"], "string"),
    ("uriComponent", &["string"], "string"),
    ("uriComponentToString", &["string"], "string"),
    ("utcNow", &["string?"], "string"),
    // Functions of the namespace `az`.
    ("extensionResourceId", &["string", "string", "string*"], "string"),
    ("managementGroup", &["string?"], "managementGroup"),
    ("managementGroupResourceId", &["string*"], "string"),
    ("resourceGroup", &["string?", "string?"], "resourceGroup"),
    ("resourceId", &["string*"], "string"),
    ("subscription", &["string?"], "subscription"),
    ("subscriptionResourceId", &["string*"], "string"),
    ("tenant", &[], "tenant"),
    ("tenantResourceId", &["string*"], "string"),
];

/// An overload of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overload {
    parameters: &'static [&'static str],
    result: &'static str,
}

/// Returns the overloads of a function. Empty if nothing is known about its arguments.
pub(super) fn overloads(name: &str) -> Vec<Overload> {
    let rows = FUNCTIONS.iter().filter(|(own, ..)| *own == name);
    rows.map(|&(_, parameters, result)| Overload { parameters, result }).collect()
}

impl Overload {
    /// Returns the type of a parameter, or `None` if there is none at this index.
    pub(super) fn parameter(self, at: usize) -> Option<Type> {
        let last = self.parameters.last()?;
        let parameter = self.parameters.get(at).or_else(|| last.ends_with('*').then_some(last))?;
        Some(named(parameter.trim_end_matches(['?', '*'])))
    }

    pub(super) fn result(self) -> Type {
        named(self.result)
    }
}

/// Parses the type of a row.
fn named(names: &str) -> Type {
    Type::union(names.split('|').map(|name| match name {
        "string" => Type::TEXT,
        "int" => Type::INT,
        "bool" => Type::BOOL,
        "null" => Type::Null,
        "array" => Type::array(),
        "object" => Type::object(),
        "strings" => Type::array_of(Type::TEXT),
        "ints" => Type::array_of(Type::INT),
        "lambda" => Type::Lambda,
        "tenant" => Type::Scope(Target::Tenant),
        "managementGroup" => Type::Scope(Target::ManagementGroup),
        "subscription" => Type::Scope(Target::Subscription),
        "resourceGroup" => Type::Scope(Target::ResourceGroup),
        _ => Type::Any,
    }))
}

/// Returns the type of the result of `items()`, for values of a type.
pub(super) fn pairs(value: Type) -> Type {
    let properties = [("key", Type::TEXT), ("value", value)];
    let properties = properties.map(|(name, ty)| Property::new(name, ty, true)).into();
    Type::array_of(Type::object_of(properties))
}
