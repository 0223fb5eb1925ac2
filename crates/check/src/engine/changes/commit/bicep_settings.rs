//! The settings of the Bicep compiler in a commit, with the files that they extend.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::changes::Error;
use crate::engine::changes::commit::{CommitTree, PathContent};
use crate::syntax;
use crate::text::Sources;
use crate::value::Value;

/// Maximum number of `bicepconfig.json` files that extend each other.
const MAX_EXTENDS: usize = 10;

/// Maximum nesting depth of a `bicepconfig.json`.
const MAX_DEPTH: u32 = 50;

impl CommitTree {
    /// Returns the settings of the Bicep compiler that the commit and the disk have with different contents, by the
    /// name of their files, and what they extend: the contents in the commit, or `None` for a file that it does not
    /// have.
    pub(crate) fn bicep_settings(&self, name: &str) -> Result<BTreeMap<PathBuf, Option<Vec<u8>>>, Error> {
        let mut contents = BTreeMap::new();
        for (path, bytes) in self.of_name(name)? {
            let full = self.root.join(&path);
            let is_same = fs::read(&full).is_ok_and(|disk| same_text(&disk, &bytes));
            for base in self.extended(&path, &bytes)? {
                let place = self.root.join(&base);
                let old = self.blob(&base)?;
                let is_known = match &old {
                    Some(old) => is_same && fs::read(&place).is_ok_and(|disk| same_text(&disk, old)),
                    None => !matches!(self.place(&place), PathContent::Refused(_)),
                };
                if !is_known {
                    contents.insert(place, old);
                }
            }
            if !is_same {
                contents.insert(full, Some(bytes));
            }
        }
        let added =
            self.head.iter().filter(|(path, _)| Path::new(path).ends_with(name) && !self.folded.contains_key(*path));
        contents.extend(added.map(|(_, (path, _))| (self.root.join(path), None)));
        Ok(contents)
    }

    /// Returns the files that settings of the Bicep compiler of this name extend in the commit.
    pub(crate) fn extended_by(&self, name: &str) -> Result<Vec<PathBuf>, Error> {
        let mut all = Vec::new();
        for (path, bytes) in self.of_name(name)? {
            all.extend(self.extended(&path, &bytes)?.into_iter().map(|path| self.root.join(path)));
        }
        Ok(all)
    }

    /// Returns the files of this name in the commit, with their contents. Links are followed.
    fn of_name(&self, name: &str) -> Result<Vec<(PathBuf, Vec<u8>)>, Error> {
        let mut all = Vec::new();
        for path in self.entries.keys().filter(|path| path.ends_with(name)) {
            if let Some(bytes) = self.blob(path)? {
                all.push((path.clone(), bytes));
            }
        }
        Ok(all)
    }

    /// Returns the files that the settings at `path` extend, the nearest first. Files outside of the repository are not
    /// among them.
    fn extended(&self, path: &Path, bytes: &[u8]) -> Result<Vec<PathBuf>, Error> {
        let (mut all, mut path, mut bytes) = (Vec::new(), path.to_owned(), Some(bytes.to_owned()));
        while let Some(text) = bytes.take().filter(|_| all.len() < MAX_EXTENDS) {
            let sources = Sources::new();
            let text = String::from_utf8_lossy(&text).into_owned();
            let file = sources.add("", text);
            let value = syntax::json::parse(file, sources.get(file).text(), MAX_DEPTH).value;
            let base = value.as_ref().and_then(|value| value.get("extends")).and_then(Value::as_str);
            let Some(base) = base else { break };
            let full = crate::path::normalize(&self.root.join(path.parent().unwrap_or(&path)), Path::new(base));
            let Ok(inside) = full.strip_prefix(&self.root) else { break };
            inside.clone_into(&mut path);
            bytes = self.blob(&path)?;
            all.push(path.clone());
        }
        Ok(all)
    }
}

/// Returns `true` if two texts are the same except for their line endings, which git may convert.
fn same_text(one: &[u8], other: &[u8]) -> bool {
    let plain = |text: &[u8]| text.iter().copied().filter(|byte| *byte != b'\r').collect::<Vec<u8>>();
    one == other || plain(one) == plain(other)
}
