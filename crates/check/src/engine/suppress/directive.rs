//! `#disable-next-line` and `#disable-diagnostics` of Bicep: what they suppress of our checks.
//!
//! The directives name rules of Bicep's linter and codes of its compiler. If a check or a rule of formwork reports the
//! same, they suppress it too.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/bicep/linter#silencing-false-positives>.

use std::collections::BTreeMap;

use crate::arm::SECRET_IN_NESTED_TEMPLATE;
use crate::bicep::compiler::check_of_rule;
use crate::bicep::language::SyntaxTree;
use crate::diagnostic::common_checks::{SECRET_DEFAULT, SECRET_NAME, SECRET_OUTPUT};
use crate::diagnostic::{Check, RulePattern, Suppression, SuppressionKind};
use crate::schema::checks::{
    SCHEMA_API_VERSION, SCHEMA_LENGTH, SCHEMA_MISSING_PROPERTY, SCHEMA_OLD_API_VERSION, SCHEMA_READ_ONLY,
    SCHEMA_RESOURCE_TYPE, SCHEMA_TYPE, SCHEMA_UNKNOWN_PROPERTY, SCHEMA_VALUE, SECRET_PROPERTY,
};
use crate::text::{Source, Span};

/// The diagnostics of Bicep, and the IDs of ours that report the same, besides those that are rules of its linter.
const SAME: [(&str, &[&str]); 18] = [
    ("outputs-should-not-contain-secrets", &[SECRET_OUTPUT.id()]),
    ("secure-parameter-default", &[SECRET_DEFAULT.id()]),
    ("secure-secrets-in-params", &[SECRET_NAME.id()]),
    ("secure-params-in-nested-deploy", &[SECRET_IN_NESTED_TEMPLATE.id()]),
    ("use-recent-api-versions", &[SCHEMA_OLD_API_VERSION.id()]),
    ("use-recent-az-powershell-version", &["AZ-DEPLOYMENT-005"]),
    ("use-recognized-resource-type", &[SCHEMA_RESOURCE_TYPE.id()]),
    ("use-secure-value-for-secure-inputs", &[SECRET_PROPERTY.id()]),
    ("BCP035", &[SCHEMA_MISSING_PROPERTY.id()]),
    ("BCP036", &[SCHEMA_TYPE.id(), SCHEMA_VALUE.id()]),
    ("BCP037", &[SCHEMA_UNKNOWN_PROPERTY.id()]),
    ("BCP073", &[SCHEMA_READ_ONLY.id()]),
    ("BCP081", &[SCHEMA_RESOURCE_TYPE.id(), SCHEMA_API_VERSION.id()]),
    ("BCP088", &[SCHEMA_VALUE.id()]),
    ("BCP089", &[SCHEMA_UNKNOWN_PROPERTY.id()]),
    ("BCP187", &[SCHEMA_UNKNOWN_PROPERTY.id()]),
    ("BCP333", &[SCHEMA_LENGTH.id()]),
    ("BCP334", &[SCHEMA_LENGTH.id()]),
];

/// Returns the suppressions of a file, each with the text that it covers.
pub(super) fn directives(tree: &SyntaxTree, source: &Source) -> Vec<(Suppression, Span)> {
    let mut found = Vec::new();
    // Where each name has been disabled and not restored, and what it stands for.
    let mut open: BTreeMap<String, (Vec<&str>, Span, u32)> = BTreeMap::new();
    for directive in tree.directives() {
        let text = tree.slice(directive);
        let Some((keyword, names)) = text.split_once(char::is_whitespace) else { continue };
        let next = source.position(directive.start).line + 1;
        for (name, ids) in names.split_whitespace().filter_map(|name| Some((name, same(name)?))) {
            let name = name.to_ascii_lowercase();
            match keyword {
                "#disable-next-line" => {
                    let line = source.line_range(next).map(|line| tree_span(tree, line.start, line.end));
                    found.extend(line.map(|line| (suppression(&ids, directive), line)));
                }
                "#disable-diagnostics" => {
                    open.entry(name).or_insert((ids, directive, directive.end));
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

fn between((ids, place, from): (Vec<&str>, Span, u32), to: u32) -> (Suppression, Span) {
    (suppression(&ids, place), Span::new(place.file, from, to.max(from)))
}

fn tree_span(tree: &SyntaxTree, start: usize, end: usize) -> Span {
    let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(tree.file, offset(start), offset(end))
}

/// Returns the IDs of formwork's checks and rules that report the same as a diagnostic of Bicep. `None` if there are
/// none.
pub(in crate::engine) fn same(name: &str) -> Option<Vec<&'static str>> {
    let same = SAME.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)).flat_map(|(_, ids)| *ids).copied();
    let ids: Vec<&str> = check_of_rule(name).map(Check::id).into_iter().chain(same).collect();
    (!ids.is_empty()).then_some(ids)
}

/// Returns the suppression of checks and rules.
fn suppression(ids: &[&str], place: Span) -> Suppression {
    let rules = ids.iter().map(|&id| RulePattern { text: id.to_owned(), span: place });
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
    fn a_rule_of_the_linter_may_be_a_rule_of_ours_as_well() {
        let ids = vec!["bicep/use-recent-az-powershell-version", "AZ-DEPLOYMENT-005"];
        // The version of the Azure CLI (`AZ-DEPLOYMENT-006`) is not what the rule is about.
        assert_eq!(same("Use-Recent-Az-PowerShell-Version"), Some(ids));
        assert_eq!(same("use-safe-access"), Some(vec!["bicep/use-safe-access"]));
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
