//! Errors of reading a report.

use serde::de::DeserializeOwned;
use serde_json::error::Category;

/// Reason for which a report cannot be read. Messages repeat no values, because these are untrusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// The file has more bytes than the limit.
    #[error("the report is longer than {limit} bytes")]
    TooLong {
        /// The limit, in bytes.
        limit: u64,
    },
    /// Invalid or incomplete JSON.
    #[error("the report is not JSON: line {line}, column {column}")]
    Syntax {
        /// Line of the report, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
    },
    /// JSON with another schema.
    #[error("`schema` of the report is not `{name}`")]
    Schema {
        /// Expected schema.
        name: &'static str,
    },
    /// A member that the schema does not allow.
    #[error("`{path}` of the report: {problem}")]
    Member {
        /// Path of the member, such as `results[3].location.line`.
        path: String,
        /// Problem with the member.
        problem: String,
    },
}

/// Reads one value, after which nothing may follow.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ReportError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        explained(&path, error.inner())
    })?;
    json.end().map_err(|error| explained(".", &error))?;
    Ok(value)
}

fn explained(path: &str, error: &serde_json::Error) -> ReportError {
    if error.classify() != Category::Data {
        return ReportError::Syntax { line: error.line(), column: error.column() };
    }
    let message = error.to_string();
    let problem = message.rsplit_once(" at line ").map_or(message.as_str(), |(problem, _)| problem);
    // What was found stands before what was wanted.
    let problem = match problem.rsplit_once(", expected ") {
        Some((_, "u8" | "u32" | "u64")) => "expected an integer".to_owned(),
        Some((_, wanted)) if wanted.starts_with("struct ") => "expected an object".to_owned(),
        Some((_, wanted)) => format!("expected {wanted}"),
        None => problem.to_owned(),
    };
    ReportError::Member { path: path.to_owned(), problem }
}
