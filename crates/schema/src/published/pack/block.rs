//! Types of one provider.

use std::ops::Deref;
use std::slice;
use std::sync::OnceLock;

use crate::archive::{PackedBlock, Section};
use crate::published::pack::node::Node;
use crate::published::pack::reader::{NodeMark, PartReader, Strings};
use crate::published::pack::{CHUNK_BITS, Clause, Id, NODES_IN_CHUNK, Name};

/// Types of one provider: the directory, and the chunks of nodes that it refers to.
#[derive(Debug)]
pub(crate) struct Block {
    /// Types, sorted by name, case-insensitive.
    pub(crate) types: Vec<ResourceType>,
    strings: Strings,
    chunks: Vec<Chunk>,
}

/// A resource type and its versions.
#[derive(Debug)]
pub(crate) struct ResourceType {
    /// Full name, in the official casing.
    pub(crate) name: Name,
    /// Paths of properties that hold secrets: `properties.secrets[*].value`, `properties.settings.*`.
    pub(crate) secrets: Vec<Name>,
    /// Versions, sorted by name: oldest first.
    pub(crate) versions: Vec<Version>,
}

/// A resource type at one API version.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) name: Name,
    /// Types of the body. Several if the source has it in several files, none if only its existence is known.
    pub(crate) bodies: Bodies,
    /// Scopes that it can be deployed at, as a set of bits.
    pub(crate) scopes: u8,
}

/// Types of the bodies of a version. A provider may have ten thousand versions, nearly all with one body.
#[derive(Debug)]
pub(crate) enum Bodies {
    One(Id),
    More(Box<[Id]>),
}

/// Nodes that are unpacked together.
#[derive(Debug)]
struct Chunk {
    packed: PackedBlock,
    content: OnceLock<Option<ChunkContent>>,
}

/// An unpacked chunk. Its nodes are read when they are first needed, since templates use few of them.
#[derive(Debug)]
struct ChunkContent {
    /// Upper half of the names of its strings.
    part: Name,
    strings: Strings,
    /// Unread nodes.
    bytes: Box<[u8]>,
    nodes: Vec<Slot>,
}

#[derive(Debug)]
struct Slot {
    mark: NodeMark,
    node: OnceLock<Option<Box<Node>>>,
}

impl Block {
    /// Reads the directory of a section.
    pub(super) fn open(section: &Section) -> Option<Self> {
        let mut parts = section.parts()?.into_iter();
        let directory = parts.next()?.unpack()?;
        let chunks = parts.map(|packed| Chunk { packed, content: OnceLock::new() }).collect();
        let (strings, mut reader) = PartReader::new(&directory, 0)?;
        Some(Self { types: reader.list(PartReader::resource_type)?, strings, chunks })
    }

    /// Returns the type of an ID, which must be of this block. For an invalid ID, that is [`Node::Any`].
    pub(crate) fn node(&self, id: Id) -> &Node {
        match self.known_node(id) {
            Some(Node::Checked { of, .. }) => self.known_node(*of).unwrap_or(&Node::Any),
            node => node.unwrap_or(&Node::Any),
        }
    }

    /// Returns the rules of a type.
    pub(crate) fn rules(&self, id: Id) -> &[Id] {
        match self.known_node(id) {
            Some(Node::Checked { rules, .. }) => rules,
            _ => &[],
        }
    }

    /// Returns the clauses of a rule.
    pub(crate) fn rule(&self, id: Id) -> &[Clause] {
        match self.known_node(id) {
            Some(Node::Rule(clauses)) => clauses,
            _ => &[],
        }
    }

    fn known_node(&self, id: Id) -> Option<&Node> {
        let at = usize::try_from(id).ok()?;
        self.content(at >> CHUNK_BITS)?.node(at % NODES_IN_CHUNK)
    }

    /// Returns the string of a name, which must be of this block.
    pub(crate) fn text(&self, name: Name) -> &str {
        let [part, at] = [name >> 16, name & 0xffff].map(|half| usize::try_from(half).unwrap_or(usize::MAX));
        let strings = match part.checked_sub(1) {
            None => Some(&self.strings),
            Some(chunk) => self.content(chunk).map(|content| &content.strings),
        };
        strings.and_then(|strings| strings.get(at)).unwrap_or_default()
    }

    /// Returns the type with this name, case-insensitive.
    pub(crate) fn find(&self, name: &str) -> Option<&ResourceType> {
        let name = name.to_ascii_lowercase();
        let found = self.types.binary_search_by(|kind| {
            let known = self.text(kind.name).bytes().map(|byte| byte.to_ascii_lowercase());
            known.cmp(name.bytes())
        });
        self.types.get(found.ok()?)
    }

    fn content(&self, chunk: usize) -> Option<&ChunkContent> {
        let Chunk { packed, content } = self.chunks.get(chunk)?;
        content.get_or_init(|| ChunkContent::read(&packed.unpack()?, chunk)).as_ref()
    }

    #[cfg(test)]
    pub(crate) fn has(&self, id: Id) -> bool {
        self.known_node(id).is_some()
    }

    /// True if every chunk can be unpacked and all its nodes can be read.
    #[cfg(test)]
    pub(crate) fn is_whole(&self) -> bool {
        (0..self.chunks.len()).all(|chunk| {
            let content = self.content(chunk);
            content.is_some_and(|content| (0..content.nodes.len()).all(|at| content.node(at).is_some()))
        })
    }
}

impl ChunkContent {
    fn read(bytes: &[u8], chunk: usize) -> Option<Self> {
        let part = Name::try_from(chunk.checked_add(1)?).ok()?.checked_shl(16)?;
        let (strings, mut reader) = PartReader::new(bytes, part)?;
        let (marks, bytes) = reader.marks(chunk.checked_mul(NODES_IN_CHUNK)?)?;
        let nodes = marks.into_iter().map(|mark| Slot { mark, node: OnceLock::new() }).collect();
        Some(Self { part, strings, bytes: bytes.into(), nodes })
    }

    fn node(&self, at: usize) -> Option<&Node> {
        let Slot { mark, node } = self.nodes.get(at)?;
        node.get_or_init(|| PartReader::at_mark(&self.bytes, self.part, *mark)?.node().map(Box::new)).as_deref()
    }
}

impl Deref for Bodies {
    type Target = [Id];

    fn deref(&self) -> &[Id] {
        match self {
            Self::One(body) => slice::from_ref(body),
            Self::More(bodies) => bodies,
        }
    }
}

impl From<Vec<Id>> for Bodies {
    fn from(bodies: Vec<Id>) -> Self {
        match *bodies.as_slice() {
            [body] => Self::One(body),
            _ => Self::More(bodies.into()),
        }
    }
}
