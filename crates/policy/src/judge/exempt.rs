//! Which exemptions exempt a resource from the definitions of an assignment.

use std::collections::BTreeSet;

use foldhash::{HashMap, HashSet};
use formwork_arm::eval::World;

use crate::dates::instant_or_day;
use crate::documents::{Enforcement, Exemption, Mode};
use crate::judge::bind::Bound;
use crate::judge::by_assignment::is_vague;
use crate::judge::standing::Place;
use crate::judge::truth::Truth;
use crate::judge::verdict::{Exempting, Strength};
use crate::judge::{Effect, InForce};
use crate::value::Str;

/// What exempts a resource from an assignment.
#[derive(Debug, Default)]
pub(super) struct Exemptions {
    /// What exempts it from all definitions.
    from_all: Exempt,
    /// What exempts it from some definitions, by the references of these in lower case.
    from_some: HashMap<String, Exempt>,
}

/// Whether a resource is exempt.
#[derive(Clone, Debug)]
pub(super) struct Exempt {
    pub(super) truth: Truth,
    /// The exemption that decides it: the first of the strongest.
    pub(super) decisive: Option<Exempting>,
}

impl Default for Exempt {
    /// No exemption is one of the resource.
    fn default() -> Self {
        Self { truth: Truth::from(false), decisive: None }
    }
}

impl Exempt {
    /// Because of these exemptions or others.
    fn or(self, other: Self) -> Self {
        let rank = |one: &Exempting| (one.strength, std::cmp::Reverse(one.exemption));
        let decisive = self.decisive.into_iter().chain(other.decisive).max_by_key(rank);
        Self { truth: self.truth.or(other.truth), decisive }
    }
}

impl Exemptions {
    /// Whether the resource is exempt from the definition with a reference.
    pub(super) fn of(&self, reference: &str) -> Exempt {
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
    /// The exemptions of the resource from an assignment. Each that may be one takes a step.
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

    /// Whether an exemption is one of the resource, as long as it has not expired.
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

    /// Whether an exemption has not expired.
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
    /// The exemptions from assignments that are not there, as indexes into [`Policies::exemptions`](crate::Policies::exemptions).
    pub fn exemptions_without_assignment(&self) -> Vec<usize> {
        self.by_assignment.without_assignment(self.policies.exemptions.len())
    }

    /// The exemptions from assignments that are there by their name only, since the ID is incomplete, as indexes into
    /// [`Policies::exemptions`](crate::Policies::exemptions). Whether they exempt anything is not known.
    pub fn exemptions_by_name(&self) -> BTreeSet<usize> {
        let of_assignments = (0..self.policies.assignments.len()).flat_map(|at| self.by_assignment.all_exemptions(at));
        let is_by_name = |at: &usize| self.policies.exemptions.get(*at).is_some_and(|own| is_vague(&own.assignment));
        of_assignments.copied().filter(is_by_name).collect()
    }

    /// The exemptions from definitions that are not judged, as indexes into [`Policies::exemptions`](crate::Policies::exemptions):
    /// what a service judges or people attest, what is not enforced, and what cannot be evaluated. They may be needed although
    /// everything that is judged complies.
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

    /// Whether a run decides all that a definition would do, or that it does nothing.
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
