//! Names that differ only in case. Resource Manager and its providers do not distinguish them, and the choice among
//! their values is undefined.

use foldhash::HashMap;

use crate::checks::name_span;
use crate::diagnostic::{Code, Diagnostic};
use crate::eval::World;
use crate::model::Document;
use crate::text::Span;
use crate::value::{Data, Member, Object, Value};

/// Properties whose members have names that the author chooses, in lower case. Programs that read them may distinguish
/// names by case.
const MAPS: &[&str] = &[
    "annotations",
    "appsettings",
    "connectionstrings",
    "environmentvariables",
    "functionappsettings",
    "headers",
    "labels",
    "metadata",
    "tags",
];

/// Reports the names in the resources of a deployment that differ only in case.
pub(super) fn check_ambiguous_names(document: &Document, world: &World<'_>) {
    for resource in &document.resources {
        let is_settings = is_map(resource.name.rsplit('/').next().unwrap_or_default());
        walk(world, &resource.body, is_settings);
    }
}

fn is_map(name: &str) -> bool {
    MAPS.iter().any(|map| map.eq_ignore_ascii_case(name))
}

/// Reports the names in a body and everything in it. With `is_settings`, its `properties` are settings of a site, whose
/// names the author chooses.
fn walk(world: &World<'_>, body: &Value, is_settings: bool) {
    let mut open = vec![(body, false, body.span)];
    while let Some((value, is_map_of_author, outer)) = open.pop() {
        let span = value.span.or(outer);
        match &value.data {
            Data::Array(items) => open.extend(items.iter().map(|item| (item, false, span))),
            Data::Object(object) => {
                if !is_map_of_author {
                    report(world, object, span);
                }
                let is_settings = |key: &str| is_settings && key.eq_ignore_ascii_case("properties");
                open.extend(object.iter().map(|member| {
                    let is_map_of_author = is_map(&member.key) || is_settings(&member.key);
                    (&member.value, is_map_of_author, span)
                }));
            }
            _ => {}
        }
    }
}

/// Reports the members of an object whose names differ only in case, at their names or else at `span`.
pub(super) fn report(world: &World<'_>, object: &Object, span: Option<Span>) {
    // A name may be computed from a secret.
    for problem in problems(object, span, |name| world.masked(name).into_owned()) {
        world.report(problem);
    }
}

/// Returns the problems with members of an object whose names differ only in case, at their names or else at `span`.
/// `shown` converts a name to the form that a message may show.
pub(crate) fn problems(object: &Object, span: Option<Span>, shown: impl Fn(&str) -> String) -> Vec<Diagnostic> {
    let pairs = pairs(object).into_iter();
    let problem = |(first, again): (&Member, &Member)| {
        let at = name_span(again).or(span)?;
        let message = format!(
            "`{}` and `{}` differ only in case, and Resource Manager treats them as one name",
            shown(&again.key),
            shown(&first.key)
        );
        let problem =
            Diagnostic::new(Code::TemplateAmbiguous, at, message).with_help("keep only the one that is meant");
        let label = name_span(first).filter(|span| *span != at);
        Some(match label {
            Some(label) => problem.with_label(label, "the other one is here"),
            None => problem,
        })
    };
    pairs.filter_map(problem).collect()
}

/// Returns each member whose name differs from an earlier one only in case, together with the earlier one.
fn pairs(object: &Object) -> Vec<(&Member, &Member)> {
    // Most objects have few members, and names of different lengths.
    const FEW: usize = 16;
    let is_other = |a: &Member, b: &Member| a.key != b.key && a.key.eq_ignore_ascii_case(&b.key);
    if object.len() <= FEW {
        let earlier = |at: usize, member: &Member| object.iter().take(at).find(|first| is_other(first, member));
        return object.iter().enumerate().filter_map(|(at, member)| Some((earlier(at, member)?, member))).collect();
    }
    let mut firsts: HashMap<String, &Member> = HashMap::default();
    let paired = object.iter().filter_map(|member| {
        let first = *firsts.entry(member.key.to_ascii_lowercase()).or_insert(member);
        is_other(first, member).then_some((first, member))
    });
    paired.collect()
}
