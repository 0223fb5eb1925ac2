//! Verdicts of cfn-guard 3.2.1 on a document, as its `validate` and `test` print them.

use crate::diagnostic::Level;
use crate::guard3::ast::RulesFile;
use crate::guard3::document::GuardDocument;
use crate::guard3::eval::results::{FAIL, PASS};
use crate::guard3::eval::{Evaluator, Failure};
use crate::guard3::limits::LIMITS;
use crate::guard3::parse::parse;
use crate::model::Budget;
use crate::outcomes::Outcomes;
use crate::text::FileId;
use crate::value::Value;

/// The verdict of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All its clauses hold.
    Pass,
    /// A clause does not hold.
    Fail,
    /// The rule does not apply.
    Skip,
}

impl Status {
    /// Returns the position in which the verdict counts if several rules have one name: the lowest one does.
    const fn rank(self) -> u8 {
        match self {
            Self::Fail => 0,
            Self::Pass => 1,
            Self::Skip => 2,
        }
    }

    /// All verdicts, best first.
    pub const ALL: &[Self] = &[Self::Pass, Self::Fail, Self::Skip];

    /// Returns the word of cfn-guard.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Skip => "SKIP",
        }
    }
}

/// Verdicts of the rules of a file, by name. If several rules have a name, FAIL comes before PASS before SKIP.
pub type Statuses = Vec<(String, Status)>;

/// The rules of a file, as cfn-guard runs them.
#[derive(Debug)]
pub struct Program {
    file: RulesFile,
}

impl Program {
    /// Parses a rules file.
    ///
    /// # Errors
    ///
    /// The message about an error in the file, or about something that only cfn-guard rejects.
    pub fn new(file: FileId, rules: &str) -> Result<Self, String> {
        let parsed = parse(file, rules);
        if let Some(problem) = parsed.problems.iter().find(|problem| problem.level == Level::Error) {
            return Err(problem.message.clone());
        }
        if parsed.is_refused {
            return Err("cfn-guard refuses the file".to_owned());
        }
        Ok(Self { file: parsed.file })
    }

    /// Evaluates all rules on a document. The rule of the clauses outside of rules is called `default`.
    ///
    /// # Errors
    ///
    /// The reason for which cfn-guard would end the run.
    pub fn statuses(&self, document: Value) -> Result<Statuses, String> {
        let document = GuardDocument::raw(document);
        let budget = Budget::new(&LIMITS).shared(self.file.rules.len());
        let evaluator = Evaluator::new(&self.file, &document, &budget);
        let (mut statuses, mut aborted) = (Statuses::new(), None);
        evaluator.rules(0..self.file.rules.len(), &mut |index, result, failures| {
            let rule = self.file.rules.get(index);
            let name = rule.and_then(|rule| rule.name).map_or("default", |name| self.file.names.text(name));
            if failures.iter().any(Failure::crashes) {
                aborted = aborted.take().or_else(|| Some("cfn-guard crashes while it reports a value".to_owned()));
            }
            match result {
                Ok(set) => add(&mut statuses, name, status(set)),
                Err(abort) => aborted = aborted.take().or_else(|| Some(abort.reason().to_owned())),
            }
        });
        aborted.map_or(Ok(statuses), Err)
    }
}

fn status(set: Outcomes) -> Status {
    match () {
        () if set.may_be(FAIL) => Status::Fail,
        () if set.may_be(PASS) => Status::Pass,
        () => Status::Skip,
    }
}

fn add(statuses: &mut Statuses, name: &str, status: Status) {
    match statuses.iter_mut().find(|(known, _)| known == name) {
        Some((_, known)) if status.rank() < known.rank() => *known = status,
        Some(_) => {}
        None => statuses.push((name.to_owned(), status)),
    }
}
