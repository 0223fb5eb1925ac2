//! Expressions of the template language, and their text.

use std::rc::Rc;

/// An expression of the template language. Cloning one is cheap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Formula {
    Text(Rc<str>),
    Int(i64),
    Call(Rc<Call>),
}

/// A call, and the properties that are read from its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Call {
    pub name: Rc<str>,
    pub arguments: Vec<Formula>,
    pub properties: Vec<Formula>,
}

impl Formula {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn call(name: &str, arguments: Vec<Self>) -> Self {
        Self::Call(Rc::new(Call { name: name.into(), arguments, properties: Vec::new() }))
    }

    /// Returns a call with one string: `name('text')`.
    pub(super) fn named(name: &str, text: &str) -> Self {
        Self::call(name, vec![Self::text(text)])
    }

    pub(super) fn null() -> Self {
        Self::call("null", Vec::new())
    }

    /// Converts the expression to a call: a literal becomes the argument of `int()` or `string()`.
    pub(super) fn into_call(self) -> Rc<Call> {
        let name = match &self {
            Self::Call(call) => return Rc::clone(call),
            Self::Int(_) => "int",
            Self::Text(_) => "string",
        };
        Rc::new(Call { name: name.into(), arguments: vec![self], properties: Vec::new() })
    }

    /// Reads a property of the expression.
    pub(super) fn member(self, property: Self) -> Self {
        let mut call = self.into_call();
        Rc::make_mut(&mut call).properties.push(property);
        Self::Call(call)
    }

    /// Reads the property `name`.
    pub(super) fn dot(self, name: &str) -> Self {
        self.member(Self::text(name))
    }

    /// True for a call of one of `names` from which no property is read.
    pub(super) fn is_bare_call(&self, names: &[&str]) -> bool {
        matches!(self, Self::Call(call) if call.properties.is_empty() && names.contains(&&*call.name))
    }

    /// Appends arguments to a call.
    pub(super) fn with_arguments(self, more: impl IntoIterator<Item = Self>) -> Self {
        let mut call = self.into_call();
        Rc::make_mut(&mut call).arguments.extend(more);
        Self::Call(call)
    }

    /// True if the expression reads the index of a loop of a resource or module.
    pub(super) fn has_copy_index(&self) -> bool {
        match self {
            Self::Call(call) => {
                &*call.name == "copyIndex" || call.arguments.iter().chain(&call.properties).any(Self::has_copy_index)
            }
            _ => false,
        }
    }

    /// Renames every named loop index to `value`.
    pub(super) fn with_copy_name(&self, value: &str) -> Self {
        let Self::Call(call) = self else { return self.clone() };
        if &*call.name == "copyIndex" && matches!(call.arguments.as_slice(), [Self::Text(_)]) {
            return Self::named("copyIndex", value);
        }
        Self::Call(Rc::new(Call {
            name: Rc::clone(&call.name),
            arguments: call.arguments.iter().map(|item| item.with_copy_name(value)).collect(),
            properties: call.properties.iter().map(|item| item.with_copy_name(value)).collect(),
        }))
    }

    /// Returns the string for a template, or `None` if it would exceed `limit` bytes.
    pub(super) fn write(&self, limit: usize) -> Option<String> {
        match self {
            Self::Text(text) if looks_like_formula(text) => Some(format!("[{text}")),
            Self::Text(text) => Some(text.to_string()),
            _ => {
                let mut out = String::from("[");
                self.append(&mut out, limit)?;
                out.push(']');
                Some(out)
            }
        }
    }

    fn append(&self, out: &mut String, limit: usize) -> Option<()> {
        if out.len() > limit {
            return None;
        }
        match self {
            Self::Int(value) => out.push_str(&value.to_string()),
            Self::Text(text) => {
                out.push('\'');
                out.push_str(&text.replace('\'', "''"));
                out.push('\'');
            }
            Self::Call(call) => {
                out.push_str(&call.name);
                out.push('(');
                for (at, argument) in call.arguments.iter().enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    argument.append(out, limit)?;
                }
                out.push(')');
                for property in &call.properties {
                    match property {
                        Self::Text(name) if is_identifier(name) => {
                            out.push('.');
                            out.push_str(name);
                        }
                        _ => {
                            out.push('[');
                            property.append(out, limit)?;
                            out.push(']');
                        }
                    }
                }
            }
        }
        Some(())
    }
}

/// True if Resource Manager would evaluate the string as an expression.
pub(super) fn looks_like_formula(text: &str) -> bool {
    text.starts_with('[') && text.ends_with(']')
}

/// True if the text is an identifier: letters, digits, and underscores, not beginning with a digit.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
