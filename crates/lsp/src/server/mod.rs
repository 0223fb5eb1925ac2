//! Message loop, which holds all state.

mod checking;
mod configuration;
mod expansions;

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, at, never, select};
use gen_lsp_types as lsp;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::answers::{self, Answer, Refusal};
use crate::checks::Checks;
use crate::client::{Client, Hints};
use crate::documents::{Documents, Opening};
use crate::folder::{Folder, PATIENCE};
use crate::pace::Pace;
use crate::publish::{self, Opened, Publisher, Sheet};
use crate::roots;
use crate::server::checking::Checking;
use crate::server::expansions::Expansions;
use crate::text::Text;
use crate::uri;
use crate::view::View;
use crate::worker::{Worker, WorkerOutcome, WorkerTask};
use crate::workspace::Workspace;

/// Files that a client is asked to watch: templates, parameter files, and settings.
const WATCHED: &str = "**/*.{bicep,bicepparam,json,jsonc,yaml,yml,template,ruleset,guard}";

/// Settings of the program.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Time for which findings of the last valid text stay while the text is invalid.
    pub keep: Duration,
    /// Version of the program.
    pub version: &'static str,
    /// JSON schema of the settings of a folder.
    pub schema: Value,
}

/// The server with its state.
pub(crate) struct Server {
    pub(crate) client: Arc<Client>,
    pub(crate) documents: Documents,
    pub(crate) folders: BTreeMap<PathBuf, Folder>,
    pub(crate) workspace: Workspace,
    settings: Settings,
    queue: Sender<Message>,
    publisher: Publisher,
    worker: Worker,
    /// Folders to check, the next one last.
    waiting: Vec<PathBuf>,
    /// Running check.
    checking: Option<Checking>,
    expansions: Expansions,
    /// Counter that changes when files on disk may have changed.
    disk: u64,
    pace: Pace,
    is_initialized: bool,
    is_shut_down: bool,
    has_told_of_defect: bool,
    last_request: u32,
    /// Latest unanswered request for the client's settings.
    settings_request: Option<RequestId>,
}

impl Server {
    pub(crate) fn new(queue: Sender<Message>, checks: Box<dyn Checks>, settings: Settings) -> io::Result<Self> {
        Ok(Self {
            client: Arc::default(),
            documents: Documents::default(),
            folders: BTreeMap::new(),
            workspace: Workspace::default(),
            settings,
            publisher: publish::start(queue.clone())?,
            queue,
            worker: Worker::start(checks)?,
            waiting: Vec::new(),
            checking: None,
            expansions: Expansions::default(),
            disk: 0,
            pace: Pace::new(Instant::now()),
            is_initialized: false,
            is_shut_down: false,
            has_told_of_defect: false,
            last_request: 0,
            settings_request: None,
        })
    }

    /// Handles messages until the client exits. Returns `true` if it sent `shutdown` before.
    pub(crate) fn run(mut self, messages: &Receiver<Message>) -> bool {
        let (done, defects) = (self.worker.done.clone(), self.publisher.defects.clone());
        loop {
            let alarm = self.alarm().map_or_else(never, at);
            select! {
                recv(messages) -> message => match message {
                    Ok(Message::Request(request)) => self.request(request),
                    Ok(Message::Notification(note)) if note.method == "exit" => return self.is_shut_down,
                    Ok(Message::Notification(note)) => self.notification(note),
                    Ok(Message::Response(response)) => self.answered(response),
                    Err(_) => return false,
                },
                recv(done) -> result => match result {
                    Ok(WorkerOutcome::Checked(done)) => self.take(*done),
                    Ok(WorkerOutcome::Expanded(expand, text)) => self.expanded(expand, text),
                    Err(_) => return false,
                },
                recv(defects) -> defect => match defect {
                    Ok(()) => self.tell_of_defect(),
                    Err(_) => return false,
                },
                recv(alarm) -> _ => self.settle(),
            }
            // Messages that arrived together are handled before a check starts.
            if messages.is_empty() {
                self.start_check();
            }
        }
    }

    /// Returns the time when something has to be done even if no message arrives.
    fn alarm(&self) -> Option<Instant> {
        let waits = (!self.waiting.is_empty() && self.checking.is_none()).then(|| self.pace.begins());
        let rests = self.folders.values().any(Folder::holds_back).then(|| self.pace.edited() + PATIENCE);
        let rests = rests.filter(|rest| *rest > Instant::now());
        let expires = self.folders.values().filter_map(|folder| folder.expires(self.settings.keep)).min();
        let outdated = self.outdated().and_then(|checking| self.pace.spared_until(checking.began, Instant::now()));
        let is_due = self.is_idle() || self.has_old_expansions();
        let rest = is_due.then(|| self.pace.edited() + PATIENCE);
        let tells = self.checking.as_ref().and_then(|checking| Some(checking.shown.as_ref()?.due));
        waits.into_iter().chain(rests).chain(expires).chain(outdated).chain(rest).chain(tells).min()
    }

    /// Handles everything that is due at an alarm.
    fn settle(&mut self) {
        let now = Instant::now();
        self.cancel_outdated();
        self.tell_progress(now);
        self.refresh_expansions(now);
        let expired =
            self.folders.iter().filter(|(_, folder)| folder.expires(self.settings.keep).is_some_and(|at| at <= now));
        let expired: Vec<PathBuf> = expired.map(|(path, _)| path.clone()).collect();
        for path in expired {
            if let Some(folder) = self.folders.get_mut(&path) {
                folder.let_go();
            }
            self.check_folder(&path);
        }
        self.publish();
    }

    /// Tells the user once about a defect.
    fn tell_of_defect(&mut self) {
        if !self.has_told_of_defect {
            self.has_told_of_defect = true;
            let message = "formwork failed on a file, which is a defect; its log has the details";
            self.notify("window/showMessage", json!({"type": 2, "message": message}));
        }
    }

    /// Asks the client to request the lenses and hints again.
    fn refresh(&mut self) {
        for (method, can) in [
            ("workspace/codeLens/refresh", self.client.refreshes_lenses && self.client.options.code_lens),
            ("workspace/inlayHint/refresh", self.client.refreshes_hints && self.client.options.hints != Hints::Off),
        ] {
            if can {
                self.ask(method, Value::Null);
            }
        }
    }

    /// Makes the publisher send the diagnostics that the client does not have.
    fn publish(&self) {
        let is_fresh = self.pace.edited().elapsed() < PATIENCE;
        let is_typing = |path: &Path| is_fresh && self.documents.get(path).is_some_and(|document| document.is_edited);
        // A file belongs to the innermost folder.
        let is_of = |file: &Path, folder: &Path| {
            roots::innermost(file, &self.client.folders).is_none_or(|innermost| innermost == folder)
        };
        let open = self.folders.values().flat_map(|folder| folder.shown(&is_typing));
        let items = open.chain(self.workspace.beyond(&self.folders, &is_of)).cloned().collect();
        let mut texts = BTreeMap::new();
        for folder in self.workspace.folders().chain(self.folders.values()) {
            texts.extend(folder.texts().iter().map(|(path, text)| (path.clone(), text.clone())));
        }
        let mut open = BTreeMap::new();
        for (path, document) in self.documents.iter() {
            texts.insert(path.to_path_buf(), document.text.clone());
            let (uri, since) = (document.uri.clone(), document.opened);
            open.insert(path.to_path_buf(), Opened { uri, since, checked: document.checked });
        }
        // The thread ends only after an unexpected panic; then the message loop ends, too.
        let _ = self.publisher.sheets.send(Sheet { client: Arc::clone(&self.client), items, texts, open });
    }

    /// Returns the URI of a file as the client writes it.
    pub(crate) fn uri(&self, path: &Path) -> String {
        self.documents.get(path).map_or_else(|| uri::of_path(path), |document| document.uri.clone())
    }

    /// Returns the JSON schema of the settings of a folder.
    pub(crate) fn schema(&self) -> &Value {
        &self.settings.schema
    }

    /// Returns the text of a file that is open or has items.
    pub(crate) fn text(&self, path: &Path) -> Option<&Text> {
        let open = self.documents.get(path).map(|document| &document.text);
        let folders = self.folders.values().chain(self.workspace.folders());
        open.or_else(|| folders.into_iter().find_map(|folder| folder.text(path)))
    }

    /// Returns an open document with the results of its folder.
    pub(crate) fn view(&self, uri: &lsp::Uri) -> Option<View<'_>> {
        let path = uri::path(&uri.0)?;
        let document = self.documents.get(&path)?;
        let (text, root) = (&document.text, document.root.clone());
        let folder = self.folders.get(&root);
        let name = folder.and_then(|folder| folder.name(&path)).cloned();
        Some(View { server: self, path, text, root, folder, name })
    }

    fn notification(&mut self, note: Notification) {
        if !self.is_initialized || self.is_shut_down {
            return;
        }
        match note.method.as_str() {
            "textDocument/didOpen" => self.handle(note.params, Self::opened),
            "textDocument/didChange" => self.handle(note.params, Self::changed),
            "textDocument/didClose" => self.handle(note.params, Self::closed),
            "textDocument/didSave" => self.check_all(),
            "workspace/didChangeConfiguration" => self.settings_changed(&note.params),
            "workspace/didChangeWatchedFiles" => self.handle(note.params, Self::files_changed),
            "$/cancelRequest" => self.handle(note.params.get("id").cloned().unwrap_or_default(), Self::cancelled),
            "workspace/didChangeWorkspaceFolders" => self.handle(note.params, Self::folders_changed),
            "initialized" => self.initialized(),
            _ => {}
        }
    }

    /// Calls `handle` with the parameters. A message with invalid parameters is ignored, because a notification has
    /// no answer.
    fn handle<T: DeserializeOwned>(&mut self, parameters: Value, handle: fn(&mut Self, T)) {
        if let Ok(parameters) = serde_json::from_value(parameters) {
            handle(self, parameters);
        }
    }

    fn opened(&mut self, parameters: lsp::DidOpenTextDocumentParams) {
        let document = parameters.text_document;
        let Some(path) = uri::path(&document.uri.0) else { return };
        let root = roots::find_root(&path, &self.client.folders);
        let (uri, version, text) = (document.uri.0, document.version, document.text.into());
        let edit = self.documents.open(path.clone(), Opening { uri, root: root.clone(), version, text });
        let Some(document) = self.documents.get(&path) else { return };
        let folders = self.folders.values_mut().chain(self.workspace.folders_mut());
        folders.for_each(|folder| folder.open(&path, &edit, &document.text));
        self.check_file(&root);
    }

    fn changed(&mut self, parameters: lsp::DidChangeTextDocumentParams) {
        let document = parameters.text_document;
        let Some(path) = uri::path(&document.text_document_identifier.uri.0) else { return };
        let (version, changes) = (document.version, parameters.content_changes);
        let Some(edits) = self.documents.change(&path, version, changes, self.client.encoding) else { return };
        self.pace.edit(Instant::now());
        let Some(document) = self.documents.get(&path) else { return };
        let folders = self.folders.values_mut().chain(self.workspace.folders_mut());
        folders.for_each(|folder| folder.follow(&path, &edits, &document.text));
        let root = document.root.clone();
        if !self.client.options.waits_for_save {
            self.check_file(&root);
        }
    }

    fn closed(&mut self, parameters: lsp::DidCloseTextDocumentParams) {
        let Some(path) = uri::path(&parameters.text_document.uri.0) else { return };
        if let Some(document) = self.documents.close(&path) {
            self.check_file(&document.root);
            self.want_rest();
        }
    }

    fn folders_changed(&mut self, parameters: lsp::DidChangeWorkspaceFoldersParams) {
        let event = parameters.event;
        let removed: Vec<PathBuf> = event.removed.iter().filter_map(|folder| uri::path(&folder.uri.0)).collect();
        let client = Arc::make_mut(&mut self.client);
        client.folders.retain(|folder| !removed.contains(folder));
        client.folders.extend(event.added.iter().filter_map(|folder| uri::path(&folder.uri.0)));
        // Files may belong to other folders now.
        self.check_all();
        // Results of removed folders are dropped here, because no check may follow.
        let (documents, work) = (&self.documents, &self.worker.work);
        self.folders.retain(|folder, _| {
            let is_root = documents.iter().any(|(_, document)| document.root == *folder);
            if !is_root {
                let _ = work.send(WorkerTask::Forget(folder.clone()));
            }
            is_root
        });
        self.publish();
    }

    /// Checks again after files changed on disk. Changes of open documents are ignored: their text is the client's,
    /// and saving one should not cause two checks.
    fn files_changed(&mut self, parameters: lsp::DidChangeWatchedFilesParams) {
        let is_relevant = parameters.changes.iter().any(|event| {
            let path = uri::path(&event.uri.0);
            let is_open = path.is_some_and(|path| self.documents.get(&path).is_some());
            event.kind != lsp::FileChangeType::Changed || !is_open
        });
        if is_relevant {
            self.check_all();
        }
    }

    /// Requests the client's settings, notifications of changes, and watching of its folders. Checks these if the
    /// client wants it.
    fn initialized(&mut self) {
        self.ask_for_settings();
        self.want_rest();
        let settings = json!({"section": configuration::SECTION});
        let files = json!({"watchers": [{"globPattern": WATCHED}]});
        for (is_wanted, id, method, options) in [
            (self.client.notifies_of_settings, "settings", "workspace/didChangeConfiguration", settings),
            (self.client.watches_files, "watch", "workspace/didChangeWatchedFiles", files),
        ] {
            if is_wanted {
                let registration = json!({"id": id, "method": method, "registerOptions": options});
                self.ask("client/registerCapability", json!({"registrations": [registration]}));
            }
        }
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params, .. } = request;
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&id, &method, params)));
        let defect = "formwork failed on this request, which is a defect";
        let answer = answer.unwrap_or_else(|_| Err((ErrorCode::InternalError, defect.to_owned())));
        let response = match answer {
            Ok(Answer::Now(result)) => Response::new_ok(id, result),
            Ok(Answer::Later) => return,
            Err((code, message)) => Response::new_err(id, code as i32, message),
        };
        self.send(Message::Response(response));
    }

    fn answer(&mut self, id: &RequestId, method: &str, parameters: Value) -> Result<Answer, Refusal> {
        match method {
            _ if self.is_shut_down => Err((ErrorCode::InvalidRequest, "the server is shut down".to_owned())),
            "initialize" if self.is_initialized => {
                Err((ErrorCode::InvalidRequest, "the server is initialized already".to_owned()))
            }
            "initialize" => {
                self.is_initialized = true;
                self.client = Arc::new(Client::from_parameters(&parameters));
                Ok(Answer::Now(answers::initialize_result(&self.client, self.settings.version)))
            }
            _ if !self.is_initialized => {
                Err((ErrorCode::ServerNotInitialized, "expected `initialize` first".to_owned()))
            }
            "shutdown" => {
                self.is_shut_down = true;
                Ok(Answer::Now(Value::Null))
            }
            _ => answers::answer(self, id, method, parameters),
        }
    }

    fn notify(&self, method: &str, parameters: Value) {
        self.send(Message::Notification(Notification::new(method.to_owned(), parameters)));
    }

    /// Sends a request to the client. Returns its ID, which the answer has.
    pub(crate) fn ask(&mut self, method: &str, parameters: Value) -> RequestId {
        self.last_request += 1;
        let id = RequestId::from(format!("s{}", self.last_request));
        self.send(Message::Request(Request::new(id.clone(), method.to_owned(), parameters)));
        id
    }

    /// Sends a message. The queue accepts everything, and is closed only if the client is gone.
    fn send(&self, message: Message) {
        let _ = self.queue.send(message);
    }
}
