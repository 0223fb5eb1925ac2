//! State that all templates of one expansion share: limits, and the problems found.

use std::cell::{Cell, RefCell};

use crate::Breach;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Budget, Limits, SecretTexts};
use crate::text::{Span, Suggestions};

/// Maximum number of problems reported for one expansion. A hostile template may have a million of them.
const MAX_REPORTED: usize = 500;

/// Collects problems and counts the work of one expansion.
#[derive(Debug)]
pub(super) struct World<'a> {
    pub(super) limits: &'a Limits,
    /// Suggestions for misspelled names.
    pub(super) suggestions: Suggestions,
    /// Remaining budget of the expansion.
    pub(super) budget: &'a Budget<'a>,
    /// Strings that messages must not contain.
    pub(super) secret_texts: SecretTexts,
    is_exhausted: Cell<bool>,
    /// True if problems are dropped, because they were reported before, or because a value is only tried.
    is_silent: Cell<bool>,
    breaches: RefCell<Vec<Breach>>,
    diagnostics: RefCell<Vec<Diagnostic>>,
}

impl<'a> World<'a> {
    pub(super) fn new(budget: &'a Budget<'a>) -> Self {
        Self {
            limits: budget.limits(),
            suggestions: Suggestions::default(),
            budget,
            secret_texts: SecretTexts::default(),
            is_exhausted: Cell::new(false),
            is_silent: Cell::new(false),
            breaches: RefCell::default(),
            diagnostics: RefCell::default(),
        }
    }

    /// Returns everything that was reported, without secrets.
    pub(super) fn into_problems(self) -> (Vec<Breach>, Vec<Diagnostic>) {
        let mask = self.secret_texts.mask();
        let mut breaches = self.breaches.into_inner();
        for breach in &mut breaches {
            mask.hide(&mut breach.message);
        }
        let mut diagnostics = self.diagnostics.into_inner();
        for diagnostic in &mut diagnostics {
            mask.hide_in(diagnostic);
        }
        (breaches, diagnostics)
    }

    pub(super) fn report_breach(&self, breach: Breach) {
        if self.is_silent.get() {
            return;
        }
        self.breaches.borrow_mut().push(breach);
    }

    pub(super) fn report(&self, diagnostic: Diagnostic) {
        if self.is_silent.get() {
            return;
        }
        let mut all = self.diagnostics.borrow_mut();
        // A limit is always reported, since it explains missing resources.
        let has_room = all.len() < MAX_REPORTED || diagnostic.code == Code::TemplateLimit;
        if has_room && !all.contains(&diagnostic) {
            all.push(diagnostic);
        }
    }

    /// Returns the result of `work`, without a report of what is wrong meanwhile.
    pub(super) fn in_silence<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.is_silent.replace(true);
        let result = work();
        self.is_silent.set(before);
        result
    }

    /// Returns `true` if more problems are accepted. Composing a message may cost more than the evaluation.
    pub(super) fn hears_reports(&self) -> bool {
        !self.is_silent.get() && self.diagnostics.borrow().len() < MAX_REPORTED
    }

    /// Counts work: one step for a value, and one for each 16 bytes of text that are built. Returns whether the
    /// expansion may continue. The first time that it may not is reported at `span`.
    pub(super) fn spend(&self, bytes: usize, span: Option<Span>) -> bool {
        self.spend_steps(1 + bytes / 16, span)
    }

    /// Counts steps of work. Returns `true` if the expansion may continue, like [`Self::spend`].
    pub(super) fn spend_steps(&self, steps: usize, span: Option<Span>) -> bool {
        match self.budget.spend(steps as u64) {
            Ok(()) => true,
            Err(exceeded) => self.exhaust(span, format!("the template {exceeded}")),
        }
    }

    /// Ends the expansion: reports `message`, if it is the first such report. Always `false`.
    pub(super) fn exhaust(&self, span: Option<Span>, message: String) -> bool {
        if let Some(span) = span.filter(|_| !self.is_exhausted.replace(true)) {
            self.report(Diagnostic::new(Code::TemplateLimit, span, message));
        }
        false
    }

    /// Returns `true` if a limit was reached.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted.get()
    }
}
