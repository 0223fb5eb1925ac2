//! Definitions of state machines.
//!
//! Reference: <https://states-language.net/spec.html>, and
//! <https://docs.aws.amazon.com/step-functions/latest/dg/concepts-amazon-states-language.html>.

use arcstr::ArcStr;
use foldhash::HashSet;

use crate::loops::{Declaration, is_computed};
use crate::model::{join_index, join_key};
use crate::schema::checks::SERVICE_VALUE;
use crate::stack::Stack;
use crate::structure::policies::written_text;
use crate::structure::{MAX_SHOWN, call, is_macro, kind};
use crate::syntax::json;
use crate::text::{Span, cut};
use crate::value::{Object, Value};

/// Types of resources with a definition.
const TYPES: [&str; 2] = ["AWS::Serverless::StateMachine", "AWS::StepFunctions::StateMachine"];

/// The types of states.
const STATES: [&str; 8] = ["Choice", "Fail", "Map", "Parallel", "Pass", "Succeed", "Task", "Wait"];

/// Members of which a state of type `Wait` has one.
const OF_WAIT: [&str; 4] = ["Seconds", "SecondsPath", "Timestamp", "TimestampPath"];

/// Maximum length of the name of a state.
const MAX_NAME: usize = 80;

/// Maximum nesting of a definition in a string.
const MAX_DEPTH: u32 = 100;

pub(super) fn check_state_machines(stack: &Stack<'_>) {
    for Declaration { member, path, .. } in stack.declarations("Resources") {
        let Some(resource) = member.value.as_object() else { continue };
        let type_name = resource.get_exact("Type").and_then(Value::as_str);
        if !type_name.is_some_and(|name| TYPES.contains(&name)) {
            continue;
        }
        let Some(properties) = resource.get_exact("Properties").and_then(Value::as_object) else { continue };
        let path = join_key(&path, "Properties");
        if let Some(definition) = properties.get_exact("Definition").filter(|value| !is_open(value)) {
            let machine = Machine { stack, text: None };
            machine.scope(definition, &join_key(&path, "Definition"));
        }
        if let Some(definition) = properties.get_exact("DefinitionString") {
            check_text(stack, definition, &join_key(&path, "DefinitionString"));
        }
    }
}

/// Checks a definition that is a string in JSON.
fn check_text(stack: &Stack<'_>, definition: &Value, path: &str) {
    let Some(text) = written_text(definition).filter(|text| stack.world.spend(text.len(), definition.span)) else {
        return;
    };
    let known = without_names(&text);
    // What is read from elsewhere has no text here.
    if !known.trim_start().starts_with('{') {
        return;
    }
    match json::parse_computed(&ArcStr::from(known.as_str()), MAX_DEPTH) {
        Ok(value) => Machine { stack, text: definition.span }.scope(&value, path),
        Err(problem) => {
            let message = format!("the definition is not JSON: {}", cut(&problem, MAX_SHOWN));
            stack.breach(SERVICE_VALUE, path.to_owned(), message, definition.span);
        }
    }
}

/// Replaces each `${Name}` that is outside of a string by `null`, since its value may be of any kind.
fn without_names(text: &str) -> String {
    let mut known = String::with_capacity(text.len());
    let mut is_in_string = false;
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\\', '$']) {
        let (before, found) = rest.split_at(at);
        known.push_str(before);
        if !is_in_string && let Some((_, after)) = found.strip_prefix("${").and_then(|found| found.split_once('}')) {
            known.push_str("null");
            rest = after;
            continue;
        }
        let mut chars = found.chars();
        let sign = chars.next();
        known.extend(sign);
        if sign == Some('"') {
            is_in_string = !is_in_string;
        } else if sign == Some('\\') {
            known.extend(chars.next());
        }
        rest = chars.as_str();
    }
    known.push_str(rest);
    known
}

/// Returns `true` if a value is computed, or a macro may change it.
fn is_open(value: &Value) -> bool {
    call(value).is_some()
        || value.as_unknown().is_some()
        || value.as_object().is_some_and(|object| object.iter().any(is_macro))
}

/// A definition, as an object or in a string.
struct Machine<'s, 'a> {
    stack: &'s Stack<'a>,
    /// Text of the whole definition, if it is a string.
    text: Option<Span>,
}

impl Machine<'_, '_> {
    fn refuse(&self, value: &Value, path: &str, message: String) {
        self.stack.breach(SERVICE_VALUE, path.to_owned(), message, self.text.or(value.span));
    }

    /// Returns the path of a member. All findings in a string are at the string.
    fn below(&self, path: &str, key: &str) -> String {
        if self.text.is_some() { path.to_owned() } else { join_key(path, key) }
    }

    /// Checks a definition, or a part of one with states of its own.
    fn scope(&self, value: &Value, path: &str) {
        let Some(object) = value.as_object() else {
            return self.refuse(
                value,
                path,
                format!("a definition of states must be an object, found {}", kind(value)),
            );
        };
        let Some(states) = object.get_exact("States").filter(|states| !is_open(states)) else {
            if object.get_exact("States").is_none() && !object.iter().any(|member| member.key.starts_with("Fn::")) {
                self.refuse(value, path, "the definition lacks `States`".to_owned());
            }
            return;
        };
        let path_of_states = self.below(path, "States");
        let Some(states) = states.as_object().filter(|states| !states.is_empty()) else {
            return self.refuse(states, &path_of_states, "`States` must be an object with a state".to_owned());
        };
        let mut reached: HashSet<&str> = HashSet::default();
        match object.get_exact("StartAt") {
            None => self.refuse(value, path, "the definition lacks `StartAt`".to_owned()),
            Some(start) => {
                self.target(states, start, ("StartAt", &self.below(path, "StartAt")), &mut reached);
            }
        }
        let mut is_known = true;
        for member in states.iter().filter(|member| !is_macro(member)) {
            let path = self.below(&path_of_states, &member.key);
            if member.key.chars().count() > MAX_NAME {
                let message = format!("the name of a state has more than {MAX_NAME} characters");
                self.refuse(&member.value, &path, message);
            }
            if is_open(&member.value) || is_computed(&member.key) {
                is_known = false;
                continue;
            }
            if let Some(state) = member.value.as_object() {
                self.state(states, (&member.key, &member.value, state), &path, &mut reached);
            } else {
                let message = format!("state `{}` must be an object, found {}", member.key, kind(&member.value));
                self.refuse(&member.value, &path, message);
            }
        }
        let is_complete = is_known && !reached.contains("");
        for member in states.iter().filter(|member| is_complete && !reached.contains(&*member.key)) {
            let path = self.below(&path_of_states, &member.key);
            self.refuse(&member.value, &path, format!("no state leads to the state `{}`", member.key));
        }
    }

    /// Checks the name of a state, and notes it. An empty name is noted for one that is not known.
    fn target<'v>(
        &self,
        states: &'v Object,
        value: &'v Value,
        (name, path): (&str, &str),
        reached: &mut HashSet<&'v str>,
    ) {
        let Some(text) = value.as_str().filter(|text| !is_computed(text)) else {
            reached.insert("");
            if !is_open(value) && value.as_str().is_none() && !value.is_null() {
                self.refuse(value, path, format!("`{name}` must be the name of a state, found {}", kind(value)));
            }
            return;
        };
        reached.insert(text);
        if states.get_exact(text).is_none() && !states.iter().any(|member| is_computed(&member.key) || is_macro(member))
        {
            let names = states.iter().map(|member| &*member.key);
            let hint = self.stack.world.suggestions.did_you_mean(text, names);
            self.refuse(
                value,
                path,
                format!("`{name}` is `{}`, and there is no such state{hint}", cut(text, MAX_SHOWN)),
            );
        }
    }

    fn state<'v>(
        &self,
        states: &'v Object,
        (name, value, state): (&str, &Value, &'v Object),
        path: &str,
        reached: &mut HashSet<&'v str>,
    ) {
        let Some(written) = state.get_exact("Type") else {
            if !state.iter().any(|member| member.key.starts_with("Fn::")) {
                self.refuse(value, path, format!("state `{name}` lacks `Type`"));
            }
            return;
        };
        for (key, next) in ["Next", "Default"].into_iter().filter_map(|key| Some((key, state.get_exact(key)?))) {
            self.target(states, next, (key, &self.below(path, key)), reached);
        }
        for list in ["Choices", "Catch"] {
            for (at, item) in state.get_exact(list).and_then(Value::as_array).into_iter().flatten().enumerate() {
                if let Some(next) = item.as_object().and_then(|item| item.get_exact("Next")) {
                    let path = self.below(path, list);
                    let path = if self.text.is_some() { path } else { join_key(&join_index(&path, at), "Next") };
                    self.target(states, next, ("Next", &path), reached);
                } else if is_open(item) {
                    reached.insert("");
                }
            }
        }
        let Some(type_name) = written.as_str() else {
            reached.insert("");
            return;
        };
        if !STATES.contains(&type_name) {
            let hint = self.stack.world.suggestions.did_you_mean(type_name, STATES);
            let message = format!("there is no type `{}` of states{hint}", cut(type_name, MAX_SHOWN));
            return self.refuse(written, &self.below(path, "Type"), message);
        }
        self.ends(type_name, (name, value, state), path);
        self.errors(state, path);
        self.members(type_name, (name, value, state), path);
    }

    /// Checks that a state leads to another one, or ends the machine.
    fn ends(&self, type_name: &str, (name, value, state): (&str, &Value, &Object), path: &str) {
        let has = |key: &str| state.get_exact(key).is_some_and(|value| value.as_bool() != Some(false));
        match type_name {
            "Succeed" | "Fail" => {
                for key in ["Next", "End"].into_iter().filter(|key| has(key)) {
                    let message = format!("state `{name}` of type `{type_name}` cannot have `{key}`");
                    self.refuse(value, &self.below(path, key), message);
                }
            }
            "Choice" => {
                if has("End") || has("Next") {
                    self.refuse(value, path, format!("state `{name}` of type `Choice` has its `Next` in `Choices`"));
                }
            }
            _ => match (has("Next"), has("End")) {
                (false, false) => self.refuse(value, path, format!("state `{name}` needs `Next`, or `End: true`")),
                (true, true) => self.refuse(value, path, format!("state `{name}` cannot have `Next` and `End`")),
                _ => {}
            },
        }
    }

    /// Checks that `Retry` and `Catch` are lists, and that each of their items has a list of errors.
    fn errors(&self, state: &Object, path: &str) {
        for key in ["Retry", "Catch"] {
            let Some(list) = state.get_exact(key).filter(|list| !is_open(list)) else { continue };
            let path = self.below(path, key);
            let Some(items) = list.as_array() else {
                self.refuse(list, &path, format!("`{key}` must be a list, found {}", kind(list)));
                continue;
            };
            for (at, item) in items.iter().enumerate().filter(|(_, item)| !is_open(item)) {
                let path = if self.text.is_some() { path.clone() } else { join_index(&path, at) };
                let errors = item.as_object().and_then(|item| item.get_exact("ErrorEquals"));
                match errors.filter(|errors| !is_open(errors)) {
                    Some(errors) if errors.as_array().is_none() && !errors.is_null() => {
                        let message =
                            format!("`ErrorEquals` must be a list of names of errors, found {}", kind(errors));
                        self.refuse(errors, &self.below(&path, "ErrorEquals"), message);
                    }
                    None if errors.is_none() => {
                        self.refuse(item, &path, format!("an item of `{key}` needs `ErrorEquals`"));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Checks the members that a state of a type needs.
    fn members(&self, type_name: &str, (name, value, state): (&str, &Value, &Object), path: &str) {
        let lacks = |keys: &[&str]| keys.iter().all(|key| state.get_exact(key).is_none());
        let needs = |keys: &str| format!("state `{name}` of type `{type_name}` needs {keys}");
        match type_name {
            "Task" if lacks(&["Resource"]) => self.refuse(value, path, needs("`Resource`")),
            "Choice" if lacks(&["Choices"]) => self.refuse(value, path, needs("`Choices`")),
            "Parallel" if lacks(&["Branches"]) => self.refuse(value, path, needs("`Branches`")),
            "Map" if lacks(&["ItemProcessor", "Iterator"]) => self.refuse(value, path, needs("`ItemProcessor`")),
            "Wait" => match OF_WAIT.iter().filter(|key| state.get_exact(key).is_some()).count() {
                0 => self.refuse(value, path, needs("`Seconds` or `Timestamp`, or a path to one of them")),
                1 => {}
                _ => self.refuse(value, path, needs("only one of `Seconds` and `Timestamp`, and paths to them")),
            },
            _ => {}
        }
        for key in ["ItemProcessor", "Iterator"] {
            if let Some(inner) = state.get_exact(key).filter(|inner| !is_open(inner)) {
                self.scope(inner, &self.below(path, key));
            }
        }
        for (at, branch) in state.get_exact("Branches").and_then(Value::as_array).into_iter().flatten().enumerate() {
            let path = self.below(path, "Branches");
            let path = if self.text.is_some() { path } else { join_index(&path, at) };
            if !is_open(branch) {
                self.scope(branch, &path);
            }
        }
    }
}
