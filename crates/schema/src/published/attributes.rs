//! What `Fn::GetAtt` returns of the resource types of CloudFormation, and what identifies a resource.

use crate::published::catalog::{Found, cloudformation};
use crate::published::cloudformation::provider_of;
use crate::published::pack::{Clause, Name};

/// Types whose author decides what they return.
const OPEN: [&str; 2] =
    ["AWS::CloudFormation::CustomResource", "AWS::ServiceCatalog::CloudFormationProvisionedProduct"];

/// The type of a nested stack, which returns its outputs.
const STACK: &str = "AWS::CloudFormation::Stack";

/// The attributes of a type, if it is known and has none of this name, which may lead into an attribute or to its parts:
/// `Endpoint`, `Endpoint.Address`.
pub fn attributes_unlike(type_name: &str, attribute: &str) -> Option<Vec<&'static str>> {
    if OPEN.contains(&type_name) || type_name == STACK && attribute.starts_with("Outputs.") {
        return None;
    }
    let names = names(type_name, |clause| if let Clause::Attributes(names) = clause { Some(names) } else { None })?;
    let leads = |from: &str, to: &str| to.strip_prefix(from).is_some_and(|rest| rest.starts_with('.'));
    let is_known = |name: &&str| *name == attribute || leads(name, attribute) || leads(attribute, name);
    // A type of which nothing is said may return anything.
    (!names.is_empty() && !names.iter().any(is_known)).then_some(names)
}

/// The properties that identify a resource of a type; none if only AWS can give them a value.
pub(super) fn identifier(type_name: &str) -> Option<Vec<&'static str>> {
    names(type_name, |clause| if let Clause::Identifier(names) = clause { Some(names) } else { None })
}

/// The day on which the service of a type was shut down, if that has happened.
pub(super) fn shutdown(found: Found) -> Option<&'static str> {
    let day = |clause: &'static Clause| if let Clause::Shutdown(day) = clause { Some(*day) } else { None };
    clauses(found).find_map(day).map(|day| found.block.text(day))
}

/// The names that a clause about a type has.
fn names(type_name: &str, of: impl Fn(&'static Clause) -> Option<&'static Vec<Name>>) -> Option<Vec<&'static str>> {
    let block = cloudformation()?.provider(provider_of(type_name))?;
    let found = Found::new(block, type_name).filter(|found| found.block.text(found.kind.name) == type_name)?;
    Some(clauses(found).filter_map(of).flatten().map(|name| block.text(*name)).collect())
}

/// The clauses about a type as a whole.
fn clauses(found: Found) -> impl Iterator<Item = &'static Clause> {
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
