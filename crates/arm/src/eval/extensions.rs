//! The extensions of a template and their configuration.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/bicep/bicep-extension>.

use crate::diagnostic::Code;
use crate::eval::Evaluator;
use crate::eval::frame::Frames;
use crate::fault::Fault;
use crate::value::{Kind, Member, Unknown, Value};

/// The `extensions` that a template declares (`imports` in older templates), and the `extensionConfigs` that it is
/// deployed with.
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
    /// Reads the extensions that `template` declares. `configs` is null or an object by alias.
    pub fn new(template: &Value, configs: Value) -> Self {
        let declared = template.get("extensions").or_else(|| template.get("imports"));
        Self { declared: declared.cloned().unwrap_or(Value::NULL), configs }
    }
}

impl Evaluator<'_> {
    /// Returns the value of `extensions(alias)`: name, version, and the configuration as entries `{value}` or
    /// `{keyVaultReference}`, the form that a module accepts.
    pub fn extension(&self, alias: &str) -> Result<Value, Fault> {
        let Extensions { declared, configs } = &self.level.extensions;
        let Some(extension) = declared.get(alias) else {
            let names = declared.as_object().into_iter().flatten().map(|extension| &*extension.key);
            let message =
                format!("there is no extension `{alias}`{}", self.world.suggestions.did_you_mean(alias, names));
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

    /// Returns every setting that is declared or given. A given value overrides the default.
    fn configuration(&self, alias: &str, declared: &Value, given: Option<&Value>) -> Value {
        if let Some(unknown) = given.filter(|config| config.as_unknown().is_some()) {
            return unknown.clone();
        }
        let given_members = || given.and_then(Value::as_object).into_iter().flatten();
        let mut members = Vec::new();
        for setting in declared.as_object().into_iter().flatten() {
            let found = given_members().find(|entry| entry.key.eq_ignore_ascii_case(&setting.key));
            let value = match found {
                Some(entry) => entry.value.clone(),
                None => self.default_entry(alias, setting),
            };
            let kind = setting.value.get("type").and_then(Value::as_str);
            let is_secure = kind.is_some_and(|kind| kind.to_ascii_lowercase().starts_with("secure"));
            let value = if is_secure { value.into_secret() } else { value };
            members.push(Member { value, ..setting.clone() });
        }
        let undeclared = given_members().filter(|entry| declared.get(&entry.key).is_none());
        members.extend(undeclared.cloned());
        // A deployment may configure more than the template declares.
        let why = format!("the configuration of extension `{alias}` is supplied at deployment");
        Value::unknown(Unknown::open(why, Value::object(members)))
    }

    /// Returns the entry for a setting that is not given: its default, or an unknown. Settings of `imports` are values
    /// rather than declarations.
    fn default_entry(&self, alias: &str, setting: &Member) -> Value {
        let is_declaration = setting.value.get("type").is_some() || setting.value.get("defaultValue").is_some();
        let default = if is_declaration { setting.value.get("defaultValue") } else { Some(&setting.value) };
        let value = default.map_or_else(
            || {
                let why = format!("`{}` of extension `{alias}` is supplied at deployment", setting.key);
                Value::unknown(Unknown::new(Kind::Any, why))
            },
            |default| self.expand(default, &Frames::None),
        );
        Value::object(vec![Member::new("value", value)])
    }
}
