//! Finds and marks the secrets in values, and sets their sources.

use std::sync::Arc;

use crate::value::{Data, Member, SecretSource, Step, Traits, Unknown, Value, Via};

impl Value {
    /// Returns the origin of the secret in this value: its own, or that of the first nested secret. `None` if there
    /// is no secret, or its source is unknown.
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
        // The origin of a container is less precise than that of a nested secret.
        inner.or_else(|| {
            let via = self.via.as_ref()?;
            via.secret.as_ref().is_some_and(|secret| secret.is_plain == is_plain).then_some(via)
        })
    }

    /// Sets the source of the secret in the value, unless it is known.
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

    /// Marks the value and all nested values as secret.
    #[must_use]
    pub fn into_secret(self) -> Self {
        let marked = match &self.data {
            Data::Array(array) => Self::array(array.iter().cloned().map(Self::into_secret).collect()),
            Data::Object(object) => Self::object(
                object
                    .iter()
                    .map(|member| Member { value: member.value.clone().into_secret(), ..member.clone() })
                    .collect(),
            ),
            Data::Unknown(unknown) => {
                let marked = Unknown {
                    approximation: unknown.approximation.clone().into_secret(),
                    choices: unknown.choices.iter().cloned().map(Self::into_secret).collect(),
                    // Otherwise, the parts that are not in the approximation would not be secret.
                    open: false,
                    ..(**unknown).clone()
                };
                Self::unknown(marked).with_traits(Traits::SECRET)
            }
            // An empty string contains no secret, and would turn each string that it is concatenated with into one.
            Data::String(text) if text.is_empty() => return self,
            _ => return self.with_traits(Traits::SECRET),
        };
        let traits = marked.traits | self.traits;
        Self { span: self.span, via: self.via, traits, ..marked }
    }
}
