//! Compares a resource with a fact.

use crate::model::ResourceId;
use crate::outcomes::Outcomes;
use crate::published::misfit::MisfitStep;
use crate::published::services::fact::{Condition, Fact};
use crate::published::services::path::{Path, PathStep};
use crate::published::services::predicate::{Operator, Predicate, Scope, known_text};
use crate::published::services::words;
use crate::published::tolerance::Cloud;
use crate::value::{Data, Value};

/// Maximum number of items of one array that are compared with each other.
pub(super) const MAX_COMPARED: usize = 1_000;

/// A resource, by the value at which the paths of facts begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'d> {
    pub(super) root: &'d Value,
    /// `None` for a sample.
    pub(super) id: Option<ResourceId>,
}

/// The resources around one that is checked.
pub(super) trait Surroundings<'d> {
    /// Returns the resource that a resource is a child of.
    fn parent(&self, of: Node<'d>) -> Option<Node<'d>>;
    /// Returns the resource to which a value of `from` refers.
    fn target(&self, from: Node<'d>, value: &Value) -> Option<Node<'d>>;
}

/// A resource that is compared with facts.
pub(super) struct Subject<'s, 'd> {
    pub(super) cloud: Cloud,
    pub(super) node: Node<'d>,
    /// The way from the body of the resource to the value at which paths begin.
    pub(super) prefix: &'static [MisfitStep<'static>],
    pub(super) surroundings: &'s dyn Surroundings<'d>,
}

/// A part of a resource that breaks a fact.
#[derive(Debug)]
pub(super) struct Breach<'d> {
    /// The way from the body of the resource.
    pub(super) steps: Vec<MisfitStep<'d>>,
    /// Chosen alternatives of unknown values, as in a `Misfit`.
    pub(super) chosen: Vec<(usize, &'d Value)>,
    pub(super) message: String,
    /// The value that breaks it. `None` if it is missing.
    pub(super) actual: Option<&'d Value>,
}

impl<'d> Subject<'_, 'd> {
    /// Returns the parts of the resource that break a fact. `type_name` is in lower case.
    pub(super) fn breaches(&self, fact: &'static Fact, type_name: &str) -> Vec<Breach<'d>> {
        let mut breaches = Vec::new();
        for target in &fact.targets {
            if target.type_name == "*" || target.type_name.eq_ignore_ascii_case(type_name) {
                let mut walk = FactWalk {
                    subject: self,
                    fact,
                    steps: self.prefix.to_vec(),
                    chosen: Vec::new(),
                    anchor: self.node.root,
                    breaches: &mut breaches,
                };
                walk.visit_anchors(self.node.root, &target.at.steps);
            }
        }
        breaches
    }

    /// Returns `TRUE` if a predicate holds at a path from `anchor`. Of several items, one is enough.
    fn ask(&self, anchor: &'d Value, path: &Path, predicate: &Predicate) -> Outcomes {
        let start = if path.is_of_resource { self.node.root } else { anchor };
        self.ask_below(self.node, Some(start), &path.steps, predicate, anchor)
    }

    fn ask_below(
        &self,
        node: Node<'d>,
        value: Option<&'d Value>,
        steps: &[PathStep],
        predicate: &Predicate,
        anchor: &'d Value,
    ) -> Outcomes {
        let scope = Anchored { subject: self, anchor, compares_secrets: false };
        let Some((step, rest)) = steps.split_first() else { return predicate.holds(value, &scope) };
        let Some(value) = value.filter(|value| !value.is_null()) else { return predicate.holds(None, &scope) };
        match step {
            PathStep::Parent => {
                let Some(parent) = self.surroundings.parent(node) else { return Outcomes::UNKNOWN };
                return self.ask_below(parent, Some(parent.root), rest, predicate, anchor);
            }
            PathStep::Target => {
                let Some(target) = self.surroundings.target(node, value) else { return Outcomes::UNKNOWN };
                return self.ask_below(target, Some(target.root), rest, predicate, anchor);
            }
            PathStep::Member(_) | PathStep::Items => {}
        }
        if let Some(unknown) = value.as_unknown() {
            if unknown.is_optional {
                return Outcomes::UNKNOWN;
            }
            if !unknown.choices.is_empty() {
                let ask = |choice| self.ask_below(node, Some(choice), steps, predicate, anchor);
                return Outcomes::union_of(unknown.choices.iter().map(ask));
            }
            let known = unknown.approximation.as_object().filter(|_| unknown.open);
            return match (step, known) {
                (PathStep::Member(name), Some(known)) => known
                    .get(name)
                    .map_or(Outcomes::UNKNOWN, |member| self.ask_below(node, Some(member), rest, predicate, anchor)),
                _ => Outcomes::UNKNOWN,
            };
        }
        match step {
            PathStep::Member(name) => self.ask_below(node, member(self.cloud, value, name), rest, predicate, anchor),
            _ => self.ask_items(node, value, rest, predicate, anchor),
        }
    }

    fn ask_items(
        &self,
        node: Node<'d>,
        value: &'d Value,
        rest: &[PathStep],
        predicate: &Predicate,
        anchor: &'d Value,
    ) -> Outcomes {
        let Some(items) = value.as_array() else { return Outcomes::UNKNOWN };
        if items.is_empty() {
            return predicate.holds(None, &Anchored { subject: self, anchor, compares_secrets: false });
        }
        let compared = items.iter().take(MAX_COMPARED);
        Outcomes::any(compared.map(|item| self.ask_below(node, Some(item), rest, predicate, anchor)))
    }

    /// Returns the known scalars at a path from `anchor`. `None` if one is not known.
    fn texts(&self, anchor: &'d Value, path: &Path) -> Option<Vec<String>> {
        let start = if path.is_of_resource { self.node.root } else { anchor };
        let mut texts = Vec::new();
        self.collect(self.node, start, &path.steps, &mut texts)?;
        Some(texts)
    }

    fn collect(&self, node: Node<'d>, value: &'d Value, steps: &[PathStep], texts: &mut Vec<String>) -> Option<()> {
        let Some((step, rest)) = steps.split_first() else {
            texts.push(known_text(value, self.cloud)?);
            return Some(());
        };
        match step {
            PathStep::Parent => {
                let parent = self.surroundings.parent(node)?;
                self.collect(parent, parent.root, rest, texts)
            }
            PathStep::Target => {
                let target = self.surroundings.target(node, value)?;
                self.collect(target, target.root, rest, texts)
            }
            PathStep::Member(name) => {
                let object = value.as_object()?;
                match get(self.cloud, object, name).filter(|value| !value.is_null()) {
                    Some(member) => self.collect(node, member, rest, texts),
                    None => Some(()),
                }
            }
            PathStep::Items => {
                let mut items = value.as_array()?.iter().take(MAX_COMPARED);
                items.try_for_each(|item| self.collect(node, item, rest, texts))
            }
        }
    }
}

/// Returns the member of an object, if it is not `null`. `None` for what is not an object.
fn member<'d>(cloud: Cloud, value: &'d Value, name: &str) -> Option<&'d Value> {
    get(cloud, value.as_object()?, name).filter(|value| !value.is_null())
}

fn get<'d>(cloud: Cloud, object: &'d crate::value::Object, name: &str) -> Option<&'d Value> {
    match cloud {
        Cloud::Azure => object.get(name),
        Cloud::Aws => object.get_exact(name),
    }
}

/// The values of paths that begin at an item of a resource.
struct Anchored<'s, 'd> {
    subject: &'s Subject<'s, 'd>,
    anchor: &'d Value,
    compares_secrets: bool,
}

impl Scope for Anchored<'_, '_> {
    fn cloud(&self) -> Cloud {
        self.subject.cloud
    }

    fn compares_secrets(&self) -> bool {
        self.compares_secrets
    }

    fn number(&self, path: &Path) -> Option<f64> {
        let texts = self.subject.texts(self.anchor, path)?;
        let [text] = texts.as_slice() else { return None };
        text.trim().parse().ok()
    }

    fn texts(&self, path: &Path) -> Option<Vec<String>> {
        self.subject.texts(self.anchor, path)
    }
}

/// Goes to the values that a fact is about.
struct FactWalk<'w, 'd> {
    subject: &'w Subject<'w, 'd>,
    fact: &'static Fact,
    steps: Vec<MisfitStep<'d>>,
    chosen: Vec<(usize, &'d Value)>,
    /// The object at which the paths of the fact begin.
    anchor: &'d Value,
    breaches: &'w mut Vec<Breach<'d>>,
}

impl<'d> FactWalk<'_, 'd> {
    /// Goes to the objects at which the paths of the fact begin.
    fn visit_anchors(&mut self, value: &'d Value, steps: &[PathStep]) {
        let Some((step, rest)) = steps.split_first() else {
            return self.visit_anchor(value);
        };
        self.each(value, *step, &mut |walk, inner| {
            if let Some(inner) = inner {
                walk.visit_anchors(inner, rest);
            }
        });
    }

    fn visit_anchor(&mut self, value: &'d Value) {
        if let Some(unknown) = value.as_unknown() {
            for choice in &unknown.choices {
                self.chosen.push((self.steps.len(), choice));
                self.visit_anchor(choice);
                self.chosen.pop();
            }
            return;
        }
        self.anchor = value;
        self.visit_values(Some(value), &self.fact.path.steps);
    }

    /// Goes to the values that the fact is about, from one on the way. `None` stands for one that is missing.
    fn visit_values(&mut self, value: Option<&'d Value>, steps: &'static [PathStep]) {
        match (value, steps.split_first()) {
            (Some(value), Some((step, rest))) => {
                self.each(value, *step, &mut |walk, inner| walk.visit_values(inner, rest));
            }
            (Some(value), None) => self.judge(value),
            (None, _) => self.missing(steps),
        }
    }

    /// Goes one step further, to each value that can be there.
    fn each(&mut self, value: &'d Value, step: PathStep, visit: &mut dyn FnMut(&mut Self, Option<&'d Value>)) {
        match &value.data {
            Data::Unknown(unknown) if !unknown.choices.is_empty() => {
                for choice in &unknown.choices {
                    self.chosen.push((self.steps.len(), choice));
                    self.each(choice, step, visit);
                    self.chosen.pop();
                }
            }
            Data::Unknown(unknown) if unknown.open => {
                let PathStep::Member(name) = step else { return };
                if let Some(inner) = unknown.approximation.as_object().and_then(|object| object.get(name)) {
                    self.within(MisfitStep::Member(name), Some(inner), visit);
                }
            }
            Data::Object(object) if step == PathStep::Items => {
                for member in object.iter().take(MAX_COMPARED) {
                    self.within(MisfitStep::Member(&member.key), Some(&member.value), visit);
                }
            }
            Data::Object(object) => {
                let PathStep::Member(name) = step else { return };
                let inner = get(self.subject.cloud, object, name).filter(|value| !value.is_null());
                self.within(MisfitStep::Member(name), inner, visit);
            }
            Data::Array(items) if step == PathStep::Items => {
                for (index, item) in items.iter().enumerate().take(MAX_COMPARED) {
                    self.within(MisfitStep::Item(index), Some(item), visit);
                }
            }
            _ => {}
        }
    }

    fn within(
        &mut self,
        step: MisfitStep<'d>,
        inner: Option<&'d Value>,
        visit: &mut dyn FnMut(&mut Self, Option<&'d Value>),
    ) {
        self.steps.push(step);
        visit(self, inner);
        self.steps.pop();
    }

    /// Reports a missing value that the fact requires. `rest` has the missing steps below it.
    fn missing(&mut self, rest: &'static [PathStep]) {
        let is_name = |step: &PathStep| matches!(step, PathStep::Member(_));
        if !matches!(self.fact.must.operator, Operator::Present) || !rest.iter().all(is_name) || !self.applies() {
            return;
        }
        let names = rest
            .iter()
            .filter_map(|step| if let PathStep::Member(name) = step { Some(MisfitStep::Member(name)) } else { None });
        let steps = self.steps.iter().copied().chain(names).collect();
        let message = self.message(None);
        self.breaches.push(Breach { steps, chosen: self.chosen.clone(), message, actual: None });
    }

    fn judge(&mut self, value: &'d Value) {
        if let Some(unknown) = value.as_unknown().filter(|unknown| !unknown.choices.is_empty()) {
            for choice in &unknown.choices {
                self.chosen.push((self.steps.len(), choice));
                self.judge(choice);
                self.chosen.pop();
            }
            return;
        }
        if let Operator::Unique(path) = &self.fact.must.operator {
            return self.compare_items(value, path);
        }
        if let Operator::Names(predicate) = &self.fact.must.operator {
            return self.judge_names(value, predicate);
        }
        let compares_secrets = self.fact.is_secret;
        let scope = Anchored { subject: self.subject, anchor: self.anchor, compares_secrets };
        // A missing value is no choice that breaks a fact unless the fact demands it.
        let is_given = !self.subject.cloud.is_absent(value);
        if is_given && self.fact.must.holds(Some(value), &scope) == Outcomes::FALSE && self.applies() {
            let message = self.message(Some(value));
            let (steps, chosen) = (self.steps.clone(), self.chosen.clone());
            let actual = Some(value).filter(|_| !self.fact.is_secret);
            self.breaches.push(Breach { steps, chosen, message, actual });
        }
    }

    /// Reports members of an object with names that the service refuses.
    fn judge_names(&mut self, value: &'d Value, predicate: &Predicate) {
        let Some(object) = value.as_object().filter(|_| self.applies()) else { return };
        for member in object.iter().take(MAX_COMPARED) {
            let name = Value::from(&*member.key);
            let scope = Anchored { subject: self.subject, anchor: self.anchor, compares_secrets: false };
            // An expression is a name that is not known.
            if member.key.starts_with('[') || predicate.holds(Some(&name), &scope) != Outcomes::FALSE {
                continue;
            }
            let mut steps = self.steps.clone();
            steps.push(MisfitStep::Member(&member.key));
            let message = words::wrong_name(self.fact, &member.key);
            self.breaches.push(Breach { steps, chosen: self.chosen.clone(), message, actual: None });
        }
    }

    /// Reports items of an array that have the same value at a path.
    fn compare_items(&mut self, value: &'d Value, path: &Path) {
        let Some(items) = value.as_array().filter(|_| self.applies()) else { return };
        let mut seen: foldhash::HashSet<String> = foldhash::HashSet::default();
        for (index, item) in items.iter().enumerate().take(MAX_COMPARED) {
            let Some(text) = self.subject.texts_of_item(item, path) else { continue };
            let key = if self.subject.cloud == Cloud::Azure { text.to_lowercase() } else { text.clone() };
            if seen.insert(key) {
                continue;
            }
            let mut steps = self.steps.clone();
            steps.push(MisfitStep::Item(index));
            steps.extend(path.steps.iter().filter_map(|step| {
                if let PathStep::Member(name) = step { Some(MisfitStep::Member(name)) } else { None }
            }));
            let message = words::repeated(self.fact, path, &text);
            self.breaches.push(Breach { steps, chosen: self.chosen.clone(), message, actual: None });
        }
    }

    /// True if all conditions of the fact certainly hold.
    fn applies(&self) -> bool {
        self.fact.conditions.iter().all(|Condition { path, predicate, is_negated }| {
            self.subject.ask(self.anchor, path, predicate) == Outcomes::from(!is_negated)
        })
    }

    fn message(&self, value: Option<&Value>) -> String {
        let actual = |path: &Path| self.subject.texts(self.anchor, path).unwrap_or_default();
        words::message(self.fact, value, actual)
    }
}

impl<'d> Subject<'_, 'd> {
    /// Returns the one known scalar of an item at a path.
    fn texts_of_item(&self, item: &'d Value, path: &Path) -> Option<String> {
        let mut texts = Vec::new();
        self.collect(self.node, item, &path.steps, &mut texts)?;
        (texts.len() == 1).then(|| texts.pop()).flatten()
    }
}
