//! Maps a template to the Bicep file from which it was compiled, and to the modules of that file.

use std::sync::Arc;

use arcstr::Substr;
use foldhash::HashMap;

use crate::language::SyntaxTree;
use crate::language::ast::{Declaration, DeclarationKind, Expr, ExprKind, Function, TypeExpr};
use crate::source_map::import::Imports;
use crate::source_map::load::Loads;
use crate::source_map::pointer::{PathStep, child};
use crate::source_map::property::FileLocation;
use crate::source_map::sites::{SiteId, SiteSource, Sites};
use crate::source_map::types::decorated;
use crate::source_map::{Exactness, ModuleFile, Modules, SourceLocation};
use crate::text::Span;
use crate::value::{Member, Value};

/// A Bicep file, with the tables that match its template.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) tree: Arc<SyntaxTree>,
    /// Indices of the declarations by name. Declarations of different kinds may have the same name.
    names: HashMap<Substr, Vec<usize>>,
    pub(super) sites: Sites,
    modules: HashMap<SiteId, Module>,
    imports: Imports,
    loads: Loads,
}

/// Module of a `module` statement.
#[derive(Debug)]
enum Module {
    Bicep(Box<Unit>),
    Template(Value),
}

impl Unit {
    pub(super) fn new(tree: Arc<SyntaxTree>, template: &Value, opening: &mut Opening<'_>) -> Self {
        let mut names: HashMap<Substr, Vec<usize>> = HashMap::default();
        for (at, declaration) in tree.declarations.iter().enumerate() {
            if let Some(name) = declaration.name() {
                names.entry(name.text.clone()).or_default().push(at);
            }
        }
        let resources = template.get("resources");
        let sites = Sites::new(&tree, resources);
        let mut opened = HashMap::default();
        for (step, id, site) in sites.iter() {
            let inner = child(resources, &step).and_then(|resource| resource.get("properties")?.get("template"));
            let statement = site.written(&tree).filter(|written| written.is_module);
            let module = inner.zip(statement).and_then(|(inner, statement)| opening.module(&tree, statement, inner));
            opened.extend(module.map(|module| (id, module)));
        }
        let (imports, loads) = (Imports::new(&tree, template), Loads::new(template));
        Self { tree, names, sites, modules: opened, imports, loads }
    }

    /// Returns the first result of `choose` for the declarations with this name.
    fn declared<'a, T>(
        &'a self,
        name: &str,
        choose: impl Fn(&'a Declaration, &'a DeclarationKind) -> Option<T>,
    ) -> Option<T> {
        let declarations = self.names.get(name)?.iter().filter_map(|at| self.tree.declarations.get(*at));
        declarations.map(|declaration| choose(declaration, &declaration.kind)).find_map(|chosen| chosen)
    }

    /// Returns the value of a variable.
    pub(super) fn variable_value(&self, name: &str) -> Option<&Expr> {
        self.declared(name, |_, kind| match kind {
            DeclarationKind::Var { value, .. } => Some(value),
            _ => None,
        })
    }

    /// Returns a type by its name.
    pub(super) fn named_type(&self, name: &str) -> Option<&TypeExpr> {
        self.declared(name, |_, kind| match kind {
            DeclarationKind::Type { ty, .. } => Some(ty),
            _ => None,
        })
    }

    /// Returns the source of the value at `steps`. `value` is the template.
    pub(super) fn locate(&self, steps: &[PathStep<'_>], value: Option<&Value>) -> SourceLocation {
        if let [resources, site, properties, template, rest @ ..] = steps
            && resources == "resources"
            && properties == "properties"
            && template == "template"
            && let Some((id, declared)) = self.sites.get(site)
            && let Some(statement) = declared.written(&self.tree)
        {
            let inner =
                [resources, site, properties, template].into_iter().fold(value, |value, step| child(value, step));
            return self.in_module(id, statement, rest, inner);
        }
        place(self.find(steps, value))
    }

    /// Returns the source of a value in the template of a module.
    fn in_module(
        &self,
        id: SiteId,
        statement: SiteSource<'_>,
        steps: &[PathStep<'_>],
        value: Option<&Value>,
    ) -> SourceLocation {
        let mut place = match self.modules.get(&id).filter(|_| !steps.is_empty()) {
            Some(Module::Bicep(unit)) => unit.locate(steps, value),
            Some(Module::Template(template)) => match place_in_json(template, steps) {
                Some(place) => place,
                None => return place(FileLocation::nearest(statement.span)),
            },
            None => return place(FileLocation::nearest(statement.span)),
        };
        place.through.insert(0, statement.span);
        place
    }

    /// Locates a value that is not in the template of a module, like [`Unit::locate`].
    pub(super) fn find(&self, steps: &[PathStep<'_>], value: Option<&Value>) -> FileLocation {
        let generated =
            FileLocation { exactness: Exactness::Generated, ..FileLocation::exact(Span::whole_file(self.tree.file)) };
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
            "asserts" => self.assertion(rest, value),
            "imports" | "extensions" => self.extension(rest, value),
            _ => None,
        };
        found.unwrap_or(generated)
    }

    fn parameter(&self, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (name, rest) = steps.split_first()?;
        let (declaration, ty, default) = self.declared(name, |declaration, kind| match kind {
            DeclarationKind::Param { ty, value, .. } => Some((declaration, ty.as_ref(), value.as_ref())),
            _ => None,
        })?;
        let value = child(value, name);
        Some(match (rest.split_first(), default) {
            (Some((step, rest)), Some(default)) if step == "defaultValue" => {
                self.search().property(default, rest, child(value, step), FileLocation::exact(default.span))
            }
            _ => self.constraint(ty, &declaration.decorators, rest, value, FileLocation::exact(declaration.span)),
        })
    }

    fn variable(&self, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (name, rest) = steps.split_first()?;
        // Variables with loops are entries of `variables.copy`.
        let (name, value, rest, is_loop) = match (rest, child(value, name)) {
            ([index, rest @ ..], Some(copy)) if name == "copy" && copy.as_array().is_some() => {
                let entry = child(Some(copy), index)?;
                (entry.get("name")?.as_str()?, Some(entry), rest, true)
            }
            (rest, value) => (&**name, value, rest, false),
        };
        let Some(written) = self.variable_value(name) else {
            // A variable without a declaration is the content of a loaded file, or imported.
            return self.loads.find(self, name).or_else(|| self.imports.find(name));
        };
        let here = FileLocation::exact(written.span);
        Some(match &written.kind {
            ExprKind::For(iteration) if is_loop => self.search().copy(iteration, rest, value, here),
            _ => self.search().property(written, rest, value, here),
        })
    }

    fn output(&self, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (name, rest) = steps.split_first()?;
        let (declaration, ty, written) = self.declared(name, |declaration, kind| match kind {
            DeclarationKind::Output { ty, value, .. } => Some((declaration, ty, value)),
            _ => None,
        })?;
        let (value, here) = (child(value, name), FileLocation::exact(declaration.span));
        Some(match rest.split_first() {
            Some((step, rest)) if step == "value" => {
                self.search().property(written, rest, child(value, step), FileLocation::exact(written.span))
            }
            Some((step, rest)) if step == "copy" => match &written.kind {
                ExprKind::For(iteration) => self.search().copy(iteration, rest, child(value, step), here),
                _ => FileLocation::nearest(declaration.span),
            },
            _ => self.constraint(Some(ty), &declaration.decorators, rest, value, here),
        })
    }

    fn definition(&self, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (name, rest) = steps.split_first()?;
        let declared = self.declared(name, |declaration, kind| match kind {
            DeclarationKind::Type { ty, .. } => Some((declaration, ty)),
            _ => None,
        });
        let Some((declaration, ty)) = declared else { return self.imports.find(name) };
        let here = FileLocation::exact(declaration.span);
        Some(self.constraint(Some(ty), &declaration.decorators, rest, child(value, name), here))
    }

    fn declared_function(&self, name: &str) -> Option<(&Declaration, &Function)> {
        self.declared(name, |declaration, kind| match kind {
            DeclarationKind::Func(function) => Some((declaration, function)),
            _ => None,
        })
    }

    /// Locates `functions/<index>/members/<name>/…`.
    fn function(&self, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let [index, members, name, rest @ ..] = steps else { return None };
        let value = child(child(child(value, index), members), name);
        let Some((declaration, function)) = self.declared_function(name) else { return self.imports.find(name) };
        let Function { parameters, result, body, .. } = function;
        let here = FileLocation::exact(declaration.span);
        Some(match rest {
            [step, index, rest @ ..] if step == "parameters" => {
                let value = child(child(value, step), index);
                match index.parse::<usize>().ok().and_then(|at| parameters.get(at)) {
                    Some((name, ty)) => {
                        self.constraint(Some(ty), &[], rest, value, FileLocation::exact(name.span.to(ty.span)))
                    }
                    None => FileLocation::nearest(declaration.span),
                }
            }
            [step, inner, rest @ ..] if step == "output" && inner == "value" => {
                self.search().property(body, rest, None, FileLocation::exact(body.span))
            }
            [step, rest @ ..] if step == "output" => {
                self.constraint(Some(result), &[], rest, child(value, step), FileLocation::exact(result.span))
            }
            _ => self.constraint(None, &declaration.decorators, rest, value, here),
        })
    }

    /// Locates `metadata/<name>/…`. The compiler adds descriptions of exported variables and functions there.
    fn metadata(&self, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (name, rest) = steps.split_first()?;
        let exported = |rest: &[PathStep<'_>]| child(child(value, name), rest.first()?)?.get("name")?.as_str();
        let (declaration, ty) = match &**name {
            "__bicep_exported_variables!" => self.declared(exported(rest)?, |declaration, kind| match kind {
                DeclarationKind::Var { ty, .. } => Some((declaration, ty.as_ref())),
                _ => None,
            })?,
            "__bicep_exported_functions!" => {
                let (declaration, function) = self.declared_function(exported(rest)?)?;
                (declaration, Some(&function.result))
            }
            _ => {
                let declared = self.declared(name, |declaration, kind| match kind {
                    DeclarationKind::Metadata { value, .. } => Some((declaration, value)),
                    _ => None,
                });
                let (declaration, written) = declared?;
                return Some(self.simple(declaration, Some(written), rest, child(value, name)));
            }
        };
        let (index, rest) = rest.split_first()?;
        let entry = child(child(value, name), index)?;
        let here = FileLocation::exact(declaration.span);
        Some(match rest {
            [step, rest @ ..] if step == "type" => {
                let here = ty.map_or(here, |ty| FileLocation::exact(ty.span));
                self.constraint(ty, &declaration.decorators, rest, entry.get(step), here)
            }
            [step] if step == "description" => decorated(&declaration.decorators, step).unwrap_or(here),
            _ => here,
        })
    }

    fn assertion(&self, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (name, rest) = steps.split_first()?;
        let (declaration, written) = self.declared(name, |declaration, kind| match kind {
            DeclarationKind::Assert { value, .. } => Some((declaration, value)),
            _ => None,
        })?;
        Some(self.simple(declaration, Some(written), rest, child(value, name)))
    }

    fn extension(&self, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (name, rest) = steps.split_first()?;
        let (declaration, config) = self.declared(name, |declaration, kind| match kind {
            DeclarationKind::Extension(extension) => Some((declaration, extension.config.as_ref())),
            _ => None,
        })?;
        Some(self.simple(declaration, config, rest, child(value, name)))
    }

    /// Locates a declaration that has only a name and a value.
    fn simple(
        &self,
        declaration: &Declaration,
        written: Option<&Expr>,
        steps: &[PathStep<'_>],
        value: Option<&Value>,
    ) -> FileLocation {
        let here = FileLocation::exact(declaration.span);
        written.map_or(here, |written| self.search().property(written, steps, value, here))
    }
}

fn place(found: FileLocation) -> SourceLocation {
    SourceLocation { span: found.span, value: found.value, exactness: found.exactness, through: Vec::new() }
}

/// Opens the modules of one entry file.
pub(super) struct Opening<'a> {
    pub(super) modules: &'a mut dyn Modules,
    /// Number of declarations that may still be mapped. A module counts each time it is used.
    pub(super) declarations_left: usize,
}

impl Opening<'_> {
    /// Opens the module of a statement. `None` if it is not a local file, or if there are too many declarations.
    fn module(&mut self, tree: &SyntaxTree, statement: SiteSource<'_>, template: &Value) -> Option<Module> {
        let path = statement.target_text;
        if path.is_empty() || ["br:", "br/", "ts:", "ts/"].iter().any(|scheme| path.starts_with(scheme)) {
            return None;
        }
        Some(match self.modules.open(tree.file, path)? {
            ModuleFile::Bicep(tree) => {
                self.declarations_left = self.declarations_left.checked_sub(tree.declarations.len())?;
                Module::Bicep(Box::new(Unit::new(tree, template, self)))
            }
            ModuleFile::Template(template) => Module::Template(template),
        })
    }
}

/// Returns the location of the value at `steps` in a JSON module, which the compiler copies unchanged.
fn place_in_json(template: &Value, steps: &[PathStep<'_>]) -> Option<SourceLocation> {
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
    place.map(|(span, value)| SourceLocation { span, value, exactness, through: Vec::new() })
}
