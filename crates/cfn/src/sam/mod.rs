//! Applies the transform of AWS SAM: replaces each `AWS::Serverless::*` resource by the resources that it generates.
//!
//! The transform runs before the evaluation, on a template with its intrinsic functions. Every generated value has the
//! source text of the SAM property that it comes from, or that of the name of its resource.
//!
//! References: <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification.html>,
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification-generated-resources.html>.
//!
//! # Invariant
//!
//! A generated value has the span of the SAM property that it comes from, or lies in the text of its SAM resource, so a
//! finding always has a line.

mod api;
mod build;
mod capacity;
mod code;
mod connector;
mod deployment;
mod events;
mod function;
mod globals;
mod graphql;
mod intrinsics;
mod known;
mod machine;
mod output;
pub(crate) mod policies;
mod references;
mod refused;
mod role;
mod shape;
mod simple;
mod target;
mod unroll;

use std::cell::Cell;

use foldhash::HashMap;
use formwork_model::declare_checks;

use crate::Breach;
use crate::diagnostic::{Code, Diagnostic, NotChecked};
use crate::loops;
use crate::model::join_key;
use crate::pseudo;
use crate::sam::build::{Draft, Fields, Origin, get};
use crate::sam::output::Output;
use crate::stack::{SERVERLESS, Stack};
use crate::text::{Span, only_near};
use crate::value::{Member, Str, Value};

declare_checks! {
    pub(crate) const CHECKS;

    pub(super) SAM_INVALID = Deployment High "sam/invalid" "Sam.Invalid"
        "A template for AWS SAM should be one that its transform accepts"
        "The transform of AWS SAM rejects a template whose resources lack a property, combine properties that exclude each other, or have events that it does not know, and so the deployment fails."
        "Write the resource as the specification of AWS SAM describes it."
        .platform()
        .aws("serverless-application-model/latest/developerguide/sam-specification");
}

/// The prefix of the types that the transform replaces.
pub(super) const PREFIX: &str = "AWS::Serverless::";

/// The attributes that generated resources take from their SAM resource.
const SHARED_ATTRIBUTES: [&str; 4] = ["Condition", "DeletionPolicy", "UpdateReplacePolicy", "Metadata"];

/// Types of generated resources that may have the name of a declared one. Source: `verify_logical_id.py` of the
/// transform.
const SHARED_NAMES: [&str; 7] = [
    "AWS::ApiGateway::BasePathMapping",
    "AWS::ApiGateway::BasePathMappingV2",
    "AWS::ApiGateway::DomainName",
    "AWS::ApiGateway::DomainNameV2",
    "AWS::Cognito::UserPool",
    "AWS::S3::Bucket",
    "AWS::SNS::Topic",
];

/// A template after the transform.
pub(super) struct Transformed {
    pub(super) template: Value,
    /// The paths in the original template of the resources that were generated.
    pub(super) paths: HashMap<Str, Str>,
    /// True if all resources that the transform generates are present.
    pub(super) is_complete: bool,
}

/// A SAM resource with what it takes from the globals.
#[derive(Clone, Debug)]
struct Source {
    id: Str,
    kind: Str,
    /// The position in the template, which the generated resources take.
    slot: usize,
    body: Value,
    /// The properties, merged with the globals.
    properties: Value,
    origin: Origin,
}

impl Source {
    fn new(slot: usize, member: &Member, kind: &Str) -> Self {
        let mut attributes = Fields::default();
        for name in SHARED_ATTRIBUTES {
            attributes.set_some(name, get(&member.value, name).cloned());
        }
        let path = Str::from(join_key("Resources", &member.key));
        let span = member.value.span;
        Self {
            id: member.key.clone(),
            kind: kind.clone(),
            slot,
            body: member.value.clone(),
            properties: get(&member.value, "Properties").cloned().unwrap_or(Value::NULL),
            origin: Origin { path, key_span: member.key_span.or(span), span, attributes },
        }
    }

    /// Returns a generated resource that replaces this one under its name.
    fn main(&self, kind: &'static str) -> Draft {
        let mut draft = Draft::new(self.id.clone(), kind, &self.origin);
        for name in ["DependsOn", "UpdatePolicy"] {
            draft.attributes.set_some(name, get(&self.body, name).cloned());
        }
        draft.properties_span = get(&self.body, "Properties").and_then(|properties| properties.span);
        draft
    }

    /// Returns a property that is not null.
    fn get(&self, name: &str) -> Option<&Value> {
        get(&self.properties, name)
    }

    /// Returns a property that counts as given.
    fn given_property(&self, name: &str) -> Option<&Value> {
        build::given_property(&self.properties, name)
    }
}

/// The state of the transform.
struct Sam<'s, 'a> {
    stack: &'s Stack<'a>,
    output: Output,
    apis: api::Apis,
    deployments: deployment::Deployments,
    linked: events::Linked,
    record_sets: api::RecordSets,
    shared_plan: api::SharedPlan,
    /// True if resources that the transform generates are missing.
    is_incomplete: Cell<bool>,
}

impl<'s, 'a> Sam<'s, 'a> {
    fn new(stack: &'s Stack<'a>, resources: &[Member]) -> Self {
        Self {
            stack,
            output: Output::new(resources),
            apis: api::Apis::default(),
            deployments: deployment::Deployments::default(),
            linked: events::Linked::default(),
            record_sets: api::RecordSets::default(),
            shared_plan: api::SharedPlan::default(),
            is_incomplete: Cell::new(false),
        }
    }

    /// Generates the resources of all SAM resources.
    fn generate(&mut self, resources: &[Member], sources: &[Source], globals: &globals::Globals<'_>) {
        self.collect_apis(sources, globals);
        let mut routes = refused::Routes::default();
        for source in sources {
            self.note_unknown(source);
            self.report_missing(source);
            self.check_shape(source, globals.of_type(&source.kind));
            self.check_refused(source, &mut routes);
            // Events that name no API replace a resource of the name that their API gets.
            if self.apis.get(&source.id).is_some_and(|api| api.source.slot != source.slot) {
                self.output.remove(source.slot);
                continue;
            }
            match &*source.kind {
                "AWS::Serverless::Function" => self.function(source),
                "AWS::Serverless::StateMachine" => self.state_machine(source),
                "AWS::Serverless::WebSocketApi" => self.websocket_api(source),
                "AWS::Serverless::SimpleTable" => self.table(source),
                "AWS::Serverless::LayerVersion" => self.layer(source),
                "AWS::Serverless::Application" => self.application(source),
                "AWS::Serverless::CapacityProvider" => self.capacity_provider(source),
                "AWS::Serverless::GraphQLApi" => self.graphql_api(source),
                _ => {}
            }
        }
        for api in &self.apis.all {
            // Events that name no API get one with the globals.
            if self.declared(&api.source.id).is_none() {
                self.refused_auth(&api.source, "Globals.Api", matches!(api.kind, api::Kind::Http));
            }
        }
        for api in std::mem::take(&mut self.apis.all) {
            match api.kind {
                api::Kind::Rest => self.rest_api(api),
                api::Kind::Http => self.http_api(api),
            }
        }
        let is_connector = |source: &&Source| *source.kind == *"AWS::Serverless::Connector";
        for source in sources.iter().filter(is_connector) {
            self.connector(source);
        }
        for (slot, member) in resources.iter().enumerate() {
            self.embedded_connectors(slot, member);
        }
        self.link();
        self.finish_shared_plan();
        self.finish_records();
        self.deployments();
    }

    /// Adds the generated resources in the place of the SAM resource, with its tags if they are propagated.
    fn emit(&mut self, source: &Source, mut drafts: Vec<Draft>) {
        let is_http = *source.kind == *"AWS::Serverless::HttpApi";
        let tags =
            source.given_property("Tags").filter(|_| !is_http && source.given_property("PropagateTags").is_some());
        if let Some(tags) = tags {
            for draft in &mut drafts {
                tag(draft, tags);
            }
        }
        self.emit_all(source, drafts);
    }

    /// Adds the generated resources in the place of the SAM resource.
    fn emit_all(&mut self, source: &Source, drafts: Vec<Draft>) {
        self.output.remove(source.slot);
        for draft in drafts {
            self.stack.world.spend(0, draft.origin.key_span);
            self.check_generated_name(source, &draft);
            self.output.add(source.slot, draft);
        }
    }

    /// Reports a generated resource whose name the template declares, too.
    fn check_generated_name(&self, source: &Source, draft: &Draft) {
        let declared = self.declared(&draft.id).filter(|_| draft.id != source.id);
        let Some(kind) = declared.and_then(|declared| get(declared, "Type")?.as_str()) else { return };
        if !kind.starts_with(PREFIX) && !SHARED_NAMES.contains(&draft.kind) {
            let message = format!(
                "the transform generates a resource `{}` for `{}`; rename the declared one",
                draft.id, source.id
            );
            self.breach(SAM_INVALID, source.origin.key_span, join_key("Resources", &draft.id), message);
        }
    }

    /// Returns a resource as the template declares it.
    fn declared(&self, id: &str) -> Option<&Value> {
        self.stack.section("Resources")?.get_exact(id)
    }

    /// Says which type or property is not expanded.
    fn note_unknown(&self, source: &Source) {
        let Some(known) = known::find(known::TYPES, &source.kind) else {
            // A type that is like no other may be newer than the table.
            let names = known::TYPES.iter().filter_map(|known| known.name.strip_prefix(PREFIX));
            let own = source.kind.strip_prefix(PREFIX).unwrap_or_default();
            if let Some(meant) = only_near(own, names) {
                let message =
                    format!("AWS SAM has no resource type `{}`, did you mean `{PREFIX}{meant}`?", source.kind);
                self.is_incomplete.set(true);
                return self.breach(
                    SAM_INVALID,
                    source.origin.key_span,
                    join_key(&source.origin.path, "Type"),
                    message,
                );
            }
            let message =
                format!("resources of type `{}` are not expanded, so what they generate is not checked", source.kind);
            return self.miss(source.origin.key_span, message);
        };
        for member in get(&source.body, "Properties").and_then(Value::as_object).into_iter().flatten() {
            if !known.has(&member.key) && shape::has(&source.kind, &member.key) {
                let message =
                    format!("`{}` of `{}` is not expanded, so what it changes is not checked", member.key, source.kind);
                self.note(member.key_span, message);
            }
        }
    }

    /// Reports the properties without which a resource cannot be expanded.
    fn report_missing(&self, source: &Source) {
        let Some(known) = known::find(known::TYPES, &source.kind) else { return };
        let written = get(&source.body, "Properties");
        // A function may be a whole that has them.
        if written
            .and_then(Value::as_object)
            .is_some_and(|object| object.iter().any(|member| member.key.starts_with("Fn::")))
        {
            return;
        }
        let span = written.and_then(|properties| properties.span).or(source.origin.key_span);
        for name in known.required().filter(|name| source.get(name).is_none()) {
            let Some(span) = span else { return };
            self.stack.world.report_breach(Breach {
                check: SAM_INVALID,
                path: join_key(&join_key(&source.origin.path, "Properties"), name),
                message: format!("`{}` lacks the required property `{name}`", source.kind),
                span: Span::new(span.file, span.start, span.start.saturating_add(1).min(span.end)),
                is_pedantic: false,
                severity: None,
                further: Vec::new(),
            });
        }
    }

    /// Says which resources are not generated. Names that nothing declares may be theirs.
    fn miss(&self, span: Option<Span>, message: impl Into<String>) {
        self.is_incomplete.set(true);
        self.note(span, message);
    }

    /// Says what is not checked.
    fn note(&self, span: Option<Span>, message: impl Into<String>) {
        if let Some(span) = span {
            let problem = Diagnostic::new(Code::TemplateTransform, span, message);
            self.stack.world.report(problem.not_checked(NotChecked::Transform));
        }
    }

    /// Returns the value with references to parameters replaced by their known values.
    fn resolved(&self, value: &Value) -> Value {
        intrinsics::resolved(self.stack, value)
    }

    /// Returns the partition of the region that the user gave, else that of the commercial regions.
    fn partition(&self) -> String {
        let known = pseudo::value("AWS::Partition", &self.stack.arguments);
        known.as_ref().and_then(Value::as_str).unwrap_or("aws").to_owned()
    }
}

/// Returns the template of a stack after the transform. `None` if the transform changes nothing.
pub(super) fn transformed(stack: &Stack<'_>) -> Option<Transformed> {
    let template = stack.template.as_object()?;
    let declared = template.get_exact("Resources")?.as_object()?;
    let unrolled = unroll::unrolled(stack, declared);
    let (resources, in_loops): (&[Member], _) = match &unrolled {
        Some(unrolled) => (&unrolled.resources, unrolled.paths.as_slice()),
        None => (declared.iter().as_slice(), &[]),
    };
    let globals = globals::Globals::new(template.get_exact("Globals"));
    let mut sam = Sam::new(stack, resources);
    let sources = sources(stack, resources, in_loops, &globals);
    if sources.is_empty() && !stack.is_serverless {
        return None;
    }
    if let Some(first) = sources.first().filter(|_| !stack.is_serverless) {
        let message = format!("resource `{}` needs the transform of AWS SAM; add `Transform: {SERVERLESS}`", first.id);
        stack.report_shape(first.origin.key_span, message);
    }
    if let Some(section) = template.member("Globals").filter(|section| *section.key == *"Globals") {
        sam.check_globals(section);
    }
    sam.generate(resources, &sources, &globals);
    if unrolled.is_none() {
        for lost in resources.iter().filter(|member| stack.has_extensions && member.key.starts_with(loops::PREFIX)) {
            sam.miss(lost.key_span, "the values of a loop are not known, so SAM resources in loops are not expanded");
        }
    }
    let Sam { output, is_incomplete, .. } = sam;
    let (template, mut paths) = output.finish(template, stack.template.span);
    for (id, path) in in_loops {
        paths.entry(id.clone()).or_insert_with(|| path.clone());
    }
    Some(Transformed { template, paths, is_complete: !is_incomplete.get() })
}

/// Returns the SAM resources with the globals of their type.
fn sources(
    stack: &Stack<'_>,
    resources: &[Member],
    in_loops: &[(Str, Str)],
    globals: &globals::Globals<'_>,
) -> Vec<Source> {
    let path_in_loop: HashMap<&Str, &Str> = in_loops.iter().map(|(id, path)| (id, path)).collect();
    let mut sources = Vec::new();
    for (slot, member) in resources.iter().enumerate() {
        let kind = get(&member.value, "Type").and_then(Value::as_shared_str).filter(|kind| kind.starts_with(PREFIX));
        let Some(kind) = kind else { continue };
        // Every resource gets its own copy of the globals.
        let weight = globals.of_type(kind).map_or(0, |globals| globals.size().weight as usize);
        if !stack.world.spend(weight.saturating_mul(256), member.key_span) {
            return sources;
        }
        let mut source = globals.merged(Source::new(slot, member, kind));
        if let Some(path) = path_in_loop.get(&source.id) {
            source.origin.path = (*path).clone();
        }
        sources.push(source);
    }
    sources
}

/// Types whose tags are a list of keys and values.
const TAGGED: [&str; 13] = [
    "AWS::ApiGateway::ApiKey",
    "AWS::ApiGateway::DomainName",
    "AWS::ApiGateway::DomainNameAccessAssociation",
    "AWS::ApiGateway::DomainNameV2",
    "AWS::ApiGateway::RestApi",
    "AWS::ApiGateway::Stage",
    "AWS::ApiGateway::UsagePlan",
    "AWS::IAM::Role",
    "AWS::IoT::TopicRule",
    "AWS::Lambda::Function",
    "AWS::SNS::Topic",
    "AWS::SQS::Queue",
    "AWS::StepFunctions::StateMachine",
];

/// Types whose tags are an object.
const TAGGED_BY_NAME: [&str; 2] = ["AWS::ApiGatewayV2::DomainName", "AWS::ApiGatewayV2::Stage"];

/// Gives a generated resource the tags of its SAM resource.
fn tag(draft: &mut Draft, tags: &Value) {
    if TAGGED.contains(&draft.kind) {
        draft.set("Tags", Value { span: tags.span, ..Value::array(build::tag_list(Some(tags))) });
    } else if TAGGED_BY_NAME.contains(&draft.kind) {
        draft.set("Tags", tags.clone());
    }
}
