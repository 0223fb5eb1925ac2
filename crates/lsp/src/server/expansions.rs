//! Requests for expansions of deployments, which the worker answers.

use std::path::PathBuf;
use std::time::Instant;

use formwork_model::model::Cancellation;
use lsp_server::{ErrorCode, Message, RequestId, Response};
use serde_json::{Value, json};

use crate::checks::Deployment;
use crate::folder::PATIENCE;
use crate::server::Server;
use crate::worker::{Expand, WorkerTask};

/// Maximum number of shown expansions that are kept up to date.
const MAX_SHOWN: usize = 8;

/// Expansions that a client shows.
#[derive(Debug, Default)]
pub(super) struct Expansions {
    /// Expansions that requests wait for.
    awaited: Vec<(RequestId, Cancellation)>,
    /// URIs of the documents that the client requested, the last one last.
    shown: Vec<String>,
    /// True if a check ended since the client was told that they are outdated.
    is_old: bool,
}

impl Expansions {
    /// Records a document that the client shows.
    pub(super) fn show(&mut self, uri: &str) {
        // The first document is up to date.
        self.is_old &= !self.shown.is_empty();
        self.shown.retain(|shown| shown != uri);
        self.shown.push(uri.to_owned());
        if self.shown.len() > MAX_SHOWN {
            self.shown.remove(0);
        }
    }

    /// Records that the documents may be outdated.
    pub(super) fn age(&mut self) {
        self.is_old = true;
    }
}

impl Server {
    /// Requests the text of an expansion from the worker, which answers a request with it.
    pub(crate) fn expand(&mut self, request: RequestId, folder: PathBuf, deployment: Deployment, is_document: bool) {
        // Requests have priority over checks that no user waits for.
        self.cancel_rest();
        let job = self.job(folder);
        self.expansions.awaited.push((request.clone(), job.cancellation.clone()));
        // If the thread has ended, so has the server.
        let _ = self.worker.work.send(WorkerTask::Expand(Expand { request, job, deployment, is_document }));
    }

    pub(super) fn expanded(&mut self, Expand { request, is_document, .. }: Expand, text: Option<String>) {
        // A cancelled request has been answered.
        if self.awaited(&request).is_none() {
            return;
        }
        let text = text.unwrap_or_else(|| "// The template cannot be expanded: see its problems.\n".to_owned());
        let result = if is_document { json!({"text": text}) } else { Value::String(text) };
        self.send(Message::Response(Response::new_ok(request, result)));
    }

    /// Removes the waiting request with an ID.
    pub(super) fn awaited(&mut self, id: &RequestId) -> Option<Cancellation> {
        let at = self.expansions.awaited.iter().position(|(waiting, _)| waiting == id)?;
        Some(self.expansions.awaited.remove(at).1)
    }

    /// Answers a waiting request as cancelled. All others have been answered.
    pub(super) fn cancelled(&mut self, id: RequestId) {
        if let Some(cancellation) = self.awaited(&id) {
            cancellation.cancel();
            let message = "the request was cancelled".to_owned();
            self.send(Message::Response(Response::new_err(id, ErrorCode::RequestCanceled as i32, message)));
        }
    }

    /// Records a document with an expansion that the client shows.
    pub(crate) fn show_expansion(&mut self, uri: &str) {
        self.expansions.show(uri);
    }

    /// True if the client should be told that expansions are outdated, once nobody types.
    pub(super) fn has_old_expansions(&self) -> bool {
        self.expansions.is_old
            && !self.expansions.shown.is_empty()
            && self.checking.is_none()
            && self.waiting.is_empty()
    }

    /// Tells the client that its expansions are outdated. Not after each key, because an expansion is a check of its
    /// own.
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
