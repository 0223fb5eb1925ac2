//! Escapes untrusted text in output. All output of formwork uses it.
//!
//! Names, values, and messages are from templates and the file system. The author of a template must not be able to
//! color, erase, or reorder the text that a reviewer sees, to give commands to the runner of a workflow, or to add
//! markup to a page. Each function is for one kind of output:
//!
//! | output | function |
//! |---|---|
//! | anywhere in a line | [`visible`] |
//! | to the start of a line | [`line()`] |
//! | to the start of a line, and names a file | [`file_name`] |
//! | into a command of a workflow | [`command_data`], [`command_property`] |
//! | into Markdown | [`markdown`] |
//! | into HTML | [`html`](fn@html) |
//! | into JSON | [`JsonText`] |
//! | into a message of several lines that people read | [`visible_lines`] |
//! | into a URI, as a path | [`uri_path`] |
//!
//! All text to a standard stream also passes through a [`Guarded`].
//!
//! Text that must not change, such as a diff, is checked with [`is_plain_line`], and not printed if this fails.

mod commands;
mod guarded;
mod html;
mod json_text;
pub mod markdown;
mod terminal;
mod uri;

pub use self::commands::{command_data, command_property, file_name, is_plain_line, line, visible, visible_lines};
pub use self::guarded::{Guarded, Notation};
pub use self::html::html;
pub use self::json_text::JsonText;
pub use self::terminal::push_written_out;
pub use self::uri::uri_path;
