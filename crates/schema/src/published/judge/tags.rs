//! Objects whose type depends on the value of one property, the tag.

use crate::published::judge::{DeclaredMembers, Judge, absent};
use crate::published::misfit::{MisfitKind, MisfitStep};
use crate::published::pack::{Id, Node, Object, Property};
use crate::published::tolerance::{is_placeholder, is_text};
use crate::value::Value;

impl<'a> Judge<'a> {
    /// Compares an object with the type that its tag selects.
    pub(super) fn tagged(&mut self, value: &'a Value, key: &'a str, base: &'a [Property], branches: &'a [(u32, Id)]) {
        let Some(given) = self.object(value) else { return };
        if !given.is_whole && given.members.get(key).is_none() {
            return;
        }
        if let Some(object) = self.branch(key, given.members.get(key), branches) {
            let absent_tag = absent(given.members.get(key)).then_some(key);
            self.members(given, DeclaredMembers { base, absent_tag, ..DeclaredMembers::from(object) });
        }
    }

    /// Returns the branch that a tag selects. `None` if the tag is not known, or if it has no branch, which is
    /// reported.
    pub(super) fn branch(
        &mut self,
        key: &'a str,
        tag: Option<&'a Value>,
        branches: &'a [(u32, Id)],
    ) -> Option<&'a Object> {
        if branches.is_empty() {
            return None;
        }
        let Some(tag) = tag.filter(|tag| !tag.is_null()) else {
            if let Some(id) = self.branch_of("Default", branches) {
                return self.object_node(id);
            }
            self.within(MisfitStep::Member(key), |judge| judge.misfit(MisfitKind::MissingProperty));
            return None;
        };
        let Some(text) = tag.as_str().filter(|text| !text.is_empty() && !is_placeholder(text)) else {
            if !is_text(tag) {
                self.within(MisfitStep::Member(key), |judge| judge.expect(tag, false, "a string"));
            } else if self.is_literal {
                self.within(MisfitStep::Member(key), |judge| judge.unseen.push(judge.steps.clone()));
            }
            return None;
        };
        if let Some(id) = self.branch_of(text, branches) {
            return self.object_node(id);
        }
        let choices = branches.iter().map(|(value, _)| self.block.text(*value)).collect();
        self.within(MisfitStep::Member(key), |judge| judge.misfit(MisfitKind::Value { found: tag, choices }));
        None
    }

    /// Returns the branch for a tag.
    fn branch_of(&self, tag: &str, branches: &[(u32, Id)]) -> Option<Id> {
        let (_, id) = branches.iter().find(|(value, _)| self.cloud.same_choice(self.block.text(*value), tag))?;
        Some(*id)
    }

    fn object_node(&self, id: Id) -> Option<&'a Object> {
        match self.block.node(id) {
            Node::Object(object) => Some(object),
            _ => None,
        }
    }
}
