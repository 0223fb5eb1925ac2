//! The data files that are embedded in formwork: sections with names, each of parts that are unpacked when they are first
//! needed. `tools/typegen` writes them.
//!
//! A file begins with bytes that name its content, what it was made from, and an index of its sections. A section begins with
//! the sizes of its parts, unpacked and packed; the parts follow, each of which is a block of LZ4. Numbers are LEB128.

/// A data file and its index. Nothing of it is unpacked.
#[derive(Debug)]
pub struct Archive {
    pub source: Source,
    /// Sorted by name, for a binary search.
    sections: Vec<Section>,
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

/// A section in the index.
#[derive(Debug)]
pub struct Section {
    /// The name in lower case, as it is searched.
    pub name: &'static str,
    bytes: &'static [u8],
}

/// A part of a section as it is in the file.
#[derive(Debug)]
pub struct Part {
    bytes: &'static [u8],
    unpacked: usize,
}

impl Archive {
    /// Reads the header and the index. `None` if the data do not begin with `magic`, or end too early.
    pub fn open(bytes: &'static [u8], magic: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes.strip_prefix(magic)?);
        let source = Source { name: reader.text()?, version: reader.text()?, date: reader.text()? };
        let entries = (0..reader.size()?).map(|_| Some((reader.text()?, reader.size()?)));
        let entries = entries.collect::<Option<Vec<_>>>()?;
        let section = |(name, size)| Some(Section { name, bytes: reader.bytes(size)? });
        Some(Self { source, sections: entries.into_iter().map(section).collect::<Option<_>>()? })
    }

    /// The position of the section of this name, which ignores case.
    pub fn find(&self, name: &str) -> Option<usize> {
        let name = name.to_ascii_lowercase();
        self.sections.binary_search_by(|section| section.name.cmp(&name)).ok()
    }

    /// All sections, sorted by name.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }
}

impl Section {
    /// The parts of the section. `None` if it ends too early.
    pub fn parts(&self) -> Option<Vec<Part>> {
        let mut reader = Reader::new(self.bytes);
        let sizes = (0..reader.size()?).map(|_| Some((reader.size()?, reader.size()?)));
        let sizes = sizes.collect::<Option<Vec<_>>>()?;
        let part = |(unpacked, size)| Some(Part { unpacked, bytes: reader.bytes(size)? });
        sizes.into_iter().map(part).collect()
    }
}

impl Part {
    /// The bytes that were packed. `None` if the data are damaged.
    pub fn unpack(&self) -> Option<Vec<u8>> {
        lz4_flex::block::decompress(self.bytes, self.unpacked).ok()
    }
}

/// Reads numbers and strings in the order in which the data have them.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// What has not been read.
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

    /// A number of bytes or items.
    pub fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    pub fn bytes(&mut self, size: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.bytes.split_at_checked(size)?;
        self.bytes = rest;
        Some(bytes)
    }

    /// A string, after its length.
    pub fn text(&mut self) -> Option<&'a str> {
        let size = self.size()?;
        std::str::from_utf8(self.bytes(size)?).ok()
    }
}
