//! Standing of an assignment to a resource: scopes, exclusions, selectors and enrollments.

use formwork_arm::eval::World;

use crate::documents::{Assignment, Enforcement, Policies, ResourceSelector, Selector, SelectorKind};
use crate::judge::by_assignment::ByAssignment;
use crate::judge::conditions::normal;
use crate::judge::exempt::Exemptions;
use crate::judge::request::Request;
use crate::judge::scopes::{Scope, is_segment, management_group};
use crate::judge::surroundings::Surroundings;
use crate::judge::truth::Truth;
use crate::value::{Str, Value};

/// Decides about the standing of assignments to a resource.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) policies: &'a Policies,
    pub(super) by_assignment: &'a ByAssignment,
    pub(super) surroundings: &'a Surroundings,
    pub(super) request: &'a Request,
}

/// Standing of an assignment to a resource, for all of its definitions.
#[derive(Debug)]
pub(super) struct Standings {
    /// Index of the assignment.
    pub(super) assignment: usize,
    /// True if the resource is in its scope.
    pub(super) in_scope: Truth,
    /// True if it is enforced.
    pub(super) enforced: Truth,
    /// Exemptions of the resource from it.
    pub(super) exemptions: Exemptions,
}

impl Place<'_> {
    /// Returns the standing of an assignment, which is also given by its index. Beyond the limit on steps, nothing is
    /// decided, so exemptions do not matter.
    pub(super) fn standings(&self, at: usize, assignment: &Assignment, world: &World<'_>) -> Standings {
        let in_scope = self.is_in_scope(assignment);
        let applies = !in_scope.is_false();
        Standings {
            assignment: at,
            enforced: if applies { self.is_enforced(at, assignment, world) } else { Truth::from(false) },
            exemptions: if applies { self.exemptions(at, world) } else { Exemptions::default() },
            in_scope,
        }
    }

    /// Evaluates whether the resource is below the scope of the assignment, and neither excluded nor removed by
    /// selectors.
    pub(super) fn is_in_scope(&self, assignment: &Assignment) -> Truth {
        let scope = match &assignment.scope {
            Some(scope) => self.is_below(scope),
            None => Truth::from(true),
        };
        let excluded =
            assignment.not_scopes.iter().map(|scope| self.is_below(scope)).fold(Truth::from(false), Truth::or);
        let certain = assignment.doubt.as_ref().map_or_else(|| Truth::from(true), |why| Truth::unknown(why.clone()));
        scope.and(excluded.not()).and(self.is_selected(&assignment.resource_selectors)).and(certain)
    }

    /// Evaluates whether the assignment is enforced for the resource.
    fn is_enforced(&self, at: usize, assignment: &Assignment, world: &World<'_>) -> Truth {
        match assignment.enforcement {
            Enforcement::Default => Truth::from(true),
            Enforcement::DoNotEnforce => Truth::from(false),
            Enforcement::Enroll => {
                let of_this = self.by_assignment.enrollments(at);
                if let Err(fault) = world.step(of_this.len()) {
                    return Truth::unknown(fault.message());
                }
                let of_this = of_this.iter().filter_map(|enrollment| self.policies.enrollments.get(*enrollment));
                let enrolled = of_this.map(|enrollment| {
                    let scope = enrollment.scope.as_deref();
                    let below = scope.map_or_else(
                        || Truth::unknown("the scope of an enrollment is not known"),
                        |scope| self.is_below(scope),
                    );
                    below.and(self.is_selected(&enrollment.resource_selectors))
                });
                enrolled.fold(Truth::from(false), Truth::or)
            }
        }
    }

    /// Evaluates whether the resource is at a scope or below it.
    pub(super) fn is_below(&self, scope: &str) -> Truth {
        let segments = match Scope::of_id(scope) {
            Scope::Everything => return Truth::from(true),
            Scope::ManagementGroup(group) => return self.is_in_management_group(group),
            Scope::Placeholder => return Truth::unknown(format!("the scope `{scope}` is a placeholder")),
            Scope::Segments(segments) => segments,
        };
        let mut truth = Truth::from(true);
        let mut found = self.request.id.split('/');
        for (at, wanted) in segments.enumerate() {
            let Some(segment) = found.next() else { return Truth::from(false) };
            let is_same = is_segment(wanted, segment);
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
        let own = management_group(&self.request.id).and_then(|rest| rest.split('/').next());
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

    /// Evaluates whether all selectors of one entry match; true without entries.
    pub(super) fn is_selected(&self, entries: &[ResourceSelector]) -> Truth {
        if entries.is_empty() {
            return Truth::from(true);
        }
        entries.iter().map(|entry| self.all_hold(&entry.selectors, None)).fold(Truth::from(false), Truth::or)
    }

    /// Evaluates whether all of these selectors match, for the definition with this reference if they concern
    /// definitions.
    pub(super) fn all_hold(&self, selectors: &[Selector], reference: Option<&str>) -> Truth {
        selectors.iter().map(|selector| self.holds(selector, reference)).fold(Truth::from(true), Truth::and)
    }

    fn holds(&self, selector: &Selector, reference: Option<&str>) -> Truth {
        let value = match &selector.kind {
            SelectorKind::ResourceType => Value::from(self.request.judged_type()),
            SelectorKind::PolicyDefinitionReferenceId => match reference {
                Some(reference) => Value::from(reference),
                None => return Truth::unknown("only a selector of an override can depend on a reference"),
            },
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
