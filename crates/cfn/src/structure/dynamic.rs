//! Dynamic references, `{{resolve:ssm:name}}`, whose values other services have.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html>.

use crate::diagnostic::common_checks::{EXPRESSION_PLACEMENT, EXPRESSION_SYNTAX};
use crate::stack::Stack;
use crate::text::{Span, cut};

/// Prefix of dynamic references.
const START: &str = "{{resolve:";

/// The service that has secrets.
const SECRETS: &str = "secretsmanager";

/// The services that a reference can name.
const SERVICES: [&str; 3] = ["ssm", "ssm-secure", SECRETS];

/// The greatest length of a reference in a message, in bytes.
const MAX_SHOWN: usize = 100;

/// Reports references in a string that CloudFormation refuses.
pub(super) fn check(stack: &Stack<'_>, path: impl Fn() -> String, is_in_output: bool, text: &str, span: Option<Span>) {
    for (start, _) in text.match_indices(START) {
        let rest = text.get(start + START.len()..).unwrap_or_default();
        let Some((inner, _)) = rest.split_once("}}").filter(|(inner, _)| !inner.contains("${")) else { continue };
        let shown = cut(inner, MAX_SHOWN);
        let (service, name) = inner.split_once(':').unwrap_or((inner, ""));
        if !SERVICES.contains(&service) {
            let message = format!("a dynamic reference is to `ssm`, `ssm-secure`, or `{SECRETS}`, found `{shown}`");
            stack.breach(EXPRESSION_SYNTAX, path(), message, span);
        } else if name.is_empty() {
            let message = format!("the dynamic reference `{shown}` has no name after `{service}`");
            stack.breach(EXPRESSION_SYNTAX, path(), message, span);
        } else if is_in_output && service == SECRETS {
            let message = format!("an output cannot have a dynamic reference to `{SECRETS}`, only a resource can");
            stack.breach(EXPRESSION_PLACEMENT, path(), message, span);
        }
    }
}
