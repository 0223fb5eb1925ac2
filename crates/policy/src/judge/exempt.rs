//! Exemptions of resources from the definitions of an assignment.

use std::collections::BTreeSet;

use foldhash::{HashMap, HashSet};
use formwork_arm::eval::World;

use crate::dates::instant_or_day;
use crate::documents::{Enforcement, Exemption, Mode};
use crate::judge::bind::Bound;
use crate::judge::by_assignment::is_vague;
use crate::judge::effect::Effect;
use crate::judge::in_force::InForce;
use crate::judge::standing::Place;
use crate::judge::truth::Truth;
use crate::judge::verdict::{Exempting, Strength};
use crate::value::Str;

/// Exemptions of a resource from an assignment.
#[derive(Debug, Default)]
pub(super) struct Exemptions {
    /// Exemption from all definitions.
    from_all: Exempt,
    /// Exemptions from some definitions, by reference in lower case.
    from_some: HashMap<String, Exempt>,
}

/// Result of evaluating exemptions.
#[derive(Clone, Debug)]
pub(super) struct Exempt {
    pub(super) truth: Truth,
    /// Exemption that decides it: the first of the strongest.
    pub(super) decisive: Option<Exempting>,
}

impl Default for Exempt {
    /// Returns no exemption.
    fn default() -> Self {
        Self { truth: Truth::from(false), decisive: None }
    }
}

impl Exempt {
    /// Returns the disjunction of both.
    fn or(self, other: Self) -> Self {
        let rank = |one: &Exempting| (one.strength, std::cmp::Reverse(one.exemption));
        let decisive = self.decisive.into_iter().chain(other.decisive).max_by_key(rank);
        Self { truth: self.truth.or(other.truth), decisive }
    }
}

impl Exemptions {
    /// Returns the exemption from the definition with a reference.
    pub(super) fn exemption_from(&self, reference: &str) -> Exempt {
        match self.from_some.get(&reference.to_ascii_lowercase()) {
            Some(from_some) => self.from_all.clone().or(from_some.clone()),
            None => self.from_all.clone(),
        }
    }

    fn add(&mut self, references: &[Str], exempt: &Exempt) {
        if references.is_empty() {
            self.from_all = std::mem::take(&mut self.from_all).or(exempt.clone());
        }
        for reference in references {
            let known = self.from_some.entry(reference.to_ascii_lowercase()).or_default();
            *known = std::mem::take(known).or(exempt.clone());
        }
    }
}

impl Place<'_> {
    /// Returns the exemptions of the resource from an assignment. Each possible exemption takes a step.
    pub(super) fn exemptions(&self, assignment: usize, world: &World<'_>) -> Exemptions {
        let mut all = Exemptions::default();
        let around = self.by_assignment.exemptions(assignment, self.request);
        if world.step(around.len()).is_err() {
            return all;
        }
        for at in around {
            let Some(exemption) = self.policies.exemptions.get(at) else { continue };
            let is_meant = self.is_exemption(exemption);
            if is_meant.is_false() {
                continue;
            }
            let truth = is_meant.and(self.is_current(exemption));
            let strength = match () {
                () if truth.holds() => Strength::Holds,
                () if truth.can_hold() => Strength::MayHold,
                () => Strength::Expired,
            };
            let decisive = Some(Exempting { exemption: at, strength });
            all.add(&exemption.references, &Exempt { truth, decisive });
        }
        all
    }

    /// Evaluates whether an exemption applies to the resource, unless it has expired.
    fn is_exemption(&self, exemption: &Exemption) -> Truth {
        if !exemption.problems.is_empty() {
            return Truth::from(false);
        }
        let below = match &exemption.scope {
            Some(scope) => self.is_below(scope),
            None => Truth::unknown("the scope of an exemption is not known"),
        };
        let names_one = if is_vague(&exemption.assignment) {
            Truth::unknown("the ID of the assignment of an exemption is not known")
        } else {
            Truth::from(true)
        };
        below.and(self.is_selected(&exemption.resource_selectors)).and(names_one)
    }

    /// Evaluates whether an exemption has not expired.
    fn is_current(&self, exemption: &Exemption) -> Truth {
        let Some(expires) = &exemption.expires else { return Truth::from(true) };
        let Some(now) = self.surroundings.now.as_deref() else {
            return Truth::unknown(format!(
                "whether the exemption `{}` has expired depends on the time",
                exemption.name
            ));
        };
        match (instant_or_day(expires), instant_or_day(now)) {
            (Some(expires), Some(now)) => Truth::from(now < expires),
            _ => Truth::unknown(format!("`expiresOn` of the exemption `{}` is not a date", exemption.name)),
        }
    }
}

impl InForce<'_> {
    /// Returns the exemptions whose assignments were not found, as indexes into
    /// [`Policies::exemptions`](crate::Policies::exemptions).
    pub fn exemptions_without_assignment(&self) -> Vec<usize> {
        self.by_assignment.without_assignment(self.policies.exemptions.len())
    }

    /// Returns the exemptions whose assignments were found by name only, since the ID is incomplete, as indexes into
    /// [`Policies::exemptions`](crate::Policies::exemptions). It is not known whether they exempt anything.
    pub fn exemptions_by_name(&self) -> BTreeSet<usize> {
        let of_assignments = (0..self.policies.assignments.len()).flat_map(|at| self.by_assignment.all_exemptions(at));
        let is_by_name = |at: &usize| self.policies.exemptions.get(*at).is_some_and(|own| is_vague(&own.assignment));
        of_assignments.copied().filter(is_by_name).collect()
    }

    /// Returns the exemptions from definitions that are not evaluated, as indexes into
    /// [`Policies::exemptions`](crate::Policies::exemptions): definitions that a service evaluates or that people
    /// attest, that are not enforced, or that cannot be evaluated. They may be needed although everything that is
    /// evaluated complies.
    pub fn exemptions_from_unjudged(&self) -> BTreeSet<usize> {
        let mut unjudged: HashMap<usize, HashSet<String>> = HashMap::default();
        for bound in self.bound.iter().filter(|bound| !self.is_judged(bound)) {
            unjudged.entry(bound.assignment).or_default().insert(bound.reference.to_ascii_lowercase());
        }
        let mut all = BTreeSet::new();
        for (assignment, references) in unjudged {
            let is_from_one = |at: &&usize| {
                let exempt = self.policies.exemptions.get(**at).map_or(&[][..], |own| &own.references);
                exempt.is_empty() || exempt.iter().any(|own| references.contains(&own.to_ascii_lowercase()))
            };
            all.extend(self.by_assignment.all_exemptions(assignment).iter().filter(is_from_one));
        }
        all
    }

    /// True if a run decides all effects of a definition, or that it has none.
    fn is_judged(&self, bound: &Bound) -> bool {
        let Some(assignment) = self.policies.assignments.get(bound.assignment) else { return false };
        let mode = bound.definition.as_ref().map(|definition| &definition.mode);
        let is_of_service = matches!(mode, Some(Mode::Provider(_)));
        let effects = bound.overridden(assignment, |_| Truth::unknown(""));
        let is_beyond = |effect: &Effect| effect.is_idle() && *effect != Effect::Disabled;
        bound.trouble.is_none()
            && !is_of_service
            && assignment.enforcement != Enforcement::DoNotEnforce
            && !effects.iter().flatten().any(is_beyond)
    }
}
