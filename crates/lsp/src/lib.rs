//! The language server, which shows the results of checks in editors.
//!
//! The server knows the protocol, the open documents, and the latest results. It does not read templates: the program
//! checks them ([`Checks`]) and returns a [`Report`](formwork_report::Report). One thread holds all state and handles
//! messages in their order ([`server`]); a second one checks ([`worker`]), and a third one publishes diagnostics
//! ([`publish`]). Requests are answered from the latest result, whose locations follow later edits, so none waits for
//! a check. A newer text cancels a running check.
//!
//! # Invariants
//!
//! - There is one pipeline: unsaved changes replace the content of files on the disk (`files::Overlay` of the crate
//!   `check`).
//! - The values of a hover and the text of an expansion come from the same run, without secrets.
//! - A server starts no process, downloads nothing, and writes nothing: fixes are edits that the client makes.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod answers;
mod buffer;
mod checks;
mod client;
mod diagnostics;
mod documents;
mod environment;
mod folder;
mod framing;
mod items;
mod outline;
mod pace;
mod progress;
mod publish;
mod results;
mod roots;
mod server;
#[cfg(test)]
mod tests;
mod text;
mod transport;
mod uri;
mod view;
mod worker;
mod workspace;

pub use self::checks::{
    Accepted, Baseline, Checked, Checks, Deployment, Extent, FileText, Job, Progress, Shown, Written,
};
pub use self::framing::{Frame, read_line};
pub use self::server::Settings;
pub use self::transport::{serve, serve_streams};
