//! Identification of formwork's comments: by a marker in their Markdown, and by their author.
//!
//! `<!-- formwork:v1:CATEGORY:FINGERPRINT:open:DIGEST:RESOURCE -->` is the first or the last line of a comment.
//! Anyone can write a marker, so it counts only in comments by the account that formwork uses.

use crate::text::digest;
use crate::wire::User;

const START: &str = "<!-- formwork:v1:";
const END: &str = " -->";

/// Maximum length of a category that a marker contains unchanged.
const MAX_CATEGORY: usize = 40;

/// State of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// The finding occurs. A minimized comment is first shown again and then updated: if only the first request
    /// succeeds, the next plan sees the old text and updates it.
    Open,
    /// The finding no longer occurs. The comment is first updated and then minimized as `RESOLVED`, for the same
    /// reason.
    Fixed,
}

/// Category of a job, in the form that markers contain. Different names have different forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Category(String);

/// Content of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marker<'a> {
    category: &'a str,
    /// A fingerprint, `summary`, or `review`.
    pub(crate) subject: &'a str,
    pub(crate) state: State,
    /// Digest of the text, if the marker has one.
    pub(crate) digest: Option<&'a str>,
    /// Fingerprint of the resource, which a renamed template keeps. `None` if the marker has none.
    pub(crate) resource: Option<&'a str>,
}

impl Category {
    pub(crate) fn new(name: &str) -> Self {
        let name = if name.is_empty() { "default" } else { name };
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c));
        if name.len() <= MAX_CATEGORY && is_plain && !name.contains("--") {
            return Self(name.to_owned());
        }
        // No plain name has a `~`.
        let readable: String = name.chars().filter(char::is_ascii_alphanumeric).take(MAX_CATEGORY).collect();
        Self(format!("{readable}~{}", digest(&[name])))
    }

    /// Returns the marker of a comment on a finding.
    pub(crate) fn open(&self, fingerprint: &str, digest: &str, resource: Option<&str>) -> String {
        let resource = resource.map(|resource| format!(":{resource}")).unwrap_or_default();
        self.marker(&format!("{fingerprint}:open:{digest}{resource}"))
    }

    /// Returns the marker of a comment on a finding that is gone.
    pub(crate) fn fixed(&self, fingerprint: &str) -> String {
        self.marker(&format!("{fingerprint}:fixed"))
    }

    /// Returns the marker of the summary.
    pub(crate) fn summary(&self, digest: &str) -> String {
        self.marker(&format!("summary:open:{digest}"))
    }

    /// Returns the marker of a review.
    pub(crate) fn review(&self) -> String {
        self.marker("review")
    }

    fn marker(&self, rest: &str) -> String {
        format!("{START}{}:{rest}{END}", self.0)
    }
}

impl<'a> Marker<'a> {
    /// Reads the marker of a comment.
    pub(crate) fn read(body: &'a str) -> Option<Self> {
        let body = body.trim();
        let (first, last) = (body.lines().next()?, body.lines().next_back()?);
        Self::parse(last).or_else(|| Self::parse(first))
    }

    fn parse(line: &'a str) -> Option<Self> {
        let inside = line.trim_end().strip_prefix(START)?.strip_suffix(END)?;
        if !inside.chars().all(|c| c.is_ascii_alphanumeric() || ".-_~:".contains(c)) {
            return None;
        }
        let mut parts = inside.split(':');
        let (category, subject) = (parts.next()?, parts.next()?);
        let state = match parts.next() {
            None | Some("open") => State::Open,
            Some("fixed") => State::Fixed,
            Some(_) => return None,
        };
        Some(Self { category, subject, state, digest: parts.next(), resource: parts.next() })
    }

    pub(crate) fn is_of(&self, category: &Category) -> bool {
        self.category == category.0
    }
}

/// True if `viewer` is the author. A user can have the name of an app, so the kind of account must match too.
pub(crate) fn is_own(author: Option<&User>, viewer: &str) -> bool {
    author.is_some_and(|user| user.login == viewer && (!viewer.ends_with("[bot]") || user.kind == "Bot"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: Option<(&str, &str, State, Option<&str>)>) {
        let marker = Marker::read(body);
        assert_eq!(marker.map(|marker| (marker.category, marker.subject, marker.state, marker.digest)), expected);
    }

    #[test]
    fn a_marker_is_the_first_or_the_last_line() {
        let open = Some(("ci", "0a", State::Open, None));
        check("<!-- formwork:v1:ci:0a -->\ntext", open);
        check("text\r\n\r\n<!-- formwork:v1:ci:0a -->\r\n", open);
        check("text\n<!-- formwork:v1:ci:0a -->\nmore", None);
        check("text <!-- formwork:v1:ci:0a -->", None);
        check("> <!-- formwork:v1:ci:0a -->", None);
        check("", None);
    }

    #[test]
    fn a_marker_says_what_it_was_written_with() {
        let category = Category::new("ci");
        check(&category.open("0a", "7f", None), Some(("ci", "0a", State::Open, Some("7f"))));
        let marker = category.open("0a", "7f", Some("3c"));
        assert_eq!(Marker::read(&marker).unwrap().resource, Some("3c"));
        check(&category.fixed("0a"), Some(("ci", "0a", State::Fixed, None)));
        check(&category.summary("7f"), Some(("ci", "summary", State::Open, Some("7f"))));
        check(&category.review(), Some(("ci", "review", State::Open, None)));
    }

    #[test]
    fn what_formwork_does_not_write_is_no_marker() {
        check("<!-- formwork:v2:ci:0a -->", None);
        check("<!-- formwork:v1:ci -->", None);
        check("<!-- formwork:v1:c i:0a -->", None);
        check("<!-- formwork:v1:ci:0a:closed -->", None);
        check("<!-- formwork:v1:ci:0a --> -->", None);
    }

    #[test]
    fn categories_do_not_meet() {
        let names = ["", "a", "A", "a b", "a-b", "a--b", "a:b", "ab", "a -->", "größe", "grße", &"x".repeat(99)];
        let mut markers: Vec<String> = names.iter().map(|name| Category::new(name).review()).collect();
        for (name, marker) in names.iter().zip(&markers) {
            let read = Marker::read(marker).unwrap();
            assert!(read.is_of(&Category::new(name)), "{marker}");
            assert!(!read.category.contains("--"), "{marker}");
        }
        markers.sort();
        markers.dedup();
        assert_eq!(markers.len(), names.len());
        assert_eq!(Category::new(""), Category::new("default"));
    }

    #[test]
    fn only_the_own_account_is_believed() {
        let user = |login: &str, kind: &str| Some(User { login: login.to_owned(), kind: kind.to_owned() });
        assert!(is_own(user("a", "User").as_ref(), "a"));
        assert!(is_own(user("a[bot]", "Bot").as_ref(), "a[bot]"));
        assert!(!is_own(user("a[bot]", "User").as_ref(), "a[bot]"));
        assert!(!is_own(user("a", "Bot").as_ref(), "a[bot]"));
        assert!(!is_own(user("b", "User").as_ref(), "a"));
        assert!(!is_own(None, "a"));
    }
}
