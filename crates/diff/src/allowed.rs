//! Changes of values that a changed list of allowed values explains.
//!
//! A value computed from a parameter without a value has one possible result per allowed value of the parameter. If
//! only the list changes, the possible results change too, but nothing else is deployed.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use crate::cause::first_steps;
use crate::digest::{Rules, is_parameter};
use crate::model::Document;
use crate::value::Value;

/// Parameters of the deployment without a value whose lists of allowed values differ, by name.
#[derive(Debug, Default)]
pub(super) struct AllowedChanges(BTreeMap<String, ListChange>);

/// Change of a list of allowed values. A parameter without a list allows everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListChange {
    Grown,
    Shrunk,
    Other,
}

impl ListChange {
    fn between(old: &[Value], new: &[Value], rules: Rules) -> Option<Self> {
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

impl AllowedChanges {
    /// Compares the lists of both sides.
    pub(super) fn between(old: Option<&Document>, new: Option<&Document>, rules: Rules) -> Self {
        let [old, new] = [old, new].map(|document: Option<&Document>| {
            let root = document.and_then(|document| document.deployments.first());
            root.map_or(Value::NULL, |root| root.parameters.clone())
        });
        let [old, new] = [rules.members(&old), rules.members(&new)];
        let changes = old.keys().filter_map(|name| {
            let [from, to] = [old.get(name)?, new.get(name)?].map(|member| {
                let unknown = member.value.as_unknown()?;
                is_parameter(&member.value, unknown).then_some(unknown.known_choices())
            });
            Some((name.clone(), ListChange::between(from?, to?, rules)?))
        });
        Self(changes.collect())
    }

    /// True if two values differ only by the results that the lists allow.
    pub(super) fn explain(&self, rules: Rules, old: &Value, new: &Value) -> bool {
        let Some(relation) = self.relation(rules, old, new) else { return false };

        let is_alike = match (old.as_unknown(), new.as_unknown()) {
            (Some(_), Some(_)) => rules.digest_without_choices(old) == rules.digest_without_choices(new),
            (None, None) => false,
            _ => true,
        };
        let [from, to] = [old, new].map(|value| {
            let choices = value.as_unknown().map_or(slice::from_ref(value), |unknown| unknown.known_choices());
            choices.iter().map(|choice| rules.digest(choice)).collect::<BTreeSet<_>>()
        });
        // Of too many choices, none is listed.
        let fits = match relation {
            _ if from.is_empty() || to.is_empty() => true,
            ListChange::Grown => from.is_subset(&to),
            ListChange::Shrunk => to.is_subset(&from),
            ListChange::Other => !from.is_disjoint(&to),
        };
        is_alike && fits
    }

    /// Returns the change of the lists of the parameters that both values come from.
    fn relation(&self, rules: Rules, old: &Value, new: &Value) -> Option<ListChange> {
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
        Some(if relations.all(|relation| relation == first) { first } else { ListChange::Other })
    }
}
