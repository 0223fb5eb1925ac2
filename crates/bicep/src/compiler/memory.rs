//! Files in memory, in the folder `/r`, for tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arcstr::ArcStr;

use crate::compiler::host::{Host, Missing};
use crate::compiler::reference::Artifact;
use crate::language::{SyntaxTree, parse};
use crate::path::normalize;
use crate::text::{FileId, Sources};

/// Files by path. A file is added to the sources when it is read.
#[derive(Debug)]
pub struct Memory<'a> {
    sources: &'a Sources,
    files: BTreeMap<PathBuf, String>,
    known: BTreeMap<PathBuf, FileId>,
}

impl<'a> Memory<'a> {
    /// Creates a folder with the given names and texts.
    pub fn new<'f>(sources: &'a Sources, files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Self {
        let files = files
            .into_iter()
            .map(|(name, text)| (normalize(Path::new("/r"), Path::new(name)), text.to_owned()))
            .collect();
        Self { sources, files, known: BTreeMap::new() }
    }
}

impl Host for Memory<'_> {
    fn open(&mut self, path: &Path) -> Result<(FileId, ArcStr), String> {
        let text = self.files.get(path).ok_or_else(|| "the file does not exist".to_owned())?;
        let sources = self.sources;
        let id = *self.known.entry(path.to_owned()).or_insert_with(|| sources.add("x", text.as_str()));
        Ok((id, sources.get(id).text().clone()))
    }

    fn parse(&mut self, path: &Path) -> Result<Arc<SyntaxTree>, String> {
        let (file, text) = self.open(path)?;
        Ok(Arc::new(parse(file, &text)))
    }

    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        self.files.get(path).map(|text| text.clone().into_bytes()).ok_or_else(|| "the file does not exist".to_owned())
    }

    fn files_in(&mut self, folder: &Path) -> Result<Vec<PathBuf>, String> {
        Ok(self.files.keys().filter(|path| path.parent() == Some(folder)).cloned().collect())
    }

    fn is_file(&mut self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    fn is_inside(&mut self, path: &Path) -> bool {
        path.starts_with("/r")
    }

    fn module(&mut self, _: &Artifact, _: Option<&Path>) -> Result<PathBuf, Missing> {
        Err(Missing::because("it is nowhere", "find it"))
    }
}
