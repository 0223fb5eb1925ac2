//! Which files hang on which.
//!
//! The sources tell, so no compiler is needed. What a file names counts whether or not it is there: a module that was
//! deleted is the best reason to look at its users again.

mod bicep;
mod template;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::bicep::is_bicep;
use crate::files::read_bytes;
use crate::model::Limits;
use crate::text::{Sources, decode};

/// What a file has to do with one that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Relation {
    /// It deploys a module.
    Module,
    /// It imports types, variables or functions.
    Import,
    /// It loads the content.
    Load,
    /// It gives values to the parameters of the other.
    Parameters,
    /// It is laid over another parameter file, or over another configuration.
    Extends,
    /// It tests a template.
    Test,
    /// It runs an extension.
    Extension,
    /// It is compiled as the other says.
    Configuration,
    /// It deploys a template, or reads a parameter file, by a link.
    Link,
}

impl Relation {
    /// What stands between the names of the two.
    pub(super) const fn verb(self) -> &'static str {
        match self {
            Self::Module => "uses",
            Self::Import => "imports",
            Self::Load => "loads",
            Self::Parameters => "has parameters for",
            Self::Extends => "extends",
            Self::Test => "tests",
            Self::Extension => "runs",
            Self::Configuration => "is configured by",
            Self::Link => "links to",
        }
    }

    /// Whether the other file is compiled into this one, and so needs no check of its own.
    pub(super) const fn absorbs(self) -> bool {
        matches!(self, Self::Module | Self::Import | Self::Parameters | Self::Extends | Self::Test)
    }
}

/// A file names another, or a folder of which it takes any file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Edge {
    pub(super) relation: Relation,
    /// Absolute, without `.` and `..`.
    pub(super) to: PathBuf,
    pub(super) is_folder: bool,
}

impl Edge {
    fn file(relation: Relation, to: PathBuf) -> Self {
        Self { relation, to, is_folder: false }
    }
}

/// How one gets from a file to another that it hangs on.
pub(super) type Way<'a> = Vec<&'a Edge>;

/// Files and what they name.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    limits: &'a Limits,
    /// Where the template of a parameter file is looked for, beside its own folder.
    roots: &'a [PathBuf],
    edges: FxHashMap<PathBuf, Vec<Edge>>,
}

impl<'a> Graph<'a> {
    /// The files and everything that they hang on.
    pub(super) fn new(files: &[PathBuf], roots: &'a [PathBuf], limits: &'a Limits) -> Self {
        let mut graph = Self { limits, roots, edges: FxHashMap::default() };
        let mut waiting = files.to_vec();
        while !waiting.is_empty() {
            let read: Vec<_> = waiting.par_iter().map(|it| (it.clone(), graph.read(it))).collect();
            let mut next = FxHashSet::default();
            for (path, edges) in read {
                next.extend(edges.iter().filter(|it| !it.is_folder).map(|it| it.to.clone()));
                graph.edges.insert(path, edges);
            }
            next.retain(|it| !graph.edges.contains_key(it));
            waiting = next.into_iter().collect();
        }
        graph
    }

    /// What a file names, in the order in which it does.
    pub(super) fn edges(&self, path: &Path) -> &[Edge] {
        self.edges.get(path).map_or(&[], Vec::as_slice)
    }

    /// The shortest way from a file to an edge that ends as wanted.
    pub(super) fn way(&self, from: &Path, is_end: impl Fn(&Edge) -> bool) -> Option<Way<'_>> {
        let mut before: FxHashMap<&Path, Option<&Edge>> = FxHashMap::default();
        let mut origin: FxHashMap<&Path, &Path> = FxHashMap::default();
        let mut waiting = VecDeque::new();
        let (start, edges) = self.edges.get_key_value(from)?;
        before.insert(start, None);
        waiting.push_back((start.as_path(), edges));
        while let Some((path, edges)) = waiting.pop_front() {
            if let Some(end) = edges.iter().find(|it| is_end(it)) {
                let mut way = vec![end];
                let mut at = path;
                while let Some(Some(edge)) = before.get(at) {
                    way.push(edge);
                    at = origin[at];
                }
                way.reverse();
                return Some(way);
            }
            for edge in edges {
                if let Some(next) = self.edges.get(&edge.to)
                    && !before.contains_key(edge.to.as_path())
                {
                    before.insert(&edge.to, Some(edge));
                    origin.insert(&edge.to, path);
                    waiting.push_back((&edge.to, next));
                }
            }
        }
        None
    }

    /// What one file names. Of a file that is not there, or is no text, nothing is known.
    fn read(&self, path: &Path) -> Vec<Edge> {
        const TEMPLATES: [&str; 5] = ["json", "jsonc", "yaml", "yml", "template"];
        let extension = path.extension().unwrap_or_default();
        let is_bicep = is_bicep(path);
        if !is_bicep && !TEMPLATES.iter().any(|it| extension.eq_ignore_ascii_case(it)) {
            return Vec::new();
        }
        let folder = path.parent().unwrap_or(path);
        let bytes = read_bytes(path, self.limits.file_bytes).ok();
        let Some(text) = bytes.and_then(|it| decode(it).ok()) else {
            return if is_bicep { Vec::new() } else { template::by_name(path) };
        };
        let sources = Sources::new();
        let file = sources.add("", text);
        let text = Arc::clone(sources.get(file).text());
        let mut edges = if is_bicep {
            bicep::edges(file, &text, folder)
        } else {
            template::edges(path, file, &text, self.roots, self.limits)
        };
        let mut known = FxHashSet::default();
        edges.retain(|it| known.insert(it.clone()));
        edges
    }
}
