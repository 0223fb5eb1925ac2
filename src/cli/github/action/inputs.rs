//! The inputs of the action. A composite action cannot read inputs, so `action.yml` passes each as a variable:
//! `fail-on` as `FORMWORK_FAIL_ON`. An empty input is not set.

use crate::cli::Environment;
use crate::cli::exit::Error;

/// The inputs. Each is validated when it is read. Errors contain the name of the input, because users do not know the
/// variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActionInputs<'a> {
    environment: &'a Environment,
}

impl<'a> ActionInputs<'a> {
    pub(super) fn new(environment: &'a Environment) -> Self {
        Self { environment }
    }

    fn get(self, name: &str) -> Option<&'a str> {
        let variable = format!("FORMWORK_{}", name.replace('-', "_").to_ascii_uppercase());
        self.environment.get(&variable)
    }

    /// Returns whether the step runs for a pull request.
    pub(super) fn is_of_pull_request(self) -> bool {
        self.environment.get("GITHUB_EVENT_NAME").is_some_and(|name| name.starts_with("pull_request"))
    }

    /// Returns an input of one line.
    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, Error> {
        match self.get(name).map(str::trim).filter(|text| !text.is_empty()) {
            Some(text) if text.contains(char::is_control) => {
                Err(Error::Usage(format!("the input `{name}` has a line break or another control character in it")))
            }
            other => Ok(other),
        }
    }

    /// Returns the lines of an input that are not blank.
    pub(super) fn lines(self, name: &str) -> Result<Vec<&'a str>, Error> {
        let lines = self.get(name).unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<&str> = lines.collect();
        if lines.iter().any(|line| line.contains(char::is_control)) {
            return Err(Error::Usage(format!("the input `{name}` has a control character in it")));
        }
        Ok(lines)
    }

    /// Returns an input that is `true` or `false`.
    pub(super) fn switch(self, name: &str, default: bool) -> Result<bool, Error> {
        // YAML knows `True` and `TRUE` as well.
        let text = self.text(name)?.map(str::to_ascii_lowercase);
        match text.as_deref() {
            None => Ok(default),
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(_) => Err(self.wrong(name, "`true` or `false`")),
        }
    }

    /// Returns an input that is one of a few words.
    pub(super) fn word(self, name: &str, words: &[&str]) -> Result<Option<&'a str>, Error> {
        match self.text(name)? {
            Some(text) if !words.contains(&text) => {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                let (last, first) = words.split_last().map_or(("", &[][..]), |(last, first)| (last.as_str(), first));
                Err(self.wrong(name, &format!("{} or {last}", first.join(", "))))
            }
            other => Ok(other),
        }
    }

    /// Returns the error for an input with an invalid value.
    pub(super) fn wrong(self, name: &str, wanted: &str) -> Error {
        let found = self.get(name).unwrap_or_default().trim();
        Error::Usage(format!("the input `{name}` is `{found}`, expected {wanted}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(value: &str, read: impl Fn(ActionInputs<'_>) -> Result<T, Error>) -> Result<T, String> {
        let variables = [("FORMWORK_AN_INPUT".to_owned(), value.to_owned())].into();
        let environment = Environment { variables, working: "/".into() };
        read(ActionInputs::new(&environment)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_text_is_one_line() {
        let text = |value: &str| with(value, |inputs| Ok(inputs.text("an-input")?.map(str::to_owned)));
        assert_eq!(text(" a b\n"), Ok(Some("a b".to_owned())));
        assert_eq!(text(" \n"), Ok(None));
        for hostile in ["a\nfindings=0", "a\r::error::b", "a\0b"] {
            let message = "the input `an-input` has a line break or another control character in it";
            assert_eq!(text(hostile), Err(message.to_owned()));
        }
    }

    #[test]
    fn lines_are_those_that_are_not_blank() {
        let lines = |value: &str| with(value, |inputs| Ok(inputs.lines("an-input")?.join("|")));
        assert_eq!(lines("a b\r\n \n  c\n"), Ok("a b|c".to_owned()));
        assert!(lines("a\rb").is_err() && lines("\x1b[31m").is_err());
    }

    #[test]
    fn a_switch_is_true_or_false() {
        let switch = |value: &str| with(value, |inputs| inputs.switch("an-input", true));
        assert_eq!((switch(""), switch("True"), switch("false")), (Ok(true), Ok(true), Ok(false)));
        assert_eq!(switch("yes"), Err("the input `an-input` is `yes`, expected `true` or `false`".to_owned()));
    }

    #[test]
    fn a_word_is_one_of_those_there_are() {
        let word =
            |value: &str| with(value, |inputs| Ok(inputs.word("an-input", &["a", "b", "c"])?.map(str::to_owned)));
        assert_eq!((word("b"), word("")), (Ok(Some("b".to_owned())), Ok(None)));
        assert_eq!(word("d"), Err("the input `an-input` is `d`, expected `a`, `b` or `c`".to_owned()));
    }
}
