//! Finds templates whose parameter files are in another folder, such as `parameters/x.parameters.json` for
//! `templates/x.json`.

use std::path::{Path, PathBuf};

use crate::cfn::parameter_names;
use crate::engine::inputs::link::{EXTENSIONS, stems};
use crate::files::{Fence, display_name};
use crate::value::Value;

/// Maximum number of entries of a folder that are read.
const MAX_ENTRIES: usize = 256;

/// The longest template that is compared with a parameter file, in bytes.
const MAX_LENGTH: u64 = 16 << 20;

/// Maximum number of candidates that a note names.
const MAX_NAMED: usize = 3;

/// Returns the templates that a parameter file may belong to by its name: in the folder above its own, and in the other
/// folders there. At most one for each folder, in the order of their paths.
pub(super) fn around(fence: &Fence<'_>, path: &Path) -> Vec<PathBuf> {
    let stems = stems(path);
    // Folders are not listed for each JSON file.
    if stems.is_empty() {
        return Vec::new();
    }
    let folders = folders(fence, path);
    let in_folder = |folder: &PathBuf, stem: &str| {
        let named = EXTENSIONS.iter().map(|extension| folder.join(format!("{stem}.{extension}")));
        named.into_iter().find(|candidate| fence.is_file(candidate))
    };
    let of_stem = |stem: String| folders.iter().filter_map(|folder| in_folder(folder, &stem)).collect::<Vec<_>>();
    stems.into_iter().map(of_stem).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Returns the folder above that of a file, and the other folders there.
pub(super) fn folders(fence: &Fence<'_>, path: &Path) -> Vec<PathBuf> {
    let Some((own, above)) = path.parent().and_then(|own| Some((own, own.parent()?))) else { return Vec::new() };
    let is_hidden = |path: &Path| path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
    let mut folders = entries(fence, above);
    folders.retain(|path| path != own && !is_hidden(path) && is_folder(fence, path));
    folders.insert(0, above.to_path_buf());
    folders
}

/// Returns `true` if a path is a folder, and not a link to one.
pub(super) fn is_folder(fence: &Fence<'_>, path: &Path) -> bool {
    fence.is_link(path).is_ok_and(|is_link| !is_link) && fence.is_folder(path)
}

/// Returns the templates in the folder above that of a parameter file which have all its parameters.
pub(super) fn above(fence: &Fence<'_>, path: &Path, file: &Value) -> Vec<PathBuf> {
    let above = path.parent().and_then(Path::parent);
    let is_template = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)) && fence.is_file(path)
    };
    let mut found = above.map(|above| entries(fence, above)).unwrap_or_default();
    found.retain(|path| is_template(path) && fits(fence, path, file));
    found
}

/// Returns the first entries of a folder, in the order of their paths.
pub(super) fn entries(fence: &Fence<'_>, folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fence.list(folder).into_iter().flatten().collect();
    entries.sort();
    entries.truncate(MAX_ENTRIES);
    entries
}

/// Returns `true` if the text of a template contains the names of all parameters that a parameter file sets.
pub(super) fn fits(fence: &Fence<'_>, template: &Path, file: &Value) -> bool {
    let Some(text) = fence.read(template, MAX_LENGTH).ok().and_then(|contents| contents.decode().ok()) else {
        return false;
    };
    let text = text.to_lowercase();
    parameter_names(file).iter().all(|name| text.contains(&name.to_lowercase()))
}

/// Returns the end of a help that names candidates. Empty if there are none.
pub(super) fn named(working: &Path, candidates: &[PathBuf]) -> String {
    let names: Vec<String> = candidates.iter().map(|path| format!("`{}`", display_name(working, path))).collect();
    let rest = match names.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        count => format!(", and {count} more"),
    };
    let first = names.get(..names.len().min(MAX_NAMED)).unwrap_or_default().join(", ");
    match names.len() {
        0 => String::new(),
        1 => format!("; {first} may be meant"),
        _ => format!("; one of {first}{rest} may be meant"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;
    use crate::value::Member;

    fn memory<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Memory {
        let mut memory = Memory::default();
        files.into_iter().for_each(|(name, text)| memory.insert(name, text));
        memory
    }

    #[test]
    fn the_template_may_be_in_the_folder_above_or_in_one_beside() {
        let files =
            ["templates/x.json", "templates/x.bicep", "other/y.json", "y.json", ".git/x.json", "parameters/z.json"];
        let memory = memory(files.map(|name| (name, "{}")));
        let found = |name: &str| -> Vec<String> {
            let found = around(&Fence::of_user(&memory), &Memory::path("parameters").join(name)).into_iter();
            found.map(|path| display_name(Path::new(Memory::ROOT), &path)).collect()
        };
        assert_eq!(found("x.parameters.json"), ["templates/x.json"]);
        assert_eq!(found("x.test.parameters.json"), ["templates/x.json"]);
        assert_eq!(found("x.test.param.json"), ["templates/x.json"]);
        assert_eq!(found("y.parameters.json"), ["y.json", "other/y.json"]);
        assert!(found("z.parameters.json").is_empty());
    }

    #[test]
    fn a_template_fits_that_has_all_parameters() {
        let memory = memory([("x.bicep", "param Name string\nparam size int = 1\n")]);
        let file = |names: &[&str]| {
            let members = names.iter().map(|name| Member::new(*name, Value::NULL)).collect();
            Value::object(vec![Member::new("parameters", Value::object(members))])
        };
        assert!(fits(&Fence::of_user(&memory), &Memory::path("x.bicep"), &file(&["name"])));
        assert!(!fits(&Fence::of_user(&memory), &Memory::path("x.bicep"), &file(&["name", "sku"])));
    }

    #[test]
    fn a_note_names_the_first_candidates() {
        let paths: Vec<PathBuf> = ["a", "b", "c", "d"].map(PathBuf::from).into();
        assert_eq!(named(Path::new(""), &[]), "");
        assert_eq!(named(Path::new(""), &paths[..1]), "; `a` may be meant");
        assert_eq!(named(Path::new(""), &paths), "; one of `a`, `b`, `c`, and 1 more may be meant");
    }
}
