//! Reads messages from bytes. Before each message is a header with its length. A client that sends something else gets
//! an error, and the next message is read.
//!
//! Reference: <https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/#baseProtocol>.
//!
//! # Invariant
//!
//! A message takes no more memory than [`MAX_LENGTH`].

use std::io::{self, BufRead, Read, Write};

use lsp_server::{ErrorCode, Message};
use serde_json::json;

/// The longest message that is read, in bytes. Editors do not send larger documents.
const MAX_LENGTH: u64 = 64 << 20;

/// The longest line of a header that is read, in bytes.
const MAX_LINE: u64 = 8 << 10;

/// The name of the field of a header that has the length of the message.
const CONTENT_LENGTH: &str = "content-length:";

/// Result of reading the input up to the end of a message.
#[derive(Debug)]
pub enum Frame {
    /// A message.
    Message(Message),
    /// Something that is not a message, and why not.
    Refused(String),
    /// The end of the connection.
    End,
}

/// Reads the next message.
///
/// # Errors
///
/// Fails if the connection does.
pub(crate) fn read_frame(input: &mut impl BufRead) -> io::Result<Frame> {
    let Some(length) = read_header(input)? else { return Ok(Frame::End) };
    let Ok(length) = length else { return Ok(Frame::Refused("the header has no valid `Content-Length`".to_owned())) };
    let mut body = input.by_ref().take(length);
    if length > MAX_LENGTH {
        io::copy(&mut body, &mut io::sink())?;
        return Ok(Frame::Refused(format!("the message has {length} bytes; expected at most {MAX_LENGTH}")));
    }
    // The room grows with what arrives, and not with what is announced.
    let mut bytes = Vec::new();
    body.read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Ok(Frame::End);
    }
    Ok(message(&bytes))
}

/// Reads the next message of at most `limit` bytes from a line of its own, as other protocols send them. Empty lines are
/// skipped.
///
/// # Errors
///
/// Fails if the connection does.
pub fn read_line(input: &mut impl BufRead, limit: u64) -> io::Result<Frame> {
    loop {
        let mut bytes = Vec::new();
        if input.by_ref().take(limit).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(Frame::End);
        }
        if bytes.len() as u64 == limit && !bytes.ends_with(b"\n") {
            skip_line(input)?;
            return Ok(Frame::Refused(format!("the message is longer than {limit} bytes")));
        }
        if !bytes.trim_ascii().is_empty() {
            return Ok(message(&bytes));
        }
    }
}

/// Skips the rest of a line, however long it is.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let available = input.fill_buf()?;
        let (end, length) = match available.iter().position(|byte| *byte == b'\n') {
            Some(at) => (true, at + 1),
            None => (available.is_empty(), available.len()),
        };
        input.consume(length);
        if end {
            return Ok(());
        }
    }
}

fn message(bytes: &[u8]) -> Frame {
    match serde_json::from_slice(bytes) {
        Ok(message) => Frame::Message(message),
        Err(_) => Frame::Refused("the message is not a request, a notification, or a response in JSON".to_owned()),
    }
}

/// Reads lines until an empty one. Returns the length that they give. `None` at the end of the connection.
fn read_header(input: &mut impl BufRead) -> io::Result<Option<Result<u64, ()>>> {
    let mut length = Err(());
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line).to_ascii_lowercase();
        // The body of a message that was refused may be before it.
        if let Some((_, value)) = text.rsplit_once(CONTENT_LENGTH) {
            length = value.trim().parse().map_err(|_| ());
        }
        if text.trim().is_empty() && line.ends_with(b"\n") {
            return Ok(Some(length));
        }
    }
}

/// Writes the answer to something that is not a message.
///
/// # Errors
///
/// Fails if the connection does.
pub(crate) fn write_refusal(output: &mut impl Write, why: &str) -> io::Result<()> {
    let error = json!({"code": ErrorCode::ParseError as i32, "message": why});
    let text = json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, repeat};

    use super::*;

    const VALID: &str = r#"{"jsonrpc": "2.0", "method": "exit"}"#;

    fn framed(body: &[u8]) -> Vec<u8> {
        [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
    }

    /// The methods of the messages in a text, and `-` for what is refused.
    fn read_all(mut input: impl BufRead) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            match read_frame(&mut input).unwrap() {
                Frame::Message(Message::Notification(note)) => all.push(note.method),
                Frame::Message(_) => all.push("?".to_owned()),
                Frame::Refused(_) => all.push("-".to_owned()),
                Frame::End => return all,
            }
        }
    }

    #[test]
    fn what_is_not_a_message_is_refused_and_the_next_is_read() {
        let bodies: &[&[u8]] =
            &[b"", b"NaN", b"[]", b"{", b"7", b"\"\\ud800\"", b"{\"method\": \"a\xff\"}", br#"{"id": {}}"#];
        for body in bodies {
            let text = [framed(VALID.as_bytes()), framed(body), framed(VALID.as_bytes())].concat();
            assert_eq!(read_all(text.as_slice()), ["exit", "-", "exit"], "{}", String::from_utf8_lossy(body));
        }
        let surrogate = r#"{"method": "textDocument/didOpen", "params": {"text": "\ud800"}}"#;
        assert_eq!(read_all(framed(surrogate.as_bytes()).as_slice()), ["-"]);
    }

    #[test]
    fn headers_may_be_wrong() {
        for header in
            ["Content-Length: -1", "Content-Length: x", "Content-Length: 99999999999999999999", "Other: 1", ":"]
        {
            let text = [format!("{header}\r\n\r\n").as_bytes(), &framed(VALID.as_bytes())].concat();
            assert_eq!(read_all(text.as_slice()), ["-", "exit"], "{header}");
        }
        let other = format!("content-length:{}\nContent-Type: x\n\n{VALID}", VALID.len());
        assert_eq!(read_all(other.as_bytes()), ["exit"]);
        // What follows the header that was refused is no header.
        let refused = [b"Content-Length: x\r\n\r\n{}".as_slice(), &framed(VALID.as_bytes())].concat();
        assert_eq!(read_all(refused.as_slice()), ["-", "exit"]);
    }

    #[test]
    fn a_message_that_is_too_long_is_skipped_and_not_kept() {
        let length = MAX_LENGTH + 1;
        let long = format!("Content-Length: {length}\r\n\r\n").into_bytes();
        let next = framed(VALID.as_bytes());
        let input = BufReader::new(long.as_slice().chain(repeat(b'x').take(length)).chain(next.as_slice()));
        assert_eq!(read_all(input), ["-", "exit"]);
    }

    #[test]
    fn a_message_that_is_cut_short_ends_the_connection() {
        assert!(read_all(b"Content-Length: 3000000000\r\n\r\n{}".as_slice()).iter().all(|one| one == "-"));
        assert_eq!(read_all(b"Content-Length: 10\r\n\r\n{}".as_slice()), [] as [&str; 0]);
        assert_eq!(read_all(b"Content-Len".as_slice()), [] as [&str; 0]);
    }

    #[test]
    fn a_refusal_is_a_response_without_an_id() {
        let mut output = Vec::new();
        write_refusal(&mut output, "no").unwrap();
        let text = String::from_utf8(output).unwrap();
        let (header, body) = text.split_once("\r\n\r\n").unwrap();
        assert_eq!(header, format!("Content-Length: {}", body.len()));
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!((&body["id"], &body["error"]["code"]), (&serde_json::Value::Null, &(-32_700).into()));
    }
}
