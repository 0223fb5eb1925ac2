//! Reads of resources that are not deployed: for some values of parameters, a resource or an output is there, and what
//! it refers to is not. CloudFormation then rejects the template ("Unresolved resource dependencies").
//!
//! A read is guarded by the condition of its resource or output, by the branches of `Fn::If` around it, and by all that
//! these imply.
//!
//! # Invariant
//!
//! A read is reported only if values of the parameters are known with which it fails: the rules of the template allow
//! them, and no two comparisons that depend on each other are assumed.

use foldhash::HashMap;

use crate::Breach;
use crate::diagnostic::common_checks::EXPRESSION_NOT_DEPLOYED;
use crate::diagnostic::{Code, Diagnostic, Level, NotChecked, Severity};
use crate::evaluator::{At, Evaluator};
use crate::functions::sub_names;
use crate::loops::{Loops, PREFIX};
use crate::model::path_at;
use crate::outcomes::Outcomes;
use crate::scenarios::formula::{FormulaScope, Formulas};
use crate::scenarios::goals::Goal;
use crate::scenarios::solve::{self, Met};
use crate::text::Span;
use crate::value::{Member, Object, Str, Value};

/// Maximum number of nested branches.
const MAX_NESTED: usize = 16;

/// Reports reads of resources that are not deployed. `written` is the template in which paths are shown. The arguments
/// of a nested stack are those of its template, and the arguments of the root (`is_root`) may be others.
pub(crate) fn check_reads(evaluator: &Evaluator<'_, '_>, written: &Value, is_root: bool) {
    let stack = evaluator.stack;
    let world = stack.world;
    if stack.has_macros || world.is_exhausted() || stack.section("Conditions").is_none() {
        return;
    }
    let reads = world.in_silence(|| conditional_reads(evaluator));
    if reads.is_empty() {
        return;
    }
    let deployments = if is_root { FormulaScope::Any } else { FormulaScope::Nested };
    let formulas = world.in_silence(|| Formulas::from_conditions(evaluator, deployments));
    let mut verdicts: HashMap<Goal, Option<Severity>> = HashMap::default();
    for read in reads {
        if !world.spend(0, Some(read.span)) {
            return;
        }
        let goal = read.goal();
        let known = verdicts.get(&goal).copied();
        let verdict = known.unwrap_or_else(|| world.in_silence(|| severity(evaluator, &formulas, &read, &goal)));
        verdicts.insert(goal, verdict);
        if let Some(severity) = verdict {
            let path = path_at(written, read.span);
            let (check, message, span) = (EXPRESSION_NOT_DEPLOYED, read.message(), read.span);
            let (severity, further) = (Some(severity), Vec::new());
            world.report_breach(Breach { check, path, message, span, is_pedantic: false, severity, further });
        }
    }
    let conditions = stack.template.as_object().and_then(|template| template.member("Conditions"));
    if let Some(span) = conditions.and_then(|member| member.key_span).filter(|_| formulas.is_exhausted()) {
        let message = "the conditions are too complex to find every read of a resource that is not deployed";
        let problem = Diagnostic::new(Code::TemplateLimit, span, message).with_level(Level::Note);
        world.report(problem.not_checked(NotChecked::Branches));
    }
}

/// Returns the severity of a read. `None` if no values of parameters are known with which it fails.
fn severity(
    evaluator: &Evaluator<'_, '_>,
    formulas: &Formulas,
    read: &ConditionalRead,
    goal: &Goal,
) -> Option<Severity> {
    let holds = |(name, expected): &(Str, bool)| {
        evaluator.condition_named(name, None, At::START).outcomes == Outcomes::from(*expected)
    };
    if goal.iter().all(holds) {
        return Some(Severity::High);
    }
    match solve::meet_with_rules(formulas, goal) {
        Met::By(assignment) if !formulas.is_doubtful(&assignment) => {}
        _ => return None,
    }
    let mut deployed = read.around.clone();
    deployed.push((read.condition.clone(), true));
    let is_never = matches!(solve::meet_with_rules(formulas, &deployed), Met::Never) && !formulas.is_exhausted();
    Some(if is_never { Severity::High } else { Severity::Medium })
}

/// A reference to a resource with a condition.
struct ConditionalRead {
    /// For messages: `` `Topic` `` or ``output `Arn` ``.
    reader: Str,
    /// True for an entry of `DependsOn`.
    is_dependency: bool,
    target: Str,
    condition: Str,
    /// Conditions under which the reference is evaluated.
    around: Goal,
    span: Span,
}

impl ConditionalRead {
    /// Returns the conditions with which the read fails.
    fn goal(&self) -> Goal {
        let mut goal = self.around.clone();
        goal.push((self.condition.clone(), false));
        goal.sort();
        goal.dedup();
        goal
    }

    fn message(&self) -> String {
        let Self { reader, target, condition, is_dependency, .. } = self;
        let (reads, help) = match is_dependency {
            true => ("depends on", ""),
            false => ("reads", "read it only in a branch of `Fn::If` with this condition, or "),
        };
        format!(
            "{reader} {reads} `{target}`, which is not deployed if `{condition}` is false; {help}give the reader a \
             condition that implies it"
        )
    }
}

/// Returns the references to resources whose condition does not hold for certain where they are evaluated.
fn conditional_reads(evaluator: &Evaluator<'_, '_>) -> Vec<ConditionalRead> {
    let stack = evaluator.stack;
    let Some(resources) = stack.section("Resources") else { return Vec::new() };
    let resources = evaluator.entries(resources, "Resources");
    let conditions: HashMap<Str, Str> = resources
        .iter()
        .filter_map(|entry| {
            let condition = entry.value.as_object()?.get_exact("Condition")?.as_shared_str()?;
            Some((entry.name.clone(), entry.loops.substitute(condition)))
        })
        .collect();
    if conditions.is_empty() {
        return Vec::new();
    }
    let mut reads =
        ConditionalReads { evaluator, conditions, reader: Str::from(""), around: Vec::new(), found: Vec::new() };
    for entry in resources {
        let Some(body) = entry.value.as_object() else { continue };
        reads.enter(Str::from(format!("`{}`", entry.name)), body, &entry.loops);
        for member in body {
            match &*member.key {
                "Type" | "Condition" => {}
                "DependsOn" => {
                    for item in member.value.as_array().unwrap_or(std::slice::from_ref(&member.value)) {
                        if let Some(name) = item.as_shared_str() {
                            reads.read(&entry.loops.substitute(name), item.span, true);
                        }
                    }
                }
                _ => reads.walk(&member.value, &entry.loops),
            }
        }
    }
    let outputs = stack.section("Outputs");
    for entry in outputs.map_or_else(Vec::new, |outputs| evaluator.entries(outputs, "Outputs")) {
        let Some(body) = entry.value.as_object() else { continue };
        reads.enter(Str::from(format!("output `{}`", entry.name)), body, &entry.loops);
        for member in body.iter().filter(|member| *member.key != *"Condition") {
            reads.walk(&member.value, &entry.loops);
        }
    }
    reads.found
}

struct ConditionalReads<'a, 's, 'v> {
    evaluator: &'a Evaluator<'s, 'v>,
    /// The conditions of resources, by logical ID.
    conditions: HashMap<Str, Str>,
    reader: Str,
    /// Conditions under which the current part is evaluated.
    around: Goal,
    found: Vec<ConditionalRead>,
}

impl ConditionalReads<'_, '_, '_> {
    /// Begins with a resource or an output.
    fn enter(&mut self, reader: Str, body: &Object, loops: &Loops) {
        self.reader = reader;
        self.around.clear();
        let condition = body.get_exact("Condition").and_then(Value::as_shared_str);
        self.around.extend(condition.map(|condition| (loops.substitute(condition), true)));
    }

    /// Notes a reference to a resource, unless its condition holds here.
    fn read(&mut self, target: &str, span: Option<Span>, is_dependency: bool) {
        let Some((target, condition)) = self.conditions.get_key_value(target) else { return };
        let is_implied = self.around.iter().any(|(name, holds)| *holds && name == condition);
        let Some(span) = span.filter(|_| !is_implied) else { return };
        self.found.push(ConditionalRead {
            reader: self.reader.clone(),
            is_dependency,
            target: target.clone(),
            condition: condition.clone(),
            around: self.around.clone(),
            span,
        });
    }

    fn walk(&mut self, value: &Value, loops: &Loops) {
        if !self.evaluator.stack.world.spend(0, value.span) {
            return;
        }
        value.as_array().into_iter().flatten().for_each(|item| self.walk(item, loops));
        for member in value.as_object().into_iter().flatten() {
            self.member(member, loops);
        }
    }

    fn member(&mut self, member: &Member, loops: &Loops) {
        if member.key.starts_with(PREFIX) {
            for iteration in self.evaluator.iterations(member, At { loops, ..At::START }) {
                iteration.members.iter().for_each(|member| self.member(member, &iteration.loops));
            }
            return;
        }
        let argument = &member.value;
        match &*member.key {
            "Ref" => {
                if let Some(name) = argument.as_shared_str() {
                    self.read(&loops.substitute(name), argument.span, false);
                }
            }
            "Fn::GetAtt" => {
                let parts = argument.as_array().and_then(<[Value]>::first).unwrap_or(argument);
                if let Some(name) = parts.as_shared_str().map(|name| loops.substitute(name)) {
                    self.read(name.split('.').next().unwrap_or_default(), argument.span, false);
                }
            }
            "Fn::Sub" => self.sub(argument, loops),
            "Fn::If" => return self.branches(argument, loops),
            _ => {}
        }
        self.walk(argument, loops);
    }

    fn sub(&mut self, argument: &Value, loops: &Loops) {
        let parts = argument.as_array().unwrap_or(std::slice::from_ref(argument));
        let variables = parts.get(1).and_then(Value::as_object);
        let Some((text, span)) = parts.first().and_then(|text| Some((text.as_shared_str()?, text.span))) else {
            return;
        };
        let text = loops.substitute(text);
        let mut seen: Vec<&str> = Vec::new();
        for name in sub_names(&text).filter(|name| variables.is_none_or(|names| names.get_exact(name).is_none())) {
            let target = name.split('.').next().unwrap_or_default();
            if self.conditions.contains_key(target) && !seen.contains(&target) {
                seen.push(target);
                self.read(target, span, false);
            }
        }
    }

    /// Walks the branches of `Fn::If`, each with its condition.
    fn branches(&mut self, argument: &Value, loops: &Loops) {
        let (Some([condition, yes, no]), true) = (argument.as_array(), self.around.len() < MAX_NESTED) else { return };
        let Some(name) = condition.as_shared_str() else { return };
        let name = loops.substitute(name);
        for (branch, expected) in [(yes, true), (no, false)] {
            let around = self.around.iter().find(|(around, _)| *around == name);
            if around.is_some_and(|(_, holds)| *holds != expected) {
                continue;
            }
            self.around.push((name.clone(), expected));
            self.walk(branch, loops);
            self.around.pop();
        }
    }
}
