//! Policy documents that templates deploy.

use crate::documents::{Definition, Initiative, PROVIDER, Policies, Problem};
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
    /// only compared may be unknown, and an assignment of which only the name, the scope, or the state is not known may
    /// apply.
    pub fn add_deployed(&mut self, resource: &Deployed) -> bool {
        let Some(shape) = Shape::of_type(&resource.type_name) else { return false };
        let Deployed { type_name, id, name, properties, span, doubt } = resource;
        let properties = &with_known_ends(properties);
        let known = name.as_str().filter(|_| !name.traits.has(Traits::SECRET));
        if shape == Shape::Assignment {
            self.add_assignment(resource, known, properties);
            return true;
        }
        if known.is_none() {
            let message = "the policy that is deployed here is left out, since its name is not known";
            self.policies.problems.push(Problem::new(Some(*span), message).with(Consequence::Unknown));
            return true;
        }
        let doubt = doubt.clone().or_else(|| doubt_of(properties, "", false));
        let name = known.unwrap_or_default();
        let content = digest(&[type_name, id, name, &properties.to_json(), doubt.as_deref().unwrap_or_default()]);
        if !self.deployed.insert(content.clone()) {
            return true;
        }
        let document = document(name, id, properties.clone(), *span);
        self.read(shape, "", &document);
        if !self.by_id.contains_key(&(shape, id.to_ascii_lowercase())) {
            self.identified(shape, &document);
        }
        self.settle(shape, *span, doubt.as_deref(), content);
        true
    }

    /// Adds an assignment. If parts that decide where it applies are not known, it applies perhaps, and if any other
    /// part is not known, it decides nothing.
    fn add_assignment(&mut self, resource: &Deployed, name: Option<&str>, properties: &Value) {
        let Deployed { type_name, id, span, doubt, .. } = resource;
        let Certain { properties, doubt: of_place } = certain(properties);
        let nameless = name.is_none().then(|| Str::from("its name is not known"));
        let perhaps = doubt.clone().or(nameless).or(of_place);
        let name = name.map_or_else(|| unknown_name(&resource.name, &properties), str::to_owned);
        let unusable = doubt_of(&properties, "", false);
        let doubts = [&perhaps, &unusable].map(|doubt| doubt.as_deref().unwrap_or_default());
        if !self.deployed.insert(digest(&[type_name, id, &name, &properties.to_json(), doubts[0], doubts[1]])) {
            return;
        }
        self.read(Shape::Assignment, "", &document(&name, id, properties, *span));
        let Policies { assignments, problems, .. } = &mut self.policies;
        let Some(assignment) = assignments.last_mut() else { return };
        if let Some(why) = perhaps.as_deref().filter(|_| unusable.is_none()) {
            let message = format!("whether the assignment that is deployed here applies is not known: {why}");
            problems.push(Problem::new(Some(*span), message).with(Consequence::Unknown));
        }
        settle_problems(&mut assignment.problems, *span, unusable.map(|why| nothing_decided(*span, &why)));
        assignment.doubt = perhaps;
    }

    /// Marks the document that was read last as unusable if a part of it is not known.
    fn settle(&mut self, shape: Shape, span: Span, doubt: Option<&str>, digest: String) {
        let unusable = || doubt.map(|why| nothing_decided(span, why));
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
            Shape::Assignment => {}
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

/// Returns a document from the parts of a deployed resource. Bicep files that load the files of ALZ-Bicep deploy
/// expressions with one more bracket, which is removed.
fn document(name: &str, id: &Str, properties: Value, span: Span) -> Value {
    let members = vec![
        Member::new("name", Value::from(name)),
        Member::new("id", Value::from(id.clone())),
        Member::new("properties", properties),
    ];
    escapes::resolve(&Value { span: Some(span), ..Value::object(members) })
}

/// Returns the problem that a deployed document decides nothing.
fn nothing_decided(span: Span, why: &str) -> Problem {
    let message = format!("the policy that is deployed here decides nothing, since a part is not known: {why}");
    Problem::new(Some(span), message).with(Consequence::Unknown)
}

/// Members of an assignment that only decide where it applies, and whether.
const OF_PLACE: &[&str] = &["scope", "notScopes", "enforcementMode", "resourceSelectors", "definitionVersion"];

/// Properties of an assignment without the parts that are not known and only decide where it applies.
struct Certain {
    properties: Value,
    /// Reason for which a part is not known.
    doubt: Option<Str>,
}

fn certain(properties: &Value) -> Certain {
    let (mut members, mut doubt) = (Vec::new(), None);
    for member in properties.as_object().into_iter().flatten() {
        let is_named = |name: &str| member.key.eq_ignore_ascii_case(name);
        let open = doubt_of(&member.value, &member.key, true);
        if let Some(why) = open.filter(|_| OF_PLACE.iter().any(|name| is_named(name))) {
            doubt = doubt.or_else(|| Some(Str::from(format!("its `{}` is not known: {why}", member.key))));
            // Each excluded scope excludes by itself.
            let items = member.value.as_array().filter(|_| is_named("notScopes"));
            let known = items.map(|items| items.iter().filter(|item| is_certain(item)).cloned());
            members.extend(known.map(|known| Member { value: Value::array(known.collect()), ..member.clone() }));
        } else {
            members.push(member.clone());
        }
    }
    Certain { properties: Value { span: properties.span, ..Value::object(members) }, doubt }
}

fn is_certain(value: &Value) -> bool {
    !value.traits.has(Traits::UNKNOWN) && !value.traits.has(Traits::SECRET)
}

/// Beginning of an ID of which only the end is known.
const UNKNOWN_SCOPE: &str = "${scope}";

/// Member with the ID of what an assignment or an initiative refers to.
const REFERENCE: &str = "policyDefinitionId";

/// Returns an assignment or an initiative in which the IDs of definitions have placeholders for unknown scopes.
fn with_known_ends(properties: &Value) -> Value {
    let member = |member: &Member| {
        let value = match &member.value.data {
            _ if member.key.eq_ignore_ascii_case(REFERENCE) => with_known_end(&member.value),
            Data::Array(items) if member.key.eq_ignore_ascii_case("policyDefinitions") => {
                let items = items.iter().map(with_known_ends).collect();
                Value { span: member.value.span, ..Value::array(items) }
            }
            _ => member.value.clone(),
        };
        Member { value, ..member.clone() }
    };
    match &properties.data {
        Data::Object(object) if properties.traits.has(Traits::UNKNOWN) => {
            Value { span: properties.span, ..Value::object(object.iter().map(member).collect()) }
        }
        _ => properties.clone(),
    }
}

/// Returns the ID of a definition of which only the scope is not known, with a placeholder. If a function returns the ID
/// at an unknown scope, the nearest known ID has its name. Any other value is returned unchanged.
fn with_known_end(id: &Value) -> Value {
    let unknown = id.as_unknown().filter(|unknown| !unknown.is_optional && !id.traits.has(Traits::SECRET));
    let Some(unknown) = unknown else { return id.clone() };
    let of_provider =
        |text: &str| text.to_ascii_lowercase().find(PROVIDER).and_then(|at| text.get(at..).map(Str::from));
    let certain = unknown.ends.as_ref().and_then(|ends| of_provider(&ends.end));
    let nearest = || unknown.approximation.as_str().and_then(of_provider).filter(|end| !end.ends_with('/'));
    match certain.or_else(nearest) {
        Some(end) => Value { span: id.span, ..Value::from(format!("{UNKNOWN_SCOPE}{end}")) },
        None => id.clone(),
    }
}

/// Returns what is known of the name of an assignment, or else its title. It ends with a sign that no name has.
fn unknown_name(name: &Value, properties: &Value) -> String {
    let known = name.as_unknown().and_then(|unknown| unknown.ends.as_ref()).map(|ends| ends.start.as_str());
    let title = || properties.get("displayName").and_then(Value::as_str);
    format!("{}…", known.filter(|known| !known.is_empty()).or_else(title).unwrap_or_default())
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
