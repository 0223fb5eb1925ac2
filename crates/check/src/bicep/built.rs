//! Result of a compiler for one file.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Reason why one file was not built, although the CLI can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The process ended, a phrase with "it" as the subject says how.
    #[error("the Bicep CLI crashed while building the file: it {0}")]
    Crashed(String),
    /// The time limit was reached.
    #[error("the Bicep CLI did not build the file in time")]
    TimedOut,
    /// The CLI reported an error that is not a message about a file.
    #[error("the Bicep CLI refused to build the file: {0}")]
    Refused(String),
    /// The CLI does not have the command.
    #[error("this version of the Bicep CLI cannot build files of this kind")]
    Unsupported,
    /// Too many other files made the CLI crash or time out.
    #[error("the file was not built, because the Bicep CLI failed on too many others")]
    Abandoned,
}

/// Output of the compiler for one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Built {
    /// The template as JSON. `None` after an error, and for a parameter file whose template is not in a file.
    pub template: Option<String>,
    /// The parameters as JSON. `None` after an error, and for a `.bicep` file.
    pub parameters: Option<String>,
    /// The warnings and errors of the compiler, in its order.
    pub messages: Vec<Message>,
}

impl Built {
    /// Returns `true` if the build produced a template or parameters.
    pub fn is_complete(&self) -> bool {
        self.template.is_some() || self.parameters.is_some()
    }

    /// Returns `true` if another build of the same files would have the same result, so that it can be cached. A build
    /// that failed to restore a module may succeed as soon as the network is available.
    pub(super) fn is_lasting(&self) -> bool {
        let has_error = self.messages.iter().any(|message| message.level == MessageLevel::Error);
        self.is_complete() || (has_error && !self.messages.iter().any(Message::is_about_restoring))
    }
}

/// Warning or error of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The absolute path of the file that it is about.
    pub file: PathBuf,
    /// The position of the first character.
    pub start: Point,
    /// The position after the last character. Equal to `start` if the compiler did not report it.
    pub end: Point,
    /// The severity in the compiler's terms.
    pub level: MessageLevel,
    /// The code, such as `BCP036` or the name of a linter rule.
    pub code: String,
    /// The compiler's message.
    pub text: String,
    /// Advice on how to fix the problem. Only the built-in compiler has any.
    #[serde(default)]
    pub help: Option<String>,
}

/// The codes for modules that are not in the CLI's cache, whether it may not or cannot fetch them.
const RESTORING: [&str; 3] = ["BCP190", "BCP191", "BCP192"];

impl Message {
    /// Returns `true` if the message is about a module that could not be restored from a registry.
    pub fn is_about_restoring(&self) -> bool {
        RESTORING.contains(&self.code.as_str())
    }
}

/// A position in a file, in the compiler's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// The line, counted from 0.
    pub line: u32,
    /// The column in UTF-16 code units, counted from 0.
    pub character: u32,
}

/// The severity of a [`Message`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageLevel {
    /// A hint.
    Info,
    /// A likely mistake. The file is built anyway.
    Warning,
    /// The compiler does not build the file.
    Error,
}

impl MessageLevel {
    /// Returns the level with the compiler's name for it.
    pub(super) fn from_word(word: &str) -> Self {
        match word {
            "Error" => Self::Error,
            "Warning" => Self::Warning,
            _ => Self::Info,
        }
    }
}
