//! Looks up the types and properties in a rule file. A rule about one that does not exist never applies, or always
//! fails.

use arcstr::ArcStr;
use foldhash::HashSet;

use crate::diagnostic::{Code, Diagnostic};
use crate::json::parse::MAX_DEPTH;
use crate::lookup::{ANY_TYPE, Path, Segment};
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
            self.evaluation(evaluation, None, None);
        }
    }

    /// Checks an evaluation. `around` is the scope that its path begins in, and `selected` is that before the `path`
    /// beside the evaluation, if it is a `where`.
    fn evaluation(&mut self, evaluation: &Object, around: Option<&Scope<'_>>, selected: Option<&Scope<'_>>) {
        let mut scope = around.cloned();
        if let Some(value) = evaluation.get("resourceType")
            && let Some(type_name) = value.as_str()
        {
            if type_name == ANY_TYPE {
                return;
            }
            if let Known::NoType(hint) = look_up(type_name, &[], &self.suggestions) {
                self.warn(value, format!("there is no resource type `{type_name}`{hint}"));
                return;
            }
            scope = Some(Scope { type_name, path: Vec::new(), written: String::new() });
        }
        let before = scope.clone();
        if let (Some(scope), Some(value)) = (&mut scope, evaluation.get("path")) {
            if !self.path(scope, value, selected) {
                return;
            }
            self.always(scope, evaluation, value);
        }
        for (name, value) in evaluation.iter().map(|member| (&*member.key, &member.value)) {
            let is_nested = NESTED.iter().any(|nested| nested.eq_ignore_ascii_case(name));
            let inner = value.as_array().unwrap_or(std::slice::from_ref(value));
            for inner in inner.iter().filter(|_| is_nested).filter_map(Value::as_object) {
                let before = before.as_ref().filter(|_| name.eq_ignore_ascii_case("where"));
                self.evaluation(inner, scope.as_ref(), before);
            }
            if let Some(inner) = value.as_object().filter(|_| FREE.iter().any(|free| free.eq_ignore_ascii_case(name))) {
                self.evaluation(inner, None, None);
            }
        }
    }

    /// Warns of a condition that always holds: `[*]` skips members without the property after it.
    fn always(&mut self, scope: &Scope<'_>, evaluation: &Object, path: &Value) {
        let is_required = |name: &str| evaluation.get(name).and_then(Value::as_bool) == Some(true);
        let Some(operator) = ["exists"].into_iter().find(|name| is_required(name)) else { return };
        let is_wildcard = |segment: &Segment| matches!(segment, Segment::Items(_) | Segment::Members);
        let own = Path::parse(path.as_str().unwrap_or_default()).segments;
        let ([.., Segment::Name(name)], true) = (&*own, own.iter().any(is_wildcard)) else { return };
        let message = format!(
            "`{operator}` holds for each member of `{}`: those without `{name}` are skipped; end `path` before `{name}`, and put \
             `{name}` into the `path` of an `evaluate`",
            scope.written
        );
        self.warn(path, message);
    }

    /// Follows a path. Returns `true` if it leads anywhere. `selected` is the scope before the `path` beside a `where`.
    fn path(&mut self, scope: &mut Scope<'_>, value: &Value, selected: Option<&Scope<'_>>) -> bool {
        let text = value.as_str().unwrap_or_default();
        let of_resource = selected.map(|selected| [&*selected.path, &*Path::parse(text).segments].concat());
        scope.path.extend(Path::parse(text).segments);
        scope.written = if scope.written.is_empty() { text.to_owned() } else { format!("{}.{text}", scope.written) };
        let (type_name, parts) = (scope.type_name, parts(&scope.path));
        if let Known::NoProperty(part, hint) = look_up(type_name, &parts, &self.suggestions) {
            let is_there =
                |path: &Vec<Segment>| look_up(type_name, &self::parts(path), &self.suggestions) == Known::Possible;
            let message = if of_resource.as_ref().is_some_and(is_there) {
                format!(
                    "`where` is read below `path`, and no version of `{type_name}` has {part} there; for a condition on \
                         what is selected before `path`, put `path` and the operator into `evaluate`"
                )
            } else {
                format!("no version of `{type_name}` has {part} there{hint}")
            };
            self.warn(value, message);
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
    fn what_never_fails_is_told() {
        check(
            r#"{"resourceType": "Microsoft.Storage/storageAccounts", "path": "properties.networkAcls.ipRules[*].action", "exists": true}"#,
            &[
                "`exists` holds for each member of `properties.networkAcls.ipRules[*].action`: those without `action` are skipped; \
               end `path` before `action`, and put `action` into the `path` of an `evaluate`",
            ],
            &["properties.networkAcls.ipRules[*].action"],
        );
        check(
            r#"{"resourceType": "Microsoft.Storage/storageAccounts", "path": "properties.networkAcls.ipRules[*]",
                "evaluate": {"path": "action", "exists": true}}"#,
            &[],
            &["properties.networkAcls.ipRules[*]", "properties.networkAcls.ipRules[*].action"],
        );
    }

    #[test]
    fn a_condition_is_read_below_the_path() {
        let below = "`where` is read below `path`, and no version of `Microsoft.Storage/storageAccounts` has `kind` there; for a \
                     condition on what is selected before `path`, put `path` and the operator into `evaluate`";
        check(
            r#"{"resourceType": "Microsoft.Storage/storageAccounts", "where": {"path": "kind", "equals": "StorageV2"},
                "path": "properties.networkAcls", "exists": true}"#,
            &[below],
            &["properties.networkAcls"],
        );
    }

    #[test]
    fn paths_of_all_types_are_not_compared() {
        check(r#"{"resourceType": "*", "path": "tags.costCenter", "exists": true}"#, &[], &[]);
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
