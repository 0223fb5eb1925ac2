//! `#disable-next-line` and `#disable-diagnostics` of Bicep: what they suppress of our checks.
//!
//! The directives name rules of Bicep's linter and codes of its compiler. If a check or a rule of formwork reports the
//! same, they suppress it too.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/bicep/linter#silencing-false-positives>.

use std::collections::BTreeMap;

use crate::bicep::language::SyntaxTree;
use crate::diagnostic::{RulePattern, Suppression, SuppressionKind};
use crate::engine::counterparts::same;
use crate::text::{Source, Span};

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
        for name in ["adminusername-should-not-be-literal", "max-outputs", "max-params", "max-resources"] {
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
