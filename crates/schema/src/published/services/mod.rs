//! Facts about values that services refuse in single resources although the published types allow them.
//!
//! The facts are data: `data/services/azure/*.facts` and `data/services/aws/*.facts`, one file for each service.
//! `parse` reads them, `evaluate` compares a resource with them, `predicate` has what a fact can say of a value, and
//! `functions` has the predicates that need code. Facts of a provider are read when its first resource is checked.

mod evaluate;
mod fact;
mod functions;
mod neighbors;
#[cfg(test)]
mod page;
mod parse;
mod path;
mod predicate;
mod range;
#[cfg(test)]
mod tests;
mod words;

use std::sync::{LazyLock, OnceLock};

use foldhash::HashMap;

use crate::checks::SCHEMA_MISSPELLED_VALUE;
use crate::diagnostic::Severity;
use crate::model::{Issue, Resource, ResourceId};
use crate::published::issue_at;
use crate::published::misfit::MisfitStep;
use crate::published::services::evaluate::{Breach, Subject};
use crate::published::services::fact::{Fact, ServiceFile};
pub(super) use crate::published::services::neighbors::Neighbors;
use crate::published::tolerance::Cloud;
use crate::value::{Traits, Value, ValueExcerpt};

/// A file with the facts of one service.
struct FactFile {
    /// Name of the file, without its extension.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests name the file"))]
    name: &'static str,
    cloud: Cloud,
    /// The provider whose types the file is about, in lower case: `microsoft.storage`, `aws::s3`. `*` stands for each
    /// provider of the cloud.
    provider: &'static str,
    text: &'static str,
    /// Cache: the facts of the file, by type in lower case.
    facts: OnceLock<HashMap<String, Vec<&'static Fact>>>,
}

macro_rules! sources {
    ($($cloud:ident $folder:literal { $($provider:literal $name:literal)* })*) => {
        /// All files with facts.
        static SOURCES: LazyLock<Vec<FactFile>> = LazyLock::new(|| vec![$($(FactFile {
            name: $name,
            cloud: Cloud::$cloud,
            provider: $provider,
            text: include_str!(concat!("../../../data/services/", $folder, "/", $name, ".facts")),
            facts: OnceLock::new(),
        },)*)*]);
    };
}

sources! {
    Azure "azure" {
        "*" "all"
        "microsoft.apimanagement" "apimanagement"
        "microsoft.app" "app"
        "microsoft.authorization" "authorization"
        "microsoft.automation" "automation"
        "microsoft.cache" "cache"
        "microsoft.cdn" "cdn"
        "microsoft.cognitiveservices" "cognitiveservices"
        "microsoft.compute" "compute"
        "microsoft.containerregistry" "containerregistry"
        "microsoft.containerinstance" "containerinstance"
        "microsoft.containerservice" "containerservice"
        "microsoft.datafactory" "datafactory"
        "microsoft.dbformysql" "dbformysql"
        "microsoft.dbforpostgresql" "dbforpostgresql"
        "microsoft.desktopvirtualization" "desktopvirtualization"
        "microsoft.documentdb" "documentdb"
        "microsoft.eventhub" "eventhub"
        "microsoft.eventgrid" "eventgrid"
        "microsoft.insights" "insights"
        "microsoft.keyvault" "keyvault"
        "microsoft.logic" "logic"
        "microsoft.machinelearningservices" "machinelearningservices"
        "microsoft.network" "network"
        "microsoft.netapp" "netapp"
        "microsoft.operationalinsights" "operationalinsights"
        "microsoft.recoveryservices" "recoveryservices"
        "microsoft.search" "search"
        "microsoft.security" "security"
        "microsoft.servicebus" "servicebus"
        "microsoft.signalrservice" "signalrservice"
        "microsoft.sql" "sql"
        "microsoft.storage" "storage"
        "microsoft.synapse" "synapse"
        "microsoft.web" "web"
    }
    Aws "aws" {
        "*" "all"
        "aws::apigateway" "apigateway"
        "aws::autoscaling" "autoscaling"
        "aws::ec2" "ec2"
        "aws::ecs" "ecs"
        "aws::elasticache" "elasticache"
        "aws::elasticloadbalancing" "elasticloadbalancing"
        "aws::elasticloadbalancingv2" "elasticloadbalancingv2"
        "aws::guardduty" "guardduty"
        "aws::lambda" "lambda"
        "aws::logs" "logs"
        "aws::rds" "rds"
        "aws::s3" "s3"
        "aws::sns" "sns"
        "aws::sqs" "sqs"
        "aws::ssm" "ssm"
    }
}

impl FactFile {
    /// Returns the facts about a type, which is in lower case, and those about all types.
    fn about(&self, type_name: &str) -> impl Iterator<Item = &'static Fact> {
        let facts = self.facts.get_or_init(|| index(self));
        [type_name, "*"].into_iter().filter_map(|name| facts.get(name)).flatten().copied()
    }
}

/// Reads a file. Rows that cannot be read are left out; a test finds them.
fn index(source: &FactFile) -> HashMap<String, Vec<&'static Fact>> {
    let ServiceFile { facts, .. } = parse::parse(source.text);
    let mut by_type: HashMap<String, Vec<&'static Fact>> = HashMap::default();
    // They live as long as the program, as the table does.
    for fact in facts.into_iter().map(|fact| &*Box::leak(Box::new(fact))) {
        for target in &fact.targets {
            let same = by_type.entry(target.type_name.to_lowercase()).or_default();
            if !same.iter().any(|known| std::ptr::eq(*known, fact)) {
                same.push(fact);
            }
        }
    }
    by_type
}

/// The way to the properties of a resource of CloudFormation.
const PROPERTIES: &[MisfitStep<'static>] = &[MisfitStep::Member("Properties")];

/// Returns the facts about a type of a provider; both are in lower case.
fn facts_about(cloud: Cloud, provider: &str, type_name: &str) -> impl Iterator<Item = &'static Fact> {
    let is_source =
        move |source: &&FactFile| source.cloud == cloud && (source.provider == provider || source.provider == "*");
    SOURCES.iter().filter(is_source).flat_map(move |source| source.about(type_name).collect::<Vec<_>>())
}

/// A resource that is compared with the facts about its type.
pub(super) struct Examined<'n, 'd> {
    pub(super) cloud: Cloud,
    pub(super) resource: &'d Resource,
    pub(super) id: ResourceId,
    /// The type of the resource itself, without that of what it extends.
    pub(super) type_name: &'n str,
    pub(super) provider: &'n str,
    pub(super) neighbors: &'n Neighbors<'d>,
}

impl Examined<'_, '_> {
    /// Adds what the service refuses of the resource. `issues` from `start` on are those that it has already: where one
    /// of them is, nothing is added, but a misspelled value becomes certain by a fact that is.
    pub(super) fn add_issues(&self, issues: &mut Vec<Issue>, start: usize) {
        let (provider, type_name) = (self.provider.to_lowercase(), self.type_name.to_lowercase());
        let Some(node) = self.neighbors.node(self.id) else { return };
        let prefix = if self.cloud == Cloud::Aws { PROPERTIES } else { &[] };
        let subject = Subject { cloud: self.cloud, node, prefix, surroundings: self.neighbors };
        for fact in facts_about(self.cloud, &provider, &type_name) {
            for breach in subject.breaches(fact, &type_name) {
                let issue = self.issue(fact, breach);
                let known = issues.iter_mut().skip(start).find(|known| known.path == issue.path);
                match known {
                    // The fact says for certain what is only likely without it.
                    Some(known) if known.check == SCHEMA_MISSPELLED_VALUE && issue.severity.is_none() => {
                        known.severity = Some(Severity::High);
                    }
                    // That a secret is written in the template says nothing of its length.
                    Some(_) if !fact.is_secret => {}
                    _ => issues.push(issue),
                }
            }
        }
    }

    fn issue(&self, fact: &'static Fact, breach: Breach<'_>) -> Issue {
        let walk = crate::published::walk(self.resource, &breach.steps, &breach.chosen);
        let mut issue = issue_at(&walk, self.id, fact.check_of_breach(), breach.message);
        if fact.is_about_name() {
            issue.span = walk.name_span();
        }
        issue.severity = fact.severity();
        issue.actual = breach.actual.filter(|value| is_shown(value)).map(ValueExcerpt::new);
        issue
    }
}

/// True if a report may show the value.
fn is_shown(value: &Value) -> bool {
    !value.traits.has(Traits::SECRET)
}
