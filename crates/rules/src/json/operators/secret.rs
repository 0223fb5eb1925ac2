//! `secret`: tests whether a value holds a secret, which anyone who can read the resource can read.

use crate::json::operators::{Answer, Operand, against};
use crate::outcomes::Outcomes;
use crate::value::{Traits, Value};

/// Tests for a secret. Values that derive from a secure parameter or from a function such as `listKeys()` are secrets,
/// even if they are unknown.
pub(super) fn test(operand: &Operand, value: Option<&Value>) -> Answer {
    let found = match value {
        // An array or object with a secret in it has this trait, too.
        Some(value) if value.traits.has(Traits::SECRET) => Outcomes::TRUE,
        Some(value) if value.as_unknown().is_some() => Outcomes::UNKNOWN,
        _ => Outcomes::FALSE,
    };
    against(operand, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::operators::tests::test as operator;
    use crate::value::{Kind, Member, Unknown};

    #[test]
    fn a_secret_is_found_at_any_depth_and_where_it_is_not_known() {
        let secret = Value::from("hunter2").with_traits(Traits::SECRET);
        let key = Value::unknown(Unknown::new(Kind::String, "why")).with_traits(Traits::SECRET);
        let member = Value::object(vec![Member::new("a", secret.clone())]);
        for value in [secret.clone(), key, member, Value::array(vec![Value::from(1), secret])] {
            assert_eq!(operator("secret", "true").answer(Some(&value)).outcomes, Outcomes::TRUE);
            assert_eq!(operator("secret", "false").answer(Some(&value)).outcomes, Outcomes::FALSE);
        }
        let state = Value::unknown(Unknown::new(Kind::Object, "why"));
        assert_eq!(operator("secret", "false").answer(Some(&state)).outcomes, Outcomes::UNKNOWN);
        assert_eq!(operator("secret", "false").answer(Some(&Value::from("x"))).outcomes, Outcomes::TRUE);
        assert_eq!(operator("secret", "true").answer(None).outcomes, Outcomes::FALSE);
    }
}
