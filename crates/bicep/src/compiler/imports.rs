//! Declarations that a template imports from other files, with everything that they use.

use std::collections::VecDeque;
use std::path::Path;
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use crate::compiler::emitter::World;
use crate::compiler::exported;
use crate::compiler::formula::is_identifier;
use crate::compiler::model::{Model, Symbol, decorator};
use crate::compiler::order;
use crate::compiler::units::{Content, UnitId};
use crate::diagnostic::{Code, Diagnostic};
use crate::language::ast::{Expr, ExprKind, ImportNames, TypeExpr, TypeKind};
use crate::language::walk::{each_child, each_type};
use crate::text::Span;

/// Identity of a declaration in another file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub unit: UnitId,
    pub name: String,
}

/// An imported declaration that is part of the template.
#[derive(Debug)]
pub(super) struct Imported {
    pub key: Key,
    /// Name in the template.
    pub name: Rc<str>,
    /// Path or registry reference of its file, as the template shows it.
    pub source: String,
    /// Import statement that leads to it.
    pub span: Span,
}

/// All imported declarations of a template, sorted by name.
#[derive(Debug, Default)]
pub(super) struct Closure {
    pub all: Vec<Imported>,
}

struct ImportCollector<'e, 'w> {
    world: &'e World<'w>,
    queue: VecDeque<(Key, Span)>,
    known: HashMap<Key, Span>,
    /// Files of which everything is imported.
    wholes: HashSet<UnitId>,
}

/// Collects the imports of a file, and adds their names to `names`.
pub(super) fn closure(world: &World<'_>, model: &Model<'_>, names: &mut HashMap<(UnitId, String), Rc<str>>) -> Closure {
    let mut search =
        ImportCollector { world, queue: VecDeque::new(), known: HashMap::default(), wholes: HashSet::default() };
    let mut assigned: HashMap<Key, Rc<str>> = HashMap::default();
    search.imports(model, &mut assigned);
    while let Some((key, span)) = search.queue.pop_front() {
        if search.known.insert(key.clone(), span).is_none() {
            search.follow(&key, span);
        }
    }
    let folder = model.unit.path.parent().unwrap_or(&model.unit.path);
    let mut all: Vec<(Key, Span, String)> = search
        .known
        .into_iter()
        .map(|(key, span)| {
            let source = source_of(world, folder, key.unit);
            (key, span, source)
        })
        .collect();
    all.sort_by(|a, b| {
        let order = order::compare(&format!("{}_{}", a.2, a.0.name), &format!("{}_{}", b.2, b.0.name));
        // Different names may have the same weight.
        order.then_with(|| (a.0.unit, &a.0.name).cmp(&(b.0.unit, &b.0.name)))
    });
    let (mut next, mut files) = (1, HashMap::default());
    let mut closure = Closure::default();
    for (key, span, source) in all {
        let name = assigned.get(&key).map_or_else(
            || {
                let file = *files.entry(source.clone()).or_insert_with(|| counted(&mut next));
                let own = if is_identifier(&key.name) { key.name.clone() } else { format!("_{}", counted(&mut next)) };
                format!("_{file}.{own}").into()
            },
            Rc::clone,
        );
        names.insert((key.unit, key.name.clone()), Rc::clone(&name));
        closure.all.push(Imported { key, name, source, span });
    }
    closure.all.sort_by(|a, b| order::compare(&a.name, &b.name));
    closure
}

fn source_of(world: &World<'_>, folder: &Path, unit: UnitId) -> String {
    world.units.get(unit).map_or_else(String::new, |unit| match &unit.registry {
        Some(registry) => registry.clone(),
        None => relative(folder, &unit.path),
    })
}

fn counted(next: &mut u32) -> u32 {
    *next += 1;
    *next - 1
}

/// Returns a path relative to a folder, with `/`.
pub(super) fn relative(folder: &Path, path: &Path) -> String {
    let common = folder.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().count() - common;
    let rest = path.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = std::iter::repeat_n("..".to_owned(), up).chain(rest).collect();
    parts.join("/")
}

impl ImportCollector<'_, '_> {
    fn add(&mut self, unit: UnitId, name: &str, span: Span) {
        self.queue.push_back((Key { unit, name: name.to_owned() }, span));
    }

    fn imports(&mut self, model: &Model<'_>, assigned: &mut HashMap<Key, Rc<str>>) {
        for (unit, imported) in &model.imports {
            match imported {
                ImportNames::All(name) => self.add_all(*unit, name.span),
                ImportNames::Each(each) => {
                    let exported: HashSet<String> = self.exports(*unit).into_iter().collect();
                    for (original, alias) in each {
                        if !exported.contains(&*original.text) {
                            // The unreadable part of the file may export it.
                            if self.world.model(*unit).is_some_and(|model| model.unit.is_broken) {
                                continue;
                            }
                            let message = format!("the file does not export `{}`", original.text);
                            let problem = Diagnostic::new(Code::BicepDiagnostic, original.span, message);
                            self.world.report(problem.with_bicep_code("BCP360"));
                            continue;
                        }
                        let key = Key { unit: *unit, name: original.text.to_string() };
                        assigned.insert(key, (&*alias.text).into());
                        self.add(*unit, &original.text, original.span);
                    }
                }
            }
        }
    }

    /// Returns the names that a file exports.
    fn exports(&self, unit: UnitId) -> Vec<String> {
        if let Some(model) = self.world.model(unit) {
            let declared = model.types.iter().chain(&model.variables);
            let declared = declared.filter(|own| decorator(own.decorators, "export").is_some()).map(|own| own.name);
            let functions = model.functions.iter().filter(|(_, decorators)| decorator(decorators, "export").is_some());
            let names = declared.chain(functions.map(|(function, _)| &function.name));
            return names.map(|name| name.text.to_string()).collect();
        }
        match self.world.units.get(unit).map(|unit| &unit.content) {
            Some(Content::Template(template)) => exported::names(template),
            _ => Vec::new(),
        }
    }

    /// Adds everything that a file exports, once.
    fn add_all(&mut self, unit: UnitId, span: Span) {
        if self.wholes.insert(unit) {
            for name in self.exports(unit) {
                self.add(unit, &name, span);
            }
        }
    }

    /// Adds the declarations that a declaration uses.
    fn follow(&mut self, key: &Key, span: Span) {
        let Some(model) = self.world.model(key.unit) else {
            if let Some(Content::Template(template)) = self.world.units.get(key.unit).map(|unit| &unit.content) {
                for name in exported::uses(template, &key.name) {
                    self.add(key.unit, &name, span);
                }
            }
            return;
        };
        match model.symbols.get(key.name.as_str()) {
            Some(Symbol::Type(at)) => {
                if let Some(ty) = model.types.get(*at).and_then(|declared| declared.ty) {
                    self.in_type(model, ty, span);
                }
            }
            Some(Symbol::Variable(at)) => {
                let Some(variable) = model.variables.get(*at) else { return };
                variable.ty.into_iter().for_each(|ty| self.in_type(model, ty, span));
                variable.value.into_iter().for_each(|value| self.in_value(model, value, span));
            }
            Some(Symbol::Function(at)) => {
                let Some((function, _)) = model.functions.get(*at) else { return };
                function.parameters.iter().for_each(|(_, ty)| self.in_type(model, ty, span));
                self.in_type(model, &function.result, span);
                self.in_value(model, &function.body, span);
            }
            _ => {}
        }
    }

    fn name(&mut self, model: &Model<'_>, name: &str, span: Span) {
        match model.symbols.get(name) {
            Some(Symbol::Type(_) | Symbol::Variable(_) | Symbol::Function(_)) => self.add(model.id, name, span),
            Some(Symbol::Imported(unit, original)) => self.add(*unit, original, span),
            Some(Symbol::Wildcard(unit)) => self.add_all(*unit, span),
            _ => {}
        }
    }

    fn in_value(&mut self, model: &Model<'_>, expr: &Expr, span: Span) {
        match &expr.kind {
            ExprKind::Variable(name) => self.name(model, &name.text, span),
            ExprKind::Call { name, .. } => self.name(model, &name.text, span),
            _ => {}
        }
        let load = self.world.loads.get(model.id.0).and_then(|loads| loads.get(expr.span));
        if let Some(variable) = load.and_then(|load| load.variable.as_ref()) {
            self.add(model.id, variable, span);
        }
        each_child(expr, &mut |child| self.in_value(model, child, span));
    }

    fn in_type(&mut self, model: &Model<'_>, ty: &TypeExpr, span: Span) {
        if let TypeKind::Name(name) = &ty.kind {
            self.name(model, &name.text, span);
        }
        each_type(ty, &mut |inner, _| self.in_type(model, inner, span));
    }
}
