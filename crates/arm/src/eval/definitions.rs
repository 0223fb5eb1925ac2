//! Parameters and variables, which are evaluated on demand and only once.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use crate::artifacts;
use crate::diagnostic::Code;
use crate::eval::Evaluator;
use crate::eval::frame::Frames;
use crate::eval::replaced::{self, has_placeholder, is_settled};
use crate::fault::Fault;
use crate::text::{Span, Suggestions, with_lower_case};
use crate::types::{Type, mark_secrets};
use crate::value::{Data, Ends, Kind, Member, Object, SecretSource, Step, Str, Traits, Unknown, Value, Via};

/// A value that is supplied for a parameter, as opposed to its default.
#[derive(Clone, Debug)]
pub enum Given {
    /// A value from a parameter file, the command line or an evaluated argument of a nested deployment.
    Value(Value),
    /// A reference to a secret in a key vault, which is not read.
    KeyVault(Value),
    /// A string in a parameter file with placeholders, which a tool replaces.
    Placeholder(Value),
}

/// A declared parameter and the value that is supplied for it, if any.
#[derive(Clone, Copy, Debug)]
pub struct Supplied<'a> {
    /// The name as declared.
    pub name: &'a Str,
    /// The member of `parameters` that declares it.
    pub declaration: &'a Value,
    given: Option<&'a Given>,
    definition: &'a Definition,
}

impl Supplied<'_> {
    /// Returns `true` if a value is supplied or the declaration has a default. A placeholder counts only if it has a
    /// default.
    pub fn has_value(&self) -> bool {
        match self.given {
            Some(Given::Placeholder(text)) => is_settled(text),
            Some(Given::Value(_) | Given::KeyVault(_)) => true,
            None => self.declaration.get("defaultValue").is_some(),
        }
    }

    /// Returns `true` if a value is supplied, and is written as it is used.
    pub fn is_given(&self) -> bool {
        matches!(self.given, Some(Given::Value(_)))
    }

    /// Returns the string that the value was before its conversion to the declared type. `None` without a conversion,
    /// or if the parameter has not been evaluated yet.
    pub fn text(&self) -> Option<&Value> {
        self.definition.text.get().map(|text| &**text)
    }
}

#[derive(Debug)]
enum DefinitionSource {
    Parameter {
        declaration: Value,
        given: Option<Box<Given>>,
    },
    Variable(Value),
    /// An element of `variables.copy`.
    Loop(Value),
}

#[derive(Debug)]
enum State {
    Pending,
    /// Being evaluated: asking for it again is a dependency cycle.
    Running,
    Done(Value),
}

#[derive(Debug)]
struct Definition {
    name: Str,
    /// The name in the template.
    span: Option<Span>,
    source: DefinitionSource,
    state: RefCell<State>,
    /// The value of a parameter before its conversion from a string to the declared type.
    text: OnceCell<Box<Value>>,
}

/// The parameters or the variables of one template. Names are case-insensitive.
#[derive(Debug, Default)]
pub struct Definitions {
    definitions: Vec<Definition>,
    /// Positions by the name in lower case.
    index: HashMap<Box<str>, usize>,
}

impl Definitions {
    /// Collects the parameters that a template declares. `given` returns the supplied value for a name.
    pub fn parameters(declarations: &Value, mut given: impl FnMut(&str) -> Option<Given>) -> Self {
        let mut all = Self::with_room_for(declarations);
        for member in declarations.as_object().into_iter().flatten() {
            let source = DefinitionSource::Parameter {
                declaration: member.value.clone(),
                given: given(&member.key).map(Box::new),
            };
            all.add(member.key.clone(), member.key_span, source);
        }
        all
    }

    /// Returns the references to secrets in key vaults that are supplied for parameters, by the names of the
    /// parameters.
    pub fn references(&self) -> impl Iterator<Item = (&Str, &Value)> {
        self.definitions.iter().filter_map(|definition| match &definition.source {
            DefinitionSource::Parameter { given: Some(given), .. } => match &**given {
                Given::KeyVault(reference) => Some((&definition.name, reference)),
                Given::Value(_) | Given::Placeholder(_) => None,
            },
            _ => None,
        })
    }

    /// Returns the same parameters or variables, not evaluated yet, with other values for some parameters. `other`
    /// returns what is supplied for a parameter, `None` to leave that as it is.
    #[must_use]
    pub fn with_others(&self, mut other: impl FnMut(&Supplied<'_>) -> Option<Option<Given>>) -> Self {
        let mut all = Self { definitions: Vec::with_capacity(self.definitions.len()), index: self.index.clone() };
        for definition in &self.definitions {
            let source = match &definition.source {
                DefinitionSource::Variable(value) => DefinitionSource::Variable(value.clone()),
                DefinitionSource::Loop(element) => DefinitionSource::Loop(element.clone()),
                DefinitionSource::Parameter { declaration, given } => {
                    let supplied =
                        Supplied { name: &definition.name, declaration, given: given.as_deref(), definition };
                    let given = other(&supplied).map_or_else(|| given.clone(), |given| given.map(Box::new));
                    DefinitionSource::Parameter { declaration: declaration.clone(), given }
                }
            };
            all.definitions.push(Definition {
                name: definition.name.clone(),
                span: definition.span,
                source,
                state: RefCell::new(State::Pending),
                text: OnceCell::new(),
            });
        }
        all
    }

    /// Returns a parameter, by its name in any case.
    pub fn supplied_for(&self, name: &str) -> Option<Supplied<'_>> {
        let definition = self.find(name)?;
        match &definition.source {
            DefinitionSource::Parameter { declaration, given } => {
                Some(Supplied { name: &definition.name, declaration, given: given.as_deref(), definition })
            }
            DefinitionSource::Variable(_) | DefinitionSource::Loop(_) => None,
        }
    }

    /// Collects the variables of a template. If there is a member `copy` that is an array, its elements are loops that
    /// define variables.
    pub fn variables(variables: &Value) -> Self {
        let mut all = Self::with_room_for(variables);
        for member in variables.as_object().into_iter().flatten() {
            match member.value.as_array() {
                Some(loops) if member.key.eq_ignore_ascii_case("copy") => {
                    for element in loops {
                        if let Some(name) = element.get("name").and_then(Value::as_shared_str) {
                            all.add(name.clone(), None, DefinitionSource::Loop(element.clone()));
                        }
                    }
                }
                _ => all.add(member.key.clone(), member.key_span, DefinitionSource::Variable(member.value.clone())),
            }
        }
        all
    }

    /// Creates an empty collection with room for a definition for each member. Generated templates have thousands.
    fn with_room_for(members: &Value) -> Self {
        let count = members.as_object().map_or(0, Object::len);
        Self { definitions: Vec::with_capacity(count), index: HashMap::with_capacity(count) }
    }

    fn add(&mut self, name: Str, span: Option<Span>, source: DefinitionSource) {
        self.index.insert(name.to_ascii_lowercase().into_boxed_str(), self.definitions.len());
        let state = RefCell::new(State::Pending);
        self.definitions.push(Definition { name, span, source, state, text: OnceCell::new() });
    }

    fn find(&self, name: &str) -> Option<&Definition> {
        let lowered = || with_lower_case(name, |lower| self.index.get(lower).copied());
        let at = self.index.get(name).copied().or_else(lowered)?;
        self.definitions.get(at)
    }

    /// Returns the names in the order of the template.
    pub fn names(&self) -> impl Iterator<Item = &Str> {
        self.definitions.iter().map(|definition| &definition.name)
    }

    /// Returns the parameters in the order of the template.
    pub fn supplied(&self) -> impl Iterator<Item = Supplied<'_>> {
        self.definitions.iter().filter_map(|definition| match &definition.source {
            DefinitionSource::Parameter { declaration, given } => {
                Some(Supplied { name: &definition.name, declaration, given: given.as_deref(), definition })
            }
            DefinitionSource::Variable(_) | DefinitionSource::Loop(_) => None,
        })
    }

    /// Returns the unevaluated declaration of a variable.
    pub fn written(&self, name: &str) -> Option<&Value> {
        match &self.find(name)?.source {
            DefinitionSource::Variable(value) | DefinitionSource::Loop(value) => Some(value),
            DefinitionSource::Parameter { .. } => None,
        }
    }

    /// Returns `true` if `name` is defined.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns the suggestion at the end of a message about an undefined name.
    pub fn hint(&self, name: &str, suggestions: &Suggestions) -> String {
        let candidates = self.definitions.iter().map(|definition| &*definition.name);
        suggestions.did_you_mean(name, candidates)
    }
}

impl Evaluator<'_> {
    /// Returns the value of `parameters(name)`, or a fault if the template does not declare it.
    pub fn parameter(&self, name: &str) -> Result<Value, Fault> {
        let parameters = &self.level.parameters;
        let Some(definition) = parameters.find(name) else {
            let hint = parameters.hint(name, &self.world.suggestions);
            return Err(Fault::new(Code::ExpressionUndefined, format!("there is no parameter `{name}`{hint}")));
        };
        self.define(definition, "parameter")
    }

    /// Returns the value of `variables(name)`, or a fault if the template does not define it.
    pub fn variable(&self, name: &str) -> Result<Value, Fault> {
        let variables = &self.level.variables;
        let Some(definition) = variables.find(name) else {
            let hint = variables.hint(name, &self.world.suggestions);
            return Err(Fault::new(Code::ExpressionUndefined, format!("there is no variable `{name}`{hint}")));
        };
        self.define(definition, "variable")
    }

    /// Evaluates parameters and variables that nothing has used, and reports their faults, since Resource Manager also
    /// fails on unused ones.
    pub fn visit_definitions(&self) {
        let level = Rc::clone(&self.level);
        for (definitions, noun) in [(&level.parameters, "parameter"), (&level.variables, "variable")] {
            for definition in &definitions.definitions {
                if let Err(fault) = self.define(definition, noun) {
                    self.report(&fault, None);
                }
            }
        }
    }

    /// Returns the value of a definition, evaluated now if it is used for the first time.
    fn define(&self, definition: &Definition, noun: &str) -> Result<Value, Fault> {
        match &*definition.state.borrow() {
            State::Done(value) => return Ok(value.clone()),
            State::Running => {
                let message = format!("{noun} `{}` is defined in terms of itself", definition.name);
                return Err(Fault::new(Code::ExpressionRecursion, message));
            }
            State::Pending => {}
        }
        // No borrow is held from here on, since evaluation may come back to this definition.
        definition.state.replace(State::Running);
        // Resource Manager evaluates every definition, whatever conditions are around its uses.
        let evaluator = Evaluator { is_guarded: self.level.is_guarded, ..self.clone() };
        match self.world.deeper() {
            Ok(_level) => {
                let value = evaluator.evaluate(definition);
                definition.state.replace(State::Done(value.clone()));
                Ok(value)
            }
            // It need not be too deep where the definition is used next.
            Err(fault) => {
                definition.state.replace(State::Pending);
                Err(fault)
            }
        }
    }

    fn evaluate(&self, definition: &Definition) -> Value {
        let name = definition.name.clone();
        match &definition.source {
            DefinitionSource::Variable(raw) => {
                let value = self.expand(raw, &Frames::None);
                let via = Via::new(Step::Variable(name), value.span, value.via.clone());
                value.through(Some(via))
            }
            DefinitionSource::Loop(element) => {
                let value = self.expand_loop(element, &name, &Frames::None);
                let via = Via::new(Step::Variable(name), element.span, value.via.clone());
                value.through(Some(via))
            }
            DefinitionSource::Parameter { declaration, given } => {
                self.evaluate_parameter(definition, declaration, given.as_deref())
            }
        }
    }

    fn evaluate_parameter(&self, definition: &Definition, declaration: &Value, given: Option<&Given>) -> Value {
        let name = definition.name.clone();
        let declared = self.level.types.declared_type(declaration);
        let kind = declared.kind;
        let default = declaration.get("defaultValue");
        let value = match given {
            Some(Given::KeyVault(reference)) => {
                let unknown = Unknown::new(kind, format!("parameter `{name}` is a secret in a key vault"));
                let value = Value::unknown(unknown).with_traits(Traits::SECRET);
                let via = Via::new(Step::Parameter(name.clone()), reference.span, None);
                Value { span: reference.span, via: Some(via), ..value }
            }
            // An explicit null counts as no value if there is a default.
            Some(Given::Value(value)) if !value.is_null() || default.is_none() => {
                let via = Via::new(Step::Parameter(name.clone()), value.span, value.via.clone());
                let is_exposed = value.traits.has(Traits::SECRET) && !declared.is_secure;
                value.clone().through(Some(if is_exposed { via.exposed() } else { via }))
            }
            Some(Given::Placeholder(text)) => {
                let replaced = replaced::replaced_value(text, &name, kind, default.is_some());
                let step = || Step::Parameter(name.clone());
                let replaced = replaced.map(|value| replaced_by_tool(declaration, value, step()));
                replaced.unwrap_or_else(|| self.default_value(&name, declaration, &declared))
            }
            _ => self.default_value(&name, declaration, &declared),
        };
        let coerced = coerce(value.clone(), kind);
        // Validation is stricter than evaluation, and needs the original string.
        if value.as_str().is_some() && coerced.as_str().is_none() {
            definition.text.get_or_init(|| Box::new(value));
        }
        let source = SecretSource::of_parameter(&name, definition.span.or(declaration.span));
        let is_mixed = declared.is_secure && coerced.traits.has(Traits::SECRET);
        let coerced = if is_mixed {
            with_plain_parts(coerced, &Arc::new(SecretSource { is_plain: true, ..source.clone() }))
        } else {
            coerced
        };
        let marked = mark_secrets(self, &self.level.types, &declared, coerced);
        self.world.note_secrets(&marked);
        if marked.secret_via().is_some() {
            return marked;
        }
        let source = Arc::new(source);
        if declared.is_secure && marked.as_str() == Some("") {
            // It is no secret yet, but stands where one will be.
            let via = marked.via.as_ref().map(|via| via.with_secret(Some(&source)));
            return marked.through(via);
        }
        marked.with_secret_source(Some(&source))
    }

    /// Returns the value of a parameter that is not set.
    fn default_value(&self, name: &Str, declaration: &Value, declared: &Type) -> Value {
        let Some(default) = declaration.get("defaultValue") else {
            return self.fallback(name, declaration, declared);
        };
        let step = Step::Default(name.clone());
        // Templates may have placeholders, too, which are replaced in a copy of them.
        if has_placeholder(default) && !default.traits.has(Traits::DYNAMIC) {
            let replaced = replaced::replaced_value(default, name, declared.kind, true);
            return replaced_by_tool(declaration, replaced.unwrap_or(Value::NULL), step);
        }
        let value = self.expand(default, &Frames::None);
        let via = Via::new(step, value.span, value.via.clone());
        value.through(Some(via))
    }

    /// Returns the value of a parameter that has neither a value nor a default: the configured one for its name, or an
    /// unknown.
    fn fallback(&self, name: &Str, declaration: &Value, declared: &Type) -> Value {
        let kind = declared.kind;
        let configured = self.world.context.parameter_defaults.get(name).cloned();
        let configured = configured.map(|value| coerce(value, kind));
        if let Some(value) = configured.filter(|value| !value.is_null() && fits(value, kind)) {
            let via = Via::new(Step::Parameter(name.clone()), value.span, None);
            return value.through(Some(via));
        }
        if declared.nullable == Some(true) {
            let via = Via::new(Step::Parameter(name.clone()), declaration.span, None);
            return Value { span: declaration.span, ..Value::NULL }.through(Some(via));
        }
        let why = format!("parameter `{name}` has no value");
        if let Some(artifacts) = artifacts::parameter(name, kind, &why) {
            let via = Via::new(Step::Parameter(name.clone()), declaration.span, None);
            return Value { span: declaration.span, ..artifacts }.through(Some(via));
        }
        let via = Via::new(Step::Parameter(name.clone()), declaration.span, None);
        let unknown = Unknown::new(kind, why).between(lengths(declaration, kind));
        Value { span: declaration.span, ..one_of_allowed(declaration, unknown) }.through(Some(via))
    }
}

/// Returns the least and the greatest length that a declaration of a string allows.
fn lengths(declaration: &Value, kind: Kind) -> Ends {
    let length =
        |name: &str| declaration.get(name).and_then(Value::as_int).and_then(|length| u32::try_from(length).ok());
    if kind != Kind::String {
        return Ends::default();
    }
    Ends { least: length("minLength").unwrap_or(0), most: length("maxLength"), ..Ends::default() }
}

/// Adds the replacement of placeholders to the provenance of a parameter's value. Restricts an unknown to the allowed
/// values.
fn replaced_by_tool(declaration: &Value, value: Value, step: Step) -> Value {
    let via = Via::new(step, value.span, None);
    let value = match value.as_unknown() {
        Some(unknown) => Value { span: value.span, ..one_of_allowed(declaration, Unknown::clone(unknown)) },
        None => value,
    };
    value.through(Some(via))
}

/// Restricts an unknown value of a parameter to the values that its declaration allows.
fn one_of_allowed(declaration: &Value, unknown: Unknown) -> Value {
    let kind = unknown.kind;
    // An array may be any selection of its allowed values.
    let allowed = declaration.get("allowedValues").and_then(Value::as_array).filter(|_| kind != Kind::Array);
    let allowed = allowed.unwrap_or_default().iter().map(|value| coerce(value.clone(), kind));
    Value::unknown(unknown.one_of(allowed))
}

/// Marks the parts of a secure object that the enclosing template has composed of secrets and other values, such as the
/// name and the value of a key. Plain parts are masked like the secrets, but their source marks them as plain.
fn with_plain_parts(value: Value, plain: &Arc<SecretSource>) -> Value {
    let marked = match &value.data {
        Data::Array(items) => Value::array(items.iter().map(|item| with_plain_parts(item.clone(), plain)).collect()),
        Data::Object(object) => {
            let part =
                |member: &Member| Member { value: with_plain_parts(member.value.clone(), plain), ..member.clone() };
            Value::object(object.iter().map(part).collect())
        }
        _ if value.traits.has(Traits::SECRET) => return value,
        _ => {
            let via = value.via.clone().unwrap_or_else(|| Via::new(Step::Combined, None, None));
            return value.through(Some(via.with_secret(Some(plain))));
        }
    };
    Value { span: value.span, via: value.via, traits: value.traits, ..marked }
}

fn fits(value: &Value, kind: Kind) -> bool {
    kind == Kind::Any || value.kind() == kind
}

/// Converts a string from a command line or parameter file to the declared kind, and an unknown of any kind to an unknown
/// of the declared kind. Other values stay unchanged, and are validated later.
fn coerce(value: Value, kind: Kind) -> Value {
    let data = match (&value.data, kind) {
        (Data::String(text), Kind::Int) => text.trim().parse().ok().map(Data::Int),
        (Data::String(text), Kind::Bool) if text.eq_ignore_ascii_case("true") => Some(Data::Bool(true)),
        (Data::String(text), Kind::Bool) if text.eq_ignore_ascii_case("false") => Some(Data::Bool(false)),
        (Data::Unknown(unknown), _) if unknown.kind == Kind::Any && kind != Kind::Any => {
            let typed = Unknown::new(kind, unknown.why.clone());
            let fits = unknown.approximation.kind() == kind;
            let approximation = if fits { unknown.approximation.clone() } else { typed.approximation.clone() };
            let typed = Unknown { approximation, open: unknown.open, ..typed };
            let choices = unknown.choices.iter().map(|choice| coerce(choice.clone(), kind));
            Some(Data::Unknown(typed.one_of(choices).into()))
        }
        _ => None,
    };
    match data {
        Some(data) => Value { data, ..value },
        None => value,
    }
}
