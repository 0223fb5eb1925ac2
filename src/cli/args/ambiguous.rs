//! File names that look like options.
//!
//! Other programs add names to the command line: a shell expands `*`, and pre-commit appends file names to the user's
//! arguments without a separator. A file `--exclude=*.json` would become an option. Each of these names is that of a
//! file in the current folder, so such a word is rejected.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// Returns the first word that is both an option and the name of a file or folder in `working`. Words after `--` are
/// not options.
pub(in crate::cli) fn ambiguous<'a>(args: &'a [OsString], working: &Path) -> Option<&'a OsStr> {
    let options = args.iter().skip(1).take_while(|word| *word != "--");
    let mut options = options.filter(|word| word.len() > 1 && word.as_encoded_bytes().starts_with(b"-"));
    options.find(|word| fs::symlink_metadata(working.join(word)).is_ok()).map(OsString::as_os_str)
}
