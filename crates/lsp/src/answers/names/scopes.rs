//! The parts of a file of Bicep in which a name is that of something else: a parameter of a function, the variable of a
//! loop, or a nested resource.

use std::ops::Range;

use crate::outline::tokens::{Token, partners};

/// How many tokens the parameters of a function may have.
const MAX_PARAMETERS: usize = 200;

/// The tokens for which something inside a declaration has this name, in their order and apart from each other.
pub(super) fn shadowed(text: &str, tokens: &[Token], name: &str) -> Vec<Range<usize>> {
    let scopes = Scopes { text, tokens, partners: partners(tokens), name };
    let mut found: Vec<Range<usize>> = Vec::new();
    // The brackets that are open.
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('{' | '[' | '(') => open.push(at),
            Token::Mark('}' | ']' | ')') => drop(open.pop()),
            _ => {}
        }
        // What is inside one is shadowed already: each token is read once.
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

    /// The body of the resource around a nested one that has the name, where `at` is the word that declares it.
    fn nested(&self, at: usize, around: usize) -> Option<Range<usize>> {
        let is_nested = self.is_word(at, "resource") && self.is_word(at + 1, self.name) && self.is_mark(around, '{');
        is_nested.then(|| around..self.partners.get(around).copied().flatten().unwrap_or(self.tokens.len()))
    }

    /// The parameters and the body of a function one of whose parameters has the name, where `=>` is at `at`.
    fn function(&self, at: usize) -> Option<Range<usize>> {
        if !self.is_mark(at, '=') || !self.is_mark(at + 1, '>') {
            return None;
        }
        let before = at.checked_sub(1)?;
        let is_one = self.is_word(before, self.name) && !self.is_result(before);
        let start = if is_one { before } else { self.parameters(before)? };
        Some(start..self.end(at + 2))
    }

    /// Where the parameters begin that end at `at` or before the type of the result there, if the name is among them.
    fn parameters(&self, at: usize) -> Option<usize> {
        let close = if self.is_mark(at, ')') { at } else { at.checked_sub(1).filter(|_| self.is_result(at))? };
        let open = self.partners.get(close).copied().flatten()?;
        let is_it = |at: usize| {
            let is_first = at == open + 1 || self.is_mark(at - 1, ',') || self.tokens.get(at - 1) == Some(&Token::End);
            is_first && self.is_word(at, self.name)
        };
        (close - open <= MAX_PARAMETERS && (open + 1..close).any(is_it)).then_some(open)
    }

    /// Whether a word is the type of the result of a function.
    fn is_result(&self, at: usize) -> bool {
        matches!(self.tokens.get(at), Some(Token::Word(_))) && at.checked_sub(1).is_some_and(|at| self.is_mark(at, ')'))
    }

    /// The variables of a loop, if one has the name, and what is repeated, where `at` is the word `for`.
    fn repeated(&self, at: usize) -> Option<[Range<usize>; 2]> {
        let open = at.checked_sub(1).filter(|open| self.is_mark(*open, '['))?;
        let variables = if self.is_mark(at + 1, '(') { at + 2..at + 5 } else { at + 1..at + 2 };
        if !self.is_word(at, "for") || !variables.clone().any(|at| self.is_word(at, self.name)) {
            return None;
        }
        let mut body = variables.end;
        while body < self.tokens.len() && !self.is_mark(body, ':') {
            body = self.partners.get(body).copied().flatten().filter(|close| *close > body).unwrap_or(body) + 1;
            // Nothing is read twice of a loop that has no body.
            if self.partners.get(open).copied().flatten().is_none_or(|close| body >= close) {
                return Some([variables, body..body]);
            }
        }
        let close = self.partners.get(open).copied().flatten().unwrap_or(self.tokens.len());
        Some([variables, body..close])
    }

    /// Where an expression ends that begins at a token.
    fn end(&self, start: usize) -> usize {
        let mut at = start;
        // How many strings with an interpolation are open.
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
