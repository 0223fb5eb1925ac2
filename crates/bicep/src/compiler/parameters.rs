//! Parameter files: the values that they set, and the template that they belong to.

use foldhash::{HashMap, HashSet};

use crate::arm;
use crate::compiler::calls::{formula_of, reads_environment};
use crate::compiler::emitter::{BaseValue, Emitter, Failed, Made, World};
use crate::compiler::features::Feature;
use crate::compiler::formula::{Formula, looks_like_formula};
use crate::compiler::functions::input_kind;
use crate::compiler::imports;
use crate::compiler::members::{generated, member};
use crate::compiler::model::{Declared, Model};
use crate::compiler::semantics::RESOURCE_IDS;
use crate::compiler::settings::settings;
use crate::compiler::types::set_all;
use crate::compiler::units::{Content, UnitId};
use crate::diagnostic::{Code, Diagnostic, Level, NotChecked};
use crate::language::ast::{DeclarationKind, Expr, ExprKind, Item};
use crate::language::walk::each_child;
use crate::model::Limits;
use crate::text::Span;
use crate::value::{Data, Member, Object, Traits, Value};

/// Maximum number of parameter files that extend each other.
const MAX_EXTENDS: usize = 20;

/// External inputs of a parameter file.
#[derive(Default)]
struct ExternalInputs {
    /// Key of each call.
    keys: HashMap<Formula, String>,
    /// Keys in order, each with its kind and configuration.
    all: Vec<(String, String, Option<Value>)>,
}

/// Functions that read an external input: as written in a parameter file, and with the key of its definition.
const INPUTS: [&str; 2] = ["externalInput", "externalInputs"];

impl<'w> World<'w> {
    /// Returns the parameter file of a unit, as JSON, or `None` if it cannot be emitted. The problems have been
    /// reported.
    pub(super) fn parameter_file(&'w self, id: UnitId) -> Option<Value> {
        let known = self.problems.borrow().len();
        let model = self.model(id)?;
        let declared = self.declared_names(model);
        let mut inputs = ExternalInputs::default();
        let mut members: Vec<Member> = Vec::new();
        let mut configs: Vec<Member> = Vec::new();
        // Files that are extended come first, because others refer to their values.
        for model in self.family(model).into_iter().rev() {
            let mut settings = settings(self, model);
            let closure = imports::closure(self, model, &mut settings.names);
            let emitter = Emitter { world: self, home: model.id, model, settings: &settings };
            let surrounding = emitter.surrounding(&closure);
            emitter.note_inputs(&surrounding, &mut inputs);
            let own: Vec<(Member, BaseValue)> = model
                .params
                .iter()
                .filter_map(|param| emitter.assignment(param, &surrounding, &mut inputs).ok())
                .collect();
            let (own, values): (Vec<Member>, Vec<BaseValue>) = own.into_iter().unzip();
            self.base.borrow_mut().extend(own.iter().map(|entry| entry.key.to_string()).zip(values));
            set_all(&mut members, own);
            if model.id == id {
                configs.extend(emitter.file_extension_configs(&surrounding, &mut inputs));
                configs.extend(emitter.using_config(&surrounding, &mut inputs));
            }
        }
        members.retain(|entry| declared.as_ref().is_none_or(|all| all.contains(&*entry.key)));
        let whole = Span::whole_file(model.file);
        let schema = "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#";
        let mut file = vec![
            generated("$schema", Value::from(schema), whole),
            generated("contentVersion", Value::from("1.0.0.0"), whole),
            generated("parameters", Value::object(members), whole),
        ];
        if !inputs.all.is_empty() {
            let definitions = inputs.all.into_iter().map(|(key, kind, config)| {
                let config = config.map(|config| generated("config", config, whole));
                let members = std::iter::once(generated("kind", Value::from(kind), whole)).chain(config).collect();
                generated(&key, Value::object(members), whole)
            });
            file.push(generated("externalInputDefinitions", Value::object(definitions.collect()), whole));
        }
        file.extend(configs);
        let is_error = |problem: &Diagnostic| problem.not_checked != Some(NotChecked::Environment);
        let is_complete = !self.problems.borrow().iter().skip(known).any(is_error) && !model.unit.is_broken;
        is_complete.then(|| Value::object(file).at(whole))
    }

    /// Returns a parameter file and those that it extends, the nearest first.
    fn family(&self, model: &'w Model<'w>) -> Vec<&'w Model<'w>> {
        let mut family = vec![model];
        let mut at = 0;
        while let Some(model) = family.get(at).copied().filter(|_| family.len() < MAX_EXTENDS) {
            family.extend(model.extends.iter().filter_map(|id| self.model(*id)));
            at += 1;
        }
        family
    }

    /// Returns the names of the parameters that the template declares, `None` without a template.
    fn declared_names(&self, model: &Model<'_>) -> Option<HashSet<String>> {
        let (link, _) = model.using?;
        let id = link?;
        if let Some(template) = self.model(id) {
            return Some(template.params.iter().map(|param| param.name.text.to_string()).collect());
        }
        let Content::Template(template) = &self.units.get(id)?.content else { return None };
        let params = template.get("parameters").and_then(Value::as_object);
        Some(params.map(|params| params.iter().map(|own| own.key.to_string()).collect()).unwrap_or_default())
    }
}

impl<'w> Emitter<'w> {
    /// Returns the variables and functions that values can refer to.
    fn surrounding(&self, closure: &imports::Closure) -> Value {
        let whole = Span::whole_file(self.model.file);
        let variables = self.variables(closure, whole);
        let mut members = vec![generated("variables", Value::object(variables), whole)];
        members.extend(self.functions(closure, whole).map(|functions| generated("functions", functions, whole)));
        dynamic(&Value::object(members))
    }

    /// Registers the external inputs that are written in a file, those of parameters first.
    fn note_inputs(&self, surrounding: &Value, inputs: &mut ExternalInputs) {
        for declared in self.model.params.iter().chain(&self.model.variables) {
            let mut calls = Vec::new();
            declared.value.into_iter().for_each(|value| add_calls(value, &mut calls));
            for call in calls {
                self.note_environment(call);
                if let Ok(formula) = self.quiet(|| self.convert(call, &None)) {
                    let _ = self.quiet(|| self.with_inputs(&formula, surrounding, inputs, call.span));
                }
            }
        }
    }

    /// Notes that the value of an environment variable is unknown.
    fn note_environment(&self, call: &Expr) {
        let (ExprKind::Call { name, arguments } | ExprKind::Method { name, arguments, .. }) = &call.kind else {
            return;
        };
        if reads_environment(&name.text, arguments.len()) {
            let message = "environment variables are not read, so the value is unknown";
            let problem = Diagnostic::new(Code::BicepDiagnostic, call.span, message)
                .with_level(Level::Note)
                .with_bicep_code("BCP427")
                .with_help("a second argument of the function is a default value")
                .not_checked(NotChecked::Environment);
            self.world.report(problem);
        }
    }

    /// Returns an entry of `parameters`, and the value for `base` in files that extend this one.
    fn assignment(
        &self,
        param: &'w Declared<'w>,
        surrounding: &Value,
        inputs: &mut ExternalInputs,
    ) -> Made<(Member, BaseValue)> {
        let Some(value) = param.value else {
            return self.fail(param.name.span, "expected a value: `param name = value`");
        };
        let formula = self.input_formula(value, surrounding, inputs)?;
        let entry = self.entry_as(formula.as_ref(), param.name.span, (value, "reference"), surrounding, inputs)?;
        let base = match (formula, &*entry.key) {
            (Some(formula), _) => BaseValue::Input(formula),
            (None, "value") => BaseValue::Known(entry.value.clone()),
            (None, _) => BaseValue::Secret,
        };
        Ok((member(&*param.name.text, param.name.span, Value::object(vec![entry]).at(param.span)), base))
    }

    /// Returns the member for a value, an expression, or a reference to a secret. `reference` is the name of the
    /// member for a reference.
    fn entry(
        &self,
        key: Span,
        value: &'w Expr,
        reference: &str,
        surrounding: &Value,
        inputs: &mut ExternalInputs,
    ) -> Made<Member> {
        let formula = self.input_formula(value, surrounding, inputs)?;
        self.entry_as(formula.as_ref(), key, (value, reference), surrounding, inputs)
    }

    /// Returns the formula of a value with external inputs, or `None` if it has none.
    fn input_formula(
        &self,
        value: &'w Expr,
        surrounding: &Value,
        inputs: &mut ExternalInputs,
    ) -> Made<Option<Formula>> {
        match self.quiet(|| self.convert(value, &None)) {
            Ok(formula) if secret(value).is_none() && has(&formula, &INPUTS) => {
                self.with_inputs(&formula, surrounding, inputs, value.span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the member for a value. `formula` is its formula if it has external inputs.
    fn entry_as(
        &self,
        formula: Option<&Formula>,
        key: Span,
        (value, reference): (&'w Expr, &str),
        surrounding: &Value,
        inputs: &mut ExternalInputs,
    ) -> Made<Member> {
        let span = value.span;
        if let Some(arguments) = secret(value) {
            return Ok(generated(reference, self.secret_reference(arguments, span, surrounding, inputs)?, span));
        }
        if let Some(formula) = formula {
            return Ok(generated("expression", self.written(&Formula::Call(formula.clone().into_call()), span)?, span));
        }
        let template = self.value(value, &None)?;
        Ok(member("value", key, self.evaluated(&template, surrounding, span)?.at(span)))
    }

    /// Returns the configuration of a deployment, which follows `using 'file' with`.
    fn using_config(&self, surrounding: &Value, inputs: &mut ExternalInputs) -> Option<Member> {
        let config = self.model.declarations.iter().find_map(|declaration| match &declaration.kind {
            DeclarationKind::Using { config, .. } => config.as_ref(),
            _ => None,
        })?;
        let entry = self.kept(self.entry(config.span, config, "reference", surrounding, inputs))?;
        Some(generated("usingConfig", Value::object(vec![entry]), config.span))
    }

    /// Returns the configurations of the template's extensions.
    fn file_extension_configs(&self, surrounding: &Value, inputs: &mut ExternalInputs) -> Option<Member> {
        if !self.model.features().has(Feature::ModuleExtensionConfigs) {
            return None;
        }
        let mut configs = Vec::new();
        for declaration in self.model.declarations {
            let DeclarationKind::ExtensionConfig { name, config } = &declaration.kind else { continue };
            let items = config.as_ref().and_then(|config| config.bare().as_object()).unwrap_or_default();
            let mut entries = Vec::new();
            for item in items {
                if let Item::Property(property) = item
                    && let Some(key) = property.name()
                    && let Some(entry) = self.kept(self.entry(
                        property.key.span,
                        &property.value,
                        "keyVaultReference",
                        surrounding,
                        inputs,
                    ))
                {
                    entries.push(member(key, property.key.span, Value::object(vec![entry])));
                }
            }
            entries.sort_by(|a, b| a.key.cmp(&b.key));
            configs.push(member(&*name.text, name.span, Value::object(entries).at(declaration.span)));
        }
        configs.sort_by(|a, b| a.key.cmp(&b.key));
        Some(generated("extensionConfigs", Value::object(configs), Span::whole_file(self.model.file)))
    }

    /// Runs a conversion and discards its problems.
    fn quiet<T>(&self, convert: impl FnOnce() -> Made<T>) -> Made<T> {
        let known = self.world.problems.borrow().len();
        let made = convert();
        self.world.problems.borrow_mut().truncate(known);
        made
    }

    /// Returns a reference to a secret in a vault.
    fn secret_reference(
        &self,
        arguments: &'w [Expr],
        span: Span,
        surrounding: &Value,
        inputs: &mut ExternalInputs,
    ) -> Made<Value> {
        let mut texts = Vec::new();
        for argument in arguments {
            // Which vault it is may be known only to the tool that deploys.
            if let Some(formula) = self.input_formula(argument, surrounding, inputs)? {
                texts.push(self.string(&formula, argument.span)?);
                continue;
            }
            let value = self.value(argument, &None)?;
            let value = self.evaluated(&value, surrounding, argument.span)?;
            match value.as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => return self.fail(argument.span, "expected a string"),
            }
        }
        let [subscription, group, vault, rest @ ..] = texts.as_slice() else { return Err(Failed) };
        let id =
            format!("/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.KeyVault/vaults/{vault}");
        let vault = Value::object(vec![generated("id", Value::from(id), span)]);
        let mut members = vec![generated("keyVault", vault, span)];
        for (name, text) in ["secretName", "secretVersion"].into_iter().zip(rest) {
            members.push(generated(name, Value::from(text.as_str()), span));
        }
        Ok(Value::object(members).at(span))
    }

    /// Evaluates all formulas in a value. Fails if one of them is unknown.
    fn evaluated(&self, value: &Value, surrounding: &Value, span: Span) -> Made<Value> {
        let at = value.span.unwrap_or(span);
        Ok(match &value.data {
            Data::String(text) if looks_like_formula(text) => {
                // Each evaluation reads all variables.
                let variables = surrounding.get("variables").and_then(Value::as_object).map_or(0, Object::len);
                self.spend(variables, at)?;
                let computed = arm::evaluate(text, at, surrounding, &Limits::default()).map_err(|problems| {
                    let message = problems.into_iter().next().map(|problem: Diagnostic| problem.message);
                    let message = message.unwrap_or_else(|| "the value cannot be computed".to_owned());
                    self.world.report(Diagnostic::new(Code::BicepDiagnostic, at, message).with_bicep_code("BCP338"));
                    Failed
                })?;
                let computed = if names_resource(text) { likely(computed) } else { computed };
                if computed.traits.has(Traits::UNKNOWN) {
                    return self.fail(at, "the value is only known in a deployment");
                }
                Value { via: None, ..computed }.at(at)
            }
            Data::Array(items) => {
                let items: Made<Vec<Value>> = items.iter().map(|item| self.evaluated(item, surrounding, at)).collect();
                Value::array(items?).at(at)
            }
            Data::Object(members) => {
                let mut all = Vec::new();
                for own in members.iter() {
                    let key = self.evaluated(&Value::from(own.key.clone()), surrounding, at)?;
                    let key = key.as_str().map_or_else(|| own.key.clone(), Into::into);
                    all.push(Member { key, value: self.evaluated(&own.value, surrounding, at)?, ..own.clone() });
                }
                Value::object(all).at(at)
            }
            _ => value.clone(),
        })
    }

    /// Registers an external input, and returns its key.
    fn new_input(&self, formula: &Formula, inputs: &mut ExternalInputs, span: Span) -> Made<String> {
        let Formula::Call(call) = formula else { return Err(Failed) };
        let Some(Formula::Text(kind)) = call.arguments.first() else {
            return self.fail(span, "the kind of an external input has to be constant");
        };
        let config = match call.arguments.get(1) {
            Some(config) => {
                let text = Value::from(self.string(config, span)?).with_traits(Traits::DYNAMIC);
                Some(self.evaluated(&text, &Value::object(Vec::new()), span)?)
            }
            None => None,
        };
        let name: String = kind.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let key = format!("{name}_{}", inputs.all.len());
        inputs.all.push((key.clone(), kind.to_string(), config));
        inputs.keys.insert(formula.clone(), key.clone());
        Ok(key)
    }

    /// Replaces calls of external inputs by references to their definitions.
    fn with_inputs(
        &self,
        formula: &Formula,
        surrounding: &Value,
        inputs: &mut ExternalInputs,
        span: Span,
    ) -> Made<Formula> {
        let Formula::Call(call) = formula else { return Ok(formula.clone()) };
        let is_own = &*call.name == "variables" || call.name.contains('.');
        if is_own && !has(formula, &INPUTS) && !has(formula, &["lambdaVariables"]) {
            let text = Value::from(self.string(formula, span)?).with_traits(Traits::DYNAMIC);
            return Ok(formula_of(&self.evaluated(&text, surrounding, span)?));
        }
        if &*call.name == "externalInput" {
            let known = inputs.keys.get(formula).cloned();
            let key = known.map_or_else(|| self.new_input(formula, inputs, span), Ok)?;
            return Ok(Formula::named("externalInputs", &key));
        }
        let arguments = self.all_with_inputs(&call.arguments, surrounding, inputs, span)?;
        let properties = self.all_with_inputs(&call.properties, surrounding, inputs, span)?;
        let name = std::rc::Rc::clone(&call.name);
        Ok(Formula::Call(std::rc::Rc::new(crate::compiler::formula::Call { name, arguments, properties })))
    }

    fn all_with_inputs(
        &self,
        formulas: &[Formula],
        surrounding: &Value,
        inputs: &mut ExternalInputs,
        span: Span,
    ) -> Made<Vec<Formula>> {
        formulas.iter().map(|formula| self.with_inputs(formula, surrounding, inputs, span)).collect()
    }
}

/// True if a formula is the ID of a resource, of which only the subscription or the group may be unknown.
fn names_resource(formula: &str) -> bool {
    let function = formula.strip_prefix('[').and_then(|formula| formula.split_once('(')).map_or("", |(name, _)| name);
    RESOURCE_IDS.contains(&function)
}

/// Returns the approximation of an unknown value.
fn likely(value: Value) -> Value {
    value.as_unknown().map_or_else(|| value.clone(), |unknown| unknown.approximation.clone())
}

/// True if a formula calls one of these functions.
fn has(formula: &Formula, names: &[&str]) -> bool {
    match formula {
        Formula::Call(call) => {
            let mut inner = call.arguments.iter().chain(&call.properties);
            names.contains(&&*call.name) || inner.any(|inner| has(inner, names))
        }
        _ => false,
    }
}

/// Adds the calls of `externalInput` in an expression.
fn add_calls<'a>(expr: &'a Expr, calls: &mut Vec<&'a Expr>) {
    match &expr.kind {
        ExprKind::Call { name, arguments } | ExprKind::Method { name, arguments, .. }
            if &*name.text == "externalInput"
                || input_kind(&name.text).is_some()
                || reads_environment(&name.text, arguments.len()) =>
        {
            calls.push(expr);
        }
        _ => each_child(expr, &mut |child| add_calls(child, calls)),
    }
}

/// Marks all formulas in a value as ones to evaluate.
fn dynamic(value: &Value) -> Value {
    let inner = match &value.data {
        Data::Array(items) => Value::array(items.iter().map(dynamic).collect()),
        Data::Object(members) => {
            let members = members.iter().map(|own| Member { value: dynamic(&own.value), ..own.clone() });
            Value::object(members.collect())
        }
        _ => value.clone(),
    };
    Value { span: value.span, ..inner }.with_traits(Traits::DYNAMIC)
}

/// Returns the arguments of a call of `getSecret`.
fn secret(expr: &Expr) -> Option<&[Expr]> {
    match &expr.bare().kind {
        ExprKind::Call { name, arguments } if &*name.text == "getSecret" => Some(arguments),
        ExprKind::Method { base, name, arguments } if &*name.text == "getSecret" => match &base.kind {
            ExprKind::Variable(namespace) if &*namespace.text == "az" => Some(arguments),
            _ => None,
        },
        _ => None,
    }
}
