//! Builds a value from the events of the parser.

use std::ops::Range;

use arcstr::ArcStr;
use foldhash::HashMap;
use saphyr_parser::{Event, ScalarStyle, Tag};

use crate::diagnostic::{Code, Diagnostic};
use crate::text::{FileId, Span};
use crate::value::{Data, Member, Str, Traits, Value};
use crate::yaml::merge::merge;
use crate::yaml::tag::{self, ShortForm, is_blank};
use crate::yaml::{Dialect, Result, schema};
use crate::{duplicates, is_dynamic_key, is_dynamic_text, offset};

/// Values that aliases may add to a document. A few lines of aliases can stand for billions of values.
const MAX_ALIASED: u32 = 500_000;

/// An array or object that is not closed yet.
#[derive(Debug)]
struct Open {
    start: usize,
    /// Number of its anchor in the parser; 0 without one.
    anchor: usize,
    /// Function that its tag calls.
    call: Option<ShortForm>,
    kind: OpenCollection,
}

#[derive(Debug)]
enum OpenCollection {
    Sequence(Vec<Value>),
    /// Members so far, and the key whose value comes next.
    Mapping(Vec<Member>, Option<(Str, Span)>),
}

/// Collects the events of one document.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    file: FileId,
    text: &'a ArcStr,
    dialect: Dialect,
    max_depth: u32,
    open: Vec<Open>,
    /// Open collections that are arguments of a function: each will be nested in an object of the long form.
    open_calls: u32,
    root: Option<Value>,
    anchors: HashMap<usize, Value>,
    aliased: u32,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(file: FileId, text: &'a ArcStr, dialect: Dialect, max_depth: u32) -> Self {
        Self {
            file,
            text,
            dialect,
            max_depth,
            open: Vec::new(),
            open_calls: 0,
            root: None,
            anchors: HashMap::default(),
            aliased: 0,
            diagnostics: Vec::new(),
        }
    }

    /// Returns the value of the document; `null` if there was none.
    pub(super) fn finish(&mut self) -> Value {
        self.root.take().unwrap_or_else(|| Value::NULL.at(Span::whole_file(self.file)))
    }

    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    pub(super) fn second_document(&mut self, span: Span) {
        let message = "a second document begins here, expected one in the file";
        self.diagnostics.push(Diagnostic::new(Code::SyntaxYaml, span, message));
    }

    /// Handles the next event of a document, with its range in bytes.
    pub(super) fn event(&mut self, event: Event<'_>, range: Range<usize>) -> Result<()> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let call = self.call(tag.as_deref(), range.start, &tag::ON_SCALARS);

                if let Some(tag) =
                    tag.as_deref().filter(|tag| self.dialect == Dialect::Guard && tag.is_yaml_core_schema())
                {
                    let span = self.scalar_span(style, range);
                    let value = schema::guard_tagged(&tag.suffix, self.share(&text, span)).at(span);
                    return self.key_or_value(value, anchor);
                }
                let plain = style == ScalarStyle::Plain
                    && call.is_none()
                    && !tag.is_some_and(|tag| is_text(&tag) || self.dialect == Dialect::Guard);
                let span = self.scalar_span(style, range);
                self.scalar(&text, plain, call, anchor, span)
            }
            Event::Alias(anchor) => self.alias(anchor, range),
            Event::SequenceStart(anchor, tag) => {
                let call = self.call(tag.as_deref(), range.start, &tag::ON_LISTS);
                self.begin(OpenCollection::Sequence(Vec::new()), call, anchor, range)
            }
            Event::MappingStart(anchor, tag) => {
                let call = self.call(tag.as_deref(), range.start, &[]);
                self.begin(OpenCollection::Mapping(Vec::new(), None), call, anchor, range)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(range),
            _ => Ok(()),
        }
    }

    /// Returns the function that a tag calls, in the dialects of templates. `of_guard` lists the functions that
    /// cfn-guard supports for this kind of value.
    fn call(&self, tag: Option<&Tag>, start: usize, of_guard: &[&str]) -> Option<ShortForm> {
        let tag = tag.filter(|tag| match self.dialect {
            Dialect::Template | Dialect::GuardTest => true,
            Dialect::Guard => of_guard.contains(&tag.suffix.as_str()),
            Dialect::Core | Dialect::Azure => false,
        })?;
        ShortForm::new(tag, self.file, self.text, start)
    }

    fn scalar(&mut self, text: &str, plain: bool, call: Option<ShortForm>, anchor: usize, span: Span) -> Result<()> {
        let shared = self.share(text, span);
        if self.expects_key() {
            if anchor != 0 {
                let value = Value::from(shared.clone()).at(span);
                self.anchors.insert(anchor, value);
            }
            self.set_key(shared, span);
            return Ok(());
        }
        let value = match (plain, self.dialect) {
            (false, _) => Value::from(shared),
            (true, Dialect::Core | Dialect::Azure | Dialect::GuardTest) => {
                Value::new(schema::core(text).unwrap_or(Data::String(shared)))
            }
            (true, Dialect::Template) => schema::template(shared),
            (true, Dialect::Guard) => schema::guard(shared),
        };
        let is_dynamic = self.dialect == Dialect::Azure && value.as_str().is_some_and(is_dynamic_text);
        let value = if is_dynamic { value.at(span).with_traits(Traits::DYNAMIC) } else { value.at(span) };
        self.add(
            call.map_or_else(
                || value.clone(),
                |call: ShortForm| match self.dialect {
                    Dialect::Template => call.on_text(&value),
                    _ => call.on(value.clone()),
                },
            ),
            anchor,
        )
    }

    /// Handles a scalar whose value is known.
    fn key_or_value(&mut self, value: Value, anchor: usize) -> Result<()> {
        match (self.expects_key(), value.as_shared_str(), value.span) {
            (true, Some(key), Some(span)) => {
                self.set_key(key.clone(), span);
                Ok(())
            }
            (true, _, span) => Err(bad_key(span.unwrap_or(Span::whole_file(self.file)), value.kind().as_str()).into()),
            _ => self.add(value, anchor),
        }
    }

    fn alias(&mut self, anchor: usize, range: Range<usize>) -> Result<()> {
        let span = self.span(&range);
        let Some(value) = self.anchors.get(&anchor).cloned() else {
            let message = "the alias is inside the value that it refers to";
            return Err(Diagnostic::new(Code::SyntaxYaml, span, message).into());
        };
        let size = value.size();
        self.aliased = self.aliased.saturating_add(size.weight);
        if self.aliased > MAX_ALIASED {
            let message = format!("aliases add more than {MAX_ALIASED} values to the document");
            return Err(Diagnostic::new(Code::SyntaxYaml, span, message).into());
        }
        if size.depth.saturating_add(self.depth()) > self.max_depth {
            return Err(self.too_deep(span, self.max_depth).into());
        }
        match (self.expects_key(), value.as_shared_str()) {
            (false, _) => self.add(value.at(span), 0),
            (true, Some(key)) => {
                self.set_key(key.clone(), span);
                Ok(())
            }
            (true, None) => Err(bad_key(span, value.kind().as_str()).into()),
        }
    }

    fn begin(
        &mut self,
        kind: OpenCollection,
        call: Option<ShortForm>,
        anchor: usize,
        range: Range<usize>,
    ) -> Result<()> {
        let span = self.span(&range);
        if self.expects_key() {
            let found = match kind {
                OpenCollection::Sequence(_) => "array",
                OpenCollection::Mapping(..) => "object",
            };
            return Err(bad_key(span, found).into());
        }
        if self.depth() >= self.max_depth {
            return Err(self.too_deep(span, self.max_depth).into());
        }
        self.open_calls += u32::from(call.is_some());
        self.open.push(Open { start: range.start, anchor, call, kind });
        Ok(())
    }

    fn end(&mut self, range: Range<usize>) -> Result<()> {
        let Some(Open { start, anchor, call, kind }) = self.open.pop() else {
            return Ok(());
        };
        self.open_calls -= u32::from(call.is_some());
        let value = match kind {
            OpenCollection::Sequence(items) => Value::array(items),
            OpenCollection::Mapping(members, _) => {
                duplicates::find(&members, &mut self.diagnostics);
                self.object(members)
            }
        };
        // A bracket closes a flow collection. The parser ends a block collection where the next token begins, so its
        // end is that of its last part.
        let opened = skip_properties(self.slice(start..self.text.len())).starts_with(['[', '{']);
        let end = if opened && self.slice(range.start..self.text.len()).starts_with([']', '}']) {
            range.start + 1
        } else {
            last_end(&value).unwrap_or(start).max(start)
        };
        let written = skip_properties(self.slice(start..end));
        let span = self.span(&(end - written.len()..end));
        let value = value.at(span);
        self.add(call.map_or_else(|| value.clone(), |call| call.on(value.clone())), anchor)
    }

    fn object(&self, members: Vec<Member>) -> Value {
        match self.dialect {
            Dialect::Core | Dialect::Guard | Dialect::GuardTest => Value::object(members),
            Dialect::Template => Value::object(merge(members)),
            Dialect::Azure => {
                let members = merge(members);
                let is_dynamic = members.iter().any(|member| is_dynamic_key(&member.key));
                let traits = if is_dynamic { Traits::DYNAMIC } else { Traits::NONE };
                Value::object(members).with_traits(traits)
            }
        }
    }

    /// Puts a finished value into the innermost open collection.
    fn add(&mut self, value: Value, anchor: usize) -> Result<()> {
        if anchor != 0 {
            self.anchors.insert(anchor, value.clone());
        }
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.root = Some(value),
            Some(OpenCollection::Sequence(items)) => items.push(value),
            Some(OpenCollection::Mapping(members, key)) => {
                if let Some((key, key_span)) = key.take() {
                    members.push(Member { key, key_span: Some(key_span), value });
                }
            }
        }
        Ok(())
    }

    fn expects_key(&self) -> bool {
        let innermost = self.open.last().map(|open| &open.kind);
        matches!(innermost, Some(OpenCollection::Mapping(_, None)))
    }

    fn set_key(&mut self, key: Str, span: Span) {
        if let Some(OpenCollection::Mapping(_, next)) = self.open.last_mut().map(|open| &mut open.kind) {
            *next = Some((key, span));
        }
    }

    /// Returns the string of a scalar. If the file contains it literally, with or without quotes, it shares the storage
    /// of the file.
    fn share(&self, text: &str, span: Span) -> Str {
        let raw = self.slice(span.start as usize..span.end as usize);
        let quote = u32::from(raw.starts_with(['"', '\'']) && raw.len() == text.len() + 2);
        let (start, end) = (span.start + quote, span.end - quote);
        if self.text.get(start as usize..end as usize) == Some(text) {
            Str::slice(self.text, start, end)
        } else {
            Str::from(text)
        }
    }

    /// Returns a part of the text, or an empty string if the range does not consist of whole characters.
    fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    fn span(&self, range: &Range<usize>) -> Span {
        Span::new(self.file, offset(range.start), offset(range.end))
    }

    /// Returns the span of a scalar. The parser's range begins with anchor and tag, and ends after blanks and even a
    /// comment. The range of a block scalar includes the header, and ends after blank lines.
    pub(super) fn scalar_span(&self, style: ScalarStyle, range: Range<usize>) -> Span {
        let raw = self.slice(range.clone()).trim_end_matches(is_blank);
        let (value, len) = match style {
            ScalarStyle::Literal | ScalarStyle::Folded => (raw, raw.len()),
            ScalarStyle::Plain => (skip_properties(raw), skip_properties(raw).len()),
            // After the closing quote there may be a comment.
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                let value = skip_properties(raw);
                (value, quoted_len(value))
            }
        };
        let start = range.start + raw.len() - value.len();
        self.span(&(start..start + len))
    }

    fn depth(&self) -> u32 {
        offset(self.open.len()).saturating_add(self.open_calls)
    }

    /// Returns the error for nesting deeper than the limit, or than the parser can read.
    pub(super) fn too_deep(&self, span: Span, readable: u32) -> Diagnostic {
        let deep = self.max_depth.min(readable);
        let message = format!("arrays and objects are nested more than {deep} deep");
        Diagnostic::new(Code::SyntaxDepth, span, message)
    }
}

fn bad_key(span: Span, found: &str) -> Diagnostic {
    let message = format!("expected a string as key, found a value of kind `{found}`");
    Diagnostic::new(Code::SyntaxYaml, span, message)
}

/// True if a tag is `!!str`, which makes any scalar a string, even `1`.
fn is_text(tag: &Tag) -> bool {
    tag.is_yaml_core_schema() && tag.suffix == "str"
}

/// Returns the end of the last part of a collection, or `None` if the collection is empty.
fn last_end(value: &Value) -> Option<usize> {
    let last = match &value.data {
        Data::Array(items) => items.last()?,
        Data::Object(members) => &members.iter().last()?.value,
        _ => return None,
    };
    last.span.map(|span| span.end as usize)
}

/// Returns `raw` without a leading anchor and tag.
fn skip_properties(mut raw: &str) -> &str {
    while let Some((_, rest)) = tag::property(raw) {
        raw = rest;
    }
    raw
}

/// Returns the length of the quoted scalar at the start of `raw`, with its quotes, or of all of `raw` if it has no
/// quotes.
fn quoted_len(raw: &str) -> usize {
    let bytes = raw.as_bytes();
    let Some(&quote @ (b'"' | b'\'')) = bytes.first() else { return raw.len() };
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        at += match (quote, byte) {
            (b'"', b'\\') => 2,
            (b'\'', b'\'') if bytes.get(at + 1) == Some(&b'\'') => 2,
            // A quote is one byte, so a character ends here.
            _ if byte == quote => return at + 1,
            _ => 1,
        };
    }
    raw.len()
}
