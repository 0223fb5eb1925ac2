//! Expansions for tests.

use arcstr::ArcStr;

use crate::context::Context;
use crate::expand::{Request, expand};
use crate::model::{Budget, Expansion, Limits, Offline};
use crate::syntax::json;
use crate::text::Sources;

/// Expands a template without parameters. The sources contain its text.
pub(crate) fn expanded(template: &str) -> (Sources, Expansion) {
    expanded_in(template, &Context::default())
}

/// Expands a template without parameters in `context`.
pub(crate) fn expanded_in(template: &str, context: &Context) -> (Sources, Expansion) {
    let sources = Sources::new();
    let text: ArcStr = template.into();
    let file = sources.add("main.json", text.clone());
    let template = json::parse(file, &text, 256).value.unwrap();
    let limits = Limits::default();
    let request = Request {
        file,
        template: &template,
        parameters: None,
        overrides: &[],
        context,
        budget: &Budget::new(&limits),
        states: true,
        explores: false,
        has_unknowns: false,
        loader: &Offline,
    };
    let expansion = expand(&request);
    (sources, expansion)
}
