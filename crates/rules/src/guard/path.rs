//! Paths to properties, such as `Tags.*.Key`.

use std::fmt::Write as _;

use crate::value::Str;

/// A path to a property. It begins at the properties of a resource or, with a leading dot, at the resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) root: Root,
    pub(super) segments: Box<[Segment]>,
}

/// Start of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// Properties of the resource.
    Properties,
    /// The resource itself: `.DeletionPolicy`.
    Resource,
}

/// A segment of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    /// A member of an object or, if it is a number, an item of a list.
    Name { key: Str, index: Option<usize> },
    /// `*`: all items or members.
    Any,
    /// `Name*`: all members whose names begin with this.
    Prefix(Str),
    /// An empty name between two dots, or after the last one. The path ends here.
    Empty,
}

impl Segment {
    fn write(&self, out: &mut String) {
        match self {
            Self::Name { key, .. } => out.push_str(key),
            Self::Any => out.push('*'),
            Self::Prefix(start) => {
                let _ = write!(out, "{start}*");
            }
            Self::Empty => {}
        }
    }
}

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TrailStep {
    Key(Str),
    Index(usize),
}

impl Path {
    /// Formats the path for messages: the steps taken, then the rest of the rule's path.
    pub(super) fn shown(&self, trail: &[TrailStep], rest: &[Segment]) -> String {
        let mut text = String::new();
        let mut separator = if self.root == Root::Resource { "." } else { "" };
        for step in trail {
            text.push_str(separator);
            separator = ".";
            // Writing to a string cannot fail.
            let _ = match step {
                TrailStep::Key(key) => write!(text, "{key}"),
                TrailStep::Index(index) => write!(text, "{index}"),
            };
        }
        for segment in rest {
            text.push_str(separator);
            separator = ".";
            segment.write(&mut text);
        }
        text
    }
}
