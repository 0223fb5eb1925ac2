//! What another list of allowed values explains.
//!
//! A value that is computed from a parameter without a value can be what it is for each allowed value of the parameter. If only
//! the list changes, so does what the value can be, but nothing else is deployed.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use crate::cause::first_steps;
use crate::digest::{Rules, is_parameter};
use crate::model::Document;
use crate::value::Value;

/// The parameters of the deployment without a value whose lists of allowed values differ, by their names for comparing.
#[derive(Debug, Default)]
pub(super) struct Allowed(BTreeMap<String, Relation>);

/// How a list became the other one. A parameter without a list allows everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Grown,
    Shrunk,
    Other,
}

impl Relation {
    fn of(old: &[Value], new: &[Value], rules: Rules) -> Option<Self> {
        let [from, to] = [old, new].map(|list| list.iter().map(|value| rules.digest(value)).collect::<BTreeSet<_>>());
        match (from.is_empty(), to.is_empty()) {
            _ if from == to => None,
            (_, true) => Some(Self::Grown),
            (true, _) => Some(Self::Shrunk),
            _ if from.is_subset(&to) => Some(Self::Grown),
            _ if to.is_subset(&from) => Some(Self::Shrunk),
            _ => Some(Self::Other),
        }
    }
}

impl Allowed {
    /// Compares the lists of both sides.
    pub(super) fn of(old: Option<&Document>, new: Option<&Document>, rules: Rules) -> Self {
        let parameters = |document: Option<&Document>| {
            let root = document.and_then(|document| document.deployments.first());
            root.map_or(Value::NULL, |root| root.parameters.clone())
        };
        let [old, new] = [old, new].map(parameters);
        let [old, new] = [rules.members(&old), rules.members(&new)];
        let relation = |name: &String| {
            let [from, to] = [old.get(name)?, new.get(name)?].map(|member| {
                let unknown = member.value.as_unknown()?;
                is_parameter(&member.value, unknown).then_some(unknown.known_choices())
            });
            Relation::of(from?, to?, rules)
        };
        Self(old.keys().filter_map(|name| Some((name.clone(), relation(name)?))).collect())
    }

    /// Whether two values are the same but for what the lists let them be.
    pub(super) fn explain(&self, rules: Rules, old: &Value, new: &Value) -> bool {
        let Some(relation) = self.relation(rules, old, new) else { return false };
        let choices = |value: &Value| match value.as_unknown() {
            Some(unknown) => unknown.known_choices().iter().map(|choice| rules.digest(choice)).collect(),
            None => slice::from_ref(value).iter().map(|value| rules.digest(value)).collect::<BTreeSet<_>>(),
        };
        let is_alike = match (old.as_unknown(), new.as_unknown()) {
            (Some(_), Some(_)) => rules.digest_without_choices(old) == rules.digest_without_choices(new),
            (None, None) => false,
            _ => true,
        };
        let [from, to] = [choices(old), choices(new)];
        // Of too many choices, none is listed.
        let fits = match relation {
            _ if from.is_empty() || to.is_empty() => true,
            Relation::Grown => from.is_subset(&to),
            Relation::Shrunk => to.is_subset(&from),
            Relation::Other => !from.is_disjoint(&to),
        };
        is_alike && fits
    }

    /// How the lists changed from whose parameters both values come.
    fn relation(&self, rules: Rules, old: &Value, new: &Value) -> Option<Relation> {
        if self.0.is_empty() {
            return None;
        }
        let [old, new] = [old, new].map(|value| {
            let mut steps = Vec::new();
            value.via.iter().for_each(|via| first_steps(via, &mut steps, &mut 0));
            steps.into_iter().map(|(name, _)| rules.key(name)).collect::<BTreeSet<_>>()
        });
        let mut relations = old.intersection(&new).filter_map(|name| self.0.get(name).copied());
        let first = relations.next()?;
        Some(if relations.all(|relation| relation == first) { first } else { Relation::Other })
    }
}
