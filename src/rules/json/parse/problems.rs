//! Collecting what is wrong with a rule file.

use crate::diagnostic::{Code, Diagnostic, Label};
use crate::text::{FileId, Span, cut, nearest_name};
use crate::value::{Kind, Member, Object, Value};

/// Longest text of a rule file in a message, in bytes.
const MAX_QUOTED: usize = 40;

/// Marks what has been reported, and stands in the way of compiling a rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

/// What was read, unless a problem with it was reported.
pub(super) type Checked<T> = Result<T, Reported>;

/// The problems of one rule file.
#[derive(Debug)]
pub(super) struct Problems {
    file: FileId,
    list: Vec<Diagnostic>,
}

/// The problem that was just reported, to say more about it.
pub(super) struct Last<'a>(&'a mut Diagnostic);

impl Problems {
    pub(super) fn new(file: FileId) -> Self {
        Self { file, list: Vec::new() }
    }

    pub(super) fn extend(&mut self, diagnostics: impl Iterator<Item = Diagnostic>) {
        self.list.extend(diagnostics);
    }

    /// In the order of the text.
    pub(super) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|it| it.primary.span);
        self.list
    }

    /// Something that a rule may not say.
    pub(super) fn error(&mut self, at: &Value, message: impl Into<String>) -> Last<'_> {
        self.push(Code::RuleInvalid, at.span, message.into())
    }

    /// Something that a rule may say, but hardly wants to.
    pub(super) fn warn(&mut self, at: &Value, message: impl Into<String>) -> Last<'_> {
        self.push(Code::RuleSuspicious, at.span, message.into())
    }

    /// An error in what an object lacks: it points at the opening brace.
    pub(super) fn lacks(&mut self, object: &Value, message: impl Into<String>) -> Last<'_> {
        let brace = object.span.map(|span| Span { end: span.end.min(span.start + 1), ..span });
        self.push(Code::RuleInvalid, brace, message.into())
    }

    /// An error in the presence of a member.
    pub(super) fn error_at_key(&mut self, member: &Member, message: impl Into<String>) -> Last<'_> {
        self.push(Code::RuleInvalid, member.key_span.or(member.value.span), message.into())
    }

    /// Warns of members that mean nothing. It is an error if one recurs in another spelling: which would count?
    pub(super) fn check_names(&mut self, object: &Object, known: &[&'static str]) -> Checked<()> {
        let mut unique = Ok(());
        for (at, member) in object.iter().enumerate() {
            let span = member.key_span.or(member.value.span);
            let alike = |other: &&Member| other.key.eq_ignore_ascii_case(&member.key) && other.key != member.key;
            if !known.iter().any(|it| it.eq_ignore_ascii_case(&member.key)) {
                let message = format!("`{}` means nothing here", cut(&member.key, MAX_QUOTED));
                let problem = self.push(Code::RuleSuspicious, span, message);
                if let Some(near) = nearest_name(&member.key, known.iter().copied()) {
                    problem.help(format!("did you mean `{near}`?"));
                }
            } else if let Some(first) = object.iter().take(at).find(alike) {
                unique = Err(Reported);
                let message = format!("`{}` stands here already as `{}`", member.key, first.key);
                let problem = self.push(Code::RuleInvalid, span, message);
                if let Some(first) = first.key_span {
                    problem.label(first, "the first one");
                }
            }
        }
        unique
    }

    fn push(&mut self, code: Code, span: Option<Span>, message: String) -> Last<'_> {
        let span = span.unwrap_or_else(|| Span::whole_file(self.file));
        self.list.push(Diagnostic::new(code, span, message));
        let last = self.list.len() - 1;
        Last(&mut self.list[last])
    }
}

impl Last<'_> {
    /// Says what to do.
    pub(super) fn help(self, help: impl Into<String>) {
        self.0.help = Some(help.into());
    }

    /// Adds a place that explains the problem.
    pub(super) fn label(self, span: Span, message: &str) {
        self.0.secondary.push(Label { span, message: message.to_owned() });
    }
}

/// What a message says was found: a short value itself, of others the kind.
pub(super) fn found(value: &Value) -> String {
    match value.kind() {
        Kind::Array => "an array".to_owned(),
        Kind::Object => "an object".to_owned(),
        _ => format!("`{}`", cut(&value.to_json(), MAX_QUOTED)),
    }
}
