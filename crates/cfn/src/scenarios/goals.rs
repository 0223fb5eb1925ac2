//! Conditions of the resources and branches that the given values do not deploy.

use foldhash::{HashMap, HashSet};

use crate::evaluator::{At, Evaluator};
use crate::loops::{Loops, PREFIX};
use crate::outcomes::Outcomes;
use crate::value::{Member, Str, Value};

/// Maximum number of different goals of a template.
const MAX_GOALS: usize = 2_000;

/// Maximum number of nested branches.
const MAX_NESTED: usize = 16;

/// Maximum number of iterations of all loops of a template.
const MAX_ITERATIONS: usize = 2_000;

/// Conditions, and whether each must hold.
pub(super) type Goal = Vec<(Str, bool)>;

/// The goals of a template.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) goals: Vec<Goal>,
    /// True if there are more goals than the limits allow.
    pub(super) is_bounded: bool,
}

/// Returns the conditions under which each resource, and each branch of `Fn::If` in one, is deployed. Resources and
/// branches that the given values deploy are skipped; `given` has the results of conditions for those values.
pub(super) fn open(evaluator: &Evaluator<'_, '_>, given: &HashMap<Str, Outcomes>) -> Open {
    let mut goals = Goals {
        evaluator,
        given,
        around: Vec::new(),
        found: Vec::new(),
        seen: HashSet::default(),
        iterations: 0,
        is_bounded: false,
    };
    let resources = evaluator.stack.section("Resources");
    for entry in resources.map_or_else(Vec::new, |resources| evaluator.entries(resources, "Resources")) {
        if !entry.loops.is_empty() && !goals.allows_iteration() {
            continue;
        }
        let Some(body) = entry.value.as_object() else { continue };
        goals.around.clear();
        if let Some(condition) = body.get_exact("Condition").and_then(Value::as_shared_str) {
            goals.around.push((entry.loops.substitute(condition), true));
            goals.add();
        }
        let members = body.iter().filter(|member| *member.key != *"Condition");
        members.for_each(|member| goals.walk(&member.value, &entry.loops));
    }
    Open { goals: goals.found, is_bounded: goals.is_bounded }
}

struct Goals<'a, 's, 'v> {
    evaluator: &'a Evaluator<'s, 'v>,
    given: &'a HashMap<Str, Outcomes>,
    /// Conditions under which the current part is deployed.
    around: Goal,
    found: Vec<Goal>,
    seen: HashSet<Goal>,
    /// Number of iterations of loops that were walked.
    iterations: usize,
    is_bounded: bool,
}

impl Goals<'_, '_, '_> {
    /// Adds what must hold for the current part, unless it does.
    fn add(&mut self) {
        let holds = |(name, expected): &(Str, bool)| self.given.get(name) == Some(&Outcomes::from(*expected));
        if self.around.iter().all(holds) {
            return;
        }
        let mut goal = self.around.clone();
        goal.sort();
        goal.dedup();
        if self.seen.contains(&goal) {
            return;
        }
        if self.found.len() >= MAX_GOALS {
            self.is_bounded = true;
            return;
        }
        self.seen.insert(goal.clone());
        self.found.push(goal);
    }

    /// Counts an iteration of a loop. Returns `true` if the limit allows it.
    fn allows_iteration(&mut self) -> bool {
        self.iterations += 1;
        self.is_bounded |= self.iterations > MAX_ITERATIONS;
        self.iterations <= MAX_ITERATIONS
    }

    fn walk(&mut self, value: &Value, loops: &Loops) {
        value.as_array().into_iter().flatten().for_each(|item| self.walk(item, loops));
        for member in value.as_object().into_iter().flatten() {
            self.member(member, loops);
        }
    }

    fn member(&mut self, member: &Member, loops: &Loops) {
        if member.key.starts_with(PREFIX) {
            for iteration in self.evaluator.iterations(member, At { loops, ..At::START }) {
                if self.allows_iteration() {
                    iteration.members.iter().for_each(|member| self.member(member, &iteration.loops));
                }
            }
            return;
        }
        match (&*member.key, member.value.as_array()) {
            ("Fn::If", Some([condition, yes, no])) => {
                let Some(name) = condition.as_shared_str() else { return self.walk(&member.value, loops) };
                let name = loops.substitute(name);
                // The condition is decided around this part, so only one branch can be deployed, and nothing new decides it.
                if let Some((_, holds)) = self.around.iter().find(|(around, _)| *around == name) {
                    return self.walk(if *holds { yes } else { no }, loops);
                }
                self.is_bounded |= self.around.len() >= MAX_NESTED;
                if self.around.len() >= MAX_NESTED {
                    return;
                }
                for (branch, expected) in [(yes, true), (no, false)] {
                    self.around.push((name.clone(), expected));
                    self.add();
                    self.walk(branch, loops);
                    self.around.pop();
                }
            }
            _ => self.walk(&member.value, loops),
        }
    }
}
