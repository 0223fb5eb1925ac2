//! Assumptions of a scenario, and the reasons for the state of a part of a template in it.

use std::rc::Rc;

use foldhash::HashMap;

use crate::outcomes::Outcomes;
use crate::text::Span;
use crate::value::{Kind, Object, Str, Traits, Value};

/// Maximum number of reasons in one finding.
const MAX_NAMED: usize = 3;

/// Values of parameters that were not given, and the comparisons that they decide.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The prefix of the IDs in the stack that it is about; empty for the root.
    pub(crate) prefix: Str,
    /// Conditions whose results do not depend on the values of parameters, in each stack.
    pub(crate) decided: Rc<Decided>,
    /// The values of parameters and pseudo parameters that differ from the given scenario.
    pub(crate) values: Vec<(Str, Value)>,
    /// Results of comparisons whose operands are partly unknown, by the span of the comparison.
    pub(crate) comparisons: HashMap<Span, bool>,
    /// Outcomes of conditions in the given scenario.
    pub(crate) given: Rc<HashMap<Str, Outcomes>>,
}

/// By the prefix of a stack, its conditions that hold, or do not, for all values that parameters may have.
pub(crate) type Decided = HashMap<Str, HashMap<Str, bool>>;

/// A condition or a value that differs from the given scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    /// For a finding: `` `IsProd` ``, or `` `Env` is `prod` ``.
    what: String,
    /// The branches between which a condition decides; `None` for the condition of a resource, and for a value.
    branches: Option<Branches>,
    is_condition: bool,
    /// True if the given values do not decide it, so that a deployment may do so.
    is_open: bool,
}

/// The branches of a call of `Fn::If`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Branches {
    /// The text of both.
    pub(crate) text: Span,
    /// True if the selected branch removes the property.
    pub(crate) is_gone: bool,
}

impl Reason {
    /// Returns a condition that decides about a resource, or between two branches.
    pub(crate) fn condition(name: &str, holds: bool, branches: Option<Branches>, is_open: bool) -> Self {
        let what = if holds { format!("`{name}`") } else { format!("not `{name}`") };
        Self { what, branches, is_condition: true, is_open }
    }

    /// Returns the value of a parameter.
    pub(crate) fn value(name: &str, value: &Value, is_secret: bool, is_open: bool) -> Self {
        let text = value.as_str().filter(|_| !is_secret && !value.traits.has(Traits::SECRET));
        let what = match text {
            Some(text) if value.kind() == Kind::String && value.as_unknown().is_none() => {
                format!("`{name}` is `{text}`")
            }
            _ => format!("`{name}` has another value"),
        };
        Self { what, branches: None, is_condition: false, is_open }
    }
}

/// The difference of a branch from the given scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The conditions or values: ``if `IsProd` and not `IsSmall` ``.
    pub text: String,
    /// True if the given values do not decide between the branches. Otherwise, neither a default nor a parameter file
    /// takes the branch.
    pub is_open: bool,
    /// True if the place is in what the conditions decide, or nothing else differs in the resource. Otherwise, several
    /// differences together may be the cause, and a person may be meant to choose them so that they fit.
    pub is_sole: bool,
}

/// Assumptions of a scenario.
#[derive(Debug, Default)]
pub struct Assumed {
    /// By the ID of each resource, what differs in it.
    resources: HashMap<Str, Vec<Reason>>,
    /// The values that differ.
    values: Vec<Reason>,
    /// The default values of parameters.
    defaults: Vec<Span>,
}

impl Assumed {
    pub(crate) fn new(scenario: &Scenario, is_secret: impl Fn(&str) -> bool, is_open: impl Fn(&str) -> bool) -> Self {
        let value = |(name, value): &(Str, Value)| Reason::value(name, value, is_secret(name), is_open(name));
        let values = scenario.values.iter().map(value).collect();
        Self { resources: HashMap::default(), values, defaults: Vec::new() }
    }

    /// Notes the default values of a stack's parameters.
    pub(crate) fn add_defaults(&mut self, parameters: Option<&Object>) {
        let defaults = parameters.into_iter().flatten().filter_map(|member| member.value.get("Default")?.span);
        self.defaults.extend(defaults);
    }

    /// Returns `true` if the text is the default value of a parameter, or an item of one. Where the given values do not
    /// take a branch, nobody is meant to deploy it with the default values of the parameters that only it uses.
    pub fn is_default(&self, span: Span) -> bool {
        self.defaults.iter().any(|default| default.contains(span))
    }

    /// Notes what differs in a resource, if anything does.
    pub(crate) fn insert(&mut self, resource: &Str, reasons: Vec<Reason>) {
        if !reasons.is_empty() {
            self.resources.insert(resource.clone(), reasons);
        }
    }

    /// Returns the conditions, else the values, under which something at `span` holds that does not hold in the given
    /// scenario. `resource` is the ID of the resource that it is about.
    pub fn difference(&self, resource: Option<&str>, span: Span) -> Option<Difference> {
        let of_resource = resource.and_then(|id| self.resources.get(id)).map_or(&[][..], Vec::as_slice);
        let is_around = |branches: Branches| branches.text.contains(span) || span.contains(branches.text);
        let select = |reasons: &'_ [Reason], is_meant: &dyn Fn(&Reason) -> bool| {
            let reasons: Vec<&Reason> = reasons.iter().filter(|reason| is_meant(reason)).collect();
            (!reasons.is_empty()).then(|| joined(&reasons))
        };
        let around = select(of_resource, &|reason| reason.is_condition && reason.branches.is_none_or(is_around));
        // What lacks a property is reported elsewhere than the branch that removes it.
        let elsewhere = || {
            select(of_resource, &|reason| reason.branches.is_some_and(|branches| branches.is_gone))
                .or_else(|| select(of_resource, &|reason| reason.is_condition))
                .or_else(|| select(of_resource, &|_| true))
                .or_else(|| select(&self.values, &|_| true))
        };
        let is_alone = || {
            let mut texts = of_resource.iter().map(|reason| &reason.what);
            texts.next().is_none_or(|first| texts.all(|text| text == first))
        };
        around.or_else(|| elsewhere().map(|difference| Difference { is_sole: is_alone(), ..difference }))
    }
}

fn joined(reasons: &[&Reason]) -> Difference {
    let mut named: Vec<&str> = Vec::new();
    for reason in reasons {
        if !named.contains(&&*reason.what) {
            named.push(&reason.what);
        }
    }
    let more = named.len().saturating_sub(MAX_NAMED);
    named.truncate(MAX_NAMED);
    let named = named.join(" and ");
    let text = match more {
        0 => format!("if {named}"),
        more => format!("if {named} and {more} more"),
    };
    Difference { text, is_open: reasons.iter().all(|reason| reason.is_open), is_sole: true }
}
