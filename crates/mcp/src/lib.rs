//! The server for coding agents, which speaks the Model Context Protocol on standard input and output.
//!
//! This crate knows the protocol, the tools and their arguments, and the order of calls. It does not read templates: the
//! program answers the calls ([`Tools`]). One thread holds all state ([`server`]), one reads messages, and one calls the
//! tools, one call after the other.
//!
//! Reference: <https://modelcontextprotocol.io/specification>, from revision 2024-11-05 to 2026-07-28.
//!
//! # Invariants
//!
//! - Standard output has only messages of the protocol.
//! - Every request has one answer, unless the client cancels it.
//! - A message takes no more memory than [`MAX_MESSAGE`], and no more than [`MAX_WAITING`](server::MAX_WAITING) calls wait.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod arguments;
mod call;
mod server;
#[cfg(test)]
mod tests;
mod tool;
mod transport;
mod worker;

pub use self::arguments::{Arguments, Files};
pub use self::call::{ToolAnswer, ToolCall, Tools};
pub use self::server::Settings;
pub use self::tool::Tool;
pub use self::transport::{MAX_MESSAGE, serve_streams};
