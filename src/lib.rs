//! formwork checks infrastructure templates before they are deployed.
//!
//! The interface is the command line: [`run`]. The modules are private, so that code that nothing uses is seen; they
//! are declared in the order of the layers: each names only those above it. `tests/tidy.rs` enforces it,
//! and `ARCHITECTURE.md` explains it.

mod text;

mod diagnostic;

mod files;

mod value;

mod pattern;

mod syntax;

mod model;

mod arm;

mod cfn;

mod rules;

mod bicep;

mod config;

mod engine;

mod report;

mod github;

mod cli;

pub use crate::cli::{Environment, run};

/// What tests and benches of the inside need. No part of the interface.
#[doc(hidden)]
pub mod machinery {
    pub use crate::arm::functions::Function;
    pub use crate::arm::{Context, Request, evaluate, expand};
    pub use crate::bicep::{reader, source_map};
    pub use crate::cfn::{Request as StackRequest, expand as expand_stack};
    pub use crate::engine::BicepFiles;
    pub use crate::model::{Document, Expansion, Limits, Offline};
    use crate::rules::Rule;
    pub use crate::rules::RuleSet;
    pub use crate::rules::guard::parse as parse_ruleset;
    pub use crate::syntax::json;
    pub use crate::text::{FileId, Sources, Span, decode};
    pub use crate::value::Value;

    /// The tables of the functions of template expressions.
    pub fn function_families() -> &'static [&'static [Function]] {
        crate::arm::functions::FAMILIES
    }

    /// The embedded rules, compiled.
    pub fn builtin_rules(sources: &Sources) -> RuleSet {
        let read = |&(name, text): &(&str, &str)| -> Vec<Rule> {
            let text = std::sync::Arc::<str>::from(text);
            let file = sources.add(name, std::sync::Arc::clone(&text));
            if name.ends_with(".ruleset") {
                let rules = crate::rules::guard::parse(file, name, &text, &std::collections::BTreeMap::new()).0;
                return rules.into_iter().map(Rule::from).collect();
            }
            crate::rules::json::parse(file, &text).0.into_iter().map(Rule::from).collect()
        };
        RuleSet::new(crate::rules::builtin::sources().iter().flat_map(read))
    }
}
