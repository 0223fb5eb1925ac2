//! Checks the properties of objects and the items of arrays against their declarations.

use crate::diagnostic::Outcome;
use crate::fault::Fault;
use crate::text::Span;
use crate::types::check::{Breach, Checker, Link};
use crate::types::keyword::Keyword;
use crate::types::message;
use crate::types::schema::{Discriminator, Rest, Schema, Word};
use crate::value::{Object, Str, Value};

impl Checker<'_> {
    /// Checks an object against `properties`, `additionalProperties` and `discriminator`.
    pub(super) fn object(&mut self, value: &Value, object: &Object, part: &Schema) -> Result<(), Fault> {
        for declared in part.properties().into_iter().flatten() {
            let link = Link::Key(declared.key.clone());
            match object.get(&declared.key) {
                Some(found) => self.descend(link, found, &declared.value)?,
                // Types may refer to each other forever, so a missing property costs a step too.
                None if self.types.declared_type(&declared.value).takes_null() => self.evaluator.world.step(1)?,
                None => self.missing(value, &declared.key, Keyword::Properties, declared.span())?,
            }
        }
        if let Some(additional) = &part.additional {
            self.additional(value, object, part, additional)?;
        }
        match &part.discriminator {
            Some(discriminator) => self.discriminated(value, object, discriminator),
            None => Ok(()),
        }
    }

    fn missing(&mut self, value: &Value, name: &Str, keyword: Keyword, constraint: Option<Span>) -> Result<(), Fault> {
        let message = message::missing(&self.name(), name);
        let breach = Breach { keyword, constraint, message, value, shows_value: false };
        self.fail_at(Link::Key(name.clone()), breach)
    }

    /// Checks the members that are neither declared nor the selector of the discriminator.
    fn additional(
        &mut self,
        value: &Value,
        object: &Object,
        part: &Schema,
        additional: &Word<Rest>,
    ) -> Result<(), Fault> {
        let selector = part.discriminator.as_ref().map(|discriminator| &discriminator.what.property);
        let is_declared = |name: &str| {
            part.properties().is_some_and(|properties| properties.get(name).is_some())
                || selector.is_some_and(|selector| selector.eq_ignore_ascii_case(name))
        };
        for member in object.iter().filter(|member| !is_declared(&member.key)) {
            // The names in a secret are as secret as its values.
            let link = if self.is_secret(value) { Link::Hidden } else { Link::Key(member.key.clone()) };
            match &additional.what {
                Rest::Declared(declaration) => self.descend(link, &member.value, declaration)?,
                Rest::Forbidden => {
                    let name = if self.is_secret(value) { None } else { Some(&*member.key) };
                    let message = message::undeclared(&self.name(), name);
                    let breach = Breach {
                        keyword: Keyword::AdditionalProperties,
                        constraint: additional.span,
                        message,
                        value: &member.value,
                        shows_value: true,
                    };
                    self.fail_at(link, breach)?;
                }
            }
        }
        Ok(())
    }

    /// Checks an object against the declaration that the discriminator selects by the value of a property.
    fn discriminated(
        &mut self,
        value: &Value,
        object: &Object,
        discriminator: &Word<Discriminator>,
    ) -> Result<(), Fault> {
        let (keyword, constraint) = (Keyword::Discriminator, discriminator.span);
        let Discriminator { property, mapping } = &discriminator.what;
        let Some(found) = object.get(property) else { return self.missing(value, property, keyword, constraint) };
        if let Some(unknown) = found.as_unknown() {
            let message = message::unknown(&self.name(), keyword, &unknown.why);
            return self.add(Outcome::Unknown, Breach { keyword, constraint, message, value, shows_value: false });
        }
        let selected = found.as_str().and_then(|text| mapping.get(text));
        if let Some(declaration) = selected {
            // This checks the same value again, so types that select each other would recurse without end.
            let selected = self.types.declared_type(declaration);
            return self.validate_part(value, &selected);
        }
        let names = mapping.as_object().into_iter().flatten().map(|member| &*member.key);
        let message = message::no_member(&self.name(), property, found, names, self.is_secret(found));
        let breach = Breach { keyword, constraint, message, value: found, shows_value: true };
        self.fail_at(Link::Key(property.clone()), breach)
    }

    /// Checks an array against `prefixItems` and `items`. With `items: false`, it has exactly the prefix items.
    pub(super) fn array(&mut self, value: &Value, items: &[Value], part: &Schema) -> Result<(), Fault> {
        let prefix = part.prefix();
        for (index, (item, declaration)) in items.iter().zip(prefix).enumerate() {
            self.descend(Link::Index(index), item, declaration)?;
        }
        let Some(rest) = &part.items else { return Ok(()) };
        match &rest.what {
            Rest::Declared(declaration) => {
                for (index, item) in items.iter().enumerate().skip(prefix.len()) {
                    self.descend(Link::Index(index), item, declaration)?;
                }
                Ok(())
            }
            Rest::Forbidden if items.len() == prefix.len() => Ok(()),
            Rest::Forbidden => self.wrong_count(value, items, prefix.len(), rest.span),
        }
    }

    fn wrong_count(
        &mut self,
        value: &Value,
        items: &[Value],
        expected: usize,
        constraint: Option<Span>,
    ) -> Result<(), Fault> {
        let message = message::wrong_count(&self.name(), items.len(), expected, self.is_secret(value));
        let keyword = Keyword::Items;
        match items.get(expected) {
            Some(first) => {
                let breach = Breach { keyword, constraint, message, value: first, shows_value: true };
                self.fail_at(Link::Index(expected), breach)
            }
            None => self.fail(Breach { keyword, constraint, message, value, shows_value: true }),
        }
    }
}
