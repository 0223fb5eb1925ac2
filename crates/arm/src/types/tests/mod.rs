//! Types, seen through the expansion of whole templates.

mod asserts;
mod avm;
mod matrix;
mod modules;
mod rep;
mod types;

use arcstr::ArcStr;

use crate::context::Context;
use crate::diagnostic::common_checks::PARAMETER_CONSTRAINT;
use crate::diagnostic::{Check, Code, Outcome};
use crate::expand::constraints::{ASSERTION, OUTPUT_CONSTRAINT};
use crate::expand::{Request, expand};
use crate::model::{Budget, Expansion, Limits, Offline};
use crate::syntax::json;
use crate::text::{FileId, Sources, Span};
use crate::value::Value;

/// An expansion with its source files.
struct Expanded {
    sources: Sources,
    expansion: Expansion,
}

impl Expanded {
    fn new(template: &str, parameters: &str) -> Self {
        Self::within(template, parameters, &Limits::default())
    }

    fn within(template: &str, parameters: &str, limits: &Limits) -> Self {
        let sources = Sources::new();
        let (file, template) = read(&sources, "main.json", template);
        let (parameter_file, parameters) = read(&sources, "parameters.json", parameters);
        let request = Request {
            file,
            template: &template,
            parameters: Some((parameter_file, &parameters)),
            overrides: &[],
            context: &Context::default(),
            budget: &Budget::new(limits),
            states: true,
            explores: false,
            has_unknowns: false,
            loader: &Offline,
        };
        let mut expansion = expand(&request);
        let is_ours = |check: Check| [PARAMETER_CONSTRAINT, OUTPUT_CONSTRAINT, ASSERTION].contains(&check);
        expansion.issues.retain(|issue| is_ours(issue.check));
        expansion.diagnostics.retain(|diagnostic| diagnostic.code != Code::ParameterMissing);
        Self { sources, expansion }
    }

    /// Returns a line for each issue: place, path and message.
    fn issues(&self) -> Vec<String> {
        let line = |issue: &crate::model::Issue| {
            let unknown = if issue.outcome == Outcome::Unknown { "unknown " } else { "" };
            format!("{} {unknown}{}: {}", self.place(issue.span), issue.path, issue.message)
        };
        self.expansion.issues.iter().map(line).collect()
    }

    /// Returns a line for each diagnostic: place, code and message.
    fn diagnostics(&self) -> Vec<String> {
        let line = |diagnostic: &crate::diagnostic::Diagnostic| {
            let (level, code) = (diagnostic.level.as_str(), diagnostic.code.as_str());
            format!("{} {level} {code} {}", self.place(diagnostic.primary.span), diagnostic.message)
        };
        self.expansion.diagnostics.iter().map(line).collect()
    }

    fn place(&self, span: Span) -> String {
        let source = self.sources.get(span.file);
        let position = source.position(span.start);
        format!("{}:{}:{}", source.name(), position.line, position.column)
    }

    fn text(&self, span: Span) -> String {
        self.sources.get(span.file).text().get(span.start as usize..span.end as usize).unwrap().to_owned()
    }
}

fn read(sources: &Sources, name: &str, text: &str) -> (FileId, Value) {
    let text: ArcStr = text.into();
    let file = sources.add(name, text.clone());
    (file, json::parse(file, &text, 256).value.unwrap())
}

/// Checks the issues and diagnostics of a template with these members, in language version 2.0.
#[track_caller]
fn check(members: &str, parameters: &str, expected: &[&str]) {
    let template = format!("{{\"languageVersion\": \"2.0\", \"resources\": {{}},\n{members}}}");
    let expanded = Expanded::new(&template, &format!("{{\"parameters\": {{{parameters}}}}}"));
    let mut found = expanded.issues();
    found.extend(expanded.diagnostics());
    assert_eq!(found, expected, "\n{}", found.join("\n"));
}
