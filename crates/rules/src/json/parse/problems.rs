//! Collects the problems of a rule file.

use crate::diagnostic::{Code, Diagnostic, Label};
use crate::pattern::{Dialect, Pattern};
use crate::text::{FileId, Span, cut, nearest_name};
use crate::value::{Kind, Member, Object, Value};

/// Longest part of a rule file in a message, in bytes.
const MAX_QUOTED: usize = 40;

/// Error of a part whose problem has been reported. The rule with that part is not compiled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

/// Result of checking a part of a rule.
pub(super) type Checked<T> = Result<T, Reported>;

/// Problems of one rule file.
#[derive(Debug)]
pub(super) struct Problems {
    file: FileId,
    list: Vec<Diagnostic>,
    /// Work of the large patterns of the file so far, in bytes: see [`Pattern::work`].
    pattern_work: usize,
}

/// Maximum work of the large patterns of a file, in bytes that they may take. Corresponds to about one second.
const MAX_PATTERN_WORK: usize = 256 << 20;

/// The problem that was just reported, to add to it. `None` if there is none, which adds nothing.
pub(super) struct LastProblem<'a>(Option<&'a mut Diagnostic>);

impl Problems {
    pub(super) fn new(file: FileId) -> Self {
        Self { file, list: Vec::new(), pattern_work: 0 }
    }

    /// Counts the work that a pattern is. True if there is not too much.
    pub(super) fn allow_pattern(&mut self, pattern: &str) -> bool {
        self.pattern_work = self.pattern_work.saturating_add(Pattern::work(Dialect::DotNet, pattern));
        self.pattern_work <= MAX_PATTERN_WORK
    }

    pub(super) fn extend(&mut self, diagnostics: impl Iterator<Item = Diagnostic>) {
        self.list.extend(diagnostics);
    }

    /// Returns the problems in the order of the text. A problem in a constant is reported once, however many rules use
    /// it.
    pub(super) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|problem| problem.primary.span);
        self.list.dedup_by(|next, first| next.primary.span == first.primary.span && next.message == first.message);
        self.list
    }

    /// Reports something that the rule language does not allow.
    pub(super) fn error(&mut self, at: &Value, message: impl Into<String>) -> LastProblem<'_> {
        self.push(Code::RuleInvalid, at.span, message.into())
    }

    /// Reports something that is allowed, but is probably a mistake.
    pub(super) fn warn(&mut self, at: &Value, message: impl Into<String>) -> LastProblem<'_> {
        self.push(Code::RuleSuspicious, at.span, message.into())
    }

    /// Reports a missing member of an object, at its opening brace.
    pub(super) fn lacks(&mut self, object: &Value, message: impl Into<String>) -> LastProblem<'_> {
        let brace = object.span.map(|span| object.head(span));
        self.push(Code::RuleInvalid, brace, message.into())
    }

    /// Reports an unexpected member, at its key.
    pub(super) fn error_at_key(&mut self, member: &Member, message: impl Into<String>) -> LastProblem<'_> {
        self.push(Code::RuleInvalid, member.key_span.or(member.value.span), message.into())
    }

    /// Reports something that is allowed, but is probably a mistake, at the key of a member.
    pub(super) fn warn_at_key(&mut self, member: &Member, message: impl Into<String>) -> LastProblem<'_> {
        self.push(Code::RuleSuspicious, member.key_span.or(member.value.span), message.into())
    }

    /// Warns of unknown members. A name that occurs twice in different cases is an error, since it is unclear which one
    /// counts.
    pub(super) fn check_names(&mut self, object: &Object, known: &[&'static str]) -> Checked<()> {
        let mut unique = Ok(());
        for (at, member) in object.iter().enumerate() {
            let span = member.key_span.or(member.value.span);
            if !known.iter().any(|name| name.eq_ignore_ascii_case(&member.key)) {
                let message = format!("unknown name `{}`", cut(&member.key, MAX_QUOTED));
                let problem = self.push(Code::RuleSuspicious, span, message);
                if let Some(near) = nearest_name(&member.key, known.iter().copied()) {
                    problem.help(format!("did you mean `{near}`?"));
                }
            } else if let Some(first) = object
                .iter()
                .take(at)
                .find(|other: &&Member| other.key.eq_ignore_ascii_case(&member.key) && other.key != member.key)
            {
                unique = Err(Reported);
                let message =
                    format!("`{}` is already here as `{}`; names are case-insensitive", member.key, first.key);
                let problem = self.push(Code::RuleInvalid, span, message);
                if let Some(first) = first.key_span {
                    problem.label(first, "the first one");
                }
            }
        }
        unique
    }

    fn push(&mut self, code: Code, span: Option<Span>, message: String) -> LastProblem<'_> {
        let span = span.unwrap_or_else(|| Span::whole_file(self.file));
        self.list.push(Diagnostic::new(code, span, message));
        LastProblem(self.list.last_mut())
    }
}

impl LastProblem<'_> {
    /// Adds advice.
    pub(super) fn help(self, help: impl Into<String>) {
        if let Some(problem) = self.0 {
            problem.help = Some(help.into());
        }
    }

    /// Adds a span that explains the problem.
    pub(super) fn label(self, span: Span, message: &str) {
        if let Some(problem) = self.0 {
            problem.secondary.push(Label::new(span, message));
        }
    }
}

/// Describes an unexpected value for a message: a short value itself, else its kind.
pub(super) fn describe_found(value: &Value) -> String {
    match value.kind() {
        Kind::Array => "an array".to_owned(),
        Kind::Object => "an object".to_owned(),
        _ => format!("`{}`", cut(&value.to_json(), MAX_QUOTED)),
    }
}
