//! Reads strings, nodes and resource types from an unpacked directory or chunk.

use crate::archive::Reader;
use crate::published::pack::block::{ResourceType, Version};
use crate::published::pack::node::{Node, Object, Property};
use crate::published::pack::{Id, NODES_IN_CHUNK, Name};

/// A table of strings.
#[derive(Debug, Default)]
pub(super) struct Strings {
    text: String,
    /// Offset of each string, and the end of the last one.
    bounds: Vec<u32>,
}

impl Strings {
    pub(super) fn get(&self, at: usize) -> Option<&str> {
        self.text.get(self.bound(at)?..self.bound(at.checked_add(1)?)?)
    }

    fn bound(&self, at: usize) -> Option<usize> {
        usize::try_from(*self.bounds.get(at)?).ok()
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let count = reader.size()?;
        let mut text: Vec<u8> = Vec::with_capacity(reader.rest().len());
        // Every string takes two bytes at least, so damaged data reserve no more than there are.
        let mut bounds = Vec::with_capacity(count.min(reader.rest().len()).saturating_add(1));
        bounds.push(0);
        let mut before = 0_usize;
        for _ in 0..count {
            let (shared, rest) = (reader.size()?, reader.size()?);
            let start = text.len();
            text.extend_from_within(before..before.checked_add(shared).filter(|end| *end <= start)?);
            text.extend_from_slice(reader.bytes(rest)?);
            bounds.push(u32::try_from(text.len()).ok()?);
            before = start;
        }
        text.shrink_to_fit();
        Some(Self { text: String::from_utf8(text).ok()?, bounds })
    }
}

/// State of the reader at the beginning of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeMark {
    /// Offset of the node's first byte in the nodes of its chunk.
    start: u32,
    /// Position of the next node that nothing has referred to yet.
    seen: Id,
}

/// Reads an unpacked directory or chunk.
pub(super) struct PartReader<'a> {
    reader: Reader<'a>,
    /// Upper half of the names of this table of strings.
    part: Name,
    /// Position of the next node that nothing has referred to yet.
    seen: Id,
}

impl<'a> PartReader<'a> {
    /// Reads the table of strings at the beginning, and returns it with the reader of the rest.
    pub(super) fn new(bytes: &'a [u8], part: Name) -> Option<(Strings, Self)> {
        let mut reader = Reader::new(bytes);
        Some((Strings::read(&mut reader)?, Self { reader, part, seen: 0 }))
    }

    /// Returns a reader of the node at a mark. `nodes` are the bytes of all nodes of its chunk.
    pub(super) fn at_mark(nodes: &'a [u8], part: Name, NodeMark { start, seen }: NodeMark) -> Option<Self> {
        Some(Self { reader: Reader::new(nodes.get(usize::try_from(start).ok()?..)?), part, seen })
    }

    /// Returns a mark for each node of a chunk, and the bytes of all nodes. `first` is the position of the first node.
    pub(super) fn marks(&mut self, first: usize) -> Option<(Vec<NodeMark>, &'a [u8])> {
        self.seen = Id::try_from(self.reader.number()?).ok()?;
        let count = self.reader.size()?.min(NODES_IN_CHUNK);
        let nodes = self.reader.rest();
        let mut marks = Vec::with_capacity(count);
        for position in first..first.checked_add(count)? {
            self.seen = self.seen.max(Id::try_from(position).ok()?.checked_add(1)?);
            let start = nodes.len().checked_sub(self.reader.rest().len())?;
            marks.push(NodeMark { start: u32::try_from(start).ok()?, seen: self.seen });
            self.node()?;
        }
        Some((marks, nodes))
    }

    pub(super) fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.reader.size()?;
        // Every item takes a byte at least, so damaged data reserve no more than there are.
        let mut items = Vec::with_capacity(count.min(self.reader.rest().len()));
        for _ in 0..count {
            items.push(item(self)?);
        }
        Some(items)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.reader.byte()
    }

    pub(super) fn unsigned(&mut self) -> Option<u64> {
        self.reader.number()
    }

    /// Reads an optional bound of a length, where zero is none.
    #[expect(clippy::option_option, reason = "the outer one tells that the data end too early")]
    pub(super) fn bound(&mut self) -> Option<Option<u64>> {
        Some(self.reader.number()?.checked_sub(1))
    }

    /// Reads a signed number in zigzag encoding.
    fn signed(&mut self) -> Option<i64> {
        let number = self.reader.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// Reads the optional bounds of a number.
    pub(super) fn range(&mut self) -> Option<(Option<i64>, Option<i64>)> {
        let flags = self.reader.byte()?;
        let min = if flags & 1 != 0 { Some(self.signed()?) } else { None };
        let max = if flags & 2 != 0 { Some(self.signed()?) } else { None };
        Some((min, max))
    }

    pub(super) fn string(&mut self) -> Option<Name> {
        Some(self.part | Name::from(u16::try_from(self.reader.number()?).ok()?))
    }

    pub(super) fn id(&mut self) -> Option<Id> {
        let id = match self.reader.number()? {
            0 => self.seen,
            number => Id::try_from(number - 1).ok()?,
        };
        self.seen = self.seen.max(id.checked_add(1)?);
        Some(id)
    }

    fn properties(&mut self) -> Option<Vec<Property>> {
        self.list(|reader| {
            let name = reader.string()?;
            Some(Property { name, flags: reader.reader.byte()?, node: reader.id()? })
        })
    }

    /// Reads the next node.
    pub(super) fn node(&mut self) -> Option<Node> {
        Some(match self.reader.byte()? {
            0 => Node::Any,
            1 => Node::Boolean,
            2 => {
                let (min, max) = self.range()?;
                Node::Integer { min, max }
            }
            3 => Node::Number,
            4 => {
                let flags = self.reader.byte()?;
                let (min, max) = (self.bound()?, self.bound()?);
                let pattern = if flags & 1 != 0 { Some(self.string()?) } else { None };
                Node::Text { min, max, pattern }
            }
            kind @ (5 | 6) => Node::Choice { open: kind == 6, values: self.list(Self::string)? },
            7 => {
                let (min, max) = (self.bound()?, self.bound()?);
                Node::Array { min, max, item: self.id()? }
            }
            8 => {
                let flags = self.reader.byte()?;
                let properties = self.properties()?;
                let additional = if flags & 1 != 0 { Some(self.id()?) } else { None };
                let demands =
                    if flags & 2 != 0 { self.list(|reader: &mut Self| reader.list(Self::string))? } else { Vec::new() };
                Node::Object(Object { properties, additional, demands })
            }
            9 => {
                let key = self.string()?;
                let base = self.properties()?;
                let branches = self.list(|reader| Some((reader.string()?, reader.id()?)))?;
                Node::Tagged { key, base, branches }
            }
            10 => Node::Union(self.list(Self::id)?),
            11 => Node::Checked { of: self.id()?, rules: self.list(Self::id)? },
            12 => Node::Rule(self.list(Self::clause)?),
            _ => return None,
        })
    }

    pub(super) fn resource_type(&mut self) -> Option<ResourceType> {
        let name = self.string()?;
        let secrets = self.list(Self::string)?;
        let versions = self.list(|reader| {
            let name = reader.string()?;
            let scopes = reader.reader.byte()?;
            let bodies = reader.list(|reader| Id::try_from(reader.reader.number()?).ok())?.into();
            Some(Version { name, bodies, scopes })
        })?;
        Some(ResourceType { name, secrets, versions })
    }
}
