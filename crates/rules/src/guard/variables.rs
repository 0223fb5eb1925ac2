//! Variables and their values.

use std::collections::BTreeMap;

use foldhash::HashMap;

use crate::guard::ast::Assignment;
use crate::guard::parse::fault::{Fault, quoted};
use crate::guard::piece::Piece;

/// Words in the name of an environment variable that make its value a secret.
const SECRET_WORDS: &[&str] = &[
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PWD",
    "TOKEN",
    "CREDENTIAL",
    "PRIVATE",
    "APIKEY",
    "KEY",
    "AUTH",
    "PAT",
    "SAS",
    "DSN",
    "COOKIE",
    "CONNECTION",
    "WEBHOOK",
    "ACTIONS_",
];

/// Variables of a ruleset and of the environment. Their names are separate.
#[derive(Debug)]
pub(super) struct Variables<'a> {
    assigned: HashMap<&'a str, Piece<'a>>,
    /// Names of the assigned variables, sorted.
    names: Vec<&'a str>,
    environment: &'a BTreeMap<String, String>,
}

/// Target of a value that begins with `%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reference<'a> {
    /// A variable that the ruleset assigns, `%name`.
    Assigned(&'a str),
    /// An environment variable, `%{NAME}`.
    Environment(&'a str),
    /// No variable, since none can have this name.
    Nothing,
}

impl<'a> Variables<'a> {
    /// Collects the variables of a ruleset. An assignment holds for the whole ruleset; of several, the last one counts.
    pub(super) fn new(assignments: &[Assignment<'a>], environment: &'a BTreeMap<String, String>) -> Self {
        let assigned: HashMap<_, _> =
            assignments.iter().map(|assignment| (assignment.name.text, assignment.value)).collect();
        let mut names: Vec<&str> = assigned.keys().copied().collect();
        names.sort_unstable();
        Self { assigned, names, environment }
    }

    /// Returns the value of an assigned variable.
    pub(super) fn assigned(&self, name: &str) -> Option<Piece<'a>> {
        self.assigned.get(name).copied()
    }

    /// Returns the value of an environment variable.
    pub(super) fn environment(&self, name: &str) -> Option<&'a str> {
        self.environment.get(name).map(String::as_str)
    }

    /// Returns the names of the assigned variables, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.names.iter().copied()
    }
}

/// Reads a value as a reference. Returns `None` if it does not begin with `%`.
pub(super) fn reference(value: Piece<'_>) -> Result<Option<Reference<'_>>, Fault<'_>> {
    let Some(name) = value.text.strip_prefix('%') else { return Ok(None) };
    if let Some(braced) = name.strip_prefix('{') {
        return match braced.strip_suffix('}') {
            Some(name) if !name.contains(['{', '}']) => Ok(Some(Reference::Environment(name))),
            None if braced.contains('}') => Ok(Some(Reference::Nothing)),
            Some(_) => Err(Fault::syntax(value, "an environment variable is written in one pair of braces: `%{NAME}`")),
            None => Err(Fault::syntax(value, "expected `}` after the name of the environment variable")),
        };
    }
    match name {
        "" | "%" => Err(Fault::syntax(value, "expected a variable after `%`")),
        _ if name.contains('%') => Err(Fault::syntax(
            value,
            format!("{} is not a variable; expected at most one `%`, at the beginning", quoted(value.text)),
        )),
        _ => Ok(Some(Reference::Assigned(name))),
    }
}

/// True if messages mask the value of an environment variable, which its name decides.
pub(super) fn is_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    SECRET_WORDS.iter().any(|word| match word.len() {
        // Short words are also parts of other words.
        ..=4 => upper.split(|c: char| !c.is_ascii_alphabetic()).any(|part| part == *word),
        _ => upper.contains(word),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, expected: Option<Reference<'_>>) {
        assert_eq!(reference(Piece::whole(value)).unwrap(), expected, "{value}");
    }

    #[test]
    fn references_name_a_variable_or_one_of_the_environment() {
        check("x", None);
        check("50%", None);
        check("%a", Some(Reference::Assigned("a")));
        check("%{A b}", Some(Reference::Environment("A b")));
        check("%{}", Some(Reference::Environment("")));
        check("%{A}b", Some(Reference::Nothing));
    }

    #[test]
    fn other_percent_signs_are_errors() {
        for wrong in ["%", "%%", "%a%", "%a%b", "%{A", "%{{A}}"] {
            assert!(reference(Piece::whole(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn secrets_are_told_by_their_names() {
        for name in [
            "SECRET",
            "db_password",
            "GITHUB_TOKEN",
            "API_KEY",
            "awsSecretAccessKey",
            "NPM_AUTH",
            "DEPLOY_PAT",
            "DB_CONNECTION_STRING",
            "ACTIONS_CACHE_URL",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["FOO", "MONKEY", "AUTHOR", "REGION", "KEYBOARD"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
