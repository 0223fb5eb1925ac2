//! Accesses to properties and items of values.

use crate::compiler::model::{ResourceId, Symbol};
use crate::compiler::semantics::locals::{Locals, find, is_in_resource};
use crate::compiler::semantics::types::{Property, Type};
use crate::compiler::semantics::{Checker, TypeKey};
use crate::compiler::units::UnitId;
use crate::language::ast::{Expr, ExprKind, Name};
use crate::text::Span;

/// Result of looking up a property.
enum PropertyLookup {
    Type(Type),
    /// No such property. Holds the names that exist.
    NoProperty(Vec<String>),
    /// The type has no properties.
    NoObject(Type),
}

impl<'w> Checker<'_, 'w> {
    pub(super) fn property_of(self, base: &'w Expr, name: &'w Name, is_safe: bool, locals: Locals<'_>) -> Type {
        if name.text.is_empty() {
            self.infer(base, locals);
            return Type::Any;
        }
        let ty = self.infer(base, locals);
        self.note_property(&ty, name);
        self.named(&ty, &name.text, name.span, is_safe)
    }

    /// Returns the type of a property, and reports an invalid access.
    fn named(self, base: &Type, name: &str, span: Span, is_safe: bool) -> Type {
        match self.access(base, name) {
            PropertyLookup::Type(ty) if is_safe => ty.or_null(),
            PropertyLookup::Type(ty) => ty,
            PropertyLookup::NoProperty(_) | PropertyLookup::NoObject(_) if is_safe => Type::Any,
            PropertyLookup::NoProperty(names) => {
                let hint = self.did_you_mean(name, names.iter().map(String::as_str));
                let (code, end) = match (hint.is_empty(), names.is_empty()) {
                    (false, _) => ("BCP083", hint),
                    (true, true) => ("BCP053", String::new()),
                    (true, false) => ("BCP053", format!("; expected {}", listed(&names))),
                };
                self.report(span, code, format!("there is no property `{name}`{end}"));
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
                Some(Property { ty, is_required: true, .. }) => PropertyLookup::Type(ty.clone()),
                Some(Property { ty, .. }) => PropertyLookup::Type(ty.clone().or_null()),
                None => match &object.additional {
                    Some(ty) => PropertyLookup::Type(ty.clone()),
                    None => {
                        PropertyLookup::NoProperty(object.properties.iter().map(|own| own.name.to_string()).collect())
                    }
                },
            },
            Type::Tagged(tagged) => {
                let found = tagged.variants.iter().map(|(_, variant)| self.access(variant, name));
                Self::any_of(found)
            }
            Type::Union(members) => {
                let members = members.iter().filter(|member| !matches!(member, Type::Null));
                Self::any_of(members.map(|member| self.access(member, name)))
            }
            Type::Module(at) => self.module_property(at, name),
            Type::Resource(id) => self.resource_property(id, name),
            Type::File(unit) => self.exported(unit, name),
            ty @ (Type::Bool(_) | Type::Int(_) | Type::Text(_) | Type::Array(_) | Type::Tuple(_)) => {
                PropertyLookup::NoObject(ty)
            }
            ty @ Type::Each(_) => PropertyLookup::NoObject(ty),
            Type::Any
            | Type::Null
            | Type::Named(..)
            | Type::Limited(..)
            | Type::Lambda
            | Type::Scope(_)
            | Type::Namespace => PropertyLookup::Type(Type::Any),
        }
    }

    /// Combines the results for several types: the property exists if at least one type has it.
    fn any_of(all: impl Iterator<Item = PropertyLookup>) -> PropertyLookup {
        let (mut types, mut failed) = (Vec::new(), None);
        for found in all {
            match found {
                PropertyLookup::Type(ty) => types.push(ty),
                other => failed = Some(other),
            }
        }
        match failed {
            Some(failed) if types.is_empty() => failed,
            Some(_) => PropertyLookup::Type(Type::union(types).or_null()),
            None => PropertyLookup::Type(Type::union(types)),
        }
    }

    fn module_property(self, at: usize, name: &str) -> PropertyLookup {
        match name {
            "name" => PropertyLookup::Type(Type::TEXT),
            "outputs" => {
                PropertyLookup::Type(self.model.modules.get(at).map_or(Type::Any, |own| self.outputs_of(own.unit)))
            }
            _ => PropertyLookup::NoProperty(vec!["name".to_owned(), "outputs".to_owned()]),
        }
    }

    fn resource_property(self, id: ResourceId, name: &str) -> PropertyLookup {
        let is_azure = self.model.resources.get(id).is_some_and(crate::compiler::model::ResourceInfo::is_azure);
        match name {
            "id" | "name" | "type" | "apiVersion" if is_azure => PropertyLookup::Type(Type::TEXT),
            _ => PropertyLookup::Type(Type::Any),
        }
    }

    fn exported(self, unit: UnitId, name: &str) -> PropertyLookup {
        let Some(model) = self.program.model(unit).filter(|model| !model.unit.is_broken) else {
            return PropertyLookup::Type(Type::Any);
        };
        match model.symbols.get(name) {
            Some(Symbol::Variable(at)) => PropertyLookup::Type(self.variable_type(unit, *at)),
            Some(_) => PropertyLookup::Type(Type::Any),
            None => PropertyLookup::NoProperty(Vec::new()),
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
                    Property { name: (&*output.name.text).into(), ty, is_required: true }
                });
                Type::object_of(properties.collect())
            }
        })
    }

    /// Returns the type of the item at an index, or of the property with a computed name.
    pub(super) fn index(
        self,
        base: &'w Expr,
        index: &'w Expr,
        (is_safe, from_end): (bool, bool),
        locals: Locals<'_>,
    ) -> Type {
        let (ty, at) = (self.infer(base, locals), self.infer(index, locals));
        if matches!(base.bare().kind, ExprKind::For(_)) {
            // Emission reports the invalid loop.
            return Type::Any;
        }
        if matches!(&ty, Type::Each(_)) {
            self.without_lambdas(index, locals, "BCP247", "the index of a resource or module");
        }
        let found = self.item_at(&ty, &at, index, from_end, is_safe);
        if is_safe { found.or_null() } else { found }
    }

    fn item_at(self, base: &Type, at: &Type, index: &'w Expr, from_end: bool, is_safe: bool) -> Type {
        let base = self.force(base).without_null();
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
                match at {
                    Type::Text(Some(name)) => self.named(&base, name, index.span, is_safe),
                    _ if self.is_assignable(at, &Type::TEXT) => Type::Any,
                    _ => {
                        let message = format!("a property of an object needs a name of type `string`, found `{at}`");
                        self.report(index.span, "BCP075", message);
                        Type::Any
                    }
                }
            }
            Type::Union(members) => {
                let mut members = members.iter().map(|member| self.force(member));
                if members.any(|ty| matches!(ty, Type::Bool(_) | Type::Int(_) | Type::Text(_))) {
                    self.no_items(&base, index.span)
                } else {
                    Type::Any
                }
            }
            Type::Bool(_) | Type::Int(_) | Type::Text(_) => self.no_items(&base, index.span),
            _ => {
                let expected = Type::union([Type::INT, Type::TEXT]);
                if !self.is_assignable(at, &expected) {
                    self.report(index.span, "BCP049", format!("expected an index of type `{expected}`, found `{at}`"));
                }
                Type::Any
            }
        }
    }

    fn no_items(self, base: &Type, span: Span) -> Type {
        self.report(span, "BCP076", format!("`{base}` has no items; expected an array or an object"));
        Type::Any
    }

    fn element(self, base: &Type, at: &Type, span: Span, from_end: bool, is_safe: bool) -> Type {
        let (Type::Tuple(items), Type::Int(Some(at))) = (base, at) else { return self.item_of(base) };
        let index = usize::try_from(*at).ok();
        let index = if from_end { index.and_then(|at| items.len().checked_sub(at)) } else { index };
        match index.and_then(|at| items.get(at)) {
            Some(item) => item.clone(),
            None if is_safe => Type::Null,
            None => {
                let count = items.len();
                self.report(span, "BCP311", format!("the array has {count} items, so there is none at `{at}`"));
                Type::Any
            }
        }
    }

    /// Returns the type of a resource, or of a loop of resources.
    pub(super) fn resource_type(self, id: ResourceId) -> Type {
        let is_loop = self.model.resources.get(id).is_some_and(crate::compiler::model::ResourceInfo::is_collection);
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
        if !is_keyword || !is_in_resource(locals) {
            return false;
        }
        find(locals, "this", |_| false).is_none() && !self.model.symbols.contains_key("this")
    }

    /// True if an expression is the name of a built-in namespace.
    pub(super) fn is_namespace(self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Variable(name) => {
                ["sys", "az"].contains(&&*name.text) && !self.model.symbols.contains_key(&*name.text)
            }
            _ => false,
        }
    }
}

/// Lists a few names for a message.
pub(super) fn listed(names: &[String]) -> String {
    const MAX: usize = 8;
    let shown: Vec<String> = names.iter().take(MAX).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(MAX);
    if more > 0 { format!("{}, or one of {more} more", shown.join(", ")) } else { shown.join(", ") }
}
