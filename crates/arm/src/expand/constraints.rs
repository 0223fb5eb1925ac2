//! Validates the values of parameters and outputs against their declarations, and evaluates assertions. Resource
//! Manager rejects a deployment that violates any of them.

use std::sync::Arc;

use formwork_model::declare_checks;

use crate::diagnostic::common_checks::PARAMETER_CONSTRAINT;
use crate::diagnostic::{Check, Label, Outcome, Severity};
use crate::eval::{Evaluator, Supplied};
use crate::expand::Expander;
use crate::expand::registry::Node;
use crate::functions::article;
use crate::model::Issue;
use crate::model::join_key;
use crate::text::Span;
use crate::types::{self, Noun, Subject, Types, Violation};
use crate::value::{Data, Member, Step, Value, Via};

declare_checks! {
    pub(crate) const CHECKS;

    pub(crate) OUTPUT_CONSTRAINT = Deployment High "output/constraint" "Deployment.OutputConstraint"
        "An output value should meet the constraints of its output"
        "A deployment fails in its last step if an output does not match its declared type."
        "Change the expression so that its value matches the declaration, or relax the declaration."
        .refused()
        .azure("templates/outputs");
    pub(crate) ASSERTION = Template High "template/assert" "Deployment.Assertion"
        "The assertions of a template should be true"
        "The author of the template requires every deployment to satisfy its assertions."
        "Change the values that the assertion tests, or change the assertion."
        .refused();
}

/// Maximum number of steps of a value's provenance that become labels.
const MAX_STEPS: usize = 8;

impl Expander<'_> {
    /// Validates the parameters and outputs of a deployment against their types, and evaluates its assertions. Its
    /// resources must have been processed.
    pub(super) fn check_constraints(&self, node: &Node) {
        let evaluator = self.evaluator(node);
        // A nested template with outer scope shares the parameters of its parent, which are validated there.
        if !self.is_outer(node) {
            for supplied in node.level.parameters.supplied() {
                self.check_parameter(node, &evaluator, &supplied);
            }
        }
        // Its outputs, however, are declared by the nested template itself, with types of that template.
        let types = self.world.types(&node.template);
        let declared = node.template.get("outputs").and_then(Value::as_object);
        for member in declared.into_iter().flatten() {
            self.check_output(node, &evaluator, &types, member);
        }
        let asserts = node.template.get("asserts").and_then(Value::as_object);
        for member in asserts.into_iter().flatten() {
            self.check_assertion(node, &evaluator, member);
        }
    }

    fn check_parameter(&self, node: &Node, evaluator: &Evaluator<'_>, supplied: &Supplied<'_>) {
        if !supplied.has_value() {
            return;
        }
        let Ok(evaluated) = evaluator.parameter(supplied.name) else { return };
        // Evaluation accepts the string `"1"` for an integer parameter; Resource Manager's validation does not.
        let value = supplied.text().unwrap_or(&evaluated);
        let subject = Subject { noun: Noun::Parameter, name: supplied.name };
        let types = &node.level.types;
        let violations = types::validate(evaluator, types, subject, supplied.declaration, value);
        let path = join_key(&node.path, "parameters");
        let section = Section { check: PARAMETER_CONSTRAINT, path, is_guarded: node.is_guarded };
        self.raise(&section, supplied.declaration, value, violations);
    }

    fn check_output(&self, node: &Node, evaluator: &Evaluator<'_>, types: &Types, declared: &Member) {
        let outputs = node.outputs.borrow();
        let output = outputs.as_ref().and_then(|outputs| outputs.get(&declared.key));
        let Some(value) = output.and_then(|output| output.get("value")) else { return };
        let subject = Subject { noun: Noun::Output, name: &declared.key };
        let violations = types::validate(evaluator, types, subject, &declared.value, value);
        let path = join_key(&node.path, "outputs");
        let section = Section { check: OUTPUT_CONSTRAINT, path, is_guarded: node.is_guarded };
        self.raise(&section, &declared.value, value, violations);
    }

    fn raise(&self, section: &Section, declaration: &Value, value: &Value, violations: Vec<Violation>) {
        for violation in violations {
            if let Some(issue) = section.issue(declaration, value, violation) {
                self.world.issue(issue);
            }
        }
    }

    fn check_assertion(&self, node: &Node, evaluator: &Evaluator<'_>, declared: &Member) {
        let value = evaluator.expand(&declared.value, &node.frames);
        let Some(span) = value.span.or(declared.key_span) else { return };
        let name = &declared.key;
        let path = join_key(&join_key(&node.path, "asserts"), name);
        let issue = |message: String| Issue::new(ASSERTION, path.as_str(), span, message);
        match &value.data {
            Data::Bool(true) => {}
            Data::Bool(false) => self.world.issue(issue(format!("assertion `{name}` does not hold"))),
            Data::Unknown(unknown) => {
                let why = &unknown.why;
                let message = format!("cannot evaluate assertion `{name}` before the deployment, because {why}");
                self.world.issue(issue(message).unknown());
            }
            _ => {
                let found = article(value.kind());
                evaluator.report_shape(&declared.value, format!("assertion `{name}` must be a Boolean, found {found}"));
            }
        }
    }
}

/// The section of a template whose members are validated.
struct Section {
    check: Check,
    /// The path of `parameters` or `outputs` in the document.
    path: String,
    /// True if the template may never be deployed. Then a condition may prevent a default that violates its type: a
    /// user who deploys the template sets another value.
    is_guarded: bool,
}

/// True if a value comes from the default value of a parameter.
fn is_default(via: &Arc<Via>) -> bool {
    let mut waiting: Vec<&Arc<Via>> = vec![via];
    for _ in 0..MAX_STEPS {
        let Some(via) = waiting.pop() else { return false };
        if matches!(via.step, Step::Default(_)) {
            return true;
        }
        waiting.extend(via.earlier.iter().take(MAX_STEPS));
    }
    // Where a value comes from that far is not known.
    true
}

impl Section {
    /// Builds the issue of a violation. Its span is the offending part if that is inside the text of the whole value.
    /// Otherwise the span is the whole value, the expression that fetched the part from elsewhere, and a label shows
    /// the part. `None` if neither the value nor its declaration has a span.
    fn issue(&self, declaration: &Value, value: &Value, violation: Violation) -> Option<Issue> {
        let whole = value.span.or(declaration.span)?;
        let part = violation.span.filter(|&part| part != whole);
        let (span, elsewhere) = match part {
            Some(part) if whole.contains(part) => (part, None),
            _ => (whole, part),
        };
        let separator = if violation.path.starts_with('[') { "" } else { "." };
        let path = format!("{}{separator}{}", self.path, violation.path);
        let mut issue = Issue::new(self.check, path, span, violation.message);
        let chains = [violation.via.as_ref(), value.via.as_ref()];
        let history = history(chains.into_iter().flatten(), span, elsewhere);
        if let Some(constraint) = violation.constraint {
            issue = issue.with_label(constraint, format!("`{}` is declared here", violation.keyword));
        }
        issue.related.extend(history);
        if let Some(value) = &violation.value {
            issue = issue.with_value(value);
        }
        let of_default = [&violation.via, &value.via].into_iter().flatten().any(is_default);
        // A deployment gives a value to a parameter that is empty by default.
        if violation.value.as_ref().is_some_and(|value| value.as_str() == Some("")) && of_default {
            issue.severity = Some(Severity::Low);
        }
        let is_unknown = violation.outcome == Outcome::Unknown || (self.is_guarded && of_default);
        Some(if is_unknown { issue.unknown() } else { issue })
    }
}

/// Returns labels for the path of a value to `span`, nearest step first. `elsewhere` is the span of the literal if that
/// is not part of `span`.
fn history<'a>(chains: impl Iterator<Item = &'a Arc<Via>>, span: Span, elsewhere: Option<Span>) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    // A stack with the nearest step on top, hence the reversals.
    let mut steps: Vec<&Arc<Via>> = chains.collect();
    steps.reverse();
    for _ in 0..MAX_STEPS {
        let Some(via) = steps.pop() else { break };
        steps.extend(via.earlier.iter().take(MAX_STEPS).rev());
        let Some(origin) = via.span.filter(|&origin| !origin.contains(span)) else { continue };
        let label = Label::origin(origin, via.step.describe());
        if labels.iter().all(|known| (known.role, &known.message) != (label.role, &label.message)) {
            labels.push(label);
        }
    }
    if let Some(written) = elsewhere {
        // A label that already covers the literal is narrowed to it instead of being repeated.
        match labels.iter_mut().find(|label| label.span.contains(written)) {
            Some(label) => label.span = written,
            None => labels.insert(0, Label::new(written, "value is written here")),
        }
    }
    labels
}
