//! Data files that are embedded in formwork. A file has named sections; a section has blocks that are unpacked when
//! they are first needed. `tools/typegen` writes the files.
//!
//! A file begins with bytes that name its content, its source, and an index of its sections. A section begins with the
//! sizes of its blocks, unpacked and packed; the blocks follow, each compressed with LZ4. Numbers are LEB128.

/// A data file and its index. Its blocks are still packed.
#[derive(Debug)]
pub struct Archive {
    pub source: Source,
    /// Sections, sorted by name for a binary search.
    sections: Vec<Section>,
}

/// Origin of a data file.
#[derive(Debug)]
pub struct Source {
    /// Repository or package.
    pub name: &'static str,
    /// Commit or version.
    pub version: &'static str,
    /// Date of that version, such as `2026-08-20`.
    pub date: &'static str,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} of {}", self.name, self.version, self.date)
    }
}

/// A section in the index.
#[derive(Debug)]
pub struct Section {
    /// Name in lower case, as searches expect it.
    pub name: &'static str,
    bytes: &'static [u8],
}

/// A packed block of a section.
#[derive(Debug)]
pub struct PackedBlock {
    bytes: &'static [u8],
    unpacked: usize,
}

impl Archive {
    /// Reads the header and the index. Returns `None` if the data do not begin with `magic` or end too early.
    pub fn open(bytes: &'static [u8], magic: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes.strip_prefix(magic)?);
        let source = Source { name: reader.text()?, version: reader.text()?, date: reader.text()? };
        let entries = (0..reader.size()?).map(|_| Some((reader.text()?, reader.size()?)));
        let entries = entries.collect::<Option<Vec<_>>>()?;
        Some(Self {
            source,
            sections: entries
                .into_iter()
                .map(|(name, size)| Some(Section { name, bytes: reader.bytes(size)? }))
                .collect::<Option<_>>()?,
        })
    }

    /// Returns the position of the section with this name, case-insensitive.
    pub fn find(&self, name: &str) -> Option<usize> {
        let name = name.to_ascii_lowercase();
        self.sections.binary_search_by(|section| section.name.cmp(&name)).ok()
    }

    /// Returns all sections, sorted by name.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }
}

impl Section {
    /// Returns the blocks of the section, or `None` if the section ends too early.
    pub fn parts(&self) -> Option<Vec<PackedBlock>> {
        let mut reader = Reader::new(self.bytes);
        let sizes = (0..reader.size()?).map(|_| Some((reader.size()?, reader.size()?)));
        let sizes = sizes.collect::<Option<Vec<_>>>()?;
        sizes.into_iter().map(|(unpacked, size)| Some(PackedBlock { unpacked, bytes: reader.bytes(size)? })).collect()
    }
}

impl PackedBlock {
    /// Unpacks the block. Returns `None` if the data are damaged.
    pub fn unpack(&self) -> Option<Vec<u8>> {
        lz4_flex::block::decompress(self.bytes, self.unpacked).ok()
    }
}

/// Reads numbers, bytes and strings one after another.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Returns the bytes that have not been read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    pub fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    pub fn number(&mut self) -> Option<u64> {
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

    /// Reads a count of bytes or items.
    pub fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    pub fn bytes(&mut self, size: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.bytes.split_at_checked(size)?;
        self.bytes = rest;
        Some(bytes)
    }

    /// Reads a string that follows its length in bytes.
    pub fn text(&mut self) -> Option<&'a str> {
        let size = self.size()?;
        std::str::from_utf8(self.bytes(size)?).ok()
    }
}
