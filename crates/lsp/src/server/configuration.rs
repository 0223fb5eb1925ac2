//! Settings of the client, which it may change while the server runs.

use std::sync::Arc;

use lsp_server::Response;
use serde_json::{Value, json};

use crate::checks::Extent;
use crate::server::Server;
use crate::worker::WorkerTask;

/// Section of the client's settings.
pub(super) const SECTION: &str = "formwork";

impl Server {
    /// Requests the settings, if the client supports it.
    pub(super) fn ask_for_settings(&mut self) {
        if self.client.has_settings {
            let items = json!([{"section": SECTION}]);
            self.settings_request = Some(self.ask("workspace/configuration", json!({"items": items})));
        }
    }

    /// Handles an answer of the client. Only the answer to the latest request for settings has an effect.
    pub(super) fn answered(&mut self, response: Response) {
        if self.settings_request.as_ref() == Some(&response.id) {
            self.settings_request = None;
            if let Some(settings) = response.response_result.ok().and_then(|answer| answer.get(0).cloned()) {
                self.configure(&settings);
            }
        }
    }

    /// Handles `workspace/didChangeConfiguration`. Clients that answer requests for settings may omit them here.
    pub(super) fn settings_changed(&mut self, parameters: &Value) {
        if self.client.has_settings {
            self.ask_for_settings();
        } else {
            let settings = parameters.get("settings").and_then(|settings| settings.get(SECTION));
            self.configure(settings.unwrap_or(&Value::Null));
        }
    }

    fn configure(&mut self, settings: &Value) {
        let options = self.client.configured(settings);
        if options == self.client.options {
            return;
        }
        let checked = options.checked;
        Arc::make_mut(&mut self.client).options = options;
        if checked != Extent::Everything {
            self.cancel_rest();
            self.workspace.want(&[]);
        }
        if checked == Extent::Nothing {
            self.waiting.clear();
            for (folder, _) in std::mem::take(&mut self.folders) {
                // If the thread has ended, so has the server.
                let _ = self.worker.work.send(WorkerTask::Forget(folder));
            }
        }
        self.check_all();
        self.publish();
        self.refresh();
    }
}
