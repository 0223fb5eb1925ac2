//! Indexes definitions in force by resource type.

use foldhash::HashMap;

use crate::judge::bind::Bound;

/// Types that a rule may name. Rules that name more are evaluated for every resource.
const MAX_TYPES: usize = 64;

/// Indexes of definitions in force, by the types in their rules, in order.
#[derive(Debug)]
pub(super) struct ByType {
    named: HashMap<String, Vec<usize>>,
    others: Vec<usize>,
}

impl ByType {
    /// Indexes the definitions for which `wanted` returns `true`.
    pub(super) fn new(bound: &[Bound], wanted: impl Fn(&Bound) -> bool) -> Self {
        let mut this = Self { named: HashMap::default(), others: Vec::new() };
        for (at, bound) in bound.iter().enumerate().filter(|(_, bound)| wanted(bound)) {
            match bound.types().filter(|types| types.len() <= MAX_TYPES) {
                None => this.others.push(at),
                Some(types) => {
                    for name in types {
                        let all = this.named.entry(name.to_ascii_lowercase()).or_default();
                        if all.last() != Some(&at) {
                            all.push(at);
                        }
                    }
                }
            }
        }
        this
    }

    /// Returns the definitions whose rules can be about a type, in order.
    pub(super) fn definitions(&self, resource_type: &str) -> Vec<usize> {
        let named = self.named.get(&resource_type.to_ascii_lowercase()).into_iter().flatten();
        let mut all: Vec<usize> = named.chain(&self.others).copied().collect();
        all.sort_unstable();
        all
    }
}
