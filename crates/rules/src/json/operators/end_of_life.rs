//! `endOfLife`: tests whether something is out of support, by a table with dates.

use crate::json::operators::{Answer, Extension, Fault, Operand, Refusal, may_be};
use crate::outcomes::Outcomes;
use crate::tables::{DatedRow, Glob, Table};
use crate::text::did_you_mean;
use crate::value::{Data, Ends, Kind, Value};

/// Separator of an object's fields in the patterns of a table.
const SEPARATOR: &str = ":";

pub(super) fn read(given: &Value) -> Result<Operand, Refusal> {
    const EXPECTED: Refusal = Refusal::Expected("the name of a table, or an object with `table` and `fields`");
    let (name, fields) = match &given.data {
        Data::String(name) => (&**name, Vec::new()),
        Data::Object(object) => {
            if let Some(unknown) = object.iter().find(|member| !["table", "fields"].contains(&&*member.key)) {
                let hint = did_you_mean(&unknown.key, ["table", "fields"]);
                return Err(Refusal::Unusable(format!("unknown name `{}`{hint}", unknown.key)));
            }
            let items = object.get("fields").and_then(Value::as_array).filter(|items| !items.is_empty());
            let fields: Option<Vec<String>> =
                items.ok_or(EXPECTED)?.iter().map(|item| item.as_str().map(str::to_owned)).collect();
            (object.get("table").and_then(Value::as_str).ok_or(EXPECTED)?, fields.ok_or(EXPECTED)?)
        }
        _ => return Err(EXPECTED),
    };
    let table = Table::find(name).ok_or_else(|| {
        let hint = did_you_mean(name, Table::names());
        Refusal::Unusable(format!("there is no table `{name}`{hint}"))
    })?;
    Ok(Operand::Extension(Box::new(EndOfLife { table, fields })))
}

/// Operand: a table, and the members that are looked up together; without members, the value itself is.
#[derive(Debug)]
struct EndOfLife {
    table: Table,
    fields: Vec<String>,
}

impl EndOfLife {
    /// Returns the text to look up, which may be partly unknown. `None` if the value is not a string, or lacks a
    /// member.
    fn subject(&self, value: &Value) -> Option<Glob> {
        let mut subject = Glob::default();
        if self.fields.is_empty() {
            add(&mut subject, value)?;
            return Some(subject);
        }
        if value.as_unknown().is_some_and(|unknown| may_be(unknown.kind, Kind::Object)) {
            subject.add_any();
            return Some(subject);
        }
        for (at, field) in self.fields.iter().enumerate() {
            if at > 0 {
                subject.add_text(SEPARATOR);
            }
            add(&mut subject, value.get(field)?)?;
        }
        Some(subject)
    }

    /// Returns the row that matches a known text.
    fn row(&self, value: &Value) -> Option<&DatedRow> {
        let subject = self.subject(value)?;
        self.table.ended().find(|row| row.pattern.covers(&subject))
    }
}

/// Adds a string, or its known parts.
fn add(subject: &mut Glob, value: &Value) -> Option<()> {
    match &value.data {
        Data::String(text) => subject.add_text(text.trim()),
        Data::Int(_) | Data::Float(_) => subject.add_text(&value.to_json()),
        Data::Unknown(unknown) if may_be(unknown.kind, Kind::String) || may_be(unknown.kind, Kind::Int) => {
            let known = Ends::default();
            let ends = unknown.ends.as_deref().unwrap_or(&known);
            subject.add_text(&ends.start);
            subject.add_any();
            subject.add_text(&ends.end);
        }
        _ => return None,
    }
    Some(())
}

impl Extension for EndOfLife {
    fn test(&self, value: &Value) -> Answer {
        let Some(subject) = self.subject(value) else { return false.into() };
        let outcomes = if self.table.ended().any(|row| row.pattern.covers(&subject)) {
            Outcomes::TRUE
        } else if self.table.ended().any(|row| row.pattern.may_match(&subject)) {
            Outcomes::UNKNOWN
        } else {
            Outcomes::FALSE
        };
        outcomes.into()
    }

    fn fault(&self, value: Option<&Value>, negated: bool) -> Fault {
        // A row that decides makes the test true, so it is only to blame for a negated one.
        let found = value.and_then(|value| Some((value, self.row(value)?)));
        match found {
            Some((value, row)) if !self.fields.is_empty() => {
                let texts = self.fields.iter().filter_map(|field| value.get(field)).filter_map(Value::as_str);
                let name = texts.collect::<Vec<_>>().join(SEPARATOR);
                Fault::Which(format!("names `{name}`, of which support ended on {}", row.date))
            }
            Some((_, row)) => Fault::Which(format!("ended support on {}", row.date)),
            None if negated => Fault::Expected("something that is still supported".to_owned()),
            None => Fault::Expected("something that is out of support".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::json::operators::tests::{check, check_fault, check_fault_of, check_unknown, refused, test};
    use crate::json::testing::json;
    use crate::outcomes::Outcomes;
    use crate::value::{Ends, Kind, Unknown, Value};

    #[test]
    fn a_table_says_what_is_out_of_support() {
        let others = ["\"nodejs99.x\"", "\"nodejs\\u00e9\"", "\"\"", "", "null", "{}"];
        check("endOfLife", "\"lambda-runtimes\"", &["\"nodejs\"", "\" NodeJS \"", "\"dotnetcore2.0\""], &others);
        let fields = r#"{"table": "lambda-runtimes", "fields": ["a"]}"#;
        check("endOfLife", fields, &[r#"{"A": "nodejs"}"#], &["{}", "\"nodejs\"", r#"{"a": []}"#, ""]);
        check("endOfLife", "\"synapse-spark-versions\"", &["2.4", "\"2.4\""], &["99.9", "2", "true"]);
        let image = r#"{"table": "vm-images", "fields": ["publisher", "offer", "sku"]}"#;
        let ubuntu = |sku: &str| format!(r#"{{"publisher": "Canonical", "offer": "UbuntuServer", "sku": "{sku}"}}"#);
        check("endOfLife", image, &[&ubuntu("14.04.1-LTS")], &[&ubuntu("99.04-LTS")]);
    }

    #[test]
    fn what_is_known_of_a_value_may_decide() {
        check_unknown("endOfLife", "\"lambda-runtimes\"", Kind::String, Outcomes::UNKNOWN);
        check_unknown("endOfLife", "\"lambda-runtimes\"", Kind::Bool, Outcomes::FALSE);
        let ends = Ends { start: "cobol".to_owned(), ..Ends::default() };
        let value = Value::unknown(Unknown::new(Kind::String, "it is so").between(ends));
        assert_eq!(test("endOfLife", "\"lambda-runtimes\"").answer(Some(&value)).outcomes, Outcomes::FALSE);
    }

    #[test]
    fn a_table_that_is_not_there_is_refused() {
        assert_eq!(
            refused("endOfLife", "\"lamda-runtimes\""),
            "there is no table `lamda-runtimes`, did you mean `lambda-runtimes`?"
        );
        let fields = r#"{"table": "lambda-runtimes", "filds": ["a"]}"#;
        assert_eq!(refused("endOfLife", fields), "unknown name `filds`, did you mean `fields`?");
    }

    #[test]
    fn messages_say_since_when() {
        check_fault_of(
            "endOfLife",
            "\"lambda-runtimes\"",
            "\"dotnetcore2.0\"",
            true,
            "which ended support on 2019-05-30",
        );
        check_fault("endOfLife", "\"lambda-runtimes\"", true, "expected something that is still supported");
        check_fault("endOfLife", "\"lambda-runtimes\"", false, "expected something that is out of support");
        let fields = r#"{"table": "lambda-runtimes", "fields": ["a"]}"#;
        let expected = "names `dotnetcore2.0`, of which support ended on 2019-05-30";
        check_fault_of("endOfLife", fields, &json(r#"{"a": "dotnetcore2.0"}"#).to_json(), true, expected);
    }
}
