//! Loops of resources and modules that repeat the same name.

use crate::compiler::extensions::ExtensionSource;
use crate::compiler::model::{Body, ResourceInfo, Symbol};
use crate::compiler::semantics::Checker;
use crate::compiler::semantics::names::{Use, each_use};
use crate::language::ast::{DeclarationKind, Expr, ExprKind, Name};

/// Maximum number of extensions that are compared with each other.
const MAX_EXTENSIONS: usize = 100;

/// Maximum length of a name in characters.
const MAX_NAME: usize = 255;

impl<'w> Checker<'_, 'w> {
    /// Warns of loops whose resources or modules would all be the same.
    pub(super) fn loop_names(self) {
        for resource in &self.model.resources {
            if !resource.declaration.is_existing && resource.is_azure() && resource.body.get("name").is_some() {
                self.loop_name(resource.body, &["name", "parent", "scope"], &resource.declaration.name);
            }
        }
        for module in &self.model.modules {
            // The name of a module without one contains the index.
            if module.body.get("name").is_some() {
                self.loop_name(module.body, &["name", "scope"], &module.declaration.name);
            }
        }
    }

    fn loop_name(self, body: Body<'w>, properties: &[&str], name: &Name) {
        let Some(iteration) = body.iteration.filter(|own| !own.item.text.is_empty()) else { return };
        let names = [Some(&iteration.item), iteration.index.as_ref()];
        let names: Vec<&str> = names.into_iter().flatten().map(|name| &*name.text).collect();
        let mut values = properties.iter().filter_map(|property| body.get(property));
        if values.all(|value| !matches!(value.kind, ExprKind::Skipped) && !is_variant(value, &names)) {
            let message = format!("each iteration has the same name; use `{}` in it", names.join("` or `"));
            self.warn(name.span, "BCP179", message);
        }
    }

    /// Reports names that are reserved or too long, and a second `targetScope`.
    pub(super) fn reserved_names(self) {
        if let Some(copy) = self.model.variables.iter().find(|own| own.name.text.eq_ignore_ascii_case("copy")) {
            let message = "a variable cannot have the name `copy`, which loops of templates have; rename it";
            self.report(copy.name.span, "BCP239", message);
        }
        let scopes = self.model.declarations.iter().filter(|own| matches!(own.kind, DeclarationKind::TargetScope(_)));
        let scopes: Vec<_> = scopes.map(|own| own.span).collect();
        for span in scopes.iter().filter(|_| scopes.len() > 1) {
            self.report(*span, "BCP112", "the file has more than one `targetScope`; remove one");
        }
        for (at, extension) in self.model.extensions.iter().enumerate().take(MAX_EXTENSIONS) {
            let is_built_in = matches!(extension.source, ExtensionSource::Kubernetes | ExtensionSource::Graph { .. });
            let mut earlier = self.model.extensions.iter().take(at);
            if is_built_in && earlier.any(|own| own.source == extension.source) {
                let message = "the extension is declared more than once; remove one";
                self.report(extension.declaration.specification.span, "BCP207", message);
            }
            let alias = extension.declaration.alias.as_ref().filter(|alias| ["az", "sys"].contains(&&*alias.text));
            if let Some(alias) = alias.filter(|_| extension.source != ExtensionSource::Azure) {
                let message = format!("`{}` is the name of a built-in namespace; choose another", alias.text);
                self.report(alias.span, "BCP419", message);
            }
        }
        for declaration in self.model.declarations {
            if let Some(name) = declaration.name().filter(|name| name.text.chars().count() > MAX_NAME) {
                let message = format!("a name has at most {MAX_NAME} characters");
                self.report(name.span, "BCP024", message);
            }
            let name = match &declaration.kind {
                DeclarationKind::Output { .. }
                | DeclarationKind::Metadata { .. }
                | DeclarationKind::Assert { .. }
                | DeclarationKind::Extension(_) => continue,
                _ => declaration.name(),
            };
            if let Some(name) = name {
                self.reserved_name(name, true);
            }
            if let DeclarationKind::Type { name, .. } = &declaration.kind
                && &*name.text == "resource"
            {
                self.report(name.span, "BCP301", "a type cannot have the name `resource`; rename it");
            }
            if let DeclarationKind::Func(function) = &declaration.kind {
                function.parameters.iter().for_each(|(name, _)| self.reserved_name(name, false));
            }
        }
    }

    fn reserved_name(self, name: &Name, is_top: bool) {
        let own = &*name.text;
        let is_namespace = ["az", "sys"].contains(&own) && !self.is_freed(own);
        if is_namespace || is_top && own == "this" {
            self.report(name.span, "BCP084", format!("`{own}` is the name of a namespace; rename it"));
        }
    }

    /// True if an extension gives a namespace another name.
    fn is_freed(self, namespace: &str) -> bool {
        self.model.extensions.iter().any(|own| {
            let declaration = &own.declaration;
            &*declaration.specification.text == namespace && declaration.alias.is_some()
        })
    }

    /// Reports access with `?` to an item of a loop of resources or modules.
    pub(super) fn safe_items(self, base: &'w Expr, is_safe: bool) {
        let is_loop = match &base.kind {
            ExprKind::Variable(name) => match self.model.symbols.get(&*name.text) {
                Some(Symbol::Resource(id)) => self.model.resources.get(*id).is_some_and(ResourceInfo::is_collection),
                Some(Symbol::Module(at)) => {
                    self.model.modules.get(*at).is_some_and(|module| module.body.iteration.is_some())
                }
                _ => false,
            },
            _ => false,
        };
        if is_safe && is_loop {
            let message = "an item of a loop of resources or modules is not optional; remove `?`";
            self.report(base.span, "BCP323", message);
        }
    }
}

/// True if a value uses one of the names.
fn is_variant(value: &Expr, names: &[&str]) -> bool {
    let mut found = false;
    each_use(value, &mut |used| {
        if let Use::Value(name) = used {
            found |= names.contains(&&*name.text);
        }
    });
    found
}
