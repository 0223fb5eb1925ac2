//! Operations of `append` and `modify` on a request.

use std::sync::LazyLock;

use foldhash::HashSet;

use crate::judge::compare;
use crate::judge::conditions::Judge;
use crate::judge::fields::tag_name;
use crate::judge::verdict::Change;
use crate::language::Operator;
use crate::path::{Path, Step};
use crate::value::{Data, Member, Str, Value};

/// An operation of a policy on one request.
#[derive(Debug)]
pub(super) struct Operation {
    /// Kind of the change.
    pub(super) kind: OperationKind,
    /// Changed property.
    pub(super) path: Path,
    /// Reason for which it may not happen. `None` if it certainly does.
    pub(super) doubt: Option<Str>,
    /// New value; null for `remove`.
    value: Value,
}

/// Kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperationKind {
    /// Adds a missing property, and denies if it has another value: `append`.
    Append,
    /// Adds a missing property.
    Add,
    /// Sets a property, whatever its value was.
    AddOrReplace,
    /// Removes a tag; it is only documented for tags: `remove`.
    Remove,
}

/// Operations of a policy on one request, in order.
#[derive(Debug, Default)]
pub(super) struct Operations {
    /// Known operations; none if one of them fails.
    pub(super) known: Vec<Operation>,
    /// Reason for which others are not known: the most severe obstacle.
    pub(super) obstacle: Option<Obstacle>,
}

/// Reason for which operations are not known.
#[derive(Debug)]
pub(super) enum Obstacle {
    /// A function in them fails, so the request is denied.
    Fails(Str),
    /// The effect or the property of an operation is not known.
    Unknown(Str),
    /// The name of a field is not known, so any property may change.
    UnknownField(Str),
}

impl Obstacle {
    /// Returns the severity in comparison with other obstacles.
    fn rank(&self) -> u8 {
        match self {
            Self::Unknown(_) => 1,
            Self::UnknownField(_) => 2,
            Self::Fails(_) => 3,
        }
    }
}

impl Operations {
    /// Adds the operation of one entry of a policy, if there is one.
    fn add(&mut self, operation: Result<Option<Operation>, Obstacle>) {
        match operation {
            Ok(operation) => self.known.extend(operation),
            Err(obstacle) if self.obstacle.as_ref().is_none_or(|known| known.rank() < obstacle.rank()) => {
                self.obstacle = Some(obstacle);
            }
            Err(_) => {}
        }
        if matches!(self.obstacle, Some(Obstacle::Fails(_))) {
            self.known.clear();
        }
    }
}

/// Result of an operation on a body.
#[derive(Debug)]
pub(super) enum Applied {
    /// The body after the operation, which may be unchanged, and whether a parent was missing, so that nothing may
    /// happen.
    Body(Value, bool),
    /// The request is denied.
    Conflict(String),
    /// The result is unknown. Holds the body with the property set.
    Unknown(Str, Value),
}

/// Aliases that are known to be modifiable, in lower case.
static MODIFIABLE: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let lines = include_str!("modifiable.txt").lines();
    lines.filter(|line| !line.starts_with('#')).map(str::to_ascii_lowercase).collect()
});

/// True if `modify` can change a property, given by its alias. A property of an item can be changed if the array can.
fn is_modifiable(alias: &str) -> bool {
    let alias = alias.to_ascii_lowercase();
    let array = alias.split("[*]").next().unwrap_or_default();
    MODIFIABLE.contains(&alias) || MODIFIABLE.contains(array)
}

/// Types whose identity can be modified.
const WITH_IDENTITY: [&str; 2] = ["Microsoft.Compute/virtualMachines", "Microsoft.Compute/virtualMachineScaleSets"];

/// Returns the operations of a policy with the effect `append`, without those whose condition is false.
pub(super) fn appended(judge: &Judge<'_, '_>, details: &Value, resource_type: &str) -> Operations {
    let entries = match details.as_array() {
        Some(entries) => entries,
        None => std::slice::from_ref(details),
    };
    let mut all = Operations::default();
    for entry in entries {
        all.add(operation(judge, entry, OperationKind::Append, resource_type));
    }
    all
}

/// Returns the operations of a policy with the effect `modify`: see [`appended`].
pub(super) fn modified(judge: &Judge<'_, '_>, details: &Value, resource_type: &str) -> Operations {
    let mut all = Operations::default();
    for entry in details.get("operations").and_then(Value::as_array).unwrap_or_default() {
        let name = entry.get("operation").and_then(Value::as_str).unwrap_or_default();
        let kind = match name.to_ascii_lowercase().as_str() {
            "add" => Ok(OperationKind::Add),
            "addorreplace" => Ok(OperationKind::AddOrReplace),
            "remove" => Ok(OperationKind::Remove),
            _ => Err(Obstacle::Unknown(Str::from(format!("there is no operation `{name}`")))),
        };
        all.add(kind.and_then(|kind| operation(judge, entry, kind, resource_type)));
    }
    all
}

/// Returns one operation, or `None` if its condition is false.
fn operation(
    judge: &Judge<'_, '_>,
    entry: &Value,
    kind: OperationKind,
    resource_type: &str,
) -> Result<Option<Operation>, Obstacle> {
    let part = |name: &str| {
        let written = entry.get(name).unwrap_or(&Value::NULL);
        judge.value(written).map_err(|fault| Obstacle::Fails(Str::from(fault.message())))
    };
    let mut doubt = None;
    if entry.get("condition").is_some() {
        let condition = part("condition")?;
        match (&condition.data, condition.as_str()) {
            (Data::Bool(true), _) => {}
            (Data::Bool(false), _) => return Ok(None),
            (_, Some(text)) if text.eq_ignore_ascii_case("true") => {}
            (_, Some(text)) if text.eq_ignore_ascii_case("false") => return Ok(None),
            _ => doubt = Some(Str::from("the condition of an operation is unknown")),
        }
    }
    let is_certain = doubt.is_none();
    // What fails in an operation that may not happen does not deny for certain.
    let part = |name: &str| match part(name) {
        Err(Obstacle::Fails(why)) if !is_certain => Err(Obstacle::Unknown(why)),
        result => result,
    };
    let field = part("field")?;
    let Some(name) = field.as_str() else {
        return Err(Obstacle::UnknownField(Str::from("the field of an operation is not known")));
    };
    let path = target(judge, name, resource_type).map_err(Obstacle::Unknown)?;
    if doubt.is_none() && kind != OperationKind::Append && name.contains('/') && !is_modifiable(name) {
        doubt = Some(Str::from(format!("whether `{name}` can be modified is not known")));
    }
    let value = if kind == OperationKind::Remove { Value::NULL } else { part("value")? };
    Ok(Some(Operation { kind, path, doubt, value }))
}

/// Returns the path of the property that an operation changes, or the reason for which it is not known.
fn target(judge: &Judge<'_, '_>, field: &str, resource_type: &str) -> Result<Path, Str> {
    if let Some(tag) = tag_name(field) {
        return Ok(Path(vec![Step::Member(Str::from("tags")), Step::Member(Str::from(tag))]));
    }
    if ["tags", "location", "kind"].iter().any(|name| name.eq_ignore_ascii_case(field)) {
        return Ok(Path::parse(field));
    }
    if field.eq_ignore_ascii_case("identity.type") {
        let has_identity = WITH_IDENTITY.iter().any(|known| known.eq_ignore_ascii_case(resource_type));
        let refused = || Str::from("`identity.type` can only be modified on virtual machines and scale sets");
        return has_identity.then(|| Path::parse("identity.type")).ok_or_else(refused);
    }
    match judge.functions.lookups.path_of(resource_type, field)? {
        Some(path) => Ok(Path::clone(&path)),
        None => Err(Str::from(format!("`{field}` is no property of `{resource_type}`"))),
    }
}

impl Operation {
    /// Applies the operation to a body. It takes a step for each value in it.
    pub(super) fn apply(&self, judge: &Judge<'_, '_>, body: &Value) -> Applied {
        if let Err(fault) = judge.evaluator.world.step(body.size().weight as usize) {
            return Applied::Unknown(Str::from(fault.message()), body.clone());
        }
        let mut outcome = Outcome::default();
        let changed = self.set(Some(body), &self.path.0, &mut outcome);
        if let Some(conflict) = outcome.conflict {
            return Applied::Conflict(conflict);
        }
        let changed = changed.unwrap_or(Value::NULL);
        match outcome.unknown.or_else(|| self.doubt.clone()) {
            Some(why) => Applied::Unknown(why, changed),
            None => Applied::Body(changed, outcome.lacks_parent && self.kind != OperationKind::Append),
        }
    }

    /// Returns the changed value at the end of `steps` from `value`. `None` if it is missing afterwards.
    fn set(&self, value: Option<&Value>, steps: &[Step], outcome: &mut Outcome) -> Option<Value> {
        let value = value.filter(|value| !value.is_null());
        if let Some(unknown) = value.and_then(Value::as_unknown)
            && !(steps.is_empty() && self.kind == OperationKind::AddOrReplace)
        {
            outcome.unknown = Some(unknown.why.clone());
            return value.cloned();
        }
        match steps {
            [] => self.replace(value, outcome),
            [Step::Each] => Some(self.items(value, outcome)),
            [Step::Each, rest @ ..] => {
                let items = value.and_then(Value::as_array);
                let each = |item: &Value| self.set(Some(item), rest, outcome).unwrap_or(Value::NULL);
                items.map(|items| Value::array(items.iter().map(each).collect())).or_else(|| value.cloned())
            }
            [Step::Member(name), rest @ ..] => {
                let old = value.and_then(|value| value.get(name));
                // A missing container of tags is not a parent that keeps an operation from happening.
                if old.is_none_or(Value::is_null)
                    && !rest.is_empty()
                    && &**name != "tags"
                    && !matches!(rest, [Step::Each])
                {
                    outcome.lacks_parent = true;
                }
                let new = self.set(old, rest, outcome);
                with_member(value, name, new)
            }
        }
    }

    /// Returns the changed value of the property itself.
    fn replace(&self, old: Option<&Value>, outcome: &mut Outcome) -> Option<Value> {
        match (self.kind, old) {
            (OperationKind::Remove, _) => None,
            (OperationKind::AddOrReplace, _) | (_, None) => Some(self.value.clone()),
            (OperationKind::Append | OperationKind::Add, Some(old)) => {
                let is_same = compare::holds(EQUALS, Some(old), &self.value);
                if !is_same.holds() && !old.same(&self.value) {
                    if is_same.can_hold() {
                        outcome.unknown = is_same.why().cloned();
                    } else if self.kind == OperationKind::Append {
                        outcome.conflict = Some(format!("`{}` has another value than the one to append", self.path));
                    } else {
                        outcome.unknown =
                            Some(Str::from("what `add` does to a property with another value is not documented"));
                    }
                }
                Some(old.clone())
            }
        }
    }

    /// Returns the array at the end of a path with `[*]`, with an additional item, or with this item only.
    fn items(&self, old: Option<&Value>, outcome: &mut Outcome) -> Value {
        let old = match old.map(|old| (old, old.as_array())) {
            Some((_, Some(items))) => items,
            Some((old, None)) => {
                outcome.unknown = Some(Str::from("what is appended to is not an array"));
                return old.clone();
            }
            None => &[],
        };
        let kept = if self.kind == OperationKind::AddOrReplace { &[] } else { old };
        Value::array(kept.iter().chain([&self.value]).cloned().collect())
    }

    /// Returns the change from one body to another.
    pub(super) fn change(&self, before: &Value, after: &Value) -> Change {
        let first: Vec<Step> = self.path.0.iter().take_while(|step| **step != Step::Each).cloned().collect();
        let at = |body: &Value| {
            first.iter().try_fold(body.clone(), |value, step| match step {
                Step::Member(name) => value.get(name).cloned(),
                Step::Each => None,
            })
        };
        Change { path: self.path.to_string(), before: at(before), after: at(after) }
    }
}

const EQUALS: Operator = Operator::ALL[0];

/// Obstacles on the path of an operation.
#[derive(Debug, Default)]
struct Outcome {
    conflict: Option<String>,
    unknown: Option<Str>,
    lacks_parent: bool,
}

/// Returns an object with a member set or removed.
fn with_member(object: Option<&Value>, name: &str, new: Option<Value>) -> Option<Value> {
    let members = object.and_then(Value::as_object);
    if members.is_none() && (object.is_some() || new.is_none()) {
        return object.cloned();
    }
    let old = members.into_iter().flatten();
    let mut all: Vec<Member> = Vec::new();
    let mut new = new;
    for member in old {
        if !member.key.eq_ignore_ascii_case(name) {
            all.push(member.clone());
        } else if let Some(value) = new.take() {
            all.push(Member { value, ..member.clone() });
        }
    }
    all.extend(new.map(|value| Member::new(name, value)));
    let span = object.and_then(|object| object.span);
    Some(Value { span, ..Value::object(all) })
}
