//! What the resources and branches require that the given values do not deploy.

use foldhash::{HashMap, HashSet};

use crate::loops::PREFIX;
use crate::stack::Stack;
use crate::value::{Str, Value};

/// How many different goals of a template are pursued.
const MAX_GOALS: usize = 2_000;

/// How many branches around each other are told apart.
const MAX_NESTED: usize = 16;

/// Conditions, and whether each must hold.
pub(super) type Goal = Vec<(Str, bool)>;

/// What must hold for each resource, and each branch of `Fn::If` in one, so that it is deployed. Those that are deployed with
/// the given values, in which conditions hold as `given` says, are not among them.
pub(super) fn open(stack: &Stack<'_>, given: &HashMap<Str, Option<bool>>) -> Vec<Goal> {
    let mut goals = Goals { given, around: Vec::new(), found: Vec::new(), seen: HashSet::default() };
    let resources = stack.section("Resources").into_iter().flatten();
    for resource in resources.filter(|resource| !resource.key.starts_with(PREFIX)) {
        let Some(body) = resource.value.as_object() else { continue };
        goals.around.clear();
        if let Some(condition) = body.get_exact("Condition").and_then(Value::as_shared_str) {
            // A resource whose condition is not known is checked as it is.
            let is_known = given.get(condition).is_some_and(Option::is_some);
            goals.around.push((condition.clone(), true));
            if is_known {
                goals.add();
            }
        }
        for member in body.iter().filter(|member| *member.key != *"Condition") {
            goals.walk(&member.value);
        }
    }
    goals.found
}

struct Goals<'a> {
    given: &'a HashMap<Str, Option<bool>>,
    /// What must hold for the part that is being walked.
    around: Goal,
    found: Vec<Goal>,
    seen: HashSet<Goal>,
}

impl Goals<'_> {
    /// Adds what must hold for the current part, unless it does.
    fn add(&mut self) {
        let holds = |(name, expected): &(Str, bool)| self.given.get(name) == Some(&Some(*expected));
        if self.around.iter().all(holds) || self.found.len() >= MAX_GOALS {
            return;
        }
        let mut goal = self.around.clone();
        goal.sort();
        goal.dedup();
        if self.seen.insert(goal.clone()) {
            self.found.push(goal);
        }
    }

    fn walk(&mut self, value: &Value) {
        value.as_array().into_iter().flatten().for_each(|item| self.walk(item));
        for member in value.as_object().into_iter().flatten() {
            match (&*member.key, member.value.as_array()) {
                ("Fn::If", Some([condition, yes, no])) if self.around.len() < MAX_NESTED => {
                    let Some(name) = condition.as_shared_str() else { continue };
                    for (branch, expected) in [(yes, true), (no, false)] {
                        self.around.push((name.clone(), expected));
                        self.add();
                        self.walk(branch);
                        self.around.pop();
                    }
                }
                _ => self.walk(&member.value),
            }
        }
    }
}
