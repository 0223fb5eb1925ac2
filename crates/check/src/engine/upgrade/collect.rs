//! Collects what uses each API version, from one expansion after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use foldhash::HashMap;

use crate::arm::{self, CallVersion, NamedValue, ResourceCall, VersionUses};
use crate::engine::Origins;
use crate::engine::deployments::{Deployed, Deployment, Deployments};
use crate::engine::detect::Kind;
use crate::engine::fix::is_authored;
use crate::engine::inputs::Job;
use crate::engine::upgrade::sites::{VersionText, VersionTexts};
use crate::engine::upgrade::{UpgradeOptions, UpgradePlan, decide};
use crate::model::{Document, Resource};
use crate::schema::{self, ReadPath};
use crate::text::{FileId, Sources, Span, placeholders};
use crate::value::{Str, Value};

/// Resources that are compared with the types. Further ones keep their versions.
const MAX_USES: usize = 150_000;

/// A resource that uses a version.
#[derive(Clone, Debug)]
pub(super) struct VersionUse {
    pub(super) type_name: Str,
    /// Empty for a resource that is only read.
    pub(super) name: Str,
    pub(super) body: Option<Value>,
    pub(super) span: Span,
    pub(super) reads: Vec<ReadPath>,
    pub(super) origins: Origins,
}

/// The text of a version, and everything that uses it.
#[derive(Clone, Debug)]
pub(super) struct VersionSite {
    pub(super) place: Span,
    pub(super) from: String,
    pub(super) uses: Vec<VersionUse>,
    /// Reason why the text is not edited.
    pub(super) blocked: Option<String>,
}

/// Name of a file, and the start of a text in it. A file that was read for several templates has several sources.
type SiteKey = (Arc<str>, u32);

/// Facts about a template that all its deployments share.
#[derive(Debug)]
struct TemplateFacts {
    uses: VersionUses,
    /// True if Bicep built the template, so that it is not edited.
    is_generated: bool,
}

/// Versions that the expansions so far use.
#[derive(Debug)]
pub struct Collected<'a> {
    sources: &'a Sources,
    texts: VersionTexts<'a>,
    sites: BTreeMap<SiteKey, VersionSite>,
    /// Number of all uses.
    count: usize,
    /// Facts about the templates that were read, by their files.
    templates: HashMap<FileId, Arc<TemplateFacts>>,
    /// Sites that each template uses.
    of_template: HashMap<FileId, BTreeSet<SiteKey>>,
    /// Templates of which a deployment could not be expanded.
    failed: BTreeSet<FileId>,
}

impl<'a> Collected<'a> {
    /// Creates a collection for deployments whose files are in `sources`.
    pub fn new(sources: &'a Sources) -> Self {
        Self {
            sources,
            texts: VersionTexts::new(sources),
            sites: BTreeMap::new(),
            count: 0,
            templates: HashMap::default(),
            of_template: HashMap::default(),
            failed: BTreeSet::new(),
        }
    }

    /// Adds what a deployment uses.
    pub fn add(&mut self, deployments: &Deployments<'_>, deployment: &Deployment, deployed: &Deployed) {
        let Some(job) = deployments.job(deployment) else { return };
        let file = job.template.file;
        if !matches!(job.template.kind, Kind::Template) {
            return;
        }
        let Some(document) = &deployed.document else {
            self.failed.insert(file);
            return;
        };
        let facts = if let Some(facts) = self.templates.get(&file) {
            Arc::clone(facts)
        } else {
            let Some(template) = deployments.template(deployment) else { return };
            let is_generated = !is_authored(job.template.kind, &template, &job.origins);
            let facts = Arc::new(TemplateFacts { uses: arm::version_uses(&template), is_generated });
            self.templates.insert(file, Arc::clone(&facts));
            if job.origins.is_empty() {
                self.arguments(&Addition { job, facts: &facts }, &template);
            }
            facts
        };
        let addition = Addition { job, facts: &facts };
        for resource in &document.resources {
            self.resource(&addition, document, resource, true);
        }
        for resource in &document.existing {
            self.resource(&addition, document, resource, false);
        }
        if !job.origins.is_empty() {
            self.existing(&addition);
        }
    }

    /// Decides about all versions. Texts of templates that were not expanded completely are not edited.
    pub fn decide(mut self, options: &UpgradeOptions) -> UpgradePlan {
        let keys = self.failed.iter().filter_map(|file| self.of_template.get(file)).flatten();
        for key in keys {
            if let Some(site) = self.sites.get_mut(key) {
                site.blocked.get_or_insert_with(|| "another deployment of the template cannot be expanded".to_owned());
            }
        }
        let sites: Vec<VersionSite> = self.sites.into_values().collect();
        decide::plan(&sites, options, self.sources)
    }

    /// Adds a resource that is deployed, or exists already.
    fn resource(&mut self, addition: &Addition<'_>, document: &Document, resource: &Resource, is_deployed: bool) {
        let is_of_extension = ["extension", "import"].iter().any(|name| resource.body.get(name).is_some());
        let Some(value) = resource.body.get("apiVersion").filter(|_| !is_of_extension) else { return };
        let Some(version) = value.as_str().filter(|version| placeholders(version).is_empty()) else { return };
        if !addition.job.owns(value.span.unwrap_or(resource.span)) {
            return;
        }
        let Some(text) = self.texts.find(value, version, &addition.job.origins) else { return };
        let type_name = schema::deployed_type(resource);
        let template = document.deployment(resource.deployment).path.as_str();
        let reads = addition.reads(template, &type_name, version);
        let blocked = addition.blocked(&text, template);
        let usage = VersionUse {
            type_name: Str::from(&*type_name),
            name: resource.name.clone(),
            body: is_deployed.then(|| resource.body.clone()),
            span: resource.span,
            reads,
            origins: addition.job.origins.clone(),
        };
        self.usage(addition.job, text.span, version, usage, blocked);
    }

    /// Adds the versions in the calls of a template in JSON.
    fn arguments(&mut self, addition: &Addition<'_>, template: &Value) {
        for call in &addition.facts.uses.calls {
            let Some(type_name) = &call.type_name else { continue };
            let (version, span) = match &call.version {
                CallVersion::Literal(version, Some(span)) => (version.to_string(), *span),
                CallVersion::Variable(name) => {
                    let Some(found) = Self::defined(template, call, ("variables", &**name)) else { continue };
                    found
                }
                CallVersion::Parameter(name) => {
                    let Some(found) = Self::defined(template, call, ("parameters", &**name)) else { continue };
                    found
                }
                CallVersion::Literal(_, None) | CallVersion::None | CallVersion::Computed => continue,
            };
            let reads = (!call.is_list && !call.path.is_empty()).then(|| read_path(call)).into_iter().collect();
            let usage = VersionUse {
                type_name: type_name.clone(),
                name: Str::from(""),
                body: None,
                span: call.span,
                reads,
                origins: Origins::default(),
            };
            let blocked = addition.facts.is_generated.then(|| GENERATED.to_owned());
            let keys = keys_refusal(call, type_name, &version);
            self.usage(addition.job, span, &version, usage, blocked.or(keys));
        }
    }

    /// Returns the literal of a variable or of a parameter's default in the root template, and its text.
    fn defined(template: &Value, call: &ResourceCall, (section, name): (&str, &str)) -> Option<(String, Span)> {
        let value = template.get(section).filter(|_| call.template.is_empty())?.get(name)?;
        let value = if section == "parameters" { value.get("defaultValue")? } else { value };
        let (version, span) = (value.as_str()?, value.span?);
        let is_plain = (span.end - span.start) as usize == version.len() + 2;
        is_plain.then(|| (version.to_owned(), Span::new(span.file, span.start + 1, span.end - 1)))
    }

    /// Adds the `existing` resources of the Bicep files of a job that compiled templates do not have.
    fn existing(&mut self, addition: &Addition<'_>) {
        let keys = self.of_template.get(&addition.job.template.file).into_iter().flatten();
        let files: BTreeSet<FileId> = keys.filter_map(|key| Some(self.sites.get(key)?.place.file)).collect();
        for file in files {
            let declared = self.texts.declared(file);
            for declared in declared.iter().filter(|declared| declared.is_existing) {
                let text = self.sources.get(file);
                let range = declared.version.start as usize..declared.version.end as usize;
                let Some(version) = text.text().get(range) else { continue };
                let type_name = Str::from(declared.type_name.as_str());
                let calls =
                    addition.facts.uses.calls.iter().filter(|call| is_of(call, &type_name) && !call.path.is_empty());
                let with_version =
                    |call: &&ResourceCall| matches!(&call.version, CallVersion::Literal(own, _) if **own == *version);
                let calls: Vec<&ResourceCall> = calls.filter(with_version).collect();
                let keys = calls.iter().find_map(|call| keys_refusal(call, &type_name, version));
                let reads = calls.iter().filter(|call| !call.is_list).map(|call| read_path(call)).collect();
                let usage = VersionUse {
                    type_name,
                    name: Str::from(""),
                    body: None,
                    span: declared.literal,
                    reads,
                    origins: addition.job.origins.clone(),
                };
                let version = version.to_owned();
                self.usage(addition.job, declared.version, &version, usage, keys);
            }
        }
    }

    fn usage(&mut self, job: &Job, place: Span, version: &str, usage: VersionUse, blocked: Option<String>) {
        let key = (Arc::clone(self.sources.get(place.file).name()), place.start);
        self.of_template.entry(job.template.file).or_default().insert(key.clone());
        let site = self.sites.entry(key).or_insert_with(|| VersionSite {
            place,
            from: version.to_owned(),
            uses: Vec::new(),
            blocked: None,
        });
        if let Some(reason) = blocked {
            site.blocked.get_or_insert(reason);
        }
        if self.count >= MAX_USES {
            site.blocked.get_or_insert_with(|| "there are too many resources to compare".to_owned());
            return;
        }
        self.count += 1;
        site.uses.push(usage);
    }
}

/// Reason why a template that Bicep built is not edited.
const GENERATED: &str = "the template was built from a Bicep file; upgrade that file";

/// Type of the accounts whose keys have changed their form.
const ACCOUNTS: &str = "Microsoft.Storage/storageAccounts";

/// First API version that returns the keys of an account as a list. Reference:
/// <https://learn.microsoft.com/rest/api/storagerp/srp_json_get_storage_account_keys>.
const LISTED_SINCE: &str = "2016-01-01";

fn is_of(call: &ResourceCall, type_name: &str) -> bool {
    call.type_name.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(type_name))
}

fn read_path(call: &ResourceCall) -> ReadPath {
    ReadPath { names: call.path.clone(), span: call.span }
}

/// Returns the reason why a call cannot move, because newer versions return another form of result.
fn keys_refusal(call: &ResourceCall, type_name: &str, version: &str) -> Option<String> {
    let is_key = call.path.first().is_some_and(|name| name.to_ascii_lowercase().starts_with("key") && name != "keys");
    let is_old = call.is_list && type_name.eq_ignore_ascii_case(ACCOUNTS) && version < LISTED_SINCE;
    (is_old && is_key).then(|| format!("since {LISTED_SINCE}, the keys are a list: write `keys[0].value` first"))
}

/// A deployment that is being added.
struct Addition<'a> {
    job: &'a Job,
    facts: &'a TemplateFacts,
}

impl Addition<'_> {
    /// Returns what the calls of a template read from a resource of this type and version.
    fn reads(&self, template: &str, type_name: &str, version: &str) -> Vec<ReadPath> {
        let is_same = |call: &&ResourceCall| match &call.version {
            CallVersion::None => true,
            // Bicep writes the version of the declaration; elsewhere, the version is the call's own.
            CallVersion::Literal(own, _) => !self.job.origins.is_empty() && **own == *version,
            _ => false,
        };
        let calls = self.facts.uses.calls.iter().filter(|call| call.template == template && is_of(call, type_name));
        let calls = calls.filter(|call| !call.is_list && !call.path.is_empty()).filter(is_same);
        let reads: BTreeSet<ReadPath> = calls.map(read_path).collect();
        reads.into_iter().collect()
    }

    fn blocked(&self, text: &VersionText, template: &str) -> Option<String> {
        if self.facts.is_generated {
            return Some(GENERATED.to_owned());
        }
        if let Some(reason) = text.blocked {
            return Some(reason.to_owned());
        }
        let (is_parameter, name) = text.named.clone()?;
        // The value may be one of a template around this one.
        let is_around = |other: &NamedValue| {
            template
                .strip_prefix(other.template.as_str())
                .is_some_and(|rest| other.template.is_empty() || rest.is_empty() || rest.starts_with('.'))
        };
        let mut others = self.facts.uses.other_uses.iter();
        let is_used = others.any(|other| other.is_parameter == is_parameter && other.name == name && is_around(other));
        let what = if is_parameter { "parameter" } else { "variable" };
        is_used.then(|| format!("{what} `{name}` is used for something else, too"))
    }
}
