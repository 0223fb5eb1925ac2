//! Flags of settings, generated from the table of settings.

use std::marker::PhantomData;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, value_parser};

use crate::config::{Combines, Flag, Given, Group, Takes, all_settings};

/// Flags of settings in one group of a command's help, and their values.
#[derive(Clone, Debug)]
pub(in crate::cli) struct SettingArguments<P> {
    pub(in crate::cli) given: Given,
    part: PhantomData<P>,
}

/// Group of flags in the help.
pub(in crate::cli) trait FlagGroup {
    /// Returns the help of a flag, or `None` if the flag does not belong to the group.
    fn help(flag: &Flag) -> Option<&'static str>;
}

/// Declares the groups.
macro_rules! parts {
    ($($part:ident,)*) => {
        $(
            #[doc = concat!("The flags of [`Group::", stringify!($part), "`].")]
            #[derive(Clone, Debug)]
            pub(in crate::cli) enum $part {}

            impl FlagGroup for $part {
                fn help(flag: &Flag) -> Option<&'static str> {
                    (flag.group == Group::$part).then_some(flag.help)
                }
            }
        )*
    };
}

parts!(Inputs, Bicep, RuleFiles, Rules, Policy, Output, Baseline,);

/// The flags of `formwork merge`.
#[derive(Clone, Debug)]
pub(in crate::cli) enum Merge {}

impl FlagGroup for Merge {
    fn help(flag: &Flag) -> Option<&'static str> {
        flag.merge
    }
}

/// Iterates over the flags of a group, with their value types and help.
fn flags<P: FlagGroup>() -> impl Iterator<Item = (&'static Flag, Takes, &'static str)> {
    all_settings().filter_map(|(_, setting)| {
        let flag = setting.flag.as_ref()?;
        Some((flag, setting.takes, P::help(flag)?))
    })
}

/// Returns the flag for clap. Like a comment from which clap generates help, a text of one paragraph loses its
/// period.
fn argument(flag: &'static Flag, takes: Takes, help: &'static str) -> Arg {
    let argument = Arg::new(flag.name).long(flag.name).help_heading(flag.group.heading());
    let argument = match help.split_once("\n\n") {
        Some((first, _)) => argument.help(without_period(first)).long_help(help),
        None => argument.help(without_period(help)),
    };
    if let Takes::Globs(..) | Takes::Rules(..) = takes {
        return argument.value_name(flag.value).action(ArgAction::Append);
    }
    match takes {
        Takes::Word(words, _) if flag.meanings.is_empty() => {
            argument.value_name(flag.value).value_parser(move |text: &str| one_of(words, text))
        }
        Takes::Word(words, _) => {
            let listed =
                words.iter().zip(flag.meanings).map(|(word, meaning)| PossibleValue::new(*word).help(*meaning));
            let parser = PossibleValuesParser::new(listed).try_map(move |text| one_of(words, &text));
            argument.value_name(flag.value).value_parser(parser)
        }
        Takes::Paths(..) => {
            argument.value_name(flag.value).action(ArgAction::Append).value_parser(value_parser!(PathBuf))
        }
        Takes::File(..) => argument.value_name(flag.value).value_parser(value_parser!(PathBuf)),
        _ => argument.action(ArgAction::SetTrue),
    }
}

fn without_period(text: &'static str) -> &'static str {
    text.strip_suffix('.').unwrap_or(text)
}

fn one_of(words: &'static [&'static str], text: &str) -> Result<&'static str, String> {
    let found = words.iter().copied().find(|word| *word == text);
    found.ok_or_else(|| format!("expected one of {}", words.join(", ")))
}

/// Copies the value of a flag into the settings.
fn read(flag: &Flag, takes: Takes, matches: &ArgMatches, given: &mut Given) {
    let name = flag.name;
    let strings: Vec<String> = match takes {
        Takes::Globs(..) | Takes::Rules(..) => matches.get_many(name).into_iter().flatten().cloned().collect(),
        _ => Vec::new(),
    };
    match takes {
        Takes::Switch(set) if matches.get_flag(name) => set(&mut given.choices, flag.combines != Combines::TurnsOff),
        Takes::Word(_, set) => {
            if let Some(word) = matches.get_one::<&'static str>(name) {
                set(&mut given.choices, word);
            }
        }
        Takes::Globs(_, set) | Takes::Rules(_, set) => set(given, strings),
        Takes::Paths(_, set, _) => set(given, matches.get_many(name).into_iter().flatten().cloned().collect()),
        Takes::File(_, set, _) => {
            if let Some(file) = matches.get_one::<PathBuf>(name) {
                set(given, file.clone());
            }
        }
        _ => {}
    }
}

impl<P> Default for SettingArguments<P> {
    fn default() -> Self {
        Self { given: Given::default(), part: PhantomData }
    }
}

impl<P: FlagGroup> Args for SettingArguments<P> {
    fn augment_args(command: Command) -> Command {
        // Adding them one by one would move the command for each.
        command.args(flags::<P>().map(|(flag, takes, help)| argument(flag, takes, help)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<P: FlagGroup> FromArgMatches for SettingArguments<P> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut arguments = Self::default();
        arguments.update_from_arg_matches(matches)?;
        Ok(arguments)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for (flag, takes, _) in flags::<P>() {
            read(flag, takes, matches, &mut self.given);
        }
        Ok(())
    }
}
