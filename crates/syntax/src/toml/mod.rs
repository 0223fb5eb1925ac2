//! Reads TOML 1.0, the format of AWS SAM's settings. Dates and times are read as strings.

mod dates;

use arcstr::ArcStr;
use toml_span::ErrorKind;
use toml_span::value::ValueInner;

use crate::diagnostic::{Code, Diagnostic};
use crate::text::{FileId, Span};
use crate::toml::dates::Dates;
use crate::value::{Member, Value};
use crate::{Parsed, offset};

/// Reads the text of `file`. Every value and every key has its span; the span of a string does not include its
/// quotation marks. Deeper nesting than `max_depth`, or than the 128 levels of the parser, is an error.
pub fn parse(file: FileId, text: &ArcStr, max_depth: u32) -> Parsed {
    let problem = match read((file, text), text, &Dates::default(), max_depth) {
        Ok(value) => return Parsed { value: Some(value), diagnostics: Vec::new() },
        Err(problem) => problem,
    };
    // The parser refuses dates.
    let dates = Dates::find(text);
    let outcome =
        if dates.is_empty() { Err(problem) } else { read((file, text), &dates.quoted(text), &dates, max_depth) };
    match outcome {
        Ok(value) => Parsed { value: Some(value), diagnostics: Vec::new() },
        Err(problem) => Parsed { value: None, diagnostics: vec![problem] },
    }
}

/// Reads the value of `quoted`, which is the text of a file with its dates as strings.
fn read(of: (FileId, &str), quoted: &str, dates: &Dates, max_depth: u32) -> Result<Value, Diagnostic> {
    match toml_span::parse(quoted) {
        Ok(root) => value(&TomlText { of, dates }, root, max_depth).ok_or_else(|| too_deep(of.0, max_depth)),
        Err(error) if matches!(error.kind, ErrorKind::ExceededDepthLimit) => {
            Err(too_deep(of.0, max_depth.min(PARSER_DEPTH)))
        }
        Err(error) => Err(Diagnostic::new(Code::SyntaxToml, to_span(of, error.span), error.to_string())),
    }
}

fn too_deep(file: FileId, levels: u32) -> Diagnostic {
    let message = format!("arrays and tables are nested deeper than {levels} levels");
    Diagnostic::of_file(Code::SyntaxDepth, file, message)
}

/// Greatest depth that the parser supports for arrays, tables, and the parts of one key.
const PARSER_DEPTH: u32 = 128;

/// Text that values are read from.
struct TomlText<'a> {
    of: (FileId, &'a str),
    dates: &'a Dates,
}

impl<'a> TomlText<'a> {
    /// Returns the span and the text of a date that the parser read as a string.
    fn date(&self, span: toml_span::Span) -> Option<(Span, &'a str)> {
        let range = self.dates.around(span.start)?;
        let text = self.of.1.get(range.clone())?;
        Some((to_span(self.of, toml_span::Span::new(range.start, range.end)), text))
    }
}

/// Converts a value of the parser. Returns `None` if it is nested deeper than `levels`.
fn value(source: &TomlText<'_>, mut read: toml_span::Value<'_>, levels: u32) -> Option<Value> {
    let span = to_span(source.of, read.span);
    let date = source.date(read.span);
    let inside = |nested: toml_span::Value<'_>| value(source, nested, levels.checked_sub(1)?);
    let found = match read.take() {
        ValueInner::String(text) => {
            return Some(date.map_or_else(|| Value::from(&*text).at(span), |(span, text)| Value::from(text).at(span)));
        }
        ValueInner::Integer(number) => Value::from(number),
        ValueInner::Float(number) => Value::from(number),
        ValueInner::Boolean(is_true) => Value::from(is_true),
        ValueInner::Array(items) => Value::array(items.into_iter().map(inside).collect::<Option<_>>()?),
        ValueInner::Table(table) => Value::object(
            table
                .into_iter()
                .map(|(key, nested): (toml_span::value::Key<'_>, toml_span::Value<'_>)| {
                    let date = source.date(key.span);
                    let mut member = Member::new(date.map_or(&*key.name, |(_, text)| text), inside(nested)?);
                    member.key_span = Some(date.map_or_else(|| to_span(source.of, key.span), |(span, _)| span));
                    Some(member)
                })
                .collect::<Option<_>>()?,
        ),
    };
    Some(found.at(span))
}

/// Converts a span of the parser. Some of its errors end after the text.
fn to_span((file, text): (FileId, &str), span: toml_span::Span) -> Span {
    let [start, end] = [span.start, span.end].map(|at| offset(text.floor_char_boundary(at)));
    Span { file, start, end }
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
        assert_eq!(code(&format!("{}\n", "a.".repeat(129) + "a = 1")), Some(Code::SyntaxDepth));
        assert_eq!(code(&format!("[{}a]\n", "a.".repeat(15))), None);
        assert_eq!(code(&format!("a = '{}' # {0}", ".[".repeat(2000))), None);
        assert_eq!(code("a.b = [[1]]\n"), None);
    }
    #[test]
    fn dates_and_times_are_strings() {
        let text = r#"# '2020-01-01
2024-01-01 = 1
2024-01-01-x = 2
a = 1979-05-27T07:32:00.5-07:00
b = [07:32:00, 1979-05-27 07:32:00Z, {c = 1979-05-27}] # "
d = "2024-01-01"
e = """
"2024-01-01 \""""
f = '2024-01-01'
g = '''
'2024-01-01'''
[x.2024-01-02]
"#;
        let value = parsed(text).1.value.expect("it is TOML");
        let json = r#"{"2024-01-01":1,"2024-01-01-x":2,"a":"1979-05-27T07:32:00.5-07:00","b":["07:32:00","1979-05-27 07:32:00Z",{"c":"1979-05-27"}],"d":"2024-01-01","e":"\"2024-01-01 \"","f":"2024-01-01","g":"'2024-01-01","x":{"2024-01-02":{}}}"#;
        assert_eq!(value.to_json(), json);
        let span = value.get("a").and_then(|a| a.span).expect("it has a place");
        assert_eq!(text.get(span.start as usize..span.end as usize), Some("1979-05-27T07:32:00.5-07:00"));
        let problem = parsed("a = 2024-01-01\nb = é\n").1.diagnostics.remove(0);
        assert_eq!((problem.code, problem.primary.span.start), (Code::SyntaxToml, 19));
    }
}
