//! Reads the packed data files of types, which `tools/typegen` writes.
//!
//! An [`Archive`] has a section for each provider: a directory of its resource types, and what the types are made of,
//! as nodes in chunks of [`NODES_IN_CHUNK`]. Directory and chunks are unpacked when they are first needed: a template
//! names a few of the hundreds of types that a provider may have. For the same reason, a node of an unpacked chunk is
//! read when it is first needed.
//!
//! The directory and each chunk begin with their strings, sorted and without the beginning that they share with the one
//! before. A node refers to another by its number plus one, or by zero if it is the next that nothing has referred to
//! yet.

mod block;
mod clause;
mod node;
mod reader;

use std::sync::OnceLock;

pub(super) use self::block::{Block, ResourceType, Version};
pub(super) use self::clause::{Clause, Kinds};
pub(super) use self::node::{Node, Object, Property};

use crate::archive::{Archive, Source};

/// Bytes that every data file begins with.
const MAGIC: &[u8] = b"FWTYPES2";

/// Binary logarithm of [`NODES_IN_CHUNK`].
const CHUNK_BITS: u32 = 8;

/// Nodes that are unpacked together.
const NODES_IN_CHUNK: usize = 1 << CHUNK_BITS;

/// Position of a [`Node`] in its [`Block`].
pub(super) type Id = u32;

/// Position of a string in its [`Block`]. The lower half is the position in a table of strings; the upper half is the
/// table: zero for the directory, else the number of a chunk plus one.
pub(super) type Name = u32;

/// Types of a cloud, by provider.
#[derive(Debug)]
pub(super) struct Pack {
    archive: Archive,
    /// Blocks of the providers, in the order of the sections.
    blocks: Vec<OnceLock<Option<Block>>>,
}

impl Pack {
    /// Reads the header and the index. Returns `None` if the data have another format.
    pub(super) fn open(bytes: &'static [u8]) -> Option<Self> {
        let archive = Archive::open(bytes, MAGIC)?;
        let blocks = archive.sections().iter().map(|_| OnceLock::new()).collect();
        Some(Self { archive, blocks })
    }

    /// Returns the source of the types.
    pub(super) fn source(&self) -> &Source {
        &self.archive.source
    }

    /// Returns the block of a provider. The name is case-insensitive.
    pub(super) fn provider(&self, name: &str) -> Option<&Block> {
        self.block(self.archive.find(name)?)
    }

    fn block(&self, at: usize) -> Option<&Block> {
        let section = self.archive.sections().get(at)?;
        self.blocks.get(at)?.get_or_init(|| Block::open(section)).as_ref()
    }

    /// Returns the names of all providers, in lower case.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.archive.sections().iter().map(|section| section.name)
    }

    /// Returns the blocks of all providers, each with its name.
    #[cfg(test)]
    pub(super) fn blocks(&self) -> impl Iterator<Item = (&'static str, &Block)> {
        self.names().enumerate().filter_map(|(at, name)| Some((name, self.block(at)?)))
    }
}
