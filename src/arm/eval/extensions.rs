//! The extensions of a template, and what they are configured with.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/bicep/bicep-extension>.

use crate::arm::eval::frame::Frames;
use crate::arm::eval::{Evaluator, make_secret};
use crate::arm::fault::Fault;
use crate::diagnostic::Code;
use crate::text::did_you_mean;
use crate::value::{Kind, Member, Unknown, Value};

/// The `extensions` that a template declares (`imports` in older ones), and the `extensionConfigs` that it is deployed
/// with.
#[derive(Debug)]
pub struct Extensions {
    declared: Value,
    configs: Value,
}

impl Default for Extensions {
    fn default() -> Self {
        Self { declared: Value::NULL, configs: Value::NULL }
    }
}

impl Extensions {
    /// The extensions of a template.
    pub fn new(template: &Value, configs: Value) -> Self {
        let declared = template.get("extensions").or_else(|| template.get("imports"));
        Self { declared: declared.cloned().unwrap_or(Value::NULL), configs }
    }
}

impl Evaluator<'_> {
    /// `extensions(alias)`: name, version, and the configuration as entries `{value}` or `{keyVaultReference}`, so that
    /// a module can be handed the whole of it.
    pub fn extension(&self, alias: &str) -> Result<Value, Fault> {
        let Extensions { declared, configs } = &self.level.extensions;
        let Some(extension) = declared.get(alias) else {
            let names = declared.as_object().into_iter().flatten().map(|it| &*it.key);
            let message = format!("there is no extension `{alias}`{}", did_you_mean(alias, names));
            return Err(Fault::new(Code::ExpressionUndefined, message));
        };
        let part = |name: &str| extension.get(name).cloned().unwrap_or(Value::NULL);
        let name = extension.get("name").or_else(|| extension.get("provider")).cloned();
        let config = self.configuration(alias, &part("config"), configs.get(alias));
        Ok(Value::object(vec![
            Member::new("name", name.unwrap_or(Value::NULL)),
            Member::new("version", part("version")),
            Member::new("config", config),
        ]))
    }

    /// Every setting that is declared or given. A given one wins over its default.
    fn configuration(&self, alias: &str, declared: &Value, given: Option<&Value>) -> Value {
        if let Some(unknown) = given.filter(|it| it.as_unknown().is_some()) {
            return unknown.clone();
        }
        let given_members = || given.and_then(Value::as_object).into_iter().flatten();
        let mut members = Vec::new();
        for setting in declared.as_object().into_iter().flatten() {
            let found = given_members().find(|it| it.key.eq_ignore_ascii_case(&setting.key));
            let value = match found {
                Some(entry) => entry.value.clone(),
                None => self.default_entry(alias, setting),
            };
            let is_secure = setting.value.get("type").and_then(Value::as_str);
            let is_secure = is_secure.is_some_and(|it| it.to_ascii_lowercase().starts_with("secure"));
            let value = if is_secure { make_secret(value) } else { value };
            members.push(Member { value, ..setting.clone() });
        }
        let is_declared = |it: &&Member| declared.get(&it.key).is_some();
        members.extend(given_members().filter(|it| !is_declared(it)).cloned());
        Value::object(members)
    }

    /// The entry of a setting that nobody gives. Settings of `imports` are values, not declarations.
    fn default_entry(&self, alias: &str, setting: &Member) -> Value {
        let is_declaration = setting.value.get("type").is_some() || setting.value.get("defaultValue").is_some();
        let default = if is_declaration { setting.value.get("defaultValue") } else { Some(&setting.value) };
        let value = default.map_or_else(
            || {
                let why = format!("extension `{alias}` gets its `{}` when it is deployed", setting.key);
                Value::unknown(Unknown::new(Kind::Any, why))
            },
            |default| self.expand(default, &Frames::None),
        );
        Value::object(vec![Member::new("value", value)])
    }
}
