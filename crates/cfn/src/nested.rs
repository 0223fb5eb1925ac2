//! Nested stacks: resources with templates of their own.
//!
//! `TemplateURL` is a URL in a deployment. `aws cloudformation package` also accepts a relative path, and replaces it
//! by the URL. Paths are followed, and URLs as far as the file of the repository that they name can be determined. In
//! templates that the CDK writes, the metadata of the resource have the path.
//!
//! References:
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-stack.html>,
//! <https://docs.aws.amazon.com/cli/latest/reference/cloudformation/package.html>.

use crate::assemble::{Assembly, Frame};
use crate::diagnostic::{Code, Diagnostic, NotChecked};
use crate::given::Arguments;
use crate::model::{Certainty, Guess, LinkProblem, Linked};
use crate::pseudo;
use crate::sam;
use crate::secrets;
use crate::stack::Stack;
use crate::structure;
use crate::text::Span;
use crate::value::{Member, Str, Value};

/// Maximum number of levels of nested stacks. Every level takes space on the stack of the thread.
const MAX_NESTING: usize = 16;

/// The types of nested stacks, each with the property that locates the template.
const TYPES: [(&str, &str); 2] =
    [("AWS::CloudFormation::Stack", "TemplateURL"), ("AWS::Serverless::Application", "Location")];

/// Returns `true` if a resource of this type is a nested stack.
pub(super) fn is_stack(type_name: &str) -> bool {
    TYPES.iter().any(|(name, _)| *name == type_name)
}

/// Returns `true` if a resource of this type creates stacks in several accounts and regions.
pub(super) fn is_stack_set(type_name: &str) -> bool {
    type_name == "AWS::CloudFormation::StackSet"
}

impl Assembly<'_> {
    /// Says that the template of a stack set is not expanded, wherever it is.
    pub(super) fn report_stack_set(&self, span: Span) {
        self.report_remote(span, "the template of a stack set is not expanded, so its resources are not seen");
    }

    /// Expands the template of the nested stack with this `body`, if it is in the repository. The result is the names
    /// of its outputs, if they are known.
    pub(super) fn nested(&mut self, parent: &Stack<'_>, body: &Value, frame: Frame<'_>) -> Option<Vec<Str>> {
        let properties = body.as_object()?.get_exact("Properties")?.as_object()?;
        // A stack without a location has a finding of its own.
        let (name, location) = TYPES.iter().find_map(|(_, name)| Some((*name, properties.get_exact(name)?)))?;
        let span = location.span.or(body.span)?;
        let written = properties.get_exact("Parameters");
        let (linked, certainty) = self.template(parent, asset(body, name), location, written, span)?;
        if self.open.contains(&linked.file) || self.open.len() >= MAX_NESTING {
            let message =
                format!("the stack `{}` is nested in itself, or more than {MAX_NESTING} levels deep", linked.name);
            self.world.report(Diagnostic::new(Code::TemplateCycle, span, message));
            return None;
        }
        if let Some(why) = certainty.doubt() {
            let message = format!("the template of the nested stack was taken to be `{}`: {why}", linked.name);
            let problem = Diagnostic::new(Code::TemplateGuessed, span, message);
            self.world.report(problem.not_checked(NotChecked::GuessedTemplate));
        }
        let given = written.and_then(Value::as_object);
        let given = given.into_iter().flatten().map(|member| (member.key.clone(), member.value.clone()));
        let around = parent.arguments.iter().filter(|(name, _)| is_shared(name)).cloned();
        let mut arguments = Arguments::of_stack(around.chain(given).collect());
        let own = self.request.scenario.filter(|scenario| *scenario.prefix == *frame.prefix);
        arguments.extend(own.iter().flat_map(|scenario| scenario.values.iter().cloned()));
        let template = self.includes.complete(self.world, self.request.loader, linked.file, &linked.value);
        let mut stack = Stack::new(self.world, linked.file, &template, arguments);
        stack.scenario = own;
        // The rest does not depend on the scenario.
        if self.is_first() {
            if self.checked.insert(linked.file) {
                structure::check_structure(&stack);
                self.secrets.extend(secrets::find_secrets(&stack));
            }
            // A macro of the parent may still change what it passes.
            if !parent.has_macros {
                stack.report_undeclared();
                stack.report_unset(&frame.name, written, written.and_then(|written| written.span).unwrap_or(span));
            }
            stack.report_patterns();
        }
        let transformed = sam::transformed(&stack);
        if let Some(transformed) = &transformed {
            stack = stack.transformed(&transformed.template, &transformed.paths, transformed.is_complete);
        }
        let outputs = structure::nested::outputs(&stack);
        self.stack(&stack, frame);
        // Another template may have others.
        outputs.filter(|_| certainty.is_likely())
    }

    /// Returns the template of a nested stack, if it is in the repository: that of an asset, or at a path or a URL.
    fn template(
        &self,
        parent: &Stack<'_>,
        asset: Option<&str>,
        location: &Value,
        parameters: Option<&Value>,
        span: Span,
    ) -> Option<(Linked, Certainty)> {
        let unknown = location.as_unknown();
        let written = location.as_str().or_else(|| unknown?.approximation.as_str()).filter(|text| text.contains("://"));
        let found = written.filter(|_| asset.is_none()).and_then(|url| self.at_url(parent, url, parameters));
        if let Some((linked, certainty)) = found {
            let is_computed = unknown.is_some() && certainty == Certainty::Named;
            return Some((linked, if is_computed { Certainty::Guessed(Guess::Computed) } else { certainty }));
        }
        let Some(path) = asset.or_else(|| location.as_str()) else {
            let why = unknown.map_or("it is not a string", |unknown| &unknown.why);
            let message =
                format!("the template of the nested stack is not known, so its resources are not seen: {why}");
            self.report_remote(span, message);
            return None;
        };
        if path.contains("://") {
            let message = "the template of the nested stack is not in the repository, so its resources are not seen";
            self.report_remote(span, message);
            return None;
        }
        let linked = self.request.loader.load(parent.file, path);
        let linked = linked.map_err(|problem| self.report_link(path, span, problem)).ok()?;
        // An asset is only a copy of what the property locates, unless that is the same path.
        let is_guess = asset.is_some_and(|asset| location.as_str() != Some(asset));
        Some((linked, if is_guess { Certainty::Guessed(Guess::Asset) } else { Certainty::Named }))
    }

    /// Returns the template of the repository whose path is the end of that of a URL, if it takes these parameters. The
    /// bucket of a deployment usually has a copy of the repository.
    fn at_url(&self, parent: &Stack<'_>, url: &str, parameters: Option<&Value>) -> Option<(Linked, Certainty)> {
        let located = self.request.loader.locate(parent.file, url)?;
        let linked = self.request.loader.load(parent.file, &located.path).ok()?;
        // The template of somebody else may have the same name, but hardly one is nested in itself.
        if !located.certainty.is_likely() && self.open.contains(&linked.file) {
            return None;
        }
        let template = linked.value.as_object()?;
        template.get_exact("Resources")?;
        let declared = template.get_exact("Parameters").and_then(Value::as_object);
        // What is not written as an object may be any.
        let given = parameters.and_then(Value::as_object);
        if parameters.is_some() && given.is_none() {
            return None;
        }
        let is_given = |name: &str| given.is_some_and(|given| given.get_exact(name).is_some());
        let is_declared = |given: &Member| declared.is_some_and(|declared| declared.get_exact(&given.key).is_some());
        let is_set = |declared: &Member| declared.value.get("Default").is_some() || is_given(&declared.key);
        let fits = given.into_iter().flatten().all(is_declared) && declared.into_iter().flatten().all(is_set);
        fits.then_some((linked, located.certainty))
    }

    fn report_link(&self, path: &str, span: Span, problem: LinkProblem) {
        let message = match problem {
            LinkProblem::Missing => {
                format!("there is no file `{path}`, so the resources of the nested stack are not seen")
            }
            LinkProblem::Outside => {
                format!("`{path}` is not in the repository, so the resources of the nested stack are not seen")
            }
            LinkProblem::Unusable(problems) => {
                return problems.into_iter().for_each(|problem| self.world.report(problem));
            }
        };
        self.report_remote(span, message);
    }

    fn report_remote(&self, span: Span, message: impl Into<String>) {
        let problem = Diagnostic::new(Code::TemplateRemote, span, message);
        self.world.report(problem.not_checked(NotChecked::RemoteTemplate));
    }
}

/// Returns the path of the file that the CDK uploads for a property of a resource. Reference:
/// <https://docs.aws.amazon.com/cdk/v2/guide/assets.html>.
fn asset<'b>(body: &'b Value, property: &str) -> Option<&'b str> {
    let metadata = body.as_object()?.get_exact("Metadata")?.as_object()?;
    metadata.get_exact("aws:asset:property")?.as_str().filter(|of| *of == property)?;
    metadata.get_exact("aws:asset:path")?.as_str()
}

/// Returns `true` if a pseudo parameter has the same value in a nested stack.
fn is_shared(name: &Str) -> bool {
    pseudo::NAMES.contains(&&**name) && !matches!(&**name, "AWS::StackId" | "AWS::StackName")
}
