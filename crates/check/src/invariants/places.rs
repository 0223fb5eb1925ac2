//! Positions: each lies in its text, and on whole characters.

use crate::diagnostic::Diagnostic;
use crate::text::{Sources, Span};
use crate::value::{Data, Value};

/// Returns the text of a file with these bytes, as a run decodes it. Empty if it cannot be decoded, which a run
/// reports.
pub(crate) fn text(bytes: &[u8]) -> String {
    crate::text::decode(bytes.to_vec()).unwrap_or_default()
}

/// Requires that a span lies in its text, and begins and ends between characters.
#[track_caller]
pub(crate) fn check_span(span: Span, sources: &Sources) {
    let source = sources.get(span.file);
    let range = span.start as usize..span.end as usize;
    assert!(
        source.text().get(range).is_some(),
        "{span:?} is not in `{}`, {} bytes",
        source.name(),
        source.text().len()
    );
}

/// Requires that problems point into their texts, and say something on one line.
#[track_caller]
pub(crate) fn check_problems(problems: &[Diagnostic], sources: &Sources) {
    for problem in problems {
        check_span(problem.primary.span, sources);
        problem.secondary.iter().for_each(|label| check_span(label.span, sources));
        assert!(!problem.message.is_empty(), "{problem:?}");
        assert_ne!(problem.code.as_str(), "internal/fault", "{problem:?}");
    }
}

/// Requires that everything in a value is written in its text.
#[track_caller]
pub(crate) fn check_value(value: &Value, sources: &Sources) {
    if let Some(span) = value.span {
        check_span(span, sources);
        check_span(value.head(span), sources);
    }
    match &value.data {
        Data::Array(items) => items.iter().for_each(|item| check_value(item, sources)),
        Data::Object(members) => {
            for member in members.iter() {
                member.key_span.into_iter().for_each(|span| check_span(span, sources));
                check_value(&member.value, sources);
            }
        }
        Data::Null
        | Data::Bool(_)
        | Data::Int(_)
        | Data::BigInt(_)
        | Data::Float(_)
        | Data::String(_)
        | Data::Unknown(_) => {}
    }
}
