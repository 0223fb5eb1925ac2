//! Names in Bicep files, which may be invalid.

use std::ops::Range;

use super::scopes;
use crate::outline::tokens::{Token, tokens};

/// Returns the uses and declarations of a name. Names of properties and outputs do not count, nor do names that a
/// construct inside a declaration declares.
pub(super) fn uses(text: &str, name: &str) -> Vec<Range<usize>> {
    let tokens = tokens(text);
    let mut shadowed = scopes::shadowed(text, &tokens, name).into_iter().peekable();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        while shadowed.next_if(|range| range.end <= at).is_some() {}
        let Token::Word(range) = token else { continue };
        let is_shadowed = shadowed.peek().is_some_and(|shadowed| shadowed.contains(&at));
        if !is_shadowed && token.is_word(text, name) && is_name(text, &tokens, at) {
            found.push(range.clone());
        }
    }
    found
}

/// True if a word refers to a declaration, and is not the name of a property, a nested resource, or an output.
fn is_name(text: &str, tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    let second = at.checked_sub(2).and_then(|at| tokens.get(at));
    let is_key = tokens.get(at + 1) == Some(&Token::Mark(':'))
        && tokens.get(at + 2) != Some(&Token::Mark(':'))
        && matches!(before, None | Some(Token::End | Token::Mark('{' | ',')));
    let is_output = before.is_some_and(|token| token.is_word(text, "output"));
    // `a.b`, `a.?b`, and `a::b`.
    let is_member = match before {
        Some(Token::Mark('.')) => true,
        Some(Token::Mark('?')) => second == Some(&Token::Mark('.')),
        Some(Token::Mark(':')) => second == Some(&Token::Mark(':')),
        _ => false,
    };
    !is_member && !is_key && !is_output
}

/// Returns the assignments of a parameter in a parameter file.
pub(super) fn assignments(text: &str, name: &str) -> Vec<Range<usize>> {
    let tokens = tokens(text);
    let assigned = tokens.windows(2).filter_map(|pair| match pair {
        [word, Token::Word(of)] if word.is_word(text, "param") => {
            Some(of.clone()).filter(|of| text.get(of.clone()) == Some(name))
        }
        _ => None,
    });
    assigned.collect()
}

/// Returns the places where a file passes an argument of this name to the modules whose paths are at `paths`.
pub(super) fn arguments(text: &str, paths: &[Range<usize>], name: &str) -> Vec<Range<usize>> {
    if paths.is_empty() {
        return Vec::new();
    }
    let mut paths = paths.iter().peekable();
    let mut found = Vec::new();
    let mut module: Option<Module> = None;
    let tokens = tokens(text);
    for (at, token) in tokens.iter().enumerate() {
        if let Token::Text(written) = token {
            while paths.next_if(|path| path.start < written.start).is_some() {}
            if paths.next_if(|path| written.contains(&path.start)).is_some() {
                module = Some(Module { start: at, depth: 0, of_params: None });
            }
        }
        let Some(current) = &mut module else { continue };
        match token {
            // The declaration has ended.
            Token::End if current.depth == 0 && at > current.start + 1 => module = None,
            Token::Word(word)
                if tokens.get(at + 1) == Some(&Token::Mark(':'))
                    && current.is_argument(text.get(word.clone()), name) =>
            {
                found.push(word.clone());
            }
            Token::Mark(mark) => current.bracket(*mark),
            _ => {}
        }
    }
    found
}

/// State of a module declaration while its tokens are read.
struct Module {
    /// Index of the token of its path.
    start: usize,
    /// Number of open brackets.
    depth: usize,
    /// Number of open brackets at its `params`.
    of_params: Option<usize>,
}

impl Module {
    fn bracket(&mut self, mark: char) {
        match mark {
            '{' | '[' | '(' => self.depth += 1,
            '}' | ']' | ')' => {
                self.depth = self.depth.saturating_sub(1);
                self.of_params = self.of_params.filter(|of_params| *of_params < self.depth);
            }
            _ => {}
        }
    }

    /// True if a key is that of an argument of this name.
    fn is_argument(&mut self, key: Option<&str>, name: &str) -> bool {
        match self.of_params {
            None if key == Some("params") => self.of_params = Some(self.depth),
            Some(of_params) => return self.depth == of_params + 1 && key == Some(name),
            None => {}
        }
        false
    }
}
