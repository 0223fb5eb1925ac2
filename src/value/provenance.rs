//! How a value came to stand where it stands.

use std::sync::Arc;

use crate::text::Span;
use crate::value::Str;

/// What kind of step led to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The value of a parameter, given by a parameter file, an argument or a parent deployment.
    Parameter(Str),
    /// The default of a parameter.
    Default(Str),
    /// A variable.
    Variable(Str),
    /// An output of a nested deployment.
    Output(Str),
    /// A mapping of a CloudFormation template.
    Mapping(Str),
    /// A property of another resource of the deployment.
    Reference(Str),
    /// The result of a user-defined function.
    Function(Str),
    /// An expression that combined several values: a knot in the chain without a place of its own.
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

/// One step of the chain behind a value, and the steps behind that.
#[derive(Debug)]
pub struct Via {
    /// What led here.
    pub step: Step,
    /// The text that it stands in: the value in a parameter file, a default, the definition of a variable.
    pub span: Option<Span>,
    /// What is behind it. More than one where a function combined several.
    pub behind: Vec<Arc<Via>>,
    depth: u32,
}

impl Via {
    /// Chains are cut at this length: a loop may lengthen one without end, and nobody reads that far.
    const MAX_DEPTH: u32 = 32;

    /// A step with what is behind it.
    pub fn new(step: Step, span: Option<Span>, behind: impl IntoIterator<Item = Arc<Self>>) -> Arc<Self> {
        let behind: Vec<_> = behind.into_iter().filter(|via| via.depth < Self::MAX_DEPTH).collect();
        let depth = 1 + behind.iter().map(|via| via.depth).max().unwrap_or(0);
        Arc::new(Self { step, span, behind, depth })
    }
}
