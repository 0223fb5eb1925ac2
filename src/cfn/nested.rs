//! Nested stacks: resources that are templates of their own.
//!
//! `TemplateURL` is a URL once a stack is deployed; `aws cloudformation package` takes a relative path in its place, and
//! puts the URL there. A path is followed, a URL is not.
//!
//! References: <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-stack.html>,
//! <https://docs.aws.amazon.com/cli/latest/reference/cloudformation/package.html>.

use crate::cfn::assemble::{Assembly, Frame};
use crate::cfn::given::Arguments;
use crate::cfn::pseudo;
use crate::cfn::stack::Stack;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::LinkProblem;
use crate::text::Span;
use crate::value::{Str, Value};

/// How many stacks may be nested in each other. Every level costs the stack of a thread.
const MAX_NESTING: usize = 16;

/// The types that bring a template, each with the property that says where it is.
const TYPES: [(&str, &str); 2] =
    [("AWS::CloudFormation::Stack", "TemplateURL"), ("AWS::Serverless::Application", "Location")];

/// Whether a resource of this type is a template of its own.
pub(super) fn is_stack(type_name: &str) -> bool {
    TYPES.iter().any(|(name, _)| *name == type_name)
}

impl Assembly<'_> {
    /// Enters the template of a nested stack, whose resource is `body`, if it is in the repository.
    pub(super) fn nested(&mut self, parent: &Stack<'_>, body: &Value, frame: Frame<'_>) {
        let Some(properties) = body.as_object().and_then(|it| it.get_exact("Properties")?.as_object()) else { return };
        let location = TYPES.iter().find_map(|(_, name)| properties.get_exact(name));
        let Some((path, span)) = location.and_then(|it| Some((it.as_str()?, it.span?))) else { return };
        if path.contains("://") {
            let message = "the template of the nested stack is not in the repository, so its resources are not seen";
            return self.world.report(Diagnostic::new(Code::TemplateRemote, span, message));
        }
        let linked = match self.request.loader.load(parent.file, path) {
            Ok(linked) => linked,
            Err(problem) => return self.report_link(path, span, problem),
        };
        if self.open.contains(&linked.file) || self.open.len() >= MAX_NESTING {
            let message = format!("the nested stack `{path}` nests itself, or lies in more than {MAX_NESTING} others");
            return self.world.report(Diagnostic::new(Code::TemplateCycle, span, message));
        }
        let given = properties.get_exact("Parameters").and_then(Value::as_object);
        let given = given.into_iter().flatten().map(|it| (it.key.clone(), it.value.clone()));
        let around = parent.arguments.iter().filter(|(name, _)| is_shared(name)).cloned();
        let arguments = Arguments::of_stack(around.chain(given).collect());
        let stack = Stack::new(self.world, linked.file, &linked.value, arguments);
        stack.report_undeclared();
        stack.report_patterns();
        self.stack(&stack, frame);
    }

    fn report_link(&self, path: &str, span: Span, problem: LinkProblem) {
        let message = match problem {
            LinkProblem::Missing => {
                format!("there is no file `{path}`, so the resources of the nested stack are not seen")
            }
            LinkProblem::Outside => {
                format!("`{path}` is not in the repository, so the resources of the nested stack are not seen")
            }
            LinkProblem::Unusable(problems) => return problems.into_iter().for_each(|it| self.world.report(it)),
        };
        self.world.report(Diagnostic::new(Code::TemplateRemote, span, message));
    }
}

/// Whether a pseudo parameter is the same in a nested stack.
fn is_shared(name: &Str) -> bool {
    pseudo::NAMES.contains(&&**name) && !matches!(&**name, "AWS::StackId" | "AWS::StackName")
}
