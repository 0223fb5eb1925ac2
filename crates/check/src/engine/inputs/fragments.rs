//! Finds the template that a fragment of CloudFormation is put together with before a deployment: in its folder, or in
//! one of those above it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use foldhash::HashMap;
use memchr::memmem;

use crate::cfn::{Fragment, framed, logical_ids};
use crate::engine::detect::Kind;
use crate::engine::inputs::layout;
use crate::engine::inputs::link::{EXTENSIONS, has_extension};
use crate::engine::inputs::load::Loaded;
use crate::engine::inputs::store::Store;
use crate::text::FileId;
use crate::value::{Str, Value};

/// Maximum number of folders above the template's own that are searched for frames.
const MAX_ABOVE: usize = 3;

/// Maximum number of templates of a folder that are read as possible frames.
const MAX_FRAMES: usize = 16;

/// Maximum number of files below the folder of a frame that are searched for other fragments.
const MAX_FRAGMENTS: usize = 512;

/// A template with parameters, which others may be fragments of.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) file: FileId,
    value: Value,
    path: PathBuf,
    /// The logical IDs of the frame and of the fragments below its folder.
    ids: OnceLock<BTreeSet<Str>>,
}

impl Frame {
    /// Merges a fragment with the declarations of this frame, and with the names of all other resources.
    pub(super) fn framed(&self, template: &Value) -> Value {
        framed(template, (self.file, &self.value), self.ids.get().into_iter().flatten())
    }

    fn find_ids(&self, store: &Store<'_>) -> BTreeSet<Str> {
        let mut ids: BTreeSet<Str> = logical_ids(&self.value).cloned().collect();
        let mut left = MAX_FRAGMENTS;
        let mut folders: Vec<(PathBuf, usize)> =
            self.path.parent().map(|folder| (folder.to_owned(), 0)).into_iter().collect();
        while let Some((folder, depth)) = folders.pop() {
            for path in layout::entries(&store.fence, &folder).into_iter().filter(|path| *path != self.path) {
                if depth < MAX_ABOVE && layout::is_folder(&store.fence, &path) {
                    folders.push((path, depth + 1));
                } else if left > 0 && is_yaml_or_json(&path) {
                    left -= 1;
                    let parsed = parsed(store, &path, |text| !has_parameters(text));
                    ids.extend(parsed.iter().flat_map(|(_, value)| logical_ids(value)).cloned());
                }
            }
        }
        ids
    }
}

/// The frames of the folders that were looked through.
#[derive(Debug, Default)]
pub(super) struct Frames(HashMap<PathBuf, Vec<Arc<Frame>>>);

impl Frames {
    /// Returns the frame of a template, if it is a fragment. `is_inside` is true for the folders that may be searched.
    pub(super) fn find_frame(
        &mut self,
        store: &Store<'_>,
        template: &Loaded,
        is_inside: impl Fn(&Path) -> bool,
    ) -> Option<Arc<Frame>> {
        if template.kind != Kind::Stack || !may_be_fragment(store.sources.get(template.file).text()) {
            return None;
        }
        let path = &template.input.path;
        let value = store.value(template);
        store.release(path);
        let fragment = Fragment::from_template(&value)?;
        let mut folders = path.ancestors().skip(1).take(1 + MAX_ABOVE).take_while(|folder| is_inside(folder));
        folders.find_map(|folder| {
            let frames = self.0.entry(folder.to_path_buf()).or_insert_with(|| frames(store, folder));
            let frame = frames.iter().find(|frame| frame.path != *path && fragment.belongs_to(&frame.value))?;
            frame.ids.get_or_init(|| frame.find_ids(store));
            Some(Arc::clone(frame))
        })
    }
}

/// Returns the templates with parameters in a folder, in the order of their paths.
fn frames(store: &Store<'_>, folder: &Path) -> Vec<Arc<Frame>> {
    let candidates = layout::entries(&store.fence, folder).into_iter().filter(|path| is_yaml_or_json(path));
    let frame = |path: PathBuf| {
        let (file, value) = parsed(store, &path, has_parameters)?;
        Some(Arc::new(Frame { file, value, path, ids: OnceLock::new() }))
    };
    candidates.filter_map(frame).take(MAX_FRAMES).collect()
}

/// Returns the value of a file, if `is_wanted` takes its text.
fn parsed(store: &Store<'_>, path: &Path, is_wanted: impl Fn(&str) -> bool) -> Option<(FileId, Value)> {
    let file = store.fence.is_file(path).then(|| store.text(path).ok()).flatten()?;
    if !is_wanted(store.sources.get(file).text()) {
        return None;
    }
    let value = store.reading(path, file, |reading| reading.choose(false).value.clone());
    store.release(path);
    Some((file, value?))
}

fn is_yaml_or_json(path: &Path) -> bool {
    EXTENSIONS.iter().any(|known| *known != "bicep" && has_extension(path, known))
}

/// Returns `true` if the text of a template has no parameters, and contains words of conditions or mappings.
fn may_be_fragment(text: &str) -> bool {
    let has = |word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    !has_parameters(text) && ["Condition", "If", "FindInMap"].into_iter().any(has)
}

/// Returns `true` if the text of a template in YAML has parameters, or if that of one in JSON may have some.
fn has_parameters(text: &str) -> bool {
    let is_yaml = !text.trim_start().starts_with('{');
    let mut found = memmem::find_iter(text.as_bytes(), b"Parameters");
    found.any(|at| !is_yaml || at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n'))
}
