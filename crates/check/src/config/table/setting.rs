//! Description of a setting in the table.

use std::path::PathBuf;

use crate::config::Settings;
use crate::config::table::{Choices, Given};
use crate::diagnostic::{RulePattern, Severity};
use crate::files::PathGlobs;
use crate::text::Span;

/// A setting: a key of the settings file, with the flag and the input of the action that set it too.
#[derive(Debug)]
pub struct Setting {
    pub key: &'static str,
    pub takes: Takes,
    /// Default, as the docs print it.
    pub default: &'static str,
    pub summary: &'static str,
    /// The key with a value, as it is written in the file.
    pub example: &'static str,
    pub flag: Option<Flag>,
    pub input: Option<Input>,
    pub weakens: Weakens,
}

/// The values that a setting takes, and where those of a file and those of a flag go.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// A Boolean: `true` or `false`.
    Switch(fn(&mut Choices, bool)),
    /// A word of this list.
    Word(&'static [&'static str], fn(&mut Choices, &'static str)),
    /// Globs of files, relative to the settings file.
    Globs(fn(&mut Settings, Vec<PathGlobs>), fn(&mut Given, Vec<String>)),
    /// Files and folders, relative to the settings file.
    Paths(fn(&mut Settings, Vec<(PathBuf, Span)>), fn(&mut Given, Vec<PathBuf>), Names),
    /// A file, relative to the settings file.
    File(fn(&mut Settings, (PathBuf, Span)), fn(&mut Given, PathBuf), Names),
    /// IDs, names, or patterns of rules.
    Rules(fn(&mut Settings, Vec<RulePattern>), fn(&mut Given, Vec<String>)),
    /// Names, in their order.
    Names(fn(&mut Settings, Vec<String>)),
    /// A severity for each of some rules.
    Severities(fn(&mut Settings, Vec<(RulePattern, Severity)>)),
    /// The keys of [`keys`](crate::config::keys).
    Configuration,
    /// A list of [`suppressions`](crate::config::suppressions).
    Suppressions,
    /// A list of [`parameters`](crate::config::parameters).
    Templates,
    /// The keys of [`limits`](crate::config::limits).
    Limits,
    /// Settings of its own.
    Section(&'static [Setting]),
}

/// The files and folders that a setting names, and those that its flag names.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    pub role: Role,
    pub of_settings: fn(&Settings) -> &[(PathBuf, Span)],
    pub of_flag: fn(&Given) -> &[PathBuf],
}

/// The part that a file takes in a check besides its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A settings file, or a place where one is looked for.
    Settings,
    /// A rule file, or a folder of rule files.
    Rules,
    /// A file or folder of Azure policies.
    Policies,
    /// The values of the parameters of policies that nothing assigns.
    PolicyParameters,
    /// The file of accepted findings.
    Baseline,
    /// A parameter file of the command line.
    Parameters,
    /// A `bicepconfig.json`, or a file that one extends.
    BicepSettings,
}

/// The flag of `formwork check` for a setting.
#[derive(Debug)]
pub struct Flag {
    /// The name, without dashes.
    pub name: &'static str,
    pub combines: Combines,
    pub group: Group,
    /// Placeholder of the value in the help.
    pub value: &'static str,
    /// The help. Its first paragraph is the short help.
    pub help: &'static str,
    /// The help of `formwork merge`, if it has the flag.
    pub merge: Option<&'static str>,
    /// Meanings of the words, if the help lists them.
    pub meanings: &'static [&'static str],
}

/// Effect of a flag on the value of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combines {
    Overrides,
    Adds,
    /// Sets a switch to `false`.
    TurnsOff,
}

/// Group of flags that the help shows together, and the commands that have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Flags of `check`, about the files of a folder.
    Inputs,
    /// Flags of all commands that build Bicep files.
    Bicep,
    /// Flags of all commands that read rules.
    RuleFiles,
    /// Flags of `check`, about the rules that run.
    Rules,
    /// Flags of `check`, about Azure policies.
    Policy,
    /// Flags of `check`, about what is reported and fails.
    Output,
    /// Flags of `check`, about accepted findings.
    Baseline,
}

impl Group {
    /// Returns the heading in the help.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Inputs => "Inputs",
            Self::Bicep => "Bicep",
            Self::RuleFiles | Self::Rules => "Rules",
            Self::Policy => "Azure Policy",
            Self::Output => "Output",
            Self::Baseline => "Baseline",
        }
    }
}

/// The input of the action for a setting.
#[derive(Debug)]
pub struct Input {
    pub name: &'static str,
    pub default: &'static str,
    pub description: &'static str,
}

/// Direction in which a change of a setting weakens the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakens {
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
    /// A setting with names of files, by the content of the files and not by its value.
    Elsewhere,
}

impl Setting {
    /// Returns the files that the setting and its flag name. `None` for a setting that names no files that a check
    /// depends on.
    pub fn names(&self) -> Option<Names> {
        match self.takes {
            Takes::Paths(_, _, names) | Takes::File(_, _, names) => Some(names),
            // Globs and templates are about the inputs of a check.
            Takes::Globs(..) | Takes::Templates | Takes::Suppressions => None,
            Takes::Switch(_)
            | Takes::Word(..)
            | Takes::Rules(..)
            | Takes::Names(_)
            | Takes::Severities(_)
            | Takes::Configuration
            | Takes::Limits
            | Takes::Section(_) => None,
        }
    }
}

impl Flag {
    /// Creates a flag that overrides the file, and that only `formwork check` has.
    pub(super) const fn new(name: &'static str, group: Group) -> Self {
        Self { name, combines: Combines::Overrides, group, value: "", help: "", merge: None, meanings: &[] }
    }

    pub(super) const fn takes(self, value: &'static str) -> Self {
        Self { value, ..self }
    }

    pub(super) const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    pub(super) const fn of_merge(self, help: &'static str) -> Self {
        Self { merge: Some(help), ..self }
    }

    pub(super) const fn meaning(self, meanings: &'static [&'static str]) -> Self {
        Self { meanings, ..self }
    }

    pub(super) const fn adds(self) -> Self {
        Self { combines: Combines::Adds, ..self }
    }

    pub(super) const fn turns_off(self) -> Self {
        Self { combines: Combines::TurnsOff, ..self }
    }

    /// Returns `true` if `formwork merge` has the flag as well.
    pub fn is_of_merge(&self) -> bool {
        self.merge.is_some()
    }
}

pub(super) const fn input(name: &'static str, default: &'static str, description: &'static str) -> Option<Input> {
    Some(Input { name, default, description })
}
