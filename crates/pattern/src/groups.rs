//! The groups of a pattern and their numbers.

use crate::ast::GroupName;

/// The groups that a pattern defines.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// How many groups have taken a number because of their position.
    counted: u32,
    numbers: Vec<u32>,
    /// Names in the order of their first definition, with their numbers. .NET gives the numbers once all groups are
    /// known; until then they are 0.
    names: Vec<(String, u32)>,
}

impl Groups {
    /// Defines the next group without a name.
    pub(super) fn next_unnamed(&mut self) -> GroupName {
        self.counted += 1;
        self.numbers.push(self.counted);
        GroupName::Number(self.counted)
    }

    /// Defines a group with a name or a number of its own, as .NET does: names take the numbers that are left.
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

    /// Defines a group with a name, as Java does: it is counted like one without. `None` if the name is taken.
    pub(super) fn define_in_order(&mut self, name: &str) -> Option<()> {
        if self.names.iter().any(|(known, _)| known == name) {
            return None;
        }
        self.counted += 1;
        self.names.push((name.to_owned(), self.counted));
        Some(())
    }

    /// Gives numbers to the names that have none.
    pub(super) fn finish(mut self) -> Self {
        let mut next = self.counted + 1;
        for (_, number) in self.names.iter_mut().filter(|(_, number)| *number == 0) {
            while self.numbers.contains(&next) {
                next += 1;
            }
            *number = next;
            next += 1;
        }
        self
    }

    /// The number of a group; `None` if the pattern does not define it.
    pub(super) fn resolve(&self, group: &GroupName) -> Option<u32> {
        match group {
            GroupName::Number(number) => {
                let named = self.names.iter().any(|(_, taken)| taken == number);
                (named || self.numbers.contains(number)).then_some(*number)
            }
            GroupName::Name(name) => self.names.iter().find(|(known, _)| known == name).map(|(_, number)| *number),
        }
    }
}
