//! Edits of JSON files.

use std::ops::Range;

use arcstr::ArcStr;

use crate::engine::fix::layout::{self, Added, Braces, Extent, InsertionPoint, Lines, Style, insertion};
use crate::model::FixSite;
use crate::syntax;
use crate::text::{FileId, Span};
use crate::value::{Data, Member, Value};

/// The greatest nesting that is parsed.
const MAX_DEPTH: u32 = 256;

/// Returns the separators of members in a document in JSON, or in YAML: in block style, the lines of an object in
/// braces have to be indented more than its key.
fn style(is_json: bool) -> Style {
    Style { needs_comma: true, padding: "", is_free: is_json }
}

/// Returns `true` if the beginning of a text is that of a document in JSON.
pub(super) fn is_document(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[', '/'])
}

/// Returns `true` if `text` is the literal value at a site, and not an expression that evaluates to it.
pub(super) fn is_literal(text: &str, spot: &FixSite) -> bool {
    match spot {
        // Any file will do: the spans are not used.
        FixSite::Value { found, .. } => {
            let read = syntax::json::parse_computed(&ArcStr::from(text), MAX_DEPTH);
            read.is_ok_and(|value| is_scalar(&value) && value.same(found))
        }
        FixSite::Key { found, .. } => is_string(text, found),
        FixSite::Member { .. } => text.starts_with('{') && text.ends_with('}'),
    }
}

fn is_string(text: &str, found: &str) -> bool {
    let read = syntax::json::parse_computed(&ArcStr::from(text), MAX_DEPTH);
    read.is_ok_and(|value| value.as_str() == Some(found))
}

fn is_scalar(value: &Value) -> bool {
    matches!(value.data, Data::Bool(_) | Data::Int(_) | Data::Float(_) | Data::String(_))
}

/// Returns the literal that replaces `old` with `value`. `None` unless `old` is the literal of `found`.
pub(super) fn literal(file: FileId, old: &str, found: &Value, value: &Value) -> Option<String> {
    let span = Span::whole_file(file);
    let is_literal = is_literal(old, &FixSite::Value { span, found: found.clone() });
    is_literal.then(|| value.to_json())
}

/// Adds members to the object at `span` of a document in JSON or YAML. `None` if that is not an object or already has
/// such a member.
pub(super) fn members(span: Span, text: &str, is_json: bool, new: &[Member]) -> Option<Added> {
    let (open, end) = (span.start as usize, span.end as usize);
    let object = text.get(open..end).filter(|text| text.starts_with('{') && text.ends_with('}'))?;
    let read = read_object(span.file, object)?;
    let members = read.as_object()?;
    if new.iter().any(|new| members.get(&new.key).is_some()) {
        return None;
    }
    let extents: Option<Vec<Extent>> =
        members.iter().map(|member| extent(member.key_span?, member.value.span?, open)).collect();
    let braces = Braces { open, close: end - 1, members: extents? };
    let titles = new.iter().map(|member| format!("{}: {}", member.key, member.value.to_json()));
    let title = titles.collect::<Vec<_>>().join(", ");
    let each: Vec<_> = new.iter().map(|member| move |place: &InsertionPoint<'_>| written(member, place)).collect();
    let each: Vec<layout::Member<'_>> = each.iter().map(|member| member as layout::Member<'_>).collect();
    let (range, inserted) = insertion(text, &braces, &each, style(is_json))?;
    let patched = patched(object, &(range.start - open..range.end - open), &inserted)?;
    let is_right = is_as_intended(&read, &read_object(span.file, &patched)?, new);
    is_right.then_some(Added { range, text: inserted, title })
}

/// Returns a member as text. Objects in it have their members on lines of their own if it has one.
fn written(member: &Member, place: &InsertionPoint<'_>) -> String {
    let (name, colon) = (Value::from(member.key.clone()).to_json(), place.colon);
    let (Some(object), Some(lines)) = (member.value.as_object().filter(|object| !object.is_empty()), place.lines)
    else {
        return format!("{name}{colon}{}", member.value.to_json());
    };
    let indent = format!("{}{}", lines.indent, lines.unit);
    let inner = InsertionPoint { colon, lines: Some(Lines { indent: &indent, ..lines }) };
    let members: Vec<String> = object.iter().map(|member| format!("{indent}{}", written(member, &inner))).collect();
    let (end, separator) = (lines.end, format!(",{}", lines.end));
    format!("{name}{colon}{{{end}{}{end}{}}}", members.join(&separator), lines.indent)
}

fn read_object(file: FileId, text: &str) -> Option<Value> {
    syntax::json::parse(file, &ArcStr::from(text), MAX_DEPTH).value
}

fn extent(key: Span, value: Span, offset: usize) -> Option<Extent> {
    let at = |byte: u32| offset.checked_add(byte as usize);
    Some(Extent { start: at(key.start)?, key_end: at(key.end)?, value_start: at(value.start)?, end: at(value.end)? })
}

fn patched(text: &str, range: &Range<usize>, new: &str) -> Option<String> {
    Some(format!("{}{new}{}", text.get(..range.start)?, text.get(range.end..)?))
}

/// Returns `true` if the new object differs from the old one only by the added members.
pub(super) fn is_as_intended(before: &Value, after: &Value, new: &[Member]) -> bool {
    let (Some(before), Some(after)) = (before.as_object(), after.as_object()) else { return false };
    let all = before.iter().chain(new);
    after.len() == before.len() + new.len() && all.zip(after).all(|(a, b)| a.key == b.key && a.value.same(&b.value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::Sources;

    /// Returns the text with a member `new: true` in its first object that is called `o`; `None` where nothing is
    /// changed.
    fn with_member(text: &str) -> Option<String> {
        let file = Sources::new().add("a.json", text);
        let value = syntax::json::parse(file, &ArcStr::from(text), MAX_DEPTH).value.expect("the text is JSON");
        let span = value.get("o").unwrap_or(&value).span.expect("what is read has a place");
        let Added { range, text: new, title } =
            members(span, text, is_document(text), &[Member::new("new", Value::from(true))])?;
        assert_eq!(title, "new: true");
        patched(text, &range, &new)
    }

    #[test]
    fn in_yaml_an_object_in_braces_stays_on_its_line() {
        let added = |text: &str| {
            let file = Sources::new().add("a.yaml", text);
            let open = text.find('{').expect("there is an object");
            let span = Span::new(file, u32::try_from(open).expect("it is short"), u32::try_from(text.len()).unwrap());
            let object = Value::object(vec![Member::new("b", Value::from(true))]);
            let Added { range, text: new, .. } = members(span, text, false, &[Member::new("a", object)])?;
            patched(text, &range, &new)
        };
        assert_eq!(added("r:\n  o: {}").as_deref(), Some("r:\n  o: {\"a\": {\"b\":true}}"));
        assert_eq!(added("r:\n  o: {\"c\": 1}").as_deref(), Some("r:\n  o: {\"c\": 1, \"a\": {\"b\":true}}"));
        assert_eq!(
            added("r:\n  o: {\n     \"c\": 1\n    }").as_deref(),
            Some("r:\n  o: {\n     \"c\": 1,\n     \"a\": {\n        \"b\": true\n     }\n    }")
        );
    }

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        assert_eq!(with_member(text).as_deref(), Some(wanted), "{text:?}");
    }

    #[test]
    fn a_member_goes_on_a_line_of_its_own_behind_others_that_do() {
        check("{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n  \"new\": true\n}");
        check("{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}", "{\n\t\"a\": {\n\t\t\"b\": 1\n\t},\n\t\"new\": true\n}");
        check("{\r\n  \"a\": 1\r\n}", "{\r\n  \"a\": 1,\r\n  \"new\": true\r\n}");
        check("{ \"a\": 1,\n  \"b\": 2 }", "{ \"a\": 1,\n  \"b\": 2,\n  \"new\": true }");
        check("{\n    \"a\":1\n}", "{\n    \"a\":1,\n    \"new\":true\n}");
    }

    #[test]
    fn nothing_far_away_decides_about_the_layout() {
        let far = "x".repeat(100_000);
        check(&format!("{{\"x\":\"{far}\",\"o\":{{}}}}"), &format!("{{\"x\":\"{far}\",\"o\":{{\"new\":true}}}}"));
        let lines = format!("\n   \"{far}\",").repeat(2);
        check(
            &format!("{{\n \"x\": [{lines}\n   1],\n   \"o\": {{}}\n}}"),
            &format!("{{\n \"x\": [{lines}\n   1],\n   \"o\": {{\n     \"new\": true\n   }}\n}}"),
        );
    }

    #[test]
    fn a_comma_behind_the_last_member_stays_behind_the_last() {
        check("{\n  \"a\": 1,\n}", "{\n  \"a\": 1,\n  \"new\": true,\n}");
        check("{\n  \"a\": 1 /* x */ , // y\n}", "{\n  \"a\": 1 /* x */ , // y\n  \"new\": true,\n}");
        check("{\"a\": 1,}", "{\"a\": 1, \"new\": true,}");
    }

    #[test]
    fn a_comment_stays_with_the_member_before_it() {
        check("{\n  \"a\": 1 // one\n}", "{\n  \"a\": 1, // one\n  \"new\": true\n}");
        check("{\r\n  \"a\": 1 // one\r\n}", "{\r\n  \"a\": 1, // one\r\n  \"new\": true\r\n}");
        check("{\n  \"a\": 1 /* one\n two */ // x\n}", "{\n  \"a\": 1, /* one\n two */ // x\n  \"new\": true\n}");
        check("{\n  \"a\": 1\n  // below\n}", "{\n  \"a\": 1,\n  \"new\": true\n  // below\n}");
        check("{\n  \"a\": 1 /* , */\n}", "{\n  \"a\": 1, /* , */\n  \"new\": true\n}");
    }

    #[test]
    fn in_one_line_a_member_is_separated_as_the_others_are() {
        check("{\"a\": 1}", "{\"a\": 1, \"new\": true}");
        check("{\"a\":1}", "{\"a\":1,\"new\":true}");
        check("{ \"a\": 1,\"b\": 2 }", "{ \"a\": 1,\"b\": 2,\"new\": true }");
        check("{\"o\": {\"a\" : 1 ,  \"b\" : 2}}", "{\"o\": {\"a\" : 1 ,  \"b\" : 2 ,  \"new\" : true}}");
        check("{\"a\": 1 /* x */}", "{\"a\": 1, \"new\": true /* x */}");
    }

    #[test]
    fn an_empty_object_is_opened_where_it_ends_its_line() {
        check("{\n  \"o\": {}\n}", "{\n  \"o\": {\n    \"new\": true\n  }\n}");
        check("{\n\t\"o\": {\n\t},\n\t\"b\": 1\n}", "{\n\t\"o\": {\n\t\t\"new\": true\n\t},\n\t\"b\": 1\n}");
        check("{\r\n    \"o\": { }\r\n}", "{\r\n    \"o\": {\r\n        \"new\": true\r\n    }\r\n}");
        check("{\"o\": {}}", "{\"o\": {\"new\": true}}");
        check("{\"o\":{}}", "{\"o\":{\"new\":true}}");
        check("{\n  \"b\": 1, \"o\": {}\n}", "{\n  \"b\": 1, \"o\": {\"new\": true}\n}");
        check("{}", "{\"new\": true}");
    }

    #[test]
    fn an_object_that_has_the_member_or_only_comments_stays_as_it_is() {
        assert_eq!(with_member("{\n  \"NEW\": null\n}"), None);
        assert_eq!(with_member("{\"o\": { /* nothing */ }}"), None);
        assert_eq!(with_member("{\"o\": [1]}"), None);
    }

    /// Returns the text with these members of its root added.
    fn with(text: &str, new: &[(&str, &str)]) -> Option<String> {
        let file = Sources::new().add("a.json", text);
        let span = syntax::json::parse(file, &ArcStr::from(text), MAX_DEPTH).value.and_then(|value| value.span)?;
        let value = |json: &str| syntax::json::parse_computed(&ArcStr::from(json), MAX_DEPTH).expect("it is JSON");
        let new: Vec<Member> = new.iter().map(|(key, json)| Member::new(*key, value(json))).collect();
        let Added { range, text: new, .. } = members(span, text, true, &new)?;
        patched(text, &range, &new)
    }

    #[test]
    fn objects_that_are_missing_on_the_way_are_written_as_the_file_is() {
        let acls = ("acls", r#"{"inner": {"action": "Deny"}, "list": [1, 2]}"#);
        let lines = "{\n  \"a\": 1,\n  \"acls\": {\n    \"inner\": {\n      \"action\": \"Deny\"\n    },\n    \"list\": [1,2]\n  }\n}";
        assert_eq!(with("{\n  \"a\": 1\n}", &[acls]).as_deref(), Some(lines));
        let line = r#"{"a": 1, "acls": {"inner":{"action":"Deny"},"list":[1,2]}}"#;
        assert_eq!(with("{\"a\": 1}", &[acls]).as_deref(), Some(line));
    }

    #[test]
    fn several_members_are_added_together() {
        let new = [("b", "true"), ("c", "2")];
        assert_eq!(with("{\n  \"a\": 1\n}", &new).as_deref(), Some("{\n  \"a\": 1,\n  \"b\": true,\n  \"c\": 2\n}"));
        assert_eq!(with("{\"a\":1}", &new).as_deref(), Some("{\"a\":1,\"b\":true,\"c\":2}"));
        assert_eq!(with("{}", &new).as_deref(), Some("{\"b\": true, \"c\": 2}"));
        assert_eq!(with("{\"a\": 1, \"C\": 1}", &new), None);
    }

    #[track_caller]
    fn check_literal(old: &str, found: &Value, value: &Value, wanted: Option<&str>) {
        let file = Sources::new().add("a.json", "");
        assert_eq!(literal(file, old, found, value).as_deref(), wanted, "{old}");
    }

    #[test]
    fn only_what_stands_there_is_replaced() {
        let yes = Value::from(true);
        check_literal("false", &Value::from(false), &yes, Some("true"));
        check_literal("\"false\"", &Value::from("false"), &yes, Some("true"));
        check_literal("'x'", &Value::from("x"), &Value::from("a\"b"), Some("\"a\\\"b\""));
        check_literal("1.0", &Value::from(1.0), &Value::from(2), Some("2"));
        check_literal("\"[not(true())]\"", &Value::from(false), &yes, None);
        check_literal("\"[[x]\"", &Value::from("[x]"), &yes, None);
        check_literal("{\"a\": 1}", &Value::from(1), &yes, None);
    }

    /// Blanks and comments that may stand between tokens.
    fn gap() -> impl Strategy<Value = &'static str> {
        let gaps = vec!["", "", " ", "\n", "\n  ", "\r\n    ", "\t", " // c, }\n", "/* , \" */", " /* a\n b */ "];
        proptest::sample::select(gaps)
    }

    fn member_text() -> impl Strategy<Value = String> {
        let values = vec!["1", "true", "null", "\"x // y\"", "[1, 2 ]", "{\n \"i\": {}\n}", "'q'", "\"a\\\"b\""];
        (gap(), "[a-z]{1,4}", gap(), gap(), proptest::sample::select(values), gap()).prop_map(
            |(before, key, left, right, value, after)| format!("{before}\"{key}\"{left}:{right}{value}{after}"),
        )
    }

    proptest! {
        #[test]
        fn nothing_but_the_member_changes(
            members in proptest::collection::vec(member_text(), 0..4),
            inner in gap(),
            has_comma: bool,
            around in gap(),
        ) {
            let comma = if has_comma && !members.is_empty() { "," } else { "" };
            let object = if members.is_empty() { inner.to_owned() } else { members.join(",") };
            let text = format!("{{{around}\"o\":{around}{{{object}{comma}{inner}}}{around}}}");
            let is_opaque = members.is_empty() && object.contains('/');
            let Some(new) = with_member(&text) else {
                prop_assert!(is_opaque, "{text:?} is not changed");
                return Ok(());
            };
            let file = Sources::new().add("a.json", new.as_str());
            let read = |text: &str| syntax::json::parse(file, &ArcStr::from(text), MAX_DEPTH).value;
            let (before, after) = (read(&text).expect("it was read before"), read(&new));
            let after = after.ok_or_else(|| TestCaseError::fail(format!("{new:?} cannot be read")))?;
            let inner = |value: &Value| value.get("o").cloned().expect("the object is there");
            let added = [Member::new("new", Value::from(true))];
            prop_assert!(is_as_intended(&inner(&before), &inner(&after), &added), "{new:?}");
            // All that the author wrote is there still, but for the blanks of an empty object.
            let mut rest = new.chars();
            let kept = text.chars().filter(|c| !members.is_empty() || !c.is_whitespace());
            prop_assert!(kept.into_iter().all(|c| rest.by_ref().any(|other| other == c)), "{text:?} became {new:?}");
        }
    }
}
