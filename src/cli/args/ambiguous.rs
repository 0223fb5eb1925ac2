//! File names that look like options.
//!
//! Names come to the command line from others: a shell puts them in the place of `*`, and pre-commit appends them to the
//! arguments of the user, which it does not separate from them. A file `--exclude=*.json` would be an option, and a word
//! does not tell who wrote it. Each of these names is that of a file in the current folder, so such a word is refused.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// The first word that is both an option and the name of a file or folder in `working`. What follows `--` is no option.
pub(in crate::cli) fn ambiguous<'a>(args: &'a [OsString], working: &Path) -> Option<&'a OsStr> {
    let options = args.iter().skip(1).take_while(|word| *word != "--");
    let mut options = options.filter(|word| word.len() > 1 && word.as_encoded_bytes().starts_with(b"-"));
    options.find(|word| fs::symlink_metadata(working.join(word)).is_ok()).map(OsString::as_os_str)
}
