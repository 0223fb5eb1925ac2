//! Assignability of values to types.

use std::rc::Rc;

use crate::compiler::semantics::Checker;
use crate::compiler::semantics::access::listed;
use crate::compiler::semantics::locals::Locals;
use crate::compiler::semantics::types::{Object, Property, Tagged, Type};
use crate::language::ast::{self, Expr, ExprKind, Item, property};
use crate::text::Span;

/// Maximum depth at which two types are compared.
const MAX_DEPTH: usize = 16;

/// Kind of the value that is assigned, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) enum AssignmentTarget<'a> {
    Value,
    Property(&'a str),
    Item,
}

impl<'w> Checker<'_, 'w> {
    /// Checks an expression against its expected type. `name` is the span for missing properties.
    pub(super) fn assign(
        self,
        expr: &'w Expr,
        expected: &Type,
        place: AssignmentTarget<'_>,
        name: Span,
        locals: Locals<'_>,
    ) {
        let target = self.force(expected);
        match &expr.kind {
            ExprKind::Paren(inner) => return self.assign(inner, &target, place, name, locals),
            ExprKind::Object(items) => match target.without_null() {
                Type::Object(object) => return self.assign_object(items, &object, name, locals),
                Type::Tagged(tagged) => return self.assign_tagged(items, &tagged, name, locals),
                _ => {}
            },
            ExprKind::Array(items) if !items.iter().any(|item| item.is_spread) => match target.without_null() {
                Type::Array(item) => {
                    for own in items {
                        self.assign(&own.value, &item, AssignmentTarget::Item, own.value.span, locals);
                    }
                    return;
                }
                Type::Tuple(types) if types.len() == items.len() => {
                    for (own, ty) in items.iter().zip(types.iter()) {
                        self.assign(&own.value, ty, AssignmentTarget::Item, own.value.span, locals);
                    }
                    return;
                }
                _ => {}
            },
            ExprKind::For(iteration) => {
                if let Type::Array(item) = target.without_null() {
                    let body = &iteration.body;
                    return self.iterate(iteration, locals, &mut |inner| {
                        self.assign(body, &item, AssignmentTarget::Item, body.span, inner);
                    });
                }
            }
            _ => {}
        }
        let found = self.infer(expr, locals);
        self.compare(expr.span, &found, &target, place);
        self.limits(expr.span, &found, expected);
    }

    /// Reports a literal outside the bounds of the expected type's decorators.
    fn limits(self, span: Span, found: &Type, expected: &Type) {
        let Some(limited) = self.limited(expected) else { return };
        let (value, unit, codes) = match (found, &limited.ty) {
            (Type::Text(Some(text)), Type::Text(_)) => {
                (i64::try_from(text.encode_utf16().count()).unwrap_or(i64::MAX), " characters", ("BCP333", "BCP332"))
            }
            (Type::Int(Some(value)), Type::Int(_)) => (*value, "", ("BCP328", "BCP327")),
            _ => return,
        };
        match (limited.least, limited.most) {
            (Some(least), _) if value < least => {
                self.report(span, codes.0, format!("expected at least {least}{unit}, found {value}"));
            }
            (_, Some(most)) if value > most => {
                self.report(span, codes.1, format!("expected at most {most}{unit}, found {value}"));
            }
            _ => {}
        }
    }

    /// Compares the type of an expression with the expected type.
    fn compare(self, span: Span, found: &Type, target: &Type, place: AssignmentTarget<'_>) {
        let own = self.force(found).without_null();
        match (&own, target.without_null()) {
            (Type::Object(own), Type::Object(target)) => return self.compare_objects(span, own, &target, 0),
            (Type::Object(own), Type::Tagged(tagged)) => {
                let Some(Type::Text(Some(key))) = own.get(&tagged.key).map(|property| &property.ty) else { return };
                let variant = tagged.variants.iter().find(|(name, _)| name == key).map(|(_, ty)| self.force(ty));
                if let Some(Type::Object(variant)) = variant {
                    return self.compare_objects(span, own, &variant, 0);
                }
                return self.mismatch(
                    span,
                    &Type::Text(Some(key.clone())),
                    &target_key(&tagged),
                    AssignmentTarget::Property(&tagged.key),
                );
            }
            _ => {}
        }
        if !self.is_assignable(found, target) {
            self.mismatch(span, found, target, place);
        }
    }

    fn mismatch(self, span: Span, found: &Type, target: &Type, place: AssignmentTarget<'_>) {
        match place {
            AssignmentTarget::Value => {
                self.report(span, "BCP033", format!("expected a value of type `{target}`, found `{found}`"));
            }
            AssignmentTarget::Property(name) => {
                self.report(span, "BCP036", format!("`{name}` expects a value of type `{target}`, found `{found}`"));
            }
            AssignmentTarget::Item => {
                self.report(span, "BCP034", format!("the array expects items of type `{target}`, found `{found}`"));
            }
        }
    }

    /// Compares an object that is written elsewhere.
    fn compare_objects(self, span: Span, found: &Rc<Object>, target: &Rc<Object>, depth: usize) {
        if depth > MAX_DEPTH || Rc::ptr_eq(found, target) || !self.program.spend() {
            return;
        }
        if found.additional.is_none() {
            self.missing(span, target, |name| found.get(name).is_some());
        }
        for Property { name, ty, .. } in &found.properties {
            match target.get(name) {
                Some(wanted) => {
                    let expected = self.force(&optional(wanted));
                    match (self.force(ty).without_null(), expected.without_null()) {
                        (Type::Object(inner), Type::Object(expected)) => {
                            self.compare_objects(span, &inner, &expected, depth + 1);
                        }
                        _ if !self.is_assignable(ty, &expected) => {
                            self.mismatch(span, ty, &expected, AssignmentTarget::Property(name));
                        }
                        _ => {}
                    }
                }
                None => self.superfluous(span, name, target),
            }
        }
    }

    fn assign_tagged(self, items: &'w [Item], tagged: &Rc<Tagged>, name: Span, locals: Locals<'_>) {
        let Some(value) = property(items, &tagged.key) else {
            if !items.iter().any(|item| !matches!(item, Item::Property(own) if own.name().is_some())) {
                let message = format!("`{}` is missing; expected {}", tagged.key, variant_list(tagged));
                self.report(name, "BCP078", message);
            }
            return self.infer_items(items, locals);
        };
        let found = self.force(&self.quiet().infer(value, locals));
        let Type::Text(Some(text)) = &found else {
            if !self.is_assignable(&found, &Type::TEXT) {
                self.mismatch(value.span, &found, &Type::TEXT, AssignmentTarget::Property(&tagged.key));
            }
            return self.infer_items(items, locals);
        };
        let variant = tagged.variants.iter().find(|(name, _)| name == text).map(|(_, ty)| self.force(ty));
        match variant {
            Some(Type::Object(object)) => self.assign_object(items, &object, name, locals),
            Some(_) => self.infer_items(items, locals),
            None => {
                let message = format!("`{}` is `'{text}'`; expected {}", tagged.key, variant_list(tagged));
                self.report(value.span, "BCP036", message);
                self.infer_items(items, locals);
            }
        }
    }

    fn infer_items(self, items: &'w [Item], locals: Locals<'_>) {
        self.duplicate_properties(items);
        for item in items {
            match item {
                Item::Property(property) => {
                    self.infer(&property.value, locals);
                }
                Item::Spread(value) => {
                    self.infer(value, locals);
                }
                Item::Resource(_) => {}
            }
        }
    }

    /// Checks the properties of an object literal.
    pub(super) fn assign_object(self, items: &'w [Item], target: &Rc<Object>, name: Span, locals: Locals<'_>) {
        self.duplicate_properties(items);
        let mut is_whole = true;
        for item in items {
            match item {
                Item::Property(own) => {
                    own.key.values().for_each(|value| {
                        self.infer(value, locals);
                    });
                    if let Some(key) = own.name() {
                        self.assign_property(own, key, target, locals);
                    } else {
                        is_whole = false;
                        self.infer(&own.value, locals);
                    }
                }
                Item::Spread(value) => {
                    is_whole = false;
                    self.infer(value, locals);
                }
                Item::Resource(_) => {}
            }
        }
        if is_whole {
            self.missing(name, target, |wanted| {
                items.iter().any(|item| {
                    matches!(item, Item::Property(own) if own.name().is_some_and(|own| own.eq_ignore_ascii_case(wanted)))
                })
            });
        }
    }

    fn assign_property(self, own: &'w ast::Property, key: &str, target: &Rc<Object>, locals: Locals<'_>) {
        match (target.get(key), &target.additional) {
            (Some(wanted), _) => {
                self.assign(&own.value, &optional(wanted), AssignmentTarget::Property(key), own.key.span, locals);
            }
            (None, Some(additional)) => {
                self.assign(&own.value, additional, AssignmentTarget::Property(key), own.key.span, locals);
            }
            (None, None) => {
                self.superfluous(own.key.span, key, target);
                self.infer(&own.value, locals);
            }
        }
    }

    fn superfluous(self, span: Span, key: &str, target: &Object) {
        if target.additional.is_some() {
            return;
        }
        let names: Vec<String> = target.properties.iter().map(|own| own.name.to_string()).collect();
        let hint = self.did_you_mean(key, names.iter().map(String::as_str));
        let (code, end) = match (hint.is_empty(), names.is_empty()) {
            (false, _) => ("BCP089", hint),
            (true, true) => ("BCP037", "; expected none".to_owned()),
            (true, false) => ("BCP037", format!("; expected {}", listed(&names))),
        };
        self.report(span, code, format!("`{key}` is not a property here{end}"));
    }

    /// Reports missing required properties.
    fn missing(self, span: Span, target: &Object, has: impl Fn(&str) -> bool) {
        let missing = target.properties.iter().filter(|wanted| wanted.is_required && !has(&wanted.name));
        let missing: Vec<String> = missing.map(|wanted| wanted.name.to_string()).collect();
        if !missing.is_empty() {
            let verb = if missing.len() == 1 { "is" } else { "are" };
            self.report(span, "BCP035", format!("{} {verb} missing", listed(&missing)));
        }
    }

    /// True if a value of one type can be assigned to another. Null can: Bicep only warns about it, unless it is the
    /// whole value.
    pub(super) fn is_assignable(self, found: &Type, target: &Type) -> bool {
        self.fits(found, target, 0)
    }

    fn fits(self, found: &Type, target: &Type, depth: usize) -> bool {
        if depth > MAX_DEPTH || found.is_same(target) || !self.program.spend() {
            return true;
        }
        let (found, target) = (self.force(found), self.force(target));
        let next = depth + 1;
        match (&found, &target) {
            (Type::Any | Type::Namespace | Type::File(_), _) | (_, Type::Any | Type::Namespace | Type::File(_)) => true,
            (Type::Union(members), _) => {
                let mut members = members.iter().filter(|member| !matches!(member, Type::Null));
                members.all(|member| self.fits(member, &target, next))
            }
            (_, Type::Union(members)) => members.iter().any(|member| self.fits(&found, member, next)),
            (Type::Bool(Some(a)), Type::Bool(Some(b))) => a == b,
            (Type::Int(Some(a)), Type::Int(Some(b))) => a == b,
            (Type::Text(Some(a)), Type::Text(Some(b))) => a == b,
            (Type::Array(a) | Type::Each(a), Type::Array(b)) => self.fits(a, b, next),
            (Type::Tuple(items), Type::Array(b)) => items.iter().all(|item| self.fits(item, b, next)),
            (Type::Tuple(a), Type::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| self.fits(a, b, next))
            }
            (Type::Null, Type::Null)
            | (Type::Bool(_), Type::Bool(_))
            | (Type::Int(_), Type::Int(_))
            | (Type::Text(_), Type::Text(_))
            | (Type::Array(_) | Type::Each(_), Type::Tuple(_))
            | (Type::Lambda, Type::Lambda)
            | (Type::Each(_), Type::Each(_)) => true,
            (found, target) => is_object(found) && is_object(target),
        }
    }
}

const fn is_object(ty: &Type) -> bool {
    matches!(ty, Type::Object(_) | Type::Tagged(_) | Type::Resource(_) | Type::Module(_) | Type::Scope(_))
}

/// Returns the type of a property, with null if the property is optional.
fn optional(property: &Property) -> Type {
    if property.is_required { property.ty.clone() } else { property.ty.clone().or_null() }
}

/// Returns the union of a discriminated union's discriminators.
fn target_key(tagged: &Tagged) -> Type {
    Type::union(tagged.variants.iter().map(|(name, _)| Type::Text(Some(name.clone()))))
}

/// Lists the names of a discriminated union's variants.
fn variant_list(tagged: &Tagged) -> String {
    listed(&tagged.variants.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>())
}
