//! formwork checks Azure and AWS infrastructure templates before they are deployed: it expands a template into the
//! resources that it would create, runs rules over them, and brings every finding to the line that the author wrote.
//!
//! Most people use it on the [command line](https://docs.rs/crate/formwork). This crate is for programs that check
//! templates themselves: editors, services, bots.
//!
//! # Check a template in memory
//!
//! This reads no file, starts no process and asks for no clock, so it also works in WebAssembly.
//!
//! ```
//! use formwork::{Rules, Severity, Status, Template};
//!
//! let template = r#"{
//!   "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
//!   "contentVersion": "1.0.0.0",
//!   "resources": [
//!     {
//!       "type": "Microsoft.Web/sites",
//!       "apiVersion": "2022-09-01",
//!       "name": "app",
//!       "location": "westeurope",
//!       "properties": { "httpsOnly": false }
//!     }
//!   ]
//! }"#;
//!
//! let rules = Rules::builtin();
//! let report = Template::new("main.json", template).check(&rules);
//!
//! assert_eq!(report.status(), Status::Failed);
//! let finding = report.findings().find(|finding| finding.rule == "AZ-0007").unwrap();
//! assert_eq!((finding.file.as_str(), finding.line, finding.column), ("main.json", 10, 23));
//! assert_eq!(finding.path, "resources[0].properties.httpsOnly");
//! assert_eq!(finding.severity, Severity::Medium);
//! ```
//!
//! # Check files
//!
//! With the feature `cli`, which is on by default, [`Check`] does what `formwork check` does: it finds templates,
//! parameter files and settings, compiles Bicep, and knows baselines and changes.
//!
//! # Write a report
//!
//! ```
//! # let rules = formwork::Rules::builtin();
//! # let report = formwork::Template::new("main.json", "{}").check(&rules);
//! use formwork::Format;
//!
//! let mut sarif = Vec::new();
//! report.render(Format::Sarif, &mut sarif)?;
//! # assert!(sarif.starts_with(b"{"));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Features
//!
//! - `cli` (default): the command line, files, Bicep, settings, git.
//! - `github`: publishing to pull requests. Implies `cli`.
//!
//! Without features the crate builds for `wasm32-unknown-unknown`. Evaluation is recursive up to fixed limits; on other
//! platforms it gets a thread with a stack of 16 MiB, so link with `-C link-arg=-zstack-size=16777216`.

// Private modules show what nothing uses, and with all features there is no such thing. Without `cli` the parts that serve
// only the command line stay unused in the modules that both builds share.
#![cfg_attr(not(feature = "cli"), expect(dead_code, unused_imports, reason = "the command line uses them"))]

// In the order of the layers: each module names only those above it. `tests/tidy` enforces it, and `ARCHITECTURE.md`
// explains it.
mod text;

mod value;

mod diagnostic;

#[cfg(feature = "cli")]
mod files;

mod pattern;

mod syntax;

mod model;

mod arm;

mod cfn;

mod rules;

#[cfg(feature = "cli")]
mod bicep;

#[cfg(feature = "cli")]
mod config;

mod engine;

mod report;

#[cfg(feature = "cli")]
mod github;

mod api;

#[cfg(feature = "cli")]
mod cli;

#[cfg(feature = "cli")]
pub use crate::api::Check;
pub use crate::api::{Error, Finding, Problem, Report, Rules, Template};
#[cfg(feature = "cli")]
pub use crate::cli::{Environment, run};
pub use crate::diagnostic::{Level, Outcome, Severity};
pub use crate::engine::Status;
pub use crate::report::{Format, UnknownFormat};

/// What tests and benches of the inside need. No part of the interface.
#[doc(hidden)]
pub mod machinery {
    pub use crate::arm::functions::Function;
    pub use crate::arm::{Context, Request, evaluate, expand};
    #[cfg(feature = "cli")]
    pub use crate::bicep::{reader, source_map};
    pub use crate::cfn::{Request as StackRequest, expand as expand_stack};
    #[cfg(feature = "cli")]
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
