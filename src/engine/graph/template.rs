//! What a template in JSON or YAML, a parameter file or a `bicepconfig.json` names.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use regex::Regex;

use crate::engine::graph::bicep::CONFIGURATION;
use crate::engine::graph::{Edge, Relation};
use crate::engine::link::candidates;
use crate::engine::parse::read;
use crate::files::{normalize, repository_of};
use crate::model::Limits;
use crate::text::FileId;
use crate::value::{Data, Value};

/// Without one of these a template names no other file, and need not be parsed.
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i:(?:template|parameters)link["'])|TemplateURL|AWS::Serverless::Application"#)
        .expect("the pattern is valid")
});

/// A literal in an expression.
static LITERAL: LazyLock<Regex> = LazyLock::new(|| Regex::new("'((?:[^']|'')*)'").expect("the pattern is valid"));

/// What the text of the file at `path` names. `roots` are where the template of a parameter file is looked for.
pub(super) fn edges(path: &Path, id: FileId, text: &Arc<str>, roots: &[PathBuf], limits: &Limits) -> Vec<Edge> {
    let mut edges = by_name(path);
    let is_configuration = path.file_name().is_some_and(|it| it.eq_ignore_ascii_case(CONFIGURATION));
    let is_linking = LINK.is_match(text);
    let may_be_parameters = text.contains("arameters.json");
    if !is_linking && !is_configuration && !may_be_parameters {
        return edges;
    }
    let Some(value) = read(path, false, id, text, limits.nesting).value else { return edges };
    let folder = path.parent().unwrap_or(path);
    if is_configuration {
        let base = value.get("extends").and_then(Value::as_str);
        edges.extend(base.map(|it| Edge::file(Relation::Extends, normalize(folder, Path::new(it)))));
    }
    let named = value.get("metadata").and_then(|it| it.get("template")).and_then(Value::as_str);
    edges.extend(named.into_iter().flat_map(|it| by_metadata(it, folder, roots)));
    if is_linking {
        linked(&value, folder, &mut edges);
    }
    edges
}

/// The templates that a parameter file may belong to by its name.
pub(super) fn by_name(path: &Path) -> Vec<Edge> {
    candidates(path).into_iter().map(|it| Edge::file(Relation::Parameters, it)).collect()
}

/// `metadata.template` of a parameter file, in all the places where it is looked for.
fn by_metadata(name: &str, folder: &Path, roots: &[PathBuf]) -> Vec<Edge> {
    let text = name.replace('\\', "/");
    let is_relative = text.starts_with("./") || text.starts_with("../");
    let relative = Path::new(text.trim_start_matches('/'));
    let repository = repository_of(folder);
    let starts: Vec<&Path> = if is_relative {
        vec![folder]
    } else {
        roots.iter().map(PathBuf::as_path).chain(repository.as_deref()).collect()
    };
    starts.into_iter().map(|it| Edge::file(Relation::Parameters, normalize(it, relative))).collect()
}

/// The files that links may lead to. A link is often put together from parameters and variables, so every text counts
/// that ends like the name of a template, wherever it stands.
fn linked(value: &Value, folder: &Path, edges: &mut Vec<Edge>) {
    match &value.data {
        Data::String(text) if text.starts_with('[') && text.ends_with(']') => {
            let literals = LITERAL.captures_iter(text).filter_map(|it| it.get(1));
            edges.extend(literals.filter_map(|it| link(it.as_str(), folder)));
        }
        Data::String(text) => edges.extend(link(text, folder)),
        Data::Array(items) => items.iter().for_each(|it| linked(it, folder, edges)),
        Data::Object(members) => members.iter().for_each(|it| linked(&it.value, folder, edges)),
        _ => {}
    }
}

/// A path of a template; access tokens are put behind the URI of one.
fn link(text: &str, folder: &Path) -> Option<Edge> {
    const OURS: [&str; 4] = ["json", "yaml", "yml", "template"];
    let path = text.split(['?', '#']).next().unwrap_or(text).replace('\\', "/");
    let path = path.strip_prefix("file:").unwrap_or(&path).trim_start_matches('/');
    let extension = Path::new(path).extension()?;
    let is_ours = OURS.iter().any(|it| extension.eq_ignore_ascii_case(it));
    (is_ours && !path.contains(':')).then(|| Edge::file(Relation::Link, normalize(folder, Path::new(path))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sources;

    #[track_caller]
    fn check(name: &str, text: &str, expected: &[(&str, &str)]) {
        let text: Arc<str> = text.into();
        let id = Sources::new().add("x", Arc::clone(&text));
        let path = Path::new("/r/infra").join(name);
        let edges = edges(&path, id, &text, &[PathBuf::from("/r")], &Limits::default());
        let found: Vec<(&str, &str)> = edges.iter().map(|it| (it.relation.verb(), it.to.to_str().unwrap())).collect();
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
        check("main.json", r#"{"variables": {"u": "a.json"}}"#, &[]);
        let lower = r#"{"PARAMETERSLINK": {"uri": "p.json"}}"#;
        check("main.json", lower, &[("links to", "/r/infra/p.json")]);
    }

    #[test]
    fn a_parameter_file_names_all_that_may_be_its_template() {
        let expected = ["x.json", "x.jsonc", "x.bicep"].map(|it| format!("/r/infra/{it}"));
        let expected: Vec<(&str, &str)> = expected.iter().map(|it| ("has parameters for", it.as_str())).collect();
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
    fn a_configuration_may_extend_another() {
        check(CONFIGURATION, r#"{"extends": "../base.json" /* ours */}"#, &[("extends", "/r/base.json")]);
    }
}
