//! Thread that converts items to diagnostics and sends them, so that the message loop does not wait.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};
use gen_lsp_types as lsp;
use lsp_server::{Message, Notification};
use serde_json::json;

use crate::client::Client;
use crate::diagnostics::DiagnosticsBuilder;
use crate::items::Item;
use crate::text::Text;

/// Everything to show at one moment.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub(crate) client: Arc<Client>,
    pub(crate) items: Vec<Arc<Item>>,
    /// Texts of the files with items.
    pub(crate) texts: BTreeMap<PathBuf, Text>,
    /// Open documents, by path.
    pub(crate) open: BTreeMap<PathBuf, Opened>,
}

/// State of an open document for its client.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    /// URI as the client writes it.
    pub(crate) uri: String,
    /// Distinguishes it from the same file when it is opened again.
    pub(crate) since: u64,
    /// Version that was checked last. Before the first check, nothing is published for the document.
    pub(crate) checked: Option<i32>,
}

/// Diagnostics that were last sent for a file.
#[derive(Debug)]
struct Sent {
    uri: String,
    since: Option<u64>,
    version: Option<i32>,
    diagnostics: Vec<lsp::Diagnostic>,
}

/// Diagnostics that were last sent for each file.
#[derive(Debug, Default)]
struct Published {
    files: BTreeMap<PathBuf, Sent>,
}

/// Diagnostics of each file.
type Drawn = BTreeMap<PathBuf, Vec<lsp::Diagnostic>>;

/// Channels for sheets, and for a signal for each sheet that could not be published because of a defect.
#[derive(Debug)]
pub(crate) struct Publisher {
    pub(crate) sheets: Sender<Sheet>,
    pub(crate) defects: Receiver<()>,
}

/// Starts the thread. It ends when the channel of sheets is closed.
pub(crate) fn start(queue: Sender<Message>) -> io::Result<Publisher> {
    let (sender, sheets) = unbounded();
    let (told, defects) = unbounded();
    let builder = thread::Builder::new().name("publish".to_owned());
    builder.spawn(move || publish(&sheets, &queue, &told, Published::draw))?;
    Ok(Publisher { sheets: sender, defects })
}

fn publish(
    sheets: &Receiver<Sheet>,
    queue: &Sender<Message>,
    defects: &Sender<()>,
    draw: impl Fn(&Published, &Sheet) -> Drawn,
) {
    let mut published = Published::default();
    while let Ok(sheet) = sheets.recv() {
        // After a delay, only the newest counts.
        let sheet = sheets.try_iter().last().unwrap_or(sheet);
        let Ok(drawn) = catch_unwind(AssertUnwindSafe(|| draw(&published, &sheet))) else {
            // The receiver is gone only if the server has ended.
            let _ = defects.send(());
            continue;
        };
        for message in published.update(&sheet, drawn) {
            let note = Notification::new("textDocument/publishDiagnostics".to_owned(), json!(message));
            // The queue is gone only if the client is.
            let _ = queue.send(Message::Notification(note));
        }
    }
}

impl Published {
    /// Returns the diagnostics of a sheet.
    fn draw(&self, sheet: &Sheet) -> Drawn {
        let builder = DiagnosticsBuilder {
            client: &sheet.client,
            text: &|path| sheet.texts.get(path),
            uri: &|path| self.uri(path, sheet),
        };
        builder.diagnostics(sheet.items.iter().map(|item| &**item))
    }

    /// Returns the messages that bring the client up to date. A document whose text was checked again always gets
    /// one.
    fn update(&mut self, sheet: &Sheet, mut drawn: Drawn) -> Vec<lsp::PublishDiagnosticsParams> {
        let paths: BTreeSet<PathBuf> =
            drawn.keys().chain(self.files.keys()).chain(sheet.open.keys()).cloned().collect();
        let mut messages = Vec::new();
        for path in paths {
            let diagnostics = drawn.remove(&path).unwrap_or_default();
            let open = sheet.open.get(&path);
            let version = open.and_then(|document| document.checked);
            if open.is_some() && version.is_none() {
                continue;
            }
            let since = open.map(|document| document.since);
            let is_same = match self.files.get(&path) {
                Some(sent) => {
                    sent.diagnostics == diagnostics
                        && (open.is_none() || (sent.version, sent.since) == (version, since))
                }
                None => diagnostics.is_empty() && open.is_none(),
            };
            if is_same {
                continue;
            }
            let uri = self.uri(&path, sheet);
            if diagnostics.is_empty() && open.is_none() {
                self.files.remove(&path);
            } else {
                self.files.insert(path, Sent { uri: uri.clone(), since, version, diagnostics: diagnostics.clone() });
            }
            messages.push(lsp::PublishDiagnosticsParams { uri: lsp::Uri(uri), version, diagnostics });
        }
        messages
    }

    /// Returns the URI of a file as the client writes it, or wrote it last.
    fn uri(&self, path: &Path, sheet: &Sheet) -> String {
        let open = sheet.open.get(path).map(|document| &document.uri);
        let uri = open.or_else(|| self.files.get(path).map(|sent| &sent.uri));
        uri.cloned().unwrap_or_else(|| crate::uri::of_path(path))
    }
}

#[cfg(test)]
mod tests {
    use formwork_model::diagnostic::Level;

    use super::*;
    use crate::items::Site;

    const FILE: &str = "/a.bicep";

    /// A sheet with a finding in one file or none, which is open with this URI, or closed.
    fn sheet(has_finding: bool, open: Option<(&str, u64, Option<i32>)>) -> Sheet {
        let site = Site { file: FILE.into(), range: 0..1 };
        let items = has_finding.then(|| Arc::new(Item::new(site, "AZ-1", Level::Error, "m")));
        let opened = |(uri, since, checked): (&str, u64, Option<i32>)| {
            (PathBuf::from(FILE), Opened { uri: uri.to_owned(), since, checked })
        };
        Sheet {
            client: Arc::default(),
            items: items.into_iter().collect(),
            texts: BTreeMap::from([(FILE.into(), Text::new("x".into()))]),
            open: open.map(opened).into_iter().collect(),
        }
    }

    /// What each sheet leads to: the URI, the version, and the number of diagnostics.
    #[track_caller]
    fn check(sheets: &[Sheet], expected: &[Option<(&str, Option<i32>, usize)>]) {
        let mut published = Published::default();
        let sent = |sheet: &Sheet| {
            let drawn = published.draw(sheet);
            let messages = published.update(sheet, drawn);
            assert!(messages.len() < 2);
            messages.into_iter().next().map(|one| (one.uri.0, one.version, one.diagnostics.len()))
        };
        let sent: Vec<_> = sheets.iter().map(sent).collect();
        let expected: Vec<_> =
            expected.iter().map(|one| one.map(|(uri, version, count)| (uri.to_owned(), version, count))).collect();
        assert_eq!(sent, expected);
    }

    #[test]
    fn an_open_document_is_told_of_each_version_that_was_checked() {
        let open = |version| Some(("file:///A", 1, version));
        check(
            &[
                sheet(true, open(None)),
                sheet(true, open(Some(1))),
                sheet(true, open(Some(1))),
                sheet(true, open(Some(2))),
            ],
            &[None, Some(("file:///A", Some(1), 1)), None, Some(("file:///A", Some(2), 1))],
        );
    }

    #[test]
    fn a_closed_file_is_told_what_changed_at_the_uri_that_it_had() {
        let open = Some(("file:///A", 1, Some(1)));
        check(
            &[sheet(true, open), sheet(true, None), sheet(false, None), sheet(false, None), sheet(true, None)],
            &[
                Some(("file:///A", Some(1), 1)),
                None,
                Some(("file:///A", None, 0)),
                None,
                Some(("file:///a.bicep", None, 1)),
            ],
        );
    }

    #[test]
    fn a_document_that_is_opened_again_is_told_everything() {
        check(
            &[sheet(true, Some(("file:///A", 1, Some(1)))), sheet(true, Some(("file:///A", 2, Some(1))))],
            &[Some(("file:///A", Some(1), 1)), Some(("file:///A", Some(1), 1))],
        );
    }
    #[test]
    fn after_a_defect_the_next_sheet_is_shown() {
        let (sheets, of_sheets) = unbounded();
        let (queue, messages) = unbounded();
        let (told, defects) = unbounded();
        let draw = |published: &Published, sheet: &Sheet| {
            assert!(!sheet.items.is_empty(), "as a defect would");
            published.draw(sheet)
        };
        let publish = move || publish(&of_sheets, &queue, &told, draw);
        let publisher = thread::Builder::new().spawn(publish).unwrap();
        sheets.send(sheet(false, None)).unwrap();
        defects.recv().unwrap();
        sheets.send(sheet(true, None)).unwrap();
        assert!(matches!(messages.recv().unwrap(), Message::Notification(_)));
        drop(sheets);
        publisher.join().unwrap();
    }
}
