//! Values of parameters that only stand in for others: what the platform refuses of them is no fault of the template.
//!
//! An empty value in a parameter file is reported once, and not each name that is computed from it. Of a default that stands
//! in for a value, such as `""` or `YOUR_VPC`, nothing is reported: nobody is meant to deploy it.

use std::sync::Arc;

use foldhash::HashSet;

use crate::diagnostic::{Label, LabelRole, Outcome};
use crate::engine::findings::{Anchor, Checks, Draft, Property};
use crate::engine::scenarios::is_refused;
use crate::text::{Sources, Span, is_stand_in};
use crate::value::Few;

/// ID of the check for an empty value in a parameter file.
const EMPTY: &str = "parameter/empty";

/// Start of a label for the default of a parameter.
const DEFAULT: &str = "the default of parameter `";

/// Start of a label for the value of a parameter.
const GIVEN: &str = "parameter `";

/// The value of a parameter that stands in for another.
struct StandIn {
    parameter: String,
    span: Span,
    is_default: bool,
}

/// Replaces the findings of what the platform refuses of stand-ins.
pub(super) fn replace(drafts: &mut [Vec<Draft>], checks: &Checks, sources: &Sources) {
    let of_empty = checks.iter().find(|(check, _)| check.id() == EMPTY).map(|(_, selected)| &selected.info);
    let mut reported: HashSet<Span> = HashSet::default();
    for part in drafts {
        part.retain_mut(|draft| {
            // What a parameter itself requires of its value is a finding of its own.
            let is_subject =
                draft.outcome == Outcome::Failed && is_refused(&draft.rule) && !draft.rule.id.starts_with("parameter/");
            let Some(stand_in) = draft.related.iter().find_map(|label| of_label(label, sources)).filter(|_| is_subject)
            else {
                return true;
            };
            let rule = of_empty.filter(|_| !stand_in.is_default);
            let Some(rule) = rule.filter(|_| reported.insert(stand_in.span)) else { return false };
            let StandIn { parameter, span, .. } = stand_in;
            draft.rule = Arc::clone(rule);
            draft.related = Few::from(vec![Label::new(draft.span, draft.message.clone())]);
            draft.message = format!("parameter `{parameter}` is empty; expected a value");
            draft.path = format!("parameters.{parameter}");
            draft.anchor = Anchor { home: Arc::default(), property: Property::Text(draft.path.clone().into()) };
            (draft.span, draft.resource, draft.fix, draft.actual) = (span, None, None, None);
            true
        });
    }
}

/// Returns the stand-in at a label for the origin of a value.
fn of_label(label: &Label, sources: &Sources) -> Option<StandIn> {
    if label.role != LabelRole::Origin {
        return None;
    }
    let (is_default, rest) = match (label.message.strip_prefix(DEFAULT), label.message.strip_prefix(GIVEN)) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return None,
    };
    let source = sources.get(label.span.file);
    let text = source.text().get(label.span.start as usize..label.span.end as usize)?;
    // In Bicep, the text is the whole declaration.
    let text = text.rsplit_once('=').map_or(text, |(_, value)| value).trim().trim_matches(['"', '\'']);
    let stands_in = if is_default { is_stand_in(text) || is_shouted(text) } else { text.is_empty() };
    stands_in.then(|| StandIn { parameter: rest.trim_end_matches('`').to_owned(), span: label.span, is_default })
}

/// Returns `true` for several words in capitals: `YOUR_VPC_ID`.
fn is_shouted(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    text.contains('_') && text.starts_with(|c: char| c.is_ascii_uppercase()) && text.split('_').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_leads_to_what_stands_in_for_a_value() {
        let sources = Sources::new();
        let check = |text: &str, message: &str| {
            let file = sources.add("a", text);
            let span = Span::new(file, 0, u32::try_from(text.len()).unwrap());
            let found = of_label(&Label::origin(span, message.to_owned()), &sources);
            found.map(|found| (found.parameter, found.is_default))
        };
        let (given, default) = ("parameter `p`", "the default of parameter `p`");
        assert_eq!(check("\"\"", given), Some(("p".to_owned(), false)));
        assert_eq!(check("\"NA\"", given), None);
        for text in ["\"\"", "NA", "'YOUR_VPC_ID'", "SECURITY_GROUP", "param p string = ''", "vpc-00000000"] {
            assert_eq!(check(text, default), Some(("p".to_owned(), true)), "{text}");
        }
        for text in ["\"a\"", "SUBNET", "a_b", "_A", "0.0.0.0/0"] {
            assert_eq!(check(text, default), None, "{text}");
        }
        assert_eq!(check("\"\"", "variable `p`"), None);
    }
}
