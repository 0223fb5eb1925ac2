//! Builds all files of a run with one `bicep jsonrpc` process.
//!
//! The requests for all files are sent at once. If the process dies, any of the pending requests may be the reason, so
//! they are sent to a new process one by one: the next one that kills it is the culprit. If the process times out, the
//! culprit is the oldest pending request.

use std::collections::VecDeque;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use crate::bicep::cli::rpc::{Refusal, RpcResponse, Session, Silence};
use crate::bicep::cli::{Request, answer};
use crate::bicep::{Built, Failure};

/// Number of files that may each cost a new process. If there are more, the CLI is the problem rather than the files.
const MAX_CULPRITS: usize = 3;

/// Request to the process, about the file at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Build(usize),
    /// Asks for the files that the file depends on.
    References(usize),
}

impl Question {
    fn file(self) -> usize {
        match self {
            Self::Build(file) | Self::References(file) => file,
        }
    }
}

/// The answers about one file.
#[derive(Debug, Default)]
pub(super) struct FileOutcome {
    /// The result of the build. `None` until it is answered.
    pub(super) built: Option<Result<Built, Failure>>,
    /// All files that it depends on. `None` if the CLI does not answer that.
    pub(super) references: Option<Vec<PathBuf>>,
}

/// Builds a number of files, and keeps track of the questions.
pub(super) struct Batch<'a> {
    requests: &'a [&'a Request],
    overrides: Json,
    /// Outcomes, in the order of the requests.
    outcomes: Vec<FileOutcome>,
    /// The questions that have not been sent yet.
    waiting: VecDeque<Question>,
    /// True if each question waits for the answer to the previous one.
    one_by_one: bool,
    /// Number of questions that have cost a process.
    culprits: usize,
}

impl<'a> Batch<'a> {
    /// Creates the state for building `requests`. `overrides` is a JSON object of values that replace those in
    /// parameter files. Anything else is ignored.
    pub(super) fn new(requests: &'a [&'a Request], overrides: Option<&str>) -> Self {
        let overrides = overrides.and_then(|text| serde_json::from_str::<Json>(text).ok()).filter(Json::is_object);
        let builds = (0..requests.len()).map(Question::Build);
        let references = (0..requests.len()).map(Question::References);
        Self {
            requests,
            overrides: overrides.unwrap_or_else(|| json!({})),
            outcomes: requests.iter().map(|_| FileOutcome::default()).collect(),
            waiting: builds.chain(references).collect(),
            one_by_one: false,
            culprits: 0,
        }
    }

    /// Asks all questions, and returns the outcomes in the order of the requests. `restart` starts a new session after
    /// one has failed; `None` ends the batch.
    pub(super) fn run(
        mut self,
        mut session: Session,
        mut restart: impl FnMut() -> Option<Session>,
    ) -> Vec<FileOutcome> {
        loop {
            let Err((silence, pending)) = self.ask_all(&mut session) else {
                session.finish();
                break;
            };
            drop(session);
            self.blame(silence, pending);
            if self.waiting.is_empty() {
                break;
            }
            let restarted = if self.culprits < MAX_CULPRITS { restart() } else { None };
            let Some(new) = restarted else {
                self.give_up();
                break;
            };
            session = new;
        }
        self.outcomes
    }

    /// Asks the waiting questions. If there are no more answers, returns the unanswered questions, the oldest first.
    fn ask_all(&mut self, session: &mut Session) -> Result<(), (Silence, VecDeque<Question>)> {
        let mut pending: VecDeque<(u64, Question)> = VecDeque::new();
        loop {
            while (!self.one_by_one || pending.is_empty())
                && let Some(question) = self.waiting.pop_front()
            {
                let id = self.ask(session, question);
                pending.push_back((id, question));
            }
            if pending.is_empty() {
                return Ok(());
            }
            match session.listen() {
                Ok(RpcResponse { id, result }) => {
                    if let Some(at) = pending.iter().position(|(pending_id, _)| *pending_id == id)
                        && let Some((_, question)) = pending.remove(at)
                    {
                        self.take(question, result);
                    }
                }
                Err(silence) => return Err((silence, pending.into_iter().map(|(_, question)| question).collect())),
            }
        }
    }

    #[expect(clippy::indexing_slicing, reason = "files are numbered by their requests")]
    fn request(&self, file: usize) -> &'a Request {
        self.requests[file]
    }

    #[expect(clippy::indexing_slicing, reason = "there is one outcome for each request")]
    fn outcome(&mut self, file: usize) -> &mut FileOutcome {
        &mut self.outcomes[file]
    }

    /// Sends a question, and returns the id that its answer will have.
    fn ask(&self, session: &mut Session, question: Question) -> u64 {
        let request = self.request(question.file());
        match question {
            Question::References(_) => session.ask("bicep/getFileReferences", &json!({"path": request.path})),
            Question::Build(_) if request.is_parameters => {
                let parameters = json!({"path": request.path, "parameterOverrides": self.overrides});
                session.ask("bicep/compileParams", &parameters)
            }
            Question::Build(_) => session.ask("bicep/compile", &json!({"path": request.path})),
        }
    }

    /// Notes the answer to a question.
    fn take(&mut self, question: Question, result: Result<Json, Refusal>) {
        let file = question.file();
        let is_parameters = self.request(file).is_parameters;
        let outcome = self.outcome(file);
        match (question, result) {
            (Question::Build(_), Ok(result)) => {
                outcome.built = Some(Ok(answer::of_rpc(result, is_parameters)));
            }
            (Question::Build(_), Err(refusal)) if refusal.is_unknown_method => {
                outcome.built = Some(Err(Failure::Unsupported));
            }
            (Question::Build(_), Err(refusal)) => outcome.built = Some(Err(Failure::Refused(refusal.message))),
            (Question::References(_), result) => {
                let paths = result.ok().and_then(|mut result| Some(result.get_mut("filePaths")?.take()));
                outcome.references = paths.and_then(|paths| serde_json::from_value(paths).ok());
            }
        }
    }

    /// Decides which of the pending questions caused a silence, and queues the others again. If that is unclear, all of
    /// them are queued, to be asked one by one.
    fn blame(&mut self, silence: Silence, mut pending: VecDeque<Question>) {
        let is_clear = pending.len() == 1 || matches!(silence, Silence::TimedOut);
        if is_clear && let Some(culprit) = pending.pop_front() {
            let failure = match silence {
                Silence::Ended(how) => Failure::Crashed(how),
                Silence::TimedOut => Failure::TimedOut,
            };
            self.culprits += 1;
            // Without its references a file is only not cached.
            if let Question::Build(file) = culprit {
                self.outcome(file).built = Some(Err(failure));
                pending.retain(|question| question.file() != file);
                self.waiting.retain(|question| question.file() != file);
            }
        } else {
            self.one_by_one = true;
        }
        while let Some(question) = pending.pop_back() {
            self.waiting.push_front(question);
        }
    }

    /// Answers the remaining questions with a failure.
    fn give_up(&mut self) {
        for question in std::mem::take(&mut self.waiting) {
            if let Question::Build(file) = question {
                self.outcome(file).built = Some(Err(Failure::Abandoned));
            }
        }
    }
}
