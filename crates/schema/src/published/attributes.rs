//! Attributes that `Fn::GetAtt` returns for CloudFormation's resource types, and the properties that identify a
//! resource.

use crate::published::catalog::{DescribedType, cloudformation};
use crate::published::cloudformation::provider_of;
use crate::published::pack::{Clause, Name};

/// Types whose author decides which attributes they return.
const OPEN: [&str; 2] =
    ["AWS::CloudFormation::CustomResource", "AWS::ServiceCatalog::CloudFormationProvisionedProduct"];

/// Type of a nested stack, which returns its outputs.
const STACK: &str = "AWS::CloudFormation::Stack";

/// Returns all attributes of a type if it is known and has no attribute of this name.
///
/// A name may lead into an attribute or be the beginning of one: `Endpoint` and `Endpoint.Address` match each other.
pub fn attributes_unlike(type_name: &str, attribute: &str) -> Option<Vec<&'static str>> {
    if OPEN.contains(&type_name) || type_name == STACK && attribute.starts_with("Outputs.") {
        return None;
    }
    let names = names(type_name, |clause| if let Clause::Attributes(names) = clause { Some(names) } else { None })?;
    // A type of which nothing is said may return anything.
    (!names.is_empty()
        && !names.iter().any(|name| *name == attribute || is_below(attribute, name) || is_below(name, attribute)))
    .then_some(names)
}

/// True if `name` is a name below `parent`: `Endpoint.Address` is below `Endpoint`.
fn is_below(name: &str, parent: &str) -> bool {
    name.strip_prefix(parent).is_some_and(|rest| rest.starts_with('.'))
}

/// Returns the properties that identify a resource of a type. The list is empty if only AWS can set them.
pub(super) fn identifier(type_name: &str) -> Option<Vec<&'static str>> {
    names(type_name, |clause| if let Clause::Identifier(names) = clause { Some(names) } else { None })
}

/// Returns the date on which AWS shut down the service of a type, if it did.
pub(super) fn shutdown(found: DescribedType) -> Option<&'static str> {
    clauses(found).find_map(|clause| match clause {
        Clause::Shutdown(day) => Some(found.block.text(*day)),
        _ => None,
    })
}

/// Returns the names in the clauses that `of` selects.
fn names(type_name: &str, of: impl Fn(&'static Clause) -> Option<&'static Vec<Name>>) -> Option<Vec<&'static str>> {
    let block = cloudformation()?.provider(provider_of(type_name))?;
    let found = DescribedType::new(block, type_name).filter(|found| found.block.text(found.kind.name) == type_name)?;
    Some(clauses(found).filter_map(of).flatten().map(|name| block.text(*name)).collect())
}

/// Returns the clauses about a type as a whole.
fn clauses(found: DescribedType) -> impl Iterator<Item = &'static Clause> {
    let rules = found.bodies(None).into_iter().flat_map(move |body| found.block.rules(body));
    rules.flat_map(move |rule| found.block.rule(*rule))
}

#[cfg(test)]
mod tests {
    use super::attributes_unlike;

    #[test]
    fn a_type_returns_its_attributes() {
        let has = |type_name: &str, attribute: &str| attributes_unlike(type_name, attribute).is_none();
        assert!(has("AWS::SNS::Topic", "TopicName"));
        assert!(!has("AWS::SNS::Topic", "Nope"));
        assert!(has("AWS::Redshift::Cluster", "Endpoint.Address"));
        assert!(!has("AWS::Redshift::Cluster", "Endpoint.Addres"));
        assert!(has("AWS::Nope::Nope", "Nope"));
        assert!(has("AWS::CloudFormation::Stack", "Outputs.Arn"));
        assert!(!has("AWS::CloudFormation::Stack", "Output.Arn"));
        assert!(has("AWS::CloudFormation::CustomResource", "Nope"));
    }
}
