//! What Bicep's linter says: parameters and variables that nothing uses. They are findings of the checks that say the same of
//! templates in JSON.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/bicep/linter>.

use std::collections::BTreeSet;

use foldhash::HashSet;

use crate::compiler::model::{Declared, Model, decorator};
use crate::compiler::semantics::{Use, each_use};
use crate::diagnostic::Check;
use crate::model::Issue;
use crate::value::Value;

/// The settings of the linter in the `bicepconfig.json` of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Linter {
    is_off: bool,
    off: BTreeSet<String>,
}

impl Linter {
    /// Adds a configuration, which overrides those before.
    pub(super) fn add(&mut self, configuration: &Value) {
        let Some(core) = configuration.get("analyzers").and_then(|analyzers| analyzers.get("core")) else { return };
        if let Some(is_on) = core.get("enabled").and_then(Value::as_bool) {
            self.is_off = !is_on;
        }
        for member in core.get("rules").and_then(Value::as_object).into_iter().flatten() {
            match member.value.get("level").and_then(Value::as_str) {
                Some(level) if level.eq_ignore_ascii_case("off") => self.off.insert(member.key.to_string()),
                Some(_) => self.off.remove(&*member.key),
                None => false,
            };
        }
    }

    fn runs(&self, rule: &str) -> bool {
        !self.is_off && !self.off.contains(rule)
    }
}

/// What is wrong in the files of the repository. Nothing is said of those that cannot be parsed in full.
pub(super) fn issues(models: &[Option<Model<'_>>]) -> Vec<Issue> {
    let is_linted =
        |model: &&Model<'_>| !model.is_parameters() && !model.unit.is_broken && model.unit.registry.is_none();
    models.iter().flatten().filter(is_linted).flat_map(unused).collect()
}

fn unused(model: &Model<'_>) -> Vec<Issue> {
    let mut used: HashSet<&str> = HashSet::default();
    for declaration in model.declarations {
        declaration.each_value(&mut |value| {
            each_use(value, &mut |name| {
                if let Use::Value(name) | Use::Call(name) = name {
                    used.insert(&name.text);
                }
            });
        });
    }
    let linter = &model.unit.linter;
    let of = |declared: &[Declared<'_>], rule: &str, check: Check, noun: &str| {
        let unused = declared.iter().filter(|own| !own.name.text.is_empty() && !used.contains(&*own.name.text));
        // Other files use what is exported.
        let own = unused.filter(|own| linter.runs(rule) && decorator(own.decorators, "export").is_none());
        let issue = |own: &Declared<'_>| {
            let name = &own.name.text;
            Issue::new(check, format!("{noun}s.{name}"), own.name.span, format!("unused {noun} `{name}`"))
        };
        own.map(issue).collect::<Vec<_>>()
    };
    let mut found = of(&model.params, "no-unused-params", Check::UnusedParameter, "parameter");
    found.extend(of(&model.variables, "no-unused-vars", Check::UnusedVariable, "variable"));
    found
}
