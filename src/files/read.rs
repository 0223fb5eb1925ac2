//! Reads the user's files, up to a limit, and registers them as sources of the run.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

use arcstr::ArcStr;

use crate::diagnostic::{Code, Diagnostic};
use crate::files::pipe;
use crate::files::{describe, leads_out};
use crate::text::{FileId, Sources, Span, Undecodable, decode};

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    /// The operating system does not allow it, or there is no such file.
    #[error("the file cannot be read: {}", describe(.0))]
    Io(#[from] io::Error),
    /// The path is that of a folder.
    #[error("expected a file, found a folder")]
    Folder,
    /// It is a pipe, a socket, or a device, and the user did not name it.
    #[error("expected a file, found a pipe, a socket, or a device")]
    Special,
    /// It is not in the repository, although its name is one of the repository or is given there.
    #[error("the file is outside the repository, and is not read")]
    Outside,
    /// It has more bytes than the limit.
    #[error("the file is larger than the limit of {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
}

impl Unreadable {
    /// As [`Unreadable::diagnostic`], for a problem that is said once.
    pub(crate) fn into_diagnostic(self, name: &str, sources: &Sources) -> Diagnostic {
        self.diagnostic(name, sources)
    }

    /// The problem as a diagnostic, on an empty text that is registered under the name of the file.
    pub(crate) fn diagnostic(&self, name: &str, sources: &Sources) -> Diagnostic {
        let code = match self {
            Self::Io(_) | Self::Folder | Self::Special | Self::Outside => Code::FileUnreadable,
            Self::TooLarge { .. } => Code::FileTooLarge,
        };
        Diagnostic::of_file(code, sources.add(name, ""), self.to_string())
    }
}

/// The bytes of a file.
#[derive(Debug)]
pub(crate) enum Contents {
    /// UTF-8 without a byte order mark. It was read to where it is kept, because copying it there costs as much again.
    Text(ArcStr),
    /// Bytes that are not kept as they are, or not known to be text.
    Bytes(Vec<u8>),
}

impl Contents {
    /// The bytes alone.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.as_bytes().to_vec(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// The text: see [`decode`].
    pub(crate) fn decode(self) -> Result<ArcStr, Undecodable> {
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

/// The bytes of a file that the user or the settings named, unless a link leads out of the repository.
pub(crate) fn read_named(path: &Path, limit: u64) -> Result<Contents, Unreadable> {
    if leads_out(path) { Err(Unreadable::Outside) } else { read_given(path, limit) }
}

/// The bytes of a file that the user named, which may also be a pipe or a device.
pub(crate) fn read_given(path: &Path, limit: u64) -> Result<Contents, Unreadable> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() || metadata.is_dir() {
        return read_contents(path, limit);
    }
    within(pipe::read(path, limit, pipe::PATIENCE)?, limit).map(Contents::Bytes)
}

/// The bytes of a file of at most `limit` bytes.
pub(crate) fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, Unreadable> {
    let expected = length(path, limit)?;
    let mut bytes = Vec::with_capacity(expected.saturating_add(1));
    // A file may grow, and those of `/proc` have no length: the limit holds for what is read.
    let mut file = File::open(path)?.take(limit.saturating_add(1));
    file.read_to_end(&mut bytes)?;
    within(bytes, limit)
}

/// As [`read_bytes`], for a file that is probably kept as a text.
pub(crate) fn read_contents(path: &Path, limit: u64) -> Result<Contents, Unreadable> {
    let expected = length(path, limit)?;
    // An `ArcStr` that is to be filled has to have a length.
    if expected > 0 {
        let mut file = File::open(path)?;
        let mut is_whole = false;
        let text = ArcStr::init_with(expected, |bytes| {
            is_whole = file.read_exact(bytes).is_ok() && matches!(file.read(&mut [0]), Ok(0));
        });
        if let Some(text) = text.ok().filter(|text| is_whole && !text.starts_with(BYTE_ORDER_MARK)) {
            return Ok(Contents::Text(text));
        }
    }
    // It has another length by now, or another encoding.
    read_bytes(path, limit).map(Contents::Bytes)
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The length that a file of at most `limit` bytes is said to have.
fn length(path: &Path, limit: u64) -> Result<usize, Unreadable> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(Unreadable::Folder);
    }
    if !metadata.is_file() {
        return Err(Unreadable::Special);
    }
    if metadata.len() > limit {
        return Err(Unreadable::TooLarge { limit });
    }
    Ok(usize::try_from(metadata.len()).unwrap_or(0))
}

fn within(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>, Unreadable> {
    if bytes.len() as u64 > limit { Err(Unreadable::TooLarge { limit }) } else { Ok(bytes) }
}

/// Opens a file for reading. Opening a pipe might never end, so whatever is not a file is an error.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        return File::open(path);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a file, found a folder, a pipe, or a device"))
}

/// Registers bytes as a text of the run. If they cannot be decoded, the part before the fault is registered, so that
/// the diagnostic has a line.
pub(crate) fn register(name: &str, contents: impl Into<Contents>, sources: &Sources) -> Result<FileId, Diagnostic> {
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
    fn the_limit_and_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_bytes(&path, 5).unwrap(), b"12345");
        assert!(matches!(read_bytes(&path, 4), Err(Unreadable::TooLarge { limit: 4 })));
        assert!(matches!(read_bytes(folder.path(), 4), Err(Unreadable::Folder)));
        let missing = read_bytes(&folder.path().join("y"), 4).unwrap_err();
        assert_eq!(missing.to_string(), "the file cannot be read: there is no such file");
    }

    #[test]
    fn a_file_is_kept_as_it_was_read_if_that_is_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        for (bytes, text) in [
            (&b""[..], None),
            (b"{}", Some("{}")),
            ("{\"\u{fe}\": 1}".as_bytes(), Some("{\"\u{fe}\": 1}")),
            (b"\xEF\xBB\xBF{}", None),
            (b"\xFF\xFE{\0}\0", None),
            (b"\xFF", None),
        ] {
            fs::write(&path, bytes).unwrap();
            let contents = read_contents(&path, 100).unwrap();
            assert_eq!(&*contents, bytes);
            assert_eq!(matches!(&contents, Contents::Text(it) if Some(it.as_str()) == text), text.is_some());
        }
        assert!(matches!(read_contents(folder.path(), 4), Err(Unreadable::Folder)));
        fs::write(&path, "12345").unwrap();
        assert!(matches!(read_contents(&path, 4), Err(Unreadable::TooLarge { limit: 4 })));
    }

    /// The system says that it has none.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_may_have_another_length() {
        let own = Path::new("/proc/self/status");
        let contents = read_contents(own, 1 << 20).unwrap();
        assert!(contents.starts_with(b"Name:") && matches!(contents, Contents::Bytes(_)));
        assert!(matches!(read_contents(own, 4), Err(Unreadable::TooLarge { limit: 4 })));
    }

    #[test]
    fn bytes_that_are_no_text_are_reported_at_their_line() {
        let sources = Sources::new();
        let problem = register("x.json", b"{\n  \xFF".to_vec(), &sources).unwrap_err();
        let (at, _) = sources.range(problem.primary.span);
        assert_eq!((at.line, at.column), (2, 3));
    }
}
