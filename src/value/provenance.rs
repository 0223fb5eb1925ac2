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

/// A step that led to a value, and the steps before it.
#[derive(Debug)]
pub struct Via {
    /// The kind of the step.
    pub step: Step,
    /// The source text: the value in a parameter file, a default, the definition of a variable.
    pub span: Option<Span>,
    /// The steps before it. More than one if a function combined several values.
    pub earlier: Vec<Arc<Via>>,
    depth: u32,
}

impl Via {
    /// Chains are cut at this length: a loop could lengthen one without end.
    const MAX_DEPTH: u32 = 32;

    /// A step with the steps before it, as far as the chain may go.
    pub fn new(step: Step, span: Option<Span>, earlier: impl IntoIterator<Item = Arc<Self>>) -> Arc<Self> {
        let earlier: Vec<_> = earlier.into_iter().filter(|via| via.depth < Self::MAX_DEPTH).collect();
        let depth = 1 + earlier.iter().map(|via| via.depth).max().unwrap_or(0);
        Arc::new(Self { step, span, earlier, depth })
    }
}
