//! Parts of a Bicep file in which a name means another declaration: a parameter of a function, the variable of a
//! loop, or a nested resource.

use std::ops::Range;

use crate::outline::tokens::{Token, partners};

/// Maximum number of tokens in the parameters of a function.
const MAX_PARAMETERS: usize = 200;

/// Returns the ranges of tokens in which an inner declaration has this name, sorted and disjoint.
pub(super) fn shadowed(text: &str, tokens: &[Token], name: &str) -> Vec<Range<usize>> {
    let scopes = Scopes { text, tokens, partners: partners(tokens), name };
    let mut found: Vec<Range<usize>> = Vec::new();
    // Open brackets.
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('{' | '[' | '(') => open.push(at),
            Token::Mark('}' | ']' | ')') => drop(open.pop()),
            _ => {}
        }
        // A range inside another one is shadowed already, so each token is read once.
        if found.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let nested = open.last().and_then(|around| scopes.nested(at, *around));
        if let Some(scope) = nested.or_else(|| scopes.function(at)) {
            while found.last().is_some_and(|last| last.start >= scope.start) {
                found.pop();
            }
            found.push(scope);
        } else {
            found.extend(scopes.repeated(at).into_iter().flatten());
        }
    }
    found
}

struct Scopes<'t> {
    text: &'t str,
    tokens: &'t [Token],
    partners: Vec<Option<usize>>,
    name: &'t str,
}

impl Scopes<'_> {
    fn is_word(&self, at: usize, word: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_word(self.text, word))
    }

    fn is_mark(&self, at: usize, mark: char) -> bool {
        self.tokens.get(at) == Some(&Token::Mark(mark))
    }

    /// Returns the body of the resource around a nested one with the name, if `at` is the word that declares it.
    fn nested(&self, at: usize, around: usize) -> Option<Range<usize>> {
        let is_nested = self.is_word(at, "resource") && self.is_word(at + 1, self.name) && self.is_mark(around, '{');
        is_nested.then(|| around..self.partners.get(around).copied().flatten().unwrap_or(self.tokens.len()))
    }

    /// Returns the parameters and the body of a function that has a parameter with the name, if `=>` is at `at`.
    fn function(&self, at: usize) -> Option<Range<usize>> {
        if !self.is_mark(at, '=') || !self.is_mark(at + 1, '>') {
            return None;
        }
        let before = at.checked_sub(1)?;
        let is_one = self.is_word(before, self.name) && !self.is_result(before);
        let start = if is_one { before } else { self.parameters(before)? };
        Some(start..self.end(at + 2))
    }

    /// Returns the start of the parameters that end at `at`, or before the result type there, if the name is among
    /// them.
    fn parameters(&self, at: usize) -> Option<usize> {
        let close = if self.is_mark(at, ')') { at } else { at.checked_sub(1).filter(|_| self.is_result(at))? };
        let open = self.partners.get(close).copied().flatten()?;
        let mut names = (open + 1..close)
            .filter(|at| *at == open + 1 || self.is_mark(at - 1, ',') || self.tokens.get(at - 1) == Some(&Token::End));
        (close - open <= MAX_PARAMETERS && names.any(|at| self.is_word(at, self.name))).then_some(open)
    }

    /// True if a word is the result type of a function.
    fn is_result(&self, at: usize) -> bool {
        matches!(self.tokens.get(at), Some(Token::Word(_))) && at.checked_sub(1).is_some_and(|at| self.is_mark(at, ')'))
    }

    /// Returns the variables and the body of a loop that declares the name, if `at` is the word `for`.
    fn repeated(&self, at: usize) -> Option<[Range<usize>; 2]> {
        let open = at.checked_sub(1).filter(|open| self.is_mark(*open, '['))?;
        let variables = if self.is_mark(at + 1, '(') { at + 2..at + 5 } else { at + 1..at + 2 };
        if !self.is_word(at, "for") || !variables.clone().any(|at| self.is_word(at, self.name)) {
            return None;
        }
        let mut body = variables.end;
        while body < self.tokens.len() && !self.is_mark(body, ':') {
            body = self.partners.get(body).copied().flatten().filter(|close| *close > body).unwrap_or(body) + 1;
            // A loop without a body is not read twice.
            if self.partners.get(open).copied().flatten().is_none_or(|close| body >= close) {
                return Some([variables, body..body]);
            }
        }
        let close = self.partners.get(open).copied().flatten().unwrap_or(self.tokens.len());
        Some([variables, body..close])
    }

    /// Returns the end of an expression that starts at a token.
    fn end(&self, start: usize) -> usize {
        let mut at = start;
        // Number of open strings with an interpolation.
        let mut strings = 0_usize;
        while let Some(token) = self.tokens.get(at) {
            match token {
                Token::Mark('{' | '[' | '(') => match self.partners.get(at).copied().flatten() {
                    Some(close) => at = close,
                    None => return self.tokens.len(),
                },
                Token::Mark('}' | ']' | ')' | ',') => return at,
                Token::End if at > start => return at,
                Token::Text(range) => {
                    let written = self.text.get(range.clone()).unwrap_or_default();
                    if written.starts_with('}') {
                        let Some(outer) = strings.checked_sub(1) else { return at };
                        strings = outer;
                    }
                    strings += usize::from(written.ends_with("${"));
                }
                _ => {}
            }
            at += 1;
        }
        at
    }
}
