//! Resources that a change no longer deploys.
//!
//! A deleted resource has no findings, so the check of a change that deletes one is quiet. Reports for those who fix
//! findings list it.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::HashSet;

use crate::diagnostic::{NoLongerDeployed, Run};

/// Type of nested deployments of Azure.
const DEPLOYMENT: &str = "Microsoft.Resources/deployments";

/// The resources that the templates of a run deploy.
#[derive(Debug, Default)]
pub struct DeployedResources {
    /// Types and names, by the stable name of the template.
    by_template: BTreeMap<String, BTreeSet<(String, String)>>,
    /// Stable names of the templates that were analyzed.
    analysed: BTreeSet<String>,
}

impl DeployedResources {
    /// Returns the resources of a run that keeps trees. `stable_name` returns a name that is the same in both runs.
    pub fn of_run(run: &Run, stable_name: impl Fn(&str) -> String) -> Self {
        let mut deployed = Self::default();
        for tree in &run.trees {
            let name = stable_name(run.sources.get(tree.template).name());
            let resources = deployed.by_template.entry(name).or_default();
            // What a deployment deploys is in the tree, too, and people rename deployments.
            let nodes = tree.nodes.iter().filter(|node| !node.type_name.eq_ignore_ascii_case(DEPLOYMENT));
            resources.extend(nodes.map(|node| (node.type_name.clone(), node.name.clone())));
        }
        deployed.analysed = run.analysed.iter().map(|analysed| stable_name(&analysed.template)).collect();
        deployed
    }

    /// Returns the resources that these templates deploy, and no template of `after` does. A template that is there, and
    /// could not be analyzed, may still deploy all of its resources: `is_there` returns `true` for such a template.
    pub fn without(&self, after: &Self, is_there: impl Fn(&str) -> bool) -> Vec<NoLongerDeployed> {
        let key = |type_name: &str, name: &str| (type_name.to_ascii_lowercase(), name.to_ascii_lowercase());
        let deployed: HashSet<(String, String)> =
            after.by_template.values().flatten().map(|(type_name, name)| key(type_name, name)).collect();
        let mut gone = Vec::new();
        for (template, resources) in &self.by_template {
            if !after.analysed.contains(template) && is_there(template) {
                continue;
            }
            for (type_name, name) in
                resources.iter().filter(|(type_name, name)| !deployed.contains(&key(type_name, name)))
            {
                let (type_name, name) = (type_name.clone(), name.clone());
                gone.push(NoLongerDeployed { template: template.as_str().into(), type_name, name });
            }
        }
        gone
    }
}
