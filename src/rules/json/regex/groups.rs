//! The groups of a pattern and their numbers.

use crate::rules::json::regex::ast::GroupName;

/// The groups that a pattern defines. Numbered ones come first, named ones take the numbers that are left.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    unnamed: u32,
    numbers: Vec<u32>,
    /// Names in the order of their first definition; with their numbers once all groups are known.
    names: Vec<(String, u32)>,
}

impl Groups {
    /// The next group without a name.
    pub(super) fn next_unnamed(&mut self) -> GroupName {
        self.unnamed += 1;
        self.numbers.push(self.unnamed);
        GroupName::Number(self.unnamed)
    }

    /// A group with a name or a number of its own.
    pub(super) fn define(&mut self, group: &GroupName) {
        match group {
            GroupName::Number(number) => self.numbers.push(*number),
            GroupName::Name(name) => {
                if self.names.iter().all(|(known, _)| known != name) {
                    self.names.push((name.clone(), 0));
                }
            }
        }
    }

    /// Gives the names their numbers.
    pub(super) fn finish(mut self) -> Self {
        let mut next = self.unnamed + 1;
        for (_, number) in &mut self.names {
            while self.numbers.contains(&next) {
                next += 1;
            }
            *number = next;
            next += 1;
        }
        self
    }

    /// The number of a group; `None` if there is no such group.
    pub(super) fn resolve(&self, group: &GroupName) -> Option<u32> {
        match group {
            GroupName::Number(number) => {
                let named = self.names.iter().any(|(_, it)| it == number);
                (named || self.numbers.contains(number)).then_some(*number)
            }
            GroupName::Name(name) => self.names.iter().find(|(known, _)| known == name).map(|(_, number)| *number),
        }
    }
}
