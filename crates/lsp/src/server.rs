//! The loop of messages, which has all state.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, at, never, select};
use formwork_model::model::Cancellation;
use gen_lsp_types as lsp;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::answers::{self, Answer, Refusal};
use crate::checks::{Checks, Deployment, Job};
use crate::client::{Client, Hints};
use crate::documents::{Documents, Opening};
use crate::folder::{Folder, PATIENCE};
use crate::outline;
use crate::pace::Pace;
use crate::publish::{self, Opened, Publisher, Sheet};
use crate::roots;
use crate::text::Text;
use crate::uri;
use crate::worker::{Done, End, Expand, Outcome, Task, Work, Worker};

/// The files that a client is asked to watch: templates, parameter files, and settings.
const WATCHED: &str = "**/*.{bicep,bicepparam,json,jsonc,yaml,yml,template,ruleset,guard}";

/// What the user of the program can choose.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// For how long the findings of the last text that could be read stay while the text is broken.
    pub keep: Duration,
    /// The version of the program.
    pub version: &'static str,
}

/// A server and everything that it knows.
pub(crate) struct Server {
    pub(crate) client: Arc<Client>,
    pub(crate) documents: Documents,
    pub(crate) folders: BTreeMap<PathBuf, Folder>,
    settings: Settings,
    queue: Sender<Message>,
    publisher: Publisher,
    worker: Worker,
    /// The folders that are to be checked, the next one last.
    waiting: Vec<PathBuf>,
    /// The check that is under way.
    checking: Option<Checking>,
    /// The expansions that requests wait for.
    expanding: Vec<(RequestId, Cancellation)>,
    /// Counts what may have changed files on the disk.
    disk: u64,
    pace: Pace,
    is_initialized: bool,
    is_shut_down: bool,
    has_told_of_defect: bool,
    last_request: u32,
}

/// A check that is under way.
struct Checking {
    cancellation: Cancellation,
    began: Instant,
    /// Whether there is something newer than what it checks.
    is_outdated: bool,
}

/// An open document, and what is known of it.
pub(crate) struct View<'a> {
    pub(crate) server: &'a Server,
    pub(crate) path: PathBuf,
    pub(crate) text: &'a Text,
    /// The folder in which it is checked.
    pub(crate) root: PathBuf,
    /// The results, once there are some.
    pub(crate) folder: Option<&'a Folder>,
    /// Its name in reports, if it was read.
    pub(crate) name: Option<Arc<str>>,
}

impl View<'_> {
    pub(crate) fn range(&self, range: std::ops::Range<usize>) -> lsp::Range {
        self.text.range(&range, self.server.client.encoding)
    }

    pub(crate) fn offset(&self, position: lsp::Position) -> usize {
        self.text.offset(position, self.server.client.encoding)
    }

    /// Whether another extension tells what its file declares.
    pub(crate) fn is_of_others(&self) -> bool {
        self.server.client.options.beside.has(&self.path, || outline::is_of_aws(self.text.text()))
    }

    /// The bytes of the name around an offset.
    pub(crate) fn word(&self, offset: usize) -> std::ops::Range<usize> {
        let text = self.text.text();
        let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
        let before: usize =
            text.get(..offset).unwrap_or_default().chars().rev().take_while(is_part).map(char::len_utf8).sum();
        let after: usize = text.get(offset..).unwrap_or_default().chars().take_while(is_part).map(char::len_utf8).sum();
        offset - before..offset + after
    }
}

impl Server {
    pub(crate) fn new(queue: Sender<Message>, checks: Box<dyn Checks>, settings: Settings) -> io::Result<Self> {
        Ok(Self {
            client: Arc::default(),
            documents: Documents::default(),
            folders: BTreeMap::new(),
            settings,
            publisher: publish::start(queue.clone())?,
            queue,
            worker: Worker::start(checks)?,
            waiting: Vec::new(),
            checking: None,
            expanding: Vec::new(),
            disk: 0,
            pace: Pace::new(Instant::now()),
            is_initialized: false,
            is_shut_down: false,
            has_told_of_defect: false,
            last_request: 0,
        })
    }

    /// Handles messages until the client exits. Returns whether it said before that it would.
    pub(crate) fn run(mut self, messages: &Receiver<Message>) -> bool {
        let (done, defects) = (self.worker.done.clone(), self.publisher.defects.clone());
        loop {
            let alarm = self.alarm().map_or_else(never, at);
            select! {
                recv(messages) -> message => match message {
                    Ok(Message::Request(request)) => self.request(request),
                    Ok(Message::Notification(note)) if note.method == "exit" => return self.is_shut_down,
                    Ok(Message::Notification(note)) => self.notification(note),
                    // Whatever a client answers changes nothing.
                    Ok(Message::Response(_)) => {}
                    Err(_) => return false,
                },
                recv(done) -> result => match result {
                    Ok(Outcome::Checked(done)) => self.take(*done),
                    Ok(Outcome::Expanded(expand, text)) => self.expanded(expand, text),
                    Err(_) => return false,
                },
                recv(defects) -> defect => match defect {
                    Ok(()) => self.tell_of_defect(),
                    Err(_) => return false,
                },
                recv(alarm) -> _ => self.settle(),
            }
            // What has arrived together is handled before a check of it begins.
            if messages.is_empty() {
                self.start_check();
            }
        }
    }

    /// When something is to be done although no message arrives.
    fn alarm(&self) -> Option<Instant> {
        let waits = (!self.waiting.is_empty() && self.checking.is_none()).then(|| self.pace.begins());
        let rests = self.folders.values().any(Folder::holds_back).then(|| self.pace.edited() + PATIENCE);
        let rests = rests.filter(|rest| *rest > Instant::now());
        let expires = self.folders.values().filter_map(|folder| folder.expires(self.settings.keep)).min();
        let outdated = self.outdated().and_then(|checking| self.pace.spared_until(checking.began, Instant::now()));
        waits.into_iter().chain(rests).chain(expires).chain(outdated).min()
    }

    /// What is due when an alarm rings.
    fn settle(&mut self) {
        let now = Instant::now();
        self.cancel_outdated();
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

    fn start_check(&mut self) {
        let now = Instant::now();
        if self.checking.is_some() || self.waiting.is_empty() || now < self.pace.begins() {
            return;
        }
        if self.pace.is_to_look(now, self.client.watches_files) {
            self.look();
        }
        let mut is_left = false;
        let job = loop {
            let Some(folder) = self.waiting.pop() else { break None };
            let job = self.job(folder);
            if !job.open.is_empty() {
                break Some(job);
            }
            is_left |= self.folders.remove(&job.folder).is_some();
            // If the thread is gone, so is the server.
            let _ = self.worker.work.send(Task::Forget(job.folder));
        };
        if is_left {
            self.publish();
        }
        let Some(job) = job else { return };
        let cancellation = job.cancellation.clone();
        let version = |path: &PathBuf| Some((path.clone(), self.documents.get(path)?.version));
        let versions = job.open.iter().filter_map(version).collect();
        let work = Work { job, versions, clock: self.documents.now() };
        self.pace.begin();
        let checking = Checking { cancellation, began: now, is_outdated: false };
        self.checking = self.worker.work.send(Task::Check(work)).is_ok().then_some(checking);
    }

    /// The check that is under way although there is something newer.
    fn outdated(&self) -> Option<&Checking> {
        self.checking.as_ref().filter(|checking| checking.is_outdated && !checking.cancellation.is_cancelled())
    }

    /// Cancels the check that is under way if there is something newer, unless it is spared.
    fn cancel_outdated(&mut self) {
        let now = Instant::now();
        let outdated = self.outdated().filter(|checking| self.pace.spared_until(checking.began, now).is_none());
        if let Some(checking) = outdated {
            checking.cancellation.cancel();
            self.pace.cancel(now);
        }
    }

    /// Lets checks look at the disk: files may have changed.
    fn look(&mut self) {
        self.disk += 1;
        self.pace.look(Instant::now());
    }

    /// A check of a folder with the texts of now.
    fn job(&self, folder: PathBuf) -> Job {
        let inside = self.documents.iter().filter(|(_, document)| document.root == folder);
        let open: BTreeSet<PathBuf> = inside.map(|(path, _)| path.to_path_buf()).collect();
        let texts = self.documents.iter().map(|(path, document)| (path.to_path_buf(), document.text.text().clone()));
        let (texts, disk) = (Arc::new(texts.collect()), self.disk);
        Job { folder, texts, open, disk, cancellation: Cancellation::default() }
    }

    /// Lets the other thread make the text of an expansion, and answer a request with it.
    pub(crate) fn expand(&mut self, request: RequestId, folder: PathBuf, deployment: Deployment, is_document: bool) {
        let job = self.job(folder);
        self.expanding.push((request.clone(), job.cancellation.clone()));
        // If the thread is gone, so is the server.
        let _ = self.worker.work.send(Task::Expand(Expand { request, job, deployment, is_document }));
    }

    fn expanded(&mut self, Expand { request, is_document, .. }: Expand, text: Option<String>) {
        // A request that was cancelled has its answer.
        if self.awaited(&request).is_none() {
            return;
        }
        let text = text.unwrap_or_else(|| "// The template cannot be expanded: see its problems.\n".to_owned());
        let result = if is_document { json!({"text": text}) } else { Value::String(text) };
        self.send(Message::Response(Response::new_ok(request, result)));
    }

    /// The request that waits under an ID, which waits no longer.
    fn awaited(&mut self, id: &RequestId) -> Option<Cancellation> {
        let at = self.expanding.iter().position(|(waiting, _)| waiting == id)?;
        Some(self.expanding.remove(at).1)
    }

    fn take(&mut self, Done { work, end, took }: Done) {
        let is_outdated = self.checking.take().is_some_and(|checking| checking.is_outdated);
        // What it found may still be of use, but there is something newer.
        if is_outdated && !self.waiting.contains(&work.job.folder) {
            self.waiting.insert(0, work.job.folder.clone());
        }
        match end {
            End::Cancelled => return,
            End::Found(results) => {
                let folder = self.folders.entry(work.job.folder).or_default();
                folder.take(results, &self.documents, work.clock, self.settings.keep);
            }
            End::Panicked => self.tell_of_defect(),
        }
        self.pace.finish(took);
        self.documents.note(&work.versions, work.clock);
        self.documents.forget(work.clock);
        self.publish();
        self.refresh();
    }

    /// Tells the user once that something failed which should not.
    fn tell_of_defect(&mut self) {
        if !self.has_told_of_defect {
            self.has_told_of_defect = true;
            let message = "formwork failed on a file, which is a defect; its log has the details";
            self.notify("window/showMessage", json!({"type": 2, "message": message}));
        }
    }

    /// Lets the client ask again for what it shows in the texts.
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

    /// Lets the other thread send the diagnostics that the client does not have.
    fn publish(&self) {
        let is_fresh = self.pace.edited().elapsed() < PATIENCE;
        let is_typing = |path: &Path| is_fresh && self.documents.get(path).is_some_and(|document| document.is_edited);
        let items = self.folders.values().flat_map(|folder| folder.shown(&is_typing)).cloned().collect();
        let mut texts = BTreeMap::new();
        for folder in self.folders.values() {
            texts.extend(folder.texts().iter().map(|(path, text)| (path.clone(), text.clone())));
        }
        let mut open = BTreeMap::new();
        for (path, document) in self.documents.iter() {
            texts.insert(path.to_path_buf(), document.text.clone());
            let (uri, since) = (document.uri.clone(), document.opened);
            open.insert(path.to_path_buf(), Opened { uri, since, checked: document.checked });
        }
        // The thread is gone only if it panicked where nothing should; then the loop of messages ends.
        let _ = self.publisher.sheets.send(Sheet { client: Arc::clone(&self.client), items, texts, open });
    }

    /// The URI of a file, as the client writes it.
    pub(crate) fn uri(&self, path: &Path) -> String {
        self.documents.get(path).map_or_else(|| uri::of_path(path), |document| document.uri.clone())
    }

    /// The text of a file that is open, or in which something is.
    pub(crate) fn text(&self, path: &Path) -> Option<&Text> {
        let open = self.documents.get(path).map(|document| &document.text);
        open.or_else(|| self.folders.values().find_map(|folder| folder.text(path)))
    }

    /// What is known of an open document: its path, its text, and the results of its folder.
    pub(crate) fn view(&self, uri: &lsp::Uri) -> Option<View<'_>> {
        let path = uri::path(&uri.0)?;
        let document = self.documents.get(&path)?;
        let (text, root) = (&document.text, document.root.clone());
        let folder = self.folders.get(&root);
        let name = folder.and_then(|folder| folder.name(&path)).cloned();
        Some(View { server: self, path, text, root, folder, name })
    }

    /// Checks a folder in which a file is another one now.
    fn check_file(&mut self, folder: &Path) {
        self.check_folder(folder);
        // It may be a module or a setting of others.
        self.check_rest();
    }

    /// Checks also the folders that do not wait for it, after the others.
    fn check_rest(&mut self) {
        let rest: Vec<PathBuf> = self.folders.keys().filter(|folder| !self.waiting.contains(folder)).cloned().collect();
        self.waiting.splice(0..0, rest);
    }

    fn check_folder(&mut self, folder: &Path) {
        if let Some(checking) = &mut self.checking {
            checking.is_outdated = true;
        }
        self.cancel_outdated();
        self.waiting.retain(|waiting| waiting != folder);
        self.waiting.push(folder.to_path_buf());
    }

    fn notification(&mut self, note: Notification) {
        if !self.is_initialized || self.is_shut_down {
            return;
        }
        match note.method.as_str() {
            "textDocument/didOpen" => self.with(note.params, Self::opened),
            "textDocument/didChange" => self.with(note.params, Self::changed),
            "textDocument/didClose" => self.with(note.params, Self::closed),
            "textDocument/didSave" => self.check_all(),
            "workspace/didChangeWatchedFiles" => self.with(note.params, Self::files_changed),
            "$/cancelRequest" => self.with(note.params.get("id").cloned().unwrap_or_default(), Self::cancelled),
            "workspace/didChangeWorkspaceFolders" => self.with(note.params, Self::folders_changed),
            "initialized" => self.watch(),
            _ => {}
        }
    }

    /// Handles what the parameters say. A message that cannot be read is left out: there is nobody to tell.
    fn with<T: DeserializeOwned>(&mut self, parameters: Value, handle: fn(&mut Self, T)) {
        if let Ok(parameters) = serde_json::from_value(parameters) {
            handle(self, parameters);
        }
    }

    fn opened(&mut self, parameters: lsp::DidOpenTextDocumentParams) {
        let document = parameters.text_document;
        let Some(path) = uri::path(&document.uri.0) else { return };
        let root = roots::of(&path, &self.client.folders);
        let (uri, version, text) = (document.uri.0, document.version, document.text.into());
        let edit = self.documents.open(path.clone(), Opening { uri, root: root.clone(), version, text });
        let Some(document) = self.documents.get(&path) else { return };
        for folder in self.folders.values_mut() {
            // What is said of another text than that of the disk is known after the next check.
            if folder.text(&path).is_some_and(|known| known.text() != document.text.text()) {
                folder.follow(&path, std::slice::from_ref(&edit), &document.text);
            }
        }
        self.check_file(&root);
    }

    fn changed(&mut self, parameters: lsp::DidChangeTextDocumentParams) {
        let document = parameters.text_document;
        let Some(path) = uri::path(&document.text_document_identifier.uri.0) else { return };
        let (version, changes) = (document.version, parameters.content_changes);
        let Some(edits) = self.documents.change(&path, version, changes, self.client.encoding) else { return };
        self.pace.edit(Instant::now());
        let Some(document) = self.documents.get(&path) else { return };
        self.folders.values_mut().for_each(|folder| folder.follow(&path, &edits, &document.text));
        let root = document.root.clone();
        if !self.client.options.waits_for_save {
            self.check_file(&root);
        }
    }

    /// Answers a request that waits. All others have their answers.
    fn cancelled(&mut self, id: RequestId) {
        if let Some(cancellation) = self.awaited(&id) {
            cancellation.cancel();
            let message = "the request was cancelled".to_owned();
            self.send(Message::Response(Response::new_err(id, ErrorCode::RequestCanceled as i32, message)));
        }
    }

    fn closed(&mut self, parameters: lsp::DidCloseTextDocumentParams) {
        let Some(path) = uri::path(&parameters.text_document.uri.0) else { return };
        if let Some(document) = self.documents.close(&path) {
            self.check_file(&document.root);
        }
    }

    fn folders_changed(&mut self, parameters: lsp::DidChangeWorkspaceFoldersParams) {
        let path = |folder: &lsp::WorkspaceFolder| uri::path(&folder.uri.0);
        let removed: Vec<PathBuf> = parameters.event.removed.iter().filter_map(path).collect();
        let client = Arc::make_mut(&mut self.client);
        client.folders.retain(|folder| !removed.contains(folder));
        client.folders.extend(parameters.event.added.iter().filter_map(path));
        // Files may belong to other folders now.
        for (folder, _) in std::mem::take(&mut self.folders) {
            let _ = self.worker.work.send(Task::Forget(folder));
        }
        self.check_all();
    }

    /// Checks what files of the disk may have changed. The text of an open document is the client's, whatever is on the disk:
    /// who saves one is not to wait for two checks.
    fn files_changed(&mut self, parameters: lsp::DidChangeWatchedFilesParams) {
        let is_own = |event: &lsp::FileEvent| {
            let path = uri::path(&event.uri.0);
            event.kind == lsp::FileChangeType::Changed && path.is_some_and(|path| self.documents.get(&path).is_some())
        };
        if !parameters.changes.iter().all(is_own) {
            self.check_all();
        }
    }

    /// Checks all folders with an open document, the one that was edited last before the others.
    fn check_all(&mut self) {
        self.look();
        // A file that makes a folder a root may be new or gone.
        self.documents.place(|path| roots::of(path, &self.client.folders));
        let mut documents: Vec<(u64, PathBuf)> =
            self.documents.iter().map(|(_, document)| (document.changed, document.root.clone())).collect();
        documents.sort();
        for (_, folder) in documents {
            self.check_folder(&folder);
        }
        // No document may be in them any more.
        self.check_rest();
    }

    /// Asks the client to watch the files of its folders.
    fn watch(&mut self) {
        if self.client.watches_files {
            let options = json!({"watchers": [{"globPattern": WATCHED}]});
            let registration =
                json!({"id": "watch", "method": "workspace/didChangeWatchedFiles", "registerOptions": options});
            self.ask("client/registerCapability", json!({"registrations": [registration]}));
        }
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params, .. } = request;
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&id, &method, params)));
        let defect =
            || Err((ErrorCode::InternalError, "formwork failed on this request, which is a defect".to_owned()));
        let response = match answer.unwrap_or_else(|_| defect()) {
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
                self.client = Arc::new(Client::of(&parameters));
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

    pub(crate) fn ask(&mut self, method: &str, parameters: Value) {
        self.last_request += 1;
        let id = format!("s{}", self.last_request);
        self.send(Message::Request(Request::new(id.into(), method.to_owned(), parameters)));
    }

    /// The queue takes everything; it is gone only if the client is.
    fn send(&self, message: Message) {
        let _ = self.queue.send(message);
    }
}
