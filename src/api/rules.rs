//! Rules for templates in memory.

use std::sync::Arc;

use crate::api::Error;
use crate::diagnostic::Level;
use crate::engine::{NamedText, RuleBook};

/// Compiled rules, ready to check any number of [templates](crate::Template).
#[derive(Debug)]
pub struct Rules {
    pub(super) book: RuleBook,
}

impl Rules {
    /// The embedded rules for Azure and AWS, and the checks of deployments. Compiling them takes some milliseconds, so
    /// keep the value.
    pub fn builtin() -> Self {
        let (book, _) = RuleBook::new(true, &[]);
        Self { book }
    }

    /// The embedded rules together with rules of your own: pairs of a file name and its text. A name that ends in `.guard`
    /// or `.ruleset` holds Guard rules, any other one JSON rules.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Unusable`] if a rule is wrong.
    pub fn builtin_and<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Error> {
        Self::compile(true, files)
    }

    /// Only rules of your own: see [`Rules::builtin_and`].
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Unusable`] if a rule is wrong.
    pub fn only<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Error> {
        Self::compile(false, files)
    }

    fn compile<'a>(has_builtin: bool, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Error> {
        let named = |(name, text)| NamedText { name: Arc::from(name), text: Arc::from(text) };
        let texts: Vec<NamedText> = files.into_iter().map(named).collect();
        let (book, problems) = RuleBook::new(has_builtin, &texts);
        if problems.diagnostics.iter().any(|problem| problem.level == Level::Error) {
            return Err(Error::unusable(&problems));
        }
        Ok(Self { book })
    }
}
