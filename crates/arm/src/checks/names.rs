//! Unused and undefined parameters and variables.

use foldhash::HashSet;
use formwork_model::declare_checks;

use crate::checks::expressions::{Call, each_call, is_inner_template};
use crate::checks::{ProcessedTemplate, name_span};
use crate::diagnostic::common_checks::UNUSED_PARAMETER;
use crate::diagnostic::{Check, Code, Diagnostic, Level};
use crate::eval::Definitions;
use crate::model::Issue;
use crate::text::Span;
use crate::value::{Member, Object, Str, Value};

declare_checks! {
    pub(crate) const CHECKS;

    pub UNUSED_VARIABLE = Unused Low "variable/unused" "Deployment.UnusedVariable"
        "A variable should be used"
        "An unused variable misleads the readers of the template."
        "Remove the variable."
        .azure("templates/variables");
}

/// The names that the expressions of a template pass to `parameters()` or `variables()`.
#[derive(Default)]
struct Used {
    names: Vec<(Str, Option<Span>)>,
    /// True if some name is computed, so that any declaration may be in use.
    is_computed: bool,
}

impl Used {
    fn add(&mut self, call: &Call<'_>) {
        match call.name() {
            Some(name) => self.names.push((name.clone(), call.span())),
            None => self.is_computed = true,
        }
    }
}

/// Reports unused and undefined parameters and variables of a template.
pub(super) fn check_uses(subject: &ProcessedTemplate<'_>) {
    let (mut parameters, mut variables) = (Used::default(), Used::default());
    let enters = |object: &Object, member: &Member| !is_inner_template(object, member);
    each_call(subject.world(), &without_functions(subject.template), &enters, &mut |call| match call.function {
        "parameters" => parameters.add(call),
        "variables" => variables.add(call),
        _ => {}
    });
    let level = &subject.evaluator.level;
    report_undefined(subject, &parameters, "parameter", &level.parameters);
    report_undefined(subject, &variables, "variable", &level.variables);
    if !subject.is_generated() {
        let declared = subject.section("parameters").map(|parameter| (&parameter.key, name_span(parameter)));
        report_unused(subject, &parameters, UNUSED_PARAMETER, "parameter", declared);
        report_unused(subject, &variables, UNUSED_VARIABLE, "variable", variables_of(subject));
    }
}

/// Returns the template without its user-defined functions: their bodies see only their own parameters.
fn without_functions(template: &Value) -> Value {
    let members = template.as_object().into_iter().flatten();
    Value::object(members.filter(|member| !member.key.eq_ignore_ascii_case("functions")).cloned().collect())
}

/// Returns the declared variables with their spans, including those that the loops in `variables.copy` create.
fn variables_of<'a>(subject: &ProcessedTemplate<'a>) -> impl Iterator<Item = (&'a Str, Option<Span>)> {
    subject.section("variables").flat_map(|member| {
        let loops = member.value.as_array().filter(|_| member.key.eq_ignore_ascii_case("copy"));
        let one = loops.is_none().then(|| (&member.key, name_span(member)));
        let looped = loops.into_iter().flatten().filter_map(|entry| entry.get("name"));
        one.into_iter().chain(looped.filter_map(|name| Some((name.as_shared_str()?, name.span))))
    })
}

fn report_unused<'a>(
    subject: &ProcessedTemplate<'_>,
    used: &Used,
    check: Check,
    noun: &str,
    declared: impl Iterator<Item = (&'a Str, Option<Span>)>,
) {
    if used.is_computed {
        return;
    }
    let used: HashSet<String> = used.names.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    for (name, span) in declared.filter(|(name, _)| !used.contains(&name.to_ascii_lowercase())) {
        let Some(span) = span else { continue };
        let path = subject.path_of(&format!("{noun}s"), name);
        subject.world().issue(Issue::new(check, path, span, format!("unused {noun} `{name}`")));
    }
}

/// Reports names that are not declared, as warnings. An undefined name that was evaluated has already been reported as
/// an error at the same span, which takes precedence; the remaining names are in branches that were not taken.
fn report_undefined(subject: &ProcessedTemplate<'_>, used: &Used, noun: &str, declared: &Definitions) {
    for (name, span) in &used.names {
        let Some(span) = span.filter(|_| !declared.has(name)) else { continue };
        let message = format!("there is no {noun} `{name}`{}", declared.hint(name, &subject.world().suggestions));
        let problem = Diagnostic::new(Code::ExpressionUndefined, span, message);
        subject.world().report(problem.with_level(Level::Warning));
    }
}
