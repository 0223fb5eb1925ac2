//! Looks up in the types of the clouds what a rule file names: a rule about a type or a property that does not exist
//! never applies, or always fails.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic};
use crate::rules::json::parse::MAX_DEPTH;
use crate::rules::lookup::{Path, Segment};
use crate::schema::{Known, PathPart, look_up};
use crate::syntax::json as syntax;
use crate::text::FileId;
use crate::value::{Object, Value};

/// The members of an evaluation that hold evaluations.
const NESTED: [&str; 5] = ["where", "allOf", "anyOf", "not", "evaluate"];

/// The warnings about the rules in a file, which was parsed without an error.
pub(crate) fn lint(file: FileId, text: &Arc<str>) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    let parsed = syntax::parse(file, text, MAX_DEPTH);
    let rules = parsed.value.as_ref().map(|value| value.as_array().unwrap_or(std::slice::from_ref(value)));
    let rules = rules.unwrap_or_default();
    for evaluation in rules.iter().filter_map(|rule| rule.get("evaluation")?.as_object()) {
        Linter { warnings: &mut warnings }.evaluation(evaluation, None);
    }
    warnings
}

/// Where an evaluation looks: a type, and the path from its resources.
#[derive(Clone)]
struct Scope<'a> {
    type_name: &'a str,
    path: Vec<Segment>,
}

struct Linter<'a> {
    warnings: &'a mut Vec<Diagnostic>,
}

impl Linter<'_> {
    fn evaluation(&mut self, evaluation: &Object, around: Option<&Scope<'_>>) {
        let mut scope = around.cloned();
        if let Some(value) = evaluation.get("resourceType")
            && let Some(type_name) = value.as_str()
        {
            if let Known::NoType(hint) = look_up(type_name, &[]) {
                self.warn(value, format!("there is no resource type `{type_name}`{hint}"));
                return;
            }
            scope = Some(Scope { type_name, path: Vec::new() });
        }
        if let (Some(scope), Some(value)) = (&mut scope, evaluation.get("path")) {
            scope.path.extend(Path::parse(value.as_str().unwrap_or_default()).segments);
            if let Known::NoProperty(part, hint) = look_up(scope.type_name, &parts(&scope.path)) {
                let type_name = scope.type_name;
                self.warn(value, format!("no version of `{type_name}` has {part} there{hint}"));
                return;
            }
        }
        for (name, value) in evaluation.iter().map(|member| (&*member.key, &member.value)) {
            let is_nested = NESTED.iter().any(|nested| nested.eq_ignore_ascii_case(name));
            let inner = value.as_array().unwrap_or(std::slice::from_ref(value));
            for inner in inner.iter().filter(|_| is_nested).filter_map(Value::as_object) {
                self.evaluation(inner, scope.as_ref());
            }
        }
    }

    fn warn(&mut self, value: &Value, message: String) {
        if let Some(span) = value.span {
            self.warnings.push(Diagnostic::new(Code::RuleSuspicious, span, message));
        }
    }
}

fn parts(path: &[Segment]) -> Vec<PathPart<'_>> {
    let mut parts = Vec::new();
    for segment in path {
        match segment {
            Segment::Name(name) => parts.push(PathPart::Name(name)),
            Segment::Item(name, _) | Segment::Items(name) => parts.extend([PathPart::Name(name), PathPart::Item]),
            Segment::Members => parts.push(PathPart::Members),
        }
    }
    parts
}
