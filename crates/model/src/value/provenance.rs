//! The steps that led to a value.

use std::sync::Arc;

use crate::text::Span;
use crate::value::Str;

/// A kind of step that leads to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The value of a parameter, given by a parameter file, an argument or a parent deployment.
    Parameter(Str),
    /// The default of a parameter.
    Default(Str),
    /// The value of a variable.
    Variable(Str),
    /// An output of a nested deployment.
    Output(Str),
    /// A mapping of a CloudFormation template.
    Mapping(Str),
    /// A property of another resource of the deployment.
    Reference(Str),
    /// The result of a user-defined function.
    Function(Str),
    /// A condition that chose the value, which is not made of what was before it. It has no source text of its own.
    Condition,
    /// An expression that combined several values. It joins their chains, and has no source text of its own.
    Combined,
}

/// How the names of the variables begin that Bicep makes for the content of files, as `loadTextContent()` does.
const LOADED: &str = "$fxv#";

impl Step {
    /// For a label: ``value comes from parameter `sku` ``.
    pub fn describe(&self) -> String {
        match self {
            Self::Parameter(name) => format!("parameter `{name}`"),
            Self::Default(name) => format!("the default of parameter `{name}`"),
            Self::Variable(name) if name.starts_with(LOADED) => "a file that Bicep loads".to_owned(),
            Self::Variable(name) => format!("variable `{name}`"),
            Self::Output(name) => format!("output `{name}`"),
            Self::Mapping(name) => format!("mapping `{name}`"),
            Self::Reference(name) => format!("resource `{name}`"),
            Self::Function(name) => format!("function `{name}`"),
            Self::Condition => "a condition".to_owned(),
            Self::Combined => "several values".to_owned(),
        }
    }
}

/// Where a secret comes from, which findings name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SecretSource {
    /// For messages: ``the secret parameter `password` ``.
    pub what: String,
    /// What it belongs to, such as the ID of a resource, if `what` does not identify it.
    pub owner: String,
    /// The declaration of the secret. `None` for the result of a function.
    pub span: Option<Span>,
    /// Whether the value is only in the same secure object as a secret, and the template that put it there shows it.
    pub is_plain: bool,
}

impl SecretSource {
    /// A secure parameter with this declaration.
    pub fn of_parameter(name: &str, span: Option<Span>) -> Self {
        Self { what: format!("the secret parameter `{name}`"), owner: String::new(), span, is_plain: false }
    }
}

/// A step that led to a value, and the steps before it.
#[derive(Clone, Debug)]
pub struct Via {
    /// The kind of the step.
    pub step: Step,
    /// The source text: the value in a parameter file, a default, the definition of a variable.
    pub span: Option<Span>,
    /// The steps before it. More than one if a function combined several values.
    pub earlier: Box<[Arc<Via>]>,
    /// The source of the secret that the value is or contains. Without the trait
    /// [`SECRET`](crate::value::Traits::SECRET), the value only comes from one, for example an empty one.
    pub secret: Option<Arc<SecretSource>>,
    /// Whether the value passed through a parameter that shows it to everyone who can read the deployment.
    pub is_exposed: bool,
    depth: u32,
}

impl Via {
    /// Chains are cut at this length: a loop could lengthen one without end.
    const MAX_DEPTH: u32 = 32;

    /// A step with the steps before it, as far as the chain may go.
    pub fn new(step: Step, span: Option<Span>, earlier: impl IntoIterator<Item = Arc<Self>>) -> Arc<Self> {
        let mut earlier: Vec<_> = earlier.into_iter().collect();
        // The origin of a secret is known even if the steps to it are cut off.
        let secret = earlier.iter().find_map(|via| via.secret.clone());
        let is_exposed = earlier.iter().any(|via| via.is_exposed);
        earlier.retain(|via| via.depth < Self::MAX_DEPTH);
        let depth = 1 + earlier.iter().map(|via| via.depth).max().unwrap_or(0);
        Arc::new(Self { step, span, earlier: earlier.into(), secret, is_exposed, depth })
    }

    /// The same steps, of a value that has its secret from `secret`.
    #[must_use]
    pub fn with_secret(self: &Arc<Self>, secret: Option<&Arc<SecretSource>>) -> Arc<Self> {
        match secret {
            Some(secret) if self.secret.as_ref() != Some(secret) => {
                Arc::new(Self { secret: Some(Arc::clone(secret)), ..(**self).clone() })
            }
            _ => Arc::clone(self),
        }
    }

    /// The steps to a value that a condition chose, which these led to. The value contains no secret of the condition.
    #[must_use]
    pub fn chosen(self: &Arc<Self>) -> Arc<Self> {
        let chosen = Self::new(Step::Condition, None, [Arc::clone(self)]);
        if chosen.secret.is_none() { chosen } else { Arc::new(Self { secret: None, ..(*chosen).clone() }) }
    }

    /// The same steps, of a value that is visible to everyone who can read the deployment.
    #[must_use]
    pub fn exposed(self: &Arc<Self>) -> Arc<Self> {
        Arc::new(Self { is_exposed: true, ..(**self).clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_of_the_compiler_is_named_for_its_file() {
        assert_eq!(Step::Variable("rules".into()).describe(), "variable `rules`");
        assert_eq!(Step::Variable("$fxv#0".into()).describe(), "a file that Bicep loads");
    }
}
