//! Finds commas after the last member of an object or the last item of an array, which some tools refuse.

/// Returns the offsets of the commas after a last member or item in a text that the parser accepts, at most `most` of
/// them.
///
/// # Examples
///
/// ```
/// use formwork_syntax::json::trailing_commas;
///
/// assert_eq!(trailing_commas(r#"{"a": [1, 2,], "b": ",]",}"#, 10), [11, 24]);
/// ```
pub fn trailing_commas(text: &str, most: usize) -> Vec<usize> {
    if !may_have_one(text.as_bytes()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut comma = None;
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' | b'\'' => {
                comma = None;
                while let Some((_, inner)) = bytes.next() {
                    match inner {
                        b'\\' => {
                            bytes.next();
                        }
                        _ if inner == byte => break,
                        _ => {}
                    }
                }
            }
            b'/' if bytes.next_if(|(_, next)| *next == b'/').is_some() => {
                while bytes.next_if(|(_, next)| !matches!(next, b'\n' | b'\r')).is_some() {}
            }
            b'/' if bytes.next_if(|(_, next)| *next == b'*').is_some() => {
                let mut last = 0;
                for (_, next) in bytes.by_ref() {
                    if last == b'*' && next == b'/' {
                        break;
                    }
                    last = next;
                }
            }
            b',' => comma = Some(at),
            b'}' | b']' => {
                found.extend(comma.take());
                if found.len() >= most {
                    return found;
                }
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
    }
    found
}

/// Returns `true` if a closing bracket or a comment follows directly after a comma. In most texts, none does.
fn may_have_one(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b',', bytes).any(|at| {
        let mut after = bytes.iter().skip(at + 1).skip_while(|byte| byte.is_ascii_whitespace());
        matches!(after.next(), Some(b'}' | b']' | b'/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_after_the_last_part_are_found() {
        let check = |text: &str, expected: &[usize]| assert_eq!(trailing_commas(text, 10), expected, "{text}");
        check("{}", &[]);
        check("[1, 2]", &[]);
        check("[1, 2,\n]", &[5]);
        check(
            r#"{"a": 1, // last,
            }"#,
            &[7],
        );
        check("[1, /* x */ ]", &[2]);
        check("[1 // one\n , // last,\n ]", &[11]);
        check(r#"["a,]", 'b,]', "\",]"]"#, &[]);
        check("[[1,],]", &[3, 5]);
        assert_eq!(trailing_commas("[[1,],]", 1), [3]);
    }
}
