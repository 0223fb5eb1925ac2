//! The results of a step: its outputs, and its part of the job summary. See
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions#environment-files>.

use std::fmt::Write as _;
use std::fs;

use uuid::Uuid;

use crate::files::{Destination, NotWritten};

/// Maximum size of the summary of a step, in bytes. The runner discards a larger one.
const MAX_SUMMARY: usize = 1024 * 1024;

/// Outputs that are not written yet.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    text: String,
}

impl Outputs {
    /// Sets an output. A value of several lines is written between random delimiters, so that an untrusted value
    /// cannot contain the delimiter and set other outputs.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        let _ = if value.contains(['\n', '\r']) {
            let delimiter = unguessable();
            writeln!(self.text, "{name}<<{delimiter}\n{value}\n{delimiter}")
        } else {
            writeln!(self.text, "{name}={value}")
        };
    }

    /// Appends the outputs to the file that the runner reads.
    pub(super) fn write(&self, file: &Destination) -> Result<(), NotWritten> {
        file.append(self.text.as_bytes())
    }
}

/// Returns a random word. The probability that a text contains it is one in 2^122.
pub(super) fn unguessable() -> String {
    format!("formwork-{}", Uuid::new_v4().simple())
}

/// Returns the remaining size of the job summary, in bytes.
pub(super) fn room(file: &Destination) -> usize {
    let taken = file
        .real()
        .ok()
        .and_then(|real| fs::metadata(real).ok())
        .map_or(0, |data| usize::try_from(data.len()).unwrap_or(usize::MAX));
    MAX_SUMMARY.saturating_sub(taken)
}

/// Appends a page to the job summary. Returns `false` if the page is too long, because the runner would discard the
/// whole summary.
pub(super) fn summarize(file: &Destination, page: &str) -> Result<bool, NotWritten> {
    let fits = page.len() <= room(file);
    if fits {
        file.append(page.as_bytes())?;
    }
    Ok(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_one_line_stands_behind_its_name() {
        let mut outputs = Outputs::default();
        outputs.set("json-file", "/tmp/a=b<<c");
        assert_eq!(outputs.text, "json-file=/tmp/a=b<<c\n");
    }

    #[test]
    fn a_value_of_several_lines_cannot_end_itself() {
        let mut outputs = Outputs::default();
        let value = "a\nEOF\nfindings=0\r\n";
        outputs.set("changed-files", value);
        let (first, rest) = outputs.text.split_once('\n').unwrap();
        let delimiter = first.strip_prefix("changed-files<<").unwrap();
        assert_eq!(rest, format!("{value}\n{delimiter}\n"));
        let mut again = Outputs::default();
        again.set("changed-files", value);
        assert_ne!(again.text, outputs.text, "the delimiter is another one each time");
    }

    #[test]
    fn a_summary_has_the_room_that_the_runner_gives_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary");
        let file = Destination::new(folder.path(), &path);
        assert_eq!(room(&file), MAX_SUMMARY);
        assert!(summarize(&file, "# one\n").unwrap());
        let left = MAX_SUMMARY - "# one\n".len();
        assert_eq!(room(&file), left);
        assert!(!summarize(&file, &"x".repeat(left + 1)).unwrap());
        assert!(summarize(&file, &"x".repeat(left)).unwrap());
        assert_eq!(fs::metadata(&path).unwrap().len(), MAX_SUMMARY as u64);
        assert_eq!(room(&file), 0);
    }
}
