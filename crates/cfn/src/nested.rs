//! Nested stacks: resources with templates of their own.
//!
//! `TemplateURL` is a URL in a deployment. `aws cloudformation package` also accepts a relative path, and replaces it by
//! the URL. A path is followed, a URL is not.
//!
//! References: <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-stack.html>,
//! <https://docs.aws.amazon.com/cli/latest/reference/cloudformation/package.html>.

use crate::assemble::{Assembly, Frame};
use crate::diagnostic::{Code, Diagnostic, NotChecked};
use crate::given::Arguments;
use crate::model::LinkProblem;
use crate::pseudo;
use crate::sam;
use crate::secrets;
use crate::stack::Stack;
use crate::structure;
use crate::text::Span;
use crate::value::{Str, Value};

/// How many levels of stacks may be nested. Every level takes space on the stack of the thread.
const MAX_NESTING: usize = 16;

/// The types of nested stacks, each with the property that locates the template.
const TYPES: [(&str, &str); 2] =
    [("AWS::CloudFormation::Stack", "TemplateURL"), ("AWS::Serverless::Application", "Location")];

/// Whether a resource of this type is a nested stack.
pub(super) fn is_stack(type_name: &str) -> bool {
    TYPES.iter().any(|(name, _)| *name == type_name)
}

/// Whether a resource of this type makes stacks in several accounts and regions.
pub(super) fn is_stack_set(type_name: &str) -> bool {
    type_name == "AWS::CloudFormation::StackSet"
}

impl Assembly<'_> {
    /// Says that the template of a stack set is not expanded, wherever it is.
    pub(super) fn report_stack_set(&self, span: Span) {
        self.report_remote(span, "the template of a stack set is not expanded, so its resources are not seen");
    }

    /// Expands the template of the nested stack with this `body`, if it is in the repository. The result is the names of its
    /// outputs, if they are known.
    pub(super) fn nested(&mut self, parent: &Stack<'_>, body: &Value, frame: Frame<'_>) -> Option<Vec<Str>> {
        let properties = body.as_object()?.get_exact("Properties")?.as_object()?;
        // A stack without a location has a finding of its own.
        let location = TYPES.iter().find_map(|(_, name)| properties.get_exact(name))?;
        let span = location.span.or(body.span)?;
        let Some(path) = location.as_str() else {
            let why = location.as_unknown().map_or("it is not a string", |unknown| &unknown.why);
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
        let linked = match self.request.loader.load(parent.file, path) {
            Ok(linked) => linked,
            Err(problem) => {
                self.report_link(path, span, problem);
                return None;
            }
        };
        if self.open.contains(&linked.file) || self.open.len() >= MAX_NESTING {
            let message = format!("the stack `{path}` is nested in itself, or more than {MAX_NESTING} levels deep");
            self.world.report(Diagnostic::new(Code::TemplateCycle, span, message));
            return None;
        }
        let written = properties.get_exact("Parameters");
        let given = written.and_then(Value::as_object);
        let given = given.into_iter().flatten().map(|member| (member.key.clone(), member.value.clone()));
        let around = parent.arguments.iter().filter(|(name, _)| is_shared(name)).cloned();
        let arguments = Arguments::of_stack(around.chain(given).collect());
        let mut stack = Stack::new(self.world, linked.file, &linked.value, arguments);
        // The rest does not depend on the scenario.
        if self.request.scenario.is_none() {
            if self.checked.insert(linked.file) {
                structure::check(&stack);
                self.secrets.extend(secrets::check(&stack));
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
        outputs
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

/// Whether a pseudo parameter is the same in a nested stack.
fn is_shared(name: &Str) -> bool {
    pseudo::NAMES.contains(&&**name) && !matches!(&**name, "AWS::StackId" | "AWS::StackName")
}
