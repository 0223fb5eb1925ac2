//! The steps that led to a value.

use std::sync::Arc;

use crate::text::Span;
use crate::value::{Data, Str, Traits, Value};

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
    /// An expression that combined several values. It joins their chains, and has no source text of its own.
    Combined,
}

impl Step {
    /// For a label: ``value comes from parameter `sku` ``.
    pub fn describe(&self) -> String {
        match self {
            Self::Parameter(name) => format!("parameter `{name}`"),
            Self::Default(name) => format!("the default of parameter `{name}`"),
            Self::Variable(name) => format!("variable `{name}`"),
            Self::Output(name) => format!("output `{name}`"),
            Self::Mapping(name) => format!("mapping `{name}`"),
            Self::Reference(name) => format!("resource `{name}`"),
            Self::Function(name) => format!("function `{name}`"),
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
    pub earlier: Vec<Arc<Via>>,
    /// The source of the secret that the value is or contains. It says nothing about a value without the trait
    /// [`SECRET`](crate::value::Traits::SECRET).
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
        Arc::new(Self { step, span, earlier, secret, is_exposed, depth })
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

    /// The same steps, of a value that is visible to everyone who can read the deployment.
    #[must_use]
    pub fn exposed(self: &Arc<Self>) -> Arc<Self> {
        Arc::new(Self { is_exposed: true, ..(**self).clone() })
    }
}

impl Value {
    /// The provenance of the secret that it is or contains: its own, or that of the first part with one. `None` if there
    /// is no secret in it, or nothing is known about its source.
    pub fn secret_via(&self) -> Option<&Arc<Via>> {
        self.secret_via_of(false).or_else(|| self.secret_via_of(true))
    }

    fn secret_via_of(&self, is_plain: bool) -> Option<&Arc<Via>> {
        if !self.traits.has(Traits::SECRET) {
            return None;
        }
        let inner = match &self.data {
            Data::Array(items) => items.iter().find_map(|item| item.secret_via_of(is_plain)),
            Data::Object(object) => object.iter().find_map(|member| member.value.secret_via_of(is_plain)),
            Data::Unknown(unknown) => {
                let values = [&unknown.approximation].into_iter().chain(&unknown.choices);
                values.into_iter().find_map(|value| value.secret_via_of(is_plain))
            }
            _ => None,
        };
        // The provenance of a container is less precise than that of the secret in it.
        let has_source = |via: &&Arc<Via>| via.secret.as_ref().is_some_and(|secret| secret.is_plain == is_plain);
        inner.or_else(|| self.via.as_ref().filter(has_source))
    }

    /// The same value with a source for the secret in it, unless its source is known.
    #[must_use]
    pub fn with_secret_source(self, source: Option<&Arc<SecretSource>>) -> Self {
        if source.is_none() || !self.traits.has(Traits::SECRET) {
            return self;
        }
        let via = match &self.via {
            Some(via) if via.secret.is_some() => return self,
            Some(via) => via.with_secret(source),
            None => Via::new(Step::Combined, None, None).with_secret(source),
        };
        self.through(Some(via))
    }
}
