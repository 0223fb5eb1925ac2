//! Rule languages over a [`Document`].

pub mod json;
mod verdict;

use crate::model::Document;

pub use self::verdict::{Leaf, Verdict};

/// The rules of a run, compiled.
#[derive(Debug, Default)]
pub struct RuleSet {
    rules: Vec<json::Rule>,
}

impl RuleSet {
    /// The verdicts of every rule that has something to say of `document`.
    pub fn check(&self, _document: &Document) -> Vec<Verdict> {
        let _ = &self.rules;
        Vec::new()
    }
}
