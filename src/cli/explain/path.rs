//! Paths in the notation of reports: `resources[0].properties['a.b'][1]`.

use crate::model::{join_index, join_key};

/// A segment of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Segment {
    /// A property, `.name` or `['name']`.
    Key(String),
    /// An index, `[3]`.
    Index(usize),
    /// `[*]`: all items of an array whose length is unknown.
    Items,
}

impl Segment {
    /// Returns the segment that is equal for all segments that [`Self::same`] takes for equal: names in lower case.
    pub(super) fn folded(&self) -> Self {
        match self {
            Self::Key(name) => Self::Key(name.to_ascii_lowercase()),
            other => other.clone(),
        }
    }

    /// Returns whether both segments are equal. Names ignore case.
    pub(super) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Key(a), Self::Key(b)) => a.eq_ignore_ascii_case(b),
            (Self::Index(a), Self::Index(b)) => a == b,
            (Self::Items, Self::Items) => true,
            _ => false,
        }
    }

    /// Appends the segment to a path.
    pub(super) fn join(&self, path: &str) -> String {
        match self {
            Self::Key(key) => join_key(path, key),
            Self::Index(index) => join_index(path, *index),
            Self::Items => format!("{path}[*]"),
        }
    }
}

/// Returns the part of `path` after `prefix`. `None` if `path` does not begin with it.
pub(super) fn after_prefix<'p>(path: &'p [Segment], prefix: &[Segment]) -> Option<&'p [Segment]> {
    let (head, tail) = path.split_at_checked(prefix.len())?;
    head.iter().zip(prefix).all(|(a, b)| a.same(b)).then_some(tail)
}

/// Parses a path. The error message describes the first mistake.
pub(super) fn parse(text: &str) -> Result<Vec<Segment>, String> {
    let mut segments = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (segment, tail) = match rest.strip_prefix('[') {
            Some(inner) => bracketed(inner)?,
            None => named(rest.strip_prefix('.').filter(|_| !segments.is_empty()).unwrap_or(rest))?,
        };
        segments.push(segment);
        rest = tail;
        if !rest.is_empty() && !rest.starts_with(['.', '[']) {
            return Err(format!("expected `.` or `[` before `{rest}`"));
        }
    }
    Ok(segments)
}

fn named(text: &str) -> Result<(Segment, &str), String> {
    let (name, rest) = text.split_at(text.find(['.', '[']).unwrap_or(text.len()));
    if name.is_empty() {
        return Err("expected a name before and after `.`".to_owned());
    }
    Ok((Segment::Key(name.to_owned()), rest))
}

/// Parses the rest of a segment after `[`: an index, or a name in single quotes. Quotes in a name are doubled.
fn bracketed(text: &str) -> Result<(Segment, &str), String> {
    let Some(mut quoted) = text.strip_prefix('\'') else {
        let (index, rest) = text.split_once(']').ok_or("expected `]`")?;
        if index == "*" {
            return Ok((Segment::Items, rest));
        }
        let index =
            index.parse().map_err(|_| format!("`[{index}]` is neither an index nor a name in single quotes"))?;
        return Ok((Segment::Index(index), rest));
    };
    let mut name = String::new();
    loop {
        let (part, rest) = quoted.split_once('\'').ok_or("missing closing `'`")?;
        name.push_str(part);
        if let Some(rest) = rest.strip_prefix('\'') {
            name.push('\'');
            quoted = rest;
        } else {
            let rest = rest.strip_prefix(']').ok_or("expected `]` after a quoted name")?;
            return Ok((Segment::Key(name), rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Segment {
        Segment::Key(name.to_owned())
    }

    #[track_caller]
    fn check(text: &str, expected: &[Segment]) {
        assert_eq!(parse(text).as_deref(), Ok(expected));
        let joined = expected.iter().fold(String::new(), |path, segment| segment.join(&path));
        assert_eq!(joined, text);
    }

    #[track_caller]
    fn check_wrong(text: &str, expected: &str) {
        assert_eq!(parse(text), Err(expected.to_owned()));
    }

    #[test]
    fn what_reports_print_is_read() {
        check("", &[]);
        check("resources[12].sku.name", &[key("resources"), Segment::Index(12), key("sku"), key("name")]);
        check("resources['a.b'].tags['it''s']", &[key("resources"), key("a.b"), key("tags"), key("it's")]);
        check("a[0][1]", &[key("a"), Segment::Index(0), Segment::Index(1)]);
        check("a[*].b", &[key("a"), Segment::Items, key("b")]);
    }

    #[test]
    fn invalid_paths_are_refused_with_a_reason() {
        check_wrong("a..b", "expected a name before and after `.`");
        check_wrong(".a", "expected a name before and after `.`");
        check_wrong("a.", "expected a name before and after `.`");
        check_wrong("a[1", "expected `]`");
        check_wrong("a[x]", "`[x]` is neither an index nor a name in single quotes");
        check_wrong("a['b", "missing closing `'`");
        check_wrong("a['b'", "expected `]` after a quoted name");
        check_wrong("a[1]b", "expected `.` or `[` before `b`");
    }

    #[test]
    fn prefixes_of_paths_ignore_case() {
        let path = parse("Resources[0].Properties.x").unwrap();
        assert_eq!(after_prefix(&path, &parse("resources[0].properties").unwrap()), Some(&path[3..]));
        assert_eq!(after_prefix(&path, &parse("resources[1]").unwrap()), None);
        assert_eq!(after_prefix(&path[..1], &path), None);
    }
}
