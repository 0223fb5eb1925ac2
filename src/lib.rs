//! Checks Azure and AWS infrastructure templates before they are deployed.
//!
//! formwork expands an ARM, Bicep, or CloudFormation template into the resources that it would create, runs rules on
//! them, and reports every finding at the line of the source file that causes it.
//!
//! Most people use the [command-line program](https://docs.rs/crate/formwork). This library is for programs that check
//! templates themselves, such as editors, services, and bots.
//!
//! # Check files in memory
//!
//! [`Files`] checks a set of files as `formwork check` checks a folder with them: Bicep with modules and parameter files, ARM
//! templates, linked templates, and CloudFormation. [`Template`] checks a single template, and [`Checker`] the same files after
//! each change. They access no files, processes, or clocks, so they also work in WebAssembly.
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
//! let finding = report.findings().find(|finding| finding.rule == "AZ-APPSERVICE-001").unwrap();
//! assert_eq!((finding.file.as_str(), finding.line, finding.column), ("main.json", 10, 23));
//! assert_eq!(finding.path, "resources[0].properties.httpsOnly");
//! assert_eq!(finding.severity, Severity::Medium);
//! ```
//!
//! # Check a folder
//!
//! With the feature `cli`, which is enabled by default, [`Check`] does the same as `formwork check`: it finds templates,
//! parameter files, and settings. It also compiles with the Bicep CLI, and supports baselines, and checks of only what changed.
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
//! - `cli` (default): the command line, and checks of folders with settings, git, and the Bicep CLI.
//! - `types` (default): the resource types that Azure and AWS publish, for the checks `schema/*`: about 2.7 MB of the program.
//! - `policies` (default): the built-in policies of Azure, for assignments that name them: about 1 MB of the program. Enables
//!   `types`.
//! - `github`: publishing findings to pull requests, and downloading Bicep modules. Enables `cli`.
//! - `lsp`: the language server. Enables `cli`.
//!
//! Without features, the crate builds for `wasm32-unknown-unknown`. Evaluation is recursive, up to fixed limits. It runs
//! in a thread with a stack of 64 MiB; WebAssembly has no such thread, so link with
//! `-C link-arg=-zstack-size=16777216` there, which is enough for an optimized build.

// Without `cli`, the shared modules contain code that only the command line uses. With `cli`, there is no unused code.
#![cfg_attr(not(feature = "cli"), expect(unused_imports, reason = "the command line uses them"))]

// In the order of the layers: each module uses only modules above it. `ARCHITECTURE.md` explains the layers, and
// `tests/tidy` enforces them.
use formwork_arm as arm;
use formwork_cfn as cfn;
use formwork_check::{bicep, config, engine, files};
#[cfg(feature = "cli")]
use formwork_check::{cleanup, join};
#[cfg(feature = "cli")]
use formwork_diff as diff;
#[cfg(feature = "cli")]
use formwork_drift as drift;
#[cfg(feature = "cli")]
use formwork_github as github;
use formwork_model::{diagnostic, model, path, text, value};
#[cfg(feature = "cli")]
use formwork_policy as policy;
use formwork_report as report;
use formwork_rules as rules;
use formwork_schema as schema;
use formwork_syntax as syntax;

#[cfg(feature = "cli")]
mod migrate;

#[cfg(feature = "lsp")]
mod editor;

mod api;

#[cfg(feature = "cli")]
mod cli;

#[cfg(feature = "cli")]
pub use crate::api::Check;
pub use crate::api::{Checker, Edit, Error, Files, Finding, Fix, Position, Problem, Report, Rules, Template};
#[cfg(feature = "cli")]
pub use crate::cli::{Environment, run, supervise};
pub use crate::diagnostic::{Level, Outcome, Severity};
pub use crate::engine::Status;
pub use crate::report::{Format, UnknownFormat};

/// Internals that the tests and benchmarks of this crate use. Not part of the public API.
#[doc(hidden)]
pub mod machinery {
    use arcstr::ArcStr;

    pub use crate::arm::functions::Function;
    pub use crate::arm::{Context, Request, evaluate, expand};
    pub use crate::bicep::compiler::{compile as compile_bicep, memory::Memory};
    pub use crate::bicep::{language::parse as parse_bicep, source_map};
    pub use crate::cfn::{Request as StackRequest, expand as expand_stack};
    pub use crate::engine::BicepFiles;
    pub use crate::model::{Budget, Document, Expansion, Limits, Offline};
    use crate::rules::Rule;
    pub use crate::rules::RuleSet;
    pub use crate::rules::guard::parse as parse_ruleset;
    #[cfg(feature = "types")]
    pub use crate::schema::Table as TypeTable;
    pub use crate::syntax::json;
    pub use crate::text::{FileId, Sources, Span, decode};
    pub use crate::value::Value;

    /// Parses a CloudFormation template in YAML.
    pub fn read_yaml(file: FileId, text: &ArcStr) -> Option<Value> {
        crate::syntax::yaml::parse_template(file, text, Limits::default().nesting, &|_| true).value
    }

    /// Returns the tables of the functions of template expressions.
    pub fn function_families() -> &'static [&'static [Function]] {
        crate::arm::functions::FAMILIES
    }

    /// Returns the embedded rules, compiled.
    pub fn builtin_rules(sources: &Sources) -> RuleSet {
        RuleSet::new(formwork_builtin::FILES.iter().flat_map(|&(name, text)| -> Vec<Rule> {
            let text = ArcStr::from(text);
            let file = sources.add(name, text.clone());
            if name.ends_with(".ruleset") {
                let rules = crate::rules::guard::parse(file, name, &text, &std::collections::BTreeMap::new()).0;
                return rules.into_iter().map(Rule::from).collect();
            }
            crate::rules::json::parse(file, &text).0.into_iter().map(Rule::from).collect()
        }))
    }
}
