//! Exemptions from policies, as suppressions of the findings of what they exempt.

use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::{HashMap, HashMapExt as _};

use crate::diagnostic::{Label, RulePattern, Suppression, SuppressionKind};
use crate::engine::suppress::Exempting;
use crate::model::Resource;
use crate::policy::{self, Exemption, InForce, Outcome, Policies, Standing, Strength, Verdict};
use crate::text::Span;

/// The rules whose findings an exemption is for.
const RULES: &str = "azure-policy/*";

/// Findings of a run about its exemptions, in the order of [`Policies::exemptions`]. All threads add to it.
#[derive(Debug)]
pub(super) struct Exempt {
    found: Vec<ExemptionUse>,
}

#[derive(Debug, Default)]
struct ExemptionUse {
    /// True if the exemption is from a definition that is not evaluated.
    is_open: bool,
    /// True if the one resource that the exemption is for was evaluated, and complies.
    complies: AtomicBool,
    /// True if the exemption covers something that does not comply, or may not.
    is_needed: AtomicBool,
}

impl Exempt {
    pub(super) fn new(in_force: &InForce<'_>, exemptions: &[Exemption]) -> Self {
        let open = in_force.exemptions_from_unjudged();
        let found = |at| ExemptionUse { is_open: open.contains(&at), ..ExemptionUse::default() };
        Self { found: (0..exemptions.len()).map(found).collect() }
    }

    /// Notes what a verdict says about the exemption of its resource.
    pub(super) fn note(&self, verdict: &Verdict, resource: &Resource, exemptions: &[Exemption]) {
        let Some(policy::Exempting { exemption: at, .. }) = verdict.exemption else { return };
        let Some(found) = self.found.get(at) else { return };
        if verdict.outcome != Outcome::None {
            found.is_needed.store(true, Ordering::Relaxed);
        } else if verdict.standing == Standing::Exempt {
            // What is elsewhere in a larger scope is not known.
            let scope = exemptions.get(at).and_then(|exemption| exemption.scope.as_deref());
            if scope.is_some_and(|scope| scope.eq_ignore_ascii_case(&resource.id)) {
                found.complies.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Returns the exemptions as suppressions. Those of one text that end at the same time are one.
    pub(super) fn suppressions(&self, policies: &Policies) -> Vec<Exempting> {
        let mut all: Vec<Exempting> = Vec::new();
        let mut known: HashMap<(Span, &str, Option<&str>), usize> = HashMap::new();
        for (exemption, found) in policies.exemptions.iter().zip(&self.found) {
            let Some(place) = exemption.span else { continue };
            let may_be_needed = found.is_open || found.is_needed.load(Ordering::Relaxed);
            let is_needless = found.complies.load(Ordering::Relaxed) && !may_be_needed;
            let key = (place, &*exemption.name, exemption.expires.as_deref());
            if let Some(one) = known.get(&key).and_then(|at| all.get_mut(*at)) {
                one.is_needless &= is_needless;
                continue;
            }
            known.insert(key, all.len());
            let suppression = Suppression {
                kind: SuppressionKind::Exemption,
                rules: vec![RulePattern { text: RULES.to_owned(), span: place }],
                reason: Some(reason(exemption)),
                until: exemption.last_day(),
                place,
                is_foreign: false,
            };
            let [label, expired] = [true, false].map(|is_exempt| label(exemption, place, is_exempt));
            all.push(Exempting { suppression, label, expired, is_needless });
        }
        all
    }
}

/// Returns the label of the findings that an exemption exempts, or else of those that it exempted until it expired.
fn label(exemption: &Exemption, place: Span, is_exempt: bool) -> Label {
    let kind = if is_exempt { "exemption" } else { "expired exemption" };
    Label::new(place, format!("the {kind} `{}`{}", exemption.name, until(exemption)))
}

/// Returns the last date of an exemption, as ` until DATE`. Empty if it has no end.
fn until(Exemption { expires, .. }: &Exemption) -> String {
    expires.as_ref().map_or_else(String::new, |expires| format!(" until {expires}"))
}

/// Parts of a finding that are about the exemption of its resource.
pub(super) struct Said {
    /// Text that is inserted into the message, with the space before it.
    pub(super) aside: String,
    /// The place of the exemption. `None` if it has none.
    pub(super) label: Option<Label>,
}

/// Describes the exemption that exempts the resource of a finding, may do so, or did until it expired. `None` if there
/// is none.
pub(super) fn exempt_of(policies: &Policies, verdict: &Verdict) -> Option<Said> {
    let policy::Exempting { exemption, strength } = verdict.exemption?;
    let exemption = policies.exemptions.get(exemption)?;
    let (name, until) = (&exemption.name, until(exemption));
    let label = |is_exempt| exemption.span.map(|place| label(exemption, place, is_exempt));
    Some(match strength {
        Strength::Holds => Said { aside: format!(", which the exemption `{name}` exempts{until}"), label: label(true) },
        Strength::Expired => {
            Said { aside: format!(", which the exemption `{name}` exempted{until}"), label: label(false) }
        }
        Strength::MayHold => Said { aside: format!(", unless the exemption `{name}` exempts it{until}"), label: None },
    })
}

/// Returns the reason of a suppression that stands for an exemption: its category, name, end and description.
fn reason(exemption: &Exemption) -> String {
    let Exemption { name, category, description, .. } = exemption;
    let (category, until) = (category.as_deref().unwrap_or("exemption"), until(exemption));
    let description = description.as_ref().map_or_else(String::new, |text| format!(": {text}"));
    format!("{category} `{name}`{until}{description}")
}
