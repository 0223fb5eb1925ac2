//! What a file deploys, on its first line.

use formwork_report::model::ResourceTree;
use gen_lsp_types as lsp;
use serde_json::json;

use crate::answers::{count, environment, expansion};
use crate::checks::Deployment;
use crate::server::View;

/// How many lenses a file has.
const MAX_LENSES: usize = 4;

/// One lens for each deployment, which opens what it deploys. A file that only others deploy has one without a command.
pub(crate) fn lenses(view: &View<'_>) -> Vec<lsp::CodeLens> {
    let (Some(folder), Some(name)) = (view.folder, &view.name) else { return Vec::new() };
    let of_template = folder.trees().iter().filter(|tree| tree.template == *name);
    let lenses: Vec<lsp::CodeLens> = of_template
        .enumerate()
        .take(MAX_LENSES)
        .map(|(at, tree)| {
            let environment = environment(&tree.template, tree.parameters.as_deref());
            let deploys = if at == 0 { format!("deploys {}", resources(count(tree))) } else { count(tree).to_string() };
            lens(view, format!("{deploys} ({environment})"), Some(tree))
        })
        .collect();
    if !lenses.is_empty() {
        return lenses;
    }
    let of_parameters = folder.trees().iter().filter(|tree| tree.parameters.as_ref() == Some(name));
    let lenses: Vec<lsp::CodeLens> = of_parameters
        .take(MAX_LENSES)
        .map(|tree| lens(view, format!("{}: {}", tree.template, resources(count(tree))), Some(tree)))
        .collect();
    if !lenses.is_empty() {
        return lenses;
    }
    let is_here = |tree: &&ResourceTree| tree.nodes.iter().any(|node| node.place.file.name() == name);
    let mut users: Vec<&str> = folder.trees().iter().filter(is_here).map(|tree| &*tree.template).collect();
    users.dedup();
    match users.as_slice() {
        [] => Vec::new(),
        [one] => vec![lens(view, format!("used by {one}"), None)],
        many => vec![lens(view, format!("used by {} templates", many.len()), None)],
    }
}

fn resources(count: usize) -> String {
    if count == 1 { "1 resource".to_owned() } else { format!("{count} resources") }
}

fn lens(view: &View<'_>, title: String, tree: Option<&ResourceTree>) -> lsp::CodeLens {
    let deployment = tree.map(|tree| {
        let ResourceTree { template, parameters, .. } = tree;
        Deployment { template: template.clone(), parameters: parameters.clone() }
    });
    // A command without a name is a text that cannot be clicked.
    let (command, arguments) = match deployment {
        Some(deployment) => (expansion::SHOW, vec![json!(expansion::uri(&view.root, &deployment))]),
        None => ("", Vec::new()),
    };
    let command = lsp::Command { title, tooltip: None, command: command.to_owned(), arguments: Some(arguments) };
    lsp::CodeLens { range: view.range(0..0), command: Some(command), data: None }
}
