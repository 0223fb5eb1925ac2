//! The flags of settings, as the table of settings defines them.

use std::marker::PhantomData;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, value_parser};

use crate::config::{Combines, Flag, Given, Group, Takes, all_settings};

/// The flags of settings that stand together in the help of a command, and what they say.
#[derive(Clone, Debug)]
pub(in crate::cli) struct SettingArguments<P> {
    pub(in crate::cli) given: Given,
    part: PhantomData<P>,
}

/// Which flags of settings stand together.
pub(in crate::cli) trait Part {
    /// The help of a flag, if the flag is one of them.
    fn help(flag: &Flag) -> Option<&'static str>;
}

/// Declares the parts, by their groups.
macro_rules! parts {
    ($($part:ident,)*) => {
        $(
            #[doc = concat!("The flags of [`Group::", stringify!($part), "`].")]
            #[derive(Clone, Debug)]
            pub(in crate::cli) enum $part {}

            impl Part for $part {
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

impl Part for Merge {
    fn help(flag: &Flag) -> Option<&'static str> {
        flag.merge
    }
}

/// The flags of a part, with what they take and their help.
fn flags<P: Part>() -> impl Iterator<Item = (&'static Flag, Takes, &'static str)> {
    all_settings().filter_map(|(_, setting)| {
        let flag = setting.flag.as_ref()?;
        Some((flag, setting.takes, P::help(flag)?))
    })
}

/// The flag for clap. Like a comment from which clap makes help, a text of one paragraph loses its period.
fn argument(flag: &'static Flag, takes: Takes, help: &'static str) -> Arg {
    let argument = Arg::new(flag.name).long(flag.name).help_heading(flag.group.heading());
    let argument = match help.split_once("\n\n") {
        Some((first, _)) => argument.help(without_period(first)).long_help(help),
        None => argument.help(without_period(help)),
    };
    let valued = |argument: Arg| argument.value_name(flag.value);
    match takes {
        Takes::Word(words, _) if flag.meanings.is_empty() => {
            valued(argument).value_parser(move |text: &str| one_of(words, text))
        }
        Takes::Word(words, _) => {
            let listed =
                words.iter().zip(flag.meanings).map(|(word, meaning)| PossibleValue::new(*word).help(*meaning));
            valued(argument).value_parser(PossibleValuesParser::new(listed).try_map(move |text| one_of(words, &text)))
        }
        Takes::Globs(..) | Takes::Rules(..) => valued(argument).action(ArgAction::Append),
        Takes::Paths(..) => valued(argument).action(ArgAction::Append).value_parser(value_parser!(PathBuf)),
        Takes::File(..) => valued(argument).value_parser(value_parser!(PathBuf)),
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

/// Takes over what the command line says with a flag.
fn read(flag: &Flag, takes: Takes, matches: &ArgMatches, given: &mut Given) {
    let name = flag.name;
    let strings = || matches.get_many(name).into_iter().flatten().cloned().collect();
    match takes {
        Takes::Switch(set) if matches.get_flag(name) => set(&mut given.choices, flag.combines != Combines::TurnsOff),
        Takes::Word(_, set) => {
            if let Some(word) = matches.get_one::<&'static str>(name) {
                set(&mut given.choices, word);
            }
        }
        Takes::Globs(_, set) | Takes::Rules(_, set) => set(given, strings()),
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

impl<P: Part> Args for SettingArguments<P> {
    fn augment_args(command: Command) -> Command {
        // One by one, the command would be moved for each.
        command.args(flags::<P>().map(|(flag, takes, help)| argument(flag, takes, help)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<P: Part> FromArgMatches for SettingArguments<P> {
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
