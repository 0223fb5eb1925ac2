//! Initiatives, which Azure also calls policy set definitions.

use crate::documents::{Arguments, Parameter, name, optional_text, properties, text};
use crate::ids::last_segment;
use crate::problem::{Consequence, Problem};
use crate::text::Span;
use crate::value::{Str, Value};

/// A group of definitions that are assigned together.
#[derive(Debug)]
pub struct Initiative {
    /// Resource ID; empty if the file has none.
    pub id: Str,
    /// Name, which is the last segment of the ID; empty if the file has none.
    pub name: Str,
    /// Title in the portal, `displayName`. `None` if the file has none.
    pub display_name: Option<Str>,
    /// Version, `Major.Minor.Patch`, if the file has one.
    pub version: Option<Str>,
    /// Declared parameters.
    pub parameters: Vec<Parameter>,
    /// References to its definitions.
    pub references: Vec<Reference>,
    /// Span in the file.
    pub span: Option<Span>,
    /// Errors for which Azure would reject it.
    pub problems: Vec<Problem>,
}

/// A reference of an initiative to a definition. Several references may be to one definition.
#[derive(Debug)]
pub struct Reference {
    /// ID of the definition.
    pub definition: Str,
    /// Name of the reference in the initiative, or the last segment of the definition's ID.
    pub id: Str,
    /// Arguments for the parameters of the definition, with the initiative's parameters in expressions.
    pub arguments: Arguments,
    /// Selected version, such as `2.*.*`.
    pub version: Option<Str>,
    /// Span in the file.
    pub span: Option<Span>,
}

impl Initiative {
    /// Reads an initiative from the JSON of its file. Errors become its problems.
    pub fn read(document: &Value) -> Self {
        let own = properties(document);
        let mut problems = Vec::new();
        let parameters = Parameter::read_all(own, &mut problems);
        let references = own.get("policyDefinitions").and_then(Value::as_array).unwrap_or_default();
        let list = own.get("policyDefinitions").filter(|list| list.as_array().is_some());
        match list {
            Some(list) if references.is_empty() => {
                let problem = Problem::new(list.span.or(document.span), "the initiative has no definitions yet");
                problems.push(problem.with(Consequence::LeftOut));
            }
            Some(_) => {}
            None => problems.push(Problem::new(document.span, "the initiative has no `policyDefinitions`")),
        }
        Self {
            id: text(document, "id"),
            name: name(document),
            display_name: optional_text(own, "displayName"),
            version: optional_text(own, "version"),
            parameters,
            references: references.iter().map(|entry| Reference::read(entry, &mut problems)).collect(),
            span: document.span,
            problems,
        }
    }
}

impl Reference {
    fn read(value: &Value, problems: &mut Vec<Problem>) -> Self {
        // Enterprise Policy as Code names custom definitions without their scope.
        let definition =
            optional_text(value, "policyDefinitionId").unwrap_or_else(|| text(value, "policyDefinitionName"));
        if definition.is_empty() {
            problems.push(Problem::new(value.span, "a member of `policyDefinitions` has no `policyDefinitionId`"));
        }
        let last = || Str::from(last_segment(&definition));
        Self {
            id: optional_text(value, "policyDefinitionReferenceId").unwrap_or_else(last),
            arguments: Arguments::read(value),
            version: optional_text(value, "definitionVersion"),
            span: value.span,
            definition,
        }
    }
}
