//! TOML 1.0, in which AWS SAM keeps its settings. Dates and times are not read.

use arcstr::ArcStr;
use toml_span::value::ValueInner;

use crate::diagnostic::{Code, Diagnostic};
use crate::text::{FileId, Span};
use crate::value::{Member, Value};
use crate::{Parsed, offset};

/// How deep a text may look nested to be parsed. The parser recurses, and has no limit of its own.
const MAX_LOOKS: usize = 512;

/// Reads the text of `file`. Every value and every key has its span; that of a string is without its quotation marks. Deeper
/// nesting than `max_depth` is an error.
pub fn parse(file: FileId, text: &ArcStr, max_depth: u32) -> Parsed {
    let failed = |problem| Parsed { value: None, diagnostics: vec![problem] };
    let too_deep = || {
        let message = format!("arrays and tables are nested deeper than {max_depth} levels");
        failed(Diagnostic::of_file(Code::SyntaxDepth, file, message))
    };
    if looks(text) > MAX_LOOKS {
        return too_deep();
    }
    match toml_span::parse(text) {
        Ok(root) => match value((file, text), root, max_depth) {
            Some(value) => Parsed { value: Some(value), diagnostics: Vec::new() },
            None => too_deep(),
        },
        Err(error) => failed(Diagnostic::new(Code::SyntaxToml, at((file, text), error.span), error.to_string())),
    }
}

/// At least how deep a text nests: brackets, and the dots of keys, wherever they stand.
fn looks(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for line in text.lines() {
        let inner = line.bytes().filter(|byte| matches!(byte, b'.' | b'[' | b'{')).count();
        deepest = deepest.max(depth + inner);
        for byte in line.bytes() {
            match byte {
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    deepest
}

/// A value that is nested at most `levels` deep.
fn value(of: (FileId, &str), mut read: toml_span::Value<'_>, levels: u32) -> Option<Value> {
    let span = at(of, read.span);
    let inside = |nested: toml_span::Value<'_>| value(of, nested, levels.checked_sub(1)?);
    let found = match read.take() {
        ValueInner::String(text) => Value::from(&*text),
        ValueInner::Integer(number) => Value::from(number),
        ValueInner::Float(number) => Value::from(number),
        ValueInner::Boolean(is_true) => Value::from(is_true),
        ValueInner::Array(items) => Value::array(items.into_iter().map(inside).collect::<Option<_>>()?),
        ValueInner::Table(table) => {
            let member = |(key, nested): (toml_span::value::Key<'_>, toml_span::Value<'_>)| {
                let mut member = Member::new(&*key.name, inside(nested)?);
                member.key_span = Some(at(of, key.span));
                Some(member)
            };
            Value::object(table.into_iter().map(member).collect::<Option<_>>()?)
        }
    };
    Some(found.at(span))
}

/// A position in a file with this text. The parser has errors that end behind it.
fn at((file, text): (FileId, &str), span: toml_span::Span) -> Span {
    let inside = |at: usize| offset(text.floor_char_boundary(at));
    Span { file, start: inside(span.start), end: inside(span.end) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sources;

    fn parsed(text: &str) -> (FileId, Parsed) {
        let file = Sources::new().add("x.toml", text);
        (file, parse(file, &text.into(), 16))
    }

    #[test]
    fn values_have_their_places() {
        let text = "version = 0.1\n[a.b]\nc = \"x \\\"y\\\"\"\nd = ['e', 1, true]\n";
        let value = parsed(text).1.value.expect("it is TOML");
        let c = value.get("a").and_then(|a| a.get("b")?.get("c")).expect("it is there");
        let text_of = |value: &Value| value.span.and_then(|span| text.get(span.start as usize..span.end as usize));
        assert_eq!((c.as_str(), text_of(c)), (Some("x \"y\""), Some("x \\\"y\\\"")));
        let items = value.get("a").and_then(|a| a.get("b")?.get("d")?.as_array()).expect("it is there");
        assert_eq!(items.iter().filter_map(text_of).collect::<Vec<_>>(), ["e", "1", "true"]);
    }

    #[test]
    fn what_is_not_toml_or_nests_too_deep_is_an_error() {
        let code = |text: &str| parsed(text).1.diagnostics.first().map(|problem| problem.code);
        assert_eq!(code("a = \n"), Some(Code::SyntaxToml));
        assert_eq!(parsed("[").1.diagnostics[0].primary.span.end, 1);
        assert_eq!(code(&format!("a = {}", "[".repeat(100_000))), Some(Code::SyntaxDepth));
        assert_eq!(code(&format!("[{}a]\n", "a.".repeat(100_000))), Some(Code::SyntaxDepth));
        assert_eq!(code(&format!("a = {}{}", "[".repeat(20), "]".repeat(20))), Some(Code::SyntaxDepth));
        assert_eq!(code(&format!("a = '{}'", ".[".repeat(200))), None);
        assert_eq!(code("a.b = [[1]]\n"), None);
    }
}
