//! All files of a run, built by one `bicep jsonrpc` process.
//!
//! Questions about all files are on the way at once. Where the process dies, nobody knows which of them it was: they are
//! asked again one by one, and the next that it dies of is the culprit. Where it falls silent, the culprit is the one
//! that waits longest.

use std::collections::VecDeque;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use crate::bicep::cli::rpc::{Answer, Refusal, Session, Silence};
use crate::bicep::cli::{Built, Failure, Request, answer};

/// How many files may each cost a new process. Behind that it is the CLI and not the files.
const MAX_CULPRITS: usize = 3;

/// One question about one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Build(usize),
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
pub(super) struct Outcome {
    /// `None` until there is one.
    pub(super) built: Option<Result<Built, Failure>>,
    /// All files that it hangs on, where the CLI can tell.
    pub(super) references: Option<Vec<PathBuf>>,
}

/// The work on a batch.
pub(super) struct Batch<'a> {
    requests: &'a [&'a Request],
    overrides: Json,
    outcomes: Vec<Outcome>,
    waiting: VecDeque<Question>,
    /// Whether only one question is on the way at a time.
    one_by_one: bool,
    culprits: usize,
}

impl<'a> Batch<'a> {
    /// `overrides` is an object in JSON, which replaces values in parameter files.
    pub(super) fn new(requests: &'a [&'a Request], overrides: Option<&str>) -> Self {
        let overrides = overrides.and_then(|it| serde_json::from_str::<Json>(it).ok()).filter(Json::is_object);
        let builds = (0..requests.len()).map(Question::Build);
        let references = (0..requests.len()).map(Question::References);
        Self {
            requests,
            overrides: overrides.unwrap_or_else(|| json!({})),
            outcomes: requests.iter().map(|_| Outcome::default()).collect(),
            waiting: builds.chain(references).collect(),
            one_by_one: false,
            culprits: 0,
        }
    }

    /// Asks everything; `restart` gives a new session, or `None` if there can be none. The outcomes are in the order of
    /// the requests.
    pub(super) fn run(mut self, mut session: Session, mut restart: impl FnMut() -> Option<Session>) -> Vec<Outcome> {
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

    /// Asks what is waiting. If the answers cease, the questions that were on the way come back, the oldest first.
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
                Ok(Answer { id, result }) => {
                    if let Some(at) = pending.iter().position(|it| it.0 == id)
                        && let Some((_, question)) = pending.remove(at)
                    {
                        self.take(question, result);
                    }
                }
                Err(silence) => return Err((silence, pending.into_iter().map(|it| it.1).collect())),
            }
        }
    }

    fn ask(&self, session: &mut Session, question: Question) -> u64 {
        let request = self.requests[question.file()];
        match question {
            Question::References(_) => session.ask("bicep/getFileReferences", &json!({"path": request.path})),
            Question::Build(_) if request.is_parameters => {
                let parameters = json!({"path": request.path, "parameterOverrides": self.overrides});
                session.ask("bicep/compileParams", &parameters)
            }
            Question::Build(_) => session.ask("bicep/compile", &json!({"path": request.path})),
        }
    }

    fn take(&mut self, question: Question, result: Result<Json, Refusal>) {
        let file = question.file();
        let outcome = &mut self.outcomes[file];
        match (question, result) {
            (Question::Build(_), Ok(result)) => {
                outcome.built = Some(Ok(answer::of_rpc(result, self.requests[file].is_parameters)));
            }
            (Question::Build(_), Err(refusal)) if refusal.is_unknown_method => {
                outcome.built = Some(Err(Failure::Unsupported));
            }
            (Question::Build(_), Err(refusal)) => outcome.built = Some(Err(Failure::Refused(refusal.message))),
            (Question::References(_), result) => {
                let paths = result.ok().and_then(|it| serde_json::from_value(it["filePaths"].clone()).ok());
                outcome.references = paths;
            }
        }
    }

    /// Decides whose fault a silence is, and queues the others again.
    fn blame(&mut self, silence: Silence, mut pending: VecDeque<Question>) {
        let is_clear = pending.len() == 1 || matches!(silence, Silence::TimedOut);
        if is_clear && let Some(culprit) = pending.pop_front() {
            let failure = match silence {
                Silence::Ended(how) => Failure::Crashed(how),
                Silence::TimedOut => Failure::TimedOut,
            };
            self.culprits += 1;
            // References are for the cache alone.
            if let Question::Build(file) = culprit {
                self.outcomes[file].built = Some(Err(failure));
                pending.retain(|it| it.file() != file);
                self.waiting.retain(|it| it.file() != file);
            }
        } else {
            self.one_by_one = true;
        }
        while let Some(question) = pending.pop_back() {
            self.waiting.push_front(question);
        }
    }

    fn give_up(&mut self) {
        for question in self.waiting.drain(..) {
            if let Question::Build(file) = question {
                self.outcomes[file].built = Some(Err(Failure::Abandoned));
            }
        }
    }
}
