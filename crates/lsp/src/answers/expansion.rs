//! Expansions of deployments, as read-only documents.
//!
//! A client that shows documents from servers requests the content of `formwork:` URIs. Others get the text as the
//! result of a command.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_server::{ErrorCode, RequestId};
use serde_json::{Value, json};

use crate::answers::{Answer, Refusal, deployments};
use crate::checks::Deployment;
use crate::environment;
use crate::server::Server;
use crate::uri;

/// Scheme of the URIs of expansions.
pub(crate) const SCHEME: &str = "formwork";

/// Command that returns the text. Its argument is the URI of an expansion, or of a template and the name of a
/// parameter file.
pub(crate) const TEXT: &str = "formwork.expansion";

/// Command that shows the document. For a client that cannot show it, returns the text.
pub(crate) const SHOW: &str = "formwork.showExpansion";

/// Returns the URI of an expansion: a readable path, and the deployment in the query.
pub(crate) fn uri(folder: &Path, deployment: &Deployment) -> String {
    let Deployment { template, parameters } = deployment;
    let title = format!("/{template} ({}).jsonc", environment::name(template, parameters.as_deref()));
    let what = json!({"folder": folder.to_string_lossy(), "template": template, "parameters": parameters});
    let path = uri::of_path(Path::new(&title));
    let query = uri::of_path(Path::new(&format!("/{what}")));
    let path = path.strip_prefix("file://").unwrap_or_default();
    let query = query.strip_prefix("file:///").unwrap_or_default();
    format!("{SCHEME}:{path}?{query}")
}

/// Returns the folder and the deployment of a URI of an expansion.
fn parse(uri: &str) -> Option<(PathBuf, Deployment)> {
    let (_, query) = uri.strip_prefix(SCHEME)?.strip_prefix(':')?.split_once('?')?;
    let what: Value = serde_json::from_slice(&uri::decoded(query)?).ok()?;
    let folder = PathBuf::from(what.get("folder")?.as_str()?);
    let template = Arc::from(what.get("template")?.as_str()?);
    let parameters = what.get("parameters").and_then(Value::as_str).map(Arc::from);
    Some((folder, Deployment { template, parameters }))
}

/// Answers `workspace/textDocumentContent` with an expansion from the worker.
pub(crate) fn document(server: &mut Server, id: &RequestId, parameters: &Value) -> Result<Answer, Refusal> {
    let found = parameters
        .get("uri")
        .and_then(Value::as_str)
        .and_then(parse)
        .filter(|(folder, _)| server.folders.contains_key(folder));
    let Some((folder, deployment)) = found else {
        return Err((ErrorCode::InvalidParams, "expected the URI of an expansion".to_owned()));
    };
    server.show_expansion(&uri(&folder, &deployment));
    server.expand(id.clone(), folder, deployment, true);
    Ok(Answer::Later)
}

/// Answers `workspace/executeCommand` for the two commands about expansions.
pub(crate) fn command(server: &mut Server, id: &RequestId, parameters: &Value) -> Result<Answer, Refusal> {
    let name = parameters.get("command").and_then(Value::as_str).unwrap_or_default();
    if ![TEXT, SHOW].contains(&name) {
        return Err((ErrorCode::InvalidParams, "the server has no such command".to_owned()));
    }
    let first = argument(parameters, 0).unwrap_or_default();
    let Some((folder, deployment)) = parse(first).or_else(|| of_template(server, first, argument(parameters, 1)))
    else {
        return Err((ErrorCode::InvalidParams, "expected the URI of an expansion or of a template".to_owned()));
    };
    if name == SHOW && server.client.shows_documents {
        server.ask("window/showDocument", json!({"uri": uri(&folder, &deployment), "takeFocus": true}));
        return Ok(Answer::Now(Value::Null));
    }
    server.expand(id.clone(), folder, deployment, false);
    Ok(Answer::Later)
}

fn argument(parameters: &Value, index: usize) -> Option<&str> {
    parameters.get("arguments")?.get(index)?.as_str()
}

/// Returns the deployment of a template with a parameter file of this name, or else in the chosen environment, or the
/// first one.
fn of_template(server: &Server, uri: &str, parameters: Option<&str>) -> Option<(PathBuf, Deployment)> {
    let view = server.view(&gen_lsp_types::Uri(uri.to_owned()))?;
    let name = view.name.as_ref()?;
    let tree = deployments(&view, name).into_iter().find(|tree| match (parameters, &tree.parameters) {
        (Some(wanted), Some(given)) => given.rsplit('/').next() == wanted.rsplit('/').next(),
        (wanted, _) => wanted.is_none(),
    })?;
    let deployment = Deployment { template: tree.template.clone(), parameters: tree.parameters.clone() };
    Some((view.root.clone(), deployment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uri_of_an_expansion_says_what_it_is_of() {
        let deployment =
            Deployment { template: "a/main.bicep".into(), parameters: Some("a/main.dev.bicepparam".into()) };
        let uri = uri(Path::new("/w x"), &deployment);
        assert!(uri.starts_with("formwork:/a/main.bicep%20%28dev%29.jsonc?%7B"), "{uri}");
        assert_eq!(parse(&uri), Some((PathBuf::from("/w x"), deployment)));
        assert_eq!(parse("formwork:/x?%7B"), None);
    }
}
