//! The tool `type`: the properties of a resource type.

use formwork_mcp::{ToolAnswer, ToolCall};

use crate::cli::mcp::text::cut_lines;
use crate::report::brief::quoted;
use crate::schema::{self, TypeDescription, TypeProblem};

/// Maximum length of an answer, in tokens.
const MAX_LENGTH: usize = 2_000;

/// Answers a call of the tool.
pub(super) fn describe_type(call: &ToolCall) -> Result<ToolAnswer, String> {
    let arguments = &call.arguments;
    let name = arguments.text("type").unwrap_or_default();
    let described = schema::describe_type(name, arguments.text("version"), arguments.text("path").unwrap_or_default());
    match described {
        Ok(TypeDescription { title, lines }) => {
            let text: String = std::iter::once(title).chain(lines).map(|line| line + "\n").collect();
            Ok(ToolAnswer::text(cut_lines(&text, MAX_LENGTH, "select an inner object with `path`")))
        }
        Err(TypeProblem::NoType(near)) if near.is_empty() => Err(format!("there is no type {}", quoted(name))),
        Err(TypeProblem::NoType(near)) => {
            Err(format!("there is no type {}; the nearest are {}", quoted(name), near.join(", ")))
        }
        Err(TypeProblem::NoVersion(known)) => {
            Err(format!("the type has no such version; the newest are {}", known.join(", ")))
        }
        Err(TypeProblem::NoPath(known)) => {
            Err(format!("the type has no such path; the properties there are {}", known.join(", ")))
        }
        Err(TypeProblem::Unknown) => Err("this build has no types".to_owned()),
    }
}
