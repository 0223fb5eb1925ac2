//! Rules about locations of resources: `no-hardcoded-location`, `no-loc-expr-outside-params`, and
//! `explicit-values-for-loc-params`.

use foldhash::HashSet;
use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::compiler::model::{Declared, Model, ModuleInfo, Symbol};
use crate::language::ast::{DeclarationKind, Expr, ExprKind, property};
use crate::language::walk::each_child;
use crate::text::Span;

declare_checks! {
    pub(super) EXPLICIT_VALUES_FOR_LOC_PARAMS = Lint Low "bicep/explicit-values-for-loc-params" "Bicep.ExplicitLocationParameters"
        "A module should get a value for each of its parameters for a location"
        "The default is the location of the resource group of the module, which need not be that of the file that uses it."
        "Pass a location to the module.";
    pub(super) NO_HARDCODED_LOCATION = Lint Low "bicep/no-hardcoded-location" "Bicep.HardcodedLocation"
        "A location should be a parameter"
        "Who deploys the file cannot choose another location, for example where the service or the quota is available."
        "Declare a parameter, and use it as the location.";
    pub(super) NO_LOC_EXPR_OUTSIDE_PARAMS = Lint Low "bicep/no-loc-expr-outside-params" "Bicep.LocationExpressionOutsideParameters"
        "The location of the resource group should be used only as the default of a parameter"
        "Who deploys the file cannot choose a location other than that of the resource group or the deployment."
        "Declare a parameter whose default value is the expression.";
}

/// Maximum number of variables on the way to a location.
const MAX_DEPTH: u32 = 50;

/// Reports literal locations of resources, and of location parameters of modules.
pub(super) fn hardcoded(file: &LintFile<'_>) -> Vec<LintFinding> {
    if file.is_huge() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut known: HashSet<Span> = HashSet::default();
    let of_resources = file.model.resources.iter().filter_map(|resource| resource.body.get("location"));
    let of_modules = file.model.modules.iter().flat_map(|module| {
        let given = module.body.get("params").and_then(Expr::as_object).unwrap_or_default();
        location_params(file, module, false).into_iter().filter_map(|param| property(given, &param.name.text))
    });
    for value in of_resources.chain(of_modules) {
        let Some((text, variable)) = literal(file, value, 0) else { continue };
        if text.eq_ignore_ascii_case("global") {
            continue;
        }
        match variable {
            Some(variable) if known.insert(variable.name.span) => {
                let message = format!("the variable `{}` is a location; make it a parameter", variable.name.text);
                found.push((variable.name.span, message));
            }
            Some(_) => {}
            None => found.push((value.span, format!("use a parameter for the location, instead of `{text}`"))),
        }
    }
    found
}

/// Reports `resourceGroup().location` and `deployment().location` outside of default values of parameters.
pub(super) fn outside_params(file: &LintFile<'_>) -> Vec<LintFinding> {
    let found = file.exprs.iter().filter(|expr| is_deployment_location(expr) && !is_in_param(file, expr.span));
    let messages = found.map(|expr| {
        let written = file.slice(expr.span);
        (expr.span, format!("use `{written}` only as the default value of a parameter"))
    });
    messages.collect()
}

fn is_in_param(file: &LintFile<'_>, span: Span) -> bool {
    let declarations = file.model.declarations;
    let after = declarations.partition_point(|declaration| declaration.span.start <= span.start);
    let around = after.checked_sub(1).and_then(|at| declarations.get(at));
    around.is_some_and(|own| matches!(own.kind, DeclarationKind::Param { .. }) && own.span.contains(span))
}

/// Reports modules whose location parameters keep their defaults.
pub(super) fn explicit(file: &LintFile<'_>) -> Vec<LintFinding> {
    if file.is_huge() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for module in &file.model.modules {
        let params = module.body.get("params");
        let given = params.and_then(Expr::as_object).unwrap_or_default();
        let symbol = &module.declaration.name;
        let span = params.map_or(symbol.span, |params| params.span);
        for param in location_params(file, module, true) {
            let name = &param.name.text;
            if property(given, name).is_none() {
                found.push((span, format!("the module `{}` should get a location for `{name}`", symbol.text)));
            }
        }
    }
    found
}

/// Returns the constant string of a value, and the variable that holds it.
fn literal<'w>(file: &LintFile<'w>, value: &'w Expr, depth: u32) -> Option<(&'w str, Option<&'w Declared<'w>>)> {
    if let Some(text) = value.literal() {
        return Some((text, None));
    }
    let variable = file.variable(value).filter(|_| depth < MAX_DEPTH)?;
    let (text, inner) = literal(file, variable.value?, depth + 1)?;
    Some((text, inner.or(Some(variable))))
}

/// True if an expression is the location of the resource group or of the deployment.
fn is_deployment_location(expr: &Expr) -> bool {
    let ExprKind::Property { base, name, .. } = &expr.kind else { return false };
    let (ExprKind::Call { name: function, .. } | ExprKind::Method { name: function, .. }) = &base.kind else {
        return false;
    };
    &*name.text == "location" && ["resourceGroup", "deployment"].contains(&&*function.text)
}

/// Returns the location parameters of a module: those that its resources use as locations, and those whose default is
/// a deployment's location. If `only_optional`, parameters without a default are left out.
fn location_params<'w>(file: &LintFile<'w>, module: &ModuleInfo<'_>, only_optional: bool) -> Vec<&'w Declared<'w>> {
    let Some(Some(model)) = file.world.models.get(module.unit.0) else { return Vec::new() };
    let mut used = HashSet::default();
    for location in model.resources.iter().filter_map(|resource| resource.body.get("location")) {
        add_params(model, location, &mut used);
    }
    let locations = model.params.iter().filter(|param| {
        let is_used = used.contains(&*param.name.text) && (param.value.is_some() || !only_optional);
        is_used || param.value.is_some_and(contains_deployment_location)
    });
    locations.collect()
}

fn contains_deployment_location(expr: &Expr) -> bool {
    let mut found = is_deployment_location(expr);
    each_child(expr, &mut |child| found = found || contains_deployment_location(child));
    found
}

fn add_params<'w>(model: &Model<'_>, expr: &'w Expr, used: &mut HashSet<&'w str>) {
    if let ExprKind::Variable(name) = &expr.kind
        && let Some(Symbol::Param(_)) = model.symbols.get(&*name.text)
    {
        used.insert(&name.text);
    }
    each_child(expr, &mut |child| add_params(model, child, used));
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::{lines, lines_in};

    const MODULE: &str = "param where string = resourceGroup().location
param place string = 'x'
param other string = 'y'
resource a 'Microsoft.A/b@2020-01-01' = { name: other, location: place }
";

    #[test]
    fn literal_locations_are_found() {
        let text = "var v = w
var w = 'westus'
param p string
resource a 'Microsoft.A/b@2020-01-01' = { name: 'a', location: 'eastus' }
resource b 'Microsoft.A/b@2020-01-01' = { name: 'b', location: v }
resource c 'Microsoft.A/b@2020-01-01' = { name: 'c', location: 'Global' }
resource d 'Microsoft.A/b@2020-01-01' = { name: 'd', location: p }
module m 'm.bicep' = { params: { where: 'westus', place: p, other: 'z' } }
";
        assert_eq!(lines_in("no-hardcoded-location", text, &[("m.bicep", MODULE)]), [2, 4, 8]);
    }

    #[test]
    fn the_location_of_the_group_belongs_to_a_parameter() {
        let text = "param p string = resourceGroup().location
var v = resourceGroup().location
output o string = az.deployment().location
output q string = resourceGroup().name
";
        assert_eq!(lines("no-loc-expr-outside-params", text), [2, 3]);
    }

    #[test]
    fn a_module_should_get_its_locations() {
        let text = "module a 'm.bicep' = {}
module b 'm.bicep' = {
  params: { where: 'x' }
}
module c 'm.bicep' = { params: { where: 'x', place: 'y' } }
";
        assert_eq!(lines_in("explicit-values-for-loc-params", text, &[("m.bicep", MODULE)]), [1, 1, 3]);
    }
}
