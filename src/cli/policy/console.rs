//! The explanation as text: the conditions as a tree, each on a line with its answer.

use std::io;

use crate::cli::exit::Error;
use crate::cli::policy::{ExplanationPage, outcome};
use crate::model::Resource;
use crate::policy::judge::{Answer, Evaluated, Explained, Origin, PartKind, Seen};
use crate::policy::{Outcome, Standing};
use crate::text::Span;
use crate::text::escape::visible;

/// Width of the column with the answers of conditions.
const ANSWER_WIDTH: usize = 7;

/// Prints one tree for each resource and definition.
pub(super) fn print(page: &ExplanationPage<'_>, out: &mut dyn io::Write) -> Result<(), Error> {
    for (at, (resource, explained)) in page.answer.all.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let mut lines = page.heading(resource, explained);
        for (title, parts) in [("", explained.condition.as_slice()), ("related resources:", &explained.related)] {
            if !title.is_empty() && !parts.is_empty() {
                lines.push(title.to_owned());
            }
            for part in parts {
                page.add(part, 0, &mut lines);
            }
        }
        for line in lines {
            writeln!(out, "{}", visible(&line))?;
        }
    }
    Ok(())
}

impl ExplanationPage<'_> {
    fn heading(&self, resource: &Resource, explained: &Explained) -> Vec<String> {
        let name = self.document.hidden.masked(&resource.name);
        let mut lines = vec![format!("{} `{name}`{}", resource.type_name, self.location_suffix(Some(resource.span)))];
        let assignment = self.governance.assignment(explained.assignment);
        let by = assignment.map_or_else(String::new, |assignment| {
            let scope = assignment.scope.as_deref().filter(|scope| *scope != "/");
            let scope = scope.map_or_else(String::new, |scope| format!(" at `{scope}`"));
            // A definition without an assignment gets one of the same name.
            let is_own = assignment.name.eq_ignore_ascii_case(&explained.definition);
            if is_own { scope } else { format!(" of assignment `{}`{scope}", assignment.name) }
        });
        let title = explained.title.as_deref().filter(|title| **title != *explained.definition);
        let title = title.map_or_else(String::new, |title| format!(" ({title})"));
        let (does, why) = (does(explained), explained.why.as_str());
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        lines.push(format!("policy `{}`{title}{by}: {does}{why}", explained.definition));
        let effects: Vec<&str> = explained.effects.iter().map(|effect| effect.as_str()).collect();
        if !effects.is_empty() {
            lines.push(format!("effect: {}", effects.join(" or ")));
        }
        for parameter in &explained.parameters {
            let from = match parameter.origin {
                Origin::Assignment => "from the assignment",
                Origin::Initiative => "from the initiative",
                Origin::Default => "its default value",
            };
            lines.push(format!(
                "parameter {}: {}, {from}{}",
                parameter.name,
                parameter.value,
                self.location_suffix(parameter.span)
            ));
        }
        lines
    }

    /// Adds the lines of a condition and of its nested conditions.
    fn add(&self, part: &Evaluated, depth: usize, lines: &mut Vec<String>) {
        let indent = "  ".repeat(depth);
        let answer = part.answer.as_str();
        let mut text = match part.kind {
            PartKind::Test => part.text.clone(),
            PartKind::Item => format!("item{}", self.value(part.left.as_ref())),
            PartKind::Related => format!("`{}`", part.text),
            PartKind::All | PartKind::Any | PartKind::Not => part.kind.as_str().to_owned(),
            PartKind::Invalid => "what cannot be read".to_owned(),
        };
        if part.kind == PartKind::Test {
            text.push_str(&part.right.as_ref().map_or_else(String::new, |right| format!(" = {right}")));
            text.push_str(&self.left_side(part));
        }
        if let Some(why) = part.why.as_ref().filter(|_| part.parts.is_empty() || part.answer == Answer::Fails) {
            text = format!("{text}: {why}");
        }
        lines.push(format!("{answer:ANSWER_WIDTH$}  {indent}{text}"));
        for inner in &part.parts {
            self.add(inner, depth + 1, lines);
        }
        if part.omitted > 0 {
            lines.push(format!("{:ANSWER_WIDTH$}  {indent}  and {} more", "", part.omitted));
        }
    }

    /// Describes the left side of a comparison.
    fn left_side(&self, part: &Evaluated) -> String {
        let Some(left) = &part.left else { return String::new() };
        // The name of the field is shown if the definition has an expression for it.
        let is_computed = !left.name.is_empty() && !part.text.starts_with(&left.name);
        let name = if is_computed { format!("`{}`", left.name) } else { "it".to_owned() };
        format!("; {name} is{}", self.value(Some(left)))
    }

    fn value(&self, seen: Option<&Seen>) -> String {
        seen.map_or_else(String::new, |seen| format!(" {}{}", seen.value, self.location_suffix(seen.span)))
    }

    /// Returns a location as the end of a sentence. Empty if there is no span.
    fn location_suffix(&self, span: Option<Span>) -> String {
        span.map_or_else(String::new, |span| {
            let (file, line, column) = self.place(span);
            format!(", at {file}:{line}:{column}")
        })
    }

    /// Returns the file, the line, and the column of a span. Line and column count from 1.
    pub(super) fn place(&self, span: Span) -> (String, u32, u32) {
        let span = self.expanded.place(span, self.sources);
        let source = self.sources.get(span.file);
        let position = source.position(span.start);
        (source.name().to_string(), position.line, position.column)
    }
}

/// Describes the effect of a definition.
fn does(explained: &Explained) -> String {
    let name = outcome(explained);
    match (explained.outcome, explained.standing) {
        (Outcome::None, _) => "does nothing".to_owned(),
        (Outcome::Unknown, _) => "cannot be decided".to_owned(),
        (_, Standing::Applies) => name.to_owned(),
        (_, Standing::Conditional) => format!("{name}, where the assignment applies"),
        (_, Standing::NotEnforced) => format!("{name}, if it were enforced"),
        (_, Standing::Exempt) => format!("{name}, if the resource were not exempt"),
        (_, Standing::Excluded) => format!("{name}, if the resource were in its scope"),
    }
}
