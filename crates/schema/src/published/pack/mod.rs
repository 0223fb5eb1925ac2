//! Reads the packed data files of types, which `tools/typegen` writes.
//!
//! A file has a header (what it was made from), an index of providers, and a section for each provider: a directory of
//! its resource types, and what the types are made of, as nodes in chunks of [`NODES_IN_CHUNK`]. Directory and chunks
//! are compressed each for itself, as blocks of LZ4, and unpacked when they are first needed: a template names a few of
//! the hundreds of types that a provider may have. For the same reason, a node of an unpacked chunk is read when it is
//! first needed.
//!
//! Numbers are LEB128. The directory and each chunk begin with their strings, sorted and without the beginning that they
//! share with the one before. A node refers to another by its number plus one, or by zero if it is the next that nothing
//! has referred to yet.

mod block;
mod clause;
mod node;
mod reader;

use std::sync::OnceLock;

pub(super) use self::block::{Block, ResourceType, Version};
pub(super) use self::clause::{Clause, Kinds};
pub(super) use self::node::{Node, Object, Property};
use self::reader::Reader;

/// The bytes that every data file begins with.
const MAGIC: &[u8] = b"FWTYPES2";

/// How many nodes are unpacked together, as a power of two.
const CHUNK_BITS: u32 = 8;

/// How many nodes are unpacked together.
const NODES_IN_CHUNK: usize = 1 << CHUNK_BITS;

/// The position of a [`Node`] in its [`Block`].
pub(super) type Id = u32;

/// The position of a string in its [`Block`]: in the lower half that among the strings of a part, in the upper half the
/// part: zero for the directory, else the number of a chunk plus one.
pub(super) type Name = u32;

/// A data file and its index.
#[derive(Debug)]
pub(super) struct Pack {
    pub(super) source: Source,
    /// Sorted by name, for a binary search.
    providers: Vec<Packed>,
}

/// What a data file was made from.
#[derive(Debug)]
pub struct Source {
    /// The repository or the package.
    pub name: &'static str,
    /// The commit or the version.
    pub version: &'static str,
    /// The day of that version, `2026-08-20`.
    pub date: &'static str,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} of {}", self.name, self.version, self.date)
    }
}

/// A provider in the index.
#[derive(Debug)]
struct Packed {
    /// The name in lower case, as it is searched.
    name: &'static str,
    section: &'static [u8],
    block: OnceLock<Option<Block>>,
}

impl Pack {
    /// Reads the header and the index. `None` if the data are not those of this format.
    pub(super) fn open(bytes: &'static [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes.strip_prefix(MAGIC)?);
        let source = Source { name: reader.text()?, version: reader.text()?, date: reader.text()? };
        let entries = (0..reader.size()?).map(|_| Some((reader.text()?, reader.size()?)));
        let entries = entries.collect::<Option<Vec<_>>>()?;
        let packed = |(name, size)| Some(Packed { name, section: reader.bytes(size)?, block: OnceLock::new() });
        let providers = entries.into_iter().map(packed).collect::<Option<_>>()?;
        Some(Self { source, providers })
    }

    /// The block of a provider. The name ignores case.
    pub(super) fn provider(&self, name: &str) -> Option<&Block> {
        let name = name.to_ascii_lowercase();
        let found = self.providers.binary_search_by(|provider| provider.name.cmp(&name)).ok()?;
        self.providers.get(found)?.block()
    }

    /// The names of all providers, in lower case.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.providers.iter().map(|provider| provider.name)
    }

    /// The blocks of all providers, each with its name.
    #[cfg(test)]
    pub(super) fn blocks(&self) -> impl Iterator<Item = (&'static str, &Block)> {
        self.providers.iter().filter_map(|provider| Some((provider.name, provider.block()?)))
    }
}

impl Packed {
    fn block(&self) -> Option<&Block> {
        self.block.get_or_init(|| Block::open(self.section)).as_ref()
    }
}
