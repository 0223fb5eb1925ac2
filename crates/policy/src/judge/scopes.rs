//! Index of scopes: finds those at or above a resource, without visiting each scope.

use foldhash::HashMap;
use formwork_arm::is_assumed;

use crate::ids::has_placeholder;
use crate::judge::request::Request;

/// Beginning of the ID of a management group.
const MANAGEMENT: &str = "/providers/Microsoft.Management/managementGroups/";

/// Sign in a scope that stands for any text of a segment, in files of Enterprise Policy as Code.
pub(super) const ANY: char = '*';

/// True if a segment of an ID is one that the segment of a scope means, which may have [`ANY`].
pub(super) fn is_segment(wanted: &str, segment: &str) -> bool {
    let Some((start, rest)) = wanted.split_once(ANY) else { return segment.eq_ignore_ascii_case(wanted) };
    let (segment, start, rest) = (segment.to_ascii_lowercase(), start.to_ascii_lowercase(), rest.to_ascii_lowercase());
    let Some(mut left) = segment.strip_prefix(&start) else { return false };
    let mut parts = rest.split(ANY).peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        let Some(at) = left.find(part) else { return false };
        left = left.get(at.saturating_add(part.len())..).unwrap_or_default();
    }
    true
}

/// Form of a scope's ID, which decides about the resources below it.
#[derive(Debug)]
pub(super) enum Scope<'s> {
    /// The root scope: all resources are below it.
    Everything,
    /// Management group with this name.
    ManagementGroup(&'s str),
    /// An ID of which a part is not known.
    Placeholder,
    /// An ID with whose segments the IDs of the resources below it begin.
    Segments(std::str::Split<'s, char>),
}

impl<'s> Scope<'s> {
    pub(super) fn of_id(id: &'s str) -> Self {
        let id = id.trim_end_matches('/');
        if id.is_empty() {
            return Self::Everything;
        }
        if has_placeholder(id) || id.split('/').any(is_assumed) {
            return Self::Placeholder;
        }
        if let Some(group) = management_group(id) {
            return Self::ManagementGroup(group);
        }
        Self::Segments(id.split('/'))
    }
}

/// Returns the name in the ID of a management group.
pub(super) fn management_group(id: &str) -> Option<&str> {
    let start = id.get(..MANAGEMENT.len())?;
    id.get(MANAGEMENT.len()..).filter(|_| start.eq_ignore_ascii_case(MANAGEMENT))
}

/// Indexes by scope, as a tree of the segments. The first node is its root.
#[derive(Debug)]
pub(super) struct Scopes {
    nodes: Vec<Node>,
    /// Indexes of scopes for which the ID of a resource does not decide whether it is below them.
    open: Vec<usize>,
}

#[derive(Debug, Default)]
struct Node {
    /// Child nodes, by segment in lower case.
    children: HashMap<String, usize>,
    here: Vec<usize>,
}

impl Scopes {
    pub(super) fn new() -> Self {
        Self { nodes: vec![Node::default()], open: Vec::new() }
    }

    /// Adds an index. `scope` is `None` if it is not known.
    pub(super) fn add(&mut self, scope: Option<&str>, item: usize) {
        let Some(Scope::Segments(segments)) = scope.filter(|scope| !scope.contains(ANY)).map(Scope::of_id) else {
            self.open.push(item);
            return;
        };
        let mut at = 0;
        for segment in segments {
            let next = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else { return };
            at = *node.children.entry(segment.to_ascii_lowercase()).or_insert(next);
            if at == next {
                self.nodes.push(Node::default());
            }
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.here.push(item);
        }
    }

    /// Returns all indexes in order, except those whose scope certainly does not contain the resource.
    pub(super) fn around(&self, request: &Request) -> Vec<usize> {
        let mut found = self.open.clone();
        let mut nodes: Vec<&Node> = self.nodes.first().into_iter().collect();
        for (at, segment) in request.id.split('/').enumerate() {
            let lower = segment.to_ascii_lowercase();
            let is_open = at > 0 && request.is_open(segment);
            let below = |node: &&Node| -> Vec<usize> {
                if is_open {
                    node.children.values().copied().collect()
                } else {
                    Vec::from_iter(node.children.get(&lower).copied())
                }
            };
            nodes = nodes.iter().flat_map(below).filter_map(|next| self.nodes.get(next)).collect();
            if nodes.is_empty() {
                break;
            }
            found.extend(nodes.iter().flat_map(|node| &node.here));
        }
        found.sort_unstable();
        found
    }
}
