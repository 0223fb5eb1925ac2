//! Compares lists. Lists of scalars are sets. Objects pair by a member that identifies them, or else by position.

use foldhash::{HashMap, HashSet};

use crate::body::{BodyComparison, is_empty, is_tag_of_cloud, is_unsettled};
use crate::drift::{ChangeSide, DriftChange};
use crate::model::join_index;
use crate::scalars::{CloudRules, Equality, TextKind};
use crate::value::{Data, Str, Traits, Value};

/// Members that identify the items of a list, by precedence.
const NAMES: [&str; 3] = ["name", "id", "key"];

/// Members that identify items that have no name.
const PRIORITIES: [&str; 2] = ["failoverPriority", "priority"];

/// Pairs of strings that are compared to find equal ones. Longer lists are not compared.
const MAX_PAIRS: usize = 10_000;

/// The members that identify the items of a list: the compared form, and the text.
struct ItemKeys {
    /// Keys of the items. `None` for an item that cannot be compared.
    keys: Vec<Option<(String, Str)>>,
}

impl ItemKeys {
    /// Returns the keys of items, if each has one and no two have the same. Items that are known only after a deployment
    /// have none.
    fn new(items: &[Value], read: impl Fn(&Value) -> Option<(String, Str)>, member: &str) -> Option<Self> {
        let mut seen = HashSet::default();
        let mut keys = Vec::with_capacity(items.len());
        for item in items {
            if item.as_unknown().is_some() || item.get(member).is_some_and(is_vague) {
                keys.push(None);
                continue;
            }
            let key = read(item.as_object()?.get(member)?)?;
            if !seen.insert(key.0.clone()) {
                return None;
            }
            keys.push(Some(key));
        }
        Some(Self { keys })
    }

    /// True if some item cannot be compared.
    fn has_unknown(&self) -> bool {
        self.keys.iter().any(Option::is_none)
    }
}

impl BodyComparison {
    /// Compares two lists. Properties that the template leaves out in items are not listed.
    pub(crate) fn list(&mut self, path: &str, template: &[Value], live: &[Value]) {
        let lists_unset = std::mem::replace(&mut self.lists_unset, false);
        self.items(path, template, live);
        self.lists_unset = lists_unset;
    }

    fn items(&mut self, path: &str, template: &[Value], live: &[Value]) {
        // Azure fills an empty list.
        if template.is_empty() {
            return;
        }
        if template.iter().chain(live).all(is_scalar) {
            return self.sets(path, template, live);
        }
        let by_name = NAMES.iter().map(|member| (*member, false));
        let by_priority = PRIORITIES.iter().map(|member| (*member, true));
        for (member, is_number) in by_name.chain(by_priority) {
            if let Some((own, other)) = self.keys(member, is_number, template, live) {
                return self.keyed(path, (template, &own), (live, &other), member);
            }
        }
        if self.rules == CloudRules::Aws
            && let Some(left) = self.pairs_left.checked_sub(template.len().saturating_mul(live.len()))
        {
            self.pairs_left = left;
            return self.matched(path, template, live);
        }
        let pairs = template.iter().map(Some).chain(std::iter::repeat(None));
        let others = live.iter().map(Some).chain(std::iter::repeat(None));
        for (index, (own, other)) in pairs.zip(others).enumerate().take(template.len().max(live.len())) {
            self.item(&join_index(path, index), own, other);
        }
    }

    /// Returns the keys of both lists, if a member identifies the items of both.
    fn keys(&self, member: &str, is_number: bool, template: &[Value], live: &[Value]) -> Option<(ItemKeys, ItemKeys)> {
        let keys = template.iter().filter_map(|item| item.get(member));
        let is_any_invented = keys.into_iter().any(|key| key.traits.has(Traits::PLACEHOLDER));
        let read = |value: &Value| {
            if is_number {
                let digest = self.rules.digest(TextKind::Plain, value)?;
                return Some((digest.clone(), Str::from(digest)));
            }
            let text = value.as_shared_str()?;
            let key = self.rules.key(TextKind::Plain, text);
            Some((if is_any_invented { without_scope(&key) } else { key }, text.clone()))
        };
        let own = ItemKeys::new(template, read, member)?;
        let other = ItemKeys::new(live, read, member)?;
        let is_usable = !other.has_unknown() && own.keys.iter().any(Option::is_some);
        is_usable.then_some((own, other))
    }

    /// Compares lists whose items have keys.
    fn keyed(&mut self, path: &str, own: (&[Value], &ItemKeys), other: (&[Value], &ItemKeys), member: &str) {
        let positions = other.1.keys.iter().zip(other.0);
        let mut left: HashMap<&str, &Value> =
            positions.filter_map(|(key, item)| Some((key.as_ref()?.0.as_str(), item))).collect();
        if own.1.has_unknown() {
            self.found.uncompared.push(path.to_owned());
        }
        for (item, key) in own.0.iter().zip(&own.1.keys) {
            let Some((key, text)) = key else { continue };
            let path = format!("{path}[{member}={text}]");
            let live = left.remove(key.as_str());
            self.within(text, |comparison| comparison.item(&path, Some(item), live));
        }
        let added = other.1.keys.iter().flatten().filter(|_| !own.1.has_unknown());
        for (key, text) in added {
            let is_tag = member == "key" && is_tag_of_cloud(text);
            if left.contains_key(key.as_str()) && !is_tag {
                let child = self.names.last().map(|list| format!("{list}/{text}").to_lowercase());
                let before = self.found.changes.len();
                self.item(&format!("{path}[{member}={text}]"), None, Some(&Value::NULL));
                for change in self.found.changes.iter_mut().skip(before) {
                    change.child.clone_from(&child);
                }
            }
        }
    }

    /// Compares the items of two lists that belong together, or reports the one that is alone.
    fn item(&mut self, path: &str, own: Option<&Value>, other: Option<&Value>) {
        match (own, other) {
            (Some(own), Some(other)) => self.values(path, own, other),
            (Some(own), None) if is_unsettled(own) => self.found.uncompared.push(path.to_owned()),
            (Some(_), None) => self.change(path, ChangeSide::Present, ChangeSide::Absent),
            (None, Some(_)) => self.change(path, ChangeSide::Absent, ChangeSide::Present),
            (None, None) => {}
        }
    }

    /// Compares lists of objects without a name, whose order does not matter: equal items pair, and the others by
    /// position.
    fn matched(&mut self, path: &str, template: &[Value], live: &[Value]) {
        let mut left: Vec<&Value> = live.iter().collect();
        let mut others: Vec<(usize, &Value)> = Vec::new();
        for (index, item) in template.iter().enumerate() {
            let position = left.iter().position(|other| self.is_equal(item, other));
            match position {
                Some(position) => drop(left.remove(position)),
                None => others.push((index, item)),
            }
        }
        let count = others.len();
        for ((index, item), other) in
            others.into_iter().zip(left.iter().copied().map(Some).chain(std::iter::repeat(None)))
        {
            self.item(&join_index(path, index), Some(item), other);
        }
        for (index, _) in left.iter().enumerate().skip(count) {
            self.item(&join_index(path, template.len() + index - count), None, Some(&Value::NULL));
        }
    }

    /// True if nothing in two items differs.
    fn is_equal(&mut self, template: &Value, live: &Value) -> bool {
        let mut comparison = Self::new(self.rules, false);
        comparison.names.clone_from(&self.names);
        comparison.pairs_left = self.pairs_left;
        comparison.is_probe = true;
        comparison.values("", template, live);
        self.pairs_left = comparison.pairs_left;
        comparison.found.is_empty()
    }

    /// Compares lists of scalars, whose order does not matter.
    fn sets(&mut self, path: &str, template: &[Value], live: &[Value]) {
        if template.iter().any(is_unsettled) {
            self.found.uncompared.push(path.to_owned());
            return;
        }
        let kind = self.kind();
        let equality = if template.iter().any(|item| item.traits.has(Traits::PLACEHOLDER)) {
            self.compare_invented(kind, template, live)
        } else {
            let [own, other] = [template, live].map(|items| {
                let set = items.iter().filter(|item| !is_empty(item));
                set.filter_map(|item| self.rules.digest(kind, item)).collect::<HashSet<String>>()
            });
            if own == other { Equality::Same } else { Equality::Different }
        };
        match equality {
            Equality::Same => {}
            Equality::Unknown => self.found.uncompared.push(path.to_owned()),
            Equality::Different => {
                let [own, other] = [template, live].map(|items| ChangeSide::Value(Value::array(items.to_vec())));
                self.change(path, own, other);
            }
        }
    }

    /// Compares sets of which some texts contain invented names.
    fn compare_invented(&self, kind: TextKind, template: &[Value], live: &[Value]) -> Equality {
        if template.len().saturating_mul(live.len()) > MAX_PAIRS {
            return Equality::Unknown;
        }
        let mut left: Vec<&Value> = live.iter().filter(|item| !is_empty(item)).collect();
        let mut result = Equality::Same;
        for item in template.iter().filter(|item| !is_empty(item)) {
            let results: Vec<Equality> = left.iter().map(|other| self.rules.compare(kind, item, other)).collect();
            if let Some(position) = results.iter().position(|equality| *equality == Equality::Same) {
                left.remove(position);
            } else if results.contains(&Equality::Unknown) {
                result = Equality::Unknown;
            } else {
                return Equality::Different;
            }
        }
        if result == Equality::Same && !left.is_empty() { Equality::Different } else { result }
    }
}

/// True for a key that is not known before a deployment, such as a name with a hash of the resource group.
fn is_vague(key: &Value) -> bool {
    is_unsettled(key) || key.traits.has(Traits::PLACEHOLDER) && !key.traits.has(Traits::INTACT)
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value.data, Data::Array(_) | Data::Object(_))
}

/// Returns an ID without the names of its subscription and resource group, which the settings may not know.
fn without_scope(id: &str) -> String {
    let mut last = "";
    let segments = id.split('/').map(|segment| {
        let is_scope = matches!(std::mem::replace(&mut last, segment), "subscriptions" | "resourcegroups");
        if is_scope { "*" } else { segment }
    });
    segments.collect::<Vec<_>>().join("/")
}

impl DriftChange {
    /// True if the item that was added is a resource of its own. `is_declared` knows the children of the resource, such
    /// as `subnets/web`.
    pub(crate) fn is_child(&self, is_declared: impl Fn(&str) -> bool) -> bool {
        self.child.as_deref().is_some_and(is_declared)
    }
}
