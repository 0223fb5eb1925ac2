//! Packs the aliases of Azure Policy: which property of a resource type each stands for. `crates/policy/src/aliases/table.rs`
//! of the program reads them, and describes the format.

use std::collections::BTreeMap;
use std::path::Path;

use crate::pack::{number, text};

/// Rows that a list lacks or has wrong, which the program must know: each with its reason.
const BY_HAND: &str = include_str!("aliases.tsv");

/// The path of an alias that stands for a part of the value there.
const PART: &str = "-";

/// The aliases of the types of a provider, by type, and by alias in lower case: the alias, and its path.
type Types = BTreeMap<String, BTreeMap<String, (String, String)>>;

/// Reads a list of rows `alias`, `path`, `type` with tabs between them, and the rows that are written by hand. The sections
/// are providers.
pub fn read(list: &Path) -> BTreeMap<String, Vec<Vec<u8>>> {
    let list = std::fs::read_to_string(list).expect("a readable file");
    let mut providers: BTreeMap<String, Types> = BTreeMap::new();
    for line in list.lines().chain(BY_HAND.lines()).filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let [alias, path, kind] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("three columns: {line}") };
        let kind = kind.to_lowercase();
        let provider = kind.split('/').next().unwrap_or_default().to_owned();
        let name = alias.get(..kind.len()).filter(|start| start.eq_ignore_ascii_case(&kind));
        let name = name.and_then(|_| alias[kind.len()..].strip_prefix('/')).unwrap_or(alias);
        let aliases = providers.entry(provider).or_default().entry(kind).or_default();
        aliases.insert(name.to_lowercase(), (name.to_owned(), path.to_owned()));
    }
    providers.into_iter().map(|(provider, types)| (provider, vec![part(&types)])).collect()
}

fn part(types: &Types) -> Vec<u8> {
    let mut out = Vec::new();
    number(&mut out, types.len() as u64);
    for (kind, aliases) in types {
        text(&mut out, kind);
        let rows = rows(aliases);
        number(&mut out, rows.len() as u64);
        out.extend(rows);
    }
    out
}

fn rows(aliases: &BTreeMap<String, (String, String)>) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut name_before, mut path_before) = ("", "");
    for (name, path) in aliases.values() {
        shared(&mut out, name_before, name);
        match path.strip_prefix("properties.") {
            Some(rest) if rest == name => out.push(0),
            _ if path == name => out.push(1),
            _ if path == PART => out.push(2),
            _ => {
                out.push(3);
                shared(&mut out, path_before, path);
            }
        }
        (name_before, path_before) = (name, path);
    }
    out
}

/// A string without what it begins with as the one before.
fn shared(out: &mut Vec<u8>, before: &str, string: &str) {
    let shared = before.bytes().zip(string.bytes()).take_while(|(a, b)| a == b).count();
    number(out, shared as u64);
    number(out, (string.len() - shared) as u64);
    out.extend_from_slice(&string.as_bytes()[shared..]);
}
