//! `no-hardcoded-env-urls`: hosts that differ between the Azure clouds.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::language::ast::{DeclarationKind, ExprKind, Text};
use crate::text::Span;
use crate::value::Value;

declare_checks! {
    pub(super) NO_HARDCODED_ENV_URLS = Lint Low "bicep/no-hardcoded-env-urls" "Bicep.HardcodedEnvironmentUrls"
        "A file should not name the hosts of one cloud"
        "Hosts such as `core.windows.net` differ between the clouds of Azure, so the deployment fails in another one."
        "Use `environment()`, or a property of the resource, such as `primaryEndpoints`.";
}

/// Hosts that files should not name. Source: `bicepconfig.json` of Bicep, <https://github.com/Azure/bicep>.
const DISALLOWED: [&str; 12] = [
    "azuredatalakeanalytics.net",
    "azuredatalakestore.net",
    "batch.core.windows.net",
    "core.windows.net",
    "database.windows.net",
    "datalake.azure.net",
    "gallery.azure.com",
    "graph.windows.net",
    "login.microsoftonline.com",
    "management.azure.com",
    "management.core.windows.net",
    "vault.azure.net",
];

/// Allowed hosts that contain a disallowed one.
const EXCLUDED: [&str; 1] = ["schema.management.azure.com"];

/// Maximum number of hosts that are read from a configuration.
const MAX_HOSTS: usize = 500;

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let disallowed = configured_hosts(file, "disallowedhosts", &DISALLOWED);
    let excluded = configured_hosts(file, "excludedhosts", &EXCLUDED);
    let mut found = Vec::new();
    for expr in &file.exprs {
        let ExprKind::Text(text) = &expr.kind else { continue };
        for part in parts(text) {
            let written = file.slice(part).to_ascii_lowercase();
            for (start, end) in matches(&written, &disallowed, &excluded) {
                let span = Span::new(part.file, part.start + start, part.start + end);
                let host = file.slice(span);
                found.push((span, format!("the host `{host}` is that of one cloud; use `environment()`")));
            }
        }
    }
    if !found.is_empty() {
        let quiet = annotations(file);
        found.retain(|(span, _)| {
            let before = quiet.partition_point(|other| other.start <= span.start).checked_sub(1);
            !before.and_then(|at| quiet.get(at)).is_some_and(|other| other.contains(*span))
        });
    }
    found
}

/// Returns the hosts of an option of the rule, or `default` if the configuration does not set it.
fn configured_hosts(file: &LintFile<'_>, option: &str, default: &[&str]) -> Vec<String> {
    match file.settings().option("no-hardcoded-env-urls", option).and_then(Value::as_array) {
        Some(own) => own.iter().take(MAX_HOSTS).filter_map(Value::as_str).map(str::to_ascii_lowercase).collect(),
        None => default.iter().map(|host| (*host).to_owned()).collect(),
    }
}

/// Returns the spans of a string's text between its interpolations.
fn parts(text: &Text) -> impl Iterator<Item = Span> {
    let file = text.span.file;
    let starts = std::iter::once(text.span.start).chain(text.values().map(|value| value.span.end));
    let ends = text.values().map(|value| value.span.start).chain([text.span.end]);
    starts.zip(ends).map(move |(start, end)| Span::new(file, start, end))
}

/// Finds disallowed hosts that are not part of an excluded one. Of overlapping hosts, only the first and longest
/// counts.
fn matches(text: &str, disallowed: &[String], excluded: &[String]) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = disallowed.iter().flat_map(|host| occurrences(text, host)).collect();
    if found.is_empty() {
        return found;
    }
    found.sort_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)));
    let mut last = 0;
    found.retain(|(start, end)| {
        let is_apart = *start >= last;
        last = if is_apart { *end } else { last };
        is_apart
    });
    let allowed: Vec<(u32, u32)> = excluded.iter().flat_map(|host| occurrences(text, host)).collect();
    let allowed = united(allowed);
    found.retain(|(start, end)| {
        let next = allowed.partition_point(|other| other.1 <= *start);
        allowed.get(next).is_none_or(|other| other.0 >= *end)
    });
    found
}

/// Sorts ranges, and merges overlapping ones.
fn united(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let is_inside = next.0 < last.1;
        if is_inside {
            last.1 = last.1.max(next.1);
        }
        is_inside
    });
    ranges
}

/// Finds a host in lowercase text, without a letter or digit before or after it.
fn occurrences(text: &str, host: &str) -> Vec<(u32, u32)> {
    if host.is_empty() {
        return Vec::new();
    }
    let starts = text.match_indices(host).map(|(at, _)| at).filter(|at| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let after = text.get(at + host.len()..).and_then(|after| after.chars().next());
        [before, after].into_iter().flatten().all(|letter| !letter.is_alphanumeric())
    });
    starts.filter_map(|at| Some((u32::try_from(at).ok()?, u32::try_from(at + host.len()).ok()?))).collect()
}

/// Returns the spans of descriptions and metadata, which no cloud evaluates, in source order.
fn annotations(file: &LintFile<'_>) -> Vec<Span> {
    let decorators = file.decorators().filter(|decorator| ["description", "metadata"].contains(&&*decorator.name.text));
    let metadata = file
        .model
        .declarations
        .iter()
        .filter(|declaration| matches!(declaration.kind, DeclarationKind::Metadata { .. }));
    let spans = decorators.map(|decorator| decorator.span).chain(metadata.map(|declaration| declaration.span));
    let mut spans: Vec<Span> = spans.collect();
    spans.sort_by_key(|span| span.start);
    spans
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::check;

    #[test]
    fn a_host_of_one_cloud_is_found_where_it_is_written() {
        check(
            "no-hardcoded-env-urls",
            "param n string
var a = 'https://${n}.BLOB.core.windows.net/x'
     //                    ^^^^^^^^^^^^^^^^ the host `core.windows.net` is that of one cloud; use `environment()`
var b = 'x.batch.core.windows.net'
     //    ^^^^^^^^^^^^^^^^^^^^^^ the host `batch.core.windows.net` is that of one cloud; use `environment()`
var c = { 'a${'vault.azure.net'}': ''' management.azure.com, graph.windows.net '''}
     //        ^^^^^^^^^^^^^^^ the host `vault.azure.net` is that of one cloud; use `environment()`
     //                                ^^^^^^^^^^^^^^^^^^^^ the host `management.azure.com` is that of one cloud; use `environment()`
     //                                                      ^^^^^^^^^^^^^^^^^ the host `graph.windows.net` is that of one cloud; use `environment()`
",
        );
    }

    #[test]
    fn hosts_in_others_that_may_be_named_are_left_alone() {
        let list = |hosts: &[&str]| hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>();
        let excluded = list(&["x.a.b", "b/a.c", "a.c/x.a"]);
        let found = super::matches("a.b x.a.b/a.c/x.a.b a.c", &list(&["a.b", "a.c"]), &excluded);
        assert_eq!(found, [(0, 3), (20, 23)]);
    }

    #[test]
    fn other_hosts_and_texts_that_no_cloud_reads_are_left_alone() {
        check(
            "no-hardcoded-env-urls",
            "metadata m = 'vault.azure.net'
@description('vault.azure.net')
@sys.metadata({ a: 'vault.azure.net' })
param n string = 'myvault.azure.net'
var a = 'https://schema.management.azure.com/schemas'
var b = 'vault.azure.network ${n} core.windows.nets'
@description('vault.azure.net')
resource r 'Microsoft.A/vault.azure.net@2020-01-01' = { name: environment().suffixes.storage }
",
        );
    }
}
