//! `includesAction`: actions of IAM, which may have `*` and `?` in their names, or a list of them.
//!
//! Reference: <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_action.html>.

use crate::json::operators::{Answer, Extension, Fault, Operand, Refusal, may_be};
use crate::outcomes::Outcomes;
use crate::tables::Glob;
use crate::value::{Data, Ends, Kind, Value};

pub(super) fn read(given: &Value) -> Result<Operand, Refusal> {
    const EXPECTED: Refusal = Refusal::Expected("an array of actions, like `[\"s3:GetObject\"]`");
    let items = given.as_array().filter(|items| !items.is_empty()).ok_or(EXPECTED)?;
    let actions: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    Ok(Operand::Extension(Box::new(Actions(actions.ok_or(EXPECTED)?))))
}

/// Operand: actions of which one is enough.
#[derive(Debug)]
struct Actions(Vec<String>);

impl Extension for Actions {
    fn test(&self, value: &Value) -> Answer {
        self.included(value).into()
    }

    fn fault(&self, value: Option<&Value>, negated: bool) -> Fault {
        match self
            .0
            .iter()
            .find(|action: &&String| value.is_some_and(|value| includes(value, action) == Outcomes::TRUE))
        {
            Some(action) if negated => Fault::Which(format!("includes `{action}`")),
            _ if negated => Fault::Expected("other actions".to_owned()),
            _ => Fault::Expected(format!("actions with `{}` among them", self.0.join("` or `"))),
        }
    }
}

impl Actions {
    fn included(&self, value: &Value) -> Outcomes {
        let each = self.0.iter().map(|action| includes(value, action));
        Outcomes::any(each)
    }
}

/// Returns whether an action, or one of a list, matches a certain one. An unknown part of a name may be any text.
fn includes(value: &Value, action: &str) -> Outcomes {
    let mut known = Glob::default();
    known.add_text(action);
    match &value.data {
        Data::Array(items) => {
            let each = items.iter().map(|item| includes(item, action));
            Outcomes::any(each)
        }
        Data::String(text) => Glob::pattern(text.trim()).covers(&known).into(),
        Data::Unknown(unknown) if may_be(unknown.kind, Kind::Array) => Outcomes::UNKNOWN,
        Data::Unknown(unknown) if may_be(unknown.kind, Kind::String) => {
            let ends = Ends::default();
            let ends = unknown.ends.as_deref().unwrap_or(&ends);
            let pattern = Glob::pattern(&format!("{}*{}", ends.start, ends.end));
            if pattern.covers(&known) { Outcomes::UNKNOWN } else { Outcomes::FALSE }
        }
        _ => Outcomes::FALSE,
    }
}

#[cfg(test)]
mod tests {
    use crate::json::operators::tests::{check, check_fault, check_fault_of, check_unknown, refuses, test};
    use crate::outcomes::Outcomes;
    use crate::value::{Ends, Kind, Unknown, Value};

    #[test]
    fn a_name_may_stand_for_many_actions() {
        let holds = [
            "\"s3:GetObject\"",
            "\"S3:getobject\"",
            "\"*\"",
            "\"s3:*\"",
            "\"s3:*Object\"",
            "\"s3:G?tObj*\"",
            "[\"s3:ListBucket\", \"s3:Get*\"]",
            "\"ssm:GetParameter?\"",
        ];
        let others = [
            "\"s3:GetObjec\"",
            "\"s3:GetObject?\"",
            "\"s3:Put*\"",
            "\"s3:*ObjectTagging\"",
            "\"\"",
            "[]",
            "null",
            "",
            "5",
            "{}",
        ];
        check("includesAction", "[\"s3:GetObject\", \"ssm:GetParameters\"]", &holds, &others);
        for wrong in ["\"s3:GetObject\"", "[]", "[1]"] {
            refuses("includesAction", wrong, "an array of actions, like `[\"s3:GetObject\"]`");
        }
    }

    #[test]
    fn what_is_known_of_a_name_may_decide() {
        check_unknown("includesAction", "[\"s3:GetObject\"]", Kind::String, Outcomes::UNKNOWN);
        check_unknown("includesAction", "[\"s3:GetObject\"]", Kind::Array, Outcomes::UNKNOWN);
        check_unknown("includesAction", "[\"s3:GetObject\"]", Kind::Bool, Outcomes::FALSE);
        let outcome = |start: &str| {
            let ends = Ends { start: start.to_owned(), ..Ends::default() };
            let value = Value::unknown(Unknown::new(Kind::String, "it is so").between(ends));
            test("includesAction", "[\"s3:GetObject\"]").answer(Some(&value)).outcomes
        };
        assert_eq!(outcome("s3:"), Outcomes::UNKNOWN);
        assert_eq!(outcome("sqs:"), Outcomes::FALSE);
    }

    #[test]
    fn messages_name_the_action_that_is_included() {
        let actions = "[\"s3:GetObject\", \"s3:PutObject\"]";
        check_fault_of("includesAction", actions, "\"s3:Put*\"", true, "which includes `s3:PutObject`");
        check_fault("includesAction", actions, true, "expected other actions");
        let expected = "expected actions with `s3:GetObject` or `s3:PutObject` among them";
        check_fault_of("includesAction", actions, "\"s3:List*\"", false, expected);
    }
}
