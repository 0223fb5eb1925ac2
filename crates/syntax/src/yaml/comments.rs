//! Finds the comments of a YAML text.

use std::ops::Range;

use arcstr::ArcStr;
use saphyr_parser::{Event, Parser};

use crate::text::FileId;
use crate::yaml::Dialect;
use crate::yaml::builder::Builder;
use crate::yaml::offsets::Offsets;

/// Returns the comments of a valid text, in order. Scalars may contain text that looks like a comment, such as lines of
/// a script in a block scalar.
pub fn comments(file: FileId, text: &ArcStr) -> Vec<Range<usize>> {
    let scalars = scalars(file, text);

    let mut comments = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let is_after_blank =
            |at: usize| line.get(..at).is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t']));
        let mut candidates = line.match_indices('#').map(|(at, _)| at);
        if let Some(at) = candidates.find(|&at| is_after_blank(at) && !is_in_any(&scalars, start + at)) {
            comments.push(start + at..start + line.trim_end_matches(['\n', '\r']).len());
        }
        start += line.len();
    }
    comments
}

/// True if one of the sorted ranges contains a position.
fn is_in_any(ranges: &[Range<usize>], at: usize) -> bool {
    let before = ranges.partition_point(|range| range.start <= at);
    before.checked_sub(1).and_then(|last| ranges.get(last)).is_some_and(|range| at < range.end)
}

/// Returns the ranges of all scalars, including keys, in order.
fn scalars(file: FileId, text: &ArcStr) -> Vec<Range<usize>> {
    let builder = Builder::new(file, text, Dialect::Template, 0);
    let offsets = Offsets::new(text);
    let mut scalars = Vec::new();
    let mut parser = Parser::new_from_str(text);
    while let Some(Ok((event, range))) = parser.next_event() {
        if let Event::Scalar(_, style, ..) = event {
            let start = offsets.byte(range.start.index());
            let span = builder.scalar_span(style, start..offsets.byte(range.end.index()).max(start));
            scalars.push(span.start as usize..span.end as usize);
        }
    }
    scalars
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sources;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let shared: ArcStr = text.into();
        let found = comments(Sources::new().add("a.yaml", shared.clone()), &shared);
        let found: Vec<&str> = found.into_iter().map(|range| text.get(range).unwrap()).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn comments_are_found_beside_and_above_values() {
        check("# a\nk: v # b\n# c\r\nl:\n  # d\n  - x # e\n", &["# a", "# b", "# c", "# d", "# e"]);
        check("k: !Ref x # a\nl: &b v # c # d\n", &["# a", "# c # d"]);
        check("k: 'q' # a\nl: \"q\" # b\nm: [1, # c\n  2] # d\n", &["# a", "# b", "# c", "# d"]);
        check("é: ü # ö\n", &["# ö"]);
    }

    #[test]
    fn scalars_have_no_comments() {
        check("k: |\n  #!/bin/sh\n  # no\n  x # no\n# yes\nl: 1\n", &["# yes"]);
        check("a:\n  k: >-\n    text # no\n  # yes\n  l: |2\n      # no\n", &["# yes"]);
        check("k: 'a # no\n  # no' # yes\nl: \"# no\"\n", &["# yes"]);
        check("k: a#no\nl: a\n  b # yes\n", &["# yes"]);
        check("'# no': 1\n", &[]);
        check("- |\n  # no\n\n\n# yes\n- 1", &["# yes"]);
        check("k: | # yes\n  # no\n", &["# yes"]);
    }
}
