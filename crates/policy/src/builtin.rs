//! The built-in definitions and initiatives of Azure, as far as Resource Manager evaluates them, which `tools/typegen`
//! packs.
//!
//! An [`Archive`] has a section for the definitions of each category, and one for its initiatives. The first section is
//! the index: for each document, a hash of its name as 16 bytes, and the section that has it. All others are arrays of
//! documents without their texts, as JSON. A category is unpacked when one of its documents is first needed.
//!
//! Definitions that a service judges have only their mode, so that they are told from definitions that do not exist.
//!
//! Source: <https://github.com/Azure/azure-policy>, under the MIT license.

use std::sync::{Arc, LazyLock, OnceLock};

use foldhash::{HashMap, HashMapExt as _};
use formwork_schema::archive::{Archive, Reader, Source};
use formwork_syntax::json::parse_computed;

use crate::documents::{Definition, Initiative};
use crate::value::Value;

static BYTES: &[u8] = include_bytes!("../data/azure.policies");

/// Bytes that the data file begins with.
const MAGIC: &[u8] = b"FWPOLICY";

/// Greatest depth of values in a document.
const NESTING: u32 = 200;

static BUILTIN: LazyLock<Option<Builtin>> = LazyLock::new(|| Builtin::open(BYTES));

/// Returns the built-in definition with an ID. `None` if there is none that is evaluated in deployments.
pub(crate) fn definition(id: &str) -> Option<Arc<Definition>> {
    let name = name(id, "policyDefinitions")?;
    BUILTIN.as_ref()?.section_of(&name)?.definitions.get(&name).cloned()
}

/// Returns the built-in initiative with an ID.
pub(crate) fn initiative(id: &str) -> Option<Arc<Initiative>> {
    let name = name(id, "policySetDefinitions")?;
    BUILTIN.as_ref()?.section_of(&name)?.initiatives.get(&name).cloned()
}

/// Returns the source of the documents.
pub fn source() -> Option<&'static Source> {
    BUILTIN.as_ref().map(|builtin| &builtin.archive.source)
}

/// Returns the name in the ID of a built-in document, in lower case. Such documents have the tenant as their scope. With
/// another scope, as functions of templates such as `resourceId()` return it, the ID has to end with a GUID.
fn name(id: &str, kind: &str) -> Option<String> {
    let mut segments = id.rsplit('/');
    let name = segments.next()?;
    let is_of_kind = [kind, "Microsoft.Authorization", "providers"]
        .iter()
        .all(|known| segments.next().is_some_and(|segment| segment.eq_ignore_ascii_case(known)));
    let is_of_tenant = segments.all(str::is_empty);
    (is_of_kind && (is_of_tenant || is_guid(name))).then(|| name.to_ascii_lowercase())
}

/// Returns the hash of a name in the index, FNV-1a with 128 bits.
fn hash(name: &str) -> u128 {
    const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    name.bytes().fold(START, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

/// The data file with its unpacked parts.
#[derive(Debug)]
struct Builtin {
    archive: Archive,
    /// Section of each document, by the hash of its name.
    index: HashMap<u128, usize>,
    /// Documents, in the order of the sections.
    sections: Vec<OnceLock<Option<Documents>>>,
}

/// Documents of a section.
#[derive(Debug, Default)]
struct Documents {
    definitions: HashMap<String, Arc<Definition>>,
    initiatives: HashMap<String, Arc<Initiative>>,
}

impl Builtin {
    fn open(bytes: &'static [u8]) -> Option<Self> {
        let archive = Archive::open(bytes, MAGIC)?;
        let content = unpack(&archive, 0)?;
        let mut reader = Reader::new(&content);
        let mut index = HashMap::new();
        while !reader.rest().is_empty() {
            let hash = u128::from_be_bytes(reader.bytes(16)?.try_into().ok()?);
            index.insert(hash, reader.size()?);
        }
        let sections = archive.sections().iter().map(|_| OnceLock::new()).collect();
        Some(Self { archive, index, sections })
    }

    fn section_of(&self, name: &str) -> Option<&Documents> {
        let at = *self.index.get(&hash(name))?;
        self.sections.get(at)?.get_or_init(|| Documents::read(&self.archive, at)).as_ref()
    }
}

impl Documents {
    fn read(archive: &Archive, at: usize) -> Option<Self> {
        let text = String::from_utf8(unpack(archive, at)?).ok()?;
        let documents = parse_computed(&text.into(), NESTING).ok()?;
        let mut this = Self::default();
        for document in documents.as_array()? {
            let id = document.get("id").and_then(Value::as_str).unwrap_or_default();
            if let Some(name) = name(id, "policyDefinitions") {
                this.definitions.insert(name, Arc::new(Definition::read(document)));
            } else if let Some(name) = name(id, "policySetDefinitions") {
                this.initiatives.insert(name, Arc::new(Initiative::read(document)));
            }
        }
        Some(this)
    }
}

fn unpack(archive: &Archive, at: usize) -> Option<Vec<u8>> {
    archive.sections().get(at)?.parts()?.into_iter().next()?.unpack()
}

#[cfg(all(test, feature = "builtin"))]
mod tests {
    use super::*;
    use crate::problem::Problem;

    const DEFINITION: &str = "/providers/Microsoft.Authorization/policyDefinitions/";

    #[test]
    fn built_in_documents_are_found_by_id() {
        let title = |name: &str| Some(definition(&format!("{DEFINITION}{name}"))?.display_name.clone()?.to_string());
        assert_eq!(title("871B6D14-10aa-478d-b590-94f262ecfa99").as_deref(), Some("Require a tag on resources"));
        assert!(title("17k78e20-9358-41c9-923c-fb736d382a12").is_some(), "a name that is no GUID");
        assert_eq!(title("00000000-0000-0000-0000-000000000000"), None);
        let elsewhere = |name: &str| definition(&format!("/subscriptions/a{DEFINITION}{name}")).is_some();
        assert!(elsewhere("871b6d14-10aa-478d-b590-94f262ecfa99"), "what `resourceId()` returns in a template");
        assert!(!elsewhere("17k78e20-9358-41c9-923c-fb736d382a12"), "a custom definition may have any name");
        let benchmark = "/providers/Microsoft.Authorization/policySetDefinitions/1f3afdf9-d0c9-4c3d-847f-89da613e70a8";
        assert!(initiative(benchmark).is_some_and(|initiative| initiative.references.len() > 100));
    }

    #[test]
    fn all_built_in_documents_can_be_read() {
        let builtin = BUILTIN.as_ref().expect("the data file can be opened");
        // A few have a default that they do not allow.
        let is_of_default = |problem: &Problem| problem.message.contains("`allowedValues`");
        let mut count = 0;
        for at in 1..builtin.archive.sections().len() {
            let documents = Documents::read(&builtin.archive, at).expect("a section can be read");
            for definition in documents.definitions.values() {
                assert!(definition.problems.iter().all(is_of_default), "{}: {:?}", definition.id, definition.problems);
            }
            for initiative in documents.initiatives.values() {
                assert!(initiative.problems.iter().all(is_of_default), "{}: {:?}", initiative.id, initiative.problems);
            }
            count += documents.definitions.len() + documents.initiatives.len();
        }
        assert_eq!(count, builtin.index.len());
    }
}

/// Returns `true` if a name has the form of a GUID, as the names of built-in documents.
fn is_guid(name: &str) -> bool {
    const DASHES: [usize; 4] = [8, 13, 18, 23];
    let fits = |(at, byte): (usize, u8)| if DASHES.contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() };
    name.len() == 36 && name.bytes().enumerate().all(fits)
}
