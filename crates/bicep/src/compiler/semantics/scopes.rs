//! Deployment scopes of resources and modules, their parents, and the number of segments in names.

use crate::compiler::model::{ModuleInfo, ResourceInfo, Symbol, Target};
use crate::compiler::semantics::Checker;
use crate::compiler::units::{Content, UnitId};
use crate::language::ast::{Expr, ExprKind, Text};
use crate::value::Value;

/// Maximum number of resources that extend each other.
const MAX_SCOPES: usize = 32;

/// Meaning of a value of `scope`.
enum ScopeMeaning {
    /// A deployment scope. `true` if it may be another one than the file's.
    Scope(Target, bool),
    /// A choice between scopes.
    Choice,
    Unknown,
}

impl<'w> Checker<'_, 'w> {
    pub(super) fn scopes(self) {
        for resource in self.model.resources.iter().filter(|resource| resource.is_azure()) {
            self.resource_scope(resource);
            self.ancestor_scope(resource);
            self.parent(resource);
            self.name_segments(resource);
        }
        for module in &self.model.modules {
            self.module_scope(module);
        }
    }

    /// Reports a child that would be deployed to another scope, because its ancestor exists there.
    fn ancestor_scope(self, resource: &ResourceInfo<'w>) {
        let Some(parent) = resource.parent.filter(|_| !resource.declaration.is_existing) else { return };
        let Some(root) = self.model.lineage(parent.resource).first().copied() else { return };
        let Some(ancestor) = self.model.resources.get(root).filter(|own| own.declaration.is_existing) else { return };
        if !self.is_deployable_scope(ancestor, 0) {
            let name = &ancestor.declaration.name.text;
            let message =
                format!("the resource has the scope of `{name}`, which differs from the file's; use a module");
            self.report(resource.declaration.body.span, "BCP165", message);
        }
    }

    /// True if the resources of the file can be deployed to the scope of a resource.
    fn is_deployable_scope(self, resource: &ResourceInfo<'w>, depth: usize) -> bool {
        let Some(scope) = resource.body.get("scope").filter(|_| depth < MAX_SCOPES) else { return true };
        match self.meaning(scope) {
            ScopeMeaning::Scope(Target::Tenant, _) | ScopeMeaning::Choice => true,
            ScopeMeaning::Scope(target, is_other) => !is_other && target == self.model.target,
            ScopeMeaning::Unknown => {
                let base = match &scope.bare().kind {
                    ExprKind::Index { base, .. } => base,
                    _ => scope,
                };
                let extended = self.model.resource_named(base).and_then(|id| self.model.resources.get(id));
                extended.is_none_or(|own| self.is_deployable_scope(own, depth + 1))
            }
        }
    }

    fn resource_scope(self, resource: &ResourceInfo<'w>) {
        for name in ["scope", "parent"] {
            let value = resource.body.get(name).map(Expr::bare);
            if let Some(Expr { kind: ExprKind::Call { name, .. }, span, .. }) = value
                && &*name.text == "any"
            {
                self.report(*span, "BCP176", "the value has to be a resource or a scope; remove `any()`");
            }
        }
        let Some(scope) = resource.body.get("scope") else { return };
        if resource.parent.is_some() {
            let message = "the resource has the scope of its parent; remove `scope`, or set it for the parent";
            return self.report(scope.span, "BCP164", message);
        }
        match self.meaning(scope) {
            ScopeMeaning::Choice => self.choice(scope),
            // Resources of the tenant can be deployed from every scope.
            ScopeMeaning::Scope(target, is_other)
                if !resource.declaration.is_existing
                    && target != Target::Tenant
                    && (is_other || target != self.model.target) =>
            {
                let message = "a resource can only be deployed to the scope of its file; use a module instead";
                self.report(scope.span, "BCP139", message);
            }
            _ => {}
        }
    }

    fn choice(self, scope: &Expr) {
        let message =
            "the scope has to be known at build time; choose between names: `resourceGroup(test ? 'a' : 'b')`";
        self.report(scope.span, "BCP420", message);
    }

    fn meaning(self, scope: &'w Expr) -> ScopeMeaning {
        let scope = scope.bare();
        match &scope.kind {
            ExprKind::Call { name, arguments } if !self.model.symbols.contains_key(&*name.text) => {
                called(&name.text, arguments)
            }
            ExprKind::Method { base, name, arguments } if self.is_namespace(base) => called(&name.text, arguments),
            ExprKind::Ternary(inner) => match (self.meaning(&inner.1), self.meaning(&inner.2)) {
                (ScopeMeaning::Unknown, _) | (_, ScopeMeaning::Unknown) => ScopeMeaning::Unknown,
                (ScopeMeaning::Scope(a, false), ScopeMeaning::Scope(b, false)) if a == b => {
                    ScopeMeaning::Scope(a, false)
                }
                _ => ScopeMeaning::Choice,
            },
            ExprKind::Variable(_) | ExprKind::Nested { .. } => match self.model.resource_named(scope) {
                Some(id) => match self.model.resources.get(id).map(|own| own.ty.to_ascii_lowercase()).as_deref() {
                    Some("microsoft.resources/resourcegroups") => ScopeMeaning::Scope(Target::ResourceGroup, true),
                    Some("microsoft.management/managementgroups") => ScopeMeaning::Scope(Target::ManagementGroup, true),
                    _ => ScopeMeaning::Unknown,
                },
                None => ScopeMeaning::Unknown,
            },
            _ => ScopeMeaning::Unknown,
        }
    }

    fn module_scope(self, module: &'w ModuleInfo<'w>) {
        let Some(own) = self.target_of(module.unit) else { return };
        let (found, span) = match module.body.get("scope") {
            None => (self.model.target, module.declaration.body.span),
            Some(scope) => match self.meaning(scope) {
                ScopeMeaning::Scope(target, _) => (target, scope.span),
                ScopeMeaning::Choice => return self.choice(scope),
                ScopeMeaning::Unknown => return,
            },
        };
        if found != own && found != Target::Local && own != Target::Local {
            let (found, own) = (target_name(found), target_name(own));
            let message = format!("the module is deployed to the scope `{own}`, not `{found}`; set `scope`");
            self.report(span, "BCP134", message);
        }
    }

    /// Returns the scope that a file targets.
    fn target_of(self, unit: UnitId) -> Option<Target> {
        if let Some(model) = self.program.model(unit) {
            return (!model.unit.is_broken).then_some(model.target);
        }
        let Content::Template(template) = &self.program.units.get(unit)?.content else { return None };
        let schema = template.get("$schema").and_then(Value::as_str)?.to_ascii_lowercase();
        let name = schema.rsplit('/').next()?.trim_end_matches('#');
        Some(match name {
            "deploymenttemplate.json" => Target::ResourceGroup,
            "subscriptiondeploymenttemplate.json" => Target::Subscription,
            "managementgroupdeploymenttemplate.json" => Target::ManagementGroup,
            "tenantdeploymenttemplate.json" => Target::Tenant,
            _ => return None,
        })
    }

    /// Checks the `parent` of a resource.
    fn parent(self, resource: &ResourceInfo<'w>) {
        let Some(value) = resource.body.get("parent") else { return };
        let bare = value.bare();
        let base = match &bare.kind {
            ExprKind::Index { base, .. } => base.bare(),
            _ => bare,
        };
        let is_reference = match &base.kind {
            ExprKind::Skipped | ExprKind::Nested { .. } => true,
            ExprKind::Variable(name) => {
                !matches!(self.model.symbols.get(&*name.text), Some(Symbol::Variable(_) | Symbol::Module(_)))
            }
            _ => false,
        };
        if !is_reference {
            return self.report(value.span, "BCP240", "`parent` has to be the name of a resource");
        }
        if let ExprKind::Variable(name) = &base.kind
            && let Some(Symbol::Param(_)) = self.model.symbols.get(&*name.text)
        {
            let message = format!("`parent` has to be the name of a resource, and `{}` is a parameter", name.text);
            return self.report(value.span, "BCP036", message);
        }
        let Some(parent) = self.model.resource_named(base).and_then(|id| self.model.resources.get(id)) else { return };
        let expected = resource.ty.rsplit_once('/').map_or("", |(parent, _)| parent);
        if parent.is_azure() && expected.contains('/') && !parent.ty.eq_ignore_ascii_case(expected) {
            let message = format!("`parent` expects a resource of the type `{expected}`, found `{}`", parent.ty);
            self.report(value.span, "BCP036", message);
        }
    }

    /// Checks that a name has as many segments as the type requires.
    fn name_segments(self, resource: &ResourceInfo<'w>) {
        let Some(value) = resource.body.get("name") else { return };
        let ExprKind::Text(text) = &value.kind else { return };
        let slashes = slashes(text);
        if resource.parent.is_some() {
            if slashes > 0 {
                let message = "the name of a child is only its last segment; remove the `/`";
                self.report(value.span, "BCP170", message);
            }
            return;
        }
        let Some(expected) = resource.ty.split('/').count().checked_sub(2) else { return };
        if slashes > expected || slashes != expected && text.literal().is_some() {
            let message = format!("the type needs a name with {expected} `/`, found {slashes}");
            self.report(value.span, "BCP169", message);
        }
    }
}

fn called(name: &str, arguments: &[Expr]) -> ScopeMeaning {
    let target = match name {
        "tenant" => Target::Tenant,
        "managementGroup" => Target::ManagementGroup,
        "subscription" => Target::Subscription,
        "resourceGroup" => Target::ResourceGroup,
        _ => return ScopeMeaning::Unknown,
    };
    ScopeMeaning::Scope(target, !arguments.is_empty())
}

fn slashes(text: &Text) -> usize {
    let parts = text.interpolations.iter().map(|part| &*part.text).chain([&*text.first]);
    parts.map(|part| part.matches('/').count()).sum()
}

pub(super) const fn target_name(target: Target) -> &'static str {
    match target {
        Target::Tenant => "tenant",
        Target::ManagementGroup => "managementGroup",
        Target::Subscription => "subscription",
        Target::ResourceGroup => "resourceGroup",
        Target::Local => "local",
    }
}
