//! Scene of an evaluation: the targets of the expressions of a policy, and the functions that policies have besides
//! those of templates.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::HashMap;
use formwork_arm::eval::{Dialect, Evaluator};
use formwork_arm::functions::{Args, Call, lookup};
use formwork_arm::{Fault, is_assumed};

use crate::ids;
use crate::judge::candidates::Candidates;
use crate::judge::fields::{Property, follow, part_of, tag_name};
use crate::judge::lookups::Lookups;
use crate::judge::ranges::range_contains;
use crate::judge::request::{GROUP, Request};
use crate::judge::surroundings::Surroundings;
use crate::language::OWN;
use crate::path::{Path, Step};
use crate::value::{Ends, Kind, Member, Str, Traits, Unknown, Value};

/// Targets of expressions and fields.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    /// Request that is evaluated.
    pub(super) request: &'a Request,
    /// Body of the request, after all changes so far.
    pub(super) body: Value,
    /// Values of the parameters of the definition, or of the initiative whose arguments are evaluated.
    pub(super) parameters: Value,
    /// Object that `policy()` returns: the IDs of the assignment, the definition and the initiative, and the reference.
    pub(super) policy: Value,
    /// True if the resource is stored already, so that missing properties may have default values.
    pub(super) is_stored: bool,
}

/// Binding of an array's item while it is evaluated.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// An item of the array at the end of this path, by the text of the alias.
    Field(Str, Arc<Path>, Value),
    /// An item of a value, by name.
    Named(Str, Value),
}

/// Functions of policies, with their state.
#[derive(Debug)]
pub(super) struct Functions<'a> {
    pub(super) lookups: &'a Lookups,
    pub(super) surroundings: &'a Surroundings,
    /// All requests of the deployment, including those that create resource groups.
    requests: &'a [Request],
    /// Indexes of requests, by the type as policies see it, in lower case.
    by_type: HashMap<String, Vec<usize>>,
    /// The candidates for related resources, by type in lower case.
    candidates: RefCell<HashMap<String, Rc<Candidates>>>,
    /// Scenes being evaluated: conditions refer to the first, and `field()` to the last.
    scenes: RefCell<Vec<Rc<Scene<'a>>>>,
    bindings: RefCell<Vec<Binding>>,
}

/// Reason for which a property is unknown, or an expression that names it fails.
pub(super) type Why = Str;

/// Functions of templates that have another meaning in policies.
const REPLACED: &[&str] = &["parameters", "resourceGroup", "subscription", "utcNow"];

impl<'a> Functions<'a> {
    pub(super) fn new(lookups: &'a Lookups, surroundings: &'a Surroundings, requests: &'a [Request]) -> Self {
        let mut by_type: HashMap<String, Vec<usize>> = HashMap::default();
        for (at, request) in requests.iter().enumerate() {
            by_type.entry(request.judged_type().to_ascii_lowercase()).or_default().push(at);
        }
        let (candidates, scenes, bindings) = (RefCell::default(), RefCell::default(), RefCell::default());
        Self { lookups, surroundings, requests, by_type, candidates, scenes, bindings }
    }

    /// Returns the requests for resources of a type, in order.
    pub(super) fn requests_for(&self, resource_type: &str) -> impl Iterator<Item = &'a Request> {
        let all = self.by_type.get(&resource_type.to_ascii_lowercase()).map_or(&[][..], Vec::as_slice);
        all.iter().filter_map(|at| self.requests.get(*at))
    }

    /// Returns the requests for resources of a type as candidates for related resources.
    pub(super) fn candidates(&self, resource_type: &str) -> Rc<Candidates> {
        let key = resource_type.to_ascii_lowercase();
        if let Some(known) = self.candidates.borrow().get(&key) {
            return Rc::clone(known);
        }
        let of_type = self.by_type.get(&key).into_iter().flatten();
        let requests = of_type.filter_map(|at| Some((*at, self.requests.get(*at)?)));
        let candidates = Rc::new(Candidates::new(requests));
        self.candidates.borrow_mut().insert(key, Rc::clone(&candidates));
        candidates
    }

    /// Returns the request at an index.
    pub(super) fn request(&self, at: usize) -> Option<&'a Request> {
        self.requests.get(at)
    }

    /// Does something while fields and `field()` refer to `scene`.
    pub(super) fn within<T>(&self, scene: Rc<Scene<'a>>, act: impl FnOnce() -> T) -> T {
        let bindings = std::mem::take(&mut *self.bindings.borrow_mut());
        self.scenes.borrow_mut().push(scene);
        let result = act();
        self.scenes.borrow_mut().pop();
        *self.bindings.borrow_mut() = bindings;
        result
    }

    /// Calls `act` while an item of an array is bound.
    pub(super) fn binding<T>(&self, binding: Binding, act: impl FnOnce() -> T) -> T {
        self.bindings.borrow_mut().push(binding);
        let result = act();
        self.bindings.borrow_mut().pop();
        result
    }

    /// Returns the innermost scene, to which fields refer.
    pub(super) fn scene(&self) -> Option<Rc<Scene<'a>>> {
        self.scenes.borrow().last().cloned()
    }

    /// Returns the outermost scene, to which `field()` refers: the resource of the `if`, also in an existence
    /// condition.
    fn outer(&self) -> Option<Rc<Scene<'a>>> {
        self.scenes.borrow().first().cloned()
    }

    /// Returns the property of a field in conditions.
    pub(super) fn property(&self, field: &str) -> Result<Property, Why> {
        match self.scene() {
            Some(scene) => self.property_of(&scene, field),
            None => Err(Str::from("there is no resource")),
        }
    }

    fn property_of(&self, scene: &Scene<'_>, field: &str) -> Result<Property, Why> {
        let request = scene.request;
        let member = |name: &str| follow(Some(&scene.body), &[Step::Member(Str::from(name))]);
        let one = |value: Value| Ok(Property::One(Some(value)));
        if let Some(tag) = tag_name(field) {
            let steps = [Step::Member(Str::from("tags")), Step::Member(Str::from(tag))];
            return Ok(or_default(scene, follow(Some(&scene.body), &steps)));
        }
        // Most conditions are about aliases.
        if field.contains('/') {
            return self.aliased(scene, field);
        }
        match field.to_ascii_lowercase().as_str() {
            "type" => one(Value::from(request.judged_type())),
            "name" => one(last_segment(request)),
            "fullname" => one(request.name.clone()),
            "id" => one(request.id_value()),
            "kind" | "location" | "tags" => Ok(or_default(scene, member(field))),
            "identity.type" => {
                let steps = Path::parse("identity.type").0;
                Ok(or_default(scene, follow(Some(&scene.body), &steps)))
            }
            _ => self.aliased(scene, field),
        }
    }

    fn aliased(&self, scene: &Scene<'_>, alias: &str) -> Result<Property, Why> {
        let path = match self.lookups.path_of(scene.request.judged_type(), alias) {
            Ok(Some(path)) => path,
            Ok(None) => return Ok(Property::One(None)),
            Err(why) => return Err(why),
        };
        if !scene.is_stored && self.bindings.borrow().is_empty() && is_bypassed(alias) {
            let property = follow(Some(&scene.body), &path.0);
            if matches!(&property, Property::One(None)) {
                return Err(Str::from(
                    "whether policies see a missing property that the provider generates is not documented",
                ));
            }
            return Ok(property);
        }
        let bindings = self.bindings.borrow();
        let bound = bindings.iter().rev().filter_map(|binding| match binding {
            Binding::Field(_, prefix, value) => Some((path.after(prefix)?, value)),
            Binding::Named(..) => None,
        });
        // The longest path that is bound counts.
        let property = match bound.min_by_key(|(rest, _)| rest.len()) {
            Some((rest, value)) => {
                let property = follow(Some(value), rest);
                match property {
                    // What `[*]` leads to stays a collection, of one member.
                    Property::One(item) => {
                        Property::Many(super::fields::Many { items: vec![item], ..Default::default() })
                    }
                    many @ Property::Many(_) => many,
                }
            }
            None => follow(Some(&scene.body), &path.0),
        };
        Ok(or_default(scene, property))
    }

    /// Evaluates `field(name)`: the value itself, with the empty string for a missing one and an array for `[*]`.
    fn field(&self, name: &Value) -> Result<Value, Fault> {
        let Some(text) = name.as_str() else { return needs_text("field", name) };
        let Some(scene) = self.outer() else { return Err(Fault::failed("`field` is used where there is no resource")) };
        Ok(value_of(self.property_of(&scene, text)))
    }

    /// Evaluates `current([name])`: the current item, or a property of it.
    fn current(&self, name: Option<&Value>) -> Result<Value, Fault> {
        let bindings = self.bindings.borrow();
        let outside = || Fault::failed("`current` is used outside the `where` of a `count`");
        let Some(name) = name else {
            let (Binding::Field(_, _, value) | Binding::Named(_, value)) = bindings.last().ok_or_else(outside)?;
            return Ok(value.clone());
        };
        let Some(text) = name.as_str() else { return needs_text("current", name) };
        let exact = bindings.iter().rev().find_map(|binding| match binding {
            Binding::Field(alias, _, value) if alias.eq_ignore_ascii_case(text) => Some(value),
            Binding::Named(name, value) if name.eq_ignore_ascii_case(text) => Some(value),
            _ => None,
        });
        if let Some(value) = exact {
            return Ok(value.clone());
        }
        let kind = self.scene().map(|scene| scene.request.judged_type().to_owned()).unwrap_or_default();
        let Ok(Some(path)) = self.lookups.path_of(&kind, text) else { return Err(outside()) };
        let bound = bindings.iter().rev().find_map(|binding| match binding {
            Binding::Field(_, prefix, value) => Some((path.after(prefix)?.to_vec(), value)),
            Binding::Named(..) => None,
        });
        let (rest, value) = bound.ok_or_else(outside)?;
        Ok(value_of(Ok(follow(Some(value), &rest))))
    }

    fn parameter(&self, name: &Value) -> Result<Value, Fault> {
        let Some(text) = name.as_str() else { return needs_text("parameters", name) };
        let value = self.scene().and_then(|scene| scene.parameters.get(text).cloned());
        value.ok_or_else(|| Fault::failed(format!("there is no parameter `{text}`")))
    }

    /// Evaluates `resourceGroup()`: the parts of the ID, the declaration if the deployment creates the group, and known
    /// properties.
    fn resource_group(&self) -> Value {
        let Some(scene) = self.outer() else { return unknown(Kind::Object, "there is no resource") };
        let Some((id, name)) = scene.request.resource_group() else {
            return unknown(Kind::Object, "the resource is in no resource group");
        };
        let is_approximate = id.split('/').skip(1).any(|segment| scene.request.is_approximate(segment));
        let is_same = |request: &&Request| request.id.eq_ignore_ascii_case(&id);
        let declared = self.requests_for(GROUP).find(is_same).map(|request| &request.body).filter(|_| !is_approximate);
        let given = self.surroundings.resource_group.as_ref();
        let given = given.filter(|_| !is_approximate && self.surroundings.is_group(&id, &name));
        let part = |member: &str, kind: Kind| {
            let known = declared.and_then(|body| body.get(member)).or_else(|| given?.get(member)).cloned();
            let value = known.unwrap_or_else(|| match declared {
                Some(_) => Value::from(""),
                None => unknown(kind, format!("the `{member}` of the resource group is not known")),
            });
            Member::new(member, value)
        };
        let named = |text: &str| {
            if text.trim_start_matches('/').split('/').any(|segment| scene.request.is_open(segment)) {
                unknown(Kind::String, "nothing says which resource group this is")
            } else {
                scene.request.part_of_id(text)
            }
        };
        Value::object(vec![
            Member::new("id", named(&id)),
            Member::new("name", named(&name)),
            Member::new("type", Value::from("Microsoft.Resources/resourceGroups")),
            part("location", Kind::String),
            part("tags", Kind::Object),
            part("managedBy", Kind::Any),
            Member::new("properties", unknown(Kind::Object, "the state of the resource group is not known")),
        ])
    }

    fn subscription(&self) -> Value {
        let request = self.outer().map(|scene| scene.request);
        let found = request.and_then(|request| Some((request, request.subscription()?)));
        let Some((request, id)) = found.filter(|(request, id)| !request.is_approximate(id)) else {
            return unknown(Kind::Object, "nothing says which subscription this is");
        };
        let given = self.surroundings.subscription.as_ref().filter(|_| self.surroundings.is_subscription(id));
        let is_id = |member: &&Member| ["id", "subscriptionId"].iter().any(|own| member.key.eq_ignore_ascii_case(own));
        let others = given.and_then(Value::as_object).into_iter().flatten().filter(|member| !is_id(member));
        let mut known: Vec<Member> = others.cloned().collect();
        if !is_assumed(id) {
            known.push(Member::new("id", request.part_of_id(&format!("/subscriptions/{id}"))));
            known.push(Member::new("subscriptionId", request.part_of_id(id)));
        }
        Value::unknown(Unknown::open("nothing says this of the subscription", Value::object(known)))
    }

    fn request_context(&self) -> Value {
        let version = self.outer().map_or(Value::NULL, |scene| scene.request.api_version.clone());
        Value::object(vec![
            Member::new("apiVersion", version),
            Member::new("identity", unknown(Kind::Object, "who deploys is known only at deployment")),
        ])
    }

    fn now(&self, evaluator: &Evaluator<'_>, format: Option<&Value>) -> Result<Value, Fault> {
        let Some(now) = &self.surroundings.now else {
            return Ok(unknown(Kind::String, "the time of the run is not set"));
        };
        let format = format.map_or_else(|| Value::from("yyyyMMddTHHmmssZ"), Clone::clone);
        template_function(evaluator, "dateTimeAdd", &[Value::from(now.clone()), Value::from("PT0S"), format])
    }
}

/// Makes a missing property of a stored resource unknown, since the provider may have set it.
fn or_default(scene: &Scene<'_>, property: Property) -> Property {
    let unknown = || part_of(&Unknown::new(Kind::Any, "the provider may set the property"));
    match property {
        Property::One(None) if scene.is_stored => Property::One(Some(unknown())),
        Property::Many(mut many) if scene.is_stored => {
            many.items.iter_mut().filter(|item| item.is_none()).for_each(|item| *item = Some(unknown()));
            if many.lacks_array {
                many.unknown.get_or_insert_with(|| Str::from("the provider may set the property"));
            }
            Property::Many(many)
        }
        property => property,
    }
}

/// Properties that providers generate, which policies do not see. From the known issues in the README of
/// Azure/azure-policy.
const BYPASSED: &[&str] = &[
    "Microsoft.Storage/storageAccounts/networkAcls.defaultAction",
    "Microsoft.Authorization/roleAssignments/principalType",
    "Microsoft.Compute/virtualMachines/storageProfile.osDisk.osType",
    "Microsoft.Compute/virtualMachines/storageProfile.osDisk.diskSizeGB",
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachineProfile.storageProfile.osDisk.diskSizeGB",
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/storageProfile.osDisk.diskSizeGB",
];

fn is_bypassed(alias: &str) -> bool {
    const ALL_OF: &str = "Microsoft.Authorization/roleAssignmentScheduleInstances/";
    let is_all = alias.get(..ALL_OF.len()).is_some_and(|start| start.eq_ignore_ascii_case(ALL_OF));
    is_all || BYPASSED.iter().any(|known| known.eq_ignore_ascii_case(alias))
}

/// Converts a property to the value that functions return.
fn value_of(property: Result<Property, Why>) -> Value {
    match property {
        Err(why) => unknown(Kind::Any, why),
        Ok(Property::One(value)) => value.unwrap_or_else(|| Value::from("")),
        Ok(Property::Many(many)) => {
            let may_be_missing = |value: &Value| value.as_unknown().is_some_and(|unknown| unknown.is_optional);
            let items: Vec<Value> = many.items.into_iter().flatten().collect();
            match (many.unknown, items.iter().find(|item| may_be_missing(item)).and_then(Value::as_unknown)) {
                (Some(why), _) => unknown(Kind::Array, why),
                (None, Some(item)) => unknown(Kind::Array, item.why.clone()),
                (None, None) => Value::array(items),
            }
        }
    }
}

/// Returns the last segment of the name of a request. If only the end of the name is known, that is what is known of the
/// segment.
fn last_segment(request: &Request) -> Value {
    let name = &request.name;
    if let Some(text) = name.as_str() {
        return Value { data: Value::from(ids::last_segment(text)).data, ..name.clone() };
    }
    let is_child = request.type_name.matches('/').count() > 1;
    let known = name.as_unknown().filter(|unknown| is_child && !unknown.is_optional);
    let Some(unknown) = known else { return name.clone() };
    match unknown.ends.as_ref() {
        Some(ends) if ends.end.contains('/') => {
            let known = Value::from(ids::last_segment(&ends.end));
            let known = if name.traits.has(Traits::SECRET) { known.into_secret() } else { known };
            Value { span: name.span, ..known }
        }
        ends => {
            let end = ends.map(|ends| ends.end.clone()).unwrap_or_default();
            let segment = Unknown::new(unknown.kind, unknown.why.clone()).between(Ends { end, ..Ends::default() });
            Value { span: name.span, ..Value::unknown(segment) }
        }
    }
}

fn unknown(kind: Kind, why: impl Into<Str>) -> Value {
    Value::unknown(Unknown::new(kind, why))
}

/// Returns the result of a function that needs a string and gets something else.
fn needs_text(function: &str, value: &Value) -> Result<Value, Fault> {
    match value.as_unknown() {
        Some(cause) => Ok(part_of(cause)),
        None => Err(Fault::arguments(format!("argument 1 of `{function}` must be a string"))),
    }
}

/// Evaluates a function of templates that depends only on its arguments.
fn template_function(evaluator: &Evaluator<'_>, name: &str, values: &[Value]) -> Result<Value, Fault> {
    match lookup(name).map(|function| (function.name, &function.call)) {
        Some((name, Call::Pure(call))) => call(Args::new(name, values, evaluator.world.limits)),
        _ => Err(Fault::failed(format!("`{name}` cannot be used here"))),
    }
}

impl Dialect for Functions<'_> {
    fn defines(&self, function: &str) -> bool {
        REPLACED.iter().chain(OWN).any(|name| name.eq_ignore_ascii_case(function))
    }

    fn call(&self, evaluator: &Evaluator<'_>, function: &str, arguments: &[Value]) -> Result<Value, Fault> {
        let count = arguments.len();
        let takes = |range: std::ops::RangeInclusive<usize>| {
            let fault = || Fault::arity(format!("`{function}` does not take {count} arguments"));
            range.contains(&count).then_some(()).ok_or_else(fault)
        };
        let first = arguments.first().unwrap_or(&Value::NULL);
        match function.to_ascii_lowercase().as_str() {
            "field" => takes(1..=1).and_then(|()| self.field(first)),
            "current" => takes(0..=1).and_then(|()| self.current(arguments.first())),
            "parameters" => takes(1..=1).and_then(|()| self.parameter(first)),
            "policy" => takes(0..=0).map(|()| self.outer().map_or(Value::NULL, |scene| scene.policy.clone())),
            "requestcontext" => takes(0..=0).map(|()| self.request_context()),
            "resourcegroup" => takes(0..=0).map(|()| self.resource_group()),
            "subscription" => takes(0..=0).map(|()| self.subscription()),
            "utcnow" => takes(0..=1).and_then(|()| self.now(evaluator, arguments.first())),
            _ => {
                takes(2..=2)?;
                if let Some(cause) = arguments.iter().find_map(|value| value.as_unknown()) {
                    return Ok(unknown(Kind::Any, cause.why.clone()));
                }
                match function.to_ascii_lowercase().as_str() {
                    "adddays" => add_days(evaluator, arguments),
                    _ => range_contains(arguments),
                }
            }
        }
    }

    fn absent(&self, function: &str) -> Option<Value> {
        function.eq_ignore_ascii_case("resourceGroup").then(|| Value::from(""))
    }
}

/// Evaluates `addDays(dateTime, days)`, in the format of dates in policies.
fn add_days(evaluator: &Evaluator<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let [start, days] = arguments else { return Err(Fault::arguments("`addDays` takes 2 arguments")) };
    let Some(days) = days.as_int() else {
        return Err(Fault::arguments("argument 2 of `addDays` must be an integer"));
    };
    let sign = if days < 0 { "-" } else { "" };
    let duration = Value::from(format!("{sign}P{}D", days.unsigned_abs()));
    let format = Value::from("yyyy-MM-ddTHH:mm:ss.fffffffZ");
    let day = template_function(evaluator, "dateTimeAdd", &[start.clone(), duration, format])?;
    Ok(if start.traits.has(Traits::SECRET) { day.into_secret() } else { day })
}
