//! How much memory a compiled pattern takes at most.

use crate::ast::Node;
use crate::class::Class;

/// What a node takes besides the classes in it.
const NODE: usize = 256;

/// What a range of a class takes: up to four sequences of bytes, of up to four bytes each.
const RANGE: usize = 512;

/// What a class takes that is not a few ranges; the largest one is that of all letters, in about 20 KB.
const WIDE_CLASS: usize = 64 << 10;

/// How deep the nodes of a pattern may be nested whose size is certain. The engines have limits of their own.
const MAX_DEPTH: usize = 32;

/// An upper bound of the memory, in bytes. `None` if it is not certain that the `regex` crate accepts the pattern.
pub(super) fn bound(node: &Node) -> Option<usize> {
    within(node, MAX_DEPTH)
}

fn within(node: &Node, depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    let size = match node {
        Node::Empty | Node::Anchor(_) => 0,
        Node::One(class) => of_class(class)?,
        Node::Capture(_, node) => within(node, depth)?,
        Node::Concat(nodes) | Node::Either(nodes) => {
            let mut sizes = nodes.iter().map(|node| within(node, depth));
            sizes.try_fold(0_usize, |sum, size| sum.checked_add(size?))?
        }
        Node::Repeat { node, min, max, .. } => {
            let count = usize::try_from(max.unwrap_or(*min)).ok()?;
            within(node, depth)?.checked_mul(count.checked_add(1)?)?
        }
        Node::Look { .. } | Node::Atomic(_) | Node::Reference { .. } | Node::IfGroup { .. } | Node::IfMatch { .. } => {
            return None;
        }
    };
    size.checked_add(NODE)
}

fn of_class(class: &Class) -> Option<usize> {
    if class.subtracted.is_some() || !class.intersected.is_empty() {
        return None;
    }
    if class.written.is_empty() { class.ranges.len().checked_add(1)?.checked_mul(RANGE) } else { Some(WIDE_CLASS) }
}
