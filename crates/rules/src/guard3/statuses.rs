//! The verdicts of cfn-guard 3.2.1 on a document, as its `validate` and `test` print them.

use crate::diagnostic::{Diagnostic, Level};
use crate::guard3::document::GuardDocument;
use crate::guard3::eval::{Abort, Evaluator, Failure, Set};
use crate::guard3::parse::parse;
use crate::text::FileId;
use crate::value::Value;

/// The verdict of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All its clauses hold.
    Pass,
    /// A clause does not hold.
    Fail,
    /// It does not apply.
    Skip,
}

impl Status {
    /// The word of cfn-guard.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Skip => "SKIP",
        }
    }
}

/// The verdicts of the rules of a file: each name once, with FAIL before PASS before SKIP where several rules have it.
pub type Statuses = Vec<(String, Status)>;

/// Evaluates all rules of a file on a document as cfn-guard does. The rule of the clauses outside of rules is called
/// `default`.
///
/// # Errors
///
/// What is wrong with the rules file, or why cfn-guard would end the run.
pub fn statuses(file: FileId, rules: &str, document: Value) -> Result<Statuses, String> {
    let parsed = parse(file, rules);
    let is_error = |problem: &&Diagnostic| problem.level == Level::Error;
    if let Some(problem) = parsed.problems.iter().find(is_error) {
        return Err(problem.message.clone());
    }
    if parsed.is_refused {
        return Err("cfn-guard refuses the file".to_owned());
    }
    let document = GuardDocument::raw(document);
    let evaluator = Evaluator::new(&parsed.file, &document);
    let (mut statuses, mut aborted) = (Statuses::new(), None);
    evaluator.rules(0..parsed.file.rules.len(), &mut |index, result, failures| {
        let rule = parsed.file.rules.get(index);
        let name = rule.and_then(|rule| rule.name).map_or("default", |name| parsed.file.names.text(name));
        if failures.iter().any(Failure::crashes) {
            aborted = aborted.take().or_else(|| Some("cfn-guard crashes while it reports a value".to_owned()));
        }
        match result {
            Ok(set) => add(&mut statuses, name, status(set)),
            Err(Abort::Fatal(why)) => aborted = aborted.take().or(Some(why)),
            Err(Abort::Undecidable) => aborted = aborted.take().or_else(|| Some("a clause is undecidable".to_owned())),
        }
    });
    aborted.map_or(Ok(statuses), Err)
}

fn status(set: Set) -> Status {
    match () {
        () if set.may(Set::FAIL) => Status::Fail,
        () if set.may(Set::PASS) => Status::Pass,
        () => Status::Skip,
    }
}

fn add(statuses: &mut Statuses, name: &str, status: Status) {
    let order = |status: Status| match status {
        Status::Fail => 0,
        Status::Pass => 1,
        Status::Skip => 2,
    };
    match statuses.iter_mut().find(|(known, _)| known == name) {
        Some((_, known)) if order(status) < order(*known) => *known = status,
        Some(_) => {}
        None => statuses.push((name.to_owned(), status)),
    }
}
