//! `#disable-next-line` and `#disable-diagnostics` of Bicep: what they suppress of our checks.
//!
//! They name rules of Bicep's linter and codes of its compiler. Those that say what one of our checks says suppress it, too.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/bicep/linter#silencing-false-positives>.

use std::collections::BTreeMap;

use crate::bicep::language::SyntaxTree;
use crate::diagnostic::{Check, RulePattern, Suppression, SuppressionKind};
use crate::text::{Source, Span};

/// The diagnostics of Bicep, and our checks that report the same. Those that are rules of its linter have its names.
const SAME: [(&str, &[Check]); 19] = [
    ("no-unused-params", &[Check::UnusedParameter]),
    ("no-unused-vars", &[Check::UnusedVariable]),
    ("outputs-should-not-contain-secrets", &[Check::SecretOutput]),
    ("secure-parameter-default", &[Check::SecretDefault]),
    ("secure-secrets-in-params", &[Check::SecretName]),
    ("secure-params-in-nested-deploy", &[Check::SecretInNestedTemplate]),
    ("use-recent-api-versions", &[Check::SchemaOldApiVersion]),
    ("use-recognized-resource-type", &[Check::SchemaResourceType]),
    ("use-secure-value-for-secure-inputs", &[Check::SecretProperty]),
    ("BCP035", &[Check::SchemaMissingProperty]),
    ("BCP036", &[Check::SchemaType, Check::SchemaValue]),
    ("BCP037", &[Check::SchemaUnknownProperty]),
    ("BCP073", &[Check::SchemaReadOnly]),
    ("BCP081", &[Check::SchemaResourceType, Check::SchemaApiVersion]),
    ("BCP088", &[Check::SchemaValue]),
    ("BCP089", &[Check::SchemaUnknownProperty]),
    ("BCP187", &[Check::SchemaUnknownProperty]),
    ("BCP333", &[Check::SchemaLength]),
    ("BCP334", &[Check::SchemaLength]),
];

/// The suppressions of a file, each with the text that it covers.
pub(super) fn directives(tree: &SyntaxTree, source: &Source) -> Vec<(Suppression, Span)> {
    let mut found = Vec::new();
    // Where each name has been disabled and not restored, and its checks.
    let mut open: BTreeMap<String, (&[Check], Span, u32)> = BTreeMap::new();
    for directive in tree.directives() {
        let text = tree.slice(directive);
        let Some((keyword, names)) = text.split_once(char::is_whitespace) else { continue };
        let next = source.position(directive.start).line + 1;
        for (name, checks) in names.split_whitespace().filter_map(|name| Some((name, same(name)?))) {
            let name = name.to_ascii_lowercase();
            match keyword {
                "#disable-next-line" => {
                    let line = source.line_range(next).map(|line| tree_span(tree, line.start, line.end));
                    found.extend(line.map(|line| (suppression(checks, directive), line)));
                }
                "#disable-diagnostics" => {
                    open.entry(name).or_insert((checks, directive, directive.end));
                }
                "#restore-diagnostics" => {
                    found.extend(open.remove(&name).map(|from| between(from, directive.start)));
                }
                _ => {}
            }
        }
    }
    let end = u32::try_from(tree.text.len()).unwrap_or(u32::MAX);
    found.extend(open.into_values().map(|from| between(from, end)));
    found
}

fn between((checks, place, from): (&[Check], Span, u32), to: u32) -> (Suppression, Span) {
    (suppression(checks, place), Span::new(place.file, from, to.max(from)))
}

fn tree_span(tree: &SyntaxTree, start: usize, end: usize) -> Span {
    let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(tree.file, offset(start), offset(end))
}

/// The checks of ours that say what a diagnostic of Bicep says. `None` if there are none.
fn same(name: &str) -> Option<&'static [Check]> {
    let is_named = |check: &&Check| check.linter_rule().is_some_and(|rule| rule.eq_ignore_ascii_case(name));
    let same = SAME.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, checks)| *checks);
    same.or_else(|| Check::ALL.iter().find(is_named).map(std::slice::from_ref))
}

/// The suppression of checks.
fn suppression(checks: &[Check], place: Span) -> Suppression {
    let rules = checks.iter().map(|check| RulePattern { text: check.id().to_owned(), span: place });
    let (kind, rules) = (SuppressionKind::Comment, rules.collect());
    Suppression { kind, rules, reason: None, until: None, place, is_foreign: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bicep::language;
    use crate::text::Sources;

    #[test]
    fn what_says_more_or_is_said_of_no_line_is_not_suppressed() {
        // A credential may be a password as well, and the limits are those of the template.
        for name in ["adminusername-should-not-be-literal", "max-asserts", "max-outputs", "max-params", "max-resources"]
        {
            assert!(same(name).is_none(), "{name}");
        }
    }

    #[test]
    fn directives_cover_the_next_line_or_all_up_to_the_next_one() {
        let text = "#disable-next-line no-unused-params no-hardcoded-env-urls no-such-rule\nparam a int\n#disable-diagnostics bcp037\nb\n\
            #disable-diagnostics BCP037\n#restore-diagnostics BCP037\nc\n#disable-diagnostics no-unused-vars // all\nd\n";
        let sources = Sources::new();
        let file = sources.add("main.bicep", text);
        let source = sources.get(file);
        let tree = language::parse(file, source.text());
        let shown = directives(&tree, &source).into_iter().map(|(suppression, span)| {
            let rules: Vec<&str> = suppression.rules.iter().map(|rule| rule.text.as_str()).collect();
            format!("{} {:?}", rules.join(" "), tree.slice(span))
        });
        let expected = [
            r#"parameter/unused "param a int""#,
            r#"bicep/no-hardcoded-env-urls "param a int""#,
            r#"schema/unknown-property "\nb\n#disable-diagnostics BCP037\n""#,
            r#"variable/unused "// all\nd\n""#,
        ];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }
}
