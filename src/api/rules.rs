//! Rules for templates in memory.

use crate::api::{Error, Problem};
use crate::diagnostic::{Level, Run};
use crate::engine::MemoryRules;
use crate::files::Memory;

/// Compiled rules, ready to check any number of [templates](crate::Template) and [sets of files](crate::Files).
#[derive(Debug)]
pub struct Rules {
    pub(super) compiled: MemoryRules,
    /// Problems in the settings, the rules, and the baseline that are not errors.
    pub(super) problems: Vec<Problem>,
}

impl Rules {
    /// Compiles the embedded rules for Azure and AWS of the default profile, and the built-in checks of deployments,
    /// like `formwork check` without settings.
    ///
    /// This takes some milliseconds, so use the value for several templates.
    pub fn builtin() -> Self {
        let (compiled, _) = MemoryRules::new(true, &Memory::default());
        Self { compiled, problems: Vec::new() }
    }

    /// Compiles the embedded rules of the default profile, and your own rules.
    ///
    /// Each item is the name of a rule file and its content. Files whose names end in `.guard` or `.ruleset` contain Guard
    /// rules; those whose names end in `.json` or `.jsonc` contain JSON rules.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unusable`] if a rule is invalid.
    pub fn builtin_and<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Error> {
        Self::compile(true, files)
    }

    /// Compiles only your own rules. The items are the same as in [`Rules::builtin_and`].
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unusable`] if a rule is invalid.
    pub fn only<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Error> {
        Self::compile(false, files)
    }

    fn compile<'a>(has_builtin: bool, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Error> {
        let mut memory = Memory::default();
        files.into_iter().for_each(|(name, text)| memory.insert(name, text));
        Self::usable(MemoryRules::new(has_builtin, &memory))
    }

    /// Returns the rules if they have no errors.
    pub(super) fn usable((compiled, problems): (MemoryRules, Run)) -> Result<Self, Error> {
        if problems.diagnostics.iter().any(|problem| problem.level == Level::Error) {
            return Err(Error::unusable(&problems));
        }
        Ok(Self { compiled, problems: Problem::of_run(&problems) })
    }
}
