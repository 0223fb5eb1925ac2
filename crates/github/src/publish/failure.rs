//! Classes of failed requests. The class determines whether a request can be repeated.
//!
//! See <https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api> and
//! <https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api>.

use std::time::Duration;

use chrono::DateTime;
use reqwest::header::HeaderMap;
use serde::Deserialize;

/// Waiting time if GitHub reports a limit without a time. Its documentation says "wait for at least one minute".
const UNNAMED_WAIT: Duration = Duration::from_mins(1);

/// Maximum length of a message of the server, in characters. Longer ones are cut.
const MAX_MESSAGE: usize = 300;

/// A failed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// GitHub does not accept the token.
    Unauthorized(String),
    /// The token lacks a permission, or the conversation is locked.
    Forbidden(String),
    /// The target does not exist, or the token has no access to it.
    NotFound(String),
    /// The request is invalid, for example because a line is not in the diff.
    Unprocessable(String),
    /// The request certainly had no effect, and can be sent again after this time.
    RateLimited(Duration),
    /// The request possibly had an effect: a server error, a timeout, or a broken connection.
    Unclear(String),
    /// Any other failure. Sending the request again would fail in the same way.
    Other(String),
}

impl Failure {
    /// Classifies a response with an error status.
    pub(super) fn of_answer(status: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let message = message(body);
        if let Some(wait) = limit(status, headers, &message) {
            return Self::RateLimited(wait);
        }
        let text = if message.is_empty() { format!("status {status}") } else { format!("{message} ({status})") };
        match status {
            401 => Self::Unauthorized(text),
            403 => Self::Forbidden(text),
            404 | 410 => Self::NotFound(text),
            422 => Self::Unprocessable(text),
            408 | 500.. => Self::Unclear(text),
            _ => Self::Other(text),
        }
    }

    /// Classifies a GraphQL response, which reports errors with a success status. Errors of single fields are
    /// ignored; the caller handles them.
    pub(super) fn of_graphql(headers: &HeaderMap, body: &[u8]) -> Option<Self> {
        let answer: GraphqlAnswer = serde_json::from_slice(body).ok()?;
        let limited = answer.errors.iter().any(|error| error.kind == "RATE_LIMITED");
        limited.then(|| Self::RateLimited(named_wait(headers).unwrap_or(UNNAMED_WAIT)))
    }

    /// Returns the unchanged message of the server or the connection.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Unauthorized(text)
            | Self::Forbidden(text)
            | Self::NotFound(text)
            | Self::Unprocessable(text)
            | Self::Unclear(text)
            | Self::Other(text) => text.clone(),
            Self::RateLimited(wait) => format!("wait {} s", wait.as_secs()),
        }
    }
}

#[derive(Deserialize)]
struct GraphqlAnswer {
    #[serde(default)]
    errors: Vec<GraphqlError>,
}

#[derive(Deserialize)]
struct GraphqlError {
    #[serde(default, rename = "type")]
    kind: String,
}

/// Body of an error response.
#[derive(Deserialize)]
struct ErrorBody {
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: serde_json::Value,
}

fn message(body: &[u8]) -> String {
    let Ok(problem) = serde_json::from_slice::<ErrorBody>(body) else {
        return String::new();
    };
    let mut texts = vec![problem.message];
    match &problem.errors {
        serde_json::Value::String(text) => texts.push(text.clone()),
        serde_json::Value::Array(all) => texts.extend(all.iter().filter_map(detail)),
        _ => {}
    }
    texts.retain(|text| !text.is_empty());
    texts.join(": ").chars().take(MAX_MESSAGE).collect()
}

fn detail(error: &serde_json::Value) -> Option<String> {
    let text = error.as_str().or_else(|| error.get("message")?.as_str());
    text.map(ToOwned::to_owned)
}

/// Returns the required waiting time, or `None` if the response is not about a limit.
fn limit(status: u16, headers: &HeaderMap, message: &str) -> Option<Duration> {
    match status {
        429 => Some(named_wait(headers).unwrap_or(UNNAMED_WAIT)),
        403 => named_wait(headers).or_else(|| is_about_limit(message).then_some(UNNAMED_WAIT)),
        422 => is_about_limit(message).then(|| named_wait(headers).unwrap_or(UNNAMED_WAIT)),
        _ => None,
    }
}

fn is_about_limit(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["rate limit", "abuse detection", "submitted too quickly"].iter().any(|words| message.contains(words))
}

/// Returns the waiting time in the headers. It is relative to the clock of the server, because the local one can be
/// wrong.
fn named_wait(headers: &HeaderMap) -> Option<Duration> {
    if let Some(after) = header_text(headers, "retry-after") {
        return Some(after.trim().parse().map_or(UNNAMED_WAIT, Duration::from_secs));
    }
    if header_text(headers, "x-ratelimit-remaining")?.trim() != "0" {
        return None;
    }
    let now = DateTime::parse_from_rfc2822(header_text(headers, "date")?).ok()?.timestamp();
    let reset: i64 = header_text(headers, "x-ratelimit-reset")?.trim().parse().ok()?;
    // The date has no fractions of a second, so one second is added.
    let seconds = u64::try_from(reset.saturating_sub(now)).unwrap_or(0).saturating_add(1);
    Some(Duration::from_secs(seconds))
}

fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    #[track_caller]
    fn check(status: u16, headers: &[(&'static str, &'static str)], body: &str, expected: Failure) {
        let headers = headers.iter().map(|&(k, v)| (HeaderName::from_static(k), HeaderValue::from_static(v)));
        assert_eq!(Failure::of_answer(status, &headers.collect(), body.as_bytes()), expected);
    }

    #[test]
    fn a_status_tells_what_may_be_done_next() {
        let denied = r#"{"message": "Resource not accessible by integration"}"#;
        check(403, &[], denied, Failure::Forbidden("Resource not accessible by integration (403)".to_owned()));
        check(404, &[], r#"{"message": "Not Found"}"#, Failure::NotFound("Not Found (404)".to_owned()));
        check(401, &[], r#"{"message": "Bad credentials"}"#, Failure::Unauthorized("Bad credentials (401)".to_owned()));
        check(502, &[], "<html>", Failure::Unclear("status 502".to_owned()));
        check(418, &[], "", Failure::Other("status 418".to_owned()));
    }

    #[test]
    fn details_of_an_error_are_part_of_its_text() {
        let texts = r#"{"message": "Unprocessable Entity", "errors": ["Line could not be resolved"]}"#;
        let expected = "Unprocessable Entity: Line could not be resolved (422)";
        check(422, &[], texts, Failure::Unprocessable(expected.to_owned()));
        let structs = r#"{"message": "Validation Failed", "errors": [{"code": "custom", "message": "too long"}]}"#;
        check(422, &[], structs, Failure::Unprocessable("Validation Failed: too long (422)".to_owned()));
    }

    #[test]
    fn a_long_text_of_the_server_is_cut() {
        let body = format!(r#"{{"message": "{}"}}"#, "x".repeat(10_000));
        check(400, &[], &body, Failure::Other(format!("{} (400)", "x".repeat(MAX_MESSAGE))));
    }

    #[test]
    fn a_limit_is_waited_for_as_the_server_says() {
        let after = |seconds| Failure::RateLimited(Duration::from_secs(seconds));
        check(429, &[("retry-after", "7")], "", after(7));
        check(403, &[("retry-after", "7")], "", after(7));
        check(429, &[], "", after(60));
        let date = ("date", "Sat, 21 Nov 2026 15:00:00 GMT");
        let used_up = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1795273230"), date];
        check(403, &used_up, "", after(31));
        let not_used_up = [("x-ratelimit-remaining", "5"), ("x-ratelimit-reset", "1795273230"), date];
        check(403, &not_used_up, "", Failure::Forbidden("status 403".to_owned()));
        check(403, &[], r#"{"message": "You have exceeded a secondary rate limit"}"#, after(60));
        check(422, &[], r#"{"message": "was submitted too quickly"}"#, after(60));
    }

    #[test]
    fn graphql_names_a_limit_with_success() {
        let body = br#"{"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}"#;
        assert_eq!(Failure::of_graphql(&HeaderMap::new(), body), Some(Failure::RateLimited(UNNAMED_WAIT)));
        assert_eq!(Failure::of_graphql(&HeaderMap::new(), br#"{"data": {}, "errors": [{"type": "FORBIDDEN"}]}"#), None);
    }
}
