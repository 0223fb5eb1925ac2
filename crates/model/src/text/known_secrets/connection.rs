//! Keys and passwords in connection strings.
//!
//! References: <https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string>,
//! <https://learn.microsoft.com/azure/service-bus-messaging/service-bus-sas>,
//! <https://learn.microsoft.com/azure/storage/common/storage-sas-overview>,
//! <https://learn.microsoft.com/sql/connect/ado-net/connection-string-syntax>.

use std::ops::Range;

use crate::text::is_stand_in;
use crate::text::known_secrets::{KnownSecret, entropy, is_sample};

/// The texts before a key or a password, and those that a URL with a password begins with.
pub(super) const BEGINNINGS: &[&str] = &[
    "AccountKey=",
    "SharedAccessKey=",
    "Secret=",
    "sig=",
    "Password=",
    "password=",
    "PASSWORD=",
    "Pwd=",
    "pwd=",
    "PWD=",
    "postgres://",
    "postgresql://",
    "mysql://",
    "mongodb://",
    "mongodb+srv://",
    "amqp://",
    "amqps://",
    "redis://",
    "rediss://",
    "mssql://",
    "sqlserver://",
];

/// Maximum distance of the other parts of a connection string, in bytes.
const MAX_DISTANCE: usize = 512;

/// Minimum length of a signature in base64 of 32 bytes.
const MIN_SIGNATURE: usize = 43;

/// Minimum entropy of a key, in bits for each character.
const MIN_ENTROPY: f64 = 3.5;

/// Minimum length of a password that is not a sample.
const MIN_PASSWORD: usize = 5;

/// Keys of the emulators of Azure Storage and Azure Cosmos DB, which are the same for everybody. Only their beginnings.
const EMULATORS: [&str; 2] = ["Eby8vdM02xNOcqFl", "C2y6yDjf5/R+ob0N"];

/// Keys of a connection string that show that another part of it is a password, in lower case and without blanks.
const SERVERS: &[&str] = &[
    "server",
    "datasource",
    "addr",
    "address",
    "networkaddress",
    "host",
    "database",
    "initialcatalog",
    "userid",
    "uid",
    "user",
    "username",
    "driver",
];

/// Passwords that only show where one belongs, in lower case.
const SAMPLE_PASSWORDS: &[&str] =
    &["mypassword", "pass", "passwd", "password", "postgres", "pwd", "root", "secret", "string", "test", "token"];

/// Characters that end a password, or that begin a part that is not known.
fn is_end(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | '"' | '\'' | '`' | '\\' | '<' | '>' | '{' | '}' | '$' | '%' | '(' | ')')
}

/// Returns the key or password after a text at `hit`, which is one of [`BEGINNINGS`].
pub(super) fn secret_at(text: &str, hit: Range<usize>) -> Option<KnownSecret> {
    const KEY: &str = "a connection string with a key";
    let beginning = text.get(hit.clone())?;
    let rest = text.get(hit.end..text.floor_char_boundary(hit.end.saturating_add(MAX_DISTANCE)))?;
    let before = string_before(text, hit.start);
    let (range, what) = match beginning {
        "AccountKey=" => (key(rest, 86, 2)?, KEY),
        "SharedAccessKey=" => (key(rest, 43, 1)?, KEY),
        "Secret=" if !before.contains("Id=") => return None,
        "Secret=" => (key(rest, 43, 1)?, KEY),
        "sig=" => (signature(before, rest)?, "a shared access signature"),
        url if url.ends_with("://") => (password_of_url(rest)?, "a URL with a password"),
        _ => (password(before, rest)?, "a connection string with a password"),
    };
    let secret = rest.get(range.clone())?;
    let is_emulator = EMULATORS.iter().any(|key| secret.starts_with(key));
    (!is_emulator).then_some(KnownSecret { range: hit.end + range.start..hit.end + range.end, what })
}

/// Returns the range of a key in base64 at the beginning of a text, with this number of characters and of `=`.
fn key(text: &str, characters: usize, padding: usize) -> Option<Range<usize>> {
    let (data, rest) = text.split_at_checked(characters)?;
    let is_base64 = data.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    let is_padded = rest.bytes().take_while(|byte| *byte == b'=').count() == padding;
    let is_key = is_base64 && is_padded && entropy(data) >= MIN_ENTROPY && !is_sample(data);
    is_key.then_some(0..characters + padding)
}

/// Returns the range of the signature of a URL, if the URL has the other parts of a shared access signature.
fn signature(before: &str, rest: &str) -> Option<Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '+' | '/' | '=');
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let (signature, after) = rest.split_at_checked(length)?;
    let is_outside = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '{' | '}' | '(' | ')');
    let before = before.rsplit(is_outside).next().unwrap_or_default();
    let after = after.split(is_outside).next().unwrap_or_default();
    let has = |part: &str| before.contains(part) || after.contains(part);
    let is_signature = MIN_SIGNATURE <= length
        && before.ends_with(['?', '&', ';'])
        && has("sv=")
        && has("sp=")
        && entropy(signature) >= MIN_ENTROPY
        && !is_sample(signature);
    is_signature.then_some(0..length)
}

/// Returns the range of the password of a connection string, other parts of which are before or after it.
fn password(before: &str, rest: &str) -> Option<Range<usize>> {
    let is_redis = before.ends_with(',') && before.contains(".redis");
    let length = rest.find(|c| is_end(c) || (is_redis && c == ',')).unwrap_or(rest.len());
    let (password, after) = rest.split_at_checked(length)?;
    let is_complete = after.is_empty() || after.starts_with([';', '"', '\'', '`', '\n', '\r', ',', '\\']);
    if !is_complete || !is_meant(password) {
        return None;
    }
    let is_part = before.trim_end().is_empty() || before.trim_end().ends_with([';', '"', '\'', '&']);
    let parts = after.split(is_end_of_string).next().unwrap_or_default();
    let is_connection = is_redis || (is_part && before.split(';').chain(parts.split(';')).any(is_server));
    is_connection.then_some(0..length)
}

/// Returns the range of the password in `user:password@host`, with which a text begins.
fn password_of_url(rest: &str) -> Option<Range<usize>> {
    let end = rest.find(|c: char| is_end(c) || matches!(c, '/' | '?' | '#' | ',')).unwrap_or(rest.len());
    let (account, host) = rest.get(..end)?.rsplit_once('@')?;
    let (user, password) = account.split_once(':')?;
    let is_real = is_meant(password) && !host.is_empty() && password != user;
    is_real.then_some(user.len() + 1..account.len())
}

/// Returns `true` if a password is not one of a sample.
fn is_meant(password: &str) -> bool {
    let lower = password.to_ascii_lowercase();
    let is_repeated = password.chars().all(|c| c == '*' || c == 'x' || c == '.' || c == '-');
    password.len() >= MIN_PASSWORD
        && !is_repeated
        && !password.contains(['#', '[', ']'])
        && !SAMPLE_PASSWORDS.contains(&lower.as_str())
        && !is_sample(password)
        && !is_stand_in(password)
        && !password.starts_with("__")
}

/// Returns `true` if a part of a connection string names a server, a database, or a user.
fn is_server(part: &str) -> bool {
    let Some((name, value)) = part.split_once('=') else { return false };
    let name = name.rsplit(['\'', '(']).next().and_then(|name| name.rsplit(": ").next()).unwrap_or_default();
    let name: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    !value.is_empty() && SERVERS.contains(&name.as_str())
}

fn is_end_of_string(c: char) -> bool {
    matches!(c, '"' | '`' | '\n' | '\r')
}

/// Returns the part of a string that is before `at`, at most [`MAX_DISTANCE`] bytes.
fn string_before(text: &str, at: usize) -> &str {
    let before = text.get(text.ceil_char_boundary(at.saturating_sub(MAX_DISTANCE))..at).unwrap_or_default();
    before.rsplit(is_end_of_string).next().unwrap_or_default()
}
