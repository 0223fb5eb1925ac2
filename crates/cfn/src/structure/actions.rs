//! The actions of IAM, and patterns that name them.
//!
//! Reference: <https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html>.

use std::sync::OnceLock;

use foldhash::HashMap;

use crate::text::did_you_mean;

/// The actions by service; its header describes the format.
const ACTIONS: &str = include_str!("../../data/iam.actions");

/// Maximum length of a pattern that is compared, in bytes. Names of actions are shorter.
const MAX_PATTERN: usize = 128;

/// Returns the line of each service.
fn services() -> &'static HashMap<&'static str, &'static str> {
    static TABLE: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let lines = ACTIONS.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split_once(' ').unwrap_or((line, ""))).collect()
    })
}

/// Calls `visit` with each action of a line, in order, until it returns `true`. Returns `true` if it did.
fn any_action(line: &str, mut visit: impl FnMut(&str) -> bool) -> bool {
    let mut action = String::new();
    for word in line.split(' ') {
        let shared = word.chars().next().and_then(|digit| digit.to_digit(36)).unwrap_or(0) as usize;
        action.truncate(shared);
        action.push_str(word.get(1..).unwrap_or_default());
        if visit(&action) {
            return true;
        }
    }
    false
}

/// Actions that services take although the list lacks them for some.
const OF_ALL: [&str; 2] = ["tagresource", "untagresource"];

/// The end of the name of an operation for several items, which needs the permission for one.
const BATCH: &str = "batch";

/// A problem of an action.
#[derive(Debug)]
pub(super) struct ActionProblem {
    pub(super) message: String,
    /// True if nobody misses the permission.
    pub(super) is_harmless: bool,
}

/// Returns the problem of an action such as `s3:GetObject` that names nothing. `None` for one that is written otherwise.
pub(super) fn problem(text: &str) -> Option<ActionProblem> {
    let (service, action) = text.split_once(':')?;
    if text.len() > MAX_PATTERN || !is_pattern(service) || !is_pattern(action) {
        return None;
    }
    let (service, action) = (service.to_lowercase(), action.to_lowercase());
    if service.contains(['*', '?']) {
        return None;
    }
    let Some(line) = services().get(&*service) else {
        let hint = did_you_mean(&service, services().keys().copied());
        return Some(ActionProblem::new(format!("IAM knows no service `{service}`{hint}")));
    };
    if line.is_empty() || OF_ALL.contains(&&*action) || any_action(line, |known| is_match(&action, known)) {
        return None;
    }
    if action.contains(['*', '?']) {
        return Some(ActionProblem::new(format!("`{text}` matches no action of `{service}`")));
    }
    let written = text.split_once(':').map_or("", |(_, action)| action);
    let single = action.strip_suffix(BATCH).filter(|single| any_action(line, |known| known == *single));
    if let Some(single) = single.and_then(|single| written.get(..single.len())) {
        let message = format!("`{service}` has no action `{written}`; `{service}:{single}` permits it");
        return Some(ActionProblem { message, is_harmless: true });
    }
    let near = nearest_action(line, &action).map(|near| in_case_of(written, &near));
    let hint = near.map_or_else(String::new, |near| format!(", did you mean `{near}`?"));
    Some(ActionProblem::new(format!("`{service}` has no action `{written}`{hint}")))
}

impl ActionProblem {
    fn new(message: String) -> Self {
        Self { message, is_harmless: false }
    }
}

/// Returns a name in lower case with the capitals that a similar text has at its beginning and its end.
fn in_case_of(text: &str, name: &str) -> String {
    let is_same = |(one, other): &(char, char)| one.eq_ignore_ascii_case(other);
    let start = text.chars().zip(name.chars()).take_while(is_same).count();
    let rest = text.chars().count().min(name.chars().count()).saturating_sub(start);
    let end = text.chars().rev().zip(name.chars().rev()).take(rest).take_while(is_same).count();
    let middle = name.chars().count().saturating_sub(start + end);
    let tail = text.chars().count().saturating_sub(end);
    text.chars().take(start).chain(name.chars().skip(start).take(middle)).chain(text.chars().skip(tail)).collect()
}

/// Returns `true` if a text has only the characters of names and patterns.
fn is_pattern(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'*' | b'?'))
}

/// Returns the action with the longest common start and end, if only a few characters differ.
fn nearest_action(line: &str, action: &str) -> Option<String> {
    const MAX_OTHER: usize = 3;
    let mut nearest: Option<(usize, String)> = None;
    any_action(line, |known| {
        let start = known.bytes().zip(action.bytes()).take_while(|(one, other)| one == other).count();
        let end = known.bytes().rev().zip(action.bytes().rev()).take_while(|(one, other)| one == other).count();
        let other = known.len().max(action.len()).saturating_sub(start + end);
        if other <= MAX_OTHER && nearest.as_ref().is_none_or(|(least, _)| other < *least) {
            nearest = Some((other, known.to_owned()));
        }
        false
    });
    nearest.map(|(_, name)| name)
}

/// Returns `true` if a name matches a pattern with `*` and `?`. The time is bounded by the product of their lengths.
fn is_match(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut from) = (0, 0);
    // The last `*`, and the end of what it stands for.
    let mut star: Option<(usize, usize)> = None;
    while at < name.len() {
        match (pattern.get(from), name.get(at)) {
            (Some(b'*'), _) => {
                star = Some((from, at));
                from += 1;
            }
            (Some(expected), Some(found)) if *expected == b'?' || expected == found => {
                from += 1;
                at += 1;
            }
            _ => {
                let Some((before, end)) = star else { return false };
                star = Some((before, end + 1));
                (from, at) = (before + 1, end + 1);
            }
        }
    }
    pattern.get(from..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_known() {
        for right in [
            "s3:GetObject",
            "S3:getobject",
            "s3:Get*",
            "ec2:Describe*",
            "*:*",
            "logs:*",
            "lambda:Invoke?unction",
            "sts:AssumeRole",
            "apigateway:TagResource",
        ] {
            assert!(problem(right).is_none(), "{right}");
        }
        let wrong = [
            ("ec2:attacheVolume", "`ec2` has no action `attacheVolume`, did you mean `attachVolume`?"),
            ("ec2:AssignIpv6Adresses", "`ec2` has no action `AssignIpv6Adresses`, did you mean `AssignIpv6Addresses`?"),
            ("sqs:SendMessageBatch", "`sqs` has no action `SendMessageBatch`; `sqs:SendMessage` permits it"),
            ("s3:Fetch*", "`s3:Fetch*` matches no action of `s3`"),
            ("dynamo:GetItem", "IAM knows no service `dynamo`"),
        ];
        for (text, expected) in wrong {
            let found = problem(text).unwrap();
            assert!(found.message.starts_with(expected), "{found:?}");
            assert_eq!(found.is_harmless, text.ends_with("Batch"), "{found:?}");
        }
    }

    #[test]
    fn patterns_match_as_in_iam() {
        assert!(is_match("get*", "getobject") && is_match("*", "") && is_match("g?t*t", "getobject"));
        assert!(!is_match("get", "getobject") && !is_match("put*", "getobject") && !is_match("", "a"));
    }

    #[test]
    fn the_list_can_be_read() {
        assert!(services().len() > 400);
        let mut count = 0;
        for line in services().values() {
            any_action(line, |action| {
                assert!(action.is_empty() || is_pattern(action), "{action}");
                count += 1;
                false
            });
        }
        assert!(count > 20_000, "{count}");
    }
}
