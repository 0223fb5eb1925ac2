//! The results of a step: outputs, and its part of the job summary. See
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions#environment-files>.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use uuid::Uuid;

/// The largest summary of a step, in bytes. The runner discards a larger one.
const MAX_SUMMARY: usize = 1024 * 1024;

/// The end of a summary that was cut.
const CUT: &str = "\n\n… the rest does not fit: the report as JSON has it all.\n";

/// Outputs that are not written yet.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    text: String,
}

impl Outputs {
    /// Sets an output. A value of several lines is between random delimiters, so that an untrusted value cannot contain
    /// the delimiter and set other outputs.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        let _ = if value.contains(['\n', '\r']) {
            let delimiter = unguessable();
            writeln!(self.text, "{name}<<{delimiter}\n{value}\n{delimiter}")
        } else {
            writeln!(self.text, "{name}={value}")
        };
    }

    /// Appends the outputs to the file that the runner reads.
    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        appended(file)?.write_all(self.text.as_bytes())
    }
}

/// A random word. The chance that a text contains it is one in 2^122.
pub(super) fn unguessable() -> String {
    format!("formwork-{}", Uuid::new_v4().simple())
}

/// Appends a page to the summary of the job, or as much of it as the runner takes.
pub(super) fn summarize(file: &Path, page: &str) -> io::Result<()> {
    let mut file = appended(file)?;
    let taken = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    let page = fitting(page, MAX_SUMMARY.saturating_sub(taken));
    file.write_all(page.as_bytes())
}

/// A page, cut at the end of a line where there is no room for more.
fn fitting(page: &str, room: usize) -> String {
    if page.len() <= room {
        return page.to_owned();
    }
    let Some(end) = room.checked_sub(CUT.len()) else { return String::new() };
    let end = page.as_bytes()[..end].iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
    format!("{}{CUT}", &page[..end])
}

fn appended(file: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

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
    fn a_summary_is_cut_where_the_runner_would_throw_it_away() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("summary");
        summarize(&file, "# one\n").unwrap();
        let row = "| é | row |\n";
        summarize(&file, &row.repeat(MAX_SUMMARY / row.len() + 1)).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.len() <= MAX_SUMMARY && text.len() > MAX_SUMMARY - 200, "{}", text.len());
        assert!(text.starts_with("# one\n| é") && text.ends_with(&format!("row |{CUT}")));
        summarize(&file, "no room for this line, nor for the word that it was cut\n".repeat(4).as_str()).unwrap();
        assert!(fs::metadata(&file).unwrap().len() <= MAX_SUMMARY as u64);
    }

    #[test]
    fn a_summary_that_fits_is_not_touched() {
        assert_eq!(fitting("a\nb", 3), "a\nb");
        assert_eq!(fitting("a\nb", 2), "");
    }
}
