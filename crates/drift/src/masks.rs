//! Secrets in resources that exist. A value is a secret if a name on the way to it is that of a secret, or if it has the
//! format of a known kind of secret.

use crate::secret_names::{self, Hint};
use crate::text::known_secrets;
use crate::value::{Data, Member, Value};

/// True if the value of the property with these names, outermost first, is a secret.
pub(crate) fn is_secret(names: &[&str]) -> bool {
    // The values of settings and parameters are in `value`.
    let mut last = names.iter().rev().filter(|name| !name.eq_ignore_ascii_case("value"));
    names.iter().any(|name| is_strong(name)) || last.next().is_some_and(|name| secret_names::hint(name).is_some())
}

/// True if a name is certainly that of a secret.
fn is_strong(name: &str) -> bool {
    [secret_names::hint(name), secret_names::setting_hint(name)].contains(&Some(Hint::Strong))
}

/// Returns a value whose secrets are marked. `names` lead to it.
pub(crate) fn masked(value: &Value, names: &[&str]) -> Value {
    match &value.data {
        Data::Object(object) => {
            let own = ["name", "key"].iter().find_map(|key| object.get(key)?.as_str());
            let members = object.iter().map(|member| {
                let mut names = names.to_vec();
                names.extend(own.filter(|_| member.key.eq_ignore_ascii_case("value")));
                names.push(&member.key);
                Member { value: masked(&member.value, &names), ..member.clone() }
            });
            Value { span: value.span, ..Value::object(members.collect()) }
        }
        Data::Array(items) => {
            let items = items.iter().map(|item| masked(item, names)).collect();
            Value { span: value.span, ..Value::array(items) }
        }
        Data::String(text) if is_secret(names) || !known_secrets(text).is_empty() => value.clone().into_secret(),
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Traits;

    #[test]
    fn names_and_formats_mean_secrets() {
        let check = |names: &[&str], text: &str, expected: bool| {
            let value = masked(&Value::from(text), names);
            assert_eq!(value.traits.has(Traits::SECRET), expected, "{names:?} {text}");
        };
        check(&["properties", "adminPassword"], "x", true);
        check(&["properties", "appSettings", "DB_PASSWORD", "value"], "x", true);
        check(&["properties", "accountKey"], "x", true);
        check(&["properties", "keyVaultUri"], "x", false);
        check(&["tags", "team"], "x", false);
        let id = format!("{}{}", "AKIA", "Q5FZ2PLWT7XKVR4M");
        check(&["properties", "x"], &id, true);
        check(&[], "x", false);
    }

    #[test]
    fn a_setting_has_its_name_beside_its_value() {
        let member = |key: &str, value: &str| Member::new(key, Value::from(value));
        let setting = Value::object(vec![member("name", "API_TOKEN"), member("value", "x")]);
        let marked = masked(&Value::array(vec![setting]), &["properties"]);
        let setting = &marked.as_array().unwrap()[0];
        assert!(setting.get("value").unwrap().traits.has(Traits::SECRET));
        assert!(!setting.get("name").unwrap().traits.has(Traits::SECRET));
    }
}
