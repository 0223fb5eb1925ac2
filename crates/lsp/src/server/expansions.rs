//! Requests for what a deployment would create, which the other thread answers.

use std::path::PathBuf;
use std::time::Instant;

use formwork_model::model::Cancellation;
use lsp_server::{ErrorCode, Message, RequestId, Response};
use serde_json::{Value, json};

use crate::checks::Deployment;
use crate::folder::PATIENCE;
use crate::server::Server;
use crate::worker::{Expand, Task};

/// How many documents with expansions are kept as they should be.
const MAX_SHOWN: usize = 8;

/// What is known of the expansions that a client shows.
#[derive(Debug, Default)]
pub(super) struct Expansions {
    /// Those that requests wait for.
    awaited: Vec<(RequestId, Cancellation)>,
    /// The URIs of the documents that the client asked for, the last one last.
    shown: Vec<String>,
    /// Whether a check came to its end since the client was told that they are old.
    is_old: bool,
}

impl Expansions {
    /// Notes a document that the client shows.
    pub(super) fn show(&mut self, uri: &str) {
        // The first is new.
        self.is_old &= !self.shown.is_empty();
        self.shown.retain(|shown| shown != uri);
        self.shown.push(uri.to_owned());
        if self.shown.len() > MAX_SHOWN {
            self.shown.remove(0);
        }
    }

    /// Notes that what the documents say may have changed.
    pub(super) fn age(&mut self) {
        self.is_old = true;
    }
}

impl Server {
    /// Lets the other thread make the text of an expansion, and answer a request with it.
    pub(crate) fn expand(&mut self, request: RequestId, folder: PathBuf, deployment: Deployment, is_document: bool) {
        // What nobody waits for lets what somebody waits for pass.
        self.cancel_rest();
        let job = self.job(folder);
        self.expansions.awaited.push((request.clone(), job.cancellation.clone()));
        // If the thread is gone, so is the server.
        let _ = self.worker.work.send(Task::Expand(Expand { request, job, deployment, is_document }));
    }

    pub(super) fn expanded(&mut self, Expand { request, is_document, .. }: Expand, text: Option<String>) {
        // A request that was cancelled has its answer.
        if self.awaited(&request).is_none() {
            return;
        }
        let text = text.unwrap_or_else(|| "// The template cannot be expanded: see its problems.\n".to_owned());
        let result = if is_document { json!({"text": text}) } else { Value::String(text) };
        self.send(Message::Response(Response::new_ok(request, result)));
    }

    /// The request that waits under an ID, which waits no longer.
    pub(super) fn awaited(&mut self, id: &RequestId) -> Option<Cancellation> {
        let at = self.expansions.awaited.iter().position(|(waiting, _)| waiting == id)?;
        Some(self.expansions.awaited.remove(at).1)
    }

    /// Answers a request that waits. All others have their answers.
    pub(super) fn cancelled(&mut self, id: RequestId) {
        if let Some(cancellation) = self.awaited(&id) {
            cancellation.cancel();
            let message = "the request was cancelled".to_owned();
            self.send(Message::Response(Response::new_err(id, ErrorCode::RequestCanceled as i32, message)));
        }
    }

    /// Notes a document with an expansion that the client shows.
    pub(crate) fn show_expansion(&mut self, uri: &str) {
        self.expansions.show(uri);
    }

    /// Whether the client is to be told that expansions are old, once nobody types.
    pub(super) fn has_old_expansions(&self) -> bool {
        self.expansions.is_old
            && !self.expansions.shown.is_empty()
            && self.checking.is_none()
            && self.waiting.is_empty()
    }

    /// Lets the client ask again for the expansions that it shows. Not after each key: an expansion is a check of its own.
    pub(super) fn refresh_expansions(&mut self, now: Instant) {
        if !self.has_old_expansions() || now < self.pace.edited() + PATIENCE {
            return;
        }
        self.expansions.is_old = false;
        for uri in self.expansions.shown.clone() {
            self.ask("workspace/textDocumentContent/refresh", json!({"uri": uri}));
        }
    }
}
