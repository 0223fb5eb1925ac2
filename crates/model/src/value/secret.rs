//! Finds and marks the secrets in values, and gives them their sources.

use std::sync::Arc;

use crate::value::{Data, Member, SecretSource, Step, Traits, Unknown, Value, Via};

impl Value {
    /// The provenance of the secret that it is or contains: its own, or that of the first part with one. `None` if there
    /// is no secret in it, or nothing is known about its source.
    pub fn secret_via(&self) -> Option<&Arc<Via>> {
        self.secret_via_of(false).or_else(|| self.secret_via_of(true))
    }

    fn secret_via_of(&self, is_plain: bool) -> Option<&Arc<Via>> {
        if !self.traits.has(Traits::SECRET) {
            return None;
        }
        let inner = match &self.data {
            Data::Array(items) => items.iter().find_map(|item| item.secret_via_of(is_plain)),
            Data::Object(object) => object.iter().find_map(|member| member.value.secret_via_of(is_plain)),
            Data::Unknown(unknown) => {
                let values = [&unknown.approximation].into_iter().chain(&unknown.choices);
                values.into_iter().find_map(|value| value.secret_via_of(is_plain))
            }
            _ => None,
        };
        // The provenance of a container is less precise than that of the secret in it.
        let has_source = |via: &&Arc<Via>| via.secret.as_ref().is_some_and(|secret| secret.is_plain == is_plain);
        inner.or_else(|| self.via.as_ref().filter(has_source))
    }

    /// The same value with a source for the secret in it, unless its source is known.
    #[must_use]
    pub fn with_secret_source(self, source: Option<&Arc<SecretSource>>) -> Self {
        if source.is_none() || !self.traits.has(Traits::SECRET) {
            return self;
        }
        let via = match &self.via {
            Some(via) if via.secret.is_some() => return self,
            Some(via) => via.with_secret(source),
            None => Via::new(Step::Combined, None, None).with_secret(source),
        };
        self.through(Some(via))
    }

    /// The same value, with itself and everything in it marked as a secret.
    #[must_use]
    pub fn into_secret(self) -> Self {
        let marked = match &self.data {
            Data::Array(array) => Self::array(array.iter().cloned().map(Self::into_secret).collect()),
            Data::Object(object) => {
                let marked = |member: &Member| Member { value: member.value.clone().into_secret(), ..member.clone() };
                Self::object(object.iter().map(marked).collect())
            }
            Data::Unknown(unknown) => {
                let marked = Unknown {
                    approximation: unknown.approximation.clone().into_secret(),
                    choices: unknown.choices.iter().cloned().map(Self::into_secret).collect(),
                    // Otherwise the parts that the approximation does not have would not be secret.
                    open: false,
                    ..(**unknown).clone()
                };
                Self::unknown(marked).with_traits(Traits::SECRET)
            }
            // An empty string hides nothing, and would turn every string that it is concatenated with into a secret.
            Data::String(text) if text.is_empty() => return self,
            _ => return self.with_traits(Traits::SECRET),
        };
        let traits = marked.traits | self.traits;
        Self { span: self.span, via: self.via, traits, ..marked }
    }
}
