//! The steps that result in a value.

use std::sync::Arc;

use crate::secret_names;
use crate::text::Span;
use crate::value::Str;

/// A kind of step that results in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The value of a parameter, from a parameter file, an argument, or a parent deployment.
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
    /// A condition that chose the value, but did not compute it. It has no source text of its own.
    Condition,
    /// An expression that combined several values. It joins their chains, and has no source text of its own.
    Combined,
}

/// Start of the names of variables that Bicep creates for the content of files, as `loadTextContent()` does.
const LOADED: &str = "$fxv#";

impl Step {
    /// Returns a description for a label: ``value comes from parameter `sku` ``.
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

/// The origin of a secret, for messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SecretSource {
    /// The secret in messages: ``the secret parameter `password` ``.
    pub what: String,
    /// The owner of the secret, such as the ID of a resource, if `what` does not identify it.
    pub owner: String,
    /// The declaration of the secret. `None` for the result of a function.
    pub span: Option<Span>,
    /// True if the value is only in the same secure object as a secret, and the template shows it elsewhere.
    pub is_plain: bool,
    /// True if the name of the parameter says that the value only identifies something, such as the ID of an identity.
    pub is_identifier: bool,
}

impl SecretSource {
    /// Creates the source of a secure parameter with this declaration.
    pub fn of_parameter(name: &str, span: Option<Span>) -> Self {
        Self {
            what: format!("the secret parameter `{name}`"),
            span,
            is_identifier: secret_names::is_identifier(name),
            ..Self::default()
        }
    }
}

/// A step that resulted in a value, and the steps before it.
#[derive(Clone, Debug)]
pub struct Via {
    /// The kind of the step.
    pub step: Step,
    /// The source text: the value in a parameter file, a default, or the definition of a variable.
    pub span: Option<Span>,
    /// The previous steps. There are several if a function combined several values.
    pub earlier: Box<[Arc<Via>]>,
    /// The source of a secret in the value. Without the trait [`SECRET`](crate::value::Traits::SECRET), the value is
    /// only derived from a secret, for example an empty one.
    pub secret: Option<Arc<SecretSource>>,
    /// True if the value passed through a parameter that is visible to all readers of the deployment.
    pub is_exposed: bool,
    depth: u32,
}

impl Via {
    /// Maximum length of chains. A loop could extend one without end.
    const MAX_DEPTH: u32 = 32;

    /// Creates a step with the previous steps, up to the maximum length of the chain.
    pub fn new(step: Step, span: Option<Span>, earlier: impl IntoIterator<Item = Arc<Self>>) -> Arc<Self> {
        let mut earlier: Vec<_> = earlier.into_iter().collect();
        // The source of a secret is kept even if the steps to it are removed.
        let secret = earlier.iter().find_map(|via| via.secret.clone());
        let is_exposed = earlier.iter().any(|via| via.is_exposed);
        earlier.retain(|via| via.depth < Self::MAX_DEPTH);
        let depth = 1 + earlier.iter().map(|via| via.depth).max().unwrap_or(0);
        Arc::new(Self { step, span, earlier: earlier.into(), secret, is_exposed, depth })
    }

    /// Returns the same steps with the source of a secret.
    #[must_use]
    pub fn with_secret(self: &Arc<Self>, secret: Option<&Arc<SecretSource>>) -> Arc<Self> {
        match secret {
            Some(secret) if self.secret.as_ref() != Some(secret) => {
                Arc::new(Self { secret: Some(Arc::clone(secret)), ..(**self).clone() })
            }
            _ => Arc::clone(self),
        }
    }

    /// Returns the steps of a value that a condition chose. The value contains no secret of the condition.
    #[must_use]
    pub fn chosen(self: &Arc<Self>) -> Arc<Self> {
        let chosen = Self::new(Step::Condition, None, [Arc::clone(self)]);
        if chosen.secret.is_none() { chosen } else { Arc::new(Self { secret: None, ..(*chosen).clone() }) }
    }

    /// Returns the same steps for a value that is visible to all readers of the deployment.
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
