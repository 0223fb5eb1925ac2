//! Reads the embedded table of aliases, which `tools/typegen` writes.
//!
//! An [`Archive`] has a section for each provider, of one part: the resource types, sorted by name, each with the size
//! of its rows. A row has the alias without the name of the type; an alias that does not begin with it is whole. Then
//! follows where it leads: 0 below `properties` by its name, 1 by its name, 2 to a part of a value, 3 to a path that is
//! written out. Aliases and paths are without the beginning that they share with the one before. A provider is unpacked
//! when one of its types is first asked for, and the rows of a type are read then.

use std::sync::{LazyLock, OnceLock};

use foldhash::{HashMap, HashMapExt as _};
use formwork_schema::archive::{Archive, Reader, Source};

/// Aliases of Azure's types, made by `tools/typegen` from a list in `PSRule.Rules.Azure`.
static BYTES: &[u8] = include_bytes!("../../data/azure.aliases");

/// Bytes that the data file begins with.
const MAGIC: &[u8] = b"FWALIAS1";

static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| Table::open(BYTES));

/// Content of a row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// Path of the property.
    Path(String),
    /// A part of a property's value.
    Pattern,
}

/// Returns the meaning of an alias on resources of a type. `None` if the table does not have it.
pub(super) fn find(resource_type: &str, alias: &str) -> Option<Entry> {
    TABLE.as_ref()?.provider_of(resource_type)?.of_type(resource_type)?.get(alias)
}

/// True if any type has the alias.
pub(super) fn has(alias: &str) -> bool {
    let provider = TABLE.as_ref().and_then(|table| table.provider_of(alias));
    provider.is_some_and(|provider| {
        let types = provider.types.iter().filter(|kind| !names_type(alias) || starts_with(alias, &kind.name));
        types.filter_map(|kind| provider.rows(kind)).any(|rows| rows.get(alias).is_some())
    })
}

/// Returns all aliases of a type, sorted.
pub(super) fn aliases(resource_type: &str) -> Vec<String> {
    let provider = TABLE.as_ref().and_then(|table| table.provider_of(resource_type));
    let rows = provider.and_then(|provider| provider.of_type(resource_type));
    let names = rows.into_iter().flat_map(|rows| rows.entries.values());
    let provider = resource_type.split('/').next().unwrap_or_default();
    let is_whole = |alias: &str| alias.split('/').next().is_some_and(|start| start.eq_ignore_ascii_case(provider));
    let whole =
        |(alias, _): &(String, Entry)| if is_whole(alias) { alias.clone() } else { format!("{resource_type}/{alias}") };
    let mut names: Vec<String> = names.map(whole).collect();
    names.sort_unstable();
    names
}

/// Returns the source of the table.
pub fn source() -> Option<&'static Source> {
    TABLE.as_ref().map(|table| &table.archive.source)
}

/// Returns all types of the table with their aliases and the meanings of these.
#[cfg(test)]
pub(super) fn all() -> Vec<(String, Vec<(String, Entry)>)> {
    let table = TABLE.as_ref().expect("a table");
    let providers = (0..table.providers.len()).map(|at| table.provider(at).expect("a provider"));
    let rows = providers.flat_map(|provider| {
        provider.types.iter().map(|kind| (kind.name.clone(), provider.rows(kind).expect("rows").entries.values()))
    });
    rows.map(|(kind, rows)| (kind, rows.cloned().collect())).collect()
}

/// A data file with its unpacked parts.
#[derive(Debug)]
pub(super) struct Table {
    archive: Archive,
    /// Providers, in the order of the sections.
    providers: Vec<OnceLock<Option<Provider>>>,
}

/// Types of a provider.
#[derive(Debug)]
struct Provider {
    bytes: Vec<u8>,
    /// Types, sorted by name for a binary search.
    types: Vec<Type>,
}

/// A type, and the position of its rows.
#[derive(Debug)]
struct Type {
    /// Name of the type in lower case.
    name: String,
    rows: std::ops::Range<usize>,
    read: OnceLock<Option<Rows>>,
}

/// Aliases of a type, by the name in lower case, each as it is written.
#[derive(Debug)]
struct Rows {
    /// Name of the type and a slash, in lower case.
    prefix: String,
    entries: HashMap<String, (String, Entry)>,
}

impl Table {
    fn open(bytes: &'static [u8]) -> Option<Self> {
        let archive = Archive::open(bytes, MAGIC)?;
        let providers = archive.sections().iter().map(|_| OnceLock::new()).collect();
        Some(Self { archive, providers })
    }

    /// Returns the provider of a type or an alias.
    fn provider_of(&self, name: &str) -> Option<&Provider> {
        self.provider(self.archive.find(name.split('/').next()?)?)
    }

    fn provider(&self, at: usize) -> Option<&Provider> {
        let section = self.archive.sections().get(at)?;
        let open = || Provider::read(section.parts()?.into_iter().next()?.unpack()?);
        self.providers.get(at)?.get_or_init(open).as_ref()
    }
}

impl Provider {
    fn read(bytes: Vec<u8>) -> Option<Self> {
        let mut reader = Reader::new(&bytes);
        let mut types = Vec::new();
        for _ in 0..reader.size()? {
            let (name, size) = (reader.text()?.to_owned(), reader.size()?);
            let start = bytes.len().checked_sub(reader.rest().len())?;
            reader.bytes(size)?;
            types.push(Type { name, rows: start..start.checked_add(size)?, read: OnceLock::new() });
        }
        Some(Self { bytes, types })
    }

    fn of_type(&self, name: &str) -> Option<&Rows> {
        let name = name.to_ascii_lowercase();
        let found = self.types.binary_search_by(|kind| kind.name.cmp(&name)).ok()?;
        self.rows(self.types.get(found)?)
    }

    fn rows<'p>(&'p self, kind: &'p Type) -> Option<&'p Rows> {
        kind.read.get_or_init(|| Rows::read(&kind.name, self.bytes.get(kind.rows.clone())?)).as_ref()
    }
}

impl Rows {
    fn read(kind: &str, bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let mut entries = HashMap::new();
        let (mut name, mut path) = (Vec::new(), Vec::new());
        while !reader.rest().is_empty() {
            shared(&mut reader, &mut name)?;
            let text = std::str::from_utf8(&name).ok()?;
            let entry = match reader.byte()? {
                0 => Entry::Path(format!("properties.{text}")),
                1 => Entry::Path(text.to_owned()),
                2 => Entry::Pattern,
                3 => {
                    shared(&mut reader, &mut path)?;
                    Entry::Path(std::str::from_utf8(&path).ok()?.to_owned())
                }
                _ => return None,
            };
            if let Entry::Path(whole) = &entry {
                path.clear();
                path.extend_from_slice(whole.as_bytes());
            }
            entries.insert(text.to_ascii_lowercase(), (text.to_owned(), entry));
        }
        Some(Self { prefix: format!("{kind}/"), entries })
    }

    fn get(&self, alias: &str) -> Option<Entry> {
        let alias = alias.to_ascii_lowercase();
        let name = alias.strip_prefix(&self.prefix).unwrap_or(&alias);
        self.entries.get(name).map(|(_, entry)| entry.clone())
    }
}

/// Reads a string that shares its beginning with the previous one, and replaces that.
fn shared(reader: &mut Reader<'_>, string: &mut Vec<u8>) -> Option<()> {
    let (shared, rest) = (reader.size()?, reader.size()?);
    string.truncate(shared);
    string.extend_from_slice(reader.bytes(rest)?);
    Some(())
}

fn names_type(alias: &str) -> bool {
    alias.matches('/').count() > 1
}

fn starts_with(alias: &str, lower: &str) -> bool {
    alias.get(..lower.len()).is_some_and(|start| start.eq_ignore_ascii_case(lower))
}
