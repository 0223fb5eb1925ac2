//! The names of paths that reports show.

use std::path::Path;

/// Returns the name that reports show for a file: with `/`, and relative to the current folder if the file is below it.
pub fn display_name(working: &Path, path: &Path) -> String {
    let shown = path.strip_prefix(working).ok().filter(|below| !below.as_os_str().is_empty());
    let shown = shown.unwrap_or(if path == working { Path::new(".") } else { path });
    let shown = shown.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { shown.into_owned() } else { shown.replace(std::path::MAIN_SEPARATOR, "/") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::normalize;

    #[track_caller]
    fn name(working: &str, path: &str) -> String {
        display_name(Path::new(working), &normalize(Path::new(working), Path::new(path)))
    }

    #[test]
    fn names_are_relative_to_the_current_folder_where_they_lie_below_it() {
        assert_eq!(name("/a/b", "./c/../d.json"), "d.json");
        assert_eq!(name("/a/b", "/a/b/c/d.json"), "c/d.json");
        assert_eq!(name("/a/b", "../c.json"), "/a/c.json");
        assert_eq!(name("/", "../../c.json"), "c.json");
    }
}
