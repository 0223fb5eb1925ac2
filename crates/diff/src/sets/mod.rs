//! Arrays that are sets: the order of their items makes no difference.
//!
//! The tables are data. A line has a type and the paths of its sets, without items and separated by slashes; in Azure
//! case-insensitive, in CloudFormation below `Properties`. `*` for the type stands for all types, and its paths may
//! begin anywhere. A line that begins with `@` names the source of the lines below it.

use std::sync::LazyLock;

use foldhash::HashMap;

use crate::digest::Rules;
use crate::value::{Data, Member, Value};

/// A table of sets.
#[derive(Debug)]
struct SetTable {
    /// Paths of a type, by its name in lower case.
    by_type: HashMap<String, Vec<&'static str>>,
    /// Ends of paths in all types, by their last name in lower case.
    of_all: HashMap<String, Vec<&'static str>>,
}

static AZURE: LazyLock<SetTable> = LazyLock::new(|| SetTable::read(&[include_str!("azure.sets")]));

static AWS: LazyLock<SetTable> =
    LazyLock::new(|| SetTable::read(&[include_str!("cloudformation.sets"), include_str!("aws.sets")]));

impl SetTable {
    fn read(texts: &[&'static str]) -> Self {
        let mut table = Self { by_type: HashMap::default(), of_all: HashMap::default() };
        let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with(['#', '@']));
        for (name, paths) in lines.filter_map(|line| line.split_once(' ')) {
            for path in paths.split(' ') {
                let all = match name {
                    "*" => table.of_all.entry(last(path).to_ascii_lowercase()),
                    _ => table.by_type.entry(name.to_ascii_lowercase()),
                };
                all.or_default().push(path);
            }
        }
        table
    }
}

/// True if the array at a path of a type is a set. `path` has the names from the body of the resource on, in lower case
/// and separated by slashes.
pub(super) fn is_set(type_name: &str, path: &str) -> bool {
    let (table, path) = if type_name.contains("::") {
        (&*AWS, path.strip_prefix("properties/").unwrap_or(path))
    } else {
        (&*AZURE, path)
    };
    let own = table.by_type.get(&type_name.to_ascii_lowercase()).into_iter().flatten();
    let ends = table.of_all.get(last(path)).into_iter().flatten();
    own.into_iter().any(|set| set.eq_ignore_ascii_case(path)) || ends.into_iter().any(|end| is_end(path, end))
}

/// Appends a member's name to a path.
pub(super) fn join(path: &str, name: &str) -> String {
    let separator = if path.is_empty() { "" } else { "/" };
    format!("{path}{separator}{}", name.to_ascii_lowercase())
}

/// Returns the value at a path of a type, with the items of its sets sorted.
pub(super) fn sorted(rules: Rules, type_name: &str, path: &str, value: &Value) -> Value {
    match &value.data {
        Data::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(|item| sorted(rules, type_name, path, item)).collect();
            if is_set(type_name, path) {
                items.sort_by_cached_key(|item| rules.digest(item));
            }
            Value::array(items)
        }
        Data::Object(members) => {
            let members = members.iter().map(|member| {
                let value = sorted(rules, type_name, &join(path, &member.key), &member.value);
                Member { value, ..member.clone() }
            });
            Value::object(members.collect())
        }
        _ => value.clone(),
    }
}

fn last(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, last)| last)
}

/// True if a path ends with these names.
fn is_end(path: &str, end: &str) -> bool {
    let start = path.len().checked_sub(end.len());
    let (before, own) = start.and_then(|start| path.split_at_checked(start)).unwrap_or_default();
    own.eq_ignore_ascii_case(end) && (before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_type_with_paths_from_somewhere() {
        for text in [include_str!("azure.sets"), include_str!("aws.sets")] {
            let mut has_source = false;
            for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                has_source |= line.starts_with("@ https://");
                assert!(has_source && line.split_once(' ').is_some_and(|(_, paths)| !paths.is_empty()), "{line}");
            }
        }
        assert!(AWS.by_type.len() > 500);
    }

    #[test]
    fn a_type_has_its_own_sets() {
        let own = "properties/permissions/actions";
        assert!(is_set("microsoft.authorization/ROLEDEFINITIONS", own));
        assert!(!is_set("Microsoft.Authorization/roleAssignments", own));
        assert!(!is_set("Microsoft.Authorization/roleDefinitions", "actions"));
        assert!(is_set("A.B/c", "zones") && is_set("A.B/c", "properties/x/zones") && !is_set("A.B/c", "timezones"));
        assert!(is_set("AWS::ECS::TaskDefinition", "properties/requirescompatibilities"));
        assert!(!is_set("AWS::SES::ReceiptRule", "properties/rule/actions"));
        assert!(is_set("AWS::S3::BucketPolicy", "properties/policydocument/statement/action"));
        assert!(!is_set("AWS::S3::BucketPolicy", "properties/policydocument/statement"));
    }

    #[test]
    fn every_set_is_an_array() {
        use crate::text::Suggestions;
        use formwork_schema::{Known, PathPart, look_up};

        /// Whether there is a way of these names, with items where there are arrays, to an array.
        fn leads(type_name: &str, way: &[PathPart<'_>], names: &[&'static str]) -> bool {
            let is_known = |way: &[PathPart<'_>]| {
                !matches!(look_up(type_name, way, &Suggestions::default()), Known::NoType(_) | Known::NoProperty(..))
            };
            let Some((name, rest)) = names.split_first() else {
                return is_known(&[way, &[PathPart::Item]].concat());
            };
            let direct = [way, &[PathPart::Name(name)]].concat();
            let of_item = [way, &[PathPart::Item, PathPart::Name(name)]].concat();
            [direct, of_item].iter().any(|way| is_known(way) && leads(type_name, way, rest))
        }
        let wrong = |name: &String, path: &&'static str| {
            let names: Vec<&str> = path.split('/').collect();
            !leads(name, &[], &names)
        };
        let sets = AZURE.by_type.iter().flat_map(|(name, paths)| paths.iter().map(move |path| (name, path)));
        let wrong: Vec<_> = sets.filter(|(name, path)| wrong(name, path)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
