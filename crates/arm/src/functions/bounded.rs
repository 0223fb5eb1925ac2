//! Strings that functions build piece by piece, within the size limit.

use crate::fault::Fault;
use crate::functions::Args;
use crate::value::Value;

/// A string builder that fails once the result would exceed the limit on computed strings. It checks before it allocates.
#[derive(Debug)]
pub(super) struct BoundedText {
    function: &'static str,
    text: String,
    limit: usize,
}

impl BoundedText {
    /// Creates an empty string for the result of the call with these arguments.
    pub(super) fn for_call(args: Args<'_>) -> Self {
        Self { function: args.function(), text: String::new(), limit: args.limits().text_bytes }
    }

    /// Appends a string, or fails at the limit.
    pub(super) fn push_str(&mut self, piece: &str) -> Result<(), Fault> {
        self.reserve(piece.len())?;
        self.text.push_str(piece);
        Ok(())
    }

    /// Appends one character, or fails at the limit.
    pub(super) fn push(&mut self, char: char) -> Result<(), Fault> {
        self.push_repeated(char, 1)
    }

    /// Appends a character `count` times, or fails at the limit.
    pub(super) fn push_repeated(&mut self, char: char, count: usize) -> Result<(), Fault> {
        self.reserve(char.len_utf8().saturating_mul(count))?;
        self.text.extend(std::iter::repeat_n(char, count));
        Ok(())
    }

    /// Returns the string that was built.
    pub(super) fn into_string(self) -> String {
        self.text
    }

    /// Returns the string that was built, as a value.
    pub(super) fn into_value(self) -> Value {
        Value::from(self.text)
    }

    fn reserve(&mut self, bytes: usize) -> Result<(), Fault> {
        if self.text.len().saturating_add(bytes) > self.limit {
            return Err(too_long(self.function, self.limit));
        }
        self.text.reserve(bytes);
        Ok(())
    }
}

/// Returns the fault for a call whose result would exceed the limit.
pub(super) fn too_long(function: &str, limit: usize) -> Fault {
    Fault::limit(format!("the result of `{function}` is longer than {limit} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;
    use crate::model::Limits;

    #[test]
    fn a_string_grows_up_to_the_limit() {
        let limits = Limits::default();
        let limit = limits.text_bytes;
        let of = || BoundedText::for_call(Args::new("padLeft", &[], &limits));
        let mut text = of();
        assert!(text.push_repeated('x', limit).is_ok());
        let fault = text.push('x').expect_err("one character too many");
        assert_eq!(fault.code(), Code::ExpressionLimit);
        assert_eq!(text.into_string().len(), limit);
        let mut text = of();
        assert!(text.push_repeated('ü', usize::MAX).is_err());
    }
}
