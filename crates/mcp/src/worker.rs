//! Thread that calls the tools, so that the message loop never waits.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::call::{ToolAnswer, ToolCall, Tools};

/// Channels for calls and answers. The thread ends when the channel of calls is closed.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) calls: Sender<ToolCall>,
    pub(crate) answers: Receiver<ToolAnswer>,
}

impl Worker {
    pub(crate) fn start(mut tools: Box<dyn Tools>) -> io::Result<Self> {
        let (calls, to_do) = unbounded::<ToolCall>();
        let (done, answers) = unbounded();
        thread::Builder::new().name("tools".to_owned()).spawn(move || {
            for call in to_do {
                let answer = catch_unwind(AssertUnwindSafe(|| tools.call(&call)));
                let defect = "INCOMPLETE formwork failed on this call, which is a defect; its log has the details";
                if done.send(answer.unwrap_or_else(|_| ToolAnswer::error(defect))).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { calls, answers })
    }
}
