//! Paths of facts: `properties.securityRules[*].properties.priority`, `^.sku.name`,
//! `properties.serverFarmId->sku.tier`.

/// The way from a resource, or from an item of it, to values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path {
    /// True if it begins at the resource, also where the target of its fact is an item.
    pub(super) is_of_resource: bool,
    pub(super) steps: Vec<PathStep>,
}

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathStep {
    /// `name`: a member of an object.
    Member(&'static str),
    /// `[*]`: each item of an array.
    Items,
    /// `^`: the resource that the resource is a child of.
    Parent,
    /// `->`: the resource of the template to which a value refers.
    Target,
}

impl Path {
    /// Reads a path. A `.` alone is the resource or item itself. `None` if it is not a path.
    pub(super) fn parse(text: &'static str) -> Option<Self> {
        let (is_of_resource, text) = match text.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut steps = Vec::new();
        for (at, leg) in text.split("->").enumerate() {
            if at > 0 {
                steps.push(PathStep::Target);
            }
            for segment in leg.split('.').filter(|_| leg != "." && !leg.is_empty()) {
                read_segment(segment, &mut steps)?;
            }
        }
        (!text.is_empty()).then_some(Self { is_of_resource, steps })
    }

    /// Returns the last name on the way; `None` if there is none.
    pub(super) fn last_name(&self) -> Option<&'static str> {
        self.steps.iter().rev().find_map(|step| if let PathStep::Member(name) = step { Some(*name) } else { None })
    }

    /// True if it leads to another resource.
    pub(super) fn leaves_resource(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, PathStep::Parent | PathStep::Target))
    }

    /// Returns the path for people: `sku.tier` of what `serverFarmId` refers to.
    pub(super) fn words(&self) -> String {
        let last = self.steps.iter().rposition(|step| matches!(step, PathStep::Parent | PathStep::Target));
        let (before, own) = self.steps.split_at(last.map_or(0, |at| at + 1));
        let own = format!("`{}`", joined(own));
        match before.split_last() {
            Some((PathStep::Parent, _)) => format!("{own} of the parent"),
            Some((PathStep::Target, way)) => {
                let mut names = way
                    .iter()
                    .rev()
                    .filter_map(|step| if let PathStep::Member(name) = step { Some(*name) } else { None });
                let last = names.next().unwrap_or_default();
                // `subnet.id` refers to the subnet.
                let name = if last == "id" { names.next().unwrap_or(last) } else { last };
                format!("{own} of `{name}`")
            }
            _ => own,
        }
    }
}

/// Steps as a path of names.
fn joined(steps: &[PathStep]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            PathStep::Member(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            PathStep::Items => text.push_str("[*]"),
            PathStep::Parent | PathStep::Target => {}
        }
    }
    text
}

/// Reads what is between two dots: a name with `[*]` behind it, `[*]` alone, or `^`.
fn read_segment(segment: &'static str, steps: &mut Vec<PathStep>) -> Option<()> {
    if segment == "^" {
        steps.push(PathStep::Parent);
        return Some(());
    }
    let (name, items) = segment.strip_suffix("[*]").map_or((segment, false), |name| (name, true));
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-$@:/".contains(&byte));
    if !is_name || (name.is_empty() && !items) {
        return None;
    }
    if !name.is_empty() {
        steps.push(PathStep::Member(name));
    }
    if items {
        steps.push(PathStep::Items);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read() {
        use PathStep::{Items, Member, Parent, Target};
        let steps = |text| Path::parse(text).map(|path| path.steps);
        assert_eq!(
            steps("properties.rules[*].name"),
            Some(vec![Member("properties"), Member("rules"), Items, Member("name")])
        );
        assert_eq!(steps("^.sku.name"), Some(vec![Parent, Member("sku"), Member("name")]));
        assert_eq!(steps("plan->sku"), Some(vec![Member("plan"), Target, Member("sku")]));
        assert_eq!(steps("."), Some(vec![]));
        assert!(Path::parse("/sku.name").unwrap().is_of_resource);
        for wrong in ["", "a..b", "a b", "a[0]", "/"] {
            assert_eq!(Path::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn paths_are_described() {
        let words = |text| Path::parse(text).unwrap().words();
        assert_eq!(words("properties.a[*].b"), "`properties.a[*].b`");
        assert_eq!(words("^.sku.name"), "`sku.name` of the parent");
        assert_eq!(words("properties.serverFarmId->sku.tier"), "`sku.tier` of `serverFarmId`");
        assert_eq!(words("subnet.id->addressPrefix"), "`addressPrefix` of `subnet`");
    }
}
