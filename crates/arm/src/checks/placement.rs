//! Functions that may be called only in some parts of a template.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-resource>.

use std::fmt::{self, Display, Formatter};

use crate::checks::ProcessedTemplate;
use crate::checks::expressions::each_call;
use crate::diagnostic::{Code, Diagnostic};
use crate::eval::place_in_text;
use crate::expr::{ExprKind, Target, TextKind, text_kind};
use crate::value::{Data, Member, Traits, Value};

/// Functions that return a new value in each deployment. Only default values of parameters may call them.
const GENERATORS: &[&str] = &["newGuid", "utcNow"];

/// Functions whose value is known only while resources are deployed. Everything but the `properties` of resources, and
/// outputs, is evaluated before.
const RUNTIME: &[&str] = &["list", "reference", "references"];

/// Properties of a resource that are evaluated separately, during the deployment, or never.
const NOT_EARLY: &[&str] = &["@options", "asserts", "comments", "metadata", "properties", "resources"];

/// Reports calls of functions in parts of the template where they are not available.
pub(super) fn check_placement(subject: &ProcessedTemplate<'_>) {
    let placement = Placement { subject };
    for parameter in subject.section("parameters") {
        if let Some(default) = parameter.value.get("defaultValue") {
            placement.forbid(default, TemplatePart::DefaultValue);
        }
    }
    for (section, part) in [("variables", TemplatePart::Variable), ("functions", TemplatePart::Function)] {
        if let Some(value) = subject.template.get(section) {
            placement.forbid(value, part);
        }
    }
    if let Some(functions) = subject.template.get("functions").filter(|_| placement.is_first_version()) {
        placement.forbid_declared(functions);
    }
    for output in subject.section("outputs") {
        placement.late(&output.value);
    }
    if let Some(resources) = subject.template.get("resources") {
        placement.resources(resources);
    }
}

/// The parts of a template that differ in the functions that they may call. All but [`TemplatePart::Late`] are evaluated before
/// the deployment starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TemplatePart<'a> {
    DefaultValue,
    Variable,
    Function,
    /// The property with this name, of a resource.
    EarlyProperty(&'a str),
    /// The count of a loop in a late part.
    Count,
    /// A part that is evaluated during the deployment.
    Late,
}

impl TemplatePart<'_> {
    /// Returns `true` if the part may have another value in each deployment. For a count, the late part around it
    /// reports the call.
    fn may_generate(self) -> bool {
        matches!(self, TemplatePart::DefaultValue | TemplatePart::Count)
    }
}

impl Display for TemplatePart<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TemplatePart::DefaultValue => f.write_str("the default value of a parameter"),
            TemplatePart::Variable => f.write_str("a variable"),
            TemplatePart::Function => f.write_str("a function"),
            TemplatePart::EarlyProperty(name) => write!(f, "`{name}` of a resource"),
            TemplatePart::Count => f.write_str("the `count` of a loop"),
            TemplatePart::Late => f.write_str("what is evaluated during the deployment"),
        }
    }
}

struct Placement<'a> {
    subject: &'a ProcessedTemplate<'a>,
}

impl Placement<'_> {
    fn resources(&self, value: &Value) {
        match &value.data {
            Data::Array(items) => items.iter().for_each(|item| self.resource(item)),
            Data::Object(object) => object.iter().for_each(|member| self.resource(&member.value)),
            _ => {}
        }
    }

    fn resource(&self, value: &Value) {
        let type_name = value.get("type").and_then(Value::as_str).unwrap_or_default();
        let is_deployment = type_name.eq_ignore_ascii_case("Microsoft.Resources/deployments");
        for member in value.as_object().into_iter().flatten() {
            if member.key.eq_ignore_ascii_case("resources") {
                self.resources(&member.value);
            } else if !NOT_EARLY.iter().any(|name| name.eq_ignore_ascii_case(&member.key)) {
                self.forbid(&member.value, TemplatePart::EarlyProperty(&member.key));
            } else if is_deployment && member.key.eq_ignore_ascii_case("properties") {
                // A nested template is a subject of its own.
                let own = member.value.as_object().into_iter().flatten();
                own.filter(|member| !member.key.eq_ignore_ascii_case("template"))
                    .for_each(|member| self.late(&member.value));
            } else {
                self.late(&member.value);
            }
        }
    }

    fn late(&self, value: &Value) {
        self.forbid(value, TemplatePart::Late);
        self.counts(value);
    }

    /// Checks the counts of loops in a late part: a loop is unrolled before the deployment starts.
    fn counts(&self, value: &Value) {
        // Without the trait there is no loop anywhere in the value.
        if !value.traits.has(Traits::DYNAMIC) {
            return;
        }
        match &value.data {
            Data::Array(items) => items.iter().for_each(|item| self.counts(item)),
            Data::Object(object) => object.iter().for_each(|member| {
                if let Some(count) = count_of_loop(member) {
                    count.for_each(|count| self.forbid(count, TemplatePart::Count));
                }
                self.counts(&member.value);
            }),
            _ => {}
        }
    }

    /// Reports calls of functions that the template declares, in the functions of the first language version.
    fn forbid_declared(&self, value: &Value) {
        if !value.traits.has(Traits::DYNAMIC) {
            return;
        }
        let world = self.subject.world();
        match &value.data {
            Data::Array(items) => items.iter().for_each(|item| self.forbid_declared(item)),
            Data::Object(object) => object.iter().for_each(|member| self.forbid_declared(&member.value)),
            Data::String(text) if text_kind(text) == TextKind::Expression => {
                let Ok(expression) = world.parse(text) else { return };
                let mut open = vec![&*expression];
                while let Some(expr) = open.pop() {
                    match &expr.kind {
                        ExprKind::Literal(_) => {}
                        ExprKind::Property(base, _) => open.push(base),
                        ExprKind::Index(base, index) => open.extend([&**index, &**base]),
                        ExprKind::Call(target, arguments) => {
                            open.extend(arguments);
                            let Target::User { namespace, name } = target else { continue };
                            let span = place_in_text(value.span, text, Some((expr.start, expr.end)));
                            let message = format!(
                                "`{namespace}.{name}()` is not available in a function, which cannot call others of \
                                 the template"
                            );
                            if let Some(span) = span {
                                world.report(Diagnostic::new(Code::ExpressionPlacement, span, message));
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns `true` if the template has no language version 2, in which functions see more.
    fn is_first_version(&self) -> bool {
        let version = self.subject.template.get("languageVersion").and_then(Value::as_str);
        !version.is_some_and(|version| version.starts_with('2'))
    }

    /// Reports the functions that a part may not call.
    fn forbid(&self, value: &Value, part: TemplatePart<'_>) {
        // A nested template of outer scope is evaluated as a part of its deployment, which may be late.
        let is_early = part != TemplatePart::Late && !self.subject.is_outer;
        each_call(self.subject.world(), value, &|_, _| true, &mut |call| {
            let function = call.function;
            // The name of any operation of a resource begins with `list`.
            let name = if function.starts_with("list") { "list" } else { function };
            let message = if is_early && RUNTIME.contains(&name) {
                format!("`{function}()` is not available in {part}, which is evaluated before the deployment starts")
            } else if part == TemplatePart::DefaultValue && name == "variables" {
                "`variables()` is not available in the default value of a parameter, which is evaluated before variables"
                    .to_owned()
            } else if part == TemplatePart::Function && self.is_first_version() && name == "variables" {
                "`variables()` is not available in a function; pass the value as an argument".to_owned()
            } else if part == TemplatePart::Variable && name == "copyIndex" && call.name().is_none() {
                "`copyIndex()` in a variable needs the name of its loop, as in `copyIndex('name')`".to_owned()
            } else if !part.may_generate() && GENERATORS.contains(&name) {
                format!("`{function}()` is available only in the default value of a parameter")
            } else {
                return;
            };
            if let Some(span) = call.span() {
                self.subject.world().report(Diagnostic::new(Code::ExpressionPlacement, span, message));
            }
        });
    }
}

/// Returns the counts in a member `copy`: of each loop in an array, or of the one loop of an output.
fn count_of_loop(member: &Member) -> Option<impl Iterator<Item = &Value>> {
    if !member.key.eq_ignore_ascii_case("copy") {
        return None;
    }
    let is_loop = |value: &&Value| value.get("input").is_some();
    let many = member.value.as_array().unwrap_or_default();
    let one = std::iter::once(&member.value).filter(|value| value.as_object().is_some());
    Some(many.iter().chain(one).filter(is_loop).filter_map(|entry| entry.get("count")))
}
