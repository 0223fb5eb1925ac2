//! Code lenses on the first line of a file, about its deployments.

use std::collections::BTreeSet;
use std::sync::Arc;

use formwork_report::model::ResourceTree;
use gen_lsp_types as lsp;
use serde_json::{Value, json};

use crate::answers::{deployments, expansion, is_resource, references, resources_of};
use crate::checks::Deployment;
use crate::environment;
use crate::folder::Folder;
use crate::view::View;

/// Maximum number of lenses of a file.
const MAX_LENSES: usize = 4;

/// Returns one lens for each deployment of a file, or lenses about its users.
pub(crate) fn lenses(view: &View<'_>) -> Vec<lsp::CodeLens> {
    let (Some(folder), Some(name)) = (view.folder, &view.name) else { return Vec::new() };
    let lenses: Vec<lsp::CodeLens> = deployments(view, name)
        .into_iter()
        .enumerate()
        .take(MAX_LENSES)
        .map(|(at, tree)| {
            let environment = environment::name(&tree.template, tree.parameters.as_deref());
            let number = resources_of(tree);
            let deploys = if at == 0 { format!("deploys {}", counted(number, "resource")) } else { number.to_string() };
            expanded(view, format!("{deploys} ({environment})"), tree)
        })
        .collect();
    if !lenses.is_empty() {
        return lenses;
    }
    let of_parameters = folder.trees().iter().filter(|tree| tree.parameters.as_ref() == Some(name));
    let lenses: Vec<lsp::CodeLens> = of_parameters
        .take(MAX_LENSES)
        .map(|tree| {
            let resources = counted(resources_of(tree), "resource");
            let findings = counted(findings(folder, &tree.template, name), "finding");
            expanded(view, format!("{}: {resources}, {findings}", tree.template), tree)
        })
        .collect();
    if lenses.is_empty() { of_module(view, folder, name) } else { lenses }
}

/// Returns the number of findings of a template with a parameter file.
fn findings(folder: &Folder, template: &Arc<str>, parameters: &Arc<str>) -> usize {
    let items = folder.items().iter().filter(|item| item.is_finding && !item.is_undecided);
    items.filter(|item| item.templates.contains(template) && item.parameters.contains(parameters)).count()
}

/// Returns the lenses of a module: its resources, and the templates that use it.
fn of_module(view: &View<'_>, folder: &Folder, name: &str) -> Vec<lsp::CodeLens> {
    let (mut users, mut places) = (BTreeSet::new(), BTreeSet::new());
    for tree in folder.trees() {
        for node in tree.nodes.iter().filter(|node| &**node.place.file.name() == name) {
            users.insert(&*tree.template);
            if is_resource(&node.type_name) {
                places.insert((node.place.start.line, node.place.start.byte_column));
            }
        }
    }
    let used = match (users.first(), users.len()) {
        (None, _) => return Vec::new(),
        (Some(one), 1) => format!("used by {one}"),
        (_, many) => format!("used by {many} templates"),
    };
    let arguments = vec![json!(view.server.uri(&view.path))];
    vec![lens(view, counted(places.len(), "resource"), "", Vec::new()), lens(view, used, references::SHOW, arguments)]
}

fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns a lens that opens the expansion of a deployment.
fn expanded(view: &View<'_>, title: String, tree: &ResourceTree) -> lsp::CodeLens {
    let ResourceTree { template, parameters, .. } = tree;
    let deployment = Deployment { template: template.clone(), parameters: parameters.clone() };
    lens(view, title, expansion::SHOW, vec![json!(expansion::uri(&view.root, &deployment))])
}

/// Returns a lens on the first line. A command without a name is a text that cannot be clicked.
fn lens(view: &View<'_>, title: String, command: &str, arguments: Vec<Value>) -> lsp::CodeLens {
    let command = lsp::Command { title, tooltip: None, command: command.to_owned(), arguments: Some(arguments) };
    lsp::CodeLens { range: view.range(0..0), command: Some(command), data: None }
}
