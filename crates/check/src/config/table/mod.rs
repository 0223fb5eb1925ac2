//! Table of settings, with everything that is defined about each of them.
//!
//! The settings file is read by it, and so are the flags, the inputs of the action, and what a change weakens. Its JSON
//! schema, the page of `formwork init`, and the reference in `docs/settings.md` are written from it. The keys of
//! `configuration`, `limits`, and a suppression have tables of their own, beside the code that reads them.
//!
//! # Invariant
//!
//! A setting that is a switch or a word is defined only here; besides, only the code that uses it names it.

mod named;
mod setting;
#[cfg(test)]
mod written;

use std::path::PathBuf;

use crate::config::Profile;
use crate::diagnostic::{FailOn, Severity};

use self::setting::input;

pub use self::named::{NamedFile, named_by_flags, named_files};
use self::setting::Names;
pub(super) use self::setting::Weakens;
pub use self::setting::{Combines, Flag, Group, Role, Setting, Takes};

/// The settings that have one value, as a file or a command line gives them. `None` where it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// From which severity on a finding counts towards the exit code.
    pub fail_on: Option<FailOn>,
    /// True if undecided verdicts count towards the exit code as well.
    pub fail_on_unknown: Option<bool>,
    /// True if inputs that cannot be analyzed only cause warnings.
    pub allow_unreadable: Option<bool>,
    /// True if anything that is not checked fails the run. It overrides `allow_unreadable`.
    pub strict: Option<bool>,
    /// True if templates in folders of tests are checked as well.
    pub check_tests: Option<bool>,
    /// Findings of a lower severity are not reported, and do not count either.
    pub min_severity: Option<Severity>,
    /// Compiler of Bicep files, as a word of [`BICEP`].
    pub bicep: Option<&'static str>,
    /// True if the action reports what a change deploys.
    pub deployment_diff: Option<bool>,
    /// True if the embedded rules run.
    pub builtin_rules: Option<bool>,
    /// Selection of the embedded rules that run, and amount of what the checks report.
    pub profile: Option<Profile>,
}

impl Choices {
    /// Returns these choices; those that are not set are taken from `below`.
    #[must_use]
    pub fn or(self, below: Self) -> Self {
        Self {
            fail_on: self.fail_on.or(below.fail_on),
            fail_on_unknown: self.fail_on_unknown.or(below.fail_on_unknown),
            allow_unreadable: self.allow_unreadable.or(below.allow_unreadable),
            strict: self.strict.or(below.strict),
            check_tests: self.check_tests.or(below.check_tests),
            min_severity: self.min_severity.or(below.min_severity),
            bicep: self.bicep.or(below.bicep),
            deployment_diff: self.deployment_diff.or(below.deployment_diff),
            builtin_rules: self.builtin_rules.or(below.builtin_rules),
            profile: self.profile.or(below.profile),
        }
    }
}

/// Settings that a command line gives.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// These override the file.
    pub choices: Choices,
    /// Globs of the files to check in folders. If there are any, they replace those of the file.
    pub include: Vec<String>,
    /// Globs of the files to skip in folders, in addition to those of the file.
    pub exclude: Vec<String>,
    /// Rule files and folders, in addition to those of the file.
    pub rules: Vec<PathBuf>,
    /// The rules that run, by ID. If there are any, they replace those of the file.
    pub rules_include: Vec<String>,
    /// The rules that do not run, by ID, in addition to those of the file.
    pub rules_exclude: Vec<String>,
    /// Policy files and folders, in addition to those of the file.
    pub policy: Vec<PathBuf>,
    /// The file with values for the parameters of definitions that nothing assigns.
    pub policy_parameters: Option<PathBuf>,
    /// The baseline, which replaces that of the file.
    pub baseline: Option<PathBuf>,
}

impl Given {
    /// Combines the settings of two parts of one command line. If both have a single value, that of `self` counts.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.include.extend_from_slice(&other.include);
        self.exclude.extend_from_slice(&other.exclude);
        self.rules.extend_from_slice(&other.rules);
        self.rules_include.extend_from_slice(&other.rules_include);
        self.rules_exclude.extend_from_slice(&other.rules_exclude);
        self.policy.extend_from_slice(&other.policy);
        Self {
            policy_parameters: self.policy_parameters.or_else(|| other.policy_parameters.clone()),
            choices: self.choices.or(other.choices),
            baseline: self.baseline.or_else(|| other.baseline.clone()),
            ..self
        }
    }
}

/// The severities that a rule can have.
pub(super) const SEVERITIES: &[&str] = &["high", "medium", "low"];

/// Possible choices of a compiler for Bicep files.
pub(super) const BICEP: &[&str] = &["auto", "cli", "builtin"];

/// The keys of the file, in the order of its documentation.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "include",
        takes: Takes::Globs(|settings, globs| settings.files.include = globs, |given, globs| given.include = globs),
        default: "all templates",
        summary: "Globs of the files to check in folders. Relative to this file.",
        example: "include: [\"infra/**\"]",
        flag: Some(
            Flag::new("include", Group::Inputs)
                .takes("GLOB")
                .help("In folders, check only files that match this glob; overrides `include` of the settings."),
        ),
        input: None,
        weakens: Weakens::Narrowed,
    },
    Setting {
        key: "exclude",
        takes: Takes::Globs(
            |settings, globs| settings.files.exclude.extend(globs),
            |given, globs| given.exclude = globs,
        ),
        default: "none",
        summary: "Globs of the files and folders to skip. Relative to this file.",
        example: "exclude: [samples]",
        flag: Some(
            Flag::new("exclude", Group::Inputs)
                .takes("GLOB")
                .help("In folders, skip files that match this glob; adds to `exclude` of the settings.")
                .adds(),
        ),
        input: None,
        weakens: Weakens::Added,
    },
    Setting {
        key: "check-tests",
        takes: Takes::Switch(|choices, is_on| choices.check_tests = Some(is_on)),
        default: "false",
        summary: "Whether templates in folders of tests, such as `testdata`, are checked.",
        example: "check-tests: true",
        flag: Some(Flag::new("check-tests", Group::Inputs).help(
            "Also check templates in folders of tests, such as testdata, tests/fixtures, and \
             __snapshots__.\n\nWithout it, they are listed as not checked, unless their folder is named, \
             included, or deployed by a workflow.",
        )),
        input: None,
        weakens: Weakens::NotBeing("true"),
    },
    Setting {
        key: "parameters",
        takes: Takes::Templates,
        default: "by name",
        summary: "Which templates parameter files belong to.",
        example: "parameters:\n  - files: environments/*/network.json\n    template: infra/network.json",
        flag: None,
        input: None,
        weakens: Weakens::Any,
    },
    Setting {
        key: "rules",
        takes: Takes::Section(RULES),
        default: "",
        summary: "The rules that run, and their severities.",
        example: "rules:\n  exclude: [AZ-STORAGE-002]",
        flag: None,
        input: None,
        weakens: Weakens::Any,
    },
    Setting {
        key: "policy",
        takes: Takes::Section(POLICY),
        default: "",
        summary: "The Azure policies that templates are judged by.",
        example: "policy:\n  paths: [policies]",
        flag: None,
        input: None,
        weakens: Weakens::Any,
    },
    Setting {
        key: "fail-on",
        takes: Takes::Word(&FailOn::WORDS, |choices, word| choices.fail_on = word.parse().ok()),
        default: "medium",
        summary: "The lowest severity that fails a check, or `never`.",
        example: "fail-on: high",
        flag: Some(
            Flag::new("fail-on", Group::Output)
                .takes("SEVERITY")
                .help("Lowest severity that fails the run: high, medium, low, or never [default: medium].")
                .of_merge(
                    "Lowest severity that fails the run: high, medium, low, or never [default: that of the \
                     settings of the parts].",
                ),
        ),
        input: input(
            "fail-on",
            "",
            "Lowest severity that fails the job - `high`, `medium`, `low`, or `never`; without it, the \
             settings decide",
        ),
        weakens: Weakens::Raised,
    },
    Setting {
        key: "fail-on-unknown",
        takes: Takes::Switch(|choices, is_on| choices.fail_on_unknown = Some(is_on)),
        default: "false",
        summary: "Whether a rule whose result is known only after deployment fails a check.",
        example: "fail-on-unknown: true",
        flag: Some(
            Flag::new("fail-on-unknown", Group::Output)
                .help(
                    "Also fail the run for verdicts that could not be decided.\n\nThey depend on values that only \
                     a deployment knows. The severity of --fail-on applies to them too.",
                )
                .of_merge("Also fail the run for verdicts that could not be decided."),
        ),
        input: input("fail-on-unknown", "false", "Whether verdicts that could not be decided fail the job too"),
        weakens: Weakens::NotBeing("true"),
    },
    Setting {
        key: "allow-unreadable",
        takes: Takes::Switch(|choices, is_on| choices.allow_unreadable = Some(is_on)),
        default: "false",
        summary: "Whether inputs that cannot be analyzed are only warned of.",
        example: "allow-unreadable: true",
        flag: Some(
            Flag::new("allow-unreadable", Group::Output)
                .help("Only warn of inputs that cannot be read, parsed, or built.")
                .of_merge("Only warn of inputs that could not be read, parsed, or built."),
        ),
        input: input(
            "allow-unreadable",
            "false",
            "Whether inputs that cannot be read, parsed, or built are only warned of",
        ),
        weakens: Weakens::Being("true"),
    },
    Setting {
        key: "strict",
        takes: Takes::Switch(|choices, is_on| choices.strict = Some(is_on)),
        default: "false",
        summary: "Whether what is not checked, such as a remote template, is an error. Overrides \
                  `allow-unreadable`.",
        example: "strict: true",
        flag: Some(
            Flag::new("strict", Group::Output)
                .help(
                    "Fail with exit code 3 if a part of the inputs is not checked.\n\nFor example, a remote \
                     template, the result of a macro, or a parameter file without a template. Overrides \
                     --allow-unreadable.",
                )
                .of_merge(
                    "Fail with exit code 3 if a part of the inputs was not checked. Overrides --allow-unreadable.",
                ),
        ),
        input: input(
            "strict",
            "false",
            "Whether the job fails if a part of the inputs is not checked, such as a remote template; \
             overrides `allow-unreadable`",
        ),
        weakens: Weakens::NotBeing("true"),
    },
    Setting {
        key: "min-severity",
        takes: Takes::Word(SEVERITIES, |choices, word| choices.min_severity = severity(word)),
        default: "low",
        summary: "Findings of a lower severity are not reported.",
        example: "min-severity: medium",
        flag: Some(Flag::new("min-severity", Group::Output).takes("SEVERITY").help(
            "Lowest severity to report: high, medium, or low [default: low].\n\nFindings that are not \
             reported do not count towards the exit code. Without it, reports for people count findings of low \
             severity in one line, and machine-readable reports list all.",
        )),
        input: input("min-severity", "", "Lowest severity that is reported - `high`, `medium`, or `low`"),
        weakens: Weakens::Raised,
    },
    Setting {
        key: "baseline",
        takes: Takes::File(
            |settings, file| settings.baseline = Some(file),
            |given, file| given.baseline = Some(file),
            Names {
                role: Role::Baseline,
                of_settings: |settings| settings.baseline.as_slice(),
                of_flag: |given| given.baseline.as_slice(),
            },
        ),
        default: "none",
        summary: "The file with accepted findings, which `--write-baseline` writes. Relative to this file.",
        example: "baseline: formwork-baseline.json",
        flag: Some(
            Flag::new("baseline", Group::Baseline)
                .takes("FILE")
                .help("Accept the findings that FILE lists; overrides `baseline` of the settings."),
        ),
        input: input("baseline", "", "File of accepted findings, relative to `working-directory`"),
        // The file that it names is compared by its entries.
        weakens: Weakens::Elsewhere,
    },
    Setting {
        key: "suppressions",
        takes: Takes::Suppressions,
        default: "none",
        summary: "Findings that are accepted, and why.",
        example: "suppressions:\n  - rule: AZ-STORAGE-003\n    path: samples/**\n    reason: the samples are \
                  not deployed\n    until: 2030-01-31",
        flag: None,
        input: None,
        weakens: Weakens::Added,
    },
    Setting {
        key: "bicep",
        takes: Takes::Word(BICEP, |choices, word| choices.bicep = Some(word)),
        default: "auto",
        summary: "What builds Bicep files: the Bicep CLI, the built-in compiler, or (`auto`) the CLI where \
                  there is one.",
        example: "bicep: builtin",
        flag: Some(
            Flag::new("bicep", Group::Bicep)
                .takes("COMPILER")
                .help(
                    "What builds Bicep files.\n\n`auto` uses the Bicep CLI if it is found, and otherwise the \
                     built-in compiler.",
                )
                .meaning(&[
                    "The Bicep CLI if it is found, else the built-in compiler",
                    "The Bicep CLI, even if it is not found",
                    "The built-in compiler, even if the Bicep CLI is found",
                ]),
        ),
        input: input(
            "bicep-compiler",
            "auto",
            "What builds Bicep files, `auto` (the Bicep CLI if it is found, else the built-in compiler), \
             `cli`, or `builtin`",
        ),
        weakens: Weakens::Any,
    },
    Setting {
        key: "deployment-diff",
        takes: Takes::Switch(|choices, is_on| choices.deployment_diff = Some(is_on)),
        default: "false",
        summary: "Whether the action tells what a change deploys, unless its input `deployment-diff` says so.",
        example: "deployment-diff: true",
        flag: None,
        input: input(
            "deployment-diff",
            "",
            "Whether to tell in the job summary and in the comment of `summary-comment` which resources \
             the change creates, changes, or no longer deploys, and what that puts at risk; without it, \
             the key `deployment-diff` of the settings decides",
        ),
        // The action no longer tells what a change deploys.
        weakens: Weakens::NotBeing("true"),
    },
    Setting {
        key: "configuration",
        takes: Takes::Configuration,
        default: "",
        summary: "What is known of the target environment and of Bicep, by the keys of PSRule for Azure.",
        example: "configuration:\n  AZURE_RESOURCE_GROUP: { name: rg-web, location: westeurope }",
        flag: None,
        input: None,
        // What is known of the environment decides conditions and values.
        weakens: Weakens::Any,
    },
    Setting {
        key: "limits",
        takes: Takes::Limits,
        default: "",
        summary: "How far a check goes. Sizes are bytes, or have the unit `KiB`, `MiB`, or `GiB`.",
        example: "limits: { file-size: 16MiB, copies: 2000 }",
        flag: None,
        input: None,
        // A low limit ends the analysis of a file, and a high one the job.
        weakens: Weakens::Any,
    },
];

/// The keys of `rules`.
const RULES: &[Setting] = &[
    Setting {
        key: "paths",
        takes: Takes::Paths(
            |settings, paths| settings.rules.paths = paths,
            |given, paths| given.rules = paths,
            Names { role: Role::Rules, of_settings: |settings| &settings.rules.paths, of_flag: |given| &given.rules },
        ),
        default: "none",
        summary: "Rule files, and folders of rule files. Relative to this file.",
        example: "rules:\n  paths: [rules/company]",
        flag: Some(
            Flag::new("rules", Group::RuleFiles)
                .takes("PATH")
                .help(
                    "Use this rule file, or the rule files in this folder.\n\nCan be repeated. The rules are used \
                     in addition to the built-in rules and those of the settings.",
                )
                .adds(),
        ),
        input: input("rules", "", "Rule files and folders to use in addition to those of the settings, one per line"),
        weakens: Weakens::Removed,
    },
    Setting {
        key: "builtin",
        takes: Takes::Switch(|choices, is_on| choices.builtin_rules = Some(is_on)),
        default: "true",
        summary: "Whether the built-in rules run, and checks such as `parameter/unused`, `secret/default`, and \
                  `schema/missing-property`. Values that no deployment accepts are reported in any case, such as those of \
                  `schema/type`, `sam/invalid`, and `parameter/constraint`.",
        example: "rules:\n  builtin: false",
        flag: Some(
            Flag::new("no-builtin-rules", Group::RuleFiles)
                .help(
                    "Do not use the built-in rules, and only some checks.\n\nThis turns off rules such as \
                     `AZ-STORAGE-001`, and checks such as `parameter/unused`, `secret/default`, those of Bicep's linter, \
                     names, missing properties, and facts of services. Values that no deployment accepts are reported in \
                     any case, such as `schema/type`, `schema/value`, `sam/invalid`, `parameter/constraint`, and what \
                     cannot be evaluated. `--rules-exclude` turns these off. `rules list --no-builtin-rules` lists them.",
                )
                .turns_off(),
        ),
        input: None,
        weakens: Weakens::Being("false"),
    },
    Setting {
        key: "profile",
        takes: Takes::Word(&Profile::WORDS, |choices, word| choices.profile = word.parse().ok()),
        default: "default",
        summary: "Which of the built-in rules run: `default`, `production`, the part of the default about one pillar, \
                  or `all`.",
        example: "rules:\n  profile: all",
        flag: Some(Flag::new("profile", Group::Rules).takes("PROFILE").help(
            "Which of the built-in rules run: default, production, security, reliability, cost, or \
             all.\n\n`production` raises the severity of rules that need another architecture, such as \
             private endpoints. `security`, `reliability` and `cost` are parts of `default`. `all` adds rules that \
             are a matter of opinion, and what is rarely urgent, such as old API versions.",
        )),
        input: None,
        weakens: Weakens::Fewer,
    },
    Setting {
        key: "include",
        takes: Takes::Rules(|settings, rules| settings.rules.include = rules, |given, ids| given.rules_include = ids),
        default: "all rules of the profile",
        summary: "If there are any, only these rules run.",
        example: "rules:\n  include: [AZ-STORAGE-001]",
        flag: Some(
            Flag::new("rules-include", Group::Rules)
                .takes("ID")
                .help("Run only the rule with this ID; overrides `rules.include` of the settings. Can be repeated."),
        ),
        input: input(
            "rules-include",
            "",
            "IDs of the only rules to run, one per line, instead of those of the settings",
        ),
        weakens: Weakens::Narrowed,
    },
    Setting {
        key: "exclude",
        takes: Takes::Rules(|settings, rules| settings.rules.exclude = rules, |given, ids| given.rules_exclude = ids),
        default: "none",
        summary: "These rules do not run.",
        example: "rules:\n  exclude: [AZ-STORAGE-002]",
        flag: Some(
            Flag::new("rules-exclude", Group::Rules)
                .takes("ID")
                .help("Do not run the rule with this ID; adds to `rules.exclude` of the settings. Can be repeated.")
                .adds(),
        ),
        input: input(
            "rules-exclude",
            "",
            "IDs of rules not to run, one per line, in addition to those of the settings",
        ),
        weakens: Weakens::Added,
    },
    Setting {
        key: "severity",
        takes: Takes::Severities(|settings, severities| settings.rules.severity = severities),
        default: "those of the rules",
        summary: "Severities that replace those of rules, by ID.",
        example: "rules:\n  severity: { AZ-STORAGE-001: low }",
        flag: None,
        input: None,
        weakens: Weakens::Lowered,
    },
];

/// The keys of `policy`.
const POLICY: &[Setting] = &[
    Setting {
        key: "paths",
        takes: Takes::Paths(
            |settings, paths| settings.policy.paths = paths,
            |given, paths| given.policy = paths,
            Names {
                role: Role::Policies,
                of_settings: |settings| &settings.policy.paths,
                of_flag: |given| &given.policy,
            },
        ),
        default: "none",
        summary: "Files with definitions, initiatives, assignments, and exemptions of Azure Policy, and folders of them. \
                  Relative to this file.",
        example: "policy:\n  paths: [policies]",
        flag: Some(
            Flag::new("policy", Group::Policy)
                .takes("PATH")
                .help(
                    "Judge templates by the Azure policies in this file or folder.\n\nCan be repeated. The policies are \
                     used in addition to those of the settings. If nothing assigns them, they are judged as if they were \
                     assigned everywhere.",
                )
                .adds(),
        ),
        input: input(
            "policy",
            "",
            "Files and folders of Azure policies to use in addition to those of the settings, one per line",
        ),
        weakens: Weakens::Removed,
    },
    Setting {
        key: "parameters",
        takes: Takes::File(
            |settings, file| settings.policy.parameters = Some(file),
            |given, file| given.policy_parameters = Some(file),
            Names {
                role: Role::PolicyParameters,
                of_settings: |settings| settings.policy.parameters.as_slice(),
                of_flag: |given| given.policy_parameters.as_slice(),
            },
        ),
        default: "none",
        summary: "The file with values for the parameters of definitions that nothing assigns. Relative to this file.",
        example: "policy:\n  parameters: policy-parameters.json",
        flag: Some(
            Flag::new("policy-parameters", Group::Policy)
                .takes("FILE")
                .help("Give the parameters of policies that nothing assigns the values in FILE."),
        ),
        input: None,
        weakens: Weakens::Any,
    },
    Setting {
        key: "management-groups",
        takes: Takes::Names(|settings, names| settings.policy.management_groups = names),
        default: "unknown",
        summary: "The management groups around the subscription that templates are deployed to, the nearest first.",
        example: "policy:\n  management-groups: [landing-zones, contoso]",
        flag: None,
        input: None,
        weakens: Weakens::Any,
    },
    Setting {
        key: "environments",
        takes: Takes::Names(|settings, names| settings.policy.environments = names),
        default: "all",
        summary: "The environments of Enterprise Policy as Code whose assignments and exemptions count, by `pacSelector`.",
        example: "policy:\n  environments: [tenant]",
        flag: None,
        input: None,
        weakens: Weakens::Any,
    },
];

/// Returns all settings, with those of sections by the path of their key, such as `rules.profile`.
pub fn all() -> impl Iterator<Item = (String, &'static Setting)> {
    SETTINGS.iter().flat_map(|setting| {
        let inner = match setting.takes {
            Takes::Section(inner) => inner,
            _ => &[],
        };
        let inner = inner.iter().map(|inner| (format!("{}.{}", setting.key, inner.key), inner));
        std::iter::once((setting.key.to_owned(), setting)).chain(inner)
    })
}

/// Returns the severity of a word. `never` is a threshold and not a severity.
pub(super) fn severity(word: &str) -> Option<Severity> {
    match word.parse() {
        Ok(FailOn::Severity(severity)) => Some(severity),
        _ => None,
    }
}
