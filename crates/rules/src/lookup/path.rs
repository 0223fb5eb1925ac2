//! Paths of rules: `properties.rules[*].name`, `tags['cost.center']`.

/// A path, relative to the scope of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) segments: Vec<Segment>,
    /// True if it has a `*`. Such a path finds only existing values; others also find missing ones.
    pub(crate) has_wildcard: bool,
}

/// A segment of a path, between two dots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// `name`, and everything without another form.
    Name(Box<str>),
    /// An item of the array `name`, `name[3]`.
    Item(Box<str>, usize),
    /// Every item of the array `name`, `name[*]`.
    Items(Box<str>),
    /// Every member of an object, `*`.
    Members,
}

impl Path {
    /// Parses a path. Every string is one; the empty path leads to the scope itself.
    pub(crate) fn parse(text: &str) -> Self {
        let mut segments = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let quoted = find_quoted(rest);
            let plain = quoted.as_ref().map_or(rest, |quoted| quoted.before);
            if !plain.is_empty() {
                segments.extend(plain.split('.').map(Segment::parse));
            }
            let Some(quoted) = quoted else { break };
            segments.push(Segment::Name(quoted.name.into()));
            rest = quoted.after;
        }
        Self { segments, has_wildcard: text.contains('*') }
    }
}

/// A quoted name in a path, `['a.b']`, for names that a dotted path cannot hold.
struct Quoted<'a> {
    before: &'a str,
    name: String,
    after: &'a str,
}

/// Returns the first quoted name of a path. It ends the path, or a dot or another quoted name follows.
fn find_quoted(path: &str) -> Option<Quoted<'_>> {
    let (before, opened) = path.split_once("['")?;
    let mut at = 0;
    loop {
        let quote = at + opened.get(at..)?.find('\'')?;
        let next = opened.get(quote + 1..)?;
        if next.starts_with('\'') {
            at = quote + 2;
            continue;
        }
        let after = next.strip_prefix(']')?;
        let after = match after.strip_prefix('.') {
            Some(after) if !after.is_empty() => after,
            _ if after.is_empty() || after.starts_with("['") => after,
            _ => return None,
        };
        return Some(Quoted { before, name: opened.get(..quote)?.replace("''", "'"), after });
    }
}

impl Segment {
    fn parse(text: &str) -> Self {
        if text == "*" {
            return Self::Members;
        }
        let indexed = text.strip_suffix(']').and_then(|rest| rest.split_once('['));
        if let Some((name, index)) = indexed
            && is_indexable(name)
        {
            if index == "*" {
                return Self::Items(name.into());
            }
            if index.bytes().all(|byte| byte.is_ascii_digit())
                && let Ok(index) = index.parse()
            {
                return Self::Item(name.into(), index);
            }
        }
        Self::Name(text.into())
    }

    /// Returns the reason for which this segment probably does not mean what its author intended.
    pub(crate) fn suspicion(&self) -> Option<&'static str> {
        match self {
            Self::Name(name) if name.contains('*') => {
                Some("a `*` replaces a whole name or a whole index; within a name it is an ordinary character")
            }
            Self::Name(name) if name.contains(['[', ']']) => Some(
                "only `name[1]` and `name[*]` are indexes, after a name of letters, digits and `_`, and only `['a.b']` is a quoted name; here they are part of a name",
            ),
            _ => None,
        }
    }
}

/// True if an index may follow a name, which only has word characters then.
fn is_indexable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::Segment::{Item, Items, Members, Name};
    use super::*;

    #[track_caller]
    fn check(text: &str, segments: Vec<Segment>) {
        assert_eq!(Path::parse(text).segments, segments, "{text}");
    }

    fn name(text: &str) -> Segment {
        Name(text.into())
    }

    #[test]
    fn points_separate_names() {
        check("", vec![]);
        check("a", vec![name("a")]);
        check("a.b", vec![name("a"), name("b")]);
        check("a..b", vec![name("a"), name(""), name("b")]);
        check(" a .b", vec![name(" a "), name("b")]);
        check("$schema", vec![name("$schema")]);
    }

    #[test]
    fn wildcards_and_indexes_are_whole_segments() {
        check("*", vec![Members]);
        check("a[*].*", vec![Items("a".into()), Members]);
        check("a_1[12]", vec![Item("a_1".into(), 12)]);
    }

    #[test]
    fn a_quoted_name_may_have_points() {
        check("a['b.c']", vec![name("a"), name("b.c")]);
        check("a.b['c.d'].e[*]", vec![name("a"), name("b"), name("c.d"), Items("e".into())]);
        check("['it''s.so']['*']", vec![name("it's.so"), name("*")]);
        check("a['b'", vec![name("a['b'")]);
        check("a['b'].", vec![name("a['b']"), name("")]);
        check("a['b']c", vec![name("a['b']c")]);
    }

    #[test]
    fn everything_else_is_a_name() {
        let names =
            ["a[0][1]", "my-prop[0]", "*[0]", "[*]", "['a", "a[-1]", "a[+1]", "a[]", "adm*", "a[99999999999999999999]"];
        for text in names {
            check(text, vec![name(text)]);
        }
    }

    #[test]
    fn a_star_anywhere_makes_a_wildcard() {
        assert!(Path::parse("a.adm*").has_wildcard);
        assert!(Path::parse("a.*.b").has_wildcard);
        assert!(!Path::parse("a[0].b").has_wildcard);
    }
}
