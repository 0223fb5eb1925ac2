//! Scheduling of checks, and their results.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use formwork_model::model::Cancellation;

use crate::checks::{Extent, Job};
use crate::folder::PATIENCE;
use crate::progress;
use crate::roots;
use crate::server::Server;
use crate::worker::{CheckEnd, Done, Work, WorkerTask};

/// A running check.
pub(super) struct Checking {
    pub(super) cancellation: Cancellation,
    pub(super) began: Instant,
    /// True if there is a newer text than the one that it checks.
    pub(super) is_outdated: bool,
    /// Progress for the client of a check of a whole folder, if the client shows it.
    pub(super) shown: Option<progress::ProgressReporter>,
    pub(super) extent: Extent,
}

impl Server {
    pub(super) fn start_check(&mut self) {
        let now = Instant::now();
        if self.is_idle() && now >= self.pace.edited() + PATIENCE {
            self.start_rest();
        }
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
            // If the thread has ended, so has the server.
            let _ = self.worker.work.send(WorkerTask::Forget(job.folder));
        };
        if is_left {
            self.publish();
        }
        let Some(job) = job else { return };
        self.pace.begin();
        self.send_work(job);
    }

    /// True if there is nothing to do except checking files without open documents.
    pub(super) fn is_idle(&self) -> bool {
        self.checking.is_none() && self.waiting.is_empty() && self.workspace.next().is_some()
    }

    /// Starts the check of a whole folder.
    pub(super) fn start_rest(&mut self) {
        let Some(folder) = self.workspace.next().cloned() else { return };
        let job = Job { extent: Extent::Everything, ..self.job(folder) };
        self.send_work(job);
    }

    pub(super) fn send_work(&mut self, job: Job) {
        let (cancellation, extent, began) = (job.cancellation.clone(), job.extent, Instant::now());
        self.last_request += 1;
        let shown = (extent == Extent::Everything && self.client.shows_progress)
            .then(|| progress::ProgressReporter::new(Arc::clone(&job.progress), self.last_request, began));
        let open = job.open.iter();
        let versions = open.filter_map(|path| Some((path.clone(), self.documents.get(path)?.version))).collect();
        let work = Work { job, versions, clock: self.documents.now(), client: Arc::clone(&self.client) };
        let checking = Checking { cancellation, began, is_outdated: false, shown, extent };
        self.checking = self.worker.work.send(WorkerTask::Check(work)).is_ok().then_some(checking);
    }

    /// Sends the progress of a long check.
    pub(super) fn tell_progress(&mut self, now: Instant) {
        let Some(shown) = self.checking.as_mut().and_then(|checking| checking.shown.as_mut()) else { return };
        if shown.due > now {
            return;
        }
        let (created, told) = (shown.created(), shown.next_message(now));
        if let Some(created) = created {
            self.ask("window/workDoneProgress/create", created);
        }
        self.notify("$/progress", told);
    }

    /// Returns the running check if it is outdated.
    pub(super) fn outdated(&self) -> Option<&Checking> {
        self.checking.as_ref().filter(|checking| checking.is_outdated && !checking.cancellation.is_cancelled())
    }

    /// Cancels the running check if it is outdated, unless it is spared.
    pub(super) fn cancel_outdated(&mut self) {
        let now = Instant::now();
        let Some(checking) = self.outdated() else { return };
        if checking.extent == Extent::Everything {
            // No user waits for it.
            checking.cancellation.cancel();
        } else if self.pace.spared_until(checking.began, now).is_none() {
            checking.cancellation.cancel();
            self.pace.cancel(now);
        }
    }

    /// Makes the next check read the disk, because files may have changed.
    pub(super) fn look(&mut self) {
        self.disk += 1;
        self.pace.look(Instant::now());
    }

    /// Returns a check of a folder with the current texts.
    pub(super) fn job(&self, folder: PathBuf) -> Job {
        let inside = self.documents.iter().filter(|(_, document)| document.root == folder);
        let open: BTreeSet<PathBuf> = inside.map(|(path, _)| path.to_path_buf()).collect();
        let texts = self.documents.iter().map(|(path, document)| (path.to_path_buf(), document.text.text().clone()));
        let (texts, disk) = (Arc::new(texts.collect()), self.disk);
        Job { folder, texts, open, disk, lists_undecided: self.client.options.undecided, ..Job::default() }
    }

    pub(super) fn take(&mut self, Done { work, end, took }: Done) {
        let checking = self.checking.take();
        if let Some(ended) = checking.as_ref().and_then(|checking| checking.shown.as_ref()?.ended()) {
            self.notify("$/progress", ended);
        }
        if work.job.extent == Extent::Everything {
            // It may have ended before it noticed that it was cancelled.
            let is_wanted = checking.is_some_and(|checking| !checking.cancellation.is_cancelled());
            return self.take_rest(&work, if is_wanted { end } else { CheckEnd::Cancelled });
        }
        if self.client.options.checked == Extent::Nothing {
            // It started before checks were turned off.
            return;
        }
        let is_outdated = checking.is_some_and(|checking| checking.is_outdated);
        // Its results are still useful, but there is a newer text.
        if is_outdated && !self.waiting.contains(&work.job.folder) {
            self.waiting.insert(0, work.job.folder.clone());
        }
        match end {
            CheckEnd::Cancelled => return,
            CheckEnd::Found(results) => {
                let folder = self.folders.entry(work.job.folder).or_default();
                folder.take(*results, &self.documents, work.clock, self.settings.keep);
            }
            CheckEnd::Panicked => self.tell_of_defect(),
        }
        self.pace.finish(took);
        self.documents.note(&work.versions, work.clock);
        self.documents.forget(work.clock);
        self.expansions.age();
        self.publish();
        self.refresh();
    }

    /// Handles the result of a check of a whole folder. A cancelled one starts again later.
    pub(super) fn take_rest(&mut self, work: &Work, end: CheckEnd) {
        match end {
            CheckEnd::Cancelled => return,
            CheckEnd::Found(results) => self.workspace.take(&work.job.folder, *results, &self.documents, work.clock),
            CheckEnd::Panicked => {
                self.workspace.give_up(&work.job.folder);
                self.tell_of_defect();
            }
        }
        self.publish();
    }

    /// Requests a new check of the client's folders, if the client wants it.
    pub(super) fn want_rest(&mut self) {
        if self.client.options.checked != Extent::Everything {
            return;
        }
        self.workspace.want(&self.client.folders);
        // The running check started before the change.
        self.cancel_rest();
    }

    /// Cancels the running check of a whole folder.
    pub(super) fn cancel_rest(&self) {
        if let Some(checking) = self.checking.as_ref().filter(|checking| checking.extent == Extent::Everything) {
            checking.cancellation.cancel();
        }
    }

    /// Checks a folder in which a file has changed.
    pub(super) fn check_file(&mut self, folder: &Path) {
        self.check_folder(folder);
        // It may be a module or a setting of other folders.
        self.check_rest();
    }

    /// Adds all other folders to the queue, after those that wait already.
    pub(super) fn check_rest(&mut self) {
        let rest: Vec<PathBuf> = self.folders.keys().filter(|folder| !self.waiting.contains(folder)).cloned().collect();
        self.waiting.splice(0..0, rest);
    }

    pub(super) fn check_folder(&mut self, folder: &Path) {
        if let Some(checking) = &mut self.checking {
            checking.is_outdated = true;
        }
        self.cancel_outdated();
        self.waiting.retain(|waiting| waiting != folder);
        if self.client.options.checked != Extent::Nothing {
            self.waiting.push(folder.to_path_buf());
        }
    }

    /// Checks all folders with an open document, the last edited one first.
    pub(super) fn check_all(&mut self) {
        self.look();
        self.want_rest();
        // A marker of a root folder may be new or gone.
        self.documents.place(|path| roots::find_root(path, &self.client.folders));
        let mut documents: Vec<(u64, PathBuf)> =
            self.documents.iter().map(|(_, document)| (document.changed, document.root.clone())).collect();
        documents.sort();
        for (_, folder) in documents {
            self.check_folder(&folder);
        }
        // They may no longer contain documents.
        self.check_rest();
    }
}
