//! Compares what a template sets of a resource with the resource that exists.

use arcstr::ArcStr;
use formwork_syntax::json;

use crate::diagnostic::Severity;
use crate::drift::{ChangeSide, DriftChange};
use crate::masks;
use crate::model::join_key;
use crate::scalars::{CloudRules, Equality, TextKind};
use crate::value::{Data, Object, Str, Traits, Value};

/// Members of a template's resource that identify it, or that matter to the template only.
const NOT_COMPARED: [&str; 14] = [
    "type",
    "name",
    "id",
    "apiVersion",
    "scope",
    "dependsOn",
    "condition",
    "copy",
    "resources",
    "comments",
    "metadata",
    "etag",
    "import",
    "extension",
];

/// The member of a resource of AWS that is compared.
const PROPERTIES: &str = "Properties";

/// Members that each deployment of Resource Manager shows of any resource, and nobody sets.
const SHOWN_ONLY: [&str; 8] = [
    "systemData",
    "managedBy",
    "changedTime",
    "createdTime",
    "provisioningState",
    "resourceGroup",
    "tenantId",
    "subscriptionId",
];

/// Beginnings of the names of tags that the clouds add.
const TAGS_OF_CLOUDS: [&str; 2] = ["hidden-", "aws:"];

/// Differences of one resource that are listed.
const MAX_LISTED: usize = 1_000;

/// Pairs of items of one resource that are compared to find equal ones.
const MAX_PAIRS: usize = 100_000;

/// Depth of policy documents and similar JSON in strings.
const MAX_NESTING: u32 = 64;

/// Kind of the members of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberKind {
    Properties,
    /// Tags: one that only one side has is a difference.
    Tags,
}

/// A property that the cloud shows, and the template leaves out.
#[derive(Clone, Debug)]
pub(crate) struct UnsetProperty {
    pub(crate) path: String,
    /// The names of the path, outermost first.
    pub(crate) names: Vec<Str>,
}

/// Result of comparing a resource.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyDrift {
    pub(crate) changes: Vec<DriftChange>,
    /// Number of differences that are not listed.
    pub(crate) more: usize,
    pub(crate) unseen: Vec<String>,
    pub(crate) uncompared: Vec<String>,
    /// Properties outside of lists that the template leaves out.
    pub(crate) unset: Vec<UnsetProperty>,
}

impl BodyDrift {
    /// True if nothing differs.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.more == 0
    }
}

/// A comparison of a template's resource with one that exists.
pub(crate) struct BodyComparison {
    pub(crate) rules: CloudRules,
    /// Names on the way to the values that are compared, with the names of items.
    pub(crate) names: Vec<Str>,
    /// True if properties that the template leaves out are collected.
    pub(crate) lists_unset: bool,
    /// Pairs of items that may still be compared to find equal ones. Further lists pair by position.
    pub(crate) pairs_left: usize,
    /// True if only the first difference matters.
    pub(crate) is_probe: bool,
    pub(crate) found: BodyDrift,
}

impl BodyComparison {
    /// Creates a comparison by the rules of a cloud.
    pub(crate) fn new(rules: CloudRules, lists_unset: bool) -> Self {
        Self {
            rules,
            names: Vec::new(),
            lists_unset,
            pairs_left: MAX_PAIRS,
            is_probe: false,
            found: BodyDrift::default(),
        }
    }

    /// Compares the bodies of two resources.
    pub(crate) fn resource(mut self, template: &Value, live: &Value) -> BodyDrift {
        let (Some(own), Some(other)) = (template.as_object(), live.as_object()) else { return self.found };
        for member in own {
            let is_compared = match self.rules {
                CloudRules::Azure => !NOT_COMPARED.iter().any(|name| member.key.eq_ignore_ascii_case(name)),
                CloudRules::Aws => member.key == *PROPERTIES,
            };
            if is_compared {
                self.member("", &member.key, &member.value, other, MemberKind::Properties);
            }
        }
        self.unset_members("", own, other);
        self.found.changes.sort_by(|one, two| one.path.cmp(&two.path));
        self.found
    }

    /// Compares two values at a path.
    pub(crate) fn values(&mut self, path: &str, template: &Value, live: &Value) {
        if self.is_probe && !self.found.is_empty() {
            return;
        }
        let is_container = matches!(template.data, Data::Array(_) | Data::Object(_));
        if template.as_unknown().is_some() || template.traits.has(Traits::SECRET) && !is_container {
            self.found.uncompared.push(path.to_owned());
            return;
        }
        match (&template.data, &live.data) {
            (Data::Object(own), Data::Object(other)) => self.members(path, own, other, MemberKind::Properties),
            (Data::Array(own), Data::Array(other)) => self.list(path, own, other),
            (Data::Object(_) | Data::Array(_), Data::String(text)) if self.rules == CloudRules::Aws => {
                match json::parse_computed(&ArcStr::from(&**text), MAX_NESTING) {
                    Ok(parsed) if !matches!(parsed.data, Data::String(_)) => self.values(path, template, &parsed),
                    _ => self.alone(path, template, live),
                }
            }
            (Data::Object(_) | Data::Array(_), _) | (_, Data::Object(_) | Data::Array(_)) => {
                self.alone(path, template, live);
            }
            _ => {
                let kind = self.kind();
                self.scalars(path, kind, template, live);
            }
        }
    }

    /// Compares a scalar with a list. In AWS, a list of one item may be written without the list.
    fn alone(&mut self, path: &str, template: &Value, live: &Value) {
        let is_aws = self.rules == CloudRules::Aws;
        match (template.as_array(), live.as_array()) {
            (Some(own), None) if is_aws => self.list(path, own, std::slice::from_ref(live)),
            (None, Some(other)) if is_aws => self.list(path, std::slice::from_ref(template), other),
            _ => self.change(path, ChangeSide::Value(template.clone()), ChangeSide::Value(live.clone())),
        }
    }

    fn scalars(&mut self, path: &str, kind: TextKind, template: &Value, live: &Value) {
        match self.rules.compare(kind, template, live) {
            Equality::Same => {}
            Equality::Unknown => self.found.uncompared.push(path.to_owned()),
            Equality::Different => {
                self.change(path, ChangeSide::Value(template.clone()), ChangeSide::Value(live.clone()));
            }
        }
    }

    /// Returns the kind of the strings in the current property.
    pub(crate) fn kind(&self) -> TextKind {
        self.names.last().map_or(TextKind::Plain, |name| TextKind::of_property(name))
    }

    fn members(&mut self, path: &str, template: &Object, live: &Object, kind: MemberKind) {
        for member in template {
            self.member(path, &member.key, &member.value, live, kind);
        }
        match kind {
            MemberKind::Tags => {
                for member in live.iter().filter(|member| template.get(&member.key).is_none()) {
                    if !is_tag_of_cloud(&member.key) && !is_empty(&member.value) {
                        let path = join_key(path, &member.key);
                        self.within(&member.key, |comparison| {
                            comparison.change(&path, ChangeSide::Absent, ChangeSide::Value(member.value.clone()));
                        });
                    }
                }
            }
            MemberKind::Properties => self.unset_members(path, template, live),
        }
    }

    /// Compares a member that the template sets with the object that exists.
    fn member(&mut self, path: &str, key: &Str, template: &Value, live: &Object, kind: MemberKind) {
        if template.is_null() {
            return;
        }
        let is_tags = path.is_empty() && self.rules == CloudRules::Azure && key.eq_ignore_ascii_case("tags");
        let path = join_key(path, key);
        let Some(other) = live.get(key).filter(|other| !is_empty(other)) else {
            if kind == MemberKind::Tags && !is_unsettled(template) {
                self.within(key, |comparison| {
                    comparison.change(&path, ChangeSide::Value(template.clone()), ChangeSide::Absent);
                });
            } else if !is_blank(template) {
                self.found.unseen.push(path);
            }
            return;
        };
        self.within(key, |comparison| match (&template.data, &other.data) {
            (Data::Object(own), Data::Object(other)) if is_tags => {
                comparison.members(&path, own, other, MemberKind::Tags);
            }
            _ if kind == MemberKind::Tags && !is_unsettled(template) => {
                comparison.scalars(&path, TextKind::Exact, template, other);
            }
            _ => comparison.values(&path, template, other),
        });
    }

    /// Collects the members that the template leaves out.
    fn unset_members(&mut self, path: &str, template: &Object, live: &Object) {
        if !self.lists_unset || self.rules == CloudRules::Aws {
            return;
        }
        for member in live.iter().filter(|member| template.get(&member.key).is_none() && !is_blank(&member.value)) {
            let is_shown_only = self.names.is_empty()
                && NOT_COMPARED.iter().chain(&SHOWN_ONLY).any(|name| member.key.eq_ignore_ascii_case(name));
            if !is_shown_only {
                let names = self.names.iter().chain([&member.key]).cloned().collect();
                self.found.unset.push(UnsetProperty { path: join_key(path, &member.key), names });
            }
        }
    }

    /// Runs a comparison below a name.
    pub(crate) fn within(&mut self, name: &Str, compare: impl FnOnce(&mut Self)) {
        self.names.push(name.clone());
        compare(self);
        self.names.pop();
    }

    /// Adds a difference. Secrets in it are marked.
    pub(crate) fn change(&mut self, path: &str, template: ChangeSide, live: ChangeSide) {
        if self.is_probe || self.found.changes.len() >= MAX_LISTED {
            self.found.more += 1;
            return;
        }
        let names: Vec<&str> = self.names.iter().map(|name| &**name).collect();
        let mut is_secret = false;
        let [template, live] = [template, live].map(|side| match side {
            ChangeSide::Value(value) => {
                let value = masks::masked(&value, &names);
                is_secret |= value.as_str().is_some() && value.traits.has(Traits::SECRET);
                ChangeSide::Value(value)
            }
            side => side,
        });
        let is_tag = names.iter().take(2).any(|name| name.eq_ignore_ascii_case("tags"));
        let severity = if is_tag { Severity::Low } else { Severity::Medium };
        let change = DriftChange { path: path.to_owned(), template, live, is_secret, severity, child: None };
        self.found.changes.push(change);
    }
}

/// True for a value that a cloud shows for a property without a value.
pub(crate) fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(str::is_empty)
}

/// True for a value that sets nothing.
fn is_blank(value: &Value) -> bool {
    is_empty(value)
        || value.as_array().is_some_and(<[Value]>::is_empty)
        || value.as_object().is_some_and(Object::is_empty)
}

/// True for a value that cannot be compared.
pub(crate) fn is_unsettled(value: &Value) -> bool {
    value.as_unknown().is_some() || value.traits.has(Traits::SECRET)
}

/// True for a tag that the cloud adds.
pub(crate) fn is_tag_of_cloud(name: &str) -> bool {
    let mut starts = TAGS_OF_CLOUDS.iter().map(|prefix| (prefix, name.get(..prefix.len())));
    starts.any(|(prefix, start)| start.is_some_and(|start| start.eq_ignore_ascii_case(prefix)))
}
