//! Controls that rules cover, as SARIF represents them: a taxonomy per framework, to whose parts the rules relate.

use std::collections::{BTreeMap, BTreeSet};

use serde_sarif::sarif;

use crate::model::Rule;

/// Returns the framework and the name of each control of a rule: `nist` and `AC-3`.
fn controls(rule: &Rule) -> impl Iterator<Item = (&str, &str)> {
    rule.controls.iter().filter_map(|control| control.split_once(':'))
}

/// Returns the controls of a rule, or `None` if it has none.
pub(super) fn relationships(rule: &Rule) -> Option<Vec<sarif::ReportingDescriptorRelationship>> {
    let all: Vec<_> = controls(rule)
        .map(|(framework, name): (&str, &str)| {
            let component = sarif::ToolComponentReference::builder().name(framework).build();
            let target = sarif::ReportingDescriptorReference::builder().id(name).tool_component(component).build();
            sarif::ReportingDescriptorRelationship::builder().target(target).kinds(vec!["relevant".to_owned()]).build()
        })
        .collect();
    (!all.is_empty()).then_some(all)
}

/// Returns the frameworks of the controls of some rules, each with these controls. `None` if there are none.
pub(super) fn taxonomies<'a>(rules: impl Iterator<Item = &'a Rule>) -> Option<Vec<sarif::ToolComponent>> {
    let mut frameworks: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (framework, name) in rules.flat_map(controls) {
        frameworks.entry(framework).or_default().insert(name);
    }
    let taxonomies = frameworks.iter().map(|(framework, names)| {
        sarif::ToolComponent::builder()
            .name(*framework)
            .taxa(
                names
                    .iter()
                    .map(|name: &&str| sarif::ReportingDescriptor::builder().id(*name).build())
                    .collect::<Vec<_>>(),
            )
            .build()
    });
    let all: Vec<_> = taxonomies.collect();
    (!all.is_empty()).then_some(all)
}
