//! Names that are declared and never used, or used and never declared.

use rustc_hash::FxHashSet;

use crate::arm::checks::expressions::{Call, each_call, is_template_of_its_own};
use crate::arm::checks::{Subject, name_span};
use crate::arm::eval::Definitions;
use crate::diagnostic::{Check, Code, Diagnostic, Level};
use crate::model::Issue;
use crate::text::Span;
use crate::value::{Member, Object, Str, Value};

/// What the expressions of a template name.
#[derive(Default)]
struct Used {
    names: Vec<(Str, Option<Span>)>,
    /// Whether a name is computed: then each may be meant.
    is_computed: bool,
}

impl Used {
    fn add(&mut self, call: &Call<'_>) {
        match call.name() {
            Some(name) => self.names.push((name.clone(), call.span)),
            None => self.is_computed = true,
        }
    }
}

/// Reports what is wrong with the names of a template.
pub(super) fn check(subject: &Subject<'_>) {
    let (mut parameters, mut variables) = (Used::default(), Used::default());
    let enters = |object: &Object, member: &Member| !is_template_of_its_own(object, member);
    each_call(subject.world(), &without_functions(subject.template), &enters, &mut |call| match call.function {
        "parameters" => parameters.add(call),
        "variables" => variables.add(call),
        _ => {}
    });
    let level = &subject.evaluator.level;
    report_undefined(subject, &parameters, "parameter", &level.parameters);
    report_undefined(subject, &variables, "variable", &level.variables);
    if !subject.is_generated() {
        let declared = subject.section("parameters").map(|it| (&it.key, name_span(it)));
        report_unused(subject, &parameters, Check::UnusedParameter, "parameter", declared);
        report_unused(subject, &variables, Check::UnusedVariable, "variable", variables_of(subject));
    }
}

/// The functions of a template have parameters of their own.
fn without_functions(template: &Value) -> Value {
    let members = template.as_object().into_iter().flatten();
    Value::object(members.filter(|it| !it.key.eq_ignore_ascii_case("functions")).cloned().collect())
}

/// The variables, those that a loop makes among them.
fn variables_of<'a>(subject: &Subject<'a>) -> impl Iterator<Item = (&'a Str, Option<Span>)> {
    subject.section("variables").flat_map(|member| {
        let loops = member.value.as_array().filter(|_| member.key.eq_ignore_ascii_case("copy"));
        let one = loops.is_none().then(|| (&member.key, name_span(member)));
        let looped = loops.into_iter().flatten().filter_map(|it| it.get("name"));
        one.into_iter().chain(looped.filter_map(|it| Some((it.as_shared_str()?, it.span))))
    })
}

fn report_unused<'a>(
    subject: &Subject<'_>,
    used: &Used,
    check: Check,
    noun: &str,
    declared: impl Iterator<Item = (&'a Str, Option<Span>)>,
) {
    if used.is_computed {
        return;
    }
    let used: FxHashSet<String> = used.names.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    for (name, span) in declared.filter(|(name, _)| !used.contains(&name.to_ascii_lowercase())) {
        let Some(span) = span else { continue };
        let path = subject.path_of(&format!("{noun}s"), name);
        subject.world().issue(Issue::new(check, path, span, format!("{noun} `{name}` is declared and never used")));
    }
}

/// What was evaluated has been reported by then, as an error; in a branch that was not taken it is worth a warning.
fn report_undefined(subject: &Subject<'_>, used: &Used, noun: &str, declared: &Definitions) {
    for (name, span) in &used.names {
        let Some(span) = span.filter(|_| !declared.has(name)) else { continue };
        let message = format!("there is no {noun} `{name}`{}", declared.hint(name));
        let problem = Diagnostic::new(Code::ExpressionUndefined, span, message);
        subject.world().report(problem.with_level(Level::Warning));
    }
}
