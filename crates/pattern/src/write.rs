//! Writing a pattern in the syntax of the Rust engines.

use std::fmt::Write as _;

use foldhash::{HashMap, HashSet};

use crate::Dialect;
use crate::ast::{Anchor, GroupName, Node};
use crate::class::Class;
use crate::groups::Groups;

/// A pattern for `regex`, or for `fancy-regex` where it needs to look around or to backtrack.
pub(super) struct Written {
    pub(super) pattern: String,
    pub(super) fancy: bool,
}

/// Writes a pattern; the error is a part that cannot be expressed.
pub(super) fn write(dialect: Dialect, node: &Node, groups: &Groups) -> Result<Written, String> {
    let mut uses = Uses { groups, definitions: Vec::new(), referred: HashSet::default() };
    uses.visit(node);
    let mut slots = HashMap::default();
    for &group in uses.definitions.iter().filter(|group| uses.referred.contains(group)) {
        let slot = slots.len() + 1;
        if slots.insert(group, slot).is_some() {
            return Err(format!("group {group} is referred to and has several definitions, which is not supported"));
        }
    }
    let mut writer = Writer { dialect, groups, slots, out: String::new(), fancy: false };
    match dialect {
        Dialect::DotNet => writer.node(node, true),
        Dialect::Java => {
            writer.out.push_str(r"\A");
            writer.enclosed("(?:", |writer| writer.node(node, true));
            writer.out.push_str(r"\z");
        }
    }
    Ok(Written { pattern: writer.out, fancy: writer.fancy })
}

/// Which groups are defined, by their numbers in the order in which they open, and which are referred to.
struct Uses<'a> {
    groups: &'a Groups,
    definitions: Vec<u32>,
    referred: HashSet<u32>,
}

impl Uses<'_> {
    fn visit(&mut self, node: &Node) {
        match node {
            Node::Empty | Node::One(_) | Node::Anchor(_) => {}
            Node::Concat(nodes) | Node::Either(nodes) => self.visit_all(nodes),
            Node::Repeat { node, .. } | Node::Look { node, .. } | Node::Atomic(node) => self.visit(node),
            Node::Capture(group, node) => {
                self.definitions.extend(self.groups.resolve(group));
                self.visit(node);
            }
            Node::Reference { group, .. } => self.referred.extend(self.groups.resolve(group)),
            Node::IfGroup { group, yes, no } => {
                self.referred.extend(self.groups.resolve(group));
                self.visit_all([&**yes, no]);
            }
            // The condition is written twice.
            Node::IfMatch { condition, yes, no } => self.visit_all([&**condition, condition, yes, no]),
        }
    }

    fn visit_all<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>) {
        for node in nodes {
            self.visit(node);
        }
    }
}

/// Whether a part only looks and never takes a unit.
fn takes_nothing(node: &Node) -> bool {
    match node {
        Node::Empty | Node::Anchor(_) | Node::Look { .. } => true,
        Node::Capture(_, node) | Node::Atomic(node) | Node::Repeat { node, .. } => takes_nothing(node),
        Node::Concat(nodes) | Node::Either(nodes) => nodes.iter().all(takes_nothing),
        _ => false,
    }
}

struct Writer<'a> {
    dialect: Dialect,
    groups: &'a Groups,
    /// The groups that something refers to, by their numbers in the pattern, with the numbers that they have in what is
    /// written. Others need not capture.
    slots: HashMap<u32, usize>,
    out: String,
    fancy: bool,
}

impl Writer<'_> {
    /// Writes `node`. `last` says that nothing follows it. Then `$` needs no look-ahead, which only `fancy-regex` has: a
    /// search may take the final line break, since only whether there is a match counts, not its end; and a match of the
    /// whole string leaves none.
    fn node(&mut self, node: &Node, last: bool) {
        match node {
            Node::Empty => {}
            Node::One(class) => class.write(self.dialect, &mut self.out),
            Node::Anchor(anchor) => self.anchor(*anchor, last),
            Node::Capture(group, node) => self.capture(group, node, last),
            Node::Concat(nodes) => {
                for (at, node) in nodes.iter().enumerate() {
                    self.node(node, last && at + 1 == nodes.len());
                }
            }
            Node::Either(nodes) => self.enclosed("(?:", |writer| {
                for (at, node) in nodes.iter().enumerate() {
                    if at > 0 {
                        writer.out.push('|');
                    }
                    writer.node(node, last);
                }
            }),
            Node::Repeat { node, min, lazy, .. } if takes_nothing(node) => self.once(node, *min, *lazy),
            Node::Repeat { node, min, max, lazy } => {
                self.enclosed("(?:", |writer| writer.node(node, last && *max == Some(1)));
                self.quantifier(*min, *max, *lazy);
            }
            Node::Look { behind, negative, node } => self.look(*behind, *negative, node),
            Node::Atomic(node) => {
                self.fancy = true;
                self.enclosed("(?>", |writer| writer.node(node, last));
            }
            Node::Reference { group, ignore_case } => self.reference(group, *ignore_case),
            Node::IfGroup { group, yes, no } => self.if_group(group, yes, no),
            Node::IfMatch { condition, yes, no } => self.enclosed("(?:", |writer| {
                writer.look(false, false, condition);
                writer.node(yes, last);
                writer.out.push('|');
                writer.look(false, true, condition);
                writer.node(no, last);
            }),
        }
    }

    fn enclosed(&mut self, open: &str, write: impl FnOnce(&mut Self)) {
        self.out.push_str(open);
        write(self);
        self.out.push(')');
    }

    fn anchor(&mut self, anchor: Anchor, last: bool) {
        match anchor {
            Anchor::Start => self.out.push_str(r"\A"),
            Anchor::LineStart => self.out.push_str("(?m:^)"),
            Anchor::LineEnd => self.out.push_str("(?m:$)"),
            Anchor::VeryEnd => self.out.push_str(r"\z"),
            Anchor::End => match (self.dialect, last) {
                (Dialect::DotNet, true) => self.out.push_str(r"\n?\z"),
                (Dialect::Java, true) => self.out.push_str(r"\z"),
                (Dialect::DotNet, false) => self.look_ahead(r"(?=\n?\z)"),
                (Dialect::Java, false) => self.look_ahead(r"(?=(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?\z)"),
            },
            Anchor::WordEdge => self.word_edge(["(?<=", "(?!", "(?<!", "(?="]),
            Anchor::NoWordEdge => self.word_edge(["(?<=", "(?=", "(?<!", "(?!"]),
        }
    }

    fn look_ahead(&mut self, written: &str) {
        self.fancy = true;
        self.out.push_str(written);
    }

    /// The engines have `\b` too, but other characters are part of a word there.
    fn word_edge(&mut self, looks: [&str; 4]) {
        self.fancy = true;
        let dialect = self.dialect;
        let class = Class::word_edge(dialect);
        self.enclosed("(?:", |writer| {
            for (at, open) in looks.into_iter().enumerate() {
                if at == 2 {
                    writer.out.push('|');
                }
                writer.enclosed(open, |writer| class.write(dialect, &mut writer.out));
            }
        });
    }

    fn capture(&mut self, group: &GroupName, node: &Node, last: bool) {
        match self.slot(group) {
            Some(_) => self.enclosed("(", |writer| writer.node(node, false)),
            None => self.enclosed("(?:", |writer| writer.node(node, last)),
        }
    }

    /// A repeated `node` that takes nothing: to repeat it more than once changes nothing, and `fancy-regex` refuses it.
    fn once(&mut self, node: &Node, min: u32, lazy: bool) {
        self.enclosed("(?:", |writer| {
            if min == 0 && lazy {
                writer.out.push('|');
            }
            writer.node(node, false);
            if min == 0 && !lazy {
                writer.out.push('|');
            }
        });
    }

    fn quantifier(&mut self, min: u32, max: Option<u32>, lazy: bool) {
        // Writing to a string cannot fail.
        let _ = match (min, max) {
            (0, None) => write!(self.out, "*"),
            (1, None) => write!(self.out, "+"),
            (0, Some(1)) => write!(self.out, "?"),
            (min, None) => write!(self.out, "{{{min},}}"),
            (min, Some(max)) => write!(self.out, "{{{min},{max}}}"),
        };
        if lazy {
            self.out.push('?');
        }
    }

    fn look(&mut self, behind: bool, negative: bool, node: &Node) {
        self.fancy = true;
        let open = match (behind, negative) {
            (false, false) => "(?=",
            (false, true) => "(?!",
            (true, false) => "(?<=",
            (true, true) => "(?<!",
        };
        // What a look-ahead sees need not be the whole rest of the string.
        let last = !behind && self.dialect == Dialect::DotNet;
        self.enclosed(open, |writer| writer.node(node, last));
    }

    /// The number of a group in what is written; `None` if nothing refers to it.
    fn slot(&self, group: &GroupName) -> Option<usize> {
        self.slots.get(&self.groups.resolve(group)?).copied()
    }

    fn reference(&mut self, group: &GroupName, ignore_case: bool) {
        self.fancy = true;
        let Some(slot) = self.slot(group) else { return };
        let option = if ignore_case { "i" } else { "" };
        let _ = write!(self.out, r"(?{option}:\{slot})");
    }

    fn if_group(&mut self, group: &GroupName, yes: &Node, no: &Node) {
        self.fancy = true;
        let Some(slot) = self.slot(group) else { return };
        let _ = write!(self.out, "(?({slot})");
        self.enclosed("(?:", |writer| writer.node(yes, false));
        self.out.push('|');
        self.enclosed("(?:", |writer| writer.node(no, false));
        self.out.push(')');
    }
}
