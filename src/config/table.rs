//! The table of settings: all that is defined about each of them is here.
//!
//! The settings file is read by it, and so are the flags, the inputs of the action, and what a change weakens. Its JSON
//! schema, the page of `formwork init`, and the reference in `docs/settings.md` are written from it. The keys of
//! `configuration`, `limits`, and a suppression have tables of their own, beside the code that reads them.

use std::path::PathBuf;

use crate::config::{Profile, Settings};
use crate::diagnostic::{FailOn, RulePattern, Severity};
use crate::files::PathGlobs;
use crate::text::Span;

/// The settings that have one value. `None` where nothing is said.
///
/// A settings file gives some of them, and a command line gives others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choices {
    /// From which severity on a finding counts towards the exit code.
    pub fail_on: Option<FailOn>,
    /// Whether undecided verdicts count towards the exit code as well.
    pub fail_on_unknown: Option<bool>,
    /// Whether inputs that cannot be analyzed are only warned of.
    pub allow_unreadable: Option<bool>,
    /// Whether what is not checked fails the run. It overrides `allow_unreadable`.
    pub strict: Option<bool>,
    /// Findings of a lower severity are not reported, and do not count either.
    pub min_severity: Option<Severity>,
    /// What builds Bicep files, as a word of [`BICEP`].
    pub bicep: Option<&'static str>,
    /// Whether the action tells what a change deploys.
    pub deployment_diff: Option<bool>,
    /// Whether the embedded rules run.
    pub builtin_rules: Option<bool>,
    /// Which embedded rules run, and how much the checks report.
    pub profile: Option<Profile>,
}

impl Choices {
    /// These choices, and where they say nothing, those of `below`.
    pub(crate) fn or(self, below: Self) -> Self {
        Self {
            fail_on: self.fail_on.or(below.fail_on),
            fail_on_unknown: self.fail_on_unknown.or(below.fail_on_unknown),
            allow_unreadable: self.allow_unreadable.or(below.allow_unreadable),
            strict: self.strict.or(below.strict),
            min_severity: self.min_severity.or(below.min_severity),
            bicep: self.bicep.or(below.bicep),
            deployment_diff: self.deployment_diff.or(below.deployment_diff),
            builtin_rules: self.builtin_rules.or(below.builtin_rules),
            profile: self.profile.or(below.profile),
        }
    }
}

/// One setting: a key of the settings file, and where else it may stand.
pub(crate) struct Setting {
    pub key: &'static str,
    pub takes: Takes,
    /// What holds where nothing is said, as the reference tells it.
    #[cfg_attr(not(test), expect(dead_code, reason = "`written` makes the reference of it"))]
    pub default: &'static str,
    pub summary: &'static str,
    /// The key with a value, as it is written in the file.
    pub example: &'static str,
    pub flag: Option<Flag>,
    pub input: Option<Input>,
    pub weakens: Weakens,
}

/// The values that a setting takes, and where they go.
#[derive(Clone, Copy)]
pub(crate) enum Takes {
    /// `true` or `false`.
    Switch(fn(&mut Choices, bool)),
    /// One of these words.
    Word(&'static [&'static str], fn(&mut Choices, &'static str)),
    /// Globs of files, relative to the settings file.
    Globs(fn(&mut Settings, Vec<PathGlobs>)),
    /// Files and folders, relative to the settings file.
    Paths(fn(&mut Settings, Vec<(PathBuf, Span)>)),
    /// A file, relative to the settings file.
    File(fn(&mut Settings, (PathBuf, Span))),
    /// IDs, names, or patterns of rules.
    Rules(fn(&mut Settings, Vec<RulePattern>)),
    /// A severity for each of some rules.
    Severities(fn(&mut Settings, Vec<(RulePattern, Severity)>)),
    /// The keys of [`keys`](super::keys).
    Configuration,
    /// A list of [`suppressions`](super::suppressions).
    Suppressions,
    /// The keys of [`limits`](super::limits).
    Limits,
    /// Settings of its own.
    Section(&'static [Setting]),
}

/// The flag of `formwork check` for a setting.
pub(crate) struct Flag {
    /// The name, without dashes.
    pub name: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "`written` makes the reference of it"))]
    pub combines: Combines,
    /// What the command line needs to know. `None` if `cli::args` declares the flag, which is so for lists, files, and flags
    /// that other commands have as well.
    pub help: Option<Help>,
}

impl Flag {
    /// Whether `formwork merge` has the flag as well.
    pub(crate) fn is_of_merge(&self) -> bool {
        self.help.as_ref().is_some_and(|help| help.merge.is_some())
    }
}

/// What a flag does to the value of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combines {
    Overrides,
    Adds,
}

/// The help of a flag. Its first paragraph is the short help.
pub(crate) struct Help {
    pub heading: &'static str,
    /// What stands for the value.
    pub value: &'static str,
    pub check: &'static str,
    /// The help of `formwork merge`, if it has the flag.
    pub merge: Option<&'static str>,
}

/// The input of the action for a setting.
pub(crate) struct Input {
    pub name: &'static str,
    pub default: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "`written` makes `action.yml` of it"))]
    pub description: &'static str,
}

/// In which direction a change of a setting weakens the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weakens {
    /// A list, by what is added to it.
    Added,
    /// A list, by what is taken out of it.
    Removed,
    /// A list that selects: by its first entries, and by what is taken out of it.
    Narrowed,
    /// A threshold, by being raised.
    Raised,
    /// The severity of a rule, by being lowered.
    Lowered,
    /// A profile, by having no longer all rules that it had.
    Fewer,
    /// Anything, by being another value: nobody can tell in which direction.
    Any,
    /// Anything, by being this value, given as JSON.
    Being(&'static str),
    /// Anything, by no longer being this value.
    NotBeing(&'static str),
    /// By what it names, and not by its value.
    Elsewhere,
}

/// The severities that a rule can have.
pub(super) const SEVERITIES: &[&str] = &["high", "medium", "low"];

/// What can build Bicep files.
pub(super) const BICEP: &[&str] = &["auto", "cli", "builtin"];

/// The headings of the flags in the help of `formwork check`.
pub(crate) const RULES_HEADING: &str = "Rules";
pub(crate) const OUTPUT_HEADING: &str = "Output";

/// The flag of a name that `cli::args` declares.
const fn declared(name: &'static str, combines: Combines) -> Option<Flag> {
    Some(Flag { name, combines, help: None })
}

/// The flag of a name that overrides the file.
const fn flag(name: &'static str, help: Help) -> Option<Flag> {
    Some(Flag { name, combines: Combines::Overrides, help: Some(help) })
}

const fn input(name: &'static str, default: &'static str, description: &'static str) -> Option<Input> {
    Some(Input { name, default, description })
}

/// The keys of the file, in the order of its documentation.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "include",
        takes: Takes::Globs(|settings, globs| settings.files.include = globs),
        default: "all templates",
        summary: "Globs of the files to check in folders. Relative to this file.",
        example: "include: [\"infra/**\"]",
        flag: declared("include", Combines::Overrides),
        input: None,
        weakens: Weakens::Narrowed,
    },
    Setting {
        key: "exclude",
        takes: Takes::Globs(|settings, globs| settings.files.exclude.extend(globs)),
        default: "none",
        summary: "Globs of the files and folders to skip. Relative to this file.",
        example: "exclude: [samples]",
        flag: declared("exclude", Combines::Adds),
        input: None,
        weakens: Weakens::Added,
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
        key: "fail-on",
        takes: Takes::Word(&FailOn::WORDS, |choices, word| choices.fail_on = word.parse().ok()),
        default: "low",
        summary: "The least severity that fails a check, or `never`.",
        example: "fail-on: medium",
        flag: flag(
            "fail-on",
            Help {
                heading: OUTPUT_HEADING,
                value: "SEVERITY",
                check: "Lowest severity that fails the run: high, medium, low, or never [default: low].",
                merge: Some(
                    "Lowest severity that fails the run: high, medium, low, or never [default: that of the settings \
                     of the parts].",
                ),
            },
        ),
        input: input(
            "fail-on",
            "",
            "Lowest severity that fails the job - `high`, `medium`, `low`, or `never`; without it, the settings decide",
        ),
        weakens: Weakens::Raised,
    },
    Setting {
        key: "fail-on-unknown",
        takes: Takes::Switch(|choices, is_on| choices.fail_on_unknown = Some(is_on)),
        default: "false",
        summary: "Whether a rule whose result is known only after deployment fails a check.",
        example: "fail-on-unknown: true",
        flag: flag(
            "fail-on-unknown",
            Help {
                heading: OUTPUT_HEADING,
                value: "",
                check: "Also fail the run for verdicts that could not be decided.\n\nThey depend on values that only a \
                        deployment knows. The severity of --fail-on applies to them too.",
                merge: Some("Also fail the run for verdicts that could not be decided."),
            },
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
        flag: flag(
            "allow-unreadable",
            Help {
                heading: OUTPUT_HEADING,
                value: "",
                check: "Only warn of inputs that cannot be read, parsed, or built.",
                merge: Some("Only warn of inputs that could not be read, parsed, or built."),
            },
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
        summary: "Whether what is not checked, such as a remote template, is an error. Overrides `allow-unreadable`.",
        example: "strict: true",
        flag: flag(
            "strict",
            Help {
                heading: OUTPUT_HEADING,
                value: "",
                check: "Fail with exit code 3 if a part of the inputs is not checked.\n\nFor example, a remote \
                        template, the result of a macro, or a parameter file without a template. Overrides \
                        --allow-unreadable.",
                merge: Some(
                    "Fail with exit code 3 if a part of the inputs was not checked. Overrides --allow-unreadable.",
                ),
            },
        ),
        input: input(
            "strict",
            "false",
            "Whether the job fails if a part of the inputs is not checked, such as a remote template; overrides \
             `allow-unreadable`",
        ),
        weakens: Weakens::NotBeing("true"),
    },
    Setting {
        key: "min-severity",
        takes: Takes::Word(SEVERITIES, |choices, word| choices.min_severity = severity(word)),
        default: "low",
        summary: "Findings of a lower severity are not reported.",
        example: "min-severity: medium",
        flag: flag(
            "min-severity",
            Help {
                heading: OUTPUT_HEADING,
                value: "SEVERITY",
                check: "Lowest severity to report: high, medium, or low [default: low].\n\nFindings that are not \
                        reported do not count towards the exit code.",
                merge: None,
            },
        ),
        input: input("min-severity", "", "Lowest severity that is reported - `high`, `medium`, or `low`"),
        weakens: Weakens::Raised,
    },
    Setting {
        key: "baseline",
        takes: Takes::File(|settings, file| settings.baseline = Some(file)),
        default: "none",
        summary: "The file with accepted findings, which `--write-baseline` writes. Relative to this file.",
        example: "baseline: formwork-baseline.json",
        flag: declared("baseline", Combines::Overrides),
        input: input("baseline", "", "File of accepted findings, relative to `working-directory`"),
        // The file that it names is compared by its entries.
        weakens: Weakens::Elsewhere,
    },
    Setting {
        key: "suppressions",
        takes: Takes::Suppressions,
        default: "none",
        summary: "Findings that are accepted, and why.",
        example: "suppressions:\n  - rule: AZ-STORAGE-003\n    path: samples/**\n    reason: the samples are not deployed\n    until: 2030-01-31",
        flag: None,
        input: None,
        weakens: Weakens::Added,
    },
    Setting {
        key: "bicep",
        takes: Takes::Word(BICEP, |choices, word| choices.bicep = Some(word)),
        default: "auto",
        summary: "What builds Bicep files: the Bicep CLI, the built-in compiler, or (`auto`) the CLI where there is one.",
        example: "bicep: builtin",
        flag: declared("bicep", Combines::Overrides),
        input: input(
            "bicep-compiler",
            "auto",
            "What builds Bicep files, `auto` (the Bicep CLI if it is found, else the built-in compiler), `cli`, or \
             `builtin`",
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
            "Whether to tell in the job summary and in the comment of `summary-comment` which resources the change \
             creates, changes, or no longer deploys, and what that puts at risk; without it, the key `deployment-diff` \
             of the settings decides",
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
        takes: Takes::Paths(|settings, paths| settings.rules.paths = paths),
        default: "none",
        summary: "Rule files, and folders of rule files. Relative to this file.",
        example: "rules:\n  paths: [rules/company]",
        flag: declared("rules", Combines::Adds),
        input: input("rules", "", "Rule files and folders to use in addition to those of the settings, one per line"),
        weakens: Weakens::Removed,
    },
    Setting {
        key: "builtin",
        takes: Takes::Switch(|choices, is_on| choices.builtin_rules = Some(is_on)),
        default: "true",
        summary: "Whether the built-in rules run.",
        example: "rules:\n  builtin: false",
        flag: declared("no-builtin-rules", Combines::Overrides),
        input: None,
        weakens: Weakens::Being("false"),
    },
    Setting {
        key: "profile",
        takes: Takes::Word(&Profile::WORDS, |choices, word| choices.profile = word.parse().ok()),
        default: "default",
        summary: "Which of the built-in rules run: `default`, the part of it about one pillar, or `all`.",
        example: "rules:\n  profile: all",
        flag: flag(
            "profile",
            Help {
                heading: RULES_HEADING,
                value: "PROFILE",
                check: "Which of the built-in rules run: default, security, reliability, cost, or all.\n\n`security`, \
                        `reliability` and `cost` are parts of `default`. `all` adds rules that are a matter of opinion, \
                        and what is rarely urgent, such as old API versions.",
                merge: None,
            },
        ),
        input: None,
        weakens: Weakens::Fewer,
    },
    Setting {
        key: "include",
        takes: Takes::Rules(|settings, rules| settings.rules.include = rules),
        default: "all rules of the profile",
        summary: "If there are any, only these rules run.",
        example: "rules:\n  include: [AZ-STORAGE-001]",
        flag: declared("rules-include", Combines::Overrides),
        input: input(
            "rules-include",
            "",
            "IDs of the only rules to run, one per line, instead of those of the settings",
        ),
        weakens: Weakens::Narrowed,
    },
    Setting {
        key: "exclude",
        takes: Takes::Rules(|settings, rules| settings.rules.exclude = rules),
        default: "none",
        summary: "These rules do not run.",
        example: "rules:\n  exclude: [AZ-STORAGE-002]",
        flag: declared("rules-exclude", Combines::Adds),
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

/// All settings, with those of sections by the path of their key, such as `rules.profile`.
pub(crate) fn all() -> impl Iterator<Item = (String, &'static Setting)> {
    SETTINGS.iter().flat_map(|setting| {
        let inner = match setting.takes {
            Takes::Section(inner) => inner,
            _ => &[],
        };
        let inner = inner.iter().map(|inner| (format!("{}.{}", setting.key, inner.key), inner));
        std::iter::once((setting.key.to_owned(), setting)).chain(inner)
    })
}

/// The severity of a word. `never` is a threshold and not a severity.
pub(super) fn severity(word: &str) -> Option<Severity> {
    match word.parse() {
        Ok(FailOn::Severity(severity)) => Some(severity),
        _ => None,
    }
}
