//! Reads the packed data files of types, which `tools/typegen` writes.
//!
//! A file has a header (what it was made from), an index of providers, and one block a provider, compressed with zstd.
//! A block is self-contained: its strings, sorted and without the beginning that they share with the one before; its
//! nodes; and its resource types. Numbers are LEB128. A node refers to another by its number plus one, or by zero if it
//! is the next that nothing has referred to yet. Blocks are unpacked when they are first needed.

use std::io::Read;
use std::sync::OnceLock;

/// The bytes that every data file begins with.
const MAGIC: &[u8] = b"FWTYPES1";

/// A data file and its index.
#[derive(Debug)]
pub(super) struct Pack {
    pub(super) source: Source,
    /// Sorted by name, for a binary search.
    providers: Vec<Packed>,
    bytes: &'static [u8],
}

/// What a data file was made from.
#[derive(Debug)]
pub(crate) struct Source {
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
    unpacked: usize,
    start: usize,
    end: usize,
    block: OnceLock<Option<Block>>,
}

/// The position of a [`Node`] in its [`Block`].
pub(super) type Id = u32;

/// The position of a string in its [`Block`].
pub(super) type Name = u32;

/// The types of one provider.
#[derive(Debug, Default)]
pub(super) struct Block {
    strings: Vec<Box<str>>,
    nodes: Vec<Node>,
    /// Sorted by name without regard to case.
    pub(super) types: Vec<ResourceType>,
}

/// What a value may be.
#[derive(Debug)]
pub(super) enum Node {
    Any,
    Boolean,
    Integer {
        min: Option<i64>,
        max: Option<i64>,
    },
    Number,
    Text {
        min: Option<u64>,
        max: Option<u64>,
        pattern: Option<Name>,
    },
    /// One of the values; of an open choice, any other text as well.
    Choice {
        values: Vec<Name>,
        open: bool,
    },
    Array {
        item: Id,
        min: Option<u64>,
        max: Option<u64>,
    },
    Object(Object),
    /// An object whose member `key` tells which branch it follows.
    Tagged {
        key: Name,
        base: Vec<Property>,
        branches: Vec<(Name, Id)>,
    },
    /// At least one of the types.
    Union(Vec<Id>),
}

/// What an object may hold.
#[derive(Debug)]
pub(super) struct Object {
    /// The named members, sorted by name.
    pub(super) properties: Vec<Property>,
    /// What members of any other name are. `None` if there may be none.
    pub(super) additional: Option<Id>,
    /// Sets of properties, of which at least one must be there as a whole.
    pub(super) demands: Vec<Vec<Name>>,
}

/// A member of an object.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: Name,
    pub(super) node: Id,
    flags: u8,
}

/// A resource type and its versions.
#[derive(Debug)]
pub(super) struct ResourceType {
    /// The full name, in the casing of the cloud.
    pub(super) name: Name,
    /// Paths of properties that hold secrets: `properties.secrets[*].value`, `properties.settings.*`.
    pub(super) secrets: Vec<Name>,
    /// Sorted by name: oldest first.
    pub(super) versions: Vec<Version>,
}

/// A resource type at one API version.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) name: Name,
    /// The types of a body; several if the source has it in several files, none if only its existence is known.
    pub(super) bodies: Vec<Id>,
    /// The scopes that it can be deployed at, as a set of bits.
    pub(super) scopes: u8,
}

impl Property {
    /// Whether an author must give it.
    pub(super) fn is_required(&self) -> bool {
        self.flags & 1 != 0 && !self.is_read_only()
    }

    /// Whether only the cloud gives it a value.
    pub(super) fn is_read_only(&self) -> bool {
        self.flags & 2 != 0
    }
}

impl Pack {
    /// Reads the header and the index. `None` if the data are not those of this format.
    pub(super) fn open(bytes: &'static [u8]) -> Option<Self> {
        let mut reader = Reader { bytes: bytes.strip_prefix(MAGIC)? };
        let source = Source { name: reader.text()?, version: reader.text()?, date: reader.text()? };
        let count = reader.number()?;
        let mut providers = Vec::new();
        let mut sizes = Vec::new();
        for _ in 0..count {
            let (name, unpacked, packed) = (reader.text()?, reader.size()?, reader.size()?);
            providers.push(Packed { name, unpacked, start: 0, end: 0, block: OnceLock::new() });
            sizes.push(packed);
        }
        let mut start = bytes.len() - reader.bytes.len();
        for (provider, size) in providers.iter_mut().zip(sizes) {
            provider.start = start;
            provider.end = start.checked_add(size)?;
            start = provider.end;
        }
        Some(Self { source, providers, bytes })
    }

    /// The block of a provider. The name ignores case.
    pub(super) fn provider(&self, name: &str) -> Option<&Block> {
        let name = name.to_ascii_lowercase();
        let found = self.providers.binary_search_by(|provider| provider.name.cmp(&name)).ok()?;
        self.block(self.providers.get(found)?)
    }

    /// The names of all providers, in lower case.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.providers.iter().map(|provider| provider.name)
    }

    /// The blocks of all providers, each with its name.
    #[cfg(test)]
    pub(super) fn blocks(&self) -> impl Iterator<Item = (&'static str, &Block)> {
        self.providers.iter().filter_map(|provider| Some((provider.name, self.block(provider)?)))
    }

    fn block<'a>(&self, provider: &'a Packed) -> Option<&'a Block> {
        let unpack = || Block::unpack(self.bytes.get(provider.start..provider.end)?, provider.unpacked);
        provider.block.get_or_init(unpack).as_ref()
    }
}

impl Block {
    /// The node of an ID. IDs belong to the block that they are found in; any other is any value.
    pub(super) fn node(&self, id: Id) -> &Node {
        usize::try_from(id).ok().and_then(|id| self.nodes.get(id)).unwrap_or(&Node::Any)
    }

    #[cfg(test)]
    pub(super) fn has(&self, id: Id) -> bool {
        usize::try_from(id).is_ok_and(|id| id < self.nodes.len())
    }

    /// The string of a name, which belongs to this block like an ID.
    pub(super) fn text(&self, name: Name) -> &str {
        usize::try_from(name).ok().and_then(|name| self.strings.get(name)).map_or("", |text| text)
    }

    /// The type of this name, which ignores case.
    pub(super) fn find(&self, name: &str) -> Option<&ResourceType> {
        let name = name.to_ascii_lowercase();
        let found = self.types.binary_search_by(|kind| self.text(kind.name).to_ascii_lowercase().cmp(&name)).ok()?;
        self.types.get(found)
    }

    fn unpack(packed: &[u8], size: usize) -> Option<Self> {
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed).ok()?;
        let mut bytes = Vec::with_capacity(size);
        decoder.read_to_end(&mut bytes).ok()?;
        BlockReader { reader: Reader { bytes: &bytes }, strings: Vec::new(), seen: 0 }.read()
    }
}

/// Reads the parts of a file in order.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// A number that may be negative, in zigzag.
    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// The bound of a length; zero is none.
    #[expect(clippy::option_option, reason = "the outer one tells that the data end too early")]
    fn bound(&mut self) -> Option<Option<u64>> {
        Some(self.number()?.checked_sub(1))
    }

    fn text(&mut self) -> Option<&'a str> {
        let size = self.size()?;
        let (text, rest) = self.bytes.split_at_checked(size)?;
        self.bytes = rest;
        std::str::from_utf8(text).ok()
    }
}

/// Reads an unpacked block.
struct BlockReader<'a> {
    reader: Reader<'a>,
    strings: Vec<Box<str>>,
    /// The number of the next node that nothing has referred to yet.
    seen: Id,
}

impl BlockReader<'_> {
    fn read(mut self) -> Option<Block> {
        self.strings = self.read_strings()?;
        let count = self.reader.size()?;
        let mut block = Block::default();
        block.nodes.reserve(count.min(1 << 20));
        for position in 0..count {
            self.seen = self.seen.max(Id::try_from(position).ok()?.checked_add(1)?);
            let node = self.node()?;
            block.nodes.push(node);
        }
        block.types = self.list(Self::resource_type)?;
        block.strings = self.strings;
        Some(block)
    }

    fn read_strings(&mut self) -> Option<Vec<Box<str>>> {
        let mut before = String::new();
        let count = self.reader.size()?;
        let mut strings = Vec::new();
        for _ in 0..count {
            let shared = self.reader.size()?;
            let rest = self.reader.bytes_of_text()?;
            let mut bytes = before.into_bytes();
            bytes.truncate(shared);
            bytes.extend_from_slice(rest);
            before = String::from_utf8(bytes).ok()?;
            strings.push(before.as_str().into());
        }
        Some(strings)
    }

    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.reader.size()?;
        (0..count).map(|_| item(self)).collect()
    }

    fn string(&mut self) -> Option<Name> {
        Name::try_from(self.reader.number()?).ok()
    }

    fn id(&mut self) -> Option<Id> {
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

    fn node(&mut self) -> Option<Node> {
        Some(match self.reader.byte()? {
            0 => Node::Any,
            1 => Node::Boolean,
            2 => {
                let flags = self.reader.byte()?;
                let min = if flags & 1 != 0 { Some(self.reader.signed()?) } else { None };
                let max = if flags & 2 != 0 { Some(self.reader.signed()?) } else { None };
                Node::Integer { min, max }
            }
            3 => Node::Number,
            4 => {
                let flags = self.reader.byte()?;
                let (min, max) = (self.reader.bound()?, self.reader.bound()?);
                let pattern = if flags & 1 != 0 { Some(self.string()?) } else { None };
                Node::Text { min, max, pattern }
            }
            kind @ (5 | 6) => Node::Choice { open: kind == 6, values: self.list(Self::string)? },
            7 => {
                let (min, max) = (self.reader.bound()?, self.reader.bound()?);
                Node::Array { min, max, item: self.id()? }
            }
            8 => {
                let flags = self.reader.byte()?;
                let properties = self.properties()?;
                let additional = if flags & 1 != 0 { Some(self.id()?) } else { None };
                let set = |reader: &mut Self| reader.list(Self::string);
                let demands = if flags & 2 != 0 { self.list(set)? } else { Vec::new() };
                Node::Object(Object { properties, additional, demands })
            }
            9 => {
                let key = self.string()?;
                let base = self.properties()?;
                let branches = self.list(|reader| Some((reader.string()?, reader.id()?)))?;
                Node::Tagged { key, base, branches }
            }
            10 => Node::Union(self.list(Self::id)?),
            _ => return None,
        })
    }

    fn resource_type(&mut self) -> Option<ResourceType> {
        let name = self.string()?;
        let secrets = self.list(Self::string)?;
        let versions = self.list(|reader| {
            let name = reader.string()?;
            let scopes = reader.reader.byte()?;
            let bodies = reader.list(|reader| Id::try_from(reader.reader.number()?).ok())?;
            Some(Version { name, bodies, scopes })
        })?;
        Some(ResourceType { name, secrets, versions })
    }
}

impl<'a> Reader<'a> {
    /// The bytes of a string, which may begin inside a character.
    fn bytes_of_text(&mut self) -> Option<&'a [u8]> {
        let size = self.size()?;
        let (text, rest) = self.bytes.split_at_checked(size)?;
        self.bytes = rest;
        Some(text)
    }
}
