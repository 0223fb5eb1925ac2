//! Values that cross from one deployment into another.

use super::Expanded;

/// Returns a deployment of a module `d` with arguments.
fn template(resource: &str, arguments: &str, module: &str) -> String {
    format!(
        "{{\"languageVersion\": \"2.0\", \"parameters\": {{\"p\": {{\"type\": \"string\", \"defaultValue\": \"long text\"}}, \
        \"unset\": {{\"type\": \"string\"}}}},\n\
        \"resources\": {{\"d\": {{\"type\": \"Microsoft.Resources/deployments\", \"apiVersion\": \"2025-04-01\", \"name\": \"d\",{resource}\n\
        \"properties\": {{\"mode\": \"Incremental\", \"parameters\": {{{arguments}}},\n\
        \"template\": {{\"languageVersion\": \"2.0\", \"resources\": {{}},\n{module}}}}}}}}}}}"
    )
}

#[track_caller]
fn check(resource: &str, arguments: &str, module: &str, expected: &[&str]) {
    let expanded = Expanded::new(&template(resource, arguments, module), "{}");
    let mut found = expanded.issues();
    found.extend(expanded.diagnostics());
    assert_eq!(found, expected, "\n{}", found.join("\n"));
}

const MODULE: &str = r#""parameters": {"short": {"type": "string", "maxLength": 5}}"#;
const MODULE_PATH: &str = "resources.d.properties.template.parameters.short";
const PATH: &str = "resources.d.properties.template.parameters.short: parameter `short`";

#[test]
fn arguments_are_checked_at_the_line_of_the_parent() {
    check("", r#""short": {"value": "short"}"#, MODULE, &[]);
    let message = format!("main.json:3:73 {PATH} has 9 characters; its `maxLength` is 5");
    check("", r#""short": {"value": "[parameters('p')]"}"#, MODULE, &[&message]);
    let expanded = Expanded::new(&template("", r#""short": {"value": "[parameters('p')]"}"#, MODULE), "{}");
    let issue = &expanded.expansion.issues[0];
    let related =
        issue.related.iter().map(|label| format!("{} {}", expanded.place(label.span), label.role.text(&label.message)));
    assert_eq!(
        related.collect::<Vec<_>>(),
        ["main.json:5:44 `maxLength` is declared here", "main.json:1:83 value comes from the default of parameter `p`",]
    );
    assert_eq!(issue.actual.as_ref().map(ToString::to_string).as_deref(), Some(r#""long text""#));
}

#[test]
fn an_argument_that_is_computed_as_null_is_null() {
    let message = format!("main.json:3:63 {PATH} is null, but it is not `nullable`");
    check("", r#""short": {"value": "[null()]"}"#, MODULE, &[&message]);
    let nullable = MODULE.replace("5}", "5, \"nullable\": true}");
    check("", r#""short": {"value": "[null()]"}"#, &nullable, &[]);
    let with_default = MODULE.replace("5}", "5, \"defaultValue\": \"x\"}");
    check("", r#""short": {"value": "[null()]"}"#, &with_default, &[]);
}

#[test]
fn an_argument_may_be_unknown_or_left_out() {
    let message = format!(
        "main.json:3:73 unknown {MODULE_PATH}: cannot check `maxLength` of parameter `short` before the deployment, because \
        parameter `unset` has no value"
    );
    check("", r#""short": {"value": "[parameters('unset')]"}"#, MODULE, &[&message]);
    let missing = "main.json:3:39 error parameter/required deployment `d` does not set parameter `short`, which has no default value";
    check("", "", MODULE, &[missing]);
}

#[test]
fn a_default_of_a_module_is_checked_in_the_module() {
    let module = MODULE.replace("5}", "5, \"defaultValue\": \"too long\"}");
    let message = format!("main.json:5:76 {PATH} has 8 characters; its `maxLength` is 5");
    check("", "", &module, &[&message]);
}

#[test]
fn a_module_in_a_loop_says_the_same_once() {
    let arguments = r#""short": {"value": "[parameters('p')]"}"#;
    let template = template(r#" "copy": {"name": "l", "count": 50},"#, arguments, MODULE);
    let template = template.replacen(r#""name": "d""#, r#""name": "[format('d{0}', copyIndex())]""#, 1);
    let message = format!("main.json:3:73 {PATH} has 9 characters; its `maxLength` is 5");
    assert_eq!(Expanded::new(&template, "{}").issues(), [message]);
}

#[test]
fn outputs_of_a_module_are_checked_in_the_module() {
    let module = r#""outputs": {"o": {"type": "string", "minLength": 2, "value": "x"}}"#;
    let path = "resources.d.properties.template.outputs.o";
    let message = format!("main.json:5:62 {path}: output `o` has 1 character; its `minLength` is 2");
    check("", "", module, &[&message]);
}

#[test]
fn the_parameters_of_an_outer_scope_are_checked_once() {
    let template = r#"{
        "parameters": {"p": {"type": "string", "minLength": 2, "defaultValue": "x"}},
        "resources": [{"type": "Microsoft.Resources/deployments", "name": "d", "properties": {
            "mode": "Incremental", "template": {"resources": [], "outputs": {"o": {"type": "int", "value": "[parameters('p')]"}}}
        }}]
    }"#;
    assert_eq!(
        Expanded::new(template, "{}").issues(),
        [
            "main.json:4:108 resources[0].properties.template.outputs.o: output `o` is a string; its `type` is `int`",
            "main.json:2:80 parameters.p: parameter `p` has 1 character; its `minLength` is 2",
        ]
    );
}
