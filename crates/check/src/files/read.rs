//! Reads the user's files, and registers them as sources of the run.
//!
//! # Invariant
//!
//! A file that another file names, or that a walk finds, is read only if it is a regular file; `pipe.rs` reads the
//! pipes and devices that a user named, with time limits.

use std::io;
use std::ops::Deref;

use arcstr::ArcStr;

use crate::diagnostic::{Code, Diagnostic};
use crate::files::describe;
use crate::text::{FileId, Sources, Span, Undecodable, decode};

/// Reason why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The operating system does not allow it, or there is no such file.
    #[error("the file cannot be read: {}", describe(.0))]
    Io(#[from] io::Error),
    /// The path is that of a folder.
    #[error("expected a file, found a folder")]
    Folder,
    /// The file is a pipe, a socket, or a device, and the user did not name it.
    #[error("expected a file, found a pipe, a socket, or a device")]
    Special,
    /// The file is not in the repository, although its path is one in the repository or is given there.
    #[error("the file is outside the repository, and is not read")]
    Outside,
    /// The file has more bytes than the limit.
    #[error("the file is larger than the limit of {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
}

impl Unreadable {
    /// Turns the problem into a diagnostic that is reported once; see [`Unreadable::diagnostic`].
    pub fn into_diagnostic(self, name: &str, sources: &Sources) -> Diagnostic {
        self.diagnostic(name, sources)
    }

    /// Returns the problem as a diagnostic, on an empty text that is registered under the name of the file.
    pub fn diagnostic(&self, name: &str, sources: &Sources) -> Diagnostic {
        let code = match self {
            Self::Io(_) | Self::Folder | Self::Special | Self::Outside => Code::FileUnreadable,
            Self::TooLarge { .. } => Code::FileTooLarge,
        };
        Diagnostic::of_file(code, sources.add(name, ""), self.to_string())
    }
}

/// The bytes of a file.
#[derive(Debug)]
pub enum Contents {
    /// UTF-8 without a byte order mark. It was read to where it is kept, because copying it there costs as much again.
    Text(ArcStr),
    /// Bytes that are not kept as they are, or not known to be text.
    Bytes(Vec<u8>),
}

impl Contents {
    /// Returns the bytes, and copies them if they are kept as a text.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.as_bytes().to_vec(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// Returns the text: see [`decode`].
    pub fn decode(self) -> Result<ArcStr, Undecodable> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Bytes(bytes) => decode(bytes).map(ArcStr::from),
        }
    }
}

impl Deref for Contents {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl From<Vec<u8>> for Contents {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

/// Registers bytes as a text of the run. If they cannot be decoded, the part before the fault is registered, so that
/// the diagnostic has a line.
pub fn register(name: &str, contents: impl Into<Contents>, sources: &Sources) -> Result<FileId, Diagnostic> {
    let bytes = match contents.into() {
        Contents::Text(text) => return Ok(sources.add(name, text)),
        Contents::Bytes(bytes) => bytes,
    };
    let fallback = match std::str::from_utf8(&bytes) {
        Ok(_) => None,
        Err(error) => Some(error.valid_up_to()),
    };
    let is_utf8 = fallback.is_none();
    let readable = fallback.map(|end| String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned());
    decode(bytes)
        .map(|text| if is_utf8 { sources.add(name, text) } else { sources.add_recoded(name, text) })
        .map_err(|problem| undecodable(name, &problem, readable.unwrap_or_default(), sources))
}

fn undecodable(name: &str, problem: &Undecodable, readable: String, sources: &Sources) -> Diagnostic {
    let end = u32::try_from(readable.len()).unwrap_or(u32::MAX);
    let file = sources.add(name, readable);
    Diagnostic::new(Code::FileEncoding, Span::new(file, end, end), problem.to_string())
        .with_help("save the file as UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_reported_at_their_line() {
        let sources = Sources::new();
        let problem = register("x.json", b"{\n  \xFF".to_vec(), &sources).unwrap_err();
        let (at, _) = sources.range(problem.primary.span);
        assert_eq!((at.line, at.column), (2, 3));
    }
}
