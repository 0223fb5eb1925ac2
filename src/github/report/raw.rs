//! Members that the report has side by side and the model keeps apart.

use serde::{Deserialize, Deserializer};

use crate::diagnostic::Level;
use crate::github::report::{Head, MAX_NAME, MAX_PATH, MAX_TEXT, Place};
use crate::report::bounded;

/// Where a place is in the head of a pull request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct HeadPlace {
    /// Its path, where it has another name.
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_PATH, _>")]
    pub(super) file: Option<String>,
    pub(super) line: u32,
    pub(super) end_line: u32,
}

/// The member `head` of a place, which may be `null`, where it is there.
pub(super) fn head<'de, D: Deserializer<'de>>(json: D) -> Result<Head, D::Error> {
    Ok(Option::<HeadPlace>::deserialize(json)?.map_or(Head::Absent, Head::At))
}

#[derive(Deserialize)]
pub(super) struct Problem {
    #[serde(deserialize_with = "bounded::text::<MAX_NAME, _>")]
    code: String,
    #[serde(deserialize_with = "bounded::level")]
    level: Level,
    #[serde(deserialize_with = "bounded::text::<MAX_TEXT, _>")]
    message: String,
    #[serde(deserialize_with = "bounded::text::<MAX_PATH, _>")]
    file: String,
    line: u32,
    end_line: u32,
    #[serde(default, deserialize_with = "head")]
    head: Head,
    #[serde(default, deserialize_with = "bounded::text_or_null::<MAX_NAME, _>")]
    not_checked: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Fix {
    #[serde(deserialize_with = "bounded::text::<MAX_PATH, _>")]
    file: String,
    line: u32,
    end_line: u32,
    #[serde(default, deserialize_with = "head")]
    head: Head,
    replacement: String,
}

impl From<Problem> for super::Problem {
    fn from(raw: Problem) -> Self {
        let Problem { code, level, message, file, line, end_line, head, not_checked } = raw;
        Self { code, level, place: Place { file, line, end_line, head, message }, not_checked }
    }
}

impl From<Fix> for super::Fix {
    fn from(raw: Fix) -> Self {
        let Fix { file, line, end_line, head, replacement } = raw;
        Self { place: Place { file, line, end_line, head, message: String::new() }, replacement }
    }
}
