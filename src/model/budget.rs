//! What one expansion may take: steps and memory, of which a long text allows for more than a short one.

use std::cell::{Cell, RefCell};
use std::fmt;

use foldhash::HashSet;

use crate::model::Limits;
use crate::text::FileId;
use crate::value::{Value, held_bytes};

/// How much memory the values of an expansion may take for each byte of its templates.
const BYTES_PER_WRITTEN_BYTE: usize = 4;

/// Counts the steps and the memory of one expansion against the limits. They grow with the text of its templates: what
/// is written is no bomb.
#[derive(Debug)]
pub struct Budget<'a> {
    limits: &'a Limits,
    steps: Cell<u64>,
    /// How many bytes all templates of the expansion have.
    written: Cell<usize>,
    /// The files of these templates.
    files: RefCell<HashSet<FileId>>,
    /// What [`held_bytes`] was at the start.
    held_before: usize,
}

/// The limit that an expansion has exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    Steps(u64),
    Bytes(usize),
}

impl<'a> Budget<'a> {
    /// A budget for an expansion that begins now, on this thread.
    pub fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            steps: Cell::new(0),
            written: Cell::new(0),
            files: RefCell::default(),
            held_before: held_bytes(),
        }
    }

    /// Allows for what the text of a template takes, once for each file. Returns whether the file is a new one.
    pub fn allow_for(&self, template: &Value) -> bool {
        let Some(span) = template.span.filter(|span| self.files.borrow_mut().insert(span.file)) else { return false };
        let bytes = span.end.saturating_sub(span.start) as usize;
        self.written.set(self.written.get().saturating_add(bytes));
        true
    }

    /// Counts steps against the limit, and checks that on memory.
    pub fn spend(&self, steps: u64) -> Result<(), Exceeded> {
        let taken = self.steps.get().saturating_add(steps);
        self.steps.set(taken);
        let limit = self.limits.steps.saturating_add(self.written.get() as u64);
        if taken > limit {
            return Err(Exceeded::Steps(limit));
        }
        let written = self.written.get().saturating_mul(BYTES_PER_WRITTEN_BYTE);
        let limit = self.limits.memory_bytes.saturating_add(written);
        if self.held() > limit { Err(Exceeded::Bytes(limit)) } else { Ok(()) }
    }

    /// How many bytes all templates of the expansion have.
    pub fn written(&self) -> usize {
        self.written.get()
    }

    /// The limit on the values in one array or object. A written value takes at least two bytes.
    pub fn weight_limit(&self) -> usize {
        (self.limits.value_weight as usize).saturating_add(self.written.get() / 2)
    }

    /// The bytes of the values that were made since the start. Some that are older may have ended meanwhile.
    fn held(&self) -> usize {
        let change = held_bytes().wrapping_sub(self.held_before);
        if change > usize::MAX / 2 { 0 } else { change }
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(limit) => write!(f, "takes more than {limit} steps to evaluate"),
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
        assert_eq!(budget.spend(99), Ok(()));
        assert_eq!(budget.spend(1), Err(Exceeded::Steps(110)));
        assert_eq!(budget.weight_limit(), 55);
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
