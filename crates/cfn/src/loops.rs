//! Unrolls loops: `Fn::ForEach`, one declaration for several values.
//!
//! Reference:
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-foreach.html>.

use std::rc::Rc;
use std::sync::Arc;

use foldhash::HashSet;

use crate::evaluator::{At, Evaluator};
use crate::functions::text_of;
use crate::model::{join_index, join_key};
use crate::stack::{LANGUAGE_EXTENSIONS, MACRO, Stack};
use crate::text::Span;
use crate::value::{Data, Kind, Member, Object, SECRET, Str, Traits, Unknown, Value};

/// The prefix of the keys of loops.
pub(super) const PREFIX: &str = "Fn::ForEach::";

/// Length of a string, in bytes, after which nothing more is substituted. The limit of steps ends the expansion soon
/// after.
const MAX_SUBSTITUTED: usize = 4 << 20;

/// The bytes that an entry takes at least when it is written: `A: {Type: B}`.
const MIN_ENTRY: usize = 12;

/// The variables of the loops around a value.
#[derive(Clone, Debug, Default)]
pub(super) struct Loops(Option<Rc<LoopVariable>>);

#[derive(Debug)]
struct LoopVariable {
    name: Str,
    value: Value,
    outer: Loops,
}

impl Loops {
    /// Outside of all loops.
    pub(super) const NONE: Self = Self(None);

    fn with_variable(&self, name: &Str, value: Value) -> Self {
        Self(Some(Rc::new(LoopVariable { name: name.clone(), value, outer: self.clone() })))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the value of a loop variable; `None` for any other name.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let mut frame = self.0.as_deref();
        while let Some(LoopVariable { name: known, value, outer }) = frame {
            if **known == *name {
                return Some(value);
            }
            frame = outer.0.as_deref();
        }
        None
    }

    /// Returns `text` with each `${Variable}` and `&{Variable}` in it replaced; the second form drops what is neither a
    /// letter nor a digit, so that the result can be part of a logical ID.
    pub(super) fn substitute(&self, text: &Str) -> Str {
        if self.is_empty() || !(text.contains("${") || text.contains("&{")) {
            return text.clone();
        }
        let mut result = String::with_capacity(text.len());
        let mut rest: &str = text;
        while let Some(at) = memchr::memchr2(b'$', b'&', rest.as_bytes()).filter(|_| result.len() < MAX_SUBSTITUTED) {
            let Some((before, found)) = rest.split_at_checked(at) else { break };
            result.push_str(before);
            let Some((sign, after)) = found.split_at_checked(1) else { break };
            rest = after;
            let value = variable(after).and_then(|(name, after)| Some((self.get(name)?, after)));
            let value = value.and_then(|(value, after)| Some((shown(value)?, after)));
            let Some((value, after)) = value else {
                result.push_str(sign);
                continue;
            };
            rest = after;
            match sign {
                "&" => result.extend(value.chars().filter(|c| c.is_alphanumeric())),
                _ => result.push_str(&value),
            }
        }
        result.push_str(rest);
        Str::from(result)
    }
}

/// Returns the text of a loop variable. It becomes a part of names, which are shown, so that of a secret is masked.
fn shown(value: &Value) -> Option<String> {
    if value.traits.has(Traits::SECRET) {
        return Some(SECRET.to_owned());
    }
    Some(text_of(&value.approximate())?.into_owned())
}

/// Returns the name in `{Name}` at the start of a string, and the rest of the string.
fn variable(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('{')?;
    let (name, after) = inner.split_at_checked(inner.find(|c: char| !c.is_alphanumeric())?)?;
    Some((name, after.strip_prefix('}')?))
}

/// A member of a section. A member of a loop is there once for each iteration.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) name: Str,
    pub(super) key_span: Option<Span>,
    pub(super) value: &'a Value,
    /// Path in the template. Iterations share it.
    pub(super) path: String,
    pub(super) loops: Loops,
    /// Reason for which the existence of the iteration is unknown.
    pub(super) doubt: Option<Arc<Unknown>>,
}

impl<'a> Entry<'a> {
    /// Returns the members of a section as written, without the loops.
    pub(super) fn all_written(section: &'a Object, path: &str) -> Vec<Self> {
        let members = section.iter().filter(|member| !member.key.starts_with(PREFIX));
        members.map(|member| Self::written(member, path)).collect()
    }

    /// Returns a member outside of all loops.
    pub(super) fn written(member: &'a Member, path: &str) -> Self {
        Self {
            name: member.key.clone(),
            key_span: member.key_span,
            value: &member.value,
            path: join_key(path, &member.key),
            loops: Loops::NONE,
            doubt: None,
        }
    }
}

/// A declaration of a section as it is written, outside of loops or in one.
#[derive(Debug)]
pub(super) struct Declaration<'a> {
    pub(super) member: &'a Member,
    /// Path in the template.
    pub(super) path: String,
    /// The names of the variables of the loops around it, which are computed.
    pub(super) variables: Rc<[&'a str]>,
}

impl<'a> Stack<'a> {
    /// Returns the declarations of a section, each once, however often a loop repeats it. Macros are not among them.
    pub(super) fn declarations(&self, section: &str) -> Vec<Declaration<'a>> {
        let mut found = Vec::new();
        if let Some(members) = self.section(section) {
            self.collect_declarations(members, section, &Rc::default(), &mut found);
        }
        found
    }

    /// Adds the declarations of an object, which is not deeper than the limit on nesting.
    fn collect_declarations(
        &self,
        members: &'a Object,
        path: &str,
        variables: &Rc<[&'a str]>,
        found: &mut Vec<Declaration<'a>>,
    ) {
        for member in members.iter().filter(|member| *member.key != *MACRO) {
            let path = join_key(path, &member.key);
            if !member.key.starts_with(PREFIX) {
                found.push(Declaration { member, path, variables: Rc::clone(variables) });
            } else if let Some((name, body)) = written_loop(member).filter(|_| self.has_extensions) {
                let variables = variables.iter().copied().chain([name]).collect();
                self.collect_declarations(body, &join_index(&path, 2), &variables, found);
            }
        }
    }
}

/// Returns the variable and the members of a loop; `None` if it is not one.
pub(super) fn written_loop(member: &Member) -> Option<(&str, &Object)> {
    match member.value.as_array() {
        Some([name, _, body]) => Some((name.as_str()?, body.as_object()?)),
        _ => None,
    }
}

/// True if a loop computes a name, or a part of it.
pub(super) fn is_computed(name: &str) -> bool {
    name.contains("${") || name.contains("&{")
}

impl Evaluator<'_, '_> {
    /// Returns the members of a section with its loops unrolled.
    pub(super) fn entries<'v>(&self, section: &'v Object, path: &str) -> Vec<Entry<'v>> {
        let mut entries = Vec::new();
        let outer = Entry {
            name: Str::from(""),
            key_span: None,
            value: &Value::NULL,
            path: path.to_owned(),
            loops: Loops::NONE,
            doubt: None,
        };
        self.unroll(section, &outer, At::START, &mut entries);
        self.check_names(&entries);
        entries
    }

    /// Reports a name that a loop declares although another member of the section has it.
    fn check_names(&self, entries: &[Entry<'_>]) {
        let mut seen: HashSet<&str> = HashSet::default();
        // Loops that were ended have names that nobody wrote.
        for entry in entries.iter().filter(|_| !self.stack.world.is_exhausted()) {
            let is_known = entry.doubt.is_none() && !is_computed(&entry.name);
            if is_known && !seen.insert(&entry.name) && !entry.loops.is_empty() {
                let message =
                    format!("the loop declares `{}` again; each iteration needs a name of its own", entry.name);
                self.stack.report_shape(entry.key_span, message);
            }
        }
    }

    fn unroll<'v>(&self, members: &'v Object, outer: &Entry<'_>, at: At<'_>, entries: &mut Vec<Entry<'v>>) {
        for member in members {
            let is_exhausted = self.stack.world.is_exhausted() || !self.stack.world.spend(0, member.key_span);
            // What the author wrote is there beyond a limit, too.
            if is_exhausted && (!outer.loops.is_empty() || member.key.starts_with(PREFIX)) {
                continue;
            }
            let path = join_key(&outer.path, &member.key);
            if member.key.starts_with(PREFIX) {
                self.unroll_loop(member, &Entry { path, ..outer.clone() }, at, entries);
            } else {
                let name = outer.loops.substitute(&member.key);
                let Entry { loops, doubt, .. } = outer.clone();
                entries.push(Entry { name, key_span: member.key_span, value: &member.value, path, loops, doubt });
                self.check_repetition(member, entries.len());
            }
        }
    }

    /// Ends the expansion if there are more entries than are written and loops may add.
    fn check_repetition(&self, member: &Member, entries: usize) {
        let world = self.stack.world;
        let most = world.limits.resources.saturating_add(world.budget.written() / MIN_ENTRY);
        if entries > most {
            world.exhaust(member.key_span, format!("loops declare more than {most} resources or outputs"));
        }
    }

    fn unroll_loop<'v>(&self, member: &'v Member, outer: &Entry<'_>, at: At<'_>, entries: &mut Vec<Entry<'v>>) {
        let at = At { loops: &outer.loops, depth: at.depth + 1 };
        if !self.may_go_deeper(at, member.key_span) {
            return;
        }
        let path = join_index(&outer.path, 2);
        for Iteration { members, loops, doubt } in self.iterations(member, at) {
            let doubt = doubt.or_else(|| outer.doubt.clone());
            let inner = Entry { path: path.clone(), loops, doubt, ..outer.clone() };
            self.unroll(members, &inner, at, entries);
        }
    }

    /// Returns the iterations of a loop: what to declare, and with which variables. A loop over something unknown
    /// counts as one iteration that may not exist.
    pub(super) fn iterations<'v>(&self, member: &'v Member, at: At<'_>) -> Vec<Iteration<'v>> {
        if !self.stack.has_extensions {
            return self.leave_loop(member);
        }
        let parts = member.value.as_array().unwrap_or_default();
        let [name, collection, body] = parts else {
            return self.reject_loop(member);
        };
        let (Some(name), Some(members)) = (name.as_shared_str(), body.as_object()) else {
            return self.reject_loop(member);
        };
        let Some(collection) = self.value(collection, at) else { return Vec::new() };
        match &collection.data {
            Data::Array(items) => {
                let iteration = |item: &Value| Iteration {
                    members,
                    loops: at.loops.with_variable(name, item.clone()),
                    doubt: None,
                };
                items.iter().map(iteration).collect()
            }
            Data::Unknown(unknown) => {
                let likely = Value::from(format!("${{{name}}}"));
                let value = Unknown::like(Kind::String, unknown.why.clone(), likely);
                let loops = at.loops.with_variable(name, Value::unknown(value));
                vec![Iteration { members, loops, doubt: Some(Arc::clone(unknown)) }]
            }
            _ => self.reject_loop(member),
        }
    }

    /// Reports a loop in a template without the transform that unrolls loops, unless a macro may replace the loop.
    fn leave_loop<'v>(&self, member: &Member) -> Vec<Iteration<'v>> {
        let message = format!("a loop needs the transform `{LANGUAGE_EXTENSIONS}`");
        self.stack.report_shape(member.span(), message);
        Vec::new()
    }

    fn reject_loop<'v>(&self, member: &Member) -> Vec<Iteration<'v>> {
        let message = "a loop is a list of a name, a list of values and an object";
        self.stack.report_shape(member.span(), message.to_owned());
        Vec::new()
    }
}

/// An iteration of a loop.
#[derive(Debug)]
pub(super) struct Iteration<'v> {
    /// The members that it declares.
    pub(super) members: &'v Object,
    pub(super) loops: Loops,
    /// Reason for which the existence of the iteration is unknown.
    pub(super) doubt: Option<Arc<Unknown>>,
}
