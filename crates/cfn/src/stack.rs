//! A template with the values of its parameters.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use crate::FORMAT_VERSION;
use crate::assumed::{Branches, Reason, Scenario};
use crate::conditions::Truth;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::functions;
use crate::given::Arguments;
use crate::loops::{self, Entry};
use crate::made::Made;
use crate::outcomes::Outcomes;
use crate::pattern::{Pattern, PatternError};
use crate::text::{FileId, Span, is_stand_in};
use crate::value::{Member, Object, Step, Str, Unknown, Value};
use crate::world::World;

/// The transforms that formwork applies itself.
const KNOWN_TRANSFORMS: [&str; 2] = [LANGUAGE_EXTENSIONS, SERVERLESS];

/// The greatest length of a name, which has only letters and digits of ASCII.
pub(super) const MAX_NAME: usize = 255;

/// The key of a macro that changes what is around it.
pub(super) const MACRO: &str = "Fn::Transform";

/// The sections that declare names.
const DECLARING: [&str; 4] = ["Conditions", "Mappings", "Parameters", "Resources"];

/// The transform that unrolls loops, and extends some functions.
pub(super) const LANGUAGE_EXTENSIONS: &str = "AWS::LanguageExtensions";

/// The transform that replaces the resources of AWS SAM by those that they generate.
pub(super) const SERVERLESS: &str = "AWS::Serverless-2016-10-31";

/// A template with its arguments, and the parts of it that have been evaluated.
#[derive(Debug)]
pub(super) struct Stack<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) template: &'a Value,
    /// The file that it is in.
    pub(super) file: FileId,
    pub(super) arguments: Arguments,
    /// True if a macro changes the template before CloudFormation reads it. The macro may declare more names.
    pub(super) has_macros: bool,
    /// True if the language extensions apply. Without them there are no loops, and names are not computed.
    pub(super) has_extensions: bool,
    /// True if the transform of AWS SAM applies.
    pub(super) is_serverless: bool,
    /// The parameters that were evaluated.
    pub(super) parameters: RefCell<HashMap<Str, Value>>,
    /// The compiled `AllowedPattern` of parameters; `None` for one that cannot be used.
    pub(super) patterns: RefCell<HashMap<Str, Option<Rc<Pattern>>>>,
    /// Each text of an `AllowedPattern`, compiled: many parameters may have the same one.
    pub(super) compiled: RefCell<HashMap<String, Result<Rc<Pattern>, PatternError>>>,
    /// The conditions that were evaluated; `None` for one that is being evaluated.
    pub(super) conditions: RefCell<HashMap<Str, Option<Truth>>>,
    /// True if a loop or a macro may declare further conditions.
    has_open_conditions: OnceCell<bool>,
    /// The declared conditions, loops unrolled.
    pub(super) declared_conditions: OnceCell<HashMap<Str, Entry<'a>>>,
    /// The names that `Ref` accepts, for messages about others.
    pub(super) names: OnceCell<Vec<Str>>,
    /// The logical IDs of all resources, including those whose condition does not hold.
    pub(super) logical_ids: OnceCell<HashSet<Str>>,
    /// The resources that are modules.
    modules: OnceCell<Modules>,
    /// The logical IDs that the current resource refers to.
    pub(super) references: RefCell<HashSet<Str>>,
    /// The names that the Serverless Framework adds to the template of a service.
    pub(super) made: Option<&'a Made>,
    /// The paths of the resources that a transform generated, in the template before it.
    pub(super) generated: Option<&'a HashMap<Str, Str>>,
    /// Assumptions besides the arguments; `None` in the given scenario.
    pub(super) scenario: Option<&'a Scenario>,
    /// Conditions and values that the current resource reads and that differ from the given scenario.
    pub(super) reasons: RefCell<Vec<Reason>>,
    /// The value that is tried for a name.
    pub(super) trial: RefCell<Option<(Str, Value)>>,
    /// True while a condition is evaluated.
    pub(super) is_comparing: Cell<bool>,
}

impl<'a> Stack<'a> {
    pub(super) fn new(world: &'a World<'a>, file: FileId, template: &'a Value, arguments: Arguments) -> Self {
        Self {
            world,
            template,
            file,
            arguments,
            has_macros: has_macros(template),
            has_extensions: has_transform(template, LANGUAGE_EXTENSIONS),
            is_serverless: has_transform(template, SERVERLESS),
            parameters: RefCell::default(),
            patterns: RefCell::default(),
            compiled: RefCell::default(),
            conditions: RefCell::default(),
            has_open_conditions: OnceCell::new(),
            declared_conditions: OnceCell::new(),
            logical_ids: OnceCell::new(),
            names: OnceCell::new(),
            modules: OnceCell::new(),
            references: RefCell::default(),
            made: None,
            generated: None,
            scenario: None,
            reasons: RefCell::default(),
            trial: RefCell::default(),
            is_comparing: Cell::new(false),
        }
    }

    /// Replaces the template by the result of a transform.
    pub(super) fn transformed<'t>(
        self,
        template: &'t Value,
        generated: &'t HashMap<Str, Str>,
        is_complete: bool,
    ) -> Stack<'t>
    where
        'a: 't,
    {
        let (scenario, made) = (self.scenario, self.made);
        let stack = Stack::new(self.world, self.file, template, self.arguments);
        Stack { generated: Some(generated), has_macros: stack.has_macros || !is_complete, scenario, made, ..stack }
    }

    /// Returns a section of the template; `None` if it is missing or not an object.
    pub(super) fn section(&self, name: &str) -> Option<&'a Object> {
        self.template.as_object()?.get_exact(name)?.as_object()
    }

    /// Returns `true` if a name may be that of a resource which is not in the template: in a module, or of those that the
    /// Serverless Framework adds.
    pub(super) fn may_be_added(&self, name: &str) -> bool {
        self.may_be_in_module(name) || self.made.is_some_and(|made| made.may_have(name))
    }

    /// Returns `true` if a name is that of a resource in a module: the logical ID of the module, an optional dot, and
    /// that of the resource, which people begin with a capital. Reference:
    /// <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/modules.html>.
    fn may_be_in_module(&self, name: &str) -> bool {
        let Modules { ids, lengths } = self.modules.get_or_init(|| Modules::from_resources(self.section("Resources")));
        lengths.iter().filter_map(|&length| name.split_at_checked(length)).any(|(module, inner)| {
            inner.chars().next().is_some_and(|first| !first.is_lowercase()) && ids.contains(module)
        })
    }

    /// Returns `true` if a macro in a section, or at the top level, may declare further names.
    pub(super) fn may_include_names(&self) -> bool {
        DECLARING.iter().any(|name| self.section(name).is_some_and(|section| section.get_exact(MACRO).is_some()))
            || self.template.get(MACRO).is_some()
    }

    /// Takes what is known of conditions whose operands are not known.
    pub(super) fn decide(&self, decided: Option<&HashMap<Str, bool>>) {
        let mut conditions = self.conditions.borrow_mut();
        for (name, holds) in decided.into_iter().flatten() {
            conditions.insert(name.clone(), Some(Truth::from(*holds)));
        }
    }

    /// Returns the result of `work` while a condition is assumed to hold.
    pub(super) fn assuming<T>(&self, condition: &Str, work: impl FnOnce() -> T) -> T {
        let before = self.conditions.borrow_mut().insert(condition.clone(), Some(Truth::from(true)));
        let result = work();
        match before {
            Some(before) => self.conditions.borrow_mut().insert(condition.clone(), before),
            None => self.conditions.borrow_mut().remove(condition),
        };
        result
    }

    /// Notes that the current resource depends on a condition, between `branches` or as a whole.
    pub(super) fn note_condition(&self, name: &str, truth: &Truth, branches: Option<Branches>) {
        let Some((scenario, holds)) = self.scenario.zip(truth.outcomes.to_bool()) else { return };
        let given = scenario.given.get(name);
        if let Some(given) = given.filter(|given| **given != Outcomes::from(holds)) {
            self.note(Reason::condition(name, holds, branches, given.to_bool().is_none()));
        }
    }

    /// Notes that the current resource depends on a parameter.
    pub(super) fn note_value(&self, name: &str) {
        let Some(scenario) = self.scenario else { return };
        if let Some((name, value)) = scenario.values.iter().find(|(known, _)| **known == *name) {
            self.note(Reason::value(name, value, self.is_secret(name), self.is_open(name)));
        }
    }

    /// Returns `true` if only a deployment decides the value of a parameter or a pseudo parameter. Values that files
    /// and arguments give do not vary.
    pub(super) fn is_open(&self, name: &str) -> bool {
        let declared = self.section("Parameters").and_then(|section| section.get_exact(name));
        declared.is_none_or(|declared| declared.get("Default").is_none())
            || self.arguments.all(name).any(|given| given.as_unknown().is_some())
    }

    /// Returns the value of a parameter for the current part of the template. Where the given values do not take a
    /// branch, a default that only stands in for a value is unknown. Conditions compare it.
    pub(super) fn in_branch(&self, value: Value) -> Value {
        let is_default = || value.via.as_ref().is_some_and(|via| matches!(via.step, Step::Default(_)));
        let stands_in = || match value.as_array() {
            Some(items) => items.iter().all(|item| item.as_str().is_some_and(is_stand_in)),
            None => value.as_str().is_some_and(is_stand_in),
        };
        if self.scenario.is_none() || self.is_comparing.get() || !is_default() || !stands_in() {
            return value;
        }
        let why = "the default of the parameter only stands in for a value";
        Value { span: value.span, ..Value::unknown(Unknown::new(value.kind(), why)) }
    }

    fn note(&self, reason: Reason) {
        let mut reasons = self.reasons.borrow_mut();
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }

    /// Returns the value of a name, if one is tried.
    pub(super) fn tried(&self, name: &str) -> Option<Value> {
        self.trial.borrow().as_ref().filter(|(known, _)| **known == *name).map(|(_, value)| value.clone())
    }

    /// Reports an undefined name, unless a macro or an included part may declare it.
    pub(super) fn report_undefined(&self, span: Option<Span>, message: impl FnOnce() -> String) {
        let is_certain = || !self.has_macros && !self.may_include_names();
        if let Some(span) = span.filter(|_| self.world.hears_reports() && is_certain()) {
            let message = message();
            self.world.report(Diagnostic::new(Code::ExpressionUndefined, span, message));
        }
    }

    /// Returns `true` if a loop or a macro may declare further conditions.
    pub(super) fn has_open_conditions(&self) -> bool {
        let is_open = |member: &Member| member.key.starts_with(loops::PREFIX) || *member.key == *MACRO;
        *self.has_open_conditions.get_or_init(|| self.section("Conditions").into_iter().flatten().any(is_open))
    }

    /// Reports a reference to an undefined condition.
    pub(super) fn report_no_condition<'n>(&self, span: Option<Span>, name: &str, known: impl Iterator<Item = &'n str>) {
        self.report_undefined(span, || {
            format!("there is no condition `{name}`{}", self.world.suggestions.did_you_mean(name, known))
        });
    }

    /// Reports a reference to an undefined resource.
    pub(super) fn report_no_resource(&self, span: Option<Span>, name: &str) {
        self.report_undefined(span, || {
            let ids = self.logical_ids.get().into_iter().flatten();
            format!("there is no resource `{name}`{}", self.world.suggestions.did_you_mean(name, ids.map(|id| &**id)))
        });
    }

    /// Reports a part without the structure that CloudFormation requires.
    pub(super) fn report_shape(&self, span: Option<Span>, message: String) {
        if let Some(span) = span {
            let level = if self.has_macros { Level::Warning } else { Level::Error };
            self.world.report(Diagnostic::new(Code::TemplateShape, span, message).with_level(level));
        }
    }
}

/// The modules of a template.
#[derive(Debug)]
struct Modules {
    /// Their logical IDs, as the template spells them.
    ids: HashSet<Str>,
    /// The lengths of these, ascending, by which the beginnings of names are looked up.
    lengths: BTreeSet<usize>,
}

impl Modules {
    fn from_resources(resources: Option<&Object>) -> Self {
        let is_module = |resource: &&Member| {
            let type_name = resource.value.as_object().and_then(|resource| resource.get_exact("Type")?.as_str());
            // CloudFormation refuses longer names, which would have to be looked up by many lengths.
            type_name.is_some_and(is_module) && resource.key.len() <= MAX_NAME
        };
        let modules = resources.into_iter().flatten().filter(is_module);
        let ids: HashSet<Str> = modules.map(|resource| resource.key.clone()).collect();
        Self { lengths: ids.iter().map(Str::len).collect(), ids }
    }
}

/// Returns `true` if a type is a module: CloudFormation replaces such a resource by those of the module.
pub(super) fn is_module(type_name: &str) -> bool {
    type_name.ends_with("::MODULE")
}

/// Returns `true` if something unsupported changes the template: a macro, or a transform that replaces one resource by
/// several.
fn has_macros(template: &Value) -> bool {
    let resources = template.as_object().and_then(|template| template.get_exact("Resources")?.as_object());
    // A resource whose type is an object is a directive of another tool.
    let is_directive = |resource: &Member| {
        resource.value.as_object().and_then(|resource| resource.get_exact("Type")?.as_object()).is_some()
    };
    if resources.into_iter().flatten().any(is_directive) {
        return true;
    }
    dialect(template).is_some() || transforms(template).iter().any(is_macro) || call_at_top(template).is_some()
}

/// Returns the call of a macro beside the sections. It changes the whole template, as one in `Transform` does.
pub(super) fn call_at_top(template: &Value) -> Option<&Member> {
    template.as_object()?.iter().find(|member| *member.key == *MACRO)
}

/// Returns the format version of a template that org-formation reads, and writes as one of CloudFormation. Reference:
/// <https://github.com/org-formation/org-formation-cli/blob/master/docs/cloudformation-resources.md>.
pub(super) fn dialect(template: &Value) -> Option<&Value> {
    let version = template.as_object()?.get_exact(FORMAT_VERSION)?;
    version.as_str()?.ends_with("-OC").then_some(version)
}

/// Returns `true` if a value is a transform that formwork does not apply.
pub(super) fn is_macro(transform: &Value) -> bool {
    is_transform(transform) && !transform.as_str().is_some_and(|name| KNOWN_TRANSFORMS.contains(&name))
}

/// Returns `true` if a value names a transform, or calls a function that may return one.
pub(super) fn is_transform(value: &Value) -> bool {
    let is_named = |object: &Object| object.get_exact("Name").is_some_and(|name| name.as_str().is_some());
    value.as_str().is_some()
        || value.as_object().is_some_and(|object| is_named(object) || functions::called(object).is_some())
}

/// Returns `true` if a transform is one of those of the whole template.
fn has_transform(template: &Value, name: &str) -> bool {
    transforms(template).iter().any(|transform| transform.as_str() == Some(name))
}

/// Returns the transforms of the whole template.
pub(super) fn transforms(template: &Value) -> &[Value] {
    let Some(transform) = template.as_object().and_then(|template| template.get_exact("Transform")) else { return &[] };
    transform.as_array().unwrap_or(std::slice::from_ref(transform))
}
