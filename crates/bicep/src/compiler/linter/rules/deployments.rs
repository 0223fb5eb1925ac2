//! Rules about resources of the type `Microsoft.Resources/deployments`: `no-deployments-resources` and
//! `nested-deployment-template-scoping`.

use std::cell::LazyCell;

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::model::ResourceInfo;
use crate::compiler::semantics::{Use, each_use};
use crate::compiler::settings::is_symbolic;
use crate::language::ast::{Expr, Item};

declare_checks! {
    pub(super) NESTED_DEPLOYMENT_TEMPLATE_SCOPING = Lint High "bicep/nested-deployment-template-scoping" "Bicep.NestedDeploymentScoping"
        "A nested template that is evaluated on its own should use only its own names"
        "Azure rejects a template that refers to parameters and variables which it does not declare."
        "Pass the value as a parameter of the nested template, or write the deployment as a module.";
    pub(super) NO_DEPLOYMENTS_RESOURCES = Lint Low "bicep/no-deployments-resources" "Bicep.DeploymentsResources"
        "A nested deployment should be written as a module"
        "Bicep checks the parameters and outputs of modules, and nothing in the template of a resource `Microsoft.Resources/deployments`."
        "Write the template as a Bicep file, and use it as a module.";
}

/// Reports nested deployments, which can be modules.
pub(super) fn resources(file: &LintFile<'_>) -> Vec<LintFinding> {
    let found = deployments(file).map(|resource| {
        let name = &resource.declaration.name.text;
        (resource.declaration.ty.span, format!("write the deployment `{name}` as a module"))
    });
    found.collect()
}

/// Reports names of the file in a template that is evaluated in its own scope, where they are unknown. With symbolic
/// names, every nested template is. Source: `NoSymbolicReferencesInInnerScopedDeploymentResources` in
/// <https://github.com/Azure/bicep>.
pub(super) fn scoping(file: &LintFile<'_>) -> Vec<LintFinding> {
    let mut found = Vec::new();
    let is_symbolic = LazyCell::new(|| is_symbolic(file.world, file.model));
    for deployment in deployments(file) {
        let Some(properties) = deployment.body.get("properties").and_then(Expr::as_object) else { continue };
        let options = member(properties, "expressionEvaluationOptions").and_then(Expr::as_object);
        let scope = options.and_then(|options| member(options, "scope"));
        let written = scope.and_then(|scope| file.types.text(scope));
        let is_inner = written.is_some_and(|written| written.eq_ignore_ascii_case("inner")) || *is_symbolic;
        let Some(template) = member(properties, "template").filter(|_| is_inner) else { continue };
        each_use(template, &mut |used| {
            let (Use::Value(name) | Use::Call(name, _)) = used else { return };
            if file.model.symbols.contains_key(&*name.text) {
                let message = format!("the inner template does not know `{}`; pass it as a parameter", name.text);
                found.push((name.span, message));
            }
        });
    }
    found
}

fn deployments<'w>(file: &LintFile<'w>) -> impl Iterator<Item = &'w ResourceInfo<'w>> {
    let resources = file.model.resources.iter().filter(|resource| resource.is_azure());
    resources.filter(|resource| resource.ty.eq_ignore_ascii_case("Microsoft.Resources/deployments"))
}

/// Returns the value of a property. The name is case-insensitive.
fn member<'w>(items: &'w [Item], name: &str) -> Option<&'w Expr> {
    items.iter().find_map(|item| match item {
        Item::Property(property) => {
            property.name().is_some_and(|own| own.eq_ignore_ascii_case(name)).then_some(&property.value)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    const TEXT: &str = "param p string
var inner = 'inner'
resource a 'Microsoft.Resources/deployments@2022-09-01' = {
  name: 'a'
  properties: {
    mode: 'Incremental'
    expressionEvaluationOptions: { scope: inner }
    template: {
      resources: [for p in []: p]
      outputs: { o: { type: 'string', value: p } }
    }
  }
}
resource b 'microsoft.resources/Deployments@2022-09-01' = {
  name: 'b'
  properties: { mode: 'Incremental', template: { outputs: { o: p } } }
}
resource c 'Microsoft.Resources/deploymentScripts@2023-08-01' existing = { name: 'c' }
";

    #[test]
    fn deployments_should_be_modules() {
        assert_eq!(lines("no-deployments-resources", TEXT), [3, 14]);
    }

    #[test]
    fn a_template_that_is_evaluated_on_its_own_does_not_know_the_names_of_the_file() {
        assert_eq!(lines("nested-deployment-template-scoping", TEXT), [10]);
    }

    #[test]
    fn every_template_is_evaluated_on_its_own_with_symbolic_names() {
        for symbolic in ["type t = string", "func f() string => ''", "param q string[]"] {
            let text = format!("{TEXT}{symbolic}\n");
            assert_eq!(lines("nested-deployment-template-scoping", &text), [10, 16], "{symbolic}");
        }
    }
}
