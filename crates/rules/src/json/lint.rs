//! Looks up the types and properties in a rule file. A rule about one that does not exist never applies, or always
//! fails.

use arcstr::ArcStr;
use foldhash::HashSet;

use crate::diagnostic::{Code, Diagnostic};
use crate::json::parse::MAX_DEPTH;
use crate::lookup::{Path, Segment};
use crate::schema::{Known, PathPart, declared, look_up};
use crate::syntax::json as syntax;
use crate::text::{FileId, Suggestions};
use crate::value::{Object, Value};

/// Members of an evaluation that hold evaluations.
const NESTED: [&str; 6] = ["where", "allOf", "anyOf", "not", "evaluate", "referencedBy"];

/// Operators whose inner paths do not continue the outer path.
const FREE: [&str; 2] = ["descendants", "refersTo"];

/// Returns the warnings about a rule file without errors.
pub fn lint(file: FileId, text: &ArcStr) -> Vec<Diagnostic> {
    let mut linter = Linter::default();
    for rule in rules(file, text) {
        linter.rule(&rule);
    }
    linter.warnings
}

/// Returns the paths in a rule, each with its description in the types.
pub fn declarations(file: FileId, text: &ArcStr, id: &str) -> Vec<(String, String)> {
    let is_it =
        |rule: &Value| rule.get("id").and_then(Value::as_str).is_some_and(|known| known.eq_ignore_ascii_case(id));
    let mut linter = Linter::default();
    if let Some(rule) = rules(file, text).iter().find(|rule| is_it(rule)) {
        linter.rule(rule);
    }
    linter.declarations
}

fn rules(file: FileId, text: &ArcStr) -> Vec<Value> {
    let parsed = syntax::parse(file, text, MAX_DEPTH);
    let rules = parsed.value.as_ref().map(|value| value.as_array().unwrap_or(std::slice::from_ref(value)));
    rules.unwrap_or_default().to_vec()
}

/// Scope of an evaluation: a type, and the path from its resources.
#[derive(Clone)]
struct Scope<'a> {
    type_name: &'a str,
    path: Vec<Segment>,
    /// Path as the rule writes it.
    written: String,
}

#[derive(Default)]
struct Linter {
    warnings: Vec<Diagnostic>,
    declarations: Vec<(String, String)>,
    /// Paths in `declarations`.
    declared: HashSet<String>,
    suggestions: Suggestions,
}

impl Linter {
    fn rule(&mut self, rule: &Value) {
        if let Some(evaluation) = rule.get("evaluation").and_then(Value::as_object) {
            self.evaluation(evaluation, None);
        }
    }

    fn evaluation(&mut self, evaluation: &Object, around: Option<&Scope<'_>>) {
        let mut scope = around.cloned();
        if let Some(value) = evaluation.get("resourceType")
            && let Some(type_name) = value.as_str()
        {
            if let Known::NoType(hint) = look_up(type_name, &[], &self.suggestions) {
                self.warn(value, format!("there is no resource type `{type_name}`{hint}"));
                return;
            }
            scope = Some(Scope { type_name, path: Vec::new(), written: String::new() });
        }
        if let (Some(scope), Some(value)) = (&mut scope, evaluation.get("path"))
            && !self.path(scope, value)
        {
            return;
        }
        for (name, value) in evaluation.iter().map(|member| (&*member.key, &member.value)) {
            let is_nested = NESTED.iter().any(|nested| nested.eq_ignore_ascii_case(name));
            let inner = value.as_array().unwrap_or(std::slice::from_ref(value));
            for inner in inner.iter().filter(|_| is_nested).filter_map(Value::as_object) {
                self.evaluation(inner, scope.as_ref());
            }
            if let Some(inner) = value.as_object().filter(|_| FREE.iter().any(|free| free.eq_ignore_ascii_case(name))) {
                self.evaluation(inner, None);
            }
        }
    }

    /// Follows a path. Returns `true` if it leads anywhere.
    fn path(&mut self, scope: &mut Scope<'_>, value: &Value) -> bool {
        let text = value.as_str().unwrap_or_default();
        scope.path.extend(Path::parse(text).segments);
        scope.written = if scope.written.is_empty() { text.to_owned() } else { format!("{}.{text}", scope.written) };
        let (type_name, parts) = (scope.type_name, parts(&scope.path));
        if let Known::NoProperty(part, hint) = look_up(type_name, &parts, &self.suggestions) {
            self.warn(value, format!("no version of `{type_name}` has {part} there{hint}"));
            return false;
        }
        if let Some(declared) = declared(type_name, None, &parts)
            && self.declared.insert(scope.written.clone())
        {
            self.declarations.push((scope.written.clone(), declared));
        }
        true
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

#[cfg(test)]
#[cfg(feature = "types")]
mod tests {
    use super::*;
    use crate::text::Sources;

    /// Compares the warnings about a rule, and the descriptions of its paths.
    #[track_caller]
    fn check(evaluation: &str, warnings: &[&str], described: &[&str]) {
        let text: ArcStr = format!(r#"[{{"id": "X-1"}}, {{"id": "X-2", "evaluation": {evaluation}}}]"#).into();
        let file = Sources::new().add("rules.json", text.clone());
        let found = lint(file, &text);
        assert_eq!(found.iter().map(|warning| warning.message.as_str()).collect::<Vec<_>>(), warnings, "{evaluation}");
        let found = declarations(file, &text, "x-2");
        assert_eq!(found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), described, "{evaluation}");
        assert!(declarations(file, &text, "X-1").is_empty());
    }

    #[test]
    fn what_the_types_do_not_have_is_told_once() {
        check(
            r#"{"resourceType": "AWS::S3::Buckett", "path": "Properties.Nothing", "exists": true}"#,
            &["there is no resource type `AWS::S3::Buckett`, did you mean `AWS::S3::Bucket`?"],
            &[],
        );
        let tire =
            "no version of `Microsoft.Storage/storageAccounts` has `accessTire` there, did you mean `accessTier`?";
        check(
            r#"{"resourceType": "Microsoft.Storage/storageAccounts", "path": "properties.accessTire", "allOf": [
                {"path": "nothing", "exists": true}]}"#,
            &[tire],
            &[],
        );
        check(
            r#"{"resourceType": "Microsoft.Storage/storageAccounts", "anyOf": [
                {"path": "properties.accessTier", "equals": "Hot"}, {"path": "properties.accessTire", "equals": "Hot"}]}"#,
            &[tire],
            &["properties.accessTier"],
        );
    }

    #[test]
    fn paths_begin_where_the_evaluation_around_them_ends() {
        check(
            r#"{"resourceType": "Microsoft.Storage/storageAccounts", "path": "properties", "allOf": [
                {"path": "networkAcls.ipRules[*]", "where": {"path": "value", "exists": true}, "evaluate": {"path": "action", "exists": true}},
                {"path": "networkAcls", "not": {"path": "defaultAction", "equals": "Allow"}},
                {"path": "networkAcls", "exists": true}]}"#,
            &[],
            &[
                "properties",
                "properties.networkAcls.ipRules[*]",
                "properties.networkAcls.ipRules[*].value",
                "properties.networkAcls.ipRules[*].action",
                "properties.networkAcls",
                "properties.networkAcls.defaultAction",
            ],
        );
        check(
            r#"{"resourceType": "Microsoft.Storage/storageAccounts", "path": "properties", "descendants": {"path": "x", "exists": true}}"#,
            &[],
            &["properties"],
        );
    }
}
