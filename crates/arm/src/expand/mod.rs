//! Expands a deployment into the resources that it would create.
//!
//! 1. **Declare** ([`declare`]): evaluates loops and conditions, and gives every resource its type, name and ID.
//! 2. **Process** ([`process`]): evaluates the bodies in dependency order. `reference()` processes the resource that it
//!    needs before its turn. Nested deployments are expanded when their turn comes ([`nested`]).
//! 3. **Assemble** ([`assemble`]): finds the parents of resources, and makes the [`Document`].
//!
//! Azure's documentation of template deployments describes the whole process:
//! <https://learn.microsoft.com/azure/azure-resource-manager/templates/>.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod arguments;
mod assemble;
pub(crate) mod constraints;
mod declare;
mod declared;
mod dependencies;
mod hidden;
mod linked;
mod nested;
mod nulls;
mod order;
mod parents;
mod possible;
mod process;
mod reads;
mod registry;
mod settings;
mod state;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use foldhash::HashSet;

use crate::artifacts::ROOT_URI;
use crate::checks;
use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::eval::{Blanks, Definitions, Evaluator, Extensions, Given, TemplateLevel, UserFunctions, World};
use crate::expand::declared::Declared;
use crate::expand::registry::{Instance, Node, Registry};
use crate::functions::article;
use crate::model::{Budget, Document, Expansion, Loader, MentionedType};
use crate::parameters;
use crate::scope::DeploymentScope;
use crate::text::{FileId, Span};
use crate::value::{Data, Kind, Member, Str, Traits, Unknown, Value};

/// A template and everything that its expansion depends on.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The file of the template.
    pub file: FileId,
    /// The parsed template, which must be an object to be expanded.
    pub template: &'a Value,
    /// The parameter file and its top-level object. `None` if the template is expanded without one.
    pub parameters: Option<(FileId, &'a Value)>,
    /// Parameter values that override those of the parameter file.
    pub overrides: &'a [(Str, Value)],
    /// The subscription, resource group and so on that the deployment targets.
    pub context: &'a Context,
    /// Budget of steps and memory for the expansion.
    pub budget: &'a Budget<'a>,
    /// True if the caller reads the states of the resources. Otherwise each state is the body, which saves a second
    /// copy.
    pub states: bool,
    /// True if the caller compares with types what other values of the parameters deploy: see [`Document::possible`].
    pub explores: bool,
    /// True if the Bicep compiler generated the template from a file that it knows only in part. Only then does
    /// `bicep:` at the beginning of a link or of the name of an external input stand for an unknown, which has been
    /// reported.
    pub has_unknowns: bool,
    /// Reads linked templates and parameter files.
    pub loader: &'a dyn Loader,
}

/// Expands a template with one set of parameters. Problems in the template become diagnostics; the document is `None`
/// only if the template is not an object.
pub fn expand(request: &Request<'_>) -> Expansion {
    let registry = Registry::new(request.loader);
    let mut world = World::new(request.context, request.budget, &registry);
    world.has_unknowns = request.has_unknowns;
    let mut document = Expander { world: &world, registry: &registry }.run(request);
    let (issues, diagnostics) = world.into_problems();
    // A linked template may have been cut off by a limit, and still be small enough to be checked on its own.
    let is_cut = |problem: &Diagnostic| matches!(problem.code, Code::TemplateLimit | Code::ExpressionLimit);
    if let Some(document) = document.as_mut().filter(|_| !diagnostics.iter().any(is_cut)) {
        let files: BTreeSet<FileId> = registry.nodes().iter().map(|node| node.file).collect();
        document.linked = files.into_iter().filter(|file| *file != request.file).collect();
    }
    Expansion { document, issues, diagnostics }
}

/// Runs the three steps of the expansion of one document.
#[derive(Clone, Copy)]
struct Expander<'a> {
    world: &'a World<'a>,
    registry: &'a Registry<'a>,
}

impl Expander<'_> {
    fn run(&self, request: &Request<'_>) -> Option<Document> {
        if request.template.as_object().is_none() {
            let span = request.template.span.unwrap_or_else(|| Span::whole_file(request.file));
            let message = format!("a template must be an object, found {}", article(request.template.kind()));
            self.world.report(Diagnostic::new(Code::TemplateShape, span, message));
            return None;
        }
        self.world.budget.allow_for(request.template);
        let file = request.parameters.map(|(_, file)| file);
        self.world.blanks.replace(Blanks::new(request.template, file));
        let root = self.root(request);
        self.declare_all(&root);
        self.process_all(&root);
        let mut document = self.assemble(request);
        document.mentioned = self.run_checks(&document);
        if request.explores {
            document.possible = self.possible(&document);
        }
        Some(document)
    }

    /// Runs the built-in checks on each deployment. Returns the types that expressions name.
    fn run_checks(&self, document: &Document) -> Vec<MentionedType> {
        let (mut seen, mut leaks, mut mentioned) = (HashSet::default(), Vec::new(), Vec::new());
        for node in self.registry.nodes() {
            let outputs = node.outputs.borrow();
            let subject = checks::ProcessedTemplate {
                evaluator: &self.evaluator(&node),
                template: &node.template,
                path: &node.path,
                outputs: outputs.as_ref().unwrap_or(&Value::NULL),
                resources: node.members.borrow().len(),
                is_outer: self.is_outer(&node),
            };
            // A module that is deployed several times is one text.
            if node.template.span.is_none_or(|span| seen.insert(span)) {
                checks::check_text(&subject);
                checks::collect_mentions(&subject, &mut mentioned);
            }
            checks::check_values(&subject, &mut leaks);
        }
        self.check_instances();
        self.check_order(document);
        self.check_reads();
        checks::report_leaks(leaks, self.world);
        checks::check_resources(document, self.world);
        mentioned
    }

    /// Returns `true` for a nested template with outer scope, whose expressions see the [`TemplateLevel`] of the
    /// enclosing template.
    fn is_outer(&self, node: &Node) -> bool {
        node.parent.is_some_and(|parent| Rc::ptr_eq(&self.registry.node(parent).level, &node.level))
    }

    fn root(&self, request: &Request<'_>) -> Rc<Node> {
        let template = request.template;
        let context = request.context;
        let schema = template.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let target = DeploymentScope::of_schema(schema, context);
        let name = Str::from(context.deployment_name.as_str());
        let file = request.parameters.map(|(_, file)| file);
        let given = parameters::read_parameter_file(file, request.overrides, &target, self.world);
        let declared = template.get("parameters").unwrap_or(&Value::NULL);
        let submission = Submission {
            template,
            target: &target,
            name: &name,
            uri: ROOT_URI,
            location: request.context.deployment_location(),
            arguments: given.as_arguments(),
            configs: given.extension_configs(),
        };
        let level = self.level(&submission, |name| given.get(name));
        given.report_undeclared(declared, self.world);
        given.report_missing(declared, self.world);
        given.report_secrets(declared, &level.types, self.world);
        self.registry.add_node(|index| Node {
            level: Rc::new(level),
            target,
            name,
            template: template.clone(),
            ..Node::empty(index, request.file)
        })
    }

    /// Builds the [`TemplateLevel`] of a template. `given` returns the value that a parameter is deployed with.
    fn level(&self, submission: &Submission<'_>, given: impl FnMut(&str) -> Option<Given>) -> TemplateLevel {
        let Submission { template, target, name, uri, location, arguments, configs } = submission;
        let part = |name: &str| template.get(name).cloned().unwrap_or(Value::NULL);
        TemplateLevel {
            parameters: Definitions::parameters(&part("parameters"), given),
            variables: Definitions::variables(&part("variables")),
            functions: UserFunctions::new(part("functions")),
            types: self.world.types(template),
            deployment: deployment_object(
                template,
                target,
                self.world.named(name),
                uri,
                location.clone(),
                arguments.clone(),
            ),
            extensions: Extensions::new(template, configs.clone()),
            ..TemplateLevel::bare((*target).clone())
        }
    }

    fn evaluator(&self, node: &Node) -> Evaluator<'_> {
        Evaluator::new(self.world, Rc::clone(&node.level), node.index).guarded_if(node.is_guarded)
    }

    /// Returns the evaluator for the expressions of a resource.
    fn evaluator_of(&self, instance: &Instance) -> Evaluator<'_> {
        self.evaluator(&self.registry.node(instance.node)).guarded_if(instance.is_guarded)
    }
}

/// A template and the inputs of its deployment.
struct Submission<'a> {
    template: &'a Value,
    target: &'a DeploymentScope,
    /// The name of the deployment.
    name: &'a Str,
    /// The URI of the template that `deployment()` returns.
    uri: &'a str,
    /// Location of the deployment, unless it targets a resource group.
    location: Value,
    arguments: Value,
    /// Configuration of its extensions.
    configs: Value,
}

/// Builds the object that `deployment()` returns. Reference:
/// <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-deployment#deployment>.
pub(super) fn deployment_object(
    template: &Value,
    target: &DeploymentScope,
    name: Value,
    uri: &str,
    location: Value,
    arguments: Value,
) -> Value {
    // `deployment().properties.template` is the template's text: its expressions stay unevaluated.
    let template = Value { traits: template.traits.without(Traits::DYNAMIC), ..template.clone() };
    let hash = Unknown::new(Kind::String, "only Azure computes the hash of a template");
    let link = vec![Member::new("uri", Value::from(uri))];
    let link =
        Unknown::like(Kind::Object, "only Azure knows the link that the template comes from", Value::object(link));
    let properties = vec![
        Member::new("templateLink", Value::unknown(link).with_traits(Traits::PATH)),
        Member::new("template", template),
        Member::new("templateHash", Value::unknown(hash)),
        Member::new("parameters", arguments),
        Member::new("mode", Value::from("Incremental")),
        Member::new("provisioningState", Value::from("Accepted")),
    ];
    let mut members = vec![Member::new("name", name)];
    if !matches!(target, DeploymentScope::ResourceGroup { .. }) {
        members.push(Member::new("location", location));
    }
    members.push(Member::new("properties", Value::object(properties)));
    Value::object(members)
}

impl Node {
    fn empty(index: usize, file: FileId) -> Self {
        Self {
            index,
            file,
            level: Rc::new(TemplateLevel::bare(DeploymentScope::Tenant)),
            target: DeploymentScope::Tenant,
            name: Str::from(""),
            template: Value::NULL,
            path: String::new(),
            instance: None,
            parent: None,
            frames: None,
            instances: RefCell::default(),
            is_guarded: false,
            members: RefCell::default(),
            symbols: RefCell::default(),
            loops: RefCell::default(),
            names: RefCell::default(),
            declared: RefCell::<Declared>::default(),
            idle_loops: RefCell::default(),
            is_declared: Cell::default(),
            outputs: RefCell::default(),
        }
    }
}

/// Returns the string of a value that should be one: the approximation of an unknown, or empty for any other kind.
fn text_of(value: &Value) -> Str {
    match &value.data {
        Data::String(text) => text.clone(),
        Data::Unknown(unknown) => unknown.approximation.as_shared_str().cloned().unwrap_or_else(|| Str::from("")),
        Data::Int(number) => Str::from(number.to_string()),
        _ => Str::from(""),
    }
}
