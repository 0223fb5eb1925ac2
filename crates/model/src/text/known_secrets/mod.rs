//! Finds tokens and keys of known formats in a text: those of `formats.tsv`, private keys, and connection strings.
//!
//! One pass looks for the texts that a secret begins with. Only where one of them is, its pattern is tried, from there
//! on, so a text without them costs next to nothing. A secret of a sample (`AKIA…EXAMPLE`, `ghp_xxxx…`) does not count.

mod beginnings;
mod connection;

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use foldhash::HashMap;
use regex::bytes::{Regex, RegexBuilder};

use self::beginnings::Beginnings;

/// Maximum length of a token or key after the text that it begins with.
const MAX_LENGTH: usize = 2048;

/// Maximum length of a private key with its header and footer.
const MAX_PRIVATE_KEY: usize = 16 << 10;

/// Minimum number of characters in a private key that may be its data.
const MIN_PRIVATE_KEY: usize = 64;

/// Parts of secrets that authors of samples write, in lower case.
const SAMPLES: &[&str] = &[
    "abcdefgh",
    "12345678",
    "changeme",
    "dummy",
    "example",
    "fake",
    "placeholder",
    "redacted",
    "sample",
    "xxxx",
    "your",
    "00000000",
];

/// A token or a key in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownSecret {
    /// The byte range of the secret.
    pub range: Range<usize>,
    /// Name of its format, with an article.
    pub what: &'static str,
}

/// Returns the tokens and keys of known formats in a text, in order. They do not overlap.
pub fn known_secrets(text: &str) -> Vec<KnownSecret> {
    let Some(table) = TABLE.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(hit) = table.beginnings.find_at(text.as_bytes(), at) {
        at = hit.end;
        let Some(secret) = table.secret_at(text, hit) else { continue };
        at = at.max(secret.range.end);
        found.push(secret);
    }
    found
}

/// Returns `true` if a secret is one of a sample.
fn is_sample(secret: &str) -> bool {
    let lower = secret.to_ascii_lowercase();
    SAMPLES.iter().any(|part| lower.contains(part))
}

/// The formats, by the texts that they begin with.
struct Table {
    formats: Vec<Format>,
    /// Indexes of formats, by the texts.
    by_beginning: HashMap<&'static str, Vec<usize>>,
    /// These texts, and those of connection strings and private keys.
    beginnings: Beginnings,
}

/// A row of `formats.tsv`.
struct Format {
    what: String,
    /// The number of bytes before the text that it is found by.
    before: usize,
    pattern: &'static str,
    compiled: OnceLock<Option<Regex>>,
    /// Minimum entropy, in bits for each character.
    entropy: f64,
}

static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| Table::read(include_str!("formats.tsv")));

impl Table {
    /// Reads `formats.tsv`. `None` if a row is not complete, which a test makes sure of.
    fn read(rows: &'static str) -> Option<Self> {
        let mut formats = Vec::new();
        let mut by_beginning: HashMap<&'static str, Vec<usize>> = HashMap::default();
        for row in rows.lines().filter(|row| !row.starts_with('#')) {
            let mut fields = row.split('\t').skip(1);
            let (name, beginnings, before) = (fields.next()?, fields.next()?, fields.next()?.parse().ok()?);
            for beginning in beginnings.split(' ') {
                by_beginning.entry(beginning).or_default().push(formats.len());
            }
            let article = if name.starts_with(['A', 'E', 'I', 'O', 'a', 'n']) { "an" } else { "a" };
            formats.push(Format {
                what: format!("{article} {name}"),
                before,
                pattern: fields.next()?,
                compiled: OnceLock::new(),
                entropy: fields.next()?.parse().ok()?,
            });
        }
        let others = connection::BEGINNINGS.iter().copied().chain([PRIVATE_KEY]);
        let beginnings = Beginnings::new(by_beginning.keys().copied().chain(others));
        Some(Self { formats, by_beginning, beginnings })
    }

    /// Returns the secret of which a text at `hit` may be the beginning.
    fn secret_at(&'static self, text: &str, hit: Range<usize>) -> Option<KnownSecret> {
        let beginning = text.get(hit.clone())?;
        if beginning == PRIVATE_KEY {
            return private_key(text, hit.start);
        }
        if connection::BEGINNINGS.contains(&beginning) {
            return connection::secret_at(text, hit);
        }
        let formats = self.by_beginning.get(beginning)?.iter().filter_map(|&at| self.formats.get(at));
        formats.into_iter().find_map(|format| format.secret_at(text, hit.start))
    }
}

impl Format {
    fn secret_at(&'static self, text: &str, at: usize) -> Option<KnownSecret> {
        let start = at.checked_sub(self.before)?;
        if !begins_word(text, start) {
            return None;
        }
        let rest = text.as_bytes().get(start..text.len().min(start + MAX_LENGTH))?;
        let compiled = self.compiled.get_or_init(|| pattern(&format!(r"\A(?:{})", self.pattern)));
        let end = start + compiled.as_ref()?.find(rest)?.end();
        let secret = text.get(start..end)?;
        let ends = !text.as_bytes().get(end).is_some_and(|&byte| is_word(byte));
        let is_meant = ends && entropy(secret) >= self.entropy && !is_sample(secret);
        is_meant.then_some(KnownSecret { range: start..end, what: &self.what })
    }
}

fn pattern(text: &str) -> Option<Regex> {
    RegexBuilder::new(text).unicode(false).build().ok()
}

/// The beginning of a private key in PEM.
const PRIVATE_KEY: &str = "-----BEGIN ";

/// Returns the private key whose header begins at `start`.
fn private_key(text: &str, start: usize) -> Option<KnownSecret> {
    let rest = text.get(start..text.floor_char_boundary(start.saturating_add(MAX_PRIVATE_KEY)))?;
    let (kind, body) = rest.strip_prefix(PRIVATE_KEY)?.split_once("-----")?;
    if kind.len() > 100 || !kind.contains("PRIVATE KEY") {
        return None;
    }
    let (body, footer) = body.split_once("-----")?;
    let end = rest.len() - footer.len() + footer.strip_prefix("END ")?.find("-----")? + "END -----".len();
    let data = body.bytes().filter(u8::is_ascii_alphanumeric).count();
    let is_open = body.contains(['<', '$', '{', '[']) || body.contains("...") || is_sample(body);
    let secret = KnownSecret { range: start..start + end, what: "a private key" };
    (data >= MIN_PRIVATE_KEY && !is_open).then_some(secret)
}

/// Returns `true` if a token may begin here: after no other character of a word. The letter of an escape such as `\n` is
/// none.
fn begins_word(text: &str, at: usize) -> bool {
    let mut before = text.as_bytes().get(..at).unwrap_or_default().iter().rev();
    match before.next() {
        Some(b'n' | b'r' | b't') if before.next() == Some(&b'\\') => true,
        Some(&byte) => !is_word(byte) && byte != b'-',
        None => true,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the entropy of a text, in bits for each byte.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let length = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let shares = counts.iter().filter(|count| **count > 0).map(|&count| f64::from(count) / length);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

#[cfg(test)]
mod tests;
