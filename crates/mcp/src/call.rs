//! Interface between the server and the program that answers calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use formwork_model::model::Cancellation;
use serde_json::Value;

use crate::arguments::Arguments;
use crate::tool::Tool;

/// Answers calls of tools, one after the other.
pub trait Tools: Send {
    /// Answers a call. The answer to a cancelled call is not sent.
    fn call(&mut self, call: &ToolCall) -> ToolAnswer;
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct ToolCall {
    pub tool: Tool,
    pub arguments: Arguments,
    /// Cancellation: set if the client cancels the call, or if it takes too long.
    pub cancellation: Cancellation,
    is_late: Arc<AtomicBool>,
}

impl ToolCall {
    /// Creates a call that is neither cancelled nor late.
    pub fn new(tool: Tool, arguments: Arguments) -> Self {
        Self { tool, arguments, cancellation: Cancellation::default(), is_late: Arc::default() }
    }

    /// True if the call took too long and was stopped. Its answer has what was found until then.
    pub fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    /// Stops the call because it takes too long.
    pub(crate) fn stop(&self) {
        self.is_late.store(true, Ordering::Relaxed);
        self.cancellation.cancel();
    }
}

/// The answer of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolAnswer {
    pub text: String,
    /// The answer as JSON, for tools with an output schema.
    pub structured: Option<Value>,
    /// True if the call could not be answered. The text then says what to do.
    pub is_error: bool,
}

impl ToolAnswer {
    /// Returns an answer of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Returns an answer that says why there is none, and what to do.
    pub fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true, ..Self::default() }
    }
}
