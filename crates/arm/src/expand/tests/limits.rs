//! Checks of a template's text even if the rest of it exceeds a limit.

use arcstr::ArcStr;

use crate::context::Context;
use crate::expand::{Request, expand};
use crate::model::{Budget, Limits, Offline};
use crate::syntax::json;
use crate::text::Sources;
use crate::value::Value;

/// A variable that takes more steps than there are.
const BOMB: &str =
    r#""variables": {"a": "[range(0, 10000)]", "b": "[map(variables('a'), lambda('x', variables('a')))]"}"#;

/// Returns the bodies of the resources, and the codes of the problems.
fn expanded(resources: &str) -> (Vec<String>, Vec<&'static str>) {
    let text: ArcStr = format!("{{{BOMB}, \"resources\": [{resources}]}}").into();
    let file = Sources::new().add("main.json", text.clone());
    let template = json::parse(file, &text, 256).value.unwrap();
    let limits = Limits { steps: 20_000, call_depth: 200, ..Limits::default() };
    let request = Request {
        states: false,
        has_unknowns: false,
        file,
        template: &template,
        parameters: None,
        overrides: &[],
        context: &Context::default(),
        budget: &Budget::new(&limits),
        loader: &Offline,
    };
    let expansion = expand(&request);
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
