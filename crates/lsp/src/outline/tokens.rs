//! Tokens of Bicep, for searches in texts that may be invalid.

use std::ops::Range;

/// A part of a text outside of comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Word(Range<usize>),
    /// A string, or a part of one between interpolations, with its quotes.
    Text(Range<usize>),
    Mark(char),
    /// End of a line, which usually ends a declaration.
    End,
}

impl Token {
    /// True if the token is this word of a text.
    pub(crate) fn is_word(&self, text: &str, word: &str) -> bool {
        matches!(self, Self::Word(range) if text.get(range.clone()) == Some(word))
    }
}

/// Returns the tokens of a text, even if it is invalid.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    // For each interpolation around the position: the number of open braces in it.
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(c) = rest.chars().next()
    {
        let length = match c {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if rest.starts_with("'''") => {
                let end = rest.get(3..).and_then(|inner| inner.find("'''")).map_or(rest.len(), |end| end + 6);
                tokens.push(Token::Text(at..at + end));
                end
            }
            '\'' => string(rest, at, &mut tokens, &mut open),
            '}' if open.last() == Some(&0) => {
                open.pop();
                string(rest, at, &mut tokens, &mut open)
            }
            '\n' => {
                // A string does not continue on the next line.
                open.clear();
                tokens.push(Token::End);
                1
            }
            c if c.is_alphanumeric() || c == '_' => {
                let word: usize =
                    rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').map(char::len_utf8).sum();
                tokens.push(Token::Word(at..at + word));
                word
            }
            c => {
                match (c, open.last_mut()) {
                    ('{', Some(braces)) => *braces += 1,
                    ('}', Some(braces)) => *braces -= 1,
                    _ => {}
                }
                if !c.is_whitespace() {
                    tokens.push(Token::Mark(c));
                }
                c.len_utf8()
            }
        };
        at += length.max(1);
    }
    tokens
}

/// Returns the length of the part of a string at the start of `rest`, up to its end or the next interpolation, which
/// it opens.
fn string(rest: &str, at: usize, tokens: &mut Vec<Token>, open: &mut Vec<usize>) -> usize {
    let mut escaped = false;
    let mut end = rest.len();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((index, c)) = chars.next() {
        match c {
            '\n' => {
                end = index;
                break;
            }
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' => {
                end = index + 1;
                break;
            }
            '$' if chars.peek().is_some_and(|(_, next)| *next == '{') => {
                open.push(0);
                end = index + 2;
                break;
            }
            _ => {}
        }
    }
    tokens.push(Token::Text(at..at + end));
    end
}

/// Returns the bytes of the path after `using` in a parameter file, with its quotes.
pub(crate) fn using(text: &str) -> Option<Range<usize>> {
    let tokens = tokens(text);
    let at = tokens.iter().enumerate().position(|(at, token)| {
        let is_first = at.checked_sub(1).is_none_or(|before| tokens.get(before) == Some(&Token::End));
        is_first && token.is_word(text, "using")
    })?;
    match tokens.get(at + 1)? {
        Token::Text(path) => Some(path.clone()),
        _ => None,
    }
}

/// Returns the other bracket for each token that is a bracket.
pub(crate) fn partners(tokens: &[Token]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('{' | '[' | '(') => open.push(at),
            Token::Mark('}' | ']' | ')') => {
                let Some(start) = open.pop() else { continue };
                if let Some(partner) = partners.get_mut(start) {
                    *partner = Some(at);
                }
                if let Some(partner) = partners.get_mut(at) {
                    *partner = Some(start);
                }
            }
            _ => {}
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_of_a_parameter_file_is_not_named_in_comments() {
        let text = "// For those using the 'dev.bicep'.\n/* using 'x' */ param using = 'using'\nusing 'main.bicep'\n";
        assert_eq!(using(text).and_then(|path| text.get(path)), Some("'main.bicep'"));
        assert_eq!(using("using none\n"), None);
        assert_eq!(using("using"), None);
    }
}
