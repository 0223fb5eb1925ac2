//! Declarations of one file, and the names that refer to them.

use foldhash::HashMap;

use crate::compiler::extensions::{self, ExtensionInfo, ExtensionSource};
use crate::compiler::features::Features;
use crate::compiler::functions::Namespace;
use crate::compiler::units::{Content, Unit, UnitId};
use crate::diagnostic::{Code, Diagnostic};
use crate::language::ast::{
    Declaration, DeclarationKind, Decorator, Expr, ExprKind, For, Function, ImportNames, Item, Module, Name, Resource,
    Text, TypeExpr, property,
};
use crate::schema;
use crate::text::{FileId, Span};

/// Index of a [`ResourceInfo`].
pub(super) type ResourceId = usize;

/// Scope that a template targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Target {
    Tenant,
    ManagementGroup,
    Subscription,
    #[default]
    ResourceGroup,
    Local,
}

/// Declaration that a top-level name refers to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol<'a> {
    Param(usize),
    Variable(usize),
    Type(usize),
    Function(usize),
    Resource(ResourceId),
    Module(usize),
    /// A name of another file.
    Imported(UnitId, &'a str),
    /// All names of another file.
    Wildcard(UnitId),
    Extension,
    /// A name that is declared in a file that cannot be read.
    Unknown,
}

/// A declaration with a name, a type and a value.
#[derive(Debug)]
pub(super) struct Declared<'a> {
    pub name: &'a Name,
    pub ty: Option<&'a TypeExpr>,
    pub value: Option<&'a Expr>,
    pub decorators: &'a [Decorator],
    pub span: Span,
}

/// Body of a resource or module, without the loop and the condition around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body<'a> {
    pub iteration: Option<&'a For>,
    pub condition: Option<&'a Expr>,
    pub items: &'a [Item],
    pub span: Span,
}

impl<'a> Body<'a> {
    fn from_expr(value: &'a Expr) -> Option<Self> {
        let (iteration, inner) = match &value.kind {
            ExprKind::For(iteration) => (Some(&**iteration), &iteration.body),
            _ => (None, value),
        };
        let (condition, inner) = match &inner.bare().kind {
            ExprKind::If(inner) => (Some(&inner.0), &inner.1),
            _ => (None, inner.bare()),
        };
        Some(Self { iteration, condition, items: inner.as_object()?, span: inner.span })
    }

    /// Returns the value of a property.
    pub(super) fn get(&self, name: &str) -> Option<&'a Expr> {
        property(self.items, name)
    }
}

/// The parent of a resource.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parent<'a> {
    pub resource: ResourceId,
    pub index: Option<&'a Expr>,
    /// True if the resource is nested in its parent.
    pub is_nested: bool,
}

#[derive(Debug)]
pub(super) struct ResourceInfo<'a> {
    pub declaration: &'a Resource,
    /// Full type, without the version.
    pub ty: String,
    pub version: Option<String>,
    pub body: Body<'a>,
    pub parent: Option<Parent<'a>>,
    pub children: Vec<ResourceId>,
    /// True if its parents and scopes lead back to it.
    pub has_cyclic_scope: bool,
    /// Extension that publishes the type. `None` for Azure types.
    pub extension: Option<usize>,
}

impl ResourceInfo<'_> {
    pub(super) fn is_collection(&self) -> bool {
        self.body.iteration.is_some()
    }

    pub(super) fn is_azure(&self) -> bool {
        self.extension.is_none()
    }
}

#[derive(Debug)]
pub(super) struct ModuleInfo<'a> {
    pub declaration: &'a Module,
    pub body: Body<'a>,
    pub decorators: &'a [Decorator],
    pub unit: UnitId,
    pub span: Span,
}

/// Declarations of a file, in source order.
#[derive(Debug)]
pub(super) struct Model<'a> {
    pub id: UnitId,
    pub unit: &'a Unit,
    pub file: FileId,
    pub target: Target,
    pub symbols: HashMap<&'a str, Symbol<'a>>,
    pub params: Vec<Declared<'a>>,
    pub variables: Vec<Declared<'a>>,
    pub types: Vec<Declared<'a>>,
    pub outputs: Vec<Declared<'a>>,
    pub metadata: Vec<Declared<'a>>,
    pub asserts: Vec<Declared<'a>>,
    pub functions: Vec<(&'a Function, &'a [Decorator])>,
    /// Resources. Nested ones come after the resource that contains them.
    pub resources: Vec<ResourceInfo<'a>>,
    pub modules: Vec<ModuleInfo<'a>>,
    pub extensions: Vec<ExtensionInfo<'a>>,
    pub imports: Vec<(UnitId, &'a ImportNames)>,
    pub using: Option<(Option<UnitId>, Option<&'a Text>)>,
    pub extends: Vec<UnitId>,
    pub declarations: &'a [Declaration],
    pub problems: Vec<Diagnostic>,
}

impl<'a> Model<'a> {
    /// Collects the declarations of a Bicep file. Returns `None` for an ARM template.
    pub(super) fn from_unit(id: UnitId, unit: &'a Unit) -> Option<Self> {
        let Content::Bicep(tree, links) = &unit.content else { return None };
        let mut model = Self {
            id,
            unit,
            file: unit.file,
            target: Target::default(),
            symbols: HashMap::default(),
            params: Vec::new(),
            variables: Vec::new(),
            types: Vec::new(),
            outputs: Vec::new(),
            metadata: Vec::new(),
            asserts: Vec::new(),
            functions: Vec::new(),
            resources: Vec::new(),
            modules: Vec::new(),
            extensions: Vec::new(),
            imports: Vec::new(),
            using: None,
            extends: Vec::new(),
            declarations: &tree.declarations,
            problems: Vec::new(),
        };
        let extensions = tree.declarations.iter().filter_map(|declaration| match &declaration.kind {
            DeclarationKind::Extension(extension) => Some(ExtensionInfo::resolve(extension, &unit.configuration)),
            _ => None,
        });
        model.extensions = extensions.collect();
        let names: Vec<&Name> = model.extensions.iter().filter_map(ExtensionInfo::declared).collect();
        for name in names {
            model.declare(name, Symbol::Extension);
        }
        for (declaration, link) in tree.declarations.iter().zip(links) {
            model.declaration(declaration, *link);
        }
        model.resolve_parents();
        model.check_scope_cycles();
        Some(model)
    }

    /// Returns the experimental features that are on for the file.
    pub(super) fn features(&self) -> &'a Features {
        &self.unit.configuration.features
    }

    /// Returns the extension that a template names for a resource. The Azure extension is named only if the file
    /// declares it.
    pub(super) fn extension_of(&self, resource: &ResourceInfo<'_>) -> Option<&ExtensionInfo<'a>> {
        match resource.extension {
            Some(at) => self.extensions.get(at),
            None => self.extensions.iter().find(|own| own.source == ExtensionSource::Azure),
        }
    }

    /// True if the file is a parameter file.
    pub(super) fn is_parameters(&self) -> bool {
        self.unit.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bicepparam"))
    }

    pub(super) fn problem(&mut self, code: &str, span: Span, message: impl Into<String>) {
        self.problems.push(Diagnostic::new(Code::BicepDiagnostic, span, message).with_bicep_code(code));
    }

    fn declare(&mut self, name: &'a Name, symbol: Symbol<'a>) {
        // An expression reads an invalid name with hyphens as a difference.
        for part in name.text.split('-').filter(|part| part.len() < name.text.len()) {
            self.symbols.entry(part).or_insert(Symbol::Unknown);
        }
        self.symbols.insert(&name.text, symbol);
    }

    fn declaration(&mut self, declaration: &'a Declaration, link: Option<UnitId>) {
        let (decorators, span) = (declaration.decorators.as_slice(), declaration.span);
        let declared = |name, ty, value| Declared { name, ty, value, decorators, span };
        match &declaration.kind {
            DeclarationKind::TargetScope(value) => self.target(value),
            DeclarationKind::Metadata { name, value } => self.metadata.push(declared(name, None, Some(value))),
            DeclarationKind::Assert { name, value } => self.asserts.push(declared(name, None, Some(value))),
            DeclarationKind::Param { name, ty, value } => {
                self.declare(name, Symbol::Param(self.params.len()));
                self.params.push(declared(name, ty.as_ref(), value.as_ref()));
            }
            DeclarationKind::Var { name, ty, value } => {
                self.declare(name, Symbol::Variable(self.variables.len()));
                self.variables.push(declared(name, ty.as_ref(), Some(value)));
            }
            DeclarationKind::Type { name, ty } => {
                self.declare(name, Symbol::Type(self.types.len()));
                self.types.push(declared(name, Some(ty), None));
            }
            DeclarationKind::Output { name, ty, value } => {
                self.outputs.push(declared(name, Some(ty), Some(value)));
            }
            DeclarationKind::Func(function) => {
                self.declare(&function.name, Symbol::Function(self.functions.len()));
                self.functions.push((function, decorators));
            }
            DeclarationKind::Resource(resource) => self.resource(resource, None),
            DeclarationKind::Module(module) => self.module(module, declaration, link),
            DeclarationKind::Import(import) => self.import(&import.names, link),
            DeclarationKind::Using { target, .. } => self.using = Some((link, target.as_ref())),
            DeclarationKind::Extends(_) => self.extends.extend(link),
            DeclarationKind::Skipped
            | DeclarationKind::Test(_)
            | DeclarationKind::Extension(_)
            | DeclarationKind::ExtensionConfig { .. } => {}
        }
    }

    fn target(&mut self, value: &'a Expr) {
        self.target = match value.literal() {
            Some("tenant") => Target::Tenant,
            Some("managementGroup") => Target::ManagementGroup,
            Some("subscription") => Target::Subscription,
            Some("resourceGroup") => Target::ResourceGroup,
            Some("local") => Target::Local,
            _ if matches!(value.kind, ExprKind::Skipped) => return,
            _ => {
                let message = "expected `'resourceGroup'`, `'subscription'`, `'managementGroup'` or `'tenant'`";
                return self.problem("BCP033", value.span, message);
            }
        };
    }

    fn import(&mut self, names: &'a ImportNames, link: Option<UnitId>) {
        if let Some(unit) = link {
            self.imports.push((unit, names));
        }
        match names {
            ImportNames::All(name) => self.declare(name, link.map_or(Symbol::Unknown, Symbol::Wildcard)),
            ImportNames::Each(names) => {
                for (original, alias) in names {
                    let symbol = link.map_or(Symbol::Unknown, |unit| Symbol::Imported(unit, &original.text));
                    self.declare(alias, symbol);
                }
            }
        }
    }

    fn module(&mut self, module: &'a Module, declaration: &'a Declaration, link: Option<UnitId>) {
        let (Some(body), Some(unit)) = (Body::from_expr(&module.body), link) else {
            if link.is_some() {
                self.no_body(&module.body);
            }
            return self.declare(&module.name, Symbol::Unknown);
        };
        self.declare(&module.name, Symbol::Module(self.modules.len()));
        let (decorators, span) = (declaration.decorators.as_slice(), declaration.span);
        self.modules.push(ModuleInfo { declaration: module, body, decorators, unit, span });
    }

    /// Reports a resource or module without a body, unless that is a syntax error.
    fn no_body(&mut self, value: &Expr) {
        if !matches!(value.kind, ExprKind::Skipped) {
            let code = if matches!(value.kind, ExprKind::For(_)) { "BCP167" } else { "BCP118" };
            self.problem(code, value.span, "expected an object, a loop or a condition");
        }
    }

    fn resource(&mut self, resource: &'a Resource, nested_in: Option<ResourceId>) {
        let Some(body) = Body::from_expr(&resource.body) else {
            self.no_body(&resource.body);
            return self.declare(&resource.name, Symbol::Unknown);
        };
        let id = self.resources.len();
        let written = resource.ty.literal().unwrap_or_default();
        let (prefix, written) = match written.split_once(':') {
            Some((prefix, rest)) => (Some(prefix), rest),
            None => (None, written),
        };
        let (ty, version) = written.split_once('@').map_or((written, None), |(ty, version)| (ty, Some(version)));
        let (mut ty, mut version) = (ty.to_owned(), version.map(ToOwned::to_owned));
        if let Some(parent) = nested_in.and_then(|parent| self.resources.get_mut(parent)) {
            parent.children.push(id);
            if !ty.split('/').next().unwrap_or_default().contains('.') {
                ty = format!("{}/{ty}", parent.ty);
            }
            version = version.or_else(|| parent.version.clone());
        } else {
            self.declare(&resource.name, Symbol::Resource(id));
        }
        let extension = extensions::of_type(&self.extensions, prefix, &ty, version.as_deref());
        if let Some(prefix) = prefix.filter(|prefix| extension.is_none() && !self.is_azure(prefix)) {
            self.problem("BCP208", resource.ty.span, format!("there is no extension `{prefix}`"));
        }
        if extension.is_none()
            && let Some(name) = schema::type_name(&ty, version.as_deref())
        {
            name.clone_into(&mut ty);
        }
        if extension.is_none() && (!ty.contains('/') || version.is_none()) {
            self.problem(
                "BCP029",
                resource.ty.span,
                "expected a type with its version, such as `Microsoft.Storage/storageAccounts@2023-01-01`",
            );
        }
        let parent = nested_in.map(|resource| Parent { resource, index: None, is_nested: true });
        self.resources.push(ResourceInfo {
            declaration: resource,
            ty,
            version,
            body,
            parent,
            children: Vec::new(),
            has_cyclic_scope: false,
            extension,
        });
        for item in body.items {
            if let Item::Resource(inner) = item {
                self.resource(inner, Some(id));
            }
        }
    }

    /// Returns the namespace that a name stands for: `sys`, `az`, or the alias of one.
    pub(super) fn namespace(&self, name: &str) -> Option<Namespace> {
        match (self.symbols.get(name), name) {
            (None, "sys") => Some(Namespace::Sys),
            (None, "az") => Some(Namespace::Az),
            (Some(Symbol::Extension), _) => self.extensions.iter().find(|own| own.name() == name)?.namespace(),
            _ => None,
        }
    }

    /// True if a namespace is that of Azure types.
    fn is_azure(&self, namespace: &str) -> bool {
        ["az", "sys"].contains(&namespace)
            || self.extensions.iter().any(|own| own.source == ExtensionSource::Azure && own.name() == namespace)
    }

    /// Resolves `name` or `name::nested` to a resource.
    pub(super) fn resource_named(&self, expr: &Expr) -> Option<ResourceId> {
        match &expr.bare().kind {
            ExprKind::Variable(name) => match self.symbols.get(&*name.text) {
                Some(Symbol::Resource(id)) => Some(*id),
                _ => None,
            },
            ExprKind::Nested { base, name } => self.child(self.resource_named(base)?, &name.text),
            _ => None,
        }
    }

    /// Finds a nested resource by its name.
    pub(super) fn child(&self, parent: ResourceId, name: &str) -> Option<ResourceId> {
        let children = self.resources.get(parent)?.children.iter().copied();
        children
            .into_iter()
            .find(|child| self.resources.get(*child).is_some_and(|resource| &*resource.declaration.name.text == name))
    }

    /// Returns a resource and its ancestors, the oldest first.
    pub(super) fn lineage(&self, id: ResourceId) -> Vec<ResourceId> {
        let mut lineage = vec![id];
        while let Some(parent) = lineage.last().and_then(|id| self.resources.get(*id)?.parent) {
            lineage.push(parent.resource);
        }
        lineage.reverse();
        lineage
    }

    /// Returns the name of a resource in a template with symbolic names, such as `vault::secret`.
    pub(super) fn symbolic_name(&self, id: ResourceId) -> String {
        let Some(resource) = self.resources.get(id) else { return String::new() };
        let name = &resource.declaration.name.text;
        match resource.parent.filter(|parent| parent.is_nested) {
            Some(parent) => format!("{}::{name}", self.symbolic_name(parent.resource)),
            None => name.to_string(),
        }
    }
}

/// Finds a decorator by its name.
pub(super) fn decorator<'a>(decorators: &'a [Decorator], name: &str) -> Option<&'a Decorator> {
    decorators.iter().find(|decorator| &*decorator.name.text == name)
}
