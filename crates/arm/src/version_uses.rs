//! Calls that read resources, with the API versions that they name, found without evaluating them.
//!
//! A template is read as it is written, also in branches that no deployment evaluates.

use std::collections::BTreeSet;

use foldhash::HashMap;

use crate::checks::{is_inner_template, resource_type_of};
use crate::eval::place_in_text;
use crate::expr::{self, Expr, ExprKind, Target, TextKind, text_kind};
use crate::model::{join_index, join_key};
use crate::text::Span;
use crate::value::{Data, Str, Traits, Value};

/// Nested templates that are read. Each is in a resource of the one around it.
const MAX_DEPTH: usize = 64;

/// A call that reads a resource: `reference(…)` or `list…(…)`.
#[derive(Clone, Debug)]
pub struct ResourceCall {
    /// Path of the template in the file; empty for the root.
    pub template: String,
    /// The type of the resource. `None` if only an evaluation would tell.
    pub type_name: Option<Str>,
    /// True for `list…()`, whose result no type describes.
    pub is_list: bool,
    pub version: CallVersion,
    /// Names of the properties that are read, from the top of the resource. For `list…()`, from the top of its result.
    pub path: Vec<String>,
    /// The text of the call.
    pub span: Span,
}

/// The API version in a call that reads a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallVersion {
    /// The call has no version.
    None,
    /// A literal, and its text without quotes. `None` if escapes in the text hide where it is.
    Literal(Str, Option<Span>),
    Variable(Str),
    Parameter(Str),
    Computed,
}

/// A name of a variable or a parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedValue {
    /// Path of the template in the file; empty for the root.
    pub template: String,
    pub is_parameter: bool,
    /// The name in lower case.
    pub name: String,
}

/// The calls that read resources in a template and its nested templates, and what else the values are used for.
#[derive(Debug, Default)]
pub struct VersionUses {
    pub calls: Vec<ResourceCall>,
    /// Variables and parameters that are used other than as an API version.
    pub other_uses: BTreeSet<NamedValue>,
}

/// Returns the calls of a template, as it was written.
pub fn version_uses(template: &Value) -> VersionUses {
    let mut finder = UseFinder { uses: VersionUses::default(), scopes: Vec::new() };
    finder.template(template, String::new());
    finder.uses
}

/// Names of the resources of a template.
struct TemplateScope {
    path: String,
    /// Types by symbolic name, and by the text of the name or its expression, without blanks.
    types: HashMap<String, Str>,
}

struct UseFinder {
    uses: VersionUses,
    /// The templates around the current value, outermost first.
    scopes: Vec<TemplateScope>,
}

impl UseFinder {
    fn template(&mut self, template: &Value, path: String) {
        if self.scopes.len() == MAX_DEPTH {
            return;
        }
        let mut types = HashMap::default();
        collect_types(template, None, &mut types);
        self.scopes.push(TemplateScope { path, types });
        for member in template.as_object().into_iter().flatten() {
            if member.key.eq_ignore_ascii_case("resources") {
                self.resources(&member.value, "resources");
            } else {
                self.value(&member.value);
            }
        }
        self.scopes.pop();
    }

    fn resources(&mut self, resources: &Value, path: &str) {
        match &resources.data {
            Data::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.resource(item, &join_index(path, index));
                }
            }
            Data::Object(object) => object.iter().for_each(|one| self.resource(&one.value, &join_key(path, &one.key))),
            _ => {}
        }
    }

    fn resource(&mut self, resource: &Value, path: &str) {
        let Some(object) = resource.as_object() else { return };
        for member in object {
            if member.key.eq_ignore_ascii_case("apiVersion") {
                continue;
            }
            if member.key.eq_ignore_ascii_case("resources") {
                self.resources(&member.value, &format!("{path}.resources"));
                continue;
            }
            let properties = member.value.as_object().filter(|_| member.key.eq_ignore_ascii_case("properties"));
            let Some(properties) = properties else {
                self.value(&member.value);
                continue;
            };
            for inner in properties {
                let is_template = inner.key.eq_ignore_ascii_case("template") && inner.value.as_object().is_some();
                if is_template {
                    let outer = self.scopes.last().map_or("", |scope| scope.path.as_str());
                    let dot = if outer.is_empty() { "" } else { "." };
                    let path = format!("{outer}{dot}{path}.properties.{}", inner.key);
                    let around = if is_inner_template(properties, inner) {
                        std::mem::take(&mut self.scopes)
                    } else {
                        Vec::new()
                    };
                    self.template(&inner.value, path);
                    if !around.is_empty() {
                        self.scopes = around;
                    }
                } else {
                    self.value(&inner.value);
                }
            }
        }
    }

    fn value(&mut self, value: &Value) {
        if !value.traits.has(Traits::DYNAMIC) {
            return;
        }
        match &value.data {
            Data::String(text) if text_kind(text) == TextKind::Expression => self.text(value.span, text),
            Data::Array(items) => items.iter().for_each(|item| self.value(item)),
            Data::Object(object) => object.iter().for_each(|member| self.value(&member.value)),
            _ => {}
        }
    }

    fn text(&mut self, span: Option<Span>, text: &Str) {
        let Ok(expression) = expr::parse(text) else { return };
        // Each with the names that are read of it, innermost first.
        let mut pending: Vec<(&Expr, Vec<String>)> = vec![(&expression, Vec::new())];
        while let Some((expr, mut names)) = pending.pop() {
            match &expr.kind {
                ExprKind::Literal(_) => {}
                ExprKind::Property(base, name) => {
                    names.push(name.to_string());
                    pending.push((base, names));
                }
                ExprKind::Index(base, index) => {
                    match literal(index) {
                        Some(name) => names.push(name.to_string()),
                        // What is read of an item is not followed.
                        None => names.clear(),
                    }
                    pending.push((base, names));
                    pending.push((index, Vec::new()));
                }
                ExprKind::Call(target, arguments) => {
                    names.reverse();
                    let is_version = self.call(expr, (target, arguments), (span, text), names);
                    let others = arguments.iter().enumerate().filter(|(at, _)| !is_version || *at != 1);
                    pending.extend(others.map(|(_, argument)| (argument, Vec::new())));
                }
            }
        }
    }

    /// Notes a call. Returns `true` if its second argument is an API version.
    fn call(
        &mut self,
        expr: &Expr,
        (target, arguments): (&Target, &[Expr]),
        (span, text): (Option<Span>, &Str),
        names: Vec<String>,
    ) -> bool {
        let name = target.name();
        if let Some(used) = named_value(expr) {
            self.note_use(used);
            return false;
        }
        let is_list = name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("list"));
        let Some(first) = arguments.first().filter(|_| name == "reference" || is_list) else { return false };
        let version = arguments.get(1).map_or(CallVersion::None, |version| call_version(version, span, text));
        let is_full = arguments.get(2).and_then(literal).is_some_and(|mode| mode.eq_ignore_ascii_case("full"));
        let properties = (!is_full && !is_list && !names.is_empty()).then(|| "properties".to_owned());
        let path = properties.into_iter().chain(names).collect();
        let Some(place) = place_in_text(span, text, Some((expr.start, expr.end))) else { return true };
        let template = self.scopes.last().map_or_else(String::new, |scope| scope.path.clone());
        let type_name = self.type_of(first, text);
        self.uses.calls.push(ResourceCall { template, type_name, is_list, version, path, span: place });
        true
    }

    fn note_use(&mut self, (is_parameter, name): (bool, &Str)) {
        let name = name.to_ascii_lowercase();
        // A nested template of outer scope uses the values of the one around it.
        for scope in &self.scopes {
            let template = scope.path.clone();
            self.uses.other_uses.insert(NamedValue { template, is_parameter, name: name.clone() });
        }
    }

    /// Returns the type of the resource that an argument names.
    fn type_of(&self, argument: &Expr, text: &str) -> Option<Str> {
        if let Some(name) = resource_type_of(argument) {
            return Some(name);
        }
        let name = match literal(argument) {
            Some(name) => name.to_string(),
            None => text.get(argument.start as usize..argument.end as usize)?.to_owned(),
        };
        let name = key_of(&name);
        self.scopes.iter().rev().find_map(|scope| scope.types.get(&name).cloned())
    }
}

/// Collects the types of the resources of a template by their names.
fn collect_types(template: &Value, parent: Option<&Str>, types: &mut HashMap<String, Str>) {
    let Some(resources) = template.get("resources") else { return };
    let of_array = resources.as_array().into_iter().flatten().map(|resource| (None, resource));
    let of_object = resources.as_object().into_iter().flatten().map(|one| (Some(&one.key), &one.value));
    for (symbol, resource) in of_array.chain(of_object) {
        let Some(own) = resource.get("type").and_then(Value::as_shared_str) else { continue };
        let full = match parent {
            Some(parent) if !own.contains('.') => Str::from(format!("{parent}/{own}")),
            _ => own.clone(),
        };
        if let Some(symbol) = symbol {
            types.insert(key_of(symbol), full.clone());
        }
        if let Some(name) = resource.get("name").and_then(Value::as_str) {
            let inner = match text_kind(name) {
                TextKind::Expression => name.get(1..name.len() - 1).unwrap_or_default(),
                TextKind::Literal | TextKind::Escaped => name,
            };
            types.entry(key_of(inner)).or_insert_with(|| full.clone());
        }
        collect_types(resource, Some(&full), types);
    }
}

fn key_of(name: &str) -> String {
    name.chars().filter(|character| !character.is_whitespace()).map(|one| one.to_ascii_lowercase()).collect()
}

/// Returns the text of a string literal.
fn literal(expr: &Expr) -> Option<&Str> {
    let ExprKind::Literal(value) = &expr.kind else { return None };
    value.as_shared_str()
}

/// Returns the name of the variable or the parameter that an expression is, and `true` for a parameter.
fn named_value(expr: &Expr) -> Option<(bool, &Str)> {
    let ExprKind::Call(Target::Builtin(function), arguments) = &expr.kind else { return None };
    let is_parameter = match function.name {
        "parameters" => true,
        "variables" => false,
        _ => return None,
    };
    Some((is_parameter, literal(arguments.first()?)?))
}

fn call_version(version: &Expr, span: Option<Span>, text: &Str) -> CallVersion {
    if let Some(name) = literal(version) {
        // Without the quotes.
        let place = place_in_text(span, text, Some((version.start + 1, version.end.saturating_sub(1))));
        let is_exact = |place: &Span| (place.end - place.start) as usize == name.len();
        return CallVersion::Literal(name.clone(), place.filter(is_exact));
    }
    match named_value(version) {
        Some((true, name)) => CallVersion::Parameter(name.clone()),
        Some((false, name)) => CallVersion::Variable(name.clone()),
        None => CallVersion::Computed,
    }
}

/// Returns the variable or the parameter whose value a string is, with its path; `None` for any other string.
pub fn named_by(text: &str) -> Option<(bool, String)> {
    if text_kind(text) != TextKind::Expression {
        return None;
    }
    let expression = expr::parse(text).ok()?;
    let (is_parameter, name) = named_value(&expression)?;
    Some((is_parameter, name.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::json;
    use crate::text::Sources;

    fn uses(text: &str) -> (Vec<String>, Vec<String>) {
        let sources = Sources::new();
        let file = sources.add("main.json", text);
        let template = json::parse(file, sources.get(file).text(), 100).value.unwrap();
        let VersionUses { calls, other_uses } = version_uses(&template);
        let shown = |call: ResourceCall| {
            let version = match call.version {
                CallVersion::Literal(name, Some(span)) => {
                    assert_eq!(&text[span.start as usize..span.end as usize], &*name);
                    format!("'{name}'")
                }
                other => format!("{other:?}"),
            };
            let type_name = call.type_name.map_or_else(|| "?".to_owned(), |name| name.to_string());
            format!("{}|{type_name}|{version}|{}", call.template, call.path.join("."))
        };
        let used = other_uses.into_iter().map(|one| format!("{}|{}", one.template, one.name)).collect();
        (calls.into_iter().map(shown).collect(), used)
    }

    #[test]
    fn calls_are_found_with_their_types_versions_and_properties() {
        let (calls, used) = uses(
            r#"{
  "variables": {"a": "2021-01-01", "b": "[concat(variables('c'), 'x')]"},
  "resources": [
    {"type": "Microsoft.Storage/storageAccounts", "apiVersion": "[variables('a')]", "name": "[parameters('store')]"},
    {"type": "Microsoft.Resources/deployments", "apiVersion": "2021-04-01", "name": "inner", "properties": {
      "expressionEvaluationOptions": {"scope": "inner"},
      "template": {"resources": {"web": {"type": "Microsoft.Web/sites", "name": "w"}},
        "outputs": {"o": {"value": "[reference('web').hostNames[0].x]"}}}}}
  ],
  "outputs": {
    "blob": {"value": "[reference(parameters('store')).primaryEndpoints['blob']]"},
    "id": {"value": "[reference(resourceId('Microsoft.Web/sites', 'x'), '2019-08-01', 'full').identity.principalId]"},
    "key": {"value": "[listKeys(resourceId('Microsoft.Storage/storageAccounts', 's'), variables('a')).key1]"},
    "some": {"value": "[tryGet(reference(variables('other')), 'x')]"}
  }
}"#,
        );
        let expected = [
            "resources[1].properties.template|Microsoft.Web/sites|None|properties.hostNames",
            "|Microsoft.Storage/storageAccounts|None|properties.primaryEndpoints.blob",
            "|Microsoft.Web/sites|'2019-08-01'|identity.principalId",
            "|Microsoft.Storage/storageAccounts|Variable(\"a\")|key1",
            "|?|None|",
        ];
        assert_eq!(calls, expected);
        assert_eq!(used, ["|c", "|other", "|store"]);
    }
}
