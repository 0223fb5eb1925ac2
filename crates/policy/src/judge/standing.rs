//! Whether an assignment applies to a resource: scopes, exclusions, selectors, exemptions and enrollments.

use formwork_arm::is_assumed;

use crate::dates::instant;
use crate::documents::{Assignment, Enforcement, Exemption, Policies, ResourceSelector, Selector, SelectorKind};
use crate::ids::has_placeholder;
use crate::judge::bind::Bound;
use crate::judge::by_assignment::ByAssignment;
use crate::judge::conditions::normal;
use crate::judge::truth::Truth;
use crate::judge::{Request, Surroundings};
use crate::value::{Str, Value};

/// Decides what an assignment is to a resource.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) policies: &'a Policies,
    pub(super) by_assignment: &'a ByAssignment,
    pub(super) surroundings: &'a Surroundings,
    pub(super) request: &'a Request,
}

/// The start of the ID of a management group.
const MANAGEMENT: &str = "/providers/Microsoft.Management/managementGroups/";

impl Place<'_> {
    /// Whether the resource is below the scope of the assignment, and neither excluded nor left out by selectors.
    pub(super) fn is_in_scope(&self, assignment: &Assignment) -> Truth {
        let scope = match &assignment.scope {
            Some(scope) => self.is_below(scope),
            None => Truth::from(true),
        };
        let excluded =
            assignment.not_scopes.iter().map(|scope| self.is_below(scope)).fold(Truth::from(false), Truth::or);
        scope.and(excluded.not()).and(self.is_selected(&assignment.resource_selectors, ""))
    }

    /// Whether the assignment is enforced for the resource.
    pub(super) fn is_enforced(&self, at: usize, assignment: &Assignment) -> Truth {
        match assignment.enforcement {
            Enforcement::Default => Truth::from(true),
            Enforcement::DoNotEnforce => Truth::from(false),
            Enforcement::Enroll => {
                let of_this = self.by_assignment.enrollments(at).iter();
                let of_this = of_this.filter_map(|enrollment| self.policies.enrollments.get(*enrollment));
                let enrolled = of_this.map(|enrollment| {
                    let scope = enrollment.scope.as_deref();
                    let below = scope.map_or_else(
                        || Truth::unknown("the scope of an enrollment is not known"),
                        |scope| self.is_below(scope),
                    );
                    below.and(self.is_selected(&enrollment.resource_selectors, ""))
                });
                enrolled.fold(Truth::from(false), Truth::or)
            }
        }
    }

    /// Whether the resource is exempt from a definition of the assignment, and the exemption that decides it: one that holds, or
    /// else one that may hold, or else one that has expired.
    pub(super) fn is_exempt(&self, bound: &Bound) -> (Truth, Option<usize>) {
        let mut exempt = Truth::from(false);
        let mut decisive: Option<(u8, usize)> = None;
        for &at in self.by_assignment.exemptions(bound.assignment) {
            let Some(exemption) = self.policies.exemptions.get(at) else { continue };
            let is_meant = self.is_exemption_of(exemption, bound);
            if is_meant.is_false() {
                continue;
            }
            let truth = is_meant.clone().and(self.is_current(exemption));
            let strength = if truth.holds() { 2 } else { u8::from(truth.can_hold()) };
            if decisive.is_none_or(|(known, _)| known < strength) {
                decisive = Some((strength, at));
            }
            exempt = exempt.or(truth);
        }
        (exempt, decisive.map(|(_, at)| at))
    }

    /// Whether an exemption is one of the resource, as long as it has not expired.
    fn is_exemption_of(&self, exemption: &Exemption, bound: &Bound) -> Truth {
        let is_meant = exemption.references.is_empty()
            || exemption.references.iter().any(|known| known.eq_ignore_ascii_case(&bound.reference));
        if !is_meant || !exemption.problems.is_empty() {
            return Truth::from(false);
        }
        let below = match &exemption.scope {
            Some(scope) => self.is_below(scope),
            None => Truth::unknown("the scope of an exemption is not known"),
        };
        below.and(self.is_selected(&exemption.resource_selectors, &bound.reference))
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

    /// Whether the resource is at a scope or below it.
    fn is_below(&self, scope: &str) -> Truth {
        let scope = scope.trim_end_matches('/');
        if scope.is_empty() {
            return Truth::from(true);
        }
        if let Some(group) = scope
            .get(MANAGEMENT.len()..)
            .filter(|_| scope.get(..MANAGEMENT.len()).is_some_and(|start| start.eq_ignore_ascii_case(MANAGEMENT)))
        {
            return self.is_in_management_group(group);
        }
        if has_placeholder(scope) || scope.split('/').any(is_assumed) {
            return Truth::unknown(format!("the scope `{scope}` is a placeholder"));
        }
        let mut truth = Truth::from(true);
        let mut found = self.request.id.split('/');
        for (at, wanted) in scope.split('/').enumerate() {
            let Some(segment) = found.next() else { return Truth::from(false) };
            let is_same = segment.eq_ignore_ascii_case(wanted);
            let is_open = if is_same { self.request.is_approximate(segment) } else { self.request.is_open(segment) };
            if at > 0 && is_open {
                truth = Truth::unknown("nothing says where the resource is deployed to");
            } else if !is_same {
                return Truth::from(false);
            }
        }
        truth
    }

    fn is_in_management_group(&self, group: &str) -> Truth {
        let own = self.request.id.get(MANAGEMENT.len()..).and_then(|rest| rest.split('/').next());
        if let Some(own) = own.filter(|_| self.request.subscription().is_none()) {
            if self.request.is_approximate(own) {
                return Truth::unknown("nothing says where the resource is deployed to");
            }
            if own.eq_ignore_ascii_case(group) {
                return Truth::from(true);
            }
        }
        match &self.surroundings.management_groups {
            Some(groups) => Truth::from(groups.iter().any(|known| known.eq_ignore_ascii_case(group))),
            None => {
                Truth::unknown(format!("whether the subscription is in the management group `{group}` is not known"))
            }
        }
    }

    /// Whether all selectors of one entry hold; true without entries.
    fn is_selected(&self, entries: &[ResourceSelector], reference: &str) -> Truth {
        if entries.is_empty() {
            return Truth::from(true);
        }
        entries.iter().map(|entry| self.all_hold(&entry.selectors, reference)).fold(Truth::from(false), Truth::or)
    }

    /// Whether all of these selectors hold.
    pub(super) fn all_hold(&self, selectors: &[Selector], reference: &str) -> Truth {
        selectors.iter().map(|selector| self.holds(selector, reference)).fold(Truth::from(true), Truth::and)
    }

    fn holds(&self, selector: &Selector, reference: &str) -> Truth {
        let value = match &selector.kind {
            SelectorKind::ResourceType => Value::from(self.request.judged_type()),
            SelectorKind::PolicyDefinitionReferenceId => Value::from(reference),
            SelectorKind::ResourceLocation => self.request.body.get("location").map_or(Value::NULL, normal),
            SelectorKind::ResourceWithoutLocation => {
                let has_location = self.request.body.get("location").is_some_and(|location| !location.is_null());
                return Truth::from(!has_location);
            }
            SelectorKind::Other(kind) => return Truth::unknown(format!("a selector depends on `{kind}`")),
        };
        if let Some(unknown) = value.as_unknown() {
            return Truth::unknown(unknown.why.clone());
        }
        let is_location = selector.kind == SelectorKind::ResourceLocation;
        let is_one = |all: &[Str]| {
            all.iter().any(|text| {
                let wanted = if is_location { normal(&Value::from(text.clone())) } else { Value::from(text.clone()) };
                matches!((wanted.as_str(), value.as_str()), (Some(a), Some(b)) if a.eq_ignore_ascii_case(b))
            })
        };
        let is_in = selector.is_in.as_deref().is_none_or(is_one);
        let is_out = selector.not_in.as_deref().is_some_and(is_one);
        Truth::from(is_in && !is_out)
    }
}
