//! Which exemptions exempt a resource from the definitions of an assignment.

use foldhash::HashMap;

use crate::dates::instant;
use crate::documents::Exemption;
use crate::judge::standing::Place;
use crate::judge::truth::Truth;
use crate::value::Str;

/// What exempts a resource from an assignment.
#[derive(Debug, Default)]
pub(super) struct Exemptions {
    /// From all definitions.
    from_all: Exempt,
    /// From some definitions, by the references of these in lower case.
    from_some: HashMap<String, Exempt>,
}

/// Whether a resource is exempt.
#[derive(Clone, Debug)]
pub(super) struct Exempt {
    pub(super) truth: Truth,
    /// How much the exemption that decides it says, and its index: one that holds, or else one that may hold, or else one that
    /// has expired. The first of several.
    decisive: Option<(Strength, usize)>,
}

/// How much an exemption says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Expired,
    MayHold,
    Holds,
}

impl Default for Exempt {
    /// By no exemption.
    fn default() -> Self {
        Self { truth: Truth::from(false), decisive: None }
    }
}

impl Exempt {
    /// The index of the exemption that decides it.
    pub(super) fn exemption(&self) -> Option<usize> {
        self.decisive.map(|(_, at)| at)
    }

    /// Because of these exemptions or others.
    fn or(self, other: Self) -> Self {
        let rank = |(strength, at): (Strength, usize)| (strength, std::cmp::Reverse(at));
        let decisive = self.decisive.into_iter().chain(other.decisive).max_by_key(|decisive| rank(*decisive));
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
    /// The exemptions of the resource from an assignment.
    pub(super) fn exemptions(&self, assignment: usize) -> Exemptions {
        let mut all = Exemptions::default();
        for at in self.by_assignment.exemptions(assignment, self.request) {
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
            all.add(&exemption.references, &Exempt { truth, decisive: Some((strength, at)) });
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
        below.and(self.is_selected(&exemption.resource_selectors))
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
        match (instant(expires), instant(now)) {
            (Some(expires), Some(now)) => Truth::from(now < expires),
            _ => Truth::unknown(format!("`expiresOn` of the exemption `{}` is no date", exemption.name)),
        }
    }
}
