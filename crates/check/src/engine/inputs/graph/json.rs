//! The references of templates in JSON or YAML, of parameter files, and of `bicepconfig.json`.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use crate::cfn::{environments, include_location};
use crate::engine::detect::is_sam_config;
use crate::engine::inputs::graph::bicep::CONFIGURATION;
use crate::engine::inputs::graph::{Edge, Relation};
use crate::engine::inputs::layout::around;
use crate::engine::inputs::link::candidates;
use crate::engine::inputs::store::Store;
use crate::engine::inputs::urls::{Urls, root_of};
use crate::engine::parse::Reading;
use crate::files::{Fence, Folders};
use crate::path::normalize;
use crate::text::Sources;
use crate::value::{Data, Value};

/// Matches templates that may link to other files. No other template needs to be parsed.
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?i:(?:template|parameters)link["'])|TemplateURL|AWS::Serverless::Application|AWS::Include"#)
});

/// A string literal in an expression.
static LITERAL: LazyLock<Regex> = LazyLock::new(|| pattern("'((?:[^']|'')*)'"));

#[expect(clippy::expect_used, reason = "the patterns are literals that tests compile")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is valid")
}

/// Returns the references of a file. `roots` are the folders to search for the template of a parameter file.
pub(super) fn edges(path: &Path, store: &Store<'_>, roots: &[PathBuf]) -> Vec<Edge> {
    let mut edges = store.peek(path, |text| {
        let Some((text, kept)) = text else { return by_name(&store.fence, path) };
        let folder = path.parent().unwrap_or(path);
        let places =
            Places { urls: &store.urls, root: root_of(folder, roots, &store.folders), folder, folders: &store.folders };
        named_by(path, text, roots, &places, || {
            if let Some(file) = kept {
                return store.reading(path, file, |reading| reading.choose(false).value.clone());
            }
            // No span is used of a source that is not kept, so it needs no id in the run.
            let file = Sources::new().add("", text.clone());
            Reading::parse(path, file, text, store.limits.nesting).choose(false).value.clone()
        })
    });
    let of_settings = store.template_of(path).map(Path::to_path_buf);
    edges.extend(of_settings.map(|template| Edge::file(Relation::Parameters, template)));
    edges
}

/// Returns the references in a text. It is parsed only if it may contain any besides those by name.
fn named_by(
    path: &Path,
    text: &str,
    roots: &[PathBuf],
    places: &Places<'_>,
    parse: impl FnOnce() -> Option<Value>,
) -> Vec<Edge> {
    if is_sam_config(path) {
        return parse().map_or_else(Vec::new, |config| of_sam_config(path, text, &config));
    }
    let mut edges = by_name(places.folders.fence(), path);
    if text.contains("\"_generator\"") {
        edges.push(Edge::file(Relation::Output, path.with_extension("bicep")));
    }
    let is_configuration = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(CONFIGURATION));
    let is_linking = LINK.is_match(text);
    let may_be_parameters = text.contains("arameters.json");
    if !is_linking && !is_configuration && !may_be_parameters {
        return edges;
    }
    let Some(value) = parse() else { return edges };
    let folder = path.parent().unwrap_or(path);
    if is_configuration {
        let base = value.get("extends").and_then(Value::as_str);
        edges.extend(base.map(|base| Edge::file(Relation::Extends, normalize(folder, Path::new(base)))));
    }
    let named = value.get("metadata").and_then(|metadata| metadata.get("template")).and_then(Value::as_str);
    edges.extend(named.into_iter().flat_map(|name| by_metadata(name, roots, places)));
    if is_linking {
        linked(&value, places, &mut edges);
    }
    edges
}

/// Returns the templates that a parameter file may belong to by its name: beside it, and else near it.
fn by_name(fence: &Fence<'_>, path: &Path) -> Vec<Edge> {
    let mut templates = candidates(path);
    if !templates.iter().any(|template| fence.is_file(template)) {
        templates.extend(around(fence, path));
    }
    templates.into_iter().map(|template| Edge::file(Relation::Parameters, template)).collect()
}

/// Returns the templates that the environments in settings of the AWS SAM CLI may belong to, if there are any.
fn of_sam_config(path: &Path, text: &str, config: &Value) -> Vec<Edge> {
    let environments = config.span.map_or_else(Vec::new, |span| environments(config, span.file, text));
    if environments.is_empty() {
        return Vec::new();
    }
    let folder = path.parent().unwrap_or(path);
    let names = environments.iter().flat_map(|environment| &environment.templates);
    let named = names.map(|name| normalize(folder, Path::new(name)));
    named.chain(candidates(path)).map(|template| Edge::file(Relation::Parameters, template)).collect()
}

/// Returns the files that `metadata.template` of a parameter file may refer to, one for each folder that it may be
/// relative to.
fn by_metadata(name: &str, roots: &[PathBuf], places: &Places<'_>) -> Vec<Edge> {
    let text = name.replace('\\', "/");
    let is_relative = text.starts_with("./") || text.starts_with("../");
    let relative = Path::new(text.trim_start_matches('/'));
    let folder = places.folder;
    let repository = places.folders.repository_of(folder);
    let starts: Vec<&Path> = if is_relative {
        vec![folder]
    } else {
        roots.iter().map(PathBuf::as_path).chain(repository.as_deref()).collect()
    };
    starts.into_iter().map(|start| Edge::file(Relation::Parameters, normalize(start, relative))).collect()
}

/// Locations of the files that a template may link to.
struct Places<'a> {
    urls: &'a Urls<'a>,
    /// The root of the repository.
    root: PathBuf,
    /// The folder of the template.
    folder: &'a Path,
    folders: &'a Folders<'a>,
}

/// Maximum number of URLs of folders in one template that are combined with its paths.
const MAX_BASES: usize = 8;

/// Adds the files that links may refer to. Links are often computed from parameters and variables, so this includes
/// every string that ends like the name of a template, wherever it is.
fn linked(value: &Value, places: &Places<'_>, edges: &mut Vec<Edge>) {
    let mut literals = Vec::new();
    collect(value, &mut literals);
    included(value, places.folder, edges);
    let bases = literals.iter().filter(|text| text.contains("://") && !is_template(text)).take(MAX_BASES);
    let bases: Vec<&str> = bases.map(|text| text.trim_end_matches('/')).collect();
    for text in &literals {
        edges.extend(links(text, places));
        if is_template(text) && !text.contains("://") {
            let of_base = |base: &&str| format!("{base}/{}", text.trim_start_matches('/'));
            let urls = bases.iter().map(of_base);
            let files = urls.filter_map(|url| places.urls.find(&places.root, places.folder, &url));
            edges.extend(files.map(|named| Edge::file(Relation::Link, named.path)));
        }
    }
}

/// Adds the files of `AWS::Include`, which may have any name.
fn included(value: &Value, folder: &Path, edges: &mut Vec<Edge>) {
    for member in value.as_object().into_iter().flatten() {
        let location = include_location(member).filter(|location| !location.contains("://"));
        edges.extend(location.map(|path| Edge::file(Relation::Link, normalize(folder, Path::new(path)))));
        included(&member.value, folder, edges);
    }
    value.as_array().into_iter().flatten().for_each(|item| included(item, folder, edges));
}

/// Collects the strings of a template, and the string literals in its expressions.
fn collect<'a>(value: &'a Value, literals: &mut Vec<&'a str>) {
    match &value.data {
        Data::String(text) if text.starts_with('[') && text.ends_with(']') => {
            literals.extend(LITERAL.captures_iter(text).filter_map(|found| found.get(1)).map(|found| found.as_str()));
        }
        Data::String(text) => literals.push(text),
        Data::Array(items) => items.iter().for_each(|item| collect(item, literals)),
        Data::Object(members) => members.iter().for_each(|member| collect(&member.value, literals)),
        _ => {}
    }
}

/// Returns `true` if the extension of a path is one that templates have.
fn is_template(path: &str) -> bool {
    const OURS: [&str; 4] = ["json", "yaml", "yml", "template"];
    path.rsplit_once('.').is_some_and(|(_, end)| OURS.iter().any(|ours| end.eq_ignore_ascii_case(ours)))
}

/// Returns the edges for a string that is the path or the URL of a template. A query or fragment, such as an access
/// token, is ignored.
fn links(text: &str, places: &Places<'_>) -> Vec<Edge> {
    let Places { urls, root, folder, .. } = places;
    let path = text.split(['?', '#']).next().unwrap_or(text).replace('\\', "/");
    let path = path.strip_prefix("file:").unwrap_or(&path).trim_start_matches('/');
    let files = if path.contains("://") {
        // Azure DevOps has the path in the query.
        if is_template(path) || text.contains('?') { urls.possible(root, folder, text) } else { Vec::new() }
    } else if is_template(path) && path.starts_with(['.', '-', '_']) && !path.contains('/') {
        let mut files = urls.ending(folder, path);
        files.push(normalize(folder, Path::new(path)));
        files
    } else if is_template(path) && !path.contains(':') {
        let mut files = urls.around(root, folder, path);
        files.push(normalize(folder, Path::new(path)));
        files
    } else {
        Vec::new()
    };
    files.into_iter().map(|file| Edge::file(Relation::Link, file)).collect()
}

#[cfg(test)]
mod tests {
    use arcstr::ArcStr;

    use super::*;
    use crate::files::Disk;
    use crate::text::Sources;

    #[track_caller]
    fn check(name: &str, text: &str, expected: &[(&str, &str)]) {
        let text: ArcStr = text.into();
        let id = Sources::new().add("x", text.clone());
        let path = Path::new("/r/infra").join(name);
        let parse = || Reading::parse(&path, id, &text, 64).choose(false).value.clone();
        let roots = [PathBuf::from("/r")];
        let (root, folder, folders) =
            (PathBuf::from("/r"), Path::new("/r/infra"), &Folders::new(Fence::of_user(&Disk)));
        let places = Places { urls: &Urls::new(Fence::of_user(&Disk)), root, folder, folders };
        let edges = named_by(&path, &text, &roots, &places, parse);
        let found: Vec<(&str, &str)> =
            edges.iter().map(|edge| (edge.relation.verb(), edge.to.to_str().unwrap())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn links_are_found_however_they_are_put_together() {
        let properties = |uri: &str| format!(r#"{{"variables": {{"u": "{uri}"}}, "x": {{"templateLink": {{}}}}}}"#);
        let nested: &[_] = &[("links to", "/r/infra/nested/a.json")];
        check("main.json", &properties("nested/a.json"), nested);
        check("main.json", &properties(r".\\nested\\a.json"), nested);
        check("main.json", &properties("[uri(deployment().properties.templateLink.uri, 'nested/a.json')]"), nested);
        check("main.json", &properties("[concat(variables('base'), '/nested/a.json?', parameters('sas'))]"), nested);
        check("main.json", &properties("https://example.org/a.json"), &[]);
        let copy = "https://raw.githubusercontent.com/org/repo/main/infra/nested/a.json?token";
        check("main.json", &properties(copy), nested);
        check("main.json", r#"{"variables": {"u": "a.json"}}"#, &[]);
        let lower = r#"{"PARAMETERSLINK": {"uri": "p.json"}}"#;
        check("main.json", lower, &[("links to", "/r/infra/p.json")]);
    }

    #[test]
    fn a_parameter_file_names_all_that_may_be_its_template() {
        let names = ["x.json", "x.jsonc", "x.bicep", "x.yaml", "x.yml", "x.template", "x.arm", "x.cfn"];
        let expected = names.map(|name| format!("/r/infra/{name}"));
        let expected: Vec<(&str, &str)> = expected.iter().map(|name| ("has parameters for", name.as_str())).collect();
        check("x.parameters.json", "{}", &expected);
        let text = |template: &str| {
            format!(r#"{{"$schema": "deploymentParameters.json#", "metadata": {{"template": "{template}"}}}}"#)
        };
        check("p.json", &text("../main.json"), &[("has parameters for", "/r/main.json")]);
        check("p.json", &text("infra/main.bicep"), &[("has parameters for", "/r/infra/main.bicep")]);
    }

    #[test]
    fn stacks_are_nested_by_links() {
        let stack = |url: &str| {
            format!("Resources:\n  N:\n    Type: AWS::CloudFormation::Stack\n    Properties: {{TemplateURL: {url}}}")
        };
        check("main.yaml", &stack("./nested/a.yaml"), &[("links to", "/r/infra/nested/a.yaml")]);
        check("main.template", &stack("../a.template"), &[("links to", "/r/a.template")]);
        check("main.yml", &stack("https://s3.amazonaws.com/b/a.yaml"), &[]);
    }

    #[test]
    fn a_stack_includes_files_of_any_name() {
        let call = |location: &str| {
            format!("Resources:\n  R: {{P: !Transform {{Name: AWS::Include, Parameters: {{Location: {location}}}}}}}")
        };
        check("main.yaml", &call("parts/a.snippet"), &[("links to", "/r/infra/parts/a.snippet")]);
        check("main.yaml", &call("s3://bucket/a.snippet"), &[]);
    }

    #[test]
    fn a_configuration_may_extend_another() {
        check(CONFIGURATION, r#"{"extends": "../base.json" /* ours */}"#, &[("extends", "/r/base.json")]);
    }
}
