//! The definition of an API while events add routes to it.

use foldhash::HashMap;

use crate::sam::api::policy::Statements;
use crate::sam::build::{Fields, conditional, empty, get, is_set, object, reference};
use crate::sam::intrinsics::{call, is_no_value};
use crate::text::Span;
use crate::value::{Member, Str, Value};

/// The method that stands for all.
pub(in crate::sam) const ANY: &str = "x-amazon-apigateway-any-method";

/// Member of a method that has its integration.
pub(in crate::sam) const INTEGRATION: &str = "x-amazon-apigateway-integration";

/// The methods that a route may have, as they are in a definition.
const METHODS: [&str; 8] = [ANY, "delete", "get", "head", "options", "patch", "post", "put"];

/// Members of a path that are not methods.
const NOT_METHODS: [&str; 3] = ["summary", "description", "parameters"];

/// A definition in the format of Swagger 2 or `OpenAPI` 3.
#[derive(Clone, Debug)]
pub(in crate::sam) struct Editor {
    /// The members beside the paths.
    pub(in crate::sam) doc: Fields,
    paths: Vec<Member>,
    paths_span: Option<Span>,
    index: HashMap<Str, usize>,
    span: Option<Span>,
    /// The statements of its resource policy.
    pub(super) statements: Statements,
}

/// Format of a new definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sam) enum Format {
    Swagger,
    OpenApi,
}

impl Editor {
    /// Returns a definition without paths.
    pub(in crate::sam) fn new(format: Format, span: Option<Span>) -> Self {
        let mut doc = Fields::default();
        match format {
            Format::Swagger => doc.set("swagger", Value::from("2.0")),
            Format::OpenApi => doc.set("openapi", Value::from("3.0.1")),
        }
        doc.set("info", object([("version", Value::from("1.0")), ("title", reference("AWS::StackName"))]));
        doc.set("paths", empty());
        let (index, statements) = (HashMap::default(), Statements::default());
        Self { doc, paths: Vec::new(), paths_span: span, index, span, statements }
    }

    /// Returns a definition that the author wrote; `None` for something else, such as a call of a macro.
    pub(in crate::sam) fn from_definition(body: &Value) -> Option<Self> {
        get(body, "paths")?.as_object()?;
        let is_version = get(body, "swagger").is_some_and(is_set) || is_open_api_3(get(body, "openapi"));
        if is_version { Self::partial(body) } else { None }
    }

    /// Returns `true` if the definition has the format of `OpenAPI` 3.
    pub(in crate::sam) fn is_open_api(&self) -> bool {
        is_open_api_3(self.doc.get("openapi"))
    }

    pub(in crate::sam) fn paths(&self) -> Vec<Str> {
        self.paths.iter().map(|path| path.key.clone()).collect()
    }

    /// Adds a path and a method, if they are missing. Returns the work for that.
    pub(in crate::sam) fn add_path(&mut self, path: &str, method: &str, span: Option<Span>) -> usize {
        let method = normalized(method);
        let at = *self.index.entry(Str::from(path)).or_insert_with(|| {
            self.paths.push(Member { key: Str::from(path), key_span: span, value: Value { span, ..empty() } });
            self.paths.len() - 1
        });
        let Some(item) = self.paths.get_mut(at) else { return 0 };
        item.value = contents(&item.value, &mut |item| {
            let mut fields = Fields::from_value(item);
            if !fields.has(&method) {
                fields.put(Member {
                    key: Str::from(method.as_str()),
                    key_span: span,
                    value: Value { span, ..empty() },
                });
            }
            Value { span: item.span, ..fields.into_value() }
        });
        item.value.size().weight as usize
    }

    pub(in crate::sam) fn item(&self, path: &str) -> Option<&Value> {
        Some(&self.paths.get(*self.index.get(path)?)?.value)
    }

    /// Returns `true` if a method already has an integration.
    pub(in crate::sam) fn has_integration(&self, path: &str, method: &str) -> bool {
        let method = normalized(method);
        let Some(item) = self.item(path) else { return false };
        branches(item).iter().all(|item| {
            let definition = get(item, &method);
            definition.is_some_and(|definition| branches(definition).iter().any(|branch| has_integration(branch)))
        })
    }

    /// Copies a method from another definition, and keeps the members that only this one has.
    pub(in crate::sam) fn merge(&mut self, other: &Self, path: &str, method: &str) {
        let Some(made) = other.item(path).and_then(|item| get(item, &normalized(method))) else { return };
        if !self.index.contains_key(path) {
            self.index.insert(Str::from(path), self.paths.len());
            self.paths.push(Member {
                key: Str::from(path),
                key_span: made.span,
                value: Value { span: made.span, ..empty() },
            });
        }
        let method = method.to_lowercase();
        self.change_item(path, &mut |fields| {
            let known = fields.get(&method);
            let span = known.and_then(|known| known.span).or(made.span);
            let mut all = known.map(Fields::from_value).unwrap_or_default();
            made.as_object().into_iter().flatten().for_each(|member| all.put(member.clone()));
            fields.set(method.as_str(), Value { span, ..all.into_value() });
        });
    }

    /// Returns a definition that other parts complete: paths are all that it must have.
    pub(super) fn partial(body: &Value) -> Option<Self> {
        let paths_span = get(body, "paths").and_then(|paths| paths.span).or(body.span);
        let paths: Vec<Member> = get(body, "paths").and_then(Value::as_object).into_iter().flatten().cloned().collect();
        let index = paths.iter().enumerate().map(|(at, path)| (path.key.clone(), at)).collect();
        let (doc, span, statements) = (Fields::from_value(body), body.span, Statements::from_definition(body));
        body.as_object().map(|_| Self { doc, paths, paths_span, index, span, statements })
    }

    /// Changes the definition of a method. Under a condition it becomes a choice.
    pub(in crate::sam) fn set_method(
        &mut self,
        path: &str,
        method: &str,
        condition: Option<&str>,
        change: &mut dyn FnMut(&mut Fields),
    ) {
        self.set_exact(path, &normalized(method), condition, change);
    }

    /// Changes the definition of a method whose name is as in the definition.
    fn set_exact(&mut self, path: &str, method: &str, condition: Option<&str>, change: &mut dyn FnMut(&mut Fields)) {
        self.change_item(path, &mut |fields| {
            let Some(definition) = fields.get(method).cloned() else { return };
            let mut definition = contents(&definition, &mut |definition| {
                let mut inner = Fields::from_value(definition);
                change(&mut inner);
                Value { span: definition.span, ..inner.into_value() }
            });
            if let Some(condition) = condition {
                definition = Value { span: definition.span, ..conditional(condition, definition, None) };
            }
            fields.set(method, definition);
        });
    }

    /// Changes the definition of a method that invokes something.
    pub(in crate::sam) fn change_method(&mut self, path: &str, method: &str, change: &mut dyn FnMut(&mut Fields)) {
        self.set_method(path, method, None, &mut |fields| {
            if fields.get(INTEGRATION).is_some_and(is_set) {
                change(fields);
            }
        });
    }

    /// Changes every method of a path that invokes something.
    pub(in crate::sam) fn change_methods(&mut self, path: &str, change: &mut dyn FnMut(&str, &mut Fields)) {
        let methods: Vec<Str> = self.methods(path).into_iter().filter(|name| !NOT_METHODS.contains(&&**name)).collect();
        for method in methods {
            self.set_exact(path, &method, None, &mut |fields| {
                if fields.get(INTEGRATION).is_some_and(is_set) {
                    change(&method, fields);
                }
            });
        }
    }

    /// Returns the names of the methods of a path, in all branches.
    pub(in crate::sam) fn methods(&self, path: &str) -> Vec<Str> {
        let branches = self.item(path).map(branches).unwrap_or_default();
        let mut names: Vec<Str> = Vec::new();
        for member in branches.iter().filter_map(|branch| branch.as_object()).flatten() {
            if !names.contains(&member.key) {
                names.push(member.key.clone());
            }
        }
        names
    }

    /// Changes what a path consists of, in all branches.
    pub(in crate::sam) fn change_item(&mut self, path: &str, change: &mut dyn FnMut(&mut Fields)) {
        let Some(item) = self.index.get(path).and_then(|at| self.paths.get_mut(*at)) else { return };
        item.value = contents(&item.value, &mut |item| {
            let mut fields = Fields::from_value(item);
            change(&mut fields);
            Value { span: item.span, ..fields.into_value() }
        });
    }

    /// Makes a whole path a choice.
    pub(in crate::sam) fn make_conditional(&mut self, path: &str, condition: &str) {
        if let Some(item) = self.index.get(path).and_then(|at| self.paths.get_mut(*at)) {
            let span = item.value.span;
            item.value = Value { span, ..conditional(condition, item.value.clone(), None) };
        }
    }

    /// Gives a path another name.
    pub(in crate::sam) fn rename(&mut self, path: &str, new: &str) {
        if let Some(item) = self.index.get(path).and_then(|at| self.paths.get_mut(*at)) {
            item.key = Str::from(new);
        }
    }

    /// Sets a member of an object in the definition, which is created if needed.
    pub(in crate::sam) fn set_in(&mut self, section: &str, name: &str, value: Value) {
        let mut fields = self.doc.get(section).map(Fields::from_value).unwrap_or_default();
        fields.set(name, value);
        self.doc.set(section, fields.into_value());
    }

    /// Returns the definition with its paths and its resource policy.
    pub(in crate::sam) fn into_value(self) -> Value {
        let Self { mut doc, paths, paths_span, span, statements, .. } = self;
        statements.write(&mut doc);
        doc.set("paths", Value { span: paths_span, ..Value::object(paths) });
        Value { span, ..doc.into_value() }
    }
}

/// Returns `true` if a version is one of `OpenAPI` 3.
pub(in crate::sam) fn is_open_api_3(version: Option<&Value>) -> bool {
    let Some(version) = version else { return false };
    version.as_str().map_or_else(|| version.to_json().starts_with('3'), |version| version.starts_with('3'))
}

/// Returns the name of a method in a definition.
pub(in crate::sam) fn normalized(method: &str) -> String {
    let method = method.to_lowercase();
    if method == "any" { ANY.to_owned() } else { method }
}

/// Returns `true` if `method` is a method that a route may have.
pub(in crate::sam) fn is_method(method: &str) -> bool {
    METHODS.contains(&&*normalized(method))
}

fn has_integration(definition: &Value) -> bool {
    get(definition, INTEGRATION).is_some_and(is_set)
}

/// Returns the values of a choice, or the value itself.
pub(in crate::sam) fn branches(value: &Value) -> Vec<&Value> {
    match call(value).filter(|call| *call.key == *"Fn::If").and_then(|call| call.value.as_array()) {
        Some(parts) => parts.iter().skip(1).filter(|part| !is_no_value(part)).collect(),
        None => vec![value],
    }
}

/// Returns the value with its branches changed.
fn contents(value: &Value, change: &mut dyn FnMut(&Value) -> Value) -> Value {
    let choice = call(value).filter(|call| *call.key == *"Fn::If");
    let Some((choice, parts)) = choice.and_then(|call| Some((call, call.value.as_array()?))) else {
        return change(value);
    };
    let mut changed = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let is_branch = index > 0 && !is_no_value(part);
        changed.push(if is_branch { change(part) } else { part.clone() });
    }
    let parts = Value { span: choice.value.span, ..Value::array(changed) };
    Value { span: value.span, ..Value::object(vec![Member { value: parts, ..choice.clone() }]) }
}
