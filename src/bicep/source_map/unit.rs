//! Maps a template to the one Bicep file from which it was compiled, and to the modules of that file.

use std::sync::Arc;

use foldhash::HashMap;

use crate::bicep::reader::{Declaration, DeclarationId, DeclarationKind as Kind, File, Range, Shape};
use crate::bicep::source_map::import::Imports;
use crate::bicep::source_map::load::Loads;
use crate::bicep::source_map::pointer::{Step, child};
use crate::bicep::source_map::property::Found;
use crate::bicep::source_map::sites::Sites;
use crate::bicep::source_map::{Exactness, ModuleFile, Modules, Place};
use crate::value::{Member, Value};

/// A Bicep file, with the tables that match its template.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) file: Arc<File>,
    /// The declarations by name. Declarations of different kinds may have the same name.
    names: HashMap<Box<str>, Vec<DeclarationId>>,
    pub(super) sites: Sites,
    modules: HashMap<DeclarationId, Module>,
    imports: Imports,
    loads: Loads,
}

/// The module of a `module` statement.
#[derive(Debug)]
enum Module {
    Bicep(Box<Unit>),
    Template(Value),
}

impl Unit {
    pub(super) fn new(file: Arc<File>, template: &Value, opening: &mut Opening<'_>) -> Self {
        let mut names: HashMap<Box<str>, Vec<DeclarationId>> = HashMap::default();
        for (id, declaration) in file.iter() {
            names.entry(file.name(declaration).into()).or_default().push(id);
        }
        let resources = template.get("resources");
        let sites = Sites::new(&file, resources);
        let mut opened = HashMap::default();
        for (step, id) in sites.iter() {
            let inner = child(resources, &step).and_then(|resource| resource.get("properties")?.get("template"));
            let module = inner.and_then(|template| opening.module(&file, file.declaration(id), template));
            opened.extend(module.map(|module| (id, module)));
        }
        let (imports, loads) = (Imports::new(&file, template), Loads::new(template));
        Self { file, names, sites, modules: opened, imports, loads }
    }

    /// The declaration with this kind and name.
    pub(super) fn declared(&self, kind: Kind, name: &str) -> Option<&Declaration> {
        let ids = self.names.get(name)?;
        ids.iter().map(|&id| self.file.declaration(id)).find(|declaration| declaration.kind == kind)
    }

    /// The source of the value at `steps`. `value` is the template.
    pub(super) fn locate(&self, steps: &[Step<'_>], value: Option<&Value>) -> Place {
        if let [resources, site, properties, template, rest @ ..] = steps
            && resources == "resources"
            && properties == "properties"
            && template == "template"
            && let Some(id) = self.sites.get(site)
        {
            let inner =
                [resources, site, properties, template].into_iter().fold(value, |value, step| child(value, step));
            return self.in_module(id, rest, inner);
        }
        self.place(self.find(steps, value))
    }

    /// The source of a value in the template of a module.
    fn in_module(&self, id: DeclarationId, steps: &[Step<'_>], value: Option<&Value>) -> Place {
        let statement = self.file.declaration(id);
        let mut place = match self.modules.get(&id).filter(|_| !steps.is_empty()) {
            Some(Module::Bicep(unit)) => unit.locate(steps, value),
            Some(Module::Template(template)) => match place_in_json(template, steps) {
                Some(place) => place,
                None => return self.place(Found::nearest(statement.range)),
            },
            None => return self.place(Found::nearest(statement.range)),
        };
        place.through.insert(0, self.file.span(statement.range));
        place
    }

    fn place(&self, found: Found) -> Place {
        Place {
            span: self.file.span(found.range),
            value: self.file.span(found.value),
            exactness: found.exactness,
            through: Vec::new(),
        }
    }

    /// Like [`Unit::locate`], for a value that is not in the template of a module.
    pub(super) fn find(&self, steps: &[Step<'_>], value: Option<&Value>) -> Found {
        let generated = Found { exactness: Exactness::Generated, ..Found::exact(Range::new(0, 0)) };
        let Some((section, rest)) = steps.split_first() else { return generated };
        let value = child(value, section);
        let found = match &**section {
            "resources" => self.resource(rest, value),
            "parameters" => self.parameter(rest, value),
            "variables" => self.variable(rest, value),
            "outputs" => self.output(rest, value),
            "definitions" => self.definition(rest, value),
            "functions" => self.function(rest, value),
            "metadata" => self.metadata(rest, value),
            "asserts" => self.simple(Kind::Assert, rest, value),
            "imports" | "extensions" => self.simple(Kind::Extension, rest, value),
            _ => None,
        };
        found.unwrap_or(generated)
    }

    fn parameter(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        let declaration = self.declared(Kind::Param, name)?;
        let value = child(value, name);
        match (rest.split_first(), &declaration.value) {
            (Some((step, rest)), Some(node)) if step == "defaultValue" => {
                Some(self.property(node, rest, child(value, step), Found::exact(node.range)))
            }
            _ => Some(self.constraint(
                declaration.annotation.as_ref(),
                &declaration.decorators,
                rest,
                value,
                Found::exact(declaration.range),
            )),
        }
    }

    fn variable(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        // Variables that are made by loops are entries of `variables.copy`.
        let (name, value, rest, is_loop) = match (rest, child(value, name)) {
            ([index, rest @ ..], Some(copy)) if name == "copy" && copy.as_array().is_some() => {
                let entry = child(Some(copy), index)?;
                (entry.get("name")?.as_str()?, Some(entry), rest, true)
            }
            (rest, value) => (&**name, value, rest, false),
        };
        let Some(node) = self.declared(Kind::Var, name).and_then(|variable| variable.value.as_ref()) else {
            // A variable without a declaration is the content of a loaded file, or imported.
            return self.loads.find(self, name).or_else(|| self.imports.find(name));
        };
        let here = Found::exact(node.range);
        Some(match &node.shape {
            Shape::Loop(iteration) if is_loop => self.copy(iteration, rest, value, here),
            _ => self.property(node, rest, value, here),
        })
    }

    fn output(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        let declaration = self.declared(Kind::Output, name)?;
        let (value, here) = (child(value, name), Found::exact(declaration.range));
        Some(match (rest.split_first(), &declaration.value) {
            (Some((step, rest)), Some(node)) if step == "value" => {
                self.property(node, rest, child(value, step), Found::exact(node.range))
            }
            (Some((step, rest)), Some(node)) if step == "copy" => match &node.shape {
                Shape::Loop(iteration) => self.copy(iteration, rest, child(value, step), here),
                _ => Found::nearest(declaration.range),
            },
            _ => self.constraint(declaration.annotation.as_ref(), &declaration.decorators, rest, value, here),
        })
    }

    fn definition(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        let value = child(value, name);
        match self.declared(Kind::Type, name) {
            Some(declaration) => Some(self.constraint(
                declaration.value.as_ref(),
                &declaration.decorators,
                rest,
                value,
                Found::exact(declaration.range),
            )),
            None => self.imports.find(name),
        }
    }

    /// The place of `functions/<index>/members/<name>/…`.
    fn function(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let [index, members, name, rest @ ..] = steps else { return None };
        let value = child(child(child(value, index), members), name);
        let Some(declaration) = self.declared(Kind::Func, name) else { return self.imports.find(name) };
        let here = Found::exact(declaration.range);
        let annotation = declaration.annotation.as_ref();
        Some(match rest {
            [step, index, rest @ ..] if step == "parameters" => {
                let value = child(child(value, step), index);
                match index.parse::<usize>().ok().and_then(|at| declaration.parts.get(at)) {
                    Some(part) => self.constraint(part.annotation.as_ref(), &[], rest, value, Found::exact(part.range)),
                    None => Found::nearest(declaration.range),
                }
            }
            [step, inner, rest @ ..] if step == "output" && inner == "value" => match &declaration.value {
                Some(node) => self.property(node, rest, None, Found::exact(node.range)),
                None => here,
            },
            [step, rest @ ..] if step == "output" => {
                let here = annotation.map_or(here, |node| Found::exact(node.range));
                self.constraint(annotation, &[], rest, child(value, step), here)
            }
            _ => self.constraint(None, &declaration.decorators, rest, value, here),
        })
    }

    /// The place of `metadata/<name>/…`. The compiler adds descriptions of exported variables and functions there.
    fn metadata(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        let kind = match &**name {
            "__bicep_exported_variables!" => Kind::Var,
            "__bicep_exported_functions!" => Kind::Func,
            _ => return self.simple(Kind::Metadata, steps, value),
        };
        let (index, rest) = rest.split_first()?;
        let entry = child(child(value, name), index)?;
        let declaration = self.declared(kind, entry.get("name")?.as_str()?)?;
        let here = Found::exact(declaration.range);
        Some(match rest {
            [step, rest @ ..] if step == "type" => {
                let here = declaration.annotation.as_ref().map_or(here, |node| Found::exact(node.range));
                self.constraint(declaration.annotation.as_ref(), &declaration.decorators, rest, entry.get(step), here)
            }
            [step] if step == "description" => self.decorated(&declaration.decorators, step).unwrap_or(here),
            _ => here,
        })
    }

    /// The place of a declaration that is only a name and a value.
    fn simple(&self, kind: Kind, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        let declaration = self.declared(kind, name)?;
        let here = Found::exact(declaration.range);
        Some(declaration.value.as_ref().map_or(here, |node| self.property(node, rest, child(value, name), here)))
    }
}

/// Opens the modules of one entry file.
pub(super) struct Opening<'a> {
    pub(super) modules: &'a mut dyn Modules,
    /// How many more declarations may be mapped. A module counts each time it is used.
    pub(super) declarations_left: usize,
}

impl Opening<'_> {
    /// Opens the module of a statement. `None` if it is not a local file, or if there are too many declarations.
    fn module(&mut self, file: &File, statement: &Declaration, template: &Value) -> Option<Module> {
        if statement.kind != Kind::Module {
            return None;
        }
        let path = file.word(statement.target?)?;
        if ["br:", "br/", "ts:", "ts/"].iter().any(|scheme| path.starts_with(scheme)) {
            return None;
        }
        Some(match self.modules.open(file.id, &path)? {
            ModuleFile::Bicep(file) => {
                self.declarations_left = self.declarations_left.checked_sub(file.declarations.len())?;
                Module::Bicep(Box::new(Unit::new(file, template, self)))
            }
            ModuleFile::Template(template) => Module::Template(template),
        })
    }
}

/// The place of the value at `steps` in a JSON module, which the compiler copies unchanged.
fn place_in_json(template: &Value, steps: &[Step<'_>]) -> Option<Place> {
    let mut value = template;
    let mut place = value.span.map(|span| (span, span));
    let mut exactness = Exactness::Exact;
    for step in steps {
        let Some(inner) = child(Some(value), step) else {
            exactness = Exactness::Nearest;
            break;
        };
        let member = value.as_object().and_then(|object| object.member(step)).and_then(Member::span);
        place = inner.span.map(|span| (member.unwrap_or(span), span)).or(place);
        value = inner;
    }
    place.map(|(span, value)| Place { span, value, exactness, through: Vec::new() })
}
