//! `protect-commandtoexecute-secrets`: secrets in the command of a script extension, which everyone with read access
//! to the virtual machine can read.

use foldhash::HashMap;
use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::model::{Symbol, decorator};
use crate::language::ast::{Expr, ExprKind, Item, Property, property};
use crate::language::walk::each_child;

declare_checks! {
    pub(super) PROTECT_COMMANDTOEXECUTE_SECRETS = Lint Medium "bicep/protect-commandtoexecute-secrets" "Bicep.CommandToExecuteSecrets"
        "The command of a script extension should not contain a secret in its public settings"
        "Everyone who may read the virtual machine can read `settings`."
        "Move `commandToExecute` to `protectedSettings`.";
}

/// Extensions that run a command: publisher and type. Source: the rule in <https://github.com/Azure/bicep>.
const SCRIPTS: [(&str, &str); 3] = [
    ("Microsoft.Azure.Extensions", "CustomScript"),
    ("Microsoft.Compute", "CustomScriptExtension"),
    ("Microsoft.OSTCExtensions", "CustomScriptForLinux"),
];

/// Maximum number of variables on the way to a secret.
const MAX_DEPTH: usize = 50;

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let extensions = file.model.resources.iter().filter(|resource| {
        resource.is_azure()
            && resource.ty.rsplit('/').next().is_some_and(|written| written.eq_ignore_ascii_case("extensions"))
    });
    let commands = extensions.filter_map(|resource| command(resource.body.items));
    let mut search = SecretSearch { file, known: HashMap::default(), depth: 0 };
    let found = commands.filter_map(|command| Some((command.key.span, search.secret(&command.value)?)));
    found.map(|(span, what)| (span, format!("{what} is shown here; move the command to `protectedSettings`"))).collect()
}

/// Returns the command of a script extension in the body of a resource.
fn command(body: &[Item]) -> Option<&Property> {
    let properties = property(body, "properties")?.as_object()?;
    let is_script =
        SCRIPTS.iter().any(|(publisher, ty)| has(properties, "publisher", publisher) && has(properties, "type", ty));
    let settings = property(properties, "settings").filter(|_| is_script)?.as_object()?;
    settings.iter().find_map(|item| match item {
        Item::Property(own) if own.name() == Some("commandToExecute") => Some(own),
        _ => None,
    })
}

fn has(properties: &[Item], name: &str, value: &str) -> bool {
    property(properties, name).and_then(Expr::literal).is_some_and(|own| own.eq_ignore_ascii_case(value))
}

/// Search for secrets in the commands of a file.
struct SecretSearch<'f, 'w> {
    file: &'f LintFile<'w>,
    /// Secrets in the variables that were visited. `None` for a variable without one, and for one whose visit has not
    /// ended.
    known: HashMap<usize, Option<String>>,
    depth: usize,
}

impl<'w> SecretSearch<'_, 'w> {
    /// Describes the first secret in an expression.
    fn secret(&mut self, expr: &'w Expr) -> Option<String> {
        let file = self.file;
        match file.symbol(expr) {
            Some(Symbol::Param(at)) => {
                let param = file.model.params.get(at)?;
                decorator(param.decorators, "secure")?;
                return Some(format!("the secure parameter `{}`", param.name.text));
            }
            Some(Symbol::Variable(at)) => return self.in_variable(at),
            _ => {}
        }
        let listed = match &expr.kind {
            ExprKind::Method { base, name, .. } => Some(name).filter(|_| file.resource(base).is_some()),
            _ => None,
        };
        if let Some(name) = listed.or_else(|| Some(file.built_in(expr)?.0)).filter(|name| has_list_prefix(&name.text)) {
            return Some(format!("the secret that `{}` returns", name.text));
        }
        let mut found = None;
        each_child(expr, &mut |child| {
            if found.is_none() {
                found = self.secret(child);
            }
        });
        found
    }

    fn in_variable(&mut self, at: usize) -> Option<String> {
        if let Some(known) = self.known.get(&at) {
            return known.clone();
        }
        let value = self.file.model.variables.get(at)?.value.filter(|_| self.depth < MAX_DEPTH)?;
        self.known.insert(at, None);
        self.depth += 1;
        let found = self.secret(value);
        self.depth -= 1;
        self.known.insert(at, found.clone());
        found
    }
}

fn has_list_prefix(name: &str) -> bool {
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("list"))
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn a_secret_in_a_command_is_found() {
        let with = |settings: &str| {
            let text = format!(
                "@secure()\nparam s string\nparam p string\nvar v = 'x${{s}}'
resource a 'Microsoft.Storage/storageAccounts@2023-01-01' existing = {{ name: 'a' }}
resource e 'Microsoft.Compute/virtualMachines/extensions@2023-03-01' = {{
  name: 'e'
  properties: {{ publisher: 'microsoft.compute', type: 'CustomScriptExtension', {settings} }}
}}\n"
            );
            lines("protect-commandtoexecute-secrets", &text)
        };
        for command in ["s", "v", "'x ${toLower(s)}'", "a.listKeys().keys[0].value", "listKeys(a.id, '1').x"] {
            assert_eq!(with(&format!("settings: {{ commandToExecute: {command} }}")), [8], "{command}");
        }
        assert_eq!(with("settings: { commandToExecute: p }"), [0; 0]);
        assert_eq!(with("settings: { fileUris: s }"), [0; 0]);
        assert_eq!(with("protectedSettings: { commandToExecute: s }"), [0; 0]);
    }
}
