//! Assignability of values to types.

use std::rc::Rc;

use crate::compiler::semantics::Checker;
use crate::compiler::semantics::access::listed;
use crate::compiler::semantics::locals::Locals;
use crate::compiler::semantics::types::{Object, Property, Rigor, Tagged, Type, Usage};
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
        let is_published = expected.members().iter().any(|member| matches!(member, Type::Published(..)));
        let this = if is_published { self.lenient() } else { self };
        let target = self.force(expected);
        let kind = self.force(&target.without_null());
        match &expr.kind {
            ExprKind::Paren(inner) => return this.assign(inner, &target, place, name, locals),
            ExprKind::Object(items) => match kind {
                Type::Object(object) => return this.assign_object(items, &object, name, locals),
                Type::Tagged(tagged) => return this.assign_tagged(items, &tagged, name, locals),
                _ => {}
            },
            ExprKind::Array(items) if !items.iter().any(|item| item.is_spread) => match kind {
                Type::Array(item) => {
                    for own in items {
                        this.assign(&own.value, &item, AssignmentTarget::Item, own.value.span, locals);
                    }
                    return this.length(expr.span, items.len(), expected);
                }
                Type::Tuple(types) => return this.assign_tuple(expr.span, items, &types, locals),
                _ => {}
            },
            ExprKind::For(iteration) => {
                if let Type::Array(item) = kind {
                    let body = &iteration.body;
                    return self.iterate(iteration, locals, &mut |inner| {
                        this.assign(body, &item, AssignmentTarget::Item, body.span, inner);
                    });
                }
            }
            _ => {}
        }
        let found = self.infer(expr, locals);
        if let ExprKind::Array(items) = &expr.kind
            && let Type::Array(item) = self.force(&target.without_null())
        {
            return this.assign_spread(items, &item, locals);
        }
        this.compare(expr.span, &found, &target, place);
        this.limits(expr.span, &found, expected);
    }

    /// Checks the items of an array with spread ones.
    fn assign_spread(self, items: &'w [ast::ArrayItem], item: &Type, locals: Locals<'_>) {
        for own in items {
            if !own.is_spread {
                self.assign(&own.value, item, AssignmentTarget::Item, own.value.span, locals);
                continue;
            }
            let found = self.quiet().infer(&own.value, locals);
            let forced = self.forced_value(&found);
            if matches!(forced, Type::Array(_) | Type::Tuple(_)) {
                let inner = self.item_of(&forced);
                if !self.is_assignable(&inner, item) {
                    let item = self.force(item);
                    let message = format!("the array expects items of type `{item}`, and this adds `{inner}`");
                    self.report_or_warn(self.is_lenient, own.value.span, "BCP403", message);
                }
            }
        }
    }

    fn assign_tuple(self, span: Span, items: &'w [ast::ArrayItem], types: &Rc<[Type]>, locals: Locals<'_>) {
        for (at, own) in items.iter().enumerate() {
            match types.get(at) {
                Some(ty) => self.assign(&own.value, ty, AssignmentTarget::Item, own.value.span, locals),
                None => {
                    self.infer(&own.value, locals);
                }
            }
        }
        if types.len() != items.len() {
            let code = if items.len() > types.len() { "BCP332" } else { "BCP333" };
            let message = format!("expected an array with {} items, found {}", types.len(), items.len());
            self.report_or_warn(self.is_lenient, span, code, message);
        }
    }

    /// Reports an array literal with fewer or more items than its type allows.
    fn length(self, span: Span, found: usize, expected: &Type) {
        let Some(limited) = self.limited(expected) else { return };
        let found = i64::try_from(found).unwrap_or(i64::MAX);
        if let Some(least) = limited.least.filter(|least| found < *least) {
            let message = format!("expected at least {least} items, found {found}");
            self.report_or_warn(self.is_lenient, span, "BCP333", message);
        } else if let Some(most) = limited.most.filter(|most| found > *most) {
            let message = format!("expected at most {most} items, found {found}");
            self.report_or_warn(self.is_lenient, span, "BCP332", message);
        }
    }

    /// Reports a value that may be null, if its target cannot be.
    pub(super) fn warn_of_null(self, span: Span, found: &Type, target: &Type) {
        let found = self.force(found);
        let is_choice = found.is_nullable() && !found.is_null();
        if is_choice && !self.accepts_null(target) {
            let (target, found) = (self.shown(target), self.shown(&found));
            self.warn(
                span,
                "BCP321",
                format!("expected a value of type `{target}`, found `{found}`, which may be null"),
            );
        }
    }

    /// Returns a type for a message, with the structure of its parts.
    pub(super) fn shown(self, ty: &Type) -> Type {
        match self.force(ty) {
            Type::Union(members) => Type::union(members.iter().map(|member| self.force(member))),
            other => other,
        }
    }

    fn accepts_null(self, target: &Type) -> bool {
        let target = self.force(target);
        target.is_any() || target.members().iter().any(|member| matches!(self.force(member), Type::Null | Type::Any))
    }

    /// Reports a value outside the bounds of the expected type, and warns of one that may be outside.
    fn limits(self, span: Span, found: &Type, expected: &Type) {
        let Some(limited) = self.limited(expected) else { return };
        let kind = limited.ty.without_null();
        let Some((found_least, found_most)) = self.bounds(found, &kind) else { return };
        let (unit, codes) = match &kind {
            Type::Int(_) => ("", ["BCP328", "BCP327", "BCP329", "BCP330"]),
            Type::Text(_) => (" characters", ["BCP333", "BCP332", "BCP334", "BCP335"]),
            _ => (" items", ["BCP333", "BCP332", "BCP334", "BCP335"]),
        };
        let [low, high, below, above] = codes;
        if let (Some(least), Some(most)) = (limited.least, found_most)
            && most < least
        {
            return self.report_or_warn(
                self.is_lenient,
                span,
                low,
                format!("expected at least {least}{unit}, found {most}"),
            );
        }
        if let (Some(most), Some(least)) = (limited.most, found_least)
            && least > most
        {
            return self.report_or_warn(
                self.is_lenient,
                span,
                high,
                format!("expected at most {most}{unit}, found {least}"),
            );
        }
        if let (Some(least), Some(found)) = (limited.least, found_least)
            && found < least
        {
            self.warn(span, below, format!("expected at least {least}{unit}, and this may have only {found}"));
        }
        if let (Some(most), Some(found)) = (limited.most, found_most)
            && found > most
        {
            self.warn(span, above, format!("expected at most {most}{unit}, and this may have {found}"));
        }
        self.pattern(span, found, limited.pattern);
    }

    fn pattern(self, span: Span, found: &Type, pattern: Option<&'static str>) {
        if let (Type::Text(Some(text)), Some(pattern)) = (self.force(found), pattern)
            && !crate::schema::matches_pattern(pattern, &text)
        {
            let message = format!("`{text}` does not match the pattern `{pattern}`");
            self.report_or_warn(self.is_lenient, span, "BCP416", message);
        }
    }

    /// Returns the bounds of a value of a kind, as far as they are known: of an integer itself, of other values their
    /// length.
    fn bounds(self, found: &Type, kind: &Type) -> Option<(Option<i64>, Option<i64>)> {
        match (self.force(found), kind) {
            (Type::Text(Some(text)), Type::Text(_)) => {
                let length = i64::try_from(text.encode_utf16().count()).ok();
                Some((length, length))
            }
            (Type::Int(Some(value)), Type::Int(_)) => Some((Some(value), Some(value))),
            (Type::Tuple(items), Type::Array(_)) => {
                let length = i64::try_from(items.len()).ok();
                Some((length, length))
            }
            (Type::Text(None), Type::Text(_)) | (Type::Int(None), Type::Int(_)) | (Type::Array(_), Type::Array(_)) => {
                let own = self.limited(found)?;
                Some((own.least, own.most))
            }
            _ => None,
        }
    }

    /// Compares the type of an expression with the expected type.
    fn compare(self, span: Span, found: &Type, target: &Type, place: AssignmentTarget<'_>) {
        self.warn_of_null(span, found, target);
        let own = self.force(&self.force(found).without_null());
        if let Type::Resource(id) = own {
            return self.compare(span, &self.resource_value(id), target, place);
        }
        match (&own, self.force(&target.without_null())) {
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

    pub(super) fn mismatch(self, span: Span, found: &Type, target: &Type, place: AssignmentTarget<'_>) {
        let (found, target) = (&self.shown(found), &self.shown(target));
        match place {
            AssignmentTarget::Value => {
                let hint = self.literal_hint(found, target);
                let message = format!("expected a value of type `{target}`, found `{found}`{hint}");
                self.report_or_warn(self.is_lenient, span, "BCP033", message);
            }
            AssignmentTarget::Property(name) => {
                let hint = self.literal_hint(found, target);
                let code = if hint.is_empty() { "BCP036" } else { "BCP088" };
                let message = format!("`{name}` expects a value of type `{target}`, found `{found}`{hint}");
                self.report_or_warn(self.is_lenient, span, code, message);
            }
            AssignmentTarget::Item => {
                let message = format!("the array expects items of type `{target}`, found `{found}`");
                self.report_or_warn(self.is_lenient, span, "BCP034", message);
            }
        }
    }

    /// Returns the end of a message that suggests one of the strings that a type accepts.
    fn literal_hint(self, found: &Type, target: &Type) -> String {
        let Type::Text(Some(text)) = found else { return String::new() };
        let target = target.without_null();
        let names: Option<Vec<&str>> = target
            .members()
            .iter()
            .map(|member| match member {
                Type::Text(Some(name)) => Some(&**name),
                _ => None,
            })
            .collect();
        names.map_or_else(String::new, |names| self.did_you_mean(text, names.into_iter()))
    }

    /// Compares an object that is written elsewhere.
    fn compare_objects(self, span: Span, found: &Rc<Object>, target: &Rc<Object>, depth: usize) {
        let pair = (span, Rc::as_ptr(found).addr(), Rc::as_ptr(target).addr());
        if depth > MAX_DEPTH || !self.program.spend() || !self.program.compared.borrow_mut().insert(pair) {
            return;
        }
        let is_same = Rc::ptr_eq(found, target);
        if found.additional.is_none() && !is_same {
            self.missing(span, target, |name| found.get(name).is_some());
        }
        for Property { name, ty, usage, .. } in &found.properties {
            match target.get(name) {
                Some(wanted) if wanted.usage == Usage::ReadOnly && *usage == Usage::ReadOnly => {}
                Some(wanted) if wanted.usage == Usage::ReadOnly => self.read_only(span, name, target),
                Some(wanted) => {
                    let expected = self.force(&optional(wanted));
                    match (self.force(&self.force(ty).without_null()), self.force(&expected.without_null())) {
                        (Type::Object(inner), Type::Object(expected)) => {
                            self.compare_objects(span, &inner, &expected, depth + 1);
                        }
                        _ if !self.is_assignable(ty, &expected) => {
                            self.mismatch(span, ty, &expected, AssignmentTarget::Property(name));
                        }
                        _ => {}
                    }
                }
                None if target.additional.is_none() => self.superfluous(span, name, target),
                None => {}
            }
        }
    }

    fn read_only(self, span: Span, name: &str, target: &Object) {
        let message = format!("`{name}` is read-only; remove it");
        self.report_or_warn(self.is_lenient || target.rigor.warns_of_names(), span, "BCP073", message);
    }

    fn assign_tagged(self, items: &'w [Item], tagged: &Rc<Tagged>, name: Span, locals: Locals<'_>) {
        let warns = tagged.rigor.warns_of_names();
        let Some(value) = property(items, &tagged.key) else {
            if !items.iter().any(|item| !matches!(item, Item::Property(own) if own.name().is_some())) {
                let message = format!("`{}` is missing; expected {}", tagged.key, variant_list(tagged));
                self.report_or_warn(warns, name, "BCP078", message);
                self.misspelled_key(items, tagged);
            }
            return self.infer_items(items, locals);
        };
        let found = self.force(&self.quiet().infer(value, locals));
        let Type::Text(Some(text)) = &found else {
            if !self.is_assignable(&found, &Type::TEXT) {
                self.mismatch(value.span, &found, &Type::TEXT, AssignmentTarget::Property(&tagged.key));
            } else if !found.is_any() {
                let message = format!("the value of `{}` is not known here, so the object is not checked", tagged.key);
                self.warn(value.span, "BCP225", message);
            }
            return self.infer_items(items, locals);
        };
        let variant = tagged.variants.iter().find(|(name, _)| name == text).map(|(_, ty)| self.force(ty));
        match variant {
            Some(Type::Object(object)) => self.assign_object(items, &object, name, locals),
            Some(_) => self.infer_items(items, locals),
            None => {
                let target = AssignmentTarget::Property(&tagged.key);
                let found = Type::Text(Some(text.clone()));
                let checker = if warns { self.lenient() } else { self };
                checker.mismatch(value.span, &found, &target_key(tagged), target);
                self.infer_items(items, locals);
            }
        }
    }

    /// Reports a property whose name is a misspelling of the discriminator.
    fn misspelled_key(self, items: &'w [Item], tagged: &Tagged) {
        for item in items {
            if let Item::Property(own) = item
                && let Some(name) = own.name()
            {
                let hint = self.did_you_mean(name, std::iter::once(&*tagged.key));
                if !hint.is_empty() {
                    let message = format!("`{name}` is not a property here{hint}");
                    self.report_or_warn(tagged.rigor.warns_of_names(), own.key.span, "BCP089", message);
                }
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
        let mut spread: Vec<Rc<Object>> = Vec::new();
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
                        self.computed_key(own, target);
                        self.infer(&own.value, locals);
                    }
                }
                Item::Spread(value) => {
                    let found = self.infer(value, locals);
                    match self.force(&found) {
                        Type::Object(object) => {
                            is_whole &= object.additional.is_none();
                            self.spread_properties(value.span, &object, target);
                            spread.push(object);
                        }
                        _ => is_whole = false,
                    }
                }
                Item::Resource(_) => {}
            }
        }
        if is_whole {
            self.missing(name, target, |wanted| {
                let is_written = |item: &Item| matches!(item, Item::Property(own) if own.name() == Some(wanted));
                items.iter().any(is_written) || spread.iter().any(|object| object.get(wanted).is_some())
            });
        }
    }

    /// Reports properties of a spread object that the target does not have.
    fn spread_properties(self, span: Span, object: &Object, target: &Object) {
        if target.additional.is_none() || target.rigor == Rigor::Open {
            for own in object.properties.iter().filter(|own| target.get(&own.name).is_none()) {
                self.superfluous(span, &own.name, target);
            }
        }
    }

    /// Reports a property with a computed name, if the object can have only certain properties.
    fn computed_key(self, own: &ast::Property, target: &Object) {
        if target.additional.is_none() || target.rigor == Rigor::Open {
            let message = "the name of the property is computed, and the object can have only certain properties";
            self.report_or_warn(target.rigor != Rigor::Strict, own.key.span, "BCP040", message);
        }
    }

    pub(super) fn assign_property(self, own: &'w ast::Property, key: &str, target: &Rc<Object>, locals: Locals<'_>) {
        match (target.get(key), &target.additional) {
            (Some(wanted), _) if wanted.usage == Usage::ReadOnly => {
                self.read_only(own.key.span, key, target);
                self.infer(&own.value, locals);
            }
            (Some(wanted), _) => {
                if wanted.usage == Usage::Fallback {
                    let message = format!("the published type does not have `{key}`");
                    self.warn(own.key.span, "BCP187", message);
                }
                self.assign(&own.value, &optional(wanted), AssignmentTarget::Property(key), own.key.span, locals);
            }
            (None, Some(additional)) => {
                if target.rigor == Rigor::Open {
                    self.superfluous(own.key.span, key, target);
                }
                self.assign(&own.value, additional, AssignmentTarget::Property(key), own.key.span, locals);
            }
            (None, None) => {
                self.superfluous(own.key.span, key, target);
                self.infer(&own.value, locals);
            }
        }
    }

    fn superfluous(self, span: Span, key: &str, target: &Object) {
        let writable = target.properties.iter().filter(|own| !matches!(own.usage, Usage::ReadOnly | Usage::Fallback));
        let names: Vec<String> = writable.map(|own| own.name.to_string()).collect();
        let hint = self.did_you_mean(key, names.iter().map(String::as_str));
        let (code, end) = match (hint.is_empty(), names.is_empty()) {
            (false, _) => ("BCP089", hint),
            (true, true) => ("BCP037", "; expected none".to_owned()),
            (true, false) => ("BCP037", format!("; expected {}", listed(&names))),
        };
        let warns = target.rigor != Rigor::Strict;
        self.report_or_warn(warns, span, code, format!("`{key}` is not a property here{end}"));
    }

    /// Reports missing required properties.
    pub(super) fn missing(self, span: Span, target: &Object, has: impl Fn(&str) -> bool) {
        let missing = target.properties.iter().filter(|wanted| wanted.is_required && !has(&wanted.name));
        let missing: Vec<String> = missing.map(|wanted| wanted.name.to_string()).collect();
        if !missing.is_empty() {
            let verb = if missing.len() == 1 { "is" } else { "are" };
            let warns = target.rigor.warns_of_names() || self.is_lenient;
            self.report_or_warn(warns, span, "BCP035", format!("{} {verb} missing", listed(&missing)));
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
