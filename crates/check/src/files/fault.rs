//! Messages for errors of the operating system.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// Reason why a file is not written.
#[derive(Debug, thiserror::Error)]
pub enum NotWritten {
    /// A link of the checkout is on the way to the file.
    #[error("`{link}` is a link, and a change may have chosen where it leads; {}", instead(.real.as_ref()))]
    Link {
        /// The name of the link.
        link: String,
        /// Path at which the file would be written. `None` if it cannot be written.
        real: Option<PathBuf>,
    },
    /// The path is in a `.git` folder.
    #[error("git keeps its own files there; choose a path outside of `.git`")]
    Git,
    /// A cache would be in the checkout.
    #[error("the folder is in the checkout, so a change can fill the cache; name a folder outside of `{}`", .0.display())]
    Checkout(PathBuf),
    /// The operating system refuses.
    #[error("{}", describe_write(.0))]
    Io(#[from] io::Error),
}

/// Returns advice for a link that leads to `real`.
fn instead(real: Option<&PathBuf>) -> String {
    real.map_or_else(|| "remove it".to_owned(), |real| format!("to write there, name `{}`", real.display()))
}

/// Describes an error, without the error number of the operating system and in lower case like all messages.
pub fn describe(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::InvalidFilename => {
            "the name is too long, or has characters that the file system does not allow".to_owned()
        }
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_lowercase()
        }
    }
}

/// Describes an error of writing a file, with advice.
pub fn describe_write(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such folder; create it first".to_owned(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "no space is left there; free some, or write to another place".to_owned()
        }
        ErrorKind::FileTooLarge => {
            "it would be larger than the limit on files (`ulimit -f`); raise the limit".to_owned()
        }
        ErrorKind::ReadOnlyFilesystem => "nothing can be written there; write to another place".to_owned(),
        ErrorKind::IsADirectory => "expected a file, found a folder".to_owned(),
        _ => describe(error),
    }
}
