//! Accesses to properties and items of values.

use crate::compiler::functions::Namespace;
use crate::compiler::model::{ResourceId, ResourceInfo, Symbol, Target, decorator};
use crate::compiler::semantics::locals::{LocalBinding, Locals, enclosing_resource, find};
use crate::compiler::semantics::types::{Property, Rigor, Type, Usage};
use crate::compiler::semantics::{Checker, TypeKey};
use crate::compiler::units::UnitId;
use crate::language::ast::{Expr, ExprKind};
use crate::text::Span;

/// Result of looking up a property.
enum PropertyLookup {
    Type(Type),
    /// The object may have the property, but its type does not declare it.
    Undeclared(Type),
    /// The property can only be written. `true` if this is only a warning.
    WriteOnly(Type, bool),
    /// No such property. Holds the names that exist, and `true` if this is only a warning.
    NoProperty(Vec<String>, bool),
    /// The type has no properties.
    NoObject(Type),
}

/// Value before an access.
struct AccessBase {
    ty: Type,
    /// True if an earlier access with `?` can end the chain with null.
    is_short: bool,
    /// True if the access before has `?`.
    is_safe: bool,
    /// True if the value is a resource or module that may not be deployed.
    is_optional: bool,
}

impl<'w> Checker<'_, 'w> {
    /// Infers the type of an access to a property or item. After an access with `?`, those that follow it need no `?`.
    pub(super) fn access_type(self, expr: &'w Expr, locals: Locals<'_>) -> Type {
        let (ty, is_short) = self.chain(expr, locals);
        if is_short { ty.or_null() } else { ty }
    }

    /// Returns the type of an access, and `true` if `?` can end its chain with null.
    fn chain(self, expr: &'w Expr, locals: Locals<'_>) -> (Type, bool) {
        match &expr.kind {
            ExprKind::Property { base, name, is_safe } => {
                let before = self.access_base(base, expr.span, locals);
                if name.text.is_empty() {
                    return (Type::Any, before.is_short);
                }
                self.note_property(&before.ty, name);
                let is_known = self.is_known_at_start(base, &name.text);
                let dot = self.dot_before(base, name.span);
                let before = self.without_absence(before, *is_safe, is_known, dot);
                if *is_safe && before.ty.is_null() {
                    return (Type::Null, before.is_short);
                }
                (self.named(&before.ty, &name.text, name.span, *is_safe), before.is_short)
            }
            ExprKind::Index { base, index, is_safe, from_end } => {
                self.safe_items(base, *is_safe);
                let before = self.access_base(base, expr.span, locals);
                let at = self.index_type(index, locals);
                if matches!(base.bare().kind, ExprKind::For(_)) {
                    // Emission reports the invalid loop.
                    return (Type::Any, false);
                }
                if matches!(&before.ty, Type::Each(_)) {
                    self.without_lambdas(index, locals, "BCP247", "the index of a resource or module");
                }
                let brackets = Span { start: base.span.end, ..expr.span };
                let before = self.without_absence(before, *is_safe, false, brackets);
                if *is_safe && before.ty.is_null() {
                    return (Type::Null, before.is_short);
                }
                (self.item_at(&before.ty, &at, (base, index), *from_end, *is_safe), before.is_short)
            }
            _ => (self.infer(expr, locals), false),
        }
    }

    /// Infers the value before an access.
    fn access_base(self, base: &'w Expr, span: Span, locals: Locals<'_>) -> AccessBase {
        let (ty, is_short, is_safe) = match &base.kind {
            ExprKind::Property { is_safe, .. } | ExprKind::Index { is_safe, .. } => {
                let (ty, is_short) = self.program.deeper_with(|| self.chain(base, locals));
                if is_short {
                    self.note(base, &ty.clone().or_null());
                } else {
                    self.note(base, &ty);
                }
                (ty, is_short, *is_safe)
            }
            _ => (self.infer(base, locals), false, false),
        };
        let is_optional = self.is_optional(base, span, locals);
        AccessBase { ty: self.force(&ty), is_short, is_safe, is_optional }
    }

    /// Removes null from the value before an access. Reports it, unless `?` stands here or before.
    fn without_absence(self, before: AccessBase, is_safe: bool, is_known: bool, span: Span) -> AccessBase {
        let AccessBase { mut ty, mut is_short, mut is_optional, .. } = before;
        let has_null = ty.is_nullable() && !ty.is_null();
        if is_safe || before.is_safe {
            if has_null {
                is_short = true;
                ty = ty.without_null();
            } else if is_safe && is_optional {
                is_short = true;
                is_optional = false;
            }
        }
        if ty.is_nullable() && !ty.is_null() {
            let message = format!("a value of type `{ty}` may be null; write `?` after the dot, or `!` before it");
            self.warn(span, "BCP318", message);
            ty = ty.without_null();
        } else if is_optional && !is_known {
            let message = "the resource or module may not be deployed; write `?` after the dot, or `!` before it";
            self.warn(span, "BCP318", message);
        }
        AccessBase { ty: self.force(&ty), is_short, is_safe, is_optional }
    }

    /// Infers the type of an index. Reports one that may be null.
    fn index_type(self, index: &'w Expr, locals: Locals<'_>) -> Type {
        let ty = self.infer(index, locals);
        let forced = self.force(&ty);
        if forced.is_nullable() && !forced.is_null() {
            self.warn(index.span, "BCP321", format!("the index is of type `{forced}`, which may be null"));
            return forced.without_null();
        }
        ty
    }

    /// True if a property of a resource or module is known although it may not be deployed.
    fn is_known_at_start(self, base: &'w Expr, name: &str) -> bool {
        let base = match &base.bare().kind {
            ExprKind::Index { base, .. } => base.bare(),
            _ => base.bare(),
        };
        let is_module = matches!(&base.kind, ExprKind::Variable(own)
            if matches!(self.model.symbols.get(&*own.text), Some(Symbol::Module(_))));
        if is_module {
            return name == "name";
        }
        let resource = self.model.resource_named(base).and_then(|id| self.model.resources.get(id));
        resource.is_none_or(ResourceInfo::is_azure) && ["id", "name", "type", "apiVersion"].contains(&name)
    }

    /// Returns the span from the dot before a name to the end of the name.
    fn dot_before(self, base: &Expr, name: Span) -> Span {
        let between = Span { start: base.span.end.min(name.start), end: name.start, ..name };
        let offset = self.model.unit.slice(between).find('.').and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
        Span { start: between.start.saturating_add(offset), ..name }
    }

    /// True if a value is a resource or module that may not be deployed. In its own declaration, it is.
    pub(super) fn is_optional(self, base: &'w Expr, span: Span, locals: Locals<'_>) -> bool {
        let mut base = base;
        while let ExprKind::Paren(inner) = &base.kind {
            base = inner;
        }
        let (base, is_item) = match &base.kind {
            ExprKind::Index { base, .. } => (&**base, true),
            _ => (base, false),
        };
        if let ExprKind::Variable(name) = &base.kind {
            match find(locals, &name.text, |id| self.model.child(id, &name.text).is_some()) {
                Some(LocalBinding::Name(..)) => return false,
                Some(LocalBinding::Within(parent)) => {
                    let child = self.model.child(parent, &name.text);
                    return child.is_some_and(|id| self.is_optional_resource(id, is_item, span));
                }
                None => {}
            }
            if let Some(Symbol::Module(at)) = self.model.symbols.get(&*name.text) {
                return self.is_optional_module(*at, is_item, span);
            }
        }
        let resource = match &base.kind {
            ExprKind::Variable(_) | ExprKind::Nested { .. } => self.model.resource_named(base),
            _ => None,
        };
        resource.is_some_and(|id| self.is_optional_resource(id, is_item, span))
    }

    fn is_optional_module(self, at: usize, is_item: bool, span: Span) -> bool {
        let Some(module) = self.model.modules.get(at) else { return false };
        let is_own = module.span.start <= span.start && span.end <= module.span.end;
        let Some(condition) = module.body.condition else { return false };
        if is_own || is_item != module.body.iteration.is_some() {
            return false;
        }
        let key = TypeKey::ModuleCondition(self.model.id, at);
        let ty = self.program.once(key, || self.quiet().infer(condition, None));
        !matches!(self.force(&ty), Type::Bool(Some(true)))
    }

    fn is_optional_resource(self, id: ResourceId, is_item: bool, span: Span) -> bool {
        let Some(resource) = self.model.resources.get(id) else { return false };
        let own = resource.declaration.span;
        let is_own = own.start <= span.start && span.end <= own.end;
        !is_own && is_item == resource.is_collection() && self.may_be_absent(id)
    }

    /// True if a resource may not exist when the deployment starts.
    fn may_be_absent(self, id: ResourceId) -> bool {
        let mut next = Some(id);
        while let Some(resource) = next.and_then(|id| self.model.resources.get(id).map(|own| (id, own))) {
            let (id, resource) = resource;
            let declaration = resource.declaration;
            if declaration.is_existing && decorator(&declaration.decorators, "nullIfNotFound").is_some() {
                return true;
            }
            if let Some(condition) = resource.body.condition {
                let key = TypeKey::Condition(self.model.id, id);
                let ty = self.program.once(key, || self.quiet().infer(condition, None));
                if matches!(self.force(&ty), Type::Bool(None | Some(false))) {
                    return true;
                }
            }
            next = resource.parent.filter(|parent| parent.is_nested).map(|parent| parent.resource);
        }
        false
    }

    /// Returns the type of a property, and reports an invalid access.
    fn named(self, base: &Type, name: &str, span: Span, is_safe: bool) -> Type {
        match self.access(base, name) {
            PropertyLookup::Type(ty) => ty,
            PropertyLookup::Undeclared(ty) => {
                self.warn(span, "BCP187", format!("the type does not declare `{name}`, so nothing is known of it"));
                ty
            }
            PropertyLookup::WriteOnly(ty, warns) => {
                let message = format!("`{name}` can only be written, so it has no value here");
                self.report_or_warn(warns || is_safe, span, "BCP077", message);
                ty
            }
            PropertyLookup::NoProperty(names, warns) => {
                let hint = self.did_you_mean(name, names.iter().map(String::as_str));
                let (code, end) = match (hint.is_empty(), names.is_empty()) {
                    (false, _) => ("BCP083", hint),
                    (true, true) => ("BCP052", String::new()),
                    (true, false) => ("BCP053", format!("; expected {}", listed(&names))),
                };
                self.report_or_warn(warns || is_safe, span, code, format!("there is no property `{name}`{end}"));
                Type::Any
            }
            PropertyLookup::NoObject(ty) => {
                self.report(span, "BCP055", format!("a value of type `{ty}` has no properties"));
                Type::Any
            }
        }
    }

    fn access(self, base: &Type, name: &str) -> PropertyLookup {
        match self.force(base) {
            Type::Object(object) => match object.get(name) {
                Some(Property { ty, usage: Usage::WriteOnly, .. }) => {
                    PropertyLookup::WriteOnly(ty.clone(), object.rigor.warns_of_names())
                }
                Some(Property { ty, usage: Usage::Fallback, .. }) => PropertyLookup::Undeclared(ty.clone()),
                Some(Property { ty, .. }) => PropertyLookup::Type(ty.clone()),
                None => match &object.additional {
                    Some(ty) if object.rigor == Rigor::Open => PropertyLookup::Undeclared(ty.clone()),
                    Some(ty) => PropertyLookup::Type(ty.clone()),
                    None => {
                        let readable = object.properties.iter().filter(|own| own.usage != Usage::WriteOnly);
                        let names = readable.map(|own| own.name.to_string()).collect();
                        PropertyLookup::NoProperty(names, object.rigor.warns_of_names())
                    }
                },
            },
            Type::Union(members) => {
                let members: Vec<Type> =
                    members.iter().filter(|member| !member.is_null()).map(|member| self.force(member)).collect();
                if members.iter().any(|member| !matches!(member, Type::Object(_) | Type::Module(_))) {
                    return PropertyLookup::Type(Type::Any);
                }
                Self::any_of(members.iter().map(|member| self.access(member, name)))
            }
            Type::Module(at) => self.module_property(at, name),
            Type::Resource(id) => self.access(&self.resource_value(id), name),
            Type::File(unit) => self.exported(unit, name),
            ty @ (Type::Bool(_) | Type::Int(_) | Type::Text(_) | Type::Array(_) | Type::Tuple(_) | Type::Null) => {
                PropertyLookup::NoObject(ty)
            }
            ty @ Type::Each(_) => PropertyLookup::NoObject(ty),
            Type::Scope(target) => self.access(&scope_value(target), name),
            // The discriminator is not known where the value is read.
            Type::Tagged(_)
            | Type::Any
            | Type::Named(..)
            | Type::Limited(..)
            | Type::Published(..)
            | Type::Lambda
            | Type::Namespace => PropertyLookup::Type(Type::Any),
        }
    }

    /// Combines the results for several types: the property exists if at least one type has it.
    fn any_of(all: impl Iterator<Item = PropertyLookup>) -> PropertyLookup {
        let (mut types, mut failed) = (Vec::new(), None);
        for found in all {
            match found {
                PropertyLookup::Type(ty) | PropertyLookup::Undeclared(ty) | PropertyLookup::WriteOnly(ty, _) => {
                    types.push(ty);
                }
                other => failed = Some(other),
            }
        }
        match failed {
            Some(failed) if types.is_empty() => failed,
            Some(_) => PropertyLookup::Type(Type::Any),
            None => PropertyLookup::Type(Type::union(types)),
        }
    }

    fn module_property(self, at: usize, name: &str) -> PropertyLookup {
        match name {
            "name" => PropertyLookup::Type(Type::TEXT),
            "outputs" => {
                PropertyLookup::Type(self.model.modules.get(at).map_or(Type::Any, |own| self.outputs_of(own.unit)))
            }
            _ => PropertyLookup::NoProperty(vec!["name".to_owned(), "outputs".to_owned()], false),
        }
    }

    fn exported(self, unit: UnitId, name: &str) -> PropertyLookup {
        let Some(model) = self.program.model(unit).filter(|model| !model.unit.is_broken) else {
            return PropertyLookup::Type(Type::Any);
        };
        match model.symbols.get(name) {
            Some(Symbol::Variable(at)) => PropertyLookup::Type(self.variable_type(unit, *at)),
            Some(_) => PropertyLookup::Type(Type::Any),
            None => PropertyLookup::NoProperty(Vec::new(), false),
        }
    }

    /// Returns the outputs of a file, as an object type.
    pub(super) fn outputs_of(self, unit: UnitId) -> Type {
        self.program.once(TypeKey::Outputs(unit), || match self.within(unit) {
            None => self.template_members(unit, "outputs"),
            // The unreadable part may declare outputs.
            Some(inner) if inner.model.unit.is_broken => Type::Any,
            Some(inner) => {
                let properties = inner.model.outputs.iter().map(|output| {
                    let ty = output.ty.map_or(Type::Any, |ty| inner.declared(ty, output.decorators));
                    Property::new(&*output.name.text, ty, true)
                });
                Type::object_of(properties.collect())
            }
        })
    }

    /// Returns the type of the item at an index, or of the property with a computed name.
    fn item_at(
        self,
        base: &Type,
        at: &Type,
        (whole, index): (&'w Expr, &'w Expr),
        from_end: bool,
        is_safe: bool,
    ) -> Type {
        let base = self.forced_value(base);
        match &base {
            Type::Array(_) | Type::Tuple(_) | Type::Each(_) => {
                if !self.is_assignable(at, &Type::INT) {
                    let message = format!("an item of an array needs an index of type `int`, found `{at}`");
                    self.report(index.span, "BCP074", message);
                    return Type::Any;
                }
                self.element(&base, at, index.span, from_end, is_safe)
            }
            Type::Object(_) | Type::Tagged(_) | Type::Resource(_) | Type::Module(_) => {
                if from_end {
                    let message = "only items of arrays can be counted from the end; remove `^`";
                    self.report(index.span, "BCP414", message);
                    return Type::Any;
                }
                self.computed_property(&base, at, index.span, is_safe)
            }
            Type::Union(members) => {
                let mut members = members.iter().map(|member| self.force(member));
                if members.any(|ty| matches!(ty, Type::Bool(_) | Type::Int(_) | Type::Text(_))) {
                    self.no_items(&base, whole.span)
                } else {
                    Type::Any
                }
            }
            Type::Bool(_) | Type::Int(_) | Type::Text(_) => self.no_items(&base, whole.span),
            _ => {
                if from_end && matches!(self.force(at), Type::Text(_)) {
                    let message = "only an index can be counted from the end; remove `^`";
                    self.report(index.span, "BCP415", message);
                    return Type::Any;
                }
                let expected = Type::union([Type::INT, Type::TEXT]);
                if !self.is_assignable(at, &expected) {
                    self.report(index.span, "BCP049", format!("expected an index of type `{expected}`, found `{at}`"));
                }
                Type::Any
            }
        }
    }

    /// Returns the type of the property with a computed name.
    fn computed_property(self, base: &Type, name: &Type, span: Span, is_safe: bool) -> Type {
        match name {
            Type::Text(Some(name)) => return self.named(base, name, span, is_safe),
            _ if self.is_assignable(name, &Type::TEXT) => {
                if let Type::Object(object) = base
                    && object.properties.is_empty()
                    && object.additional.is_none()
                {
                    self.report(span, "BCP054", "the object has no properties");
                }
            }
            _ => {
                let message = format!("a property of an object needs a name of type `string`, found `{name}`");
                self.report(span, "BCP075", message);
            }
        }
        Type::Any
    }

    fn no_items(self, base: &Type, span: Span) -> Type {
        self.report(span, "BCP076", format!("`{base}` has no items; expected an array or an object"));
        Type::Any
    }

    fn element(self, base: &Type, at: &Type, span: Span, from_end: bool, is_safe: bool) -> Type {
        if let (Type::Array(_), Type::Int(Some(at))) = (base, at)
            && *at < 0
        {
            self.report(span, "BCP339", format!("an array has no item at `{at}`; items count from 0"));
            return Type::Any;
        }
        if let (Type::Tuple(_), Type::Union(indexes)) = (base, at)
            && indexes.iter().all(|index| matches!(index, Type::Int(Some(_))))
        {
            return Type::union(indexes.iter().map(|index| self.element(base, index, span, from_end, is_safe)));
        }
        let (Type::Tuple(items), Type::Int(Some(at))) = (base, at) else { return self.item_of(base) };
        let index = usize::try_from(*at).ok();
        let index = if from_end { index.and_then(|at| items.len().checked_sub(at)) } else { index };
        match index.and_then(|at| items.get(at)) {
            Some(item) => item.clone(),
            None if is_safe => Type::Any,
            None => {
                let count = items.len();
                self.report(span, "BCP311", format!("the array has {count} items, so there is none at `{at}`"));
                Type::Any
            }
        }
    }

    /// Returns the type of a resource, or of a loop of resources.
    pub(super) fn resource_type(self, id: ResourceId) -> Type {
        let is_loop = self.model.resources.get(id).is_some_and(ResourceInfo::is_collection);
        if is_loop { Type::Each(std::rc::Rc::new(Type::Resource(id))) } else { Type::Resource(id) }
    }

    /// Returns the type of a module, or of a loop of modules.
    pub(super) fn module_symbol(self, at: usize) -> Type {
        let is_loop = self.model.modules.get(at).is_some_and(|module| module.body.iteration.is_some());
        if is_loop { Type::Each(std::rc::Rc::new(Type::Module(at))) } else { Type::Module(at) }
    }

    /// True if an expression is `this` in the body of a resource.
    pub(super) fn is_this(self, expr: &Expr, locals: Locals<'_>) -> bool {
        let is_keyword = matches!(&expr.kind, ExprKind::Variable(name) if &*name.text == "this");
        let resource = enclosing_resource(locals).and_then(|id| self.model.resources.get(id));
        if !is_keyword || resource.is_none_or(|own| own.declaration.is_existing) {
            return false;
        }
        find(locals, "this", |_| false).is_none() && !self.model.symbols.contains_key("this")
    }

    /// True if an expression is the name of a built-in namespace.
    pub(super) fn is_namespace(self, expr: &Expr) -> bool {
        self.namespace(expr).is_some()
    }

    /// Returns the built-in namespace that an expression names.
    pub(super) fn namespace(self, expr: &Expr) -> Option<Namespace> {
        let ExprKind::Variable(name) = &expr.kind else { return None };
        self.model.namespace(&name.text)
    }
}

/// Returns the properties of a deployment scope, as `resourceGroup()` and the like return them.
fn scope_value(target: Target) -> Type {
    let texts: &[&str] = match target {
        Target::Tenant => &["tenantId", "country", "countryCode", "displayName"],
        Target::ManagementGroup => &["id", "name", "type"],
        Target::Subscription => &["id", "subscriptionId", "tenantId", "displayName"],
        Target::ResourceGroup => &["id", "name", "type", "location", "managedBy"],
        Target::Local => return Type::Any,
    };
    let mut properties: Vec<Property> = texts.iter().map(|name| Property::new(*name, Type::TEXT, true)).collect();
    if target == Target::ManagementGroup || target == Target::ResourceGroup {
        properties.push(Property::new("properties", Type::Any, true));
    }
    if target == Target::ResourceGroup {
        properties.push(Property::new("tags", Type::Any, true));
    }
    Type::object_of(properties)
}

/// Lists a few names for a message.
pub(super) fn listed(names: &[String]) -> String {
    const MAX: usize = 8;
    let shown: Vec<String> = names.iter().take(MAX).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(MAX);
    if more > 0 { format!("{}, or one of {more} more", shown.join(", ")) } else { shown.join(", ") }
}
