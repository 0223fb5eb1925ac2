//! Files that are not what settings take them for. Nothing of them is quoted: whoever writes settings may name a file
//! with a secret, to read it in the report.

use crate::files::register;
use crate::syntax;
use crate::text::Sources;

/// Returns the name of such a file for a message, with the line and the column where it is not JSON.
pub(super) fn place(name: &str, bytes: &[u8]) -> String {
    const DEPTH: u32 = 16;
    let sources = Sources::new();
    let fault = match register(name, bytes.to_vec(), &sources) {
        Ok(file) => syntax::json::parse(file, sources.get(file).text(), DEPTH).diagnostics.into_iter().next(),
        Err(problem) => Some(problem),
    };
    fault.map_or_else(
        || name.to_owned(),
        |fault| {
            let (at, _) = sources.range(fault.primary.span);
            format!("{name}:{}:{}", at.line, at.column)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_tells_where_and_not_what() {
        assert_eq!(place("a.json", b"{}"), "a.json");
        assert_eq!(place("a.json", b"{\n  secret"), "a.json:2:9");
        assert_eq!(place("a.json", b"{\n  \xff"), "a.json:2:3");
    }
}
