//! Contents of loaded files, by the calls that load them.

use foldhash::HashMap;

use crate::compiler::members::length_with;
use crate::text::Span;
use crate::value::Value;

/// A loaded file.
#[derive(Debug)]
pub(super) struct Load {
    /// Variable that holds the contents. `None` if they replace the call.
    pub variable: Option<String>,
    pub value: Value,
}

/// Loaded files of one source file, by the span of the call.
#[derive(Debug, Default)]
pub(super) struct Loads {
    pub(super) calls: HashMap<Span, Load>,
    /// Spans of the calls, in the order of their variables.
    pub order: Vec<Span>,
}

impl Loads {
    pub(super) fn get(&self, call: Span) -> Option<&Load> {
        self.calls.get(&call)
    }

    /// Returns the approximate number of loaded bytes.
    pub(super) fn length(&self) -> usize {
        fn length_of(value: &Value) -> usize {
            length_with(value, &length_of)
        }
        self.calls.values().map(|load| length_of(&load.value)).sum()
    }
}
