//! What a Bicep file names.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use regex::Regex;

use crate::bicep::reader::{self, DeclarationKind, Range};
use crate::config::{normalize, repository_of};
use crate::engine::graph::{Edge, Relation};
use crate::text::FileId;

/// The name of the configuration of the compiler.
pub(super) const CONFIGURATION: &str = "bicepconfig.json";

/// `loadTextContent('file')` and its like. The compiler takes nothing but a literal there. What stands in a comment is
/// found as well, which does no harm.
static LOAD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(load[A-Z]\w*)\s*\(\s*('(?:[^'\\\r\n]|\\.)*')").expect("the pattern is valid"));

/// What stands before the name of something that is in a registry.
const REMOTE: [&str; 4] = ["br:", "br/", "ts:", "ts/"];

/// What the text of a file in `folder` names.
pub(super) fn edges(id: FileId, text: &Arc<str>, folder: &Path) -> Vec<Edge> {
    let (file, _) = reader::read(id, text);
    let mut edges = Vec::new();
    for declaration in &file.declarations {
        let relation = match declaration.kind {
            DeclarationKind::Module => Relation::Module,
            DeclarationKind::Import => Relation::Import,
            DeclarationKind::Using => Relation::Parameters,
            DeclarationKind::Extends => Relation::Extends,
            DeclarationKind::Test => Relation::Test,
            DeclarationKind::Extension => Relation::Extension,
            _ => continue,
        };
        let target = declaration.target.filter(|it| file.slice(*it).starts_with('\''));
        let Some(target) = target.and_then(|it| file.word(it)) else { continue };
        let is_remote = REMOTE.iter().any(|it| target.starts_with(it));
        // An extension is the name of one, or a path that begins with a dot.
        let is_file = declaration.kind != DeclarationKind::Extension || target.starts_with('.');
        if !is_remote && is_file {
            edges.push(Edge::file(relation, normalize(folder, Path::new(&*target))));
        }
    }
    edges.extend(LOAD.captures_iter(text).filter_map(|it| {
        let literal = it.get(2)?;
        let at = |offset| u32::try_from(offset).ok();
        let name = file.word(Range::new(at(literal.start())?, at(literal.end())?))?;
        let is_folder = it[1].starts_with("loadDirectory");
        Some(Edge { relation: Relation::Load, to: normalize(folder, Path::new(&*name)), is_folder })
    }));
    edges.extend(configurations(folder));
    edges
}

/// The configuration that counts for the files of a folder is the nearest one above them. Those that are nearer and
/// not there would count if they were.
fn configurations(folder: &Path) -> Vec<Edge> {
    let top = repository_of(folder);
    let mut edges = Vec::new();
    for folder in folder.ancestors() {
        let path = folder.join(CONFIGURATION);
        let is_there = path.is_file();
        edges.push(Edge::file(Relation::Configuration, path));
        if is_there || top.as_deref() == Some(folder) {
            break;
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sources;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let text: Arc<str> = text.into();
        let edges = edges(Sources::new().add("x", Arc::clone(&text)), &text, Path::new("/r/infra"));
        let found: Vec<(&str, &str)> = edges
            .iter()
            .filter(|it| it.relation != Relation::Configuration)
            .map(|it| (it.relation.verb(), it.to.to_str().unwrap()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn declarations_name_files() {
        check("module m 'modules/a.bicep' = {}", &[("uses", "/r/infra/modules/a.bicep")]);
        check("module m '../m.json' = [for i in x: { }]", &[("uses", "/r/m.json")]);
        check("import { t } from './types.bicep'", &[("imports", "/r/infra/types.bicep")]);
        check("import * as t from 'types.bicep'", &[("imports", "/r/infra/types.bicep")]);
        check("using 'main.bicep'", &[("has parameters for", "/r/infra/main.bicep")]);
        check("using none\nextends '../base.bicepparam'", &[("extends", "/r/base.bicepparam")]);
        check("test t 'main.bicep' = {}", &[("tests", "/r/infra/main.bicep")]);
        check("extension './x.tgz' as x", &[("runs", "/r/infra/x.tgz")]);
        check(r"module m 'it\'s.bicep' = {}", &[("uses", "/r/infra/it's.bicep")]);
    }

    #[test]
    fn what_is_elsewhere_is_no_file() {
        for text in [
            "module m 'br:x.azurecr.io/m:1' = {}",
            "module m 'br/public:avm/m:1' = {}",
            "module m 'ts:s/g/t:1' = {}",
            "module m 'ts/x:t:1' = {}",
            "extension microsoftGraph",
            "extension 'br:x.azurecr.io/e:1'",
            "import 'az@1.0.0'",
            "resource r 'A.B/c@2020-01-01' = {}",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn loaded_files_are_named_anywhere() {
        check("var a = loadTextContent('a.txt')", &[("loads", "/r/infra/a.txt")]);
        check("var a = [\n  json(loadJsonContent ( \n 'a.json' , '$.x'))\n]", &[("loads", "/r/infra/a.json")]);
        check(r"param p string = loadFileAsBase64('it\'s')", &[("loads", "/r/infra/it's")]);
        check("var a = sys.loadYamlContent('../a.yml')", &[("loads", "/r/a.yml")]);
        check("var a = myloadTextContent('a')\nvar b = loadTextContent(a)", &[]);
        check("var a = loadTextContent('a${b}')", &[]);
    }

    #[test]
    fn the_rest_of_a_broken_file_counts() {
        check("module = }}\nmodule m 'a.bicep' = {", &[("uses", "/r/infra/a.bicep")]);
    }
}
