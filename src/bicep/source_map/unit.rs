//! One Bicep file and the template that it was compiled to.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::bicep::reader::{Declaration, DeclarationId, DeclarationKind as Kind, File, Range, Shape};
use crate::bicep::source_map::import::Imports;
use crate::bicep::source_map::load::Loads;
use crate::bicep::source_map::pointer::{Step, child};
use crate::bicep::source_map::property::Found;
use crate::bicep::source_map::sites::Sites;
use crate::bicep::source_map::{Exactness, ModuleFile, Modules, Place};
use crate::value::{Member, Value};

/// A file, and what its template's names mean in it.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) file: Arc<File>,
    names: FxHashMap<Box<str>, Vec<DeclarationId>>,
    pub(super) sites: Sites,
    modules: FxHashMap<DeclarationId, Module>,
    imports: Imports,
    loads: Loads,
}

/// What a `module` statement leads to.
#[derive(Debug)]
enum Module {
    Bicep(Box<Unit>),
    Template(Value),
}

impl Unit {
    pub(super) fn new(file: Arc<File>, template: &Value, opening: &mut Opening<'_>) -> Self {
        let mut names: FxHashMap<Box<str>, Vec<DeclarationId>> = FxHashMap::default();
        for (id, it) in file.iter() {
            names.entry(file.name(it).into()).or_default().push(id);
        }
        let resources = template.get("resources");
        let sites = Sites::new(&file, resources);
        let mut opened = FxHashMap::default();
        for (step, id) in sites.iter() {
            let inner = child(resources, &step).and_then(|it| it.get("properties")?.get("template"));
            let module = inner.and_then(|template| opening.module(&file, file.declaration(id), template));
            opened.extend(module.map(|it| (id, it)));
        }
        let (imports, loads) = (Imports::new(&file, template), Loads::new(template));
        Self { file, names, sites, modules: opened, imports, loads }
    }

    /// The declaration of this kind and name.
    pub(super) fn declared(&self, kind: Kind, name: &str) -> Option<&Declaration> {
        let ids = self.names.get(name)?;
        ids.iter().map(|&id| self.file.declaration(id)).find(|it| it.kind == kind)
    }

    /// Where the value at `steps` was written; `value` is the template.
    pub(super) fn locate(&self, steps: &[Step<'_>], value: Option<&Value>) -> Place {
        if let [resources, site, properties, template, rest @ ..] = steps
            && resources == "resources"
            && properties == "properties"
            && template == "template"
            && let Some(id) = self.sites.get(site)
        {
            let inner = steps[..4].iter().fold(value, |value, step| child(value, step));
            return self.in_module(id, rest, inner);
        }
        self.place(self.find(steps, value))
    }

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

    /// As [`Unit::locate`], outside of modules.
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
        let it = self.declared(Kind::Param, name)?;
        let value = child(value, name);
        match (rest.split_first(), &it.value) {
            (Some((step, rest)), Some(node)) if step == "defaultValue" => {
                Some(self.property(node, rest, child(value, step), Found::exact(node.range)))
            }
            _ => Some(self.constraint(it.annotation.as_ref(), &it.decorators, rest, value, Found::exact(it.range))),
        }
    }

    fn variable(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        let (name, value, rest, is_loop) = match (rest, child(value, name)) {
            ([index, rest @ ..], Some(copy)) if name == "copy" && copy.as_array().is_some() => {
                let entry = child(Some(copy), index)?;
                (entry.get("name")?.as_str()?, Some(entry), rest, true)
            }
            (rest, value) => (&**name, value, rest, false),
        };
        let Some(node) = self.declared(Kind::Var, name).and_then(|it| it.value.as_ref()) else {
            return self.loads.find(self, name).or_else(|| self.imports.find(name));
        };
        let here = Found::exact(node.range);
        Some(match &node.shape {
            Shape::Loop(it) if is_loop => self.copy(it, rest, value, here),
            _ => self.property(node, rest, value, here),
        })
    }

    fn output(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        let it = self.declared(Kind::Output, name)?;
        let (value, here) = (child(value, name), Found::exact(it.range));
        Some(match (rest.split_first(), &it.value) {
            (Some((step, rest)), Some(node)) if step == "value" => {
                self.property(node, rest, child(value, step), Found::exact(node.range))
            }
            (Some((step, rest)), Some(node)) if step == "copy" => match &node.shape {
                Shape::Loop(it) => self.copy(it, rest, child(value, step), here),
                _ => Found::nearest(it.range),
            },
            _ => self.constraint(it.annotation.as_ref(), &it.decorators, rest, value, here),
        })
    }

    fn definition(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        let value = child(value, name);
        match self.declared(Kind::Type, name) {
            Some(it) => Some(self.constraint(it.value.as_ref(), &it.decorators, rest, value, Found::exact(it.range))),
            None => self.imports.find(name),
        }
    }

    /// `functions/0/members/name/…`
    fn function(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let [index, members, name, rest @ ..] = steps else { return None };
        let value = child(child(child(value, index), members), name);
        let Some(it) = self.declared(Kind::Func, name) else { return self.imports.find(name) };
        let here = Found::exact(it.range);
        let annotation = it.annotation.as_ref();
        Some(match rest {
            [step, index, rest @ ..] if step == "parameters" => {
                let value = child(child(value, step), index);
                match index.parse::<usize>().ok().and_then(|at| it.parts.get(at)) {
                    Some(part) => self.constraint(part.annotation.as_ref(), &[], rest, value, Found::exact(part.range)),
                    None => Found::nearest(it.range),
                }
            }
            [step, inner, rest @ ..] if step == "output" && inner == "value" => match &it.value {
                Some(node) => self.property(node, rest, None, Found::exact(node.range)),
                None => here,
            },
            [step, rest @ ..] if step == "output" => {
                let here = annotation.map_or(here, |it| Found::exact(it.range));
                self.constraint(annotation, &[], rest, child(value, step), here)
            }
            _ => self.constraint(None, &it.decorators, rest, value, here),
        })
    }

    fn metadata(&self, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        let kind = match &**name {
            "__bicep_exported_variables!" => Kind::Var,
            "__bicep_exported_functions!" => Kind::Func,
            _ => return self.simple(Kind::Metadata, steps, value),
        };
        let (index, rest) = rest.split_first()?;
        let entry = child(child(value, name), index)?;
        let it = self.declared(kind, entry.get("name")?.as_str()?)?;
        let here = Found::exact(it.range);
        Some(match rest {
            [step, rest @ ..] if step == "type" => {
                let here = it.annotation.as_ref().map_or(here, |it| Found::exact(it.range));
                self.constraint(it.annotation.as_ref(), &it.decorators, rest, entry.get(step), here)
            }
            [step] if step == "description" => self.decorated(&it.decorators, step).unwrap_or(here),
            _ => here,
        })
    }

    /// A declaration that is a name and a value.
    fn simple(&self, kind: Kind, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        let it = self.declared(kind, name)?;
        let here = Found::exact(it.range);
        Some(it.value.as_ref().map_or(here, |node| self.property(node, rest, child(value, name), here)))
    }
}

/// Opens the modules of one entry file.
pub(super) struct Opening<'a> {
    pub(super) modules: &'a mut dyn Modules,
    /// How many declarations may still be looked at: a module may be used many times.
    pub(super) declarations_left: usize,
}

impl Opening<'_> {
    /// The module of a statement, if it is in the repository.
    fn module(&mut self, file: &File, statement: &Declaration, template: &Value) -> Option<Module> {
        if statement.kind != Kind::Module {
            return None;
        }
        let path = file.word(statement.target?)?;
        if ["br:", "br/", "ts:", "ts/"].iter().any(|it| path.starts_with(it)) {
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

/// A template in JSON is compiled to itself.
fn place_in_json(template: &Value, steps: &[Step<'_>]) -> Option<Place> {
    let mut value = template;
    let mut place = value.span.map(|it| (it, it));
    let mut exactness = Exactness::Exact;
    for step in steps {
        let Some(inner) = child(Some(value), step) else {
            exactness = Exactness::Nearest;
            break;
        };
        let member = value.as_object().and_then(|it| it.member(step)).and_then(Member::span);
        place = inner.span.map(|it| (member.unwrap_or(it), it)).or(place);
        value = inner;
    }
    place.map(|(span, value)| Place { span, value, exactness, through: Vec::new() })
}
