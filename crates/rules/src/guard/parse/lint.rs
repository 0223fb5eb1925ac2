//! Looks up the types and properties in a ruleset. A rule about one that does not exist never applies, or always fails.

use crate::diagnostic::Diagnostic;
use crate::guard::ast::{Comparison, RuleNode};
use crate::guard::parse::fault::Fault;
use crate::guard::parse::read;
use crate::guard::path::{Root, Segment};
use crate::schema::{Known, PathPart, look_up};
use crate::text::{FileId, Suggestions};

/// Returns the warnings about a ruleset without errors.
pub fn lint(file: FileId, text: &str) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let suggestions = Suggestions::default();
    let lines = read(text, &mut Vec::new());
    for rule in lines.clauses.iter().flat_map(|line| &line.clause.rules) {
        self::rule(rule, &suggestions, &mut faults);
    }
    let mut warnings: Vec<Diagnostic> = faults.into_iter().map(|fault| fault.into_diagnostic(file)).collect();
    warnings.dedup();
    warnings
}

fn rule<'a>(rule: &RuleNode<'a>, suggestions: &Suggestions, faults: &mut Vec<Fault<'a>>) {
    let written = rule.type_name.text;
    let names = names(written);
    let mut first = None;
    let possible = names.iter().find(|name| {
        let known = look_up(name, &[], suggestions);
        let is_possible = known == Known::Possible;
        first.get_or_insert(known);
        is_possible
    });
    let Some(type_name) = possible else {
        if let Some(Known::NoType(hint)) = first {
            faults.push(Fault::suspicious(rule.type_name, format!("there is no resource type `{written}`{hint}")));
        }
        return;
    };

    let comparisons = rule.condition.iter().map(|condition| &condition.comparison).chain([&rule.check]);
    for comparison in comparisons {
        if let Known::NoProperty(part, hint) = look_up(type_name, &parts(comparison), suggestions) {
            let message = format!("no resource of type `{type_name}` has {part} there{hint}");
            faults.push(Fault::suspicious(comparison.path_text, message));
        }
    }
}

/// Greatest number of parts in the name of a provider.
const MAX_PROVIDER: usize = 8;

/// Returns the types that a type in the notation of rulesets may mean: `Microsoft.Web/sites/config` for
/// `Microsoft::Web::sites::config`, and others, since a provider's name may have more parts.
fn names(written: &str) -> Vec<String> {
    let parts: Vec<&str> = written.split("::").collect();
    if !parts.first().is_some_and(|first| first.eq_ignore_ascii_case("Microsoft")) {
        return vec![written.to_owned()];
    }
    let splits = (2..parts.len().min(MAX_PROVIDER)).filter_map(|at| parts.split_at_checked(at));
    splits.map(|(provider, kind)| format!("{}/{}", provider.join("."), kind.join("/"))).collect()
}

/// Returns the path from the resource.
fn parts<'a>(comparison: &'a Comparison<'_>) -> Vec<PathPart<'a>> {
    let path = &comparison.path;
    let root = (path.root == Root::Properties).then_some(PathPart::Name("properties"));
    let mut parts: Vec<PathPart<'_>> = root.into_iter().collect();
    for segment in &path.segments {
        parts.push(match segment {
            // It may also be a member whose name is a number.
            Segment::Name { index: Some(_), .. } | Segment::Any => PathPart::Any,
            Segment::Name { key, index: None } => PathPart::Name(key),
            Segment::Prefix(_) | Segment::Empty => break,
        });
    }
    parts
}
