//! Names and structure of type expressions.

use std::collections::BTreeMap;
use std::rc::Rc;

use foldhash::HashSet;

use crate::compiler::model::Symbol;
use crate::compiler::semantics::Checker;
use crate::compiler::semantics::types::{Object, Type};
use crate::language::ast::{Declaration, DeclarationKind, Decorator, Name, TypeExpr, TypeKind, TypeProperty};
use crate::language::walk::each_type;
use crate::text::Span;

/// Built-in types.
const AMBIENT: [&str; 6] = ["any", "array", "bool", "int", "object", "string"];

/// Types that are derived from a resource type.
const DERIVED: [&str; 3] = ["resource", "resourceInput", "resourceOutput"];

impl<'w> Checker<'_, 'w> {
    /// Checks the type expressions of a declaration.
    pub(super) fn type_expressions(self, declaration: &'w Declaration) {
        match &declaration.kind {
            DeclarationKind::Param { ty: Some(ty), .. }
            | DeclarationKind::Var { ty: Some(ty), .. }
            | DeclarationKind::Output { ty, .. }
            | DeclarationKind::Type { ty, .. } => self.type_expression(ty, false),
            DeclarationKind::Func(function) => {
                function.parameters.iter().for_each(|(_, ty)| self.type_expression(ty, false));
                self.type_expression(&function.result, false);
            }
            _ => {}
        }
    }

    /// Checks a type expression. `is_accessed` is true if only a part of the type is used.
    fn type_expression(self, ty: &'w TypeExpr, is_accessed: bool) {
        match &ty.kind {
            TypeKind::Name(name) => self.type_name(name),
            TypeKind::Object { properties, .. } => self.type_properties(properties),
            TypeKind::Generic { name, arguments } => self.generic_type(name, arguments, ty.span, is_accessed),
            TypeKind::Union(members) => self.mixed_literals(members, ty.span),
            TypeKind::Property { base, .. } if self.is_namespace_type(base) => return,
            _ => {}
        }
        let is_part = match &ty.kind {
            TypeKind::Paren(_) | TypeKind::Nullable(_) | TypeKind::NonNull(_) => is_accessed,
            TypeKind::Property { .. } | TypeKind::Items(_) | TypeKind::Additional(_) | TypeKind::Element { .. } => true,
            _ => false,
        };
        if !matches!(ty.kind, TypeKind::Generic { .. }) {
            each_type(ty, &mut |inner, _| self.type_expression(inner, is_part));
        }
    }

    /// Reports a union of literals of different types.
    fn mixed_literals(self, members: &'w [TypeExpr], span: Span) {
        let mut kinds: HashSet<&str> = HashSet::default();
        for member in members {
            match self.force(&self.declared(member, &[])) {
                Type::Text(Some(_)) => kinds.insert("string"),
                Type::Int(Some(_)) => kinds.insert("int"),
                Type::Bool(Some(_)) => kinds.insert("bool"),
                Type::Null => false,
                _ => return,
            };
        }
        if kinds.len() > 1 {
            self.report(span, "BCP294", "the literals of a union need one type: strings, integers, or Booleans");
        }
    }

    /// True for a file or namespace before the name of a type.
    fn is_namespace_type(self, base: &TypeExpr) -> bool {
        match &base.kind {
            TypeKind::Name(name) => match self.model.symbols.get(&*name.text) {
                Some(Symbol::Wildcard(_) | Symbol::Extension | Symbol::Unknown) => true,
                None => ["sys", "az"].contains(&&*name.text),
                _ => false,
            },
            _ => false,
        }
    }

    fn type_name(self, name: &Name) {
        let own = &*name.text;
        if own == "resource" {
            return;
        }
        match self.model.symbols.get(own) {
            Some(Symbol::Type(_) | Symbol::Unknown) => {}
            Some(Symbol::Imported(unit, original)) => {
                let model = self.program.model(*unit);
                if let Some(Symbol::Variable(_) | Symbol::Function(_)) =
                    model.and_then(|model| model.symbols.get(original))
                {
                    self.report(name.span, "BCP287", format!("`{own}` is a value, not a type"));
                }
            }
            Some(Symbol::Wildcard(_) | Symbol::Extension) => {
                self.report(name.span, "BCP306", format!("`{own}` is a namespace, not a type; write `{own}.name`"));
            }
            Some(_) => self.report(name.span, "BCP287", format!("`{own}` is a value, not a type")),
            None if AMBIENT.contains(&own) || own.is_empty() => {}
            None if ["sys", "az"].contains(&own) => {
                self.report(name.span, "BCP306", format!("`{own}` is a namespace, not a type; write `{own}.string`"));
            }
            None if DERIVED.contains(&own) => {
                let message = format!("`{own}` needs the name of a resource type: `{own}<'type@version'>`");
                self.report(name.span, "BCP384", message);
            }
            None => {
                let known = self.model.types.iter().map(|own| &*own.name.text).chain(AMBIENT);
                let hint = self.did_you_mean(own, known);
                self.report(name.span, "BCP302", format!("there is no type `{own}`{hint}"));
            }
        }
    }

    fn type_properties(self, properties: &'w [TypeProperty]) {
        let mut known: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
        for property in properties {
            known.entry(&property.name.text).or_default().push(property.name.span);
        }
        for (name, spans) in known.iter().filter(|(_, spans)| spans.len() > 1) {
            for span in spans {
                self.report(*span, "BCP025", format!("the property `{name}` is written more than once; remove one"));
            }
        }
        self.case_clashes(properties.iter().map(|property| &property.name));
    }

    fn generic_type(self, name: &Name, arguments: &'w [TypeExpr], span: Span, is_accessed: bool) {
        let own = &*name.text;
        if !DERIVED.contains(&own) {
            if AMBIENT.contains(&own) || matches!(self.model.symbols.get(own), Some(Symbol::Type(_))) {
                self.report(span, "BCP383", format!("the type `{own}` has no parameters; remove `<>`"));
            }
            return;
        }
        if arguments.len() != 1 {
            let message = format!("`{own}<>` takes the name of one resource type, found {}", arguments.len());
            return self.report(span, "BCP071", message);
        }
        if let [TypeExpr { kind: TypeKind::Text(text), .. }] = arguments
            && text.literal().is_some_and(|text| !text.contains('@') || !text.contains('/'))
        {
            let message = "expected a resource type with its version: `Microsoft.Web/sites@2022-09-01`";
            self.warn(text.span, "BCP392", message);
        }
        if own == "resource" {
            let message = "`resource<>` is deprecated; write `resourceInput<>` or `resourceOutput<>`";
            self.warn(name.span, "BCP409", message);
        }
        if !is_accessed {
            let message = "the whole resource cannot be a type; use one of its properties";
            self.report(span, "BCP394", message);
        }
    }

    /// Checks `@discriminator()`.
    pub(super) fn discriminator(self, ty: &'w TypeExpr, own: &'w Decorator) {
        let Some(key) = own.arguments.first().and_then(|argument| argument.literal()) else { return };
        let mut bare = ty;
        while let TypeKind::Paren(inner) | TypeKind::Nullable(inner) | TypeKind::NonNull(inner) = &bare.kind {
            bare = inner;
        }
        if let TypeKind::Union(members) = &bare.kind {
            return self.tagged_members(members, key);
        }
        match self.force(&self.force(&self.declared(bare, &[])).without_null()) {
            Type::Any => {}
            Type::Tagged(tagged) if &*tagged.key == key => {}
            Type::Tagged(tagged) => {
                let message = format!("the type already has the discriminator `{}`, not `{key}`", tagged.key);
                self.report(own.span, "BCP366", message);
            }
            _ => {
                let message = "`@discriminator` can decorate only a union of objects";
                self.report(own.span, "BCP363", message);
            }
        }
    }

    /// Checks the members of a discriminated union.
    fn tagged_members(self, members: &'w [TypeExpr], key: &str) {
        let mut values: HashSet<String> = HashSet::default();
        let mut seen: Vec<Rc<Object>> = Vec::new();
        for member in members {
            let found = self.force(&self.declared(member, &[]));
            for part in found.members() {
                match self.force(part) {
                    Type::Any => {}
                    Type::Object(object) => self.tagged_member(member.span, key, &object, &mut values, &mut seen),
                    Type::Tagged(tagged) => {
                        for (_, variant) in &tagged.variants {
                            if let Type::Object(object) = self.force(variant) {
                                self.tagged_member(member.span, key, &object, &mut values, &mut seen);
                            }
                        }
                    }
                    other => {
                        let message = format!("a member of the union has to be an object, found `{other}`");
                        self.report(member.span, "BCP286", message);
                    }
                }
            }
        }
    }

    fn tagged_member(
        self,
        span: Span,
        key: &str,
        object: &Rc<Object>,
        values: &mut HashSet<String>,
        seen: &mut Vec<Rc<Object>>,
    ) {
        if seen.iter().any(|known| Rc::ptr_eq(known, object)) {
            return;
        }
        seen.push(object.clone());
        if let Some(Type::Text(Some(value))) = object.get(key).map(|property| self.force(&property.ty)) {
            if !values.insert(value.to_lowercase()) {
                let message = format!("another member of the union has `'{value}'` for `{key}`; change one");
                self.report(span, "BCP365", message);
            }
        } else {
            let message = format!("the member needs a required property `{key}` whose type is a string literal");
            self.report(span, "BCP364", message);
        }
    }
}
