//! One template with the values of its parameters.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cfn::conditions::Truth;
use crate::cfn::given::Arguments;
use crate::cfn::loops::Entry;
use crate::cfn::world::World;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::pattern::Pattern;
use crate::text::{FileId, Span, did_you_mean};
use crate::value::{Member, Object, Str, Value};

/// The transforms whose work formwork does itself, or that change nothing that it looks at.
const KNOWN_TRANSFORMS: [&str; 1] = [LANGUAGE_EXTENSIONS];

/// The transform that unrolls loops.
pub(super) const LANGUAGE_EXTENSIONS: &str = "AWS::LanguageExtensions";

/// A template, its arguments, and what was found out about it.
#[derive(Debug)]
pub(super) struct Stack<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) template: &'a Value,
    /// The file that it is in.
    pub(super) file: FileId,
    pub(super) arguments: Arguments,
    /// Whether a macro works on the template before CloudFormation sees it: names may be declared that are not here.
    pub(super) has_macros: bool,
    /// Whether loops are unrolled. Without the transform that does it they are no resources.
    pub(super) has_loops: bool,
    /// Evaluated parameters.
    pub(super) parameters: RefCell<FxHashMap<Str, Value>>,
    /// The compiled `AllowedPattern` of parameters; `None` for one that cannot be used.
    pub(super) patterns: RefCell<FxHashMap<Str, Option<Rc<Pattern>>>>,
    /// Evaluated conditions; `None` while one is being evaluated.
    pub(super) conditions: RefCell<FxHashMap<Str, Option<Truth>>>,
    /// The declared conditions, loops unrolled.
    pub(super) declared_conditions: OnceCell<FxHashMap<Str, Entry<'a>>>,
    /// The logical ids of all resources, those included whose condition does not hold.
    pub(super) logical_ids: OnceCell<FxHashSet<Str>>,
    /// The logical ids that were referred to since somebody last looked.
    pub(super) references: RefCell<FxHashSet<Str>>,
}

impl<'a> Stack<'a> {
    pub(super) fn new(world: &'a World<'a>, file: FileId, template: &'a Value, arguments: Arguments) -> Self {
        Self {
            world,
            template,
            file,
            arguments,
            has_macros: has_macros(template),
            has_loops: transforms(template).iter().any(|it| it.as_str() == Some(LANGUAGE_EXTENSIONS)),
            parameters: RefCell::default(),
            patterns: RefCell::default(),
            conditions: RefCell::default(),
            declared_conditions: OnceCell::new(),
            logical_ids: OnceCell::new(),
            references: RefCell::default(),
        }
    }

    /// A section of the template, if it is there and an object.
    pub(super) fn section(&self, name: &str) -> Option<&'a Object> {
        self.template.as_object()?.get_exact(name)?.as_object()
    }

    /// Reports a name that nothing declares. Only a warning: it stops nothing from being checked, and a macro or a part
    /// that is included may declare it.
    pub(super) fn report_undefined(&self, span: Option<Span>, message: impl FnOnce() -> String) {
        if let Some(span) = span.filter(|_| !self.has_macros && self.world.hears_reports()) {
            let message = message();
            self.world.report(Diagnostic::new(Code::ExpressionUndefined, span, message).with_level(Level::Warning));
        }
    }

    /// Reports the name of a resource that is not declared.
    pub(super) fn report_no_resource(&self, span: Option<Span>, name: &str) {
        self.report_undefined(span, || {
            let ids = self.logical_ids.get().into_iter().flatten();
            format!("there is no resource `{name}`{}", did_you_mean(name, ids.map(|it| &**it)))
        });
    }

    /// Reports a part that does not have the form that CloudFormation wants.
    pub(super) fn report_shape(&self, span: Option<Span>, message: String) {
        if let Some(span) = span {
            let level = if self.has_macros { Level::Warning } else { Level::Error };
            self.world.report(Diagnostic::new(Code::TemplateShape, span, message).with_level(level));
        }
    }
}

/// Whether something works on the template that formwork does not know: a macro, or a tool that makes several resources
/// out of one.
fn has_macros(template: &Value) -> bool {
    let resources = template.as_object().and_then(|it| it.get_exact("Resources")?.as_object());
    let type_of = |it: &Member| it.value.as_object().and_then(|it| it.get_exact("Type")?.as_object()).is_some();
    if resources.into_iter().flatten().any(type_of) {
        return true;
    }
    let is_known = |it: &Value| it.as_str().is_some_and(|name| KNOWN_TRANSFORMS.contains(&name));
    !transforms(template).iter().all(is_known)
}

/// What works on the whole template before CloudFormation sees it.
fn transforms(template: &Value) -> &[Value] {
    let Some(transform) = template.as_object().and_then(|it| it.get_exact("Transform")) else { return &[] };
    transform.as_array().unwrap_or(std::slice::from_ref(transform))
}
