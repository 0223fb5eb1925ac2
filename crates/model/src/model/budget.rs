//! Limits of one expansion: steps and memory. A longer template has higher limits. A run with
//! several expansions assigns each of them a part of its steps.

use std::cell::{Cell, RefCell};
use std::fmt;

use foldhash::HashSet;

use crate::model::{Cancellation, Limits, Quotas};
use crate::text::FileId;
use crate::value::{Value, held_bytes};

/// Memory that the values of an expansion may occupy for each byte of its templates.
const BYTES_PER_WRITTEN_BYTE: usize = 4;

/// Number of steps for checking each resource that a loop or a module repeats. Other resources need no additional
/// steps.
pub const STEPS_OF_REPEATED: usize = 140;

/// Number of bytes in the path of a repeated resource for one additional step. Paths grow with the depth of nested
/// deployments, and each finding contains its path.
pub const BYTES_OF_PATH_PER_STEP: usize = 4;

/// Counts the steps and the memory of one expansion against the limits. The limits grow with the size of its
/// templates, because only computed values can grow without bound.
#[derive(Debug)]
pub struct Budget<'a> {
    limits: &'a Limits,
    allotment: Allotment,
    cancellation: Cancellation,
    steps: Cell<u64>,
    /// Size of all templates of the expansion, in bytes.
    written: Cell<usize>,
    /// The files of these templates.
    files: RefCell<HashSet<FileId>>,
    /// Value of [`held_bytes`] at the start.
    held_before: usize,
    /// Bytes that were kept besides: see [`Budget::keep`].
    kept: Cell<usize>,
    /// The parts of the works that share it, if several do.
    quotas: Option<Quotas>,
    /// The work that takes steps now.
    work: Cell<Option<usize>>,
}

/// Guard of one work of several that share a budget. The work takes steps until the guard is dropped.
#[derive(Debug)]
#[must_use = "the work ends when it is dropped"]
pub struct Working<'b> {
    work: &'b Cell<Option<usize>>,
    before: Option<usize>,
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.work.set(self.before);
    }
}

/// The steps that one expansion of a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    pub steps: u64,
    /// Maximum number of steps of all expansions of the run.
    pub run: u64,
}

/// The limit that an expansion has exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    Steps(u64),
    /// The limit of the run, which other expansions have used.
    Run(u64),
    /// The part of one of several works, which is at most so many steps.
    Share(u64),
    Bytes(usize),
    /// The work was cancelled.
    Cancelled,
}

impl<'a> Budget<'a> {
    /// Creates a budget for the only expansion of a run. The expansion must begin now, on this thread.
    pub fn new(limits: &'a Limits) -> Self {
        Self::of_run(limits, Allotment { steps: u64::MAX, run: u64::MAX })
    }

    /// Creates a budget for one of several expansions, with its part of the steps of the run.
    pub fn of_run(limits: &'a Limits, allotment: Allotment) -> Self {
        Self {
            limits,
            allotment,
            cancellation: Cancellation::default(),
            steps: Cell::new(0),
            written: Cell::new(0),
            files: RefCell::default(),
            held_before: held_bytes(),
            kept: Cell::new(0),
            quotas: None,
            work: Cell::new(None),
        }
    }

    /// Divides the steps among so many works, of which none can take those of the others.
    #[must_use]
    pub fn shared(self, works: usize) -> Self {
        Self { quotas: Some(Quotas::new(self.limits.steps, works)), ..self }
    }

    /// Lets a work take its own part of the steps until the result is dropped.
    pub fn work(&self, work: usize) -> Working<'_> {
        Working { work: &self.work, before: self.work.replace(Some(work)) }
    }

    /// Returns the works that would have taken more than their parts, in order.
    pub fn exceeded(&self) -> impl Iterator<Item = usize> {
        self.quotas.iter().flat_map(Quotas::exceeded)
    }

    /// Makes the budget end once the work is cancelled.
    #[must_use]
    pub fn until(self, cancellation: &Cancellation) -> Self {
        Self { cancellation: cancellation.clone(), ..self }
    }

    /// Raises the limits for the text of a template, once for each file. Returns `true` for a new file.
    pub fn allow_for(&self, template: &Value) -> bool {
        let Some(span) = template.span.filter(|span| self.files.borrow_mut().insert(span.file)) else { return false };
        let bytes = span.end.saturating_sub(span.start) as usize;
        self.written.set(self.written.get().saturating_add(bytes));
        true
    }

    /// Adds steps, and checks all limits.
    pub fn spend(&self, steps: u64) -> Result<(), Exceeded> {
        if let (Some(quotas), Some(work)) = (&self.quotas, self.work.get()) {
            if !quotas.take(work, steps) {
                return Err(Exceeded::Share(quotas.most()));
            }
            self.steps.set(self.steps.get().saturating_add(steps));
            return self.keep(0);
        }
        let taken = self.steps.get().saturating_add(steps);
        self.steps.set(taken);
        if self.cancellation.is_cancelled() {
            return Err(Exceeded::Cancelled);
        }
        let limit = self.most_steps();
        if taken > limit.min(self.allotment.steps) {
            let is_own = limit <= self.allotment.steps;
            return Err(if is_own { Exceeded::Steps(limit) } else { Exceeded::Run(self.allotment.run) });
        }
        self.keep(0)
    }

    /// Counts bytes that are kept besides arrays and objects, such as those of strings, and checks the limit on memory.
    pub fn keep(&self, bytes: usize) -> Result<(), Exceeded> {
        let kept = self.kept.get().saturating_add(bytes);
        self.kept.set(kept);
        let written = self.written.get().saturating_mul(BYTES_PER_WRITTEN_BYTE);
        let limit = self.limits.memory_bytes.saturating_add(written);
        if self.held().saturating_add(kept) > limit { Err(Exceeded::Bytes(limit)) } else { Ok(()) }
    }

    /// Notes that so many bytes that were kept are dropped.
    pub fn give_back(&self, bytes: usize) {
        self.kept.set(self.kept.get().saturating_sub(bytes));
    }

    /// Returns `true` if more than half of the steps are taken that the expansion may take, also in another run.
    pub fn is_half_spent(&self) -> bool {
        self.steps.get() > self.most_steps() / 2
    }

    /// Returns the maximum number of steps, which longer templates raise.
    fn most_steps(&self) -> u64 {
        self.limits.steps.saturating_add(self.written.get() as u64)
    }

    /// Returns the limits of the run.
    pub fn limits(&self) -> &'a Limits {
        self.limits
    }

    /// Returns the steps taken, at most those assigned.
    pub fn steps_taken(&self) -> u64 {
        self.steps.get().min(self.allotment.steps)
    }

    /// Returns whether the expansion needed more steps than it was assigned.
    pub fn wants_more(&self) -> bool {
        self.steps.get() > self.allotment.steps
    }

    /// Returns the size of all templates of the expansion in bytes.
    pub fn written(&self) -> usize {
        self.written.get()
    }

    /// Returns the maximum number of values in one array or object. A value takes at least two bytes of text.
    pub fn weight_limit(&self) -> usize {
        (self.limits.value_weight as usize).saturating_add(self.written.get() / 2)
    }

    /// Returns the memory of the values created since the start. Older values may have been dropped in the meantime.
    fn held(&self) -> usize {
        let change = held_bytes().wrapping_sub(self.held_before);
        if change > usize::MAX / 2 { 0 } else { change }
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(limit) | Self::Share(limit) => write!(f, "takes more than {limit} steps to evaluate"),
            Self::Run(limit) => write!(f, "takes more steps than others leave of the {limit} that a run may take"),
            Self::Cancelled => f.write_str("was cancelled"),
            Self::Bytes(limit) => write!(f, "has values of more than {limit} bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Sources, Span};

    fn text(file: FileId, length: u32) -> Value {
        Value::from(1).at(Span::new(file, 0, length))
    }

    #[test]
    fn a_long_text_allows_for_more_once() {
        let limits = Limits { steps: 10, value_weight: 5, ..Limits::default() };
        let budget = Budget::new(&limits);
        assert_eq!(budget.spend(11), Err(Exceeded::Steps(10)));
        let file = Sources::new().add("main.json", "");
        assert!(budget.allow_for(&text(file, 100)));
        assert!(!budget.allow_for(&text(file, 100)));
        assert!(!budget.is_half_spent());
        assert_eq!(budget.spend(99), Ok(()));
        assert!(budget.is_half_spent());
        assert_eq!(budget.spend(1), Err(Exceeded::Steps(110)));
        assert_eq!(budget.weight_limit(), 55);
    }

    #[test]
    fn a_run_allots_a_part_of_its_steps() {
        let limits = Limits { steps: 10, ..Limits::default() };
        let budget = Budget::of_run(&limits, Allotment { steps: 7, run: 15 });
        assert_eq!((budget.spend(7), budget.steps_taken(), budget.wants_more()), (Ok(()), 7, false));
        assert_eq!((budget.spend(1), budget.steps_taken(), budget.wants_more()), (Err(Exceeded::Run(15)), 7, true));
        let budget = Budget::of_run(&limits, Allotment { steps: 12, run: 15 });
        assert_eq!(
            (budget.spend(11), budget.steps_taken(), budget.wants_more()),
            (Err(Exceeded::Steps(10)), 11, false)
        );
    }

    #[test]
    fn works_that_share_a_budget_have_parts_of_their_own() {
        let limits = Limits { steps: 80, ..Limits::default() };
        let budget = Budget::new(&limits).shared(2);
        {
            let _first = budget.work(0);
            assert_eq!(budget.spend(30), Ok(()));
            assert_eq!((budget.spend(1), budget.spend(0)), (Err(Exceeded::Share(30)), Err(Exceeded::Share(30))));
            let _second = budget.work(1);
            assert_eq!(budget.spend(20), Ok(()));
        }
        assert_eq!(budget.exceeded().collect::<Vec<_>>(), [0]);
        // The rest is for what belongs to no work.
        assert_eq!((budget.steps_taken(), budget.spend(30), budget.spend(1)), (50, Ok(()), Err(Exceeded::Steps(80))));
    }

    #[test]
    fn what_is_kept_counts_as_memory() {
        let limits = Limits { memory_bytes: 100, ..Limits::default() };
        let budget = Budget::new(&limits);
        assert_eq!((budget.keep(100), budget.keep(1)), (Ok(()), Err(Exceeded::Bytes(100))));
        budget.give_back(50);
        assert_eq!(budget.keep(49), Ok(()));
    }

    #[test]
    fn nothing_is_left_once_the_work_is_cancelled() {
        let (limits, cancellation) = (Limits::default(), Cancellation::default());
        let budget = Budget::new(&limits).until(&cancellation);
        assert_eq!(budget.spend(1), Ok(()));
        cancellation.cancel();
        assert_eq!(budget.spend(1), Err(Exceeded::Cancelled));
    }

    #[test]
    fn what_is_dropped_is_given_back() {
        let limits = Limits { memory_bytes: 100_000, ..Limits::default() };
        let budget = Budget::new(&limits);
        let large = || Value::array(vec![Value::NULL; 1_000]);
        for _ in 0..10 {
            drop(large());
        }
        assert_eq!(budget.spend(1), Ok(()));
        let kept: Vec<Value> = (0..10).map(|_| large()).collect();
        assert_eq!(budget.spend(1), Err(Exceeded::Bytes(100_000)));
        drop(kept);
        assert_eq!(budget.spend(1), Ok(()));
    }
}
