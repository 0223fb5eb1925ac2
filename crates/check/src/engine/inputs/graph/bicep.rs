//! The references of Bicep files.

use std::path::Path;

use crate::bicep::language::SyntaxTree;
use crate::engine::bicep::names::{By, Target, names};
use crate::engine::inputs::graph::{Edge, FileReferences, Relation, Using};
use crate::files::Folders;

/// The name of the configuration file of the Bicep compiler.
pub(super) const CONFIGURATION: &str = "bicepconfig.json";

/// Returns the references of a file in `folder`.
pub(super) fn node(tree: &SyntaxTree, folder: &Path, folders: &Folders<'_>) -> FileReferences {
    let mut node = FileReferences::default();
    for name in names(tree, folder) {
        let is_using = name.by == By::Using;
        match name.target {
            Target::Registry => {
                node.is_remote = true;
                if is_using {
                    node.using = Using::Remote;
                }
            }
            Target::Local(to) => {
                if is_using {
                    node.using = Using::File(to.clone());
                }
                let is_folder = name.by == By::LoadFolder;
                node.edges.push(Edge { relation: relation(name.by), to, is_folder });
            }
        }
    }
    node.edges.extend(configurations(folder, folders));
    node
}

fn relation(by: By) -> Relation {
    match by {
        By::Load | By::LoadFolder => Relation::Load,
        By::Module => Relation::Module,
        By::Import => Relation::Import,
        By::Using => Relation::Parameters,
        By::Extends => Relation::Extends,
        By::Test => Relation::Test,
        By::Extension => Relation::Extension,
    }
}

/// Returns the edges to every path at which a configuration applies to a folder. The nearest file that exists applies,
/// but adding or deleting a nearer one changes that.
fn configurations(folder: &Path, folders: &Folders<'_>) -> Vec<Edge> {
    let top = folders.repository_of(folder);
    let mut edges = Vec::new();
    for folder in folder.ancestors() {
        let path = folder.join(CONFIGURATION);
        let is_there = folders.fence().has_file(folder, CONFIGURATION);
        edges.push(Edge::file(Relation::Configuration, path));
        if is_there || top.as_deref() == Some(folder) {
            break;
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use arcstr::ArcStr;

    use super::*;
    use crate::bicep::language::parse;
    use crate::files::{Disk, Fence};
    use crate::text::Sources;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let text: ArcStr = text.into();
        let tree = parse(Sources::new().add("x", text.clone()), &text);
        let node = node(&tree, Path::new("/r/infra"), &Folders::new(Fence::of_user(&Disk)));
        let found: Vec<(&str, &str)> = node
            .edges
            .iter()
            .filter(|edge| edge.relation != Relation::Configuration)
            .map(|edge| (edge.relation.verb(), edge.to.to_str().unwrap()))
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
