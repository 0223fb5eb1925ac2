//! Reads YAML files of other programs as JSON values. Every scalar is a string.

use saphyr_parser::{Event, Parser};
use serde_json::{Map, Value};

/// The only document of a YAML file.
#[track_caller]
pub(crate) fn parse(text: &str) -> Value {
    let events = Parser::new_from_str(text).map(|it| it.unwrap_or_else(|error| panic!("{error}\n{text}")).0);
    let content = |it: &Event<'_>| !matches!(it, Event::StreamStart | Event::DocumentStart(_));
    let mut events = events.filter(content);
    let root = events.next().and_then(|first| node(first, &mut events));
    root.unwrap_or_else(|| panic!("no document in\n{text}"))
}

/// The node that begins with `first`; nothing if that is an end.
fn node<'a>(first: Event<'a>, rest: &mut impl Iterator<Item = Event<'a>>) -> Option<Value> {
    match first {
        Event::Scalar(text, ..) => Some(Value::from(text.into_owned())),
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            while let Some(item) = rest.next().and_then(|it| node(it, rest)) {
                items.push(item);
            }
            Some(Value::from(items))
        }
        Event::MappingStart(..) => {
            let mut members = Map::new();
            while let Some(Value::String(key)) = rest.next().and_then(|it| node(it, rest)) {
                let value = rest.next().and_then(|it| node(it, rest)).unwrap();
                assert!(members.insert(key.clone(), value).is_none(), "`{key}` stands twice");
            }
            Some(Value::from(members))
        }
        _ => None,
    }
}
