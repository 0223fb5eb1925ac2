//! Answers to requests. All except expansions come from the latest results.

mod actions;
mod baseline;
mod completion;
mod expansion;
mod hints;
mod hover;
mod lenses;
mod names;
mod navigation;
mod paths;
mod references;
mod symbols;

use std::collections::{BTreeMap, BTreeSet};

use formwork_report::model::ResourceTree;
use gen_lsp_types as lsp;
use lsp_server::{ErrorCode, RequestId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::checks::{Shown, Written};
use crate::client::{Client, Hints};
use crate::environment;
use crate::folder::Folder;
use crate::server::Server;
use crate::view::View;

/// Error of a request.
pub(crate) type Refusal = (ErrorCode, String);

/// Answer to a request.
#[derive(Debug)]
pub(crate) enum Answer {
    Now(Value),
    /// Another thread will answer.
    Later,
}

/// Returns the result of `initialize`.
pub(crate) fn initialize_result(client: &Client, version: &str) -> Value {
    let kinds = [actions::QUICK_FIX, actions::FIX_ALL];
    json!({
        "serverInfo": {"name": "formwork", "version": version},
        "capabilities": {
            "positionEncoding": client.encoding.kind(),
            "textDocumentSync": {"openClose": true, "change": lsp::TextDocumentSyncKind::Incremental, "save": {}},
            "hoverProvider": true,
            "codeLensProvider": {},
            "codeActionProvider": {"codeActionKinds": kinds},
            "inlayHintProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentLinkProvider": {},
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "completionProvider": {"triggerCharacters": [" ", ",", "\""]},
            "executeCommandProvider": {"commands": [expansion::TEXT, expansion::SHOW, references::SHOW, actions::OPEN, ENVIRONMENTS]},
            "workspace": {
                "workspaceFolders": {"supported": true, "changeNotifications": true},
                "textDocumentContent": {"schemes": [expansion::SCHEME]},
            },
        },
    })
}

/// Answers a request about a document.
pub(crate) fn answer(server: &mut Server, id: &RequestId, method: &str, parameters: Value) -> Result<Answer, Refusal> {
    let (has_lenses, hints) = (server.client.options.code_lens, server.client.options.hints);
    match method {
        "textDocument/hover" => answer_at(server, parameters, hover::hover),
        "textDocument/definition" => answer_at(server, parameters, |view, position| {
            if view.is_of_others() { None } else { navigation::definition(view, position) }
        }),
        "textDocument/references" => references::references(server, parameters),
        "textDocument/completion" => answer_at(server, parameters, completion::completion),
        "textDocument/codeLens" if !has_lenses => Ok(Answer::Now(json!([]))),
        "textDocument/codeLens" => whole(server, parameters, lenses::lenses),
        "textDocument/inlayHint" if hints == Hints::Off => Ok(Answer::Now(json!([]))),
        "textDocument/inlayHint" => whole(server, parameters, hints::hints),
        "textDocument/documentLink" => whole(server, parameters, navigation::links),
        "textDocument/documentSymbol" => {
            whole(server, parameters, |view| if view.is_of_others() { Vec::new() } else { symbols::symbols(view) })
        }
        "textDocument/codeAction" => {
            let asked: actions::Asked = read(parameters)?;
            let view = server.view(&asked.text_document.uri);
            now(view.map(|view| actions::actions(&view, &asked)).unwrap_or_default())
        }
        "workspace/symbol" => now(symbols::resources(server, &read(parameters)?)),
        "workspace/textDocumentContent" => expansion::document(server, id, &parameters),
        "workspace/executeCommand" => match parameters.get("command").and_then(Value::as_str) {
            Some(references::SHOW) => references::command(server, &parameters),
            Some(actions::OPEN) => actions::open(server, &parameters),
            Some(ENVIRONMENTS) => now(environments(server)),
            _ => expansion::command(server, id, &parameters),
        },
        _ => Err((ErrorCode::MethodNotFound, format!("the server has no `{method}`"))),
    }
}

fn read<T: DeserializeOwned>(parameters: Value) -> Result<T, Refusal> {
    serde_json::from_value(parameters).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

fn now(result: impl Serialize) -> Result<Answer, Refusal> {
    let result = serde_json::to_value(result);
    result.map(Answer::Now).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}

/// Answers a request about a position. The result is empty for a document that is not open.
fn answer_at<T: Serialize>(
    server: &Server,
    parameters: Value,
    find: fn(&View<'_>, lsp::Position) -> Option<T>,
) -> Result<Answer, Refusal> {
    let parameters: lsp::TextDocumentPositionParams = read(parameters)?;
    let view = server.view(&parameters.text_document.uri);
    now(view.and_then(|view| find(&view, parameters.position)))
}

/// Answers a request about a whole document.
fn whole<T: Serialize>(server: &Server, parameters: Value, list: fn(&View<'_>) -> Vec<T>) -> Result<Answer, Refusal> {
    let document = parameters.get("textDocument").cloned().unwrap_or_default();
    let document: lsp::TextDocumentIdentifier = read(document)?;
    now(server.view(&document.uri).map(|view| list(&view)).unwrap_or_default())
}

/// Returns the known values of computed properties in the chosen environment, or else in the first one that deploys
/// each, by the start of the property.
fn first_values<'a>(view: &'a View<'_>) -> BTreeMap<usize, Vec<&'a Shown>> {
    let (Some(folder), Some(name)) = (view.folder, &view.name) else { return BTreeMap::new() };
    let chosen: BTreeSet<(&str, Option<&str>)> = folder
        .trees()
        .iter()
        .map(|tree| (&*tree.template, tree.parameters.as_deref()))
        .filter(|(template, parameters)| view.server.client.options.has_chosen(template, *parameters))
        .collect();
    let environment = |value: &'a Shown| {
        let environment = (&*value.template, value.parameters.as_deref());
        (!chosen.contains(&environment), environment)
    };
    let mut first: BTreeMap<usize, Vec<&Shown>> = BTreeMap::new();
    for value in folder.values(name).filter(|value| value.text().is_some()) {
        let Written::Property { start, .. } = value.of else { continue };
        let known = first.entry(start).or_default();
        match known.first().map(|known| environment(known)) {
            Some(least) if least < environment(value) => continue,
            Some(least) if least > environment(value) => known.clear(),
            _ => {}
        }
        known.push(value);
    }
    first
}

/// Returns the deployments of a template, that of the chosen environment first.
fn deployments<'a>(view: &'a View<'_>, template: &str) -> Vec<&'a ResourceTree> {
    let trees = view.folder.map(Folder::trees).unwrap_or_default();
    let mut trees: Vec<&ResourceTree> = trees.iter().filter(|tree| &*tree.template == template).collect();
    let options = &view.server.client.options;
    trees.sort_by_key(|tree| !options.has_chosen(&tree.template, tree.parameters.as_deref()));
    trees
}

/// Command that returns the names of all environments, so that the client can offer a choice.
const ENVIRONMENTS: &str = "formwork.environments";

fn environments(server: &Server) -> BTreeSet<String> {
    let folders = server.folders.values().chain(server.workspace.folders());
    let trees = folders.flat_map(Folder::trees).filter(|tree| tree.parameters.is_some());
    trees.map(|tree| environment::name(&tree.template, tree.parameters.as_deref())).collect()
}

/// Returns the number of resources of a deployment.
fn resources_of(tree: &ResourceTree) -> usize {
    tree.nodes.iter().filter(|node| is_resource(&node.type_name)).count() + tree.more
}

/// True if a type counts as a resource, and is not only a container of others.
fn is_resource(type_name: &str) -> bool {
    let holders = ["Microsoft.Resources/deployments", "AWS::CloudFormation::Stack"];
    !holders.iter().any(|holder| type_name.eq_ignore_ascii_case(holder))
}
