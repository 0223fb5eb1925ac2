//! The flags of settings that have one value, as the table of settings defines them.

use std::marker::PhantomData;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use crate::config::{Choices, Flag, Help, OUTPUT_HEADING, RULES_HEADING, Takes, all_settings};

/// The flags of settings in one part of the help of a command, and what they say.
#[derive(Clone, Debug)]
pub(in crate::cli) struct SettingArguments<P> {
    pub(in crate::cli) choices: Choices,
    part: PhantomData<P>,
}

/// A part of the help of a command.
pub(in crate::cli) trait Part {
    /// The help of a flag, if the flag is in this part.
    fn help(help: &Help) -> Option<&'static str>;
}

/// The rules of `formwork check`.
#[derive(Clone, Debug)]
pub(in crate::cli) enum CheckRules {}

/// The output of `formwork check`, and its exit code.
#[derive(Clone, Debug)]
pub(in crate::cli) enum CheckOutput {}

/// The exit code of `formwork merge`.
#[derive(Clone, Debug)]
pub(in crate::cli) enum MergeOutput {}

impl Part for CheckRules {
    fn help(help: &Help) -> Option<&'static str> {
        (help.heading == RULES_HEADING).then_some(help.check)
    }
}

impl Part for CheckOutput {
    fn help(help: &Help) -> Option<&'static str> {
        (help.heading == OUTPUT_HEADING).then_some(help.check)
    }
}

impl Part for MergeOutput {
    fn help(help: &Help) -> Option<&'static str> {
        help.merge
    }
}

/// The flags of a part, what they take, and their help.
fn flags<P: Part>() -> impl Iterator<Item = (&'static Flag, Takes, &'static Help, &'static str)> {
    all_settings().filter_map(|(_, setting)| {
        let flag = setting.flag.as_ref()?;
        let help = flag.help.as_ref()?;
        Some((flag, setting.takes, help, P::help(help)?))
    })
}

/// The flag for clap. Like the comments of the other flags, a help of one paragraph loses its period.
fn argument(flag: &'static Flag, takes: Takes, help: &'static Help, text: &'static str) -> Arg {
    let argument = Arg::new(flag.name).long(flag.name).help_heading(help.heading);
    let argument = match text.split_once("\n\n") {
        Some((first, _)) => argument.help(without_period(first)).long_help(text),
        None => argument.help(without_period(text)),
    };
    match takes {
        Takes::Word(words, _) => argument.value_name(help.value).value_parser(move |text: &str| one_of(words, text)),
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

impl<P: Part> Args for SettingArguments<P> {
    fn augment_args(command: Command) -> Command {
        flags::<P>().fold(command, |command, (flag, takes, help, text)| command.arg(argument(flag, takes, help, text)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<P: Part> FromArgMatches for SettingArguments<P> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut arguments = Self { choices: Choices::default(), part: PhantomData };
        arguments.update_from_arg_matches(matches)?;
        Ok(arguments)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for (flag, takes, ..) in flags::<P>() {
            match takes {
                Takes::Word(_, set) => {
                    if let Some(word) = matches.get_one::<&'static str>(flag.name) {
                        set(&mut self.choices, word);
                    }
                }
                Takes::Switch(set) if matches.get_flag(flag.name) => set(&mut self.choices, true),
                _ => {}
            }
        }
        Ok(())
    }
}
