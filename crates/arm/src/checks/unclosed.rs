//! Strings that begin like an expression and do not end like one. Resource Manager deploys them as they are written.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-expressions>.

use formwork_model::declare_checks;

use crate::checks::ProcessedTemplate;
use crate::checks::expressions::is_inner_template;
use crate::expr::unclosed_call;
use crate::model::{Issue, path_at};
use crate::value::{Data, Member, Object, Traits, Value};

declare_checks! {
    pub(crate) const CHECKS;

    EXPRESSION_UNCLOSED = Expression Medium "expression/unclosed" "Expression.Unclosed"
        "A string that begins like an expression should end like one"
        "Azure evaluates a string only if it begins with `[` and ends with `]`, so it deploys `[concat('a', 'b')` and `[parameters('name')]-suffix` as they are written. A string is reported if it follows the syntax of expressions up to its end, or up to the `]` that would close it, and calls a function that exists."
        "Write the whole string as one expression, as in `[concat(parameters('name'), '-suffix')]`."
        .azure("templates/template-expressions");
}

/// Members whose text is only read by people.
const NOTES: &[&str] = &["comments", "description", "metadata"];

/// Reports the strings of a template that begin with a call of a function after a `[`, and do not end with `]`.
pub(super) fn check_unclosed(subject: &ProcessedTemplate<'_>) {
    // A compiler has put an expression where its source has one, and text where that has text.
    if !subject.is_generated() {
        look(subject, subject.template);
    }
}

fn look(subject: &ProcessedTemplate<'_>, value: &Value) {
    if !value.traits.has(Traits::DYNAMIC) {
        return;
    }
    match &value.data {
        Data::String(text) => look_at_text(subject, value, text),
        Data::Array(items) => items.iter().for_each(|item| look(subject, item)),
        Data::Object(object) => {
            object.iter().filter(|member| enters(object, member)).for_each(|member| look(subject, &member.value));
        }
        _ => {}
    }
}

/// Returns `true` if the value of `member` belongs to this template, and is not a note.
fn enters(object: &Object, member: &Member) -> bool {
    !NOTES.iter().any(|note| member.key.eq_ignore_ascii_case(note)) && !is_inner_template(object, member)
}

fn look_at_text(subject: &ProcessedTemplate<'_>, value: &Value, text: &str) {
    let Some(function) = unclosed_call(text) else { return };
    let Some(span) = value.span else { return };
    let message = format!(
        "the string begins with a call of `{function}`, but does not end in `]`, so it is deployed as text; \
        write the whole string as one expression, as in `[concat(parameters('name'), '-suffix')]`"
    );
    let path = path_at(subject.template, span);
    let path = if subject.path.is_empty() { path } else { format!("{}.{path}", subject.path) };
    subject.world().issue(Issue::new(EXPRESSION_UNCLOSED, path, span, message));
}
