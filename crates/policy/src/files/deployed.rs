//! Policy documents that templates deploy.

use crate::documents::{Definition, Initiative, Problem};
use crate::files::shape::Shape;
use crate::files::{Gathering, escapes};
use crate::language::Operator;
use crate::problem::Consequence;
use crate::text::{Span, digest};
use crate::value::{Data, Member, Str, Traits, Value};

/// A resource that a deployment would create, and that may be a policy document.
#[derive(Clone, Debug)]
pub struct Deployed {
    /// Fully qualified type.
    pub type_name: Str,
    /// Resource ID; empty if a part of it is not known.
    pub id: Str,
    /// Name; an unknown value if it is not known.
    pub name: Value,
    /// `properties`, with all expressions evaluated.
    pub properties: Value,
    /// Span of the declaration.
    pub span: Span,
    /// Reason for which it may not be deployed. `None` if it certainly is.
    pub doubt: Option<Str>,
}

/// A definition or an initiative that deployments create.
#[derive(Debug)]
pub(super) struct Known {
    digest: String,
    /// Index among the documents of its kind.
    at: usize,
}

impl Gathering {
    /// Adds a document that a deployment would create. Returns `false` if the resource is not a policy document.
    ///
    /// If a part of the document is not known, or whether it is deployed at all, it decides nothing. Values that are
    /// only compared may be unknown.
    pub fn add_deployed(&mut self, resource: &Deployed) -> bool {
        let Some(shape) = Shape::of_type(&resource.type_name) else { return false };
        let Deployed { type_name, id, name, properties, span, doubt } = resource;
        let known = name.as_str().filter(|_| !name.traits.has(Traits::SECRET));
        // Where something is assigned, nothing is tried. So an assignment is kept.
        if known.is_none() && shape != Shape::Assignment {
            let message = "the policy that is deployed here is left out, since its name is not known";
            self.policies.problems.push(Problem::new(Some(*span), message).with(Consequence::Unknown));
            return true;
        }
        let nameless = known.is_none().then(|| Str::from("it has no known name"));
        let doubt = doubt.clone().or(nameless).or_else(|| doubt_of(properties, "", false));
        let name = known.unwrap_or_default();
        let content = digest(&[type_name, id, name, &properties.to_json(), doubt.as_deref().unwrap_or_default()]);
        if !self.deployed.insert(content.clone()) {
            return true;
        }
        let members = vec![
            Member::new("name", Value::from(name)),
            Member::new("id", Value::from(id.clone())),
            Member::new("properties", properties.clone()),
        ];
        let document = Value { span: Some(*span), ..Value::object(members) };
        // Bicep files that load the files of ALZ-Bicep deploy expressions with one more bracket.
        let document = escapes::resolve(&document);
        self.read(shape, "", &document);
        if !self.by_id.contains_key(&(shape, id.to_ascii_lowercase())) {
            self.identified(shape, &document);
        }
        self.settle(shape, *span, doubt.as_deref(), content);
        true
    }

    /// Marks the document that was read last as unusable if a part of it is not known.
    fn settle(&mut self, shape: Shape, span: Span, doubt: Option<&str>, digest: String) {
        let said = |why| format!("the policy that is deployed here decides nothing, since a part is not known: {why}");
        let unusable = || doubt.map(|why| Problem::new(Some(span), said(why)).with(Consequence::Unknown));
        let policies = &mut self.policies;
        match shape {
            Shape::Definition => {
                let Some(Definition { id, name, problems, .. }) = self.definitions.last_mut() else { return };
                settle_problems(problems, span, unusable());
                let key = (shape, if id.is_empty() { name.clone() } else { id.clone() });
                self.unite(key, digest, span);
            }
            Shape::Initiative => {
                let Some(Initiative { id, name, problems, .. }) = self.initiatives.last_mut() else { return };
                settle_problems(problems, span, unusable());
                let key = (shape, if id.is_empty() { name.clone() } else { id.clone() });
                self.unite(key, digest, span);
            }
            Shape::Assignment => {
                if let Some(assignment) = policies.assignments.last_mut() {
                    settle_problems(&mut assignment.problems, span, unusable());
                }
            }
            Shape::Exemption => {
                let Some(exemption) = policies.exemptions.last_mut() else { return };
                if doubt.is_none() || exemption.assignment.is_empty() {
                    settle_problems(&mut exemption.problems, span, unusable());
                } else {
                    // It may exempt anything of its assignment.
                    (exemption.scope, exemption.references) = (None, Vec::new());
                    (exemption.resource_selectors, exemption.problems) = (Vec::new(), Vec::new());
                }
            }
            Shape::Enrollment => {
                let Some(enrollment) = policies.enrollments.last_mut() else { return };
                if doubt.is_some() {
                    enrollment.scope = None;
                }
            }
        }
    }

    /// Drops the definition or initiative that was read last if another deployment has one with the same ID. Since it
    /// is not known which of them is in force, the first decides nothing then.
    fn unite(&mut self, key: (Shape, Str), digest: String, span: Span) {
        let is_definition = key.0 == Shape::Definition;
        let last = if is_definition { self.definitions.len() } else { self.initiatives.len() }.saturating_sub(1);
        let lower = (key.0, key.1.to_ascii_lowercase());
        let Some(Known { digest: first, at }) = self.by_id.get(&lower) else {
            self.by_id.insert(lower, Known { digest, at: last });
            return;
        };
        let problem =
            Problem::new(Some(span), "another deployment says something else of it").with(Consequence::Unknown);
        let problem = (*first != digest).then_some(problem);
        if is_definition {
            self.definitions.truncate(last);
            self.definitions.get_mut(*at).into_iter().for_each(|known| known.problems.extend(problem.clone()));
        } else {
            self.initiatives.truncate(last);
            self.initiatives.get_mut(*at).into_iter().for_each(|known| known.problems.extend(problem.clone()));
        }
    }
}

/// Adapts the problems of a deployed document. Unknown parts are not errors, and spans in generated text become that of
/// the whole.
fn settle_problems(problems: &mut Vec<Problem>, span: Span, unusable: Option<Problem>) {
    if let Some(unusable) = unusable {
        *problems = vec![unusable];
    }
    for problem in problems {
        problem.span = problem.span.or(Some(span));
    }
}

/// Members of documents that have no effect.
const DESCRIPTIVE: &[&str] =
    &["displayName", "description", "metadata", "nonComplianceMessages", "policyDefinitionGroups", "groupNames"];

/// Members whose values are only compared or written, besides those of operators.
const VALUES: &[&str] = &["value", "defaultValue", "allowedValues", "roleDefinitionIds", "deployment"];

/// Members in which lists of `in` restrict what a document is about.
const SELECTORS: &[&str] = &["resourceSelectors", "overrides"];

/// Returns the reason for which a part of a document is unknown or secret, if more than the outcome of a comparison
/// depends on it. `name` is the name of the member.
fn doubt_of(value: &Value, name: &str, in_selectors: bool) -> Option<Str> {
    let is_one_of = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let is_open = value.traits.has(Traits::UNKNOWN) || value.traits.has(Traits::SECRET);
    let is_compared = || !in_selectors && (is_one_of(VALUES) || Operator::of_name(name).is_some());
    if !is_open || is_one_of(DESCRIPTIVE) || is_compared() {
        return None;
    }
    let in_selectors = in_selectors || is_one_of(SELECTORS);
    match &value.data {
        Data::Unknown(unknown) => Some(unknown.why.clone()),
        Data::Object(object) => object.iter().find_map(|member| doubt_of(&member.value, &member.key, in_selectors)),
        Data::Array(items) => items.iter().find_map(|item| doubt_of(item, name, in_selectors)),
        _ => Some(Str::from("it is a secret")),
    }
}
