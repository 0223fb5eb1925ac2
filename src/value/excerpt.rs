//! Values as JSON text of bounded length, for messages.

use std::io;

use crate::text::cut;
use crate::value::{Masking, Value, write_json};

/// The longest text of a value in a report, in bytes.
const MAX_ACTUAL: usize = 200;

impl Value {
    /// The value as reports show it beside a finding: compact JSON, cut, secrets masked.
    pub fn to_actual(&self) -> String {
        self.to_json_up_to(MAX_ACTUAL)
    }

    /// Compact JSON with secrets masked, cut with an ellipsis. A large value is not written to its end.
    pub fn to_json_up_to(&self, length: usize) -> String {
        let mut prefix = Prefix { bytes: Vec::new(), length };
        // The only error is that of `Prefix`: there is enough.
        let complete = write_json(self, Masking::Secrets, false, &mut prefix).is_ok();
        let text = String::from_utf8_lossy(&prefix.bytes);
        if complete { cut(&text, length) } else { cut(&format!("{text} "), length) }
    }
}

/// Takes bytes until it has more than `length`.
struct Prefix {
    bytes: Vec<u8>,
    length: usize,
}

impl io::Write for Prefix {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = (self.length + 1).saturating_sub(self.bytes.len());
        if room == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let taken = bytes.len().min(room);
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
