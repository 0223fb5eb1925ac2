//! Parameters of definitions and initiatives, and their arguments.

use crate::documents::text;
use crate::problem::Problem;
use crate::text::Span;
use crate::value::{Data, Member, Str, Value};

/// A declared parameter of a definition or an initiative.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Name as declared. References are case-insensitive.
    pub name: Str,
    /// Type of the values. `None` if the declaration has no valid type.
    pub kind: Option<Kind>,
    /// Default value.
    pub default: Option<Value>,
    /// Allowed values, compared case-sensitively.
    pub allowed: Option<Value>,
    /// Span of the name.
    pub span: Option<Span>,
}

/// Type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `string`: a string of any length.
    String,
    /// `array`: items of any type.
    Array,
    /// `object`: an object with any members.
    Object,
    /// `boolean`: `true` or `false`, also as a string.
    Boolean,
    /// `integer`: a whole number, also as a string, such as `"90"`.
    Integer,
    /// `float`: any number, whole or not, also as a string.
    Float,
    /// `dateTime`: a string that is a date with a time. Its form is not checked.
    DateTime,
}

impl Kind {
    const ALL: [(&'static str, Self); 7] = [
        ("string", Self::String),
        ("array", Self::Array),
        ("object", Self::Object),
        ("boolean", Self::Boolean),
        ("integer", Self::Integer),
        ("float", Self::Float),
        ("dateTime", Self::DateTime),
    ];

    fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, kind)| *kind)
    }

    /// Returns the name in the documentation.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// True if a value has this type. An unknown value may have any.
    fn admits(self, value: &Value) -> bool {
        match (&value.data, self) {
            (Data::Unknown(_), _)
            | (Data::String(_), Self::String | Self::DateTime)
            | (Data::Array(_), Self::Array)
            | (Data::Object(_), Self::Object)
            | (Data::Bool(_), Self::Boolean)
            | (Data::Int(_) | Data::BigInt(_), Self::Integer | Self::Float)
            | (Data::Float(_), Self::Float) => true,
            // Resource Manager converts these, as it does for the parameters of templates.
            (Data::String(text), Self::Boolean) => matches!(text.to_ascii_lowercase().as_str(), "true" | "false"),
            (Data::String(text), Self::Integer) => text.parse::<i64>().is_ok(),
            (Data::String(text), Self::Float) => text.parse::<f64>().is_ok(),
            _ => false,
        }
    }
}

impl Parameter {
    /// Reads the declarations of a definition or an initiative.
    pub(super) fn read_all(properties: &Value, problems: &mut Vec<Problem>) -> Vec<Self> {
        let members = properties.get("parameters").and_then(Value::as_object).into_iter().flatten();
        members.map(|member| Self::read(member, problems)).collect()
    }

    fn read(member: &Member, problems: &mut Vec<Problem>) -> Self {
        let declaration = &member.value;
        let kind = text(declaration, "type");
        let span = member.key_span.or(declaration.span);
        let known = Kind::of_name(&kind);
        if known.is_none() {
            let expected = "expected string, array, object, boolean, integer, float or dateTime";
            problems.push(Problem::new(span, format!("parameter `{}` has the type `{kind}`; {expected}", member.key)));
        }
        let parameter = Self {
            name: member.key.clone(),
            kind: known,
            default: declaration.get("defaultValue").cloned(),
            allowed: declaration.get("allowedValues").filter(|values| values.as_array().is_some()).cloned(),
            span,
        };
        if let Some(default) = &parameter.default
            && let Some(problem) = parameter.refusal(default)
        {
            problems.push(Problem::new(default.span.or(span), format!("the default {problem}")));
        }
        parameter
    }

    /// Returns the reason for which the parameter does not accept a value. An unknown value is always accepted.
    pub fn refusal(&self, value: &Value) -> Option<String> {
        let name = &self.name;
        if let Some(kind) = self.kind.filter(|kind| !kind.admits(value)) {
            let expected = kind.as_str();
            return Some(format!(
                "value of parameter `{name}` is of the type {}; expected {expected}",
                value.kind().as_str()
            ));
        }
        let allowed = self.allowed.as_ref().and_then(Value::as_array)?;
        let is_one = |value: &Value| value.as_unknown().is_some() || allowed.iter().any(|one| one.same(value));
        // For an array, they are what its items may be: built-in definitions allow SKUs in this way.
        let is_allowed = is_one(value) || value.as_array().is_some_and(|items| items.iter().all(is_one));
        (!is_allowed).then(|| format!("value of parameter `{name}` is not among its `allowedValues`"))
    }
}

/// Arguments for parameters, from an assignment or from a reference of an initiative.
#[derive(Clone, Debug, Default)]
pub struct Arguments(pub Vec<Member>);

impl Arguments {
    /// Reads a member `parameters` of the form `{"NAME": {"value": …}}`.
    pub(super) fn read(object: &Value) -> Self {
        let members = object.get("parameters").and_then(Value::as_object).into_iter().flatten();
        let value = |member: &Member| {
            let value = member.value.get("value").cloned().unwrap_or_else(|| member.value.clone());
            Member { value, ..member.clone() }
        };
        Self(members.map(value).collect())
    }

    /// Returns the argument for a parameter.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|member| member.key.eq_ignore_ascii_case(name)).map(|member| &member.value)
    }
}
