//! Finds the policies that templates deploy, in their expansions, with positions in the files of their authors.

use std::path::PathBuf;

use foldhash::HashSet;
use rayon::prelude::*;

use crate::arm::is_assumed;
use crate::bicep::language::parse;
use crate::diagnostic::{Diagnostic, Level};
use crate::engine::azure_policy::request::{approximate, is_doubted};
use crate::engine::bicep::{By, Target, is_bicep, names};
use crate::engine::inputs::Job;
use crate::engine::linked::{Candidate, absorbed};
use crate::engine::planned::{Expander, PlannedRun};
use crate::engine::{Inputs, Work};
use crate::files::{PathFilter, register};
use crate::model::{Budget, Document, Expansion, Resource};
use crate::policy::files::Deployed;
use crate::syntax::Parsed;
use crate::text::{FileId, Sources, Span};
use crate::value::{Data, Member, Str, Value};

/// Prefix of the types of policy documents.
pub(super) const TYPES: &str = "Microsoft.Authorization/polic";

/// Policy documents that the templates of a run deploy.
#[derive(Debug, Default)]
pub(super) struct OfTemplates {
    pub(super) resources: Vec<Deployed>,
    /// The files that the Bicep files among them load.
    pub(super) loaded: HashSet<PathBuf>,
    /// Reasons why templates cannot be read.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Expands the templates at `paths`, each with its parameter files. `run` says how templates of the run are read.
/// Modules are expanded on their own if `are_named`, and parameter files beside templates count.
pub(super) fn read(run: &Inputs<'_>, paths: &[PathBuf], are_named: bool, sources: &Sources) -> OfTemplates {
    // The filter of the run is about what is checked.
    let filter = PathFilter { holds_for_named: !are_named, takes_ignored: true, ..PathFilter::default() };
    let inputs = Inputs {
        paths,
        filter: &filter,
        stdin: None,
        parameters: &[],
        merges_parameters: false,
        overrides: &[],
        as_written: false,
        narrowing: None,
        shard: None,
        ..run.clone()
    };
    // Only a value for a parameter would be refused, and there is none.
    let Ok(PlannedRun { jobs, expander, mut diagnostics }) = PlannedRun::new(&inputs, sources) else {
        return OfTemplates::default();
    };
    let parts: Vec<TemplatePolicies> = jobs.par_iter().map(|job| part(&expander, job)).collect();
    let absorbed = absorbed(&parts.iter().map(TemplatePolicies::candidate).collect::<Vec<_>>());
    let mut resources = Vec::new();
    for (part, _) in parts.into_iter().zip(absorbed).filter(|(_, is_absorbed)| !is_absorbed) {
        resources.extend(part.resources);
        diagnostics.extend(part.diagnostics);
    }
    diagnostics.retain(|problem| problem.level == Level::Error);
    OfTemplates { resources, loaded: loaded(run, paths), diagnostics }
}

/// Returns the files that Bicep files load. Modules and imported files are searched as well.
fn loaded(run: &Inputs<'_>, paths: &[PathBuf]) -> HashSet<PathBuf> {
    let mut left: Vec<PathBuf> = paths.iter().filter(|path| is_bicep(path)).cloned().collect();
    let mut seen: HashSet<PathBuf> = left.iter().cloned().collect();
    let fence = run.bounds().fence();
    let (mut loaded, sources) = (HashSet::default(), Sources::new());
    while let Some(path) = left.pop() {
        let Ok(bytes) = fence.read(&path, run.limits.file_bytes) else { continue };
        let Ok(file) = register("", bytes, &sources) else { continue };
        let tree = parse(file, sources.get(file).text());
        for name in names(&tree, path.parent().unwrap_or(&path)) {
            let Target::Local(to) = name.target else { continue };
            match name.by {
                By::Load => {
                    loaded.insert(to);
                }
                By::Module | By::Import if is_bicep(&to) && seen.insert(to.clone()) => left.push(to),
                _ => {}
            }
        }
    }
    loaded
}

/// Policy documents that one template deploys.
struct TemplatePolicies {
    file: FileId,
    linked: Vec<FileId>,
    resources: Vec<Deployed>,
    diagnostics: Vec<Diagnostic>,
}

impl TemplatePolicies {
    fn candidate(&self) -> Candidate<'_> {
        Candidate { file: self.file, is_independent: false, linked: &self.linked }
    }
}

fn part(expander: &Expander<'_>, job: &Job) -> TemplatePolicies {
    let (file, sources) = (job.template.file, expander.sources);
    let Parsed { value, mut diagnostics } = expander.template(job);
    for problem in &mut diagnostics {
        job.origins.diagnostic(problem, sources);
    }
    let mut part = TemplatePolicies { file, linked: Vec::new(), resources: Vec::new(), diagnostics };
    let Some(template) = value else { return part };
    let expanded = expander.inputs.isolation.run(Work::Expand, &job.template.input.name, || {
        for parameters in job.deployments(false) {
            let budget = Budget::new(expander.inputs.limits);
            let unit = expander.unit(job, &template, parameters);
            let Expansion { document, diagnostics, .. } = expander.expand_unit(&unit, None, &budget).expansion;
            part.diagnostics.extend(diagnostics);
            let Some(document) = document else { continue };
            let found = document.resources.iter().filter(|resource| is_policy(resource));
            part.resources.extend(found.map(|resource| deployed(resource, &document, job, sources)));
            part.linked.extend(&document.linked);
        }
    });
    part.diagnostics.extend(expanded.err().map(|failure| {
        let mut problem = failure.diagnostic(file);
        job.origins.diagnostic(&mut problem, sources);
        problem
    }));
    part
}

fn is_policy(resource: &Resource) -> bool {
    resource.type_name.get(..TYPES.len()).is_some_and(|start| start.eq_ignore_ascii_case(TYPES))
}

fn deployed(resource: &Resource, document: &Document, job: &Job, sources: &Sources) -> Deployed {
    let part = |name: &str| resource.body.get(name).cloned().unwrap_or(Value::NULL);
    let open = approximate(document, resource);
    let is_open = |segment: &str| is_assumed(segment) || open.iter().any(|known| known.eq_ignore_ascii_case(segment));
    let is_known = !resource.id.split('/').any(is_open);
    let properties = part("properties");
    Deployed {
        type_name: resource.type_name.clone(),
        id: if is_known { resource.id.clone() } else { Str::from("") },
        name: part("name"),
        span: place(resource, &properties, job, sources),
        properties: without_compiled(&properties, job),
        doubt: is_doubted(document, resource).then(|| Str::from("whether it is deployed is known only at deployment")),
    }
}

/// Returns the position of a policy in the sources: its content, which may be in a file of its own, or else the
/// resource.
fn place(resource: &Resource, properties: &Value, job: &Job, sources: &Sources) -> Span {
    let content = ["policyRule", "policyDefinitions"].iter().find_map(|name| properties.get(name)?.span);
    let span = content.filter(|span| job.origins.is_compiled(*span)).unwrap_or(resource.span);
    job.origins.outermost(span, sources)
}

/// Returns a value without positions in texts that were generated.
fn without_compiled(value: &Value, job: &Job) -> Value {
    if job.origins.is_empty() {
        return value.clone();
    }
    let span = value.span.filter(|span| !job.origins.is_compiled(*span));
    let data = match &value.data {
        Data::Array(items) => Value::array(items.iter().map(|item| without_compiled(item, job)).collect()).data,
        Data::Object(object) => {
            let member = |member: &Member| Member {
                value: without_compiled(&member.value, job),
                key_span: member.key_span.filter(|span| !job.origins.is_compiled(*span)),
                ..member.clone()
            };
            Value::object(object.iter().map(member).collect()).data
        }
        _ => value.data.clone(),
    };
    Value { span, data, ..value.clone() }
}
