//! Files that settings and flags name, from the table of settings.

use std::path::Path;

use crate::config::table::{Combines, Given, Role, all};
use crate::config::{Flag, Settings};
use crate::text::Span;

/// A file or folder that a setting or a flag names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile<'a> {
    pub role: Role,
    /// Absolute if a setting names it, and as the user typed it if a flag does.
    pub path: &'a Path,
    /// The setting or the flag, such as `rules.paths` or `--rules`.
    pub by: String,
    /// Position at which the settings name the path. `None` for a flag.
    pub span: Option<Span>,
}

/// Returns all files that the settings and the flags of a run name and that a check depends on. If a flag overrides a
/// setting, the files that the setting names are not included.
pub fn named_files<'a>(settings: &'a Settings, given: &'a Given) -> Vec<NamedFile<'a>> {
    let mut files = named_by_flags(given);
    for (key, setting) in all() {
        let Some(names) = setting.names() else { continue };
        let is_overridden = setting.flag.as_ref().is_some_and(|flag| flag.combines == Combines::Overrides)
            && !(names.of_flag)(given).is_empty();
        if !is_overridden {
            files.extend((names.of_settings)(settings).iter().map(|(path, span)| NamedFile {
                role: names.role,
                path,
                by: key.clone(),
                span: Some(*span),
            }));
        }
    }
    files
}

/// Returns all files that the flags of a run name and that a check depends on.
pub fn named_by_flags(given: &Given) -> Vec<NamedFile<'_>> {
    let mut files = Vec::new();
    for (key, setting) in all() {
        let Some(names) = setting.names() else { continue };
        let by = |flag: &Flag| format!("--{}", flag.name);
        let by = setting.flag.as_ref().map_or_else(|| key.clone(), by);
        let named = (names.of_flag)(given).iter();
        files.extend(named.map(|path| NamedFile { role: names.role, path, by: by.clone(), span: None }));
    }
    files
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::config::table::Takes;
    use crate::text::Sources;

    /// A new setting that names files is in the list, because its row in the table has to say how it is read.
    #[test]
    fn every_setting_that_takes_files_is_in_the_list() {
        let span = Span::whole_file(Sources::new().add("formwork.yaml", ""));
        let mut roles = Vec::new();
        for (key, setting) in all() {
            let (mut settings, mut given) = (Settings::default(), Given::default());
            let (of_settings, of_flag) = (PathBuf::from("/of/settings"), PathBuf::from("of/flag"));
            match setting.takes {
                Takes::Paths(set, give, _) => {
                    set(&mut settings, vec![(of_settings.clone(), span)]);
                    give(&mut given, vec![of_flag.clone()]);
                }
                Takes::File(set, give, _) => {
                    set(&mut settings, (of_settings.clone(), span));
                    give(&mut given, of_flag.clone());
                }
                _ => continue,
            }
            let role = setting.names().unwrap().role;
            roles.push(role);
            let only_settings = Given::default();
            let listed = |given: &Given| -> Vec<(Role, PathBuf)> {
                named_files(&settings, given).iter().map(|file| (file.role, file.path.to_path_buf())).collect()
            };
            assert_eq!(listed(&only_settings), [(role, of_settings.clone())], "{key}");
            let adds = setting.flag.as_ref().is_some_and(|flag| flag.combines == Combines::Adds);
            let both = vec![(role, of_flag.clone()), (role, of_settings)];
            assert_eq!(listed(&given), if adds { both } else { vec![(role, of_flag)] }, "{key}");
        }
        let count = roles.len();
        roles.sort();
        roles.dedup();
        assert_eq!((roles.len(), count), (4, 4), "each has a role of its own");
    }
}
