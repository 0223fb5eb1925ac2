//! Names in files of Bicep, which may be broken.

use std::ops::Range;

/// A part of a text that is not a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(Range<usize>),
    /// A string, or a part of one between interpolations, with its quotes.
    Text(Range<usize>),
    Mark(char),
    /// The end of a line, and with it mostly that of a declaration.
    End,
}

/// Where names are used or declared that are written like this one. The names of properties and outputs are others.
pub(super) fn uses(text: &str, name: &str) -> Vec<Range<usize>> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word(range) = token else { continue };
        if text.get(range.clone()) == Some(name) && is_name(text, &tokens, at) {
            found.push(range.clone());
        }
    }
    found
}

/// Whether a word names something, and is not itself the name of a property or an output.
fn is_name(text: &str, tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let is_key = tokens.get(at + 1) == Some(&Token::Mark(':'))
        && matches!(before, None | Some(Token::End | Token::Mark('{' | ',')));
    let is_output = matches!(before, Some(Token::Word(word)) if text.get(word.clone()) == Some("output"));
    before != Some(&Token::Mark('.')) && !is_key && !is_output
}

/// Where a parameter file sets a parameter.
pub(super) fn assignments(text: &str, name: &str) -> Vec<Range<usize>> {
    let tokens = tokens(text);
    let is_set = |pair: &[Token]| match pair {
        [Token::Word(word), Token::Word(of)] if text.get(word.clone()) == Some("param") => {
            Some(of.clone()).filter(|of| text.get(of.clone()) == Some(name))
        }
        _ => None,
    };
    tokens.windows(2).filter_map(is_set).collect()
}

/// Where a file passes an argument of this name to the module whose path is written at `path`.
pub(super) fn arguments(text: &str, path: &Range<usize>, name: &str) -> Vec<Range<usize>> {
    let tokens = tokens(text);
    let is_path = |token: &Token| matches!(token, Token::Text(text) if text.contains(&path.start));
    let Some(start) = tokens.iter().position(is_path) else { return Vec::new() };
    let (mut found, mut depth, mut of_params) = (Vec::new(), 0_usize, None);
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token {
            Token::Mark('{' | '[' | '(') => depth += 1,
            Token::Mark('}' | ']' | ')') => {
                depth = depth.saturating_sub(1);
                of_params = of_params.filter(|of_params| *of_params < depth);
            }
            // The declaration is over.
            Token::End if depth == 0 && at > start + 1 => break,
            Token::Word(word) if tokens.get(at + 1) == Some(&Token::Mark(':')) => {
                let word_text = text.get(word.clone());
                match of_params {
                    None if word_text == Some("params") => of_params = Some(depth),
                    Some(of_params) if depth == of_params + 1 && word_text == Some(name) => found.push(word.clone()),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// The tokens of a text, however broken it is.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    // For each interpolation around a place: how many braces are open in it.
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
                // A string does not go on in the next line.
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

/// The length of the part of a string at the beginning of `rest`, up to its end or the next interpolation, which it opens.
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
