//! Assembly of a template from its parts.

use crate::compiler::depend::{self, Uses};
use crate::compiler::emitter::{Emitter, Made, World};
use crate::compiler::exported::{self, ExportKind};
use crate::compiler::extensions::ExtensionSource;
use crate::compiler::features::Feature;
use crate::compiler::imports::{self, Closure, Imported};
use crate::compiler::members::{generated, member};
use crate::compiler::model::{Declared, Model, Symbol, Target, decorator};
use crate::compiler::scope::{FrameKind, inside};
use crate::compiler::settings::settings;
use crate::compiler::types::add_metadata;
use crate::compiler::units::{Content, UnitId};
use crate::compiler::unknown;
use crate::compiler::values::literal;
use crate::language::ast::{Decorator, ExprKind, Function};
use crate::text::Span;
use crate::value::{Member, Value};

/// Warning in each template that needs an experimental version of the template language.
const EXPERIMENTAL: &str = "This template uses ARM features that are experimental. Experimental features should be enabled \
                            for testing purposes only, as there are no guarantees about the quality or stability of these \
                            features. Do not enable these settings for any production usage, or your production \
                            environment may be subject to breaking.";

impl<'w> World<'w> {
    /// Returns the template of a file, or `None` if it cannot be emitted. The problems have been reported.
    pub(super) fn template(&'w self, id: UnitId) -> Option<Value> {
        if let Some(known) = self.templates.borrow().get(&id) {
            return known.clone();
        }
        let made = match self.model(id) {
            Some(model) => self.compile(model),
            None => match self.units.get(id).map(|unit| &unit.content) {
                Some(Content::Template(template)) => Some(template.clone()),
                _ => None,
            },
        };
        if let Some((address, template)) = made.as_ref().and_then(|made| Some((made.address()?, made))) {
            let length = self.length(template);
            self.lengths.borrow_mut().insert(address, length);
        }
        self.templates.borrow_mut().insert(id, made.clone());
        made
    }

    fn compile(&'w self, model: &'w Model<'w>) -> Option<Value> {
        let outer = self.lacks.replace(false);
        let mut settings = settings(self, model);
        let closure = imports::closure(self, model, &mut settings.names);
        let emitter = Emitter { world: self, home: model.id, model, settings: &settings };
        // Emission goes on after a problem, to report as many as possible.
        let template = emitter.template(&closure);
        let is_whole = !self.lacks.replace(outer) && !model.unit.is_broken;
        is_whole.then_some(template)
    }
}

impl<'w> Emitter<'w> {
    /// Emits the members of a section, except those that fail.
    fn each_member<T>(&self, items: impl IntoIterator<Item = T>, make: impl FnMut(T) -> Made<Member>) -> Vec<Member> {
        items.into_iter().map(make).filter_map(|made| self.kept(made)).collect()
    }

    fn template(&self, closure: &Closure) -> Value {
        let model = self.model;
        let whole = Span::whole_file(model.file);
        let mut members = vec![generated("$schema", Value::from(schema(model.target)), whole)];
        if self.settings.is_symbolic {
            let version = match self.settings.is_experimental {
                true if model.features().has(Feature::ModuleExtensionConfigs) => "2.2-experimental",
                true => "2.1-experimental",
                false => "2.0",
            };
            members.push(generated("languageVersion", Value::from(version), whole));
        }
        members.push(generated("contentVersion", Value::from("1.0.0.0"), whole));
        members.push(generated("metadata", self.metadata(whole), whole));
        add_section("definitions", self.definitions(closure), whole, &mut members);
        let functions = self.functions(closure, whole);
        let parameters = self.each_member(&model.params, |param| self.parameter_declaration(param));
        let variables = self.variables(closure, whole);
        let extensions = self.extensions();
        let resources = self.resources(whole);
        let outputs = self.each_member(&model.outputs, |output| self.output(output));
        let asserts = self.each_member(&model.asserts, |assert| {
            let value = assert.value.map_or(Ok(Value::NULL), |value| self.value(value, &None))?;
            Ok(member(&*assert.name.text, assert.name.span, value))
        });
        if let Some(functions) = functions {
            members.push(generated("functions", functions, whole));
        }
        add_section("parameters", parameters, whole, &mut members);
        add_section("variables", variables, whole, &mut members);
        let is_configurable = model.features().has(Feature::ModuleExtensionConfigs);
        add_section(if is_configurable { "extensions" } else { "imports" }, extensions, whole, &mut members);
        members.push(generated("resources", resources, whole));
        add_section("outputs", outputs, whole, &mut members);
        add_section("asserts", asserts, whole, &mut members);
        Value::object(members).at(whole)
    }

    fn metadata(&self, whole: Span) -> Value {
        let generator = vec![
            generated("name", Value::from("bicep"), whole),
            generated("version", Value::from(concat!("formwork ", env!("CARGO_PKG_VERSION"))), whole),
        ];
        let mut members = Vec::new();
        if self.settings.is_experimental {
            members.push(generated("_EXPERIMENTAL_WARNING", Value::from(EXPERIMENTAL), whole));
            let features = self.model.features().experimental().into_iter().map(Value::from);
            members.push(generated("_EXPERIMENTAL_FEATURES_ENABLED", Value::array(features.collect()), whole));
        }
        members.push(generated("_generator", Value::object(generator), whole));
        let exported = self.model.variables.iter().filter(|own| decorator(own.decorators, "export").is_some());
        let mut exported: Vec<&Declared<'w>> = exported.collect();
        exported.sort_by(|a, b| a.name.text.cmp(&b.name.text));
        let exported: Vec<Value> = exported.into_iter().filter_map(|own| self.exported_variable(own).ok()).collect();
        if !exported.is_empty() {
            members.push(generated("__bicep_exported_variables!", Value::array(exported), whole));
        }
        members.extend(self.each_member(&self.model.metadata, |own| {
            let value = own.value.map_or(Ok(Value::NULL), |value| self.value(value, &None))?;
            Ok(member(&*own.name.text, own.name.span, value))
        }));
        Value::object(members)
    }

    fn exported_variable(&self, variable: &'w Declared<'w>) -> Made<Value> {
        let name = Value::from(&*variable.name.text);
        let mut members = vec![generated("name", name, variable.name.span)];
        members.extend(self.description(variable.decorators)?);
        if let Some(ty) = variable.ty {
            members.push(generated("type", Value::object(self.schema(ty, &[])?), ty.span));
        }
        Ok(Value::object(members).at(variable.span))
    }

    fn definitions(&self, closure: &Closure) -> Vec<Member> {
        let own = self.each_member(&self.model.types, |declared| self.definition(declared, &declared.name.text, None));
        let imported = closure.all.iter().filter_map(|imported| {
            let source = Some((imported, imported.source.as_str()));
            if let Some(model) = self.world.model(imported.key.unit) {
                let Some(Symbol::Type(at)) = model.symbols.get(imported.key.name.as_str()) else { return None };
                let inner = self.within(model.id)?;
                return self.kept(inner.definition(model.types.get(*at)?, &imported.name, source));
            }
            let schema = self.copied(imported, ExportKind::Type)?;
            let mut members = exported::unexported(&schema);
            add_metadata(&mut members, vec![origin(imported, imported.name.ends_with(imported.key.name.as_str()))]);
            let value = exported::placed(&Value::object(members), imported.span);
            Some(generated(&imported.name, value, imported.span))
        });
        own.into_iter().chain(imported).collect()
    }

    fn definition(&self, declared: &'w Declared<'w>, name: &str, source: Option<(&Imported, &str)>) -> Made<Member> {
        let Some(ty) = declared.ty else { return Err(crate::compiler::emitter::Failed) };
        let mut members = self.schema(ty, declared.decorators)?;
        self.add_default_and_limits(&mut members, declared.decorators, source.is_none())?;
        if let Some((imported, _)) = source {
            add_metadata(&mut members, vec![origin(imported, name.ends_with(imported.key.name.as_str()))]);
        }
        Ok(member(name, declared.name.span, Value::object(members).at(declared.span)))
    }

    /// Returns a declaration of a template, with the names of this template for the declarations that it uses.
    fn copied(&self, imported: &Imported, kind: ExportKind) -> Option<Value> {
        let Content::Template(template) = &self.world.units.get(imported.key.unit)?.content else { return None };
        let (found, value) = exported::declaration(template, &imported.key.name)?;
        let unit = imported.key.unit;
        (found == kind)
            .then(|| exported::renamed(value, &mut |name| self.settings.names.get(&(unit, name.to_owned())).cloned()))
    }

    pub(super) fn functions(&self, closure: &Closure, whole: Span) -> Option<Value> {
        let mut namespaces: Vec<(String, Vec<Member>)> = Vec::new();
        for (function, decorators) in &self.model.functions {
            if let Some(made) = self.kept(self.function(function, decorators, &function.name.text, None)) {
                add_function(&function.name.text, made, &mut namespaces);
            }
        }
        for imported in &closure.all {
            let name = imported.name.split_once('.').map_or(&*imported.name, |(_, name)| name);
            if let Some(model) = self.world.model(imported.key.unit) {
                if let Some(Symbol::Function(at)) = model.symbols.get(imported.key.name.as_str())
                    && let Some((function, decorators)) = model.functions.get(*at)
                    && let Some(inner) = self.within(model.id)
                    && let Some(made) = self.kept(inner.function(function, decorators, name, Some(imported)))
                {
                    add_function(&imported.name, made, &mut namespaces);
                }
            } else if let Some(value) = self.copied(imported, ExportKind::Function) {
                let mut members = exported::unexported(&value);
                add_metadata(&mut members, vec![origin(imported, name == imported.key.name)]);
                let function = generated(name, exported::placed(&Value::object(members), imported.span), imported.span);
                add_function(&imported.name, function, &mut namespaces);
            }
        }
        let namespaces: Vec<Value> = namespaces
            .into_iter()
            .map(|(namespace, members)| {
                let parts = vec![
                    generated("namespace", Value::from(namespace), whole),
                    generated("members", Value::object(members), whole),
                ];
                Value::object(parts).at(whole)
            })
            .collect();
        (!namespaces.is_empty()).then(|| Value::array(namespaces))
    }

    fn function(
        &self,
        function: &'w Function,
        decorators: &'w [Decorator],
        name: &str,
        imported: Option<&Imported>,
    ) -> Made<Member> {
        let span = function.name.span;
        let mut parameters = Vec::new();
        for (name, ty) in &function.parameters {
            let mut schema = self.schema(ty, &[])?;
            schema.push(generated("name", Value::from(&*name.text), name.span));
            parameters.push(Value::object(schema).at(ty.span));
        }
        let mut output = self.schema(&function.result, &[])?;
        let scope = inside(&None, FrameKind::Function(&function.parameters));
        output.push(generated("value", self.value(&function.body, &scope)?, function.body.span));
        let mut members = vec![
            generated("parameters", Value::array(parameters), span),
            generated("output", Value::object(output), function.result.span),
        ];
        let mut metadata: Vec<Member> = self.description(decorators)?.into_iter().collect();
        match imported {
            Some(imported) => metadata.push(origin(imported, name == imported.key.name)),
            None => {
                if let Some(export) = decorator(decorators, "export") {
                    metadata.push(generated("__bicep_export!", Value::from(true), export.span));
                }
            }
        }
        add_metadata(&mut members, metadata);
        Ok(member(name, span, Value::object(members).at(span)))
    }

    fn parameter_declaration(&self, param: &'w Declared<'w>) -> Made<Member> {
        let Some(ty) = param.ty else { return self.fail(param.name.span, "the parameter has no type") };
        let mut members = self.schema(ty, param.decorators)?;
        if let Some(value) = param.value {
            members.push(generated("defaultValue", self.value(value, &None)?, value.span));
        }
        if let Some(allowed) = decorator(param.decorators, "allowed").and_then(|allowed| allowed.arguments.first()) {
            members.push(generated("allowedValues", self.value(allowed, &None)?, allowed.span));
        }
        self.add_default_and_limits(&mut members, param.decorators, false)?;
        Ok(member(&*param.name.text, param.name.span, Value::object(members).at(param.span)))
    }

    fn output(&self, output: &'w Declared<'w>) -> Made<Member> {
        let Some((ty, value)) = output.ty.zip(output.value) else {
            return self.fail(output.name.span, "the output has no type or no value");
        };
        let mut members = self.declared_type(ty, output.decorators)?;
        match &value.kind {
            ExprKind::For(iteration) => {
                let copy = self.copy(None, iteration, value.span, &None, None)?;
                members.push(generated("copy", copy, value.span));
            }
            _ => members.push(generated("value", self.value(value, &None)?, value.span)),
        }
        Ok(member(&*output.name.text, output.name.span, Value::object(members).at(output.span)))
    }

    pub(super) fn variables(&self, closure: &Closure, whole: Span) -> Vec<Member> {
        let (mut copies, mut members) = (Vec::new(), Vec::new());
        if let Some(loads) = self.world.loads.get(self.model.id.0) {
            let loaded = loads.order.iter().filter_map(|span| Some((*span, loads.get(*span)?)));
            members.extend(loaded.filter_map(|(span, load)| {
                Some(generated(load.variable.as_deref()?, literal(&load.value).at(span), span))
            }));
        }
        for (at, variable) in self.model.variables.iter().enumerate() {
            if !self.settings.inlined.contains(&at) {
                self.variable_declaration(variable, &variable.name.text, &mut copies, &mut members);
            }
        }
        for imported in &closure.all {
            let Some(model) = self.world.model(imported.key.unit) else {
                let Some(value) = self.copied(imported, ExportKind::Variable) else { continue };
                let value = exported::placed(&value, imported.span);
                match exported::copy(&value, &imported.name) {
                    Some(copy) => copies.push(exported::placed(&copy, imported.span)),
                    None => members.push(generated(&imported.name, value, imported.span)),
                }
                continue;
            };
            match model.symbols.get(imported.key.name.as_str()) {
                Some(Symbol::Variable(at)) => {
                    if let Some((variable, inner)) = model.variables.get(*at).zip(self.within(model.id)) {
                        inner.variable_declaration(variable, &imported.name, &mut copies, &mut members);
                    }
                }
                None => {
                    let loads = self.world.loads.get(model.id.0);
                    let load = loads.and_then(|loads| {
                        loads
                            .order
                            .iter()
                            .filter_map(|span| loads.get(*span))
                            .find(|load| load.variable.as_deref() == Some(&*imported.key.name))
                    });
                    members.extend(load.map(|load| generated(&imported.name, literal(&load.value), imported.span)));
                }
                _ => {}
            }
        }
        if !copies.is_empty() {
            members.insert(0, generated("copy", Value::array(copies), whole));
        }
        members
    }

    fn variable_declaration(
        &self,
        variable: &'w Declared<'w>,
        name: &str,
        copies: &mut Vec<Value>,
        members: &mut Vec<Member>,
    ) {
        let Some(value) = variable.value else { return };
        if let ExprKind::For(iteration) = &value.kind {
            copies.extend(self.kept(self.copy(Some(name), iteration, variable.span, &None, None)));
        } else {
            let value = self.value(value, &None);
            members.extend(value.map(|value| member(name, variable.name.span, value)));
        }
    }

    fn extensions(&self) -> Vec<Member> {
        let is_configurable = self.model.features().has(Feature::ModuleExtensionConfigs);
        let extensions = self.model.extensions.iter().filter(|own| own.source != ExtensionSource::System);
        self.each_member(extensions, |extension| {
            let declaration = extension.declaration;
            let name = declaration.alias.as_ref().unwrap_or(&declaration.specification);
            let (provider, version) = extension.provider().unwrap_or_else(|| {
                if extension.source == ExtensionSource::Other {
                    self.world.report(unknown::extension(&declaration.specification));
                }
                (extension.name(), "")
            });
            let mut members = vec![
                generated(if is_configurable { "name" } else { "provider" }, Value::from(provider), name.span),
                generated("version", Value::from(version), name.span),
            ];
            if let Some(config) = &declaration.config {
                let value = self.value(config, &None)?;
                let value = if is_configurable { as_defaults(&value) } else { value };
                members.push(generated("config", value, config.span));
            }
            Ok(member(extension.name(), name.span, Value::object(members).at(name.span)))
        })
    }

    fn resources(&self, whole: Span) -> Value {
        let uses: Uses<'w> = depend::uses(self.model);
        let order = self.order();
        let mut made_all: Vec<(String, Span, Value)> = Vec::new();
        for id in order {
            let Some(resource) = self.model.resources.get(id) else { continue };
            let is_left_out = if self.settings.is_symbolic {
                self.settings.inlined_resources.contains(&id)
            } else {
                resource.declaration.is_existing
            };
            if !is_left_out && let Some(value) = self.kept(self.resource(id, &uses)) {
                made_all.push((self.model.symbolic_name(id), resource.declaration.name.span, value));
            }
        }
        for (at, module) in self.model.modules.iter().enumerate() {
            if let Some(value) = self.kept(self.module(at, &uses)) {
                let name = &module.declaration.name;
                made_all.push((name.text.to_string(), name.span, value));
            }
        }
        if self.settings.is_symbolic {
            return Value::object(made_all.into_iter().map(|(name, span, value)| member(name, span, value)).collect())
                .at(whole);
        }
        Value::array(made_all.into_iter().map(|(.., value)| value).collect()).at(whole)
    }

    /// Returns the order of resources in a template without symbolic names: all nested ones first, inner before outer
    /// ones.
    fn order(&self) -> Vec<usize> {
        let resources = &self.model.resources;
        let is_nested = |id: usize| resources.get(id).and_then(|own| own.parent).is_some_and(|own| own.is_nested);
        let mut order = Vec::new();
        for id in (0..resources.len()).filter(|id| !is_nested(*id)) {
            self.add_nested(id, &mut order);
        }
        order.extend((0..resources.len()).filter(|id| !is_nested(*id)));
        order
    }

    fn add_nested(&self, id: usize, order: &mut Vec<usize>) {
        for child in self.model.resources.get(id).into_iter().flat_map(|own| &own.children) {
            self.add_nested(*child, order);
            order.push(*child);
        }
    }
}

fn add_section(name: &str, parts: Vec<Member>, span: Span, members: &mut Vec<Member>) {
    if !parts.is_empty() {
        members.push(generated(name, Value::object(parts), span));
    }
}

/// Adds a function to the namespace in its qualified name.
fn add_function(name: &str, function: Member, namespaces: &mut Vec<(String, Vec<Member>)>) {
    let (namespace, _) = name.split_once('.').unwrap_or(("__bicep", name));
    match namespaces.iter_mut().find(|(known, _)| known == namespace) {
        Some((_, members)) => members.push(function),
        None => namespaces.push((namespace.to_owned(), vec![function])),
    }
}

/// Returns an extension's configuration with each value as a default that a deployment can override.
fn as_defaults(config: &Value) -> Value {
    let members = config.as_object().map(|object| {
        let members = object.iter().map(|own| {
            let value = Value::object(vec![Member::new("defaultValue", own.value.clone())]);
            Member { value: Value { span: own.value.span, ..value }, ..own.clone() }
        });
        members.collect()
    });
    members.map_or_else(|| config.clone(), |members| Value { span: config.span, ..Value::object(members) })
}

/// Returns the member that marks a declaration as imported.
fn origin(imported: &Imported, has_name: bool) -> Member {
    let mut members = vec![generated("sourceTemplate", Value::from(imported.source.as_str()), imported.span)];
    if !has_name {
        let name = Value::from(imported.key.name.as_str());
        members.push(generated("originalIdentifier", name, imported.span));
    }
    generated("__bicep_imported_from!", Value::object(members), imported.span)
}

fn schema(target: Target) -> &'static str {
    match target {
        Target::Tenant => "https://schema.management.azure.com/schemas/2019-08-01/tenantDeploymentTemplate.json#",
        Target::ManagementGroup => {
            "https://schema.management.azure.com/schemas/2019-08-01/managementGroupDeploymentTemplate.json#"
        }
        Target::Subscription => {
            "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#"
        }
        Target::ResourceGroup | Target::Local => {
            "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"
        }
    }
}
