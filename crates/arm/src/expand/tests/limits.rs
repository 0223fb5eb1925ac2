//! Checks of a template's text even if the rest of it exceeds a limit.

use arcstr::ArcStr;

use crate::context::Context;
use crate::diagnostic::Level;
use crate::expand::{Request, expand};
use crate::model::{Budget, Expansion, Limits, Offline};
use crate::syntax::json;
use crate::text::Sources;
use crate::value::Value;

/// A variable that takes more steps than there are.
const BOMB: &str =
    r#""variables": {"a": "[range(0, 10000)]", "b": "[map(variables('a'), lambda('x', variables('a')))]"}"#;

/// Expands a template with these members, and with few steps.
fn expansion(members: &str) -> Expansion {
    let text: ArcStr = format!("{{{members}}}").into();
    let file = Sources::new().add("main.json", text.clone());
    let template = json::parse(file, &text, 256).value.unwrap();
    let limits = Limits { steps: 20_000, call_depth: 200, ..Limits::default() };
    let request = Request {
        states: false,
        explores: true,
        has_unknowns: false,
        file,
        template: &template,
        parameters: None,
        overrides: &[],
        context: &Context::default(),
        budget: &Budget::new(&limits),
        loader: &Offline,
    };
    expand(&request)
}

/// Returns the bodies of the resources, and the codes of the problems.
fn expanded(resources: &str) -> (Vec<String>, Vec<&'static str>) {
    let expansion = expansion(&format!("{BOMB}, \"resources\": [{resources}]"));
    let properties = |name: &str, body: &Value| {
        format!("{name} {}", body.get("properties").map_or_else(|| "?".to_owned(), Value::to_json))
    };
    let document = expansion.document.unwrap();
    let bodies = document.resources.iter().map(|resource| properties(&resource.name, &resource.body)).collect();
    let mut codes: Vec<&str> = expansion.diagnostics.iter().map(|problem| problem.code.as_str()).collect();
    codes.dedup();
    (bodies, codes)
}

fn resource(name: &str, more: &str) -> String {
    format!(r#"{{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "{name}", {more}}}"#)
}

#[test]
fn static_resources_beyond_the_limit_on_steps_are_known() {
    let bomb = resource("bomb", r#""properties": {"b": "[length(variables('b'))]"}"#);
    let others = [
        resource("x", r#""properties": {"public": true}"#),
        resource("y", r#""properties": {"public": true, "name": "[toLower('Y')]"}"#),
        resource("z", r#""copy": {"name": "l", "count": 2}, "properties": {"public": true}"#),
        resource("c", r#""condition": "[equals('a', 'a')]", "properties": {"public": true}"#),
    ];
    let (bodies, codes) = expanded(&format!("{bomb}, {}", others.join(", ")));
    assert!(codes.contains(&"expression/limit") || codes.contains(&"template/limit"), "{codes:?}");
    for name in ["x", "y", "z", "c"] {
        let body = bodies.iter().find(|body| body.starts_with(name));
        assert!(body.is_some_and(|body| body.contains(r#""public":true"#)), "{name}: {bodies:?}");
    }
}

#[test]
fn what_other_values_deploy_is_explored_with_half_of_the_steps() {
    let explored = |lengths: [usize; 2]| {
        let [a, b] = lengths.map(|length| format!("[range(0, {length})]"));
        let off = resource("x", r#""condition": "[parameters('on')]""#);
        let expansion = expansion(&format!(
            r#""parameters": {{"on": {{"type": "bool", "defaultValue": false}}}}, "variables": {{"a": "{a}", "b": "{b}"}}, "resources": [{off}, {off}]"#
        ));
        let limits = expansion.diagnostics.iter().filter(|problem| problem.code.as_str().ends_with("/limit"));
        let mut levels: Vec<Level> = limits.map(|problem| problem.level).collect();
        levels.dedup();
        (expansion.document.unwrap().possible.len(), levels)
    };
    assert_eq!(explored([10, 10]), (2, vec![]));
    assert_eq!(explored([4_000, 3_000]), (0, vec![Level::Note]));
    // The whole limit is an error, of which this is a part.
    assert_eq!(explored([10_000, 10_000]), (0, vec![Level::Error]));
}
