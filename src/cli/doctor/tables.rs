//! The tables that are built in, and where each comes from.

use serde::Serialize;

/// A table that is built in.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    /// Description of the content of the table.
    pub(super) content: &'static str,
    source: &'static str,
    /// A commit, a version, or the part of the source.
    version: &'static str,
    /// The day of the source, or on which it was read; only the month or the year if no more is known.
    pub(super) date: &'static str,
}

/// All tables, in the order of their files.
pub(super) fn tables() -> Vec<Table> {
    let rows = include_str!("tables.tsv").lines().filter(|line| !line.starts_with('#'));
    let table = |row: &'static str| {
        let mut fields = row.split('\t').skip(1);
        Some(Table { content: fields.next()?, source: fields.next()?, version: fields.next()?, date: fields.next()? })
    };
    rows.filter_map(table).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::*;

    /// Files that are no tables.
    const OTHERS: &[&str] = &[
        "crates/bicep/src/codes/others.txt",
        "crates/bicep/src/codes/samples.txt",
        "crates/report/src/html/page.css",
        "crates/report/src/html/page.js",
        "crates/report/src/sample/main.json",
        "rules/data/counterparts.txt",
        "rules/data/index.txt",
    ];

    fn data_files(folder: &Path, found: &mut BTreeSet<String>) {
        for path in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "snapshots" && name != "services" {
                data_files(&path, found);
            } else if path.is_dir() && path.ends_with("data/services")
                || path.is_file() && path.extension().is_none_or(|end| end != "rs")
            {
                let own = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
                found.insert(own.display().to_string());
            }
        }
    }

    #[test]
    fn each_table_has_a_source() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = BTreeSet::new();
        for krate in root.join("crates").read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            let folders: Vec<PathBuf> = ["src", "data"].iter().map(|name| krate.join(name)).collect();
            folders.iter().filter(|folder| folder.is_dir()).for_each(|folder| data_files(folder, &mut files));
        }
        data_files(&root.join("rules/data"), &mut files);
        files.retain(|file| !OTHERS.contains(&file.as_str()));
        let rows = include_str!("tables.tsv").lines().filter(|line| !line.starts_with('#'));
        let listed: BTreeSet<String> = rows.clone().map(|row| row.split('\t').next().unwrap().to_owned()).collect();
        assert_eq!(listed, files, "`src/cli/doctor/tables.tsv` has a row for each table");
        assert_eq!(tables().len(), rows.count());
        for table in tables() {
            assert!(table.source.starts_with("https://") && !table.version.is_empty(), "{table:?}");
            let parts: Vec<usize> = table.date.split('-').map(str::len).collect();
            assert!([4, 2, 2].starts_with(&parts) && !parts.is_empty(), "{table:?}");
        }
    }
}
