//! The codes of Bicep's compiler, and their state: reported, not needed, or not yet.
//!
//! `names.txt` lists them with their names and levels. Source:
//! <https://github.com/Azure/bicep/blob/main/src/Bicep.Core/Diagnostics/DiagnosticBuilder.cs>. `samples.txt` has a
//! sample for each code that is reported, which a test compiles, and `others.txt` the reasons for all others.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use foldhash::HashMap;

use crate::diagnostic::{BicepCode, Level};

/// A code of Bicep's compiler.
#[derive(Debug)]
pub struct BicepRule {
    /// The code.
    pub code: BicepCode,
    /// Name of the diagnostic in Bicep.
    pub name: &'static str,
    /// Level in Bicep. Some codes are errors or warnings, depending on what they are about.
    pub level: Level,
    /// State of the code in this compiler.
    pub state: CodeState,
}

/// State of a code in this compiler.
#[derive(Debug)]
pub enum CodeState {
    /// A file with this mistake gets a problem. Holds its ID, and the sample.
    Reported(String, &'static str),
    /// Only the Bicep CLI, an editor, or a registry can meet the problem. Holds the reason.
    NotNeeded(&'static str),
    /// Not reported. Holds the reason.
    NotYet(&'static str),
}

static RULES: LazyLock<Vec<BicepRule>> = LazyLock::new(read_rules);

/// Returns all codes, in order.
pub fn all() -> &'static [BicepRule] {
    &RULES
}

impl BicepRule {
    /// Returns the name in words: `Unknown property` for `UnknownProperty`.
    pub fn title(&self) -> String {
        let mut title = String::new();
        for (at, letter) in self.name.replace('_', "").chars().enumerate() {
            if letter.is_ascii_uppercase() && at > 0 {
                title.push(' ');
                title.push(letter.to_ascii_lowercase());
            } else {
                title.push(letter);
            }
        }
        title
    }
}

fn read_rules() -> Vec<BicepRule> {
    let samples = samples();
    let others = others();
    let rules = include_str!("names.txt").lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (name, title, level) = (words.next()?, words.next()?, words.next()?);
        let is_unused = words.next().is_some();
        let code = BicepCode::read(name)?;
        let state = match (samples.get(name), others.get(name)) {
            (Some((id, sample)), _) => {
                let own = code.rule_id();
                CodeState::Reported(id.map_or(own, ToOwned::to_owned), sample)
            }
            (None, Some(("not-needed", reason))) => CodeState::NotNeeded(reason),
            (None, Some((_, reason))) => CodeState::NotYet(reason),
            (None, None) if is_unused => CodeState::NotNeeded("Bicep itself does not report it"),
            (None, None) => CodeState::NotYet("no sample shows it"),
        };
        let level = if level == "error" { Level::Error } else { Level::Warning };
        Some(BicepRule { code, name: title, level, state })
    });
    rules.collect()
}

/// Returns the samples by code, each with the ID of its problem if that is not the code's own.
fn samples() -> HashMap<&'static str, (Option<&'static str>, &'static str)> {
    let parts = include_str!("samples.txt").split("## ").skip(1);
    let samples = parts.filter_map(|part| {
        let (head, sample) = part.split_once('\n')?;
        let (code, id) = head.split_once(' ').map_or((head, None), |(code, id)| (code, Some(id)));
        Some((code, (id, sample)))
    });
    samples.collect()
}

/// Returns the states and reasons of codes without a sample.
fn others() -> HashMap<&'static str, (&'static str, &'static str)> {
    let lines = include_str!("others.txt").lines();
    let others = lines.filter_map(|line| {
        let (code, rest) = line.split_once(' ')?;
        let (state, reason) = rest.split_once(' ')?;
        Some((code, (state, reason)))
    });
    others.collect()
}

/// Returns the files of a sample: names and texts. A sample begins with `main.bicep`.
pub fn files_of(sample: &str) -> Vec<(&str, String)> {
    let mut files: Vec<(&str, String)> = Vec::new();
    for line in sample.lines() {
        if let Some(name) = line.strip_prefix("-- ") {
            files.push((name, String::new()));
            continue;
        }
        if files.is_empty() {
            files.push(("main.bicep", String::new()));
        }
        if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    // The end of a file is part of some samples.
    for (_, text) in &mut files {
        text.pop();
    }
    files
}
