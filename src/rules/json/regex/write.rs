//! Writing a pattern in the syntax of the Rust engines.

use rustc_hash::FxHashMap;

use crate::rules::json::regex::ast::{Anchor, GroupName, Node};
use crate::rules::json::regex::class::Class;
use crate::rules::json::regex::groups::Groups;

/// A pattern for `regex`, or for `fancy-regex` where it needs to look around or to backtrack.
pub(super) struct Written {
    pub(super) pattern: String,
    pub(super) fancy: bool,
}

/// Writes a pattern; the error is a part that cannot be expressed.
pub(super) fn write(node: &Node, groups: &Groups) -> Result<Written, String> {
    let mut definitions = FxHashMap::default();
    let mut referred = FxHashMap::default();
    collect(node, groups, &mut definitions, &mut referred);
    let ambiguous = referred.keys().find(|group| definitions.get(*group).is_some_and(|&count: &u32| count > 1));
    if let Some(group) = ambiguous {
        return Err(format!("group {group} is referred to and has several definitions, which is not supported"));
    }
    let mut writer = Writer { groups, referred, captures: 0, out: String::new(), fancy: false };
    writer.node(node, true);
    Ok(Written { pattern: writer.out, fancy: writer.fancy })
}

/// Counts the definitions of each group, and notes which are referred to.
fn collect(node: &Node, groups: &Groups, definitions: &mut FxHashMap<u32, u32>, referred: &mut FxHashMap<u32, u32>) {
    let mut within = |node: &Node| collect(node, groups, definitions, referred);
    match node {
        Node::Empty | Node::One(_) | Node::Anchor(_) => {}
        Node::Concat(nodes) | Node::Either(nodes) => nodes.iter().for_each(within),
        Node::Repeat { node, .. } | Node::Look { node, .. } | Node::Atomic(node) => within(node),
        Node::Capture(group, node) => {
            within(node);
            if let Some(number) = groups.resolve(group) {
                *definitions.entry(number).or_default() += 1;
            }
        }
        Node::Reference { group, .. } => {
            referred.extend(groups.resolve(group).map(|number| (number, 0)));
        }
        Node::IfGroup { group, yes, no } => {
            within(yes);
            within(no);
            referred.extend(groups.resolve(group).map(|number| (number, 0)));
        }
        Node::IfMatch { condition, yes, no } => {
            within(condition);
            within(yes);
            within(no);
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
    groups: &'a Groups,
    /// The groups that something refers to, by their numbers in .NET, with the numbers that they have here. Others
    /// need not capture.
    referred: FxHashMap<u32, u32>,
    captures: u32,
    out: String,
    fancy: bool,
}

impl Writer<'_> {
    /// Writes `node`. `last` says that nothing follows it: then `$` may take the final line feed, as only whether there is
    /// a match counts, not its end.
    fn node(&mut self, node: &Node, last: bool) {
        match node {
            Node::Empty => {}
            Node::One(class) => class.write(&mut self.out),
            Node::Anchor(anchor) => self.anchor(*anchor, last),
            Node::Capture(group, node) => self.capture(group, node, last),
            Node::Concat(nodes) => {
                for (at, node) in nodes.iter().enumerate() {
                    self.node(node, last && at + 1 == nodes.len());
                }
            }
            Node::Either(nodes) => self.enclosed("(?:", |it| {
                for (at, node) in nodes.iter().enumerate() {
                    if at > 0 {
                        it.out.push('|');
                    }
                    it.node(node, last);
                }
            }),
            Node::Repeat { node, min, lazy, .. } if takes_nothing(node) => self.once(node, *min, *lazy),
            Node::Repeat { node, min, max, lazy } => {
                self.enclosed("(?:", |it| it.node(node, last && *max == Some(1)));
                self.quantifier(*min, *max, *lazy);
            }
            Node::Look { behind, negative, node } => self.look(*behind, *negative, node),
            Node::Atomic(node) => {
                self.fancy = true;
                self.enclosed("(?>", |it| it.node(node, last));
            }
            Node::Reference { group, ignore_case } => self.reference(group, *ignore_case),
            Node::IfGroup { group, yes, no } => self.if_group(group, yes, no),
            Node::IfMatch { condition, yes, no } => self.enclosed("(?:", |it| {
                it.look(false, false, condition);
                it.node(yes, last);
                it.out.push('|');
                it.look(false, true, condition);
                it.node(no, last);
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
            Anchor::End if last => self.out.push_str(r"\n?\z"),
            Anchor::End => {
                self.fancy = true;
                self.out.push_str(r"(?=\n?\z)");
            }
            Anchor::WordEdge => self.word_edge(["(?<=", "(?!", "(?<!", "(?="]),
            Anchor::NoWordEdge => self.word_edge(["(?<=", "(?=", "(?<!", "(?!"]),
        }
    }

    /// The engines have `\b` too, but other characters are part of a word there.
    fn word_edge(&mut self, looks: [&str; 4]) {
        self.fancy = true;
        let class = Class::word_edge();
        self.enclosed("(?:", |it| {
            for (at, open) in looks.into_iter().enumerate() {
                if at == 2 {
                    it.out.push('|');
                }
                it.enclosed(open, |it| class.write(&mut it.out));
            }
        });
    }

    fn capture(&mut self, group: &GroupName, node: &Node, last: bool) {
        let slot = self.groups.resolve(group).and_then(|number| self.referred.get_mut(&number));
        let Some(slot) = slot else {
            return self.enclosed("(?:", |it| it.node(node, last));
        };
        self.captures += 1;
        *slot = self.captures;
        self.enclosed("(", |it| it.node(node, false));
    }

    /// A repeated `node` that takes nothing: to repeat it more than once changes nothing, and `fancy-regex` refuses it.
    fn once(&mut self, node: &Node, min: u32, lazy: bool) {
        self.enclosed("(?:", |it| {
            if min == 0 && lazy {
                it.out.push('|');
            }
            it.node(node, false);
            if min == 0 && !lazy {
                it.out.push('|');
            }
        });
    }

    fn quantifier(&mut self, min: u32, max: Option<u32>, lazy: bool) {
        match (min, max) {
            (0, None) => self.out.push('*'),
            (1, None) => self.out.push('+'),
            (0, Some(1)) => self.out.push('?'),
            (min, None) => self.out.push_str(&format!("{{{min},}}")),
            (min, Some(max)) => self.out.push_str(&format!("{{{min},{max}}}")),
        }
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
        self.enclosed(open, |it| it.node(node, !behind));
    }

    /// The number that a group has here; 0 while it has not been written, as in a reference ahead of its group.
    fn slot(&self, group: &GroupName) -> u32 {
        let number = self.groups.resolve(group);
        number.and_then(|number| self.referred.get(&number)).copied().unwrap_or(0)
    }

    fn reference(&mut self, group: &GroupName, ignore_case: bool) {
        self.fancy = true;
        match self.slot(group) {
            // A group that has not matched has nothing to refer to.
            0 => self.out.push_str("(?!)"),
            slot if ignore_case => self.out.push_str(&format!(r"(?i:\{slot})")),
            slot => self.out.push_str(&format!(r"(?:\{slot})")),
        }
    }

    fn if_group(&mut self, group: &GroupName, yes: &Node, no: &Node) {
        self.fancy = true;
        match self.slot(group) {
            0 => self.enclosed("(?:", |it| it.node(no, false)),
            slot => {
                let open = format!("(?({slot})");
                self.enclosed(&open, |it| {
                    it.enclosed("(?:", |it| it.node(yes, false));
                    it.out.push('|');
                    it.enclosed("(?:", |it| it.node(no, false));
                });
            }
        }
    }
}
