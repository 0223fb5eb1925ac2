//! The embedded rules: every file of `rules`.
//!
//! A test compares the list in `builtin.list` with the folder; `INSTA_UPDATE=always cargo test` updates it.

/// The embedded rule files, ordered by name: the name of each and its text.
pub(crate) fn sources() -> &'static [(&'static str, &'static str)] {
    SOURCES
}

static SOURCES: &[(&str, &str)] = &include!("builtin.list");
