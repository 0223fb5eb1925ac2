//! The one integration-test binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

#[cfg(unix)]
mod action;
mod added_suppressions;
mod agents;
mod api;
mod arm_refusals;
mod azure_policy;
mod baseline;
#[cfg(unix)]
mod basis;
mod bicep;
mod bicep_build;
mod bicep_builtin;
mod bicep_missing;
#[cfg(unix)]
mod bombs;
mod brief;
mod budget;
mod catalogue;
mod cfn_lint;
mod changes;
mod cli;
mod declared_fixes;
mod delivery;
mod diff;
mod diff_deployments;
mod diff_limits;
mod docs;
mod doctor;
mod drift;
mod editors;
#[cfg(unix)]
mod embedded;
mod events;
mod explain;
mod faults;
mod fix;
mod floods;
mod functions;
mod fuzz;
mod gate;
#[cfg(feature = "github")]
mod github;
mod guard;
mod guard3;
mod harness;
mod hook;
#[cfg(unix)]
mod hostile;
mod init;
#[cfg(target_os = "linux")]
mod isolation;
#[cfg(unix)]
mod leaks;
#[cfg(unix)]
mod linked_folders;
mod links;
#[cfg(target_os = "linux")]
#[cfg(feature = "lsp")]
mod lsp;
#[cfg(feature = "mcp")]
mod mcp;
mod new_only;
mod not_checked;
mod of_change;
mod pages;
#[cfg(unix)]
mod pipes;
mod policy_sources;
mod problems;
mod prose;
mod readme;
#[cfg(unix)]
#[cfg(feature = "github")]
mod registry;
mod release;
mod repository;
mod rules;
mod rules_cli;
mod sam;
mod schemas;
mod secrets;
mod secrets_in_names;
#[cfg(any(unix, feature = "github"))]
mod server;
mod services;
mod settings;
mod shards;
mod shell;
#[cfg(target_os = "linux")]
mod signals;
mod slips;
mod spellings;
mod stacks;
mod suppressions;
mod tidy;
#[cfg(feature = "types")]
mod types;
mod unknowns;
#[cfg(target_os = "linux")]
mod unwritable;
#[cfg(feature = "types")]
mod upgrade;
mod worth_fixing;
#[cfg(unix)]
mod writes;
mod yaml;
