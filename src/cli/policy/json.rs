//! The explanation as JSON: one object per line for each resource and definition. Fields are added, but never
//! renamed.

use std::io;

use crate::cli::exit::Error;
use crate::cli::policy::{ExplanationPage, outcome};
use crate::model::Resource;
use crate::policy::Standing;
use crate::policy::judge::{Evaluated, Explained, Given};
use crate::text::Span;
use crate::value::{JsonStyle, Member, Value, write_json};

/// Prints one object for each explanation.
pub(super) fn print(page: &ExplanationPage<'_>, out: &mut dyn io::Write) -> Result<(), Error> {
    for (resource, explained) in &page.answer.all {
        write_json(&page.object(resource, explained), JsonStyle::COMPACT, out)?;
        writeln!(out)?;
    }
    Ok(())
}

fn text(name: &'static str, value: &str) -> Member {
    Member::new(name, Value::from(value))
}

impl ExplanationPage<'_> {
    fn object(&self, resource: &Resource, explained: &Explained) -> Value {
        let hidden = &self.document.hidden;
        let mut own = vec![
            text("type", &resource.type_name),
            text("name", &hidden.masked(&resource.name)),
            text("id", &hidden.masked(&resource.id)),
        ];
        own.extend(self.location(Some(resource.span)));
        let assignment = self.governance.assignment(explained.assignment);
        let mut members = vec![
            Member::new("resource", Value::object(own)),
            text("assignment", assignment.map_or("", |assignment| &assignment.name)),
        ];
        members.extend(assignment.and_then(|own| own.scope.as_deref()).map(|scope| text("scope", scope)));
        members.push(text("policy", &explained.definition));
        members.push(text("reference", &explained.reference));
        members.extend(explained.title.as_deref().map(|title| text("title", title)));
        members.push(text("outcome", outcome(explained)));
        members.push(text("standing", standing(explained.standing)));
        members.extend(Some(&explained.why).filter(|why| !why.is_empty()).map(|why| text("why", why)));
        let effects = explained.effects.iter().map(|effect| Value::from(effect.as_str()));
        members.push(Member::new("effects", Value::array(effects.collect())));
        let parameters = explained.parameters.iter().map(|given| self.parameter(given));
        members.push(Member::new("parameters", Value::array(parameters.collect())));
        let condition = explained.condition.as_ref().map(|part| Member::new("condition", self.part(part)));
        members.extend(condition);
        if !explained.related.is_empty() {
            let related = explained.related.iter().map(|part| self.part(part));
            members.push(Member::new("related", Value::array(related.collect())));
        }
        Value::object(members)
    }

    fn parameter(&self, given: &Given) -> Value {
        let mut members =
            vec![text("name", &given.name), text("value", &given.value), text("from", given.origin.as_str())];
        members.extend(self.location(given.span));
        Value::object(members)
    }

    fn part(&self, part: &Evaluated) -> Value {
        let mut members = vec![text("kind", part.kind.as_str()), text("answer", part.answer.as_str())];
        members.extend(Some(&part.text).filter(|text| !text.is_empty()).map(|own| text("text", own)));
        members.extend(part.why.as_deref().map(|why| text("why", why)));
        members.extend(part.right.as_deref().map(|right| text("right", right)));
        if let Some(left) = &part.left {
            members.extend(Some(&left.name).filter(|name| !name.is_empty()).map(|name| text("field", name)));
            members.push(text("value", &left.value));
            members.extend(self.location(left.span));
        }
        if !part.parts.is_empty() {
            members.push(Member::new("parts", Value::array(part.parts.iter().map(|inner| self.part(inner)).collect())));
        }
        if part.omitted > 0 {
            let omitted = i64::try_from(part.omitted).unwrap_or(i64::MAX);
            members.push(Member::new("omitted", Value::from(omitted)));
        }
        Value::object(members)
    }

    fn location(&self, span: Option<Span>) -> Vec<Member> {
        let Some(span) = span else { return Vec::new() };
        let (file, line, column) = self.place(span);
        let number = |name: &'static str, number: u32| Member::new(name, Value::from(i64::from(number)));
        vec![text("file", &file), number("line", line), number("column", column)]
    }
}

/// Returns the name of a standing in JSON.
fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Applies => "applies",
        Standing::Conditional => "conditional",
        Standing::NotEnforced => "notEnforced",
        Standing::Exempt => "exempt",
        Standing::Excluded => "excluded",
    }
}
