//! The answers to requests, all but the text of an expansion from the latest results.

mod actions;
mod baseline;
mod completion;
mod expansion;
mod hints;
mod hover;
mod lenses;
mod navigation;
mod symbols;

use formwork_report::model::ResourceTree;
use gen_lsp_types as lsp;
use lsp_server::{ErrorCode, RequestId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::client::Client;
use crate::server::{Server, View};

/// Why a request has no result.
pub(crate) type Refusal = (ErrorCode, String);

/// What a request is answered with.
#[derive(Debug)]
pub(crate) enum Answer {
    Now(Value),
    /// Another thread makes it.
    Later,
}

/// The result of `initialize`.
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
            "documentLinkProvider": {},
            "documentSymbolProvider": true,
            "completionProvider": {"triggerCharacters": [" ", ","]},
            "executeCommandProvider": {"commands": [expansion::TEXT, expansion::SHOW]},
            "workspace": {
                "workspaceFolders": {"supported": true, "changeNotifications": true},
                "textDocumentContent": {"schemes": [expansion::SCHEME]},
            },
        },
    })
}

/// The result of a request for something in a document.
pub(crate) fn answer(server: &mut Server, id: &RequestId, method: &str, parameters: Value) -> Result<Answer, Refusal> {
    let options = server.client.options;
    match method {
        "textDocument/hover" => at(server, parameters, hover::hover),
        "textDocument/definition" => at(server, parameters, navigation::definition),
        "textDocument/completion" => at(server, parameters, completion::completion),
        "textDocument/codeLens" if !options.code_lens => Ok(Answer::Now(json!([]))),
        "textDocument/codeLens" => whole(server, parameters, lenses::lenses),
        "textDocument/inlayHint" if !options.inlay_hints => Ok(Answer::Now(json!([]))),
        "textDocument/inlayHint" => whole(server, parameters, hints::hints),
        "textDocument/documentLink" => whole(server, parameters, navigation::links),
        "textDocument/documentSymbol" => whole(server, parameters, symbols::symbols),
        "textDocument/codeAction" => {
            let parameters: lsp::CodeActionParams = read(parameters)?;
            let view = server.view(&parameters.text_document.uri);
            now(view.map(|view| actions::actions(&view, &parameters)).unwrap_or_default())
        }
        "workspace/textDocumentContent" => expansion::document(server, id, &parameters),
        "workspace/executeCommand" => expansion::command(server, id, &parameters),
        _ => Err((ErrorCode::MethodNotFound, format!("the server has no `{method}`"))),
    }
}

fn read<T: DeserializeOwned>(parameters: Value) -> Result<T, Refusal> {
    serde_json::from_value(parameters).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

fn now(result: impl Serialize) -> Result<Answer, Refusal> {
    let failed = |error: serde_json::Error| (ErrorCode::InternalError, error.to_string());
    serde_json::to_value(result).map(Answer::Now).map_err(failed)
}

/// Answers a request about a position. Of what is not open, nothing is known.
fn at<T: Serialize>(
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

/// What people call an environment: of `main.dev.bicepparam` beside `main.bicep`, it is `dev`.
fn environment(template: &str, parameters: Option<&str>) -> String {
    let base = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let Some(parameters) = parameters.map(base) else { return "defaults".to_owned() };
    let template = base(template);
    let own = template.split('.').next().unwrap_or_default();
    let parts = parameters.split('.').filter(|part| {
        !["bicepparam", "json", "jsonc", "yaml", "yml", "parameters", own]
            .iter()
            .any(|word| part.eq_ignore_ascii_case(word))
    });
    let parts: Vec<&str> = parts.collect();
    if parts.is_empty() { parameters } else { parts.join(".") }
}

/// How many resources a deployment has. Those that only hold others do not count.
fn count(tree: &ResourceTree) -> usize {
    let is_resource = |type_name: &str| {
        !["Microsoft.Resources/deployments", "AWS::CloudFormation::Stack"]
            .iter()
            .any(|holder| type_name.eq_ignore_ascii_case(holder))
    };
    tree.nodes.iter().filter(|node| is_resource(&node.type_name)).count() + tree.more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_are_named_by_their_parameter_files() {
        for (template, parameters, expected) in [
            ("main.bicep", Some("main.dev.bicepparam"), "dev"),
            ("a/main.json", Some("a/main.parameters.prod.json"), "prod"),
            ("main.bicep", Some("main.bicepparam"), "main.bicepparam"),
            ("main.bicep", Some("env/prod.bicepparam"), "prod"),
            ("main.bicep", None, "defaults"),
        ] {
            assert_eq!(environment(template, parameters), expected);
        }
    }
}
