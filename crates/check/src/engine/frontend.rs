//! Chooses the front end that expands a template: Resource Manager, CloudFormation, or an export.

use std::path::Path;

use foldhash::HashSet;

use crate::arm;
use crate::cfn::{self, Assumed, Scenario};
use crate::engine::detect::Kind;
use crate::engine::loaded_once::LoadedOnce;
use crate::engine::problems::{Texts, into_issues};
use crate::engine::written_secrets;
use crate::model::{Assumptions, Budget, Expansion, Issue, Limits, Loader};
use crate::rules::guard3;
use crate::text::{FileId, Sources};
use crate::value::{Member, Object, Str, Value};

/// A template that is ready to be expanded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a> {
    /// The source that contains it.
    pub(super) file: FileId,
    /// The name that reports give the file.
    pub(super) name: &'a str,
    /// Kind of the template.
    pub(super) kind: Kind,
    /// The template as it was written.
    pub(super) value: &'a Value,
    /// True if the built-in compiler built the template from a Bicep file that it knows only in part.
    pub(super) has_unknowns: bool,
}

/// A template expanded in one scenario.
#[derive(Debug)]
pub(super) struct Explored {
    pub(super) expansion: Expansion,
    /// Other scenarios, in which resources or branches are deployed that the given values leave out.
    pub(super) scenarios: Vec<Scenario>,
    /// Assumptions of this scenario.
    pub(super) assumed: Assumed,
}

impl From<Expansion> for Explored {
    fn from(expansion: Expansion) -> Self {
        Self { expansion, scenarios: Vec::new(), assumed: Assumed::default() }
    }
}

/// The front ends with the assumptions of a run, prepared once for all its templates.
#[derive(Debug)]
pub(super) struct FrontEnds<'a> {
    context: arm::Context,
    overrides: &'a [(Str, Value)],
    as_written: bool,
    limits: &'a Limits,
    states: bool,
    explores: bool,
}

impl<'a> FrontEnds<'a> {
    /// Creates front ends. `overrides` override parameter files; with `as_written`, `CloudFormation` templates are not
    /// evaluated.
    pub(super) fn new(
        assumptions: &Assumptions,
        overrides: &'a [(Str, Value)],
        as_written: bool,
        limits: &'a Limits,
    ) -> Self {
        Self { context: arm::Context::new(assumptions), overrides, as_written, limits, states: false, explores: false }
    }

    /// Produces the states of resources, too, which rules do not read.
    pub(super) fn with_states(self) -> Self {
        Self { states: true, ..self }
    }

    /// Produces what other values of the parameters deploy, too, which only the comparison with types reads.
    pub(super) fn exploring(self) -> Self {
        Self { explores: true, ..self }
    }

    /// Expands a template with parameter files, of which later ones override earlier ones, in one of the scenarios of
    /// the result for the given values; `None` for those values. An export is not expanded: its resources are used
    /// unchanged.
    ///
    /// Problems inside the files are among the issues of the result.
    pub(super) fn expand_in(
        &self,
        scenario: Option<&Scenario>,
        template: Subject<'_>,
        files: &[(FileId, &Value)],
        loader: &dyn Loader,
        sources: &Sources,
        budget: &Budget<'_>,
    ) -> Explored {
        let loader = &LoadedOnce::new(loader);
        let mut explored = match template.kind {
            Kind::Stack => self.expand_stack(scenario, template, files, loader, sources, budget),
            Kind::Export => arm::of_export(template.file, template.value, self.limits).into(),
            Kind::Template | Kind::Parameters | Kind::StackParameters | Kind::SamConfig => {
                self.expand_arm(template, files, loader, budget).into()
            }
        };
        let known = [(template.file, template.value)].into_iter().chain(files.iter().copied()).collect();
        let texts = Texts { sources, known, nesting: self.limits.nesting };
        written_secrets::report(&mut explored.expansion, &texts, self.as_written && template.kind == Kind::Stack);
        if self.as_written
            && template.kind == Kind::Stack
            && let Some(document) = &mut explored.expansion.document
            && let Some(deployment) = document.deployments.first_mut()
        {
            let read = guard3::read(template.file, sources.get(template.file).text(), self.limits.nesting);
            deployment.written = document.hidden.marked(&read.unwrap_or(Value::NULL));
        }
        into_issues(&mut explored.expansion, &texts);
        explored
    }

    fn expand_arm(
        &self,
        template: Subject<'_>,
        files: &[(FileId, &Value)],
        loader: &dyn Loader,
        budget: &Budget<'_>,
    ) -> Expansion {
        let layers = layered(files);
        let parameters = match files {
            [] => None,
            [only] => Some(*only),
            [.., (file, _)] => Some((*file, &layers)),
        };
        let mut expansion = arm::expand(&arm::Request {
            file: template.file,
            template: template.value,
            parameters,
            overrides: self.overrides,
            context: &self.context,
            budget,
            states: self.states,
            explores: self.explores,
            has_unknowns: template.has_unknowns,
            loader,
        });
        expansion.diagnostics.extend(files.iter().flat_map(|(_, file)| arm::parameter_file_problems(file)));
        expansion
    }

    fn expand_stack(
        &self,
        scenario: Option<&Scenario>,
        template: Subject<'_>,
        files: &[(FileId, &Value)],
        loader: &dyn Loader,
        sources: &Sources,
        budget: &Budget<'_>,
    ) -> Explored {
        let stem = Path::new(template.name).file_stem();
        let expansion = cfn::expand(&cfn::Request {
            file: template.file,
            name: &stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
            template: template.value,
            parameters: files,
            overrides: self.overrides,
            raw: self.as_written,
            scenario,
            loader,
            budget,
        });
        let issue = |breach: cfn::Breach| {
            let (is_pedantic, severity) = (breach.is_pedantic, breach.severity);
            Issue {
                is_pedantic,
                severity,
                further: breach.further,
                ..Issue::new(breach.check, breach.path, breach.span, breach.message)
            }
        };
        let cfn::Expansion { document, secrets, breaches, diagnostics, scenarios, assumed } = expansion;
        for span in secrets {
            sources.hide(span);
        }
        let issues = breaches.into_iter().map(issue).collect();
        Explored { expansion: Expansion { document, issues, diagnostics }, scenarios, assumed }
    }
}

/// The sections of a parameter file that are merged when several files are given.
const PARTS: [&str; 4] = ["parameters", "externalInputDefinitions", "externalInputs", "extensionConfigs"];

/// Returns the parameters of all files in one object. Each value keeps the span where it was written.
fn layered(files: &[(FileId, &Value)]) -> Value {
    let part = |name: &str| {
        let objects: Vec<&Object> = files.iter().filter_map(|(_, file)| file.get(name)?.as_object()).collect();
        // Of several with one name, the last counts.
        let (mut seen, mut members) = (HashSet::default(), Vec::new());
        for member in objects.iter().flat_map(|object| object.iter()).rev() {
            if seen.insert(member.key.to_ascii_lowercase()) {
                members.push(member.clone());
            }
        }
        members.reverse();
        (!members.is_empty()).then(|| Member::new(name, Value::object(members)))
    };
    Value::object(PARTS.into_iter().filter_map(part).collect())
}
