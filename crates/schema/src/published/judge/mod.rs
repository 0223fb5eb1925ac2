//! Compares values with their types.
//!
//! Azure is more tolerant than its published types, and so is this comparison: names and choices are case-insensitive,
//! `"true"` is a Boolean, `"5"` a number, and the empty string counts as absent. CloudFormation converts values in the
//! same way, but is case-sensitive, and takes an empty string for a value. Unknown values never fail.
//!
//! The caller, who knows the other resources, checks `references`. `rules` reports violations of the rules that types
//! have besides their structure, and `truth` evaluates such a rule.

mod choice;
mod names;
mod references;
mod rules;
mod tags;
mod truth;

pub(super) use self::choice::meant;
pub(super) use self::names::is_template_member;
use self::names::{COMMON_MEMBERS, PLAN_MEMBERS, TEMPLATE_MEMBERS, contains};

use foldhash::HashMap;

use crate::published::misfit::{Hint, Misfit, MisfitKind, MisfitStep, Status};
use crate::published::pack::{Block, Id, Name, Node, Object, Property};
use crate::published::tolerance::{Cloud, can_be, is_boolean, is_intrinsic, is_number, is_text};
use crate::value::{self, Data, Kind, Traits, Value};

pub(super) use self::references::{Demand, Reference};

/// Unions that may be nested without a value in between.
const MAX_UNIONS: usize = 16;

/// True if a value is absent or `null`, which is the same.
fn absent(value: Option<&Value>) -> bool {
    value.is_none_or(Value::is_null)
}

/// Compares the body of a resource with the type `body`. `name` is the last segment of the resource's name.
pub(super) fn judge<'a>(
    block: &'static Block,
    body: Id,
    resource: &'a value::Object,
    name: Option<&'a Value>,
) -> Vec<Misfit<'a>> {
    let mut judge = Judge::new(block, Cloud::Azure);
    judge.resource(body, resource, name);
    judge.misfits
}

/// Compares the body of a resource with the type `body`. Where an expression chooses between objects or arrays, each of
/// them has to fit.
pub(super) fn judge_branches<'a>(
    block: &'static Block,
    body: Id,
    resource: &'a value::Object,
    name: Option<&'a Value>,
) -> Vec<Misfit<'a>> {
    let mut judge = Judge { takes_branches: true, ..Judge::new(block, Cloud::Azure) };
    judge.resource(body, resource, name);
    judge.misfits
}

/// Compares the body of a resource with the type `body` and takes the type literally: a member that every resource may
/// have must be declared, too, and `properties` that nobody can write are read-only. Returns the misfits, and the paths
/// of unknown values that may not fit.
pub(super) fn judge_literally<'a>(
    block: &'static Block,
    body: Id,
    resource: &'a value::Object,
    name: Option<&'a Value>,
) -> (Vec<Misfit<'a>>, Vec<Vec<MisfitStep<'a>>>) {
    let mut judge = Judge { is_literal: true, ..Judge::new(block, Cloud::Azure) };
    judge.resource(body, resource, name);
    (judge.misfits, judge.unseen)
}

/// Compares the properties of a CloudFormation resource with their type. Returns the misfits, and the references, which
/// the caller checks because it knows the other resources.
pub(super) fn judge_properties<'a>(
    block: &'static Block,
    body: Id,
    properties: &'a Value,
) -> (Vec<Misfit<'a>>, Vec<Reference<'a>>) {
    let mut judge = Judge::new(block, Cloud::Aws);
    judge.within(MisfitStep::Member("Properties"), |judge| judge.value(properties, body));
    (judge.misfits, judge.references)
}

/// True if a value inside a resource fits the type `node`.
pub(super) fn fits(block: &'static Block, cloud: Cloud, node: Id, value: &Value) -> bool {
    let mut judge = Judge::new(block, cloud);
    // What is around the value does not count, but it is not the resource itself.
    judge.enclosing.push(DeclaredMembers { base: &[], own: &[], additional: None, demands: &[], absent_tag: None });
    judge.value(value, node);
    judge.misfits.is_empty()
}

/// Looks up in `body` the property of each misfit. `None` if `body` has no object that could hold the property.
pub(super) fn look_up<'a>(
    block: &'static Block,
    body: Id,
    resource: &'a value::Object,
    name: Option<&'a Value>,
    misfits: &'a [Misfit<'a>],
) -> Vec<Option<Status>> {
    let mut judge = Judge { statuses: vec![None; misfits.len()], ..Judge::new(block, Cloud::Azure) };
    for (at, misfit) in misfits.iter().enumerate() {
        if let [parents @ .., MisfitStep::Member(name)] = misfit.steps.as_slice() {
            judge.wanted.entry(parents).or_default().push((at, *name));
        }
    }
    judge.resource(body, resource, name);
    judge.statuses
}

/// True if a value is an object or an array.
fn is_container(value: &Value) -> bool {
    matches!(value.data, Data::Object(_) | Data::Array(_))
}

struct Judge<'a> {
    block: &'static Block,
    cloud: Cloud,
    steps: Vec<MisfitStep<'a>>,
    /// Chosen alternatives of unknown values, as in a [`Misfit`].
    chosen: Vec<(usize, &'a Value)>,
    misfits: Vec<Misfit<'a>>,
    /// Unions entered since the last value.
    unions: usize,
    /// Values whose kind depends on the resources that they refer to.
    references: Vec<Reference<'a>>,
    /// Conditions under which the current rule applies, each with the value that fulfills it.
    reasons: Vec<(Id, &'a Value)>,
    /// Rules entered.
    depth: usize,
    /// Properties of the objects around the current one, outermost first.
    enclosing: Vec<DeclaredMembers<'a>>,
    /// Properties to look up, with their positions, by the path of their object.
    wanted: HashMap<&'a [MisfitStep<'a>], Vec<(usize, &'a str)>>,
    /// Results of the lookups, by position.
    statuses: Vec<Option<Status>>,
    /// True if members that every resource may have must be declared.
    is_literal: bool,
    /// With `is_literal`: paths of unknown values that may not fit.
    unseen: Vec<Vec<MisfitStep<'a>>>,
    /// True if all branches of an expression have to fit.
    takes_branches: bool,
}

/// Properties that an object may have: those of all branches, and those of its own branch.
#[derive(Clone, Copy)]
struct DeclaredMembers<'a> {
    base: &'a [Property],
    own: &'a [Property],
    additional: Option<Id>,
    demands: &'a [Vec<Name>],
    /// Tag whose absence selected this branch.
    absent_tag: Option<&'a str>,
}

impl<'a> DeclaredMembers<'a> {
    fn iter(self) -> impl Iterator<Item = &'a Property> {
        self.own.iter().chain(self.base)
    }

    fn find(self, judge: &Judge<'a>, name: &str) -> Option<&'a Property> {
        self.iter().find(|property| judge.cloud.same_name(judge.block.text(property.name), name))
    }

    fn has_writable(self, judge: &Judge<'a>, name: &str) -> bool {
        self.find(judge, name).is_some_and(|property| !property.is_read_only())
    }

    /// Returns the status of the property `name`.
    fn status(self, judge: &Judge<'a>, name: &str) -> Status {
        match self.find(judge, name) {
            Some(property) if property.is_read_only() => Status::ReadOnly,
            Some(property) if property.is_required() => Status::Required,
            Some(_) => Status::Optional,
            None if self.additional.is_some() => Status::Optional,
            None => Status::Absent,
        }
    }

    fn names(self, block: &'static Block) -> Vec<&'static str> {
        let mut names: Vec<&'static str> =
            self.iter().filter(|p| !p.is_read_only()).map(|p| block.text(p.name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl<'a> From<&'a Object> for DeclaredMembers<'a> {
    fn from(object: &'a Object) -> Self {
        DeclaredMembers {
            base: &[],
            own: &object.properties,
            additional: object.additional,
            demands: &object.demands,
            absent_tag: None,
        }
    }
}

/// Members of an object in a template.
#[derive(Clone, Copy)]
struct ObjectMembers<'a> {
    members: &'a value::Object,
    /// True if all members are known.
    is_whole: bool,
}

impl<'a> Judge<'a> {
    fn new(block: &'static Block, cloud: Cloud) -> Self {
        Self {
            block,
            cloud,
            steps: Vec::new(),
            chosen: Vec::new(),
            misfits: Vec::new(),
            references: Vec::new(),
            unions: 0,
            reasons: Vec::new(),
            depth: 0,
            enclosing: Vec::new(),
            wanted: HashMap::default(),
            statuses: Vec::new(),
            is_literal: false,
            unseen: Vec::new(),
            takes_branches: false,
        }
    }

    /// Enters an object, and answers the lookups of its properties.
    fn enter(&mut self, members: DeclaredMembers<'a>) {
        self.enclosing.push(members);
        let wanted = self.wanted.get(self.steps.as_slice()).into_iter().flatten();
        let found: Vec<(usize, Status)> = wanted.map(|(at, name)| (*at, members.status(self, name))).collect();
        for (at, status) in found {
            if let Some(known) = self.statuses.get_mut(at) {
                *known = Some(status);
            }
        }
    }

    /// Checks the top level of a resource, where template keywords are allowed.
    fn resource(&mut self, body: Id, resource: &'a value::Object, name: Option<&'a Value>) {
        let members = match self.block.node(body) {
            Node::Object(object) => DeclaredMembers::from(object),
            Node::Tagged { key, base, branches } => {
                let key = self.block.text(*key);
                let tag = if key.eq_ignore_ascii_case("name") { name } else { resource.get(key) };
                match self.branch(key, tag, branches) {
                    Some(object) => DeclaredMembers {
                        base,
                        absent_tag: absent(tag).then_some(key),
                        ..DeclaredMembers::from(object)
                    },
                    None => return,
                }
            }
            _ => return,
        };
        // A type whose `properties` nobody can write, although templates do, is malformed.
        let properties = members.find(self, "properties");
        let is_malformed = !self.is_literal && properties.is_some_and(Property::is_read_only);
        if is_malformed && resource.get("properties").is_some() {
            return;
        }
        if let (Some(name), Some(property)) = (name, members.find(self, "name")) {
            self.within(MisfitStep::Member("name"), |judge| judge.value(name, property.node));
        }
        self.enter(members);
        for member in resource.iter().filter(|member| !contains(TEMPLATE_MEMBERS, &member.key)) {
            match members.find(self, &member.key) {
                _ if self.is_literal => self.member(members, member, resource),
                Some(property) if property.is_read_only() && contains(COMMON_MEMBERS, &member.key) => {}
                None if contains(COMMON_MEMBERS, &member.key) => {}
                _ => self.member(members, member, resource),
            }
        }
        self.missing(members, resource);
        self.enclosing.pop();
    }

    fn within(&mut self, step: MisfitStep<'a>, judge: impl FnOnce(&mut Self)) {
        self.steps.push(step);
        let unions = std::mem::take(&mut self.unions);
        judge(self);
        self.unions = unions;
        self.steps.pop();
    }

    fn misfit(&mut self, kind: MisfitKind<'a>) {
        let (steps, chosen) = (self.steps.clone(), self.chosen.clone());
        self.misfits.push(Misfit { steps, chosen, kind, reasons: Vec::new() });
    }

    fn value(&mut self, value: &'a Value, id: Id) {
        // The text of a secret may be a mask.
        let is_open = value.traits.has(Traits::SECRET) && value.as_str().is_some();
        if is_open || self.cloud.is_absent(value) || value.as_str().is_some_and(|text| self.cloud.is_replaced(text)) {
            return;
        }
        if let Some(unknown) = value.as_unknown().filter(|unknown| !unknown.choices.is_empty()) {
            return self.choices(&unknown.choices, id);
        }
        if self.is_literal && value.as_unknown().is_some_and(|unknown| !unknown.open) && self.is_narrow(id) {
            self.unseen.push(self.steps.clone());
        }
        let is_written = self.cloud == Cloud::Aws && value.as_object().is_some_and(is_intrinsic);
        match self.block.node(id) {
            _ if is_written => {}
            Node::Any => {}
            Node::Union(nodes) => self.union(value, nodes),
            Node::Boolean => self.expect(value, is_boolean(value), "a Boolean"),
            Node::Number => self.expect(value, is_number(value), "a number"),
            Node::Integer { min, max } => self.integer(value, *min, *max),
            Node::Text { min, max, pattern } => {
                let pattern = pattern.map(|pattern| self.block.text(pattern));
                self.text(value, *min, *max, pattern);
            }
            Node::Choice { values, open } => {
                let choices: Vec<&'static str> = values.iter().map(|value| self.block.text(*value)).collect();
                self.choice(value, choices, *open);
            }
            Node::Array { item, min, max } => self.array(value, *item, *min, *max),
            Node::Object(object) => {
                if let Some(given) = self.object(value) {
                    self.members(given, object.into());
                }
            }
            Node::Tagged { key, base, branches } => self.tagged(value, self.block.text(*key), base, branches),
            Node::Checked { .. } | Node::Rule(_) => {}
        }
        for rule in self.block.rules(id) {
            self.obey(*rule, value);
        }
    }

    /// True if a type has values of its kind that do not fit.
    fn is_narrow(&self, id: Id) -> bool {
        match self.block.node(id) {
            Node::Any | Node::Boolean | Node::Number | Node::Text { .. } => false,
            Node::Integer { min, max } => min.is_some() || max.is_some(),
            Node::Choice { open, .. } => !open,
            Node::Array { .. } | Node::Object(_) | Node::Tagged { .. } | Node::Union(_) => true,
            Node::Checked { .. } | Node::Rule(_) => false,
        }
    }

    /// Checks a value that is one of several alternatives. For Azure, one alternative has to fit: templates often
    /// contain alternatives that nobody deploys. With `takes_branches`, each object or array has to fit, but may be
    /// incomplete. In CloudFormation, each alternative is a branch that the author wrote for some deployment, so all
    /// have to fit.
    fn choices(&mut self, choices: &'a [Value], id: Id) {
        let before = std::mem::take(&mut self.misfits);
        let mut wrong: Vec<Vec<Misfit<'a>>> = Vec::new();
        for choice in choices {
            self.chosen.push((self.steps.len(), choice));
            self.value(choice, id);
            self.chosen.pop();
            wrong.push(std::mem::take(&mut self.misfits));
        }
        self.misfits = before;
        match self.cloud {
            Cloud::Azure if self.takes_branches && choices.iter().any(is_container) => {
                let of_branches = choices.iter().zip(wrong).filter(|(choice, _)| is_container(choice));
                self.misfits.extend(of_branches.flat_map(|(_, misfits)| misfits).filter(|misfit| {
                    use MisfitKind::{Type, UnknownProperty, Value};
                    matches!(misfit.kind, UnknownProperty { .. } | Type { .. } | Value { .. })
                }));
            }
            Cloud::Azure if wrong.iter().any(Vec::is_empty) => {}
            Cloud::Azure => self.misfits.extend(wrong.into_iter().next().into_iter().flatten()),
            Cloud::Aws => self.misfits.extend(wrong.into_iter().flatten()),
        }
    }

    fn expect(&mut self, value: &'a Value, fits: bool, expected: &'static str) {
        if !fits {
            self.misfit(MisfitKind::Type { found: value, expected: vec![expected] });
        }
    }

    fn integer(&mut self, value: &'a Value, min: Option<i64>, max: Option<i64>) {
        if !is_number(value) {
            return self.expect(value, false, "a number");
        }
        let number = value.as_int().or_else(|| value.as_str()?.trim().parse().ok());
        // Many types of Azure allow -1 for "no limit" without saying so.
        let Some(number) = number.filter(|&number| number != -1 || self.cloud == Cloud::Aws) else { return };
        if min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max) {
            self.misfit(MisfitKind::Range { found: value, min, max });
        }
    }

    fn text(&mut self, value: &'a Value, min: Option<u64>, max: Option<u64>, pattern: Option<&'a str>) {
        if !is_text(value) {
            return self.expect(value, false, "a string");
        }
        let Some(text) = value.as_str() else { return };
        let length = text.chars().count() as u64;
        if min.is_some_and(|min| length < min) || max.is_some_and(|max| length > max) {
            self.misfit(MisfitKind::Length { found: length, unit: "characters", min, max });
        } else if let Some(pattern) = pattern
            && !super::patterns::matches(pattern, text, self.cloud == Cloud::Azure)
        {
            self.misfit(MisfitKind::Pattern { found: value, pattern });
        }
    }

    fn array(&mut self, value: &'a Value, item: Id, min: Option<u64>, max: Option<u64>) {
        let items = match &value.data {
            Data::Array(items) => items,
            Data::Unknown(unknown) if can_be(unknown.kind, Kind::Array) => return self.refer(value, Demand::Array),
            _ => return self.expect(value, false, "an array"),
        };
        let length = items.len() as u64;
        let least = length
            - items.iter().filter(|item: &&Value| item.as_unknown().is_some_and(|unknown| unknown.is_optional)).count()
                as u64;
        if min.is_some_and(|min| length < min) || max.is_some_and(|max| least > max) {
            self.misfit(MisfitKind::Length { found: length, unit: "items", min, max });
        }
        for (index, value) in items.iter().enumerate() {
            self.within(MisfitStep::Item(index), |judge| judge.value(value, item));
        }
    }

    /// Returns the members of an object. `None` if the value is not an object, which is reported, or if nothing in it
    /// is known.
    fn object(&mut self, value: &'a Value) -> Option<ObjectMembers<'a>> {
        match &value.data {
            Data::Object(members) => return Some(ObjectMembers { members, is_whole: true }),
            Data::Unknown(unknown) if unknown.open => {
                return Some(ObjectMembers { members: unknown.approximation.as_object()?, is_whole: false });
            }
            Data::Unknown(unknown) if can_be(unknown.kind, Kind::Object) => self.refer(value, Demand::Object),
            _ => self.expect(value, false, "an object"),
        }
        None
    }

    fn members(&mut self, given: ObjectMembers<'a>, members: DeclaredMembers<'a>) {
        self.enter(members);
        for member in given.members {
            self.member(members, member, given.members);
        }
        // An object that only has an ID refers to a resource that exists.
        let is_reference = self.cloud == Cloud::Azure && given.members.len() == 1 && given.members.get("id").is_some();
        if given.is_whole && !is_reference {
            self.missing(members, given.members);
            self.demanded(members.demands, given.members);
        }
        self.enclosing.pop();
    }

    /// Reports an object that has none of several sets of properties, of which one is required completely.
    fn demanded(&mut self, sets: &'a [Vec<Name>], given: &'a value::Object) {
        let is_there = |name: &Name| given.get_exact(self.block.text(*name)).is_some_and(|value| !value.is_null());
        if sets.iter().any(|set| set.iter().all(is_there)) {
            return;
        }
        let Some(first) = sets.first().and_then(|set| set.iter().find(|name| !is_there(name))) else { return };
        let sets =
            sets.iter().map(|set: &'a Vec<Name>| set.iter().map(|name| self.block.text(*name)).collect()).collect();
        let step = MisfitStep::Member(self.block.text(*first));
        self.within(step, |judge| judge.misfit(MisfitKind::MissingOneOf { sets }));
    }

    fn member(&mut self, members: DeclaredMembers<'a>, member: &'a value::Member, given: &'a value::Object) {
        let key: &'a str = &member.key;
        let step = MisfitStep::Member(key);
        match (members.find(self, key), members.additional) {
            (Some(property), _) if property.is_read_only() => {
                if !self.cloud.is_absent(&member.value) {
                    self.within(step, |judge| judge.misfit(MisfitKind::ReadOnly));
                }
            }
            (Some(property), _) => self.within(step, |judge| judge.value(&member.value, property.node)),
            (None, Some(additional)) => self.within(step, |judge| judge.value(&member.value, additional)),
            (None, None) if self.cloud.is_absent(&member.value) => {}
            // Resource Manager has the same plan for all types, whatever they publish of it.
            (None, None) if self.is_in_plan() && contains(PLAN_MEMBERS, key) => {}
            (None, None) => {
                let kind = MisfitKind::UnknownProperty {
                    known: members.names(self.block),
                    hint: self.hint(key, members, given),
                };
                self.within(step, |judge| judge.misfit(kind));
            }
        }
    }

    fn is_in_plan(&self) -> bool {
        self.cloud == Cloud::Azure
            && matches!(self.steps.as_slice(), [MisfitStep::Member(name)] if name.eq_ignore_ascii_case("plan"))
    }

    /// Returns where a property belongs that an object does not have: one level further in, or out.
    fn hint(&self, name: &str, members: DeclaredMembers<'a>, given: &'a value::Object) -> Hint<'a> {
        for property in members.iter() {
            let inner = match self.block.node(property.node) {
                Node::Object(object) => DeclaredMembers::from(object),
                Node::Tagged { base, .. } => {
                    DeclaredMembers { base, own: &[], additional: None, demands: &[], absent_tag: None }
                }
                _ => continue,
            };
            let inner_name = self.block.text(property.name);
            let beside = given.get(inner_name);
            // Of other objects than `properties` and those that are there, it would be a guess. One that has the
            // property already is not where it is missing.
            let has_already = beside.is_some_and(|beside| beside.get(name).is_some());
            if inner.has_writable(self, name) && !has_already && (inner_name == "properties" || beside.is_some()) {
                return Hint::Into(inner_name);
            }
        }
        let outer = self.enclosing.len().checked_sub(2).and_then(|outer| self.enclosing.get(outer));
        if outer.is_some_and(|outer| outer.has_writable(self, name)) { Hint::Out } else { Hint::None }
    }

    fn missing(&mut self, members: DeclaredMembers<'a>, given: &'a value::Object) {
        let is_resource = self.enclosing.len() == 1 && self.cloud == Cloud::Azure;
        for property in members.iter().filter(|property| property.is_required()) {
            let name = self.block.text(property.name);
            if members.absent_tag == Some(name) || is_resource && is_template_member(name) {
                continue;
            }
            // An empty string stands for absence, but it has been written, and services accept it.
            if given.get(name).is_none_or(Value::is_null) {
                self.within(MisfitStep::Member(name), |judge| judge.misfit(MisfitKind::MissingProperty));
            }
        }
    }

    /// Checks that at least one type of a union fits. If none does, the misfits of the type with the fewest are
    /// reported; if the kind of the value is wrong for all types, that is.
    fn union(&mut self, value: &'a Value, nodes: &[Id]) {
        if self.unions == MAX_UNIONS {
            return;
        }
        // What one of the types demands of a reference need not hold.
        let references = self.references.len();
        let mut best: Option<Vec<Misfit<'a>>> = None;
        let mut expected: Vec<&'static str> = Vec::new();
        for node in nodes {
            let before = std::mem::take(&mut self.misfits);
            self.unions += 1;
            self.value(value, *node);
            self.unions -= 1;
            let misfits = std::mem::replace(&mut self.misfits, before);
            self.references.truncate(references);
            match misfits.as_slice() {
                [] => return,
                [Misfit { kind: MisfitKind::Type { expected: other, .. }, steps, .. }]
                    if steps.len() == self.steps.len() =>
                {
                    expected.extend(other);
                }
                _ if best.as_ref().is_none_or(|best| misfits.len() < best.len()) => best = Some(misfits),
                _ => {}
            }
        }
        match best {
            Some(misfits) => self.misfits.extend(misfits),
            None if expected.is_empty() => {}
            None => {
                expected.sort_unstable();
                expected.dedup();
                self.misfit(MisfitKind::Type { found: value, expected });
            }
        }
    }
}
