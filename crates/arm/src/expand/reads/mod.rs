//! Reads of resources that are not deployed: for some values of parameters, a resource or an output is there, and the
//! resource that it reads with `reference()` or `list*()` is not. The deployment then fails.
//!
//! A read is guarded by the conditions of its resource or output, by the branches of `if` around it, by the operands of
//! `and` and `or` before it, and by functions that take a missing value. A name with a version may mean a resource that
//! exists already, unless Bicep made the template of a symbolic name.
//!
//! # Invariant
//!
//! A read is reported only if values of the parameters are known with which it fails: the conditions were evaluated
//! with them.

mod choices;
#[cfg(test)]
mod tests;
mod trial;

use std::cell::Cell;
use std::rc::Rc;

use foldhash::HashMap;

use crate::checks::is_inner_template;
use crate::diagnostic::Severity;
use crate::diagnostic::common_checks::EXPRESSION_NOT_DEPLOYED;
use crate::eval::{Evaluator, Frames, place_in_text};
use crate::expand::reads::choices::ParameterUses;
use crate::expand::reads::trial::{ConditionFact, TrialVerdict, Trials, condition_of};
use crate::expand::registry::{Deployed, Instance, Node};
use crate::expand::{Expander, text_of};
use crate::expr::{Expr, ExprKind, Target, TextKind, text_kind};
use crate::model::{Issue, path_at};
use crate::text::Span;
use crate::value::{Data, Str, Traits, Value};

/// Members of a resource in which nothing can be read.
const WITHOUT_READS: &[&str] =
    &["apiVersion", "comments", "condition", "copy", "dependsOn", "metadata", "name", "resources", "type"];

/// Number of iterations of a loop whose reads are checked.
const MAX_ITERATIONS: i64 = 4;

/// Functions that take a missing value of their first argument, and of all but the last one.
const TOLERANT: [&str; 2] = ["tryGet", "coalesce"];

/// The resources of a template that may be missing.
struct ReadTargets {
    node: Rc<Node>,
    /// All resources by their ID, in lower case.
    by_id: HashMap<String, Vec<usize>>,
    /// True if Bicep built the template, so that a resource ID stands for a symbolic name.
    is_bicep: bool,
}

/// A call that reads a resource.
struct ResourceRead {
    /// The name or ID of the resource.
    target: Str,
    span: Option<Span>,
    /// The expression of the name or ID.
    argument: Str,
    /// True if the call has a version, so that it may read a resource that exists already.
    has_version: bool,
    frames: Frames,
    /// The conditions around the call, in its expression.
    guards: Vec<ConditionFact>,
}

impl Expander<'_> {
    /// Reports the reads of resources that are not deployed.
    pub(super) fn check_reads(&self) {
        for node in self.registry.nodes() {
            let Some(targets) = self.targets(&node) else { continue };
            let evaluator = self.evaluator(&node);
            let trials = Trials { evaluator: &evaluator, is_root: node.parent.is_none(), tried: Cell::new(0) };
            let mut verdicts = HashMap::default();
            for &index in &*node.instances.borrow() {
                let instance = self.registry.instance(index);
                let is_late = instance.iteration.is_some_and(|iteration| iteration >= MAX_ITERATIONS);
                if is_late || matches!(instance.presence, Deployed::Existing) || trials.is_exhausted() {
                    continue;
                }
                let around = self.conditions(&instance);
                let name = instance.symbol.as_ref().unwrap_or(&instance.name_text);
                let reader = format!("`{}`", self.world.masked(name));
                for read in Self::reads_of(&evaluator, &instance) {
                    self.check_read(&targets, &trials, &mut verdicts, (&reader, &around), &read);
                }
            }
            self.check_outputs(&targets, &trials, &mut verdicts);
        }
    }

    fn check_outputs(
        &self,
        targets: &ReadTargets,
        trials: &Trials<'_, '_>,
        verdicts: &mut HashMap<String, TrialVerdict>,
    ) {
        let node = &targets.node;
        for output in node.template.get("outputs").and_then(Value::as_object).into_iter().flatten() {
            let condition = output.value.get("condition").cloned();
            let fact = |condition| ConditionFact { condition, frames: node.frames.clone(), holds: true };
            let around: Vec<ConditionFact> = condition.map(fact).into_iter().collect();
            let mut reads = ReadFinder { evaluator: trials.evaluator, frames: &node.frames, found: Vec::new() };
            for member in output.value.as_object().into_iter().flatten() {
                if !member.key.eq_ignore_ascii_case("condition") {
                    reads.value(&member.value);
                }
            }
            let found = reads.found;
            let reader = format!("output `{}`", output.key);
            for read in &found {
                self.check_read(targets, trials, verdicts, (&reader, &around), read);
            }
        }
    }

    /// Returns the resources of a template, if some have a condition.
    fn targets(&self, node: &Rc<Node>) -> Option<ReadTargets> {
        let instances = node.instances.borrow();
        let has_condition = |&index: &usize| {
            self.registry.instance(index).declaration.get("condition").is_some_and(|condition| !condition.is_null())
        };
        if !instances.iter().any(has_condition) {
            return None;
        }
        let mut by_id: HashMap<String, Vec<usize>> = HashMap::default();
        for &index in &*instances {
            let instance = self.registry.instance(index);
            if !instance.id.is_empty() {
                by_id.entry(instance.id.to_ascii_lowercase()).or_default().push(index);
            }
        }
        let generator = node.template.get("metadata").and_then(|metadata| metadata.get("_generator")?.get("name"));
        let is_bicep = generator.and_then(Value::as_str) == Some("bicep");
        Some(ReadTargets { node: Rc::clone(node), by_id, is_bicep })
    }

    /// Returns the conditions of a resource, and of those that enclose its declaration.
    fn conditions(&self, instance: &Instance) -> Vec<ConditionFact> {
        let mut facts = Vec::new();
        let mut next = Some(instance.index);
        while let Some(index) = next {
            let instance = self.registry.instance(index);
            let condition = instance.declaration.get("condition").filter(|condition| !condition.is_null()).cloned();
            facts.extend(condition.map(|condition| ConditionFact {
                condition,
                frames: instance.frames.clone(),
                holds: true,
            }));
            next = instance.parent;
        }
        facts
    }

    fn reads_of(evaluator: &Evaluator<'_>, instance: &Instance) -> Vec<ResourceRead> {
        let mut reads = ReadFinder { evaluator, frames: &instance.frames, found: Vec::new() };
        let members = instance.declaration.as_object().into_iter().flatten();
        for member in members.filter(|member| !WITHOUT_READS.iter().any(|name| name.eq_ignore_ascii_case(&member.key)))
        {
            match member.value.as_object().filter(|_| instance.is_deployment()) {
                // A template has readers of its own.
                Some(properties) => {
                    for inner in properties.iter().filter(|inner| !inner.key.eq_ignore_ascii_case("template")) {
                        reads.value(&inner.value);
                    }
                }
                None => reads.value(&member.value),
            }
        }
        reads.found
    }

    fn check_read(
        &self,
        targets: &ReadTargets,
        trials: &Trials<'_, '_>,
        verdicts: &mut HashMap<String, TrialVerdict>,
        (reader, around): (&str, &[ConditionFact]),
        read: &ResourceRead,
    ) {
        let Some((target, ways)) = self.absence(targets, read) else { return };
        let around: Vec<ConditionFact> = around.iter().chain(&read.guards).cloned().collect();
        let same = Self::same_target((trials.evaluator, targets.is_bicep), &target, read, (&around, &ways));
        let around: Vec<ConditionFact> = around.into_iter().chain(same).collect();
        let is_implied =
            |fact: &ConditionFact| around.iter().any(|known| known.holds != fact.holds && known.is_about(fact));
        // A file of Bicep often declares a new resource and an existing one of the same name, of which one is used.
        let may_exist = targets.is_bicep && read.has_version && !around.is_empty();
        let is_other =
            |absent: &[ConditionFact]| may_exist && absent.first().is_some_and(|fact| trials.exclude(&around, fact));
        let mut worst: Option<(Severity, Option<Span>)> = None;
        for absent in ways.iter().filter(|absent| !absent.iter().any(is_implied) && !is_other(absent)) {
            let key: Vec<String> =
                around.iter().map(ConditionFact::key).chain(absent.iter().map(ConditionFact::key)).collect();
            let verdict = *verdicts.entry(key.join("\n")).or_insert_with(|| trials.search(&around, absent));
            let severity = match verdict {
                TrialVerdict::None => continue,
                TrialVerdict::Some => Severity::Medium,
                TrialVerdict::Given | TrialVerdict::All => Severity::High,
            };
            if worst.is_none_or(|(worst, _)| severity.number() < worst.number()) {
                worst = Some((severity, absent.first().and_then(|fact| fact.condition.span)));
            }
        }
        let Some((severity, condition)) = worst else { return };
        let Some(span) = read.span else { return };
        let name = target.symbol.as_ref().unwrap_or(&target.name_text);
        let name = self.world.masked(if name.is_empty() { &target.type_name } else { name }).into_owned();
        let message = format!(
            "{reader} reads `{name}`, which is not deployed if its condition is false; read it only where the condition \
             holds, or give the reader a condition that implies it"
        );
        let path = join_paths(&targets.node.path, &path_at(&targets.node.template, span));
        let mut issue = Issue::new(EXPRESSION_NOT_DEPLOYED, path, span, message);
        issue.severity = Some(severity);
        self.world.issue(match condition {
            Some(place) => issue.with_label(place, format!("the condition of `{name}` is here")),
            None => issue,
        });
    }

    /// Returns the fact that a call reads this resource. `None` if the values that decide the conditions do not decide
    /// about that.
    fn same_target(
        (evaluator, is_bicep): (&Evaluator<'_>, bool),
        target: &Instance,
        read: &ResourceRead,
        (around, ways): (&[ConditionFact], &[Vec<ConditionFact>]),
    ) -> Option<ConditionFact> {
        let name = target.declaration.get("name").and_then(Value::as_str).unwrap_or_default();
        let name = match text_kind(name) {
            TextKind::Expression => name.get(1..name.len().saturating_sub(1)).unwrap_or_default().to_owned(),
            _ => format!("'{name}'"),
        };
        let id = format!("resourceId('{}',{name})", target.type_name);
        let is_name = |text: &str| without_blanks(&read.argument).eq_ignore_ascii_case(&without_blanks(text));
        // Bicep writes the ID of what a symbolic name means.
        let is_certain = (is_bicep && read.target.starts_with('/')) || is_name(&name) || is_name(&id);
        let argument = condition_of(&read.argument);
        let mut own = ParameterUses::default();
        own.add(evaluator, &argument);
        if own.parameters.is_empty() || is_certain {
            return None;
        }
        let mut uses = ParameterUses::default();
        for fact in around.iter().chain(ways.iter().flatten()) {
            uses.add(evaluator, &fact.condition);
        }
        let is_decided = own.parameters.iter().any(|name| uses.parameters.contains(name));
        is_decided.then(|| {
            let equals = format!("equals({}, '{}')", read.argument, read.target.replace('\'', "''"));
            let frames = read.frames.clone();
            ConditionFact { condition: condition_of(&equals), frames, holds: true }
        })
    }

    /// Returns the resource that a call reads, and the ways in which it is not deployed: what then holds. `None` if it
    /// always is.
    fn absence(&self, targets: &ReadTargets, read: &ResourceRead) -> Option<(Rc<Instance>, Vec<Vec<ConditionFact>>)> {
        let is_id = read.target.starts_with('/');
        if read.has_version && is_id && !targets.is_bicep {
            return None;
        }
        let found: Vec<usize> = if is_id {
            targets.by_id.get(&read.target.to_ascii_lowercase())?.clone()
        } else {
            self.registry.find(&targets.node, &read.target).to_vec()
        };
        let instances: Vec<Rc<Instance>> = found.iter().map(|&index| self.registry.instance(index)).collect();
        let is_declared_here = |instance: &Rc<Instance>| {
            instance.node == targets.node.index && !matches!(instance.presence, Deployed::Existing)
        };
        // The iterations of a loop may have different conditions.
        if instances.is_empty() || instances.len() > 2 || !instances.iter().all(is_declared_here) {
            return None;
        }
        let absent = |condition: ConditionFact| ConditionFact { holds: false, ..condition };
        let conditions: Vec<Vec<ConditionFact>> = instances.iter().map(|instance| self.conditions(instance)).collect();
        let ways = match conditions.as_slice() {
            // One condition of several is enough.
            [conditions] => conditions.iter().map(|condition| vec![absent(condition.clone())]).collect(),
            all => vec![all.iter().map(|conditions| Some(absent(conditions.first()?.clone()))).collect::<Option<_>>()?],
        };
        Some((Rc::clone(instances.first()?), ways))
    }
}

/// Finds the calls that read resources.
struct ReadFinder<'e, 'w> {
    evaluator: &'e Evaluator<'w>,
    frames: &'e Frames,
    found: Vec<ResourceRead>,
}

impl ReadFinder<'_, '_> {
    fn value(&mut self, value: &Value) {
        if !value.traits.has(Traits::DYNAMIC) {
            return;
        }
        match &value.data {
            Data::String(text) if text_kind(text) == TextKind::Expression => self.text(value, text),
            Data::Array(items) => items.iter().for_each(|item| self.value(item)),
            Data::Object(object) => {
                for member in object.iter().filter(|member| !is_inner_template(object, member)) {
                    self.value(&member.value);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, value: &Value, text: &Str) {
        let lower = text.to_ascii_lowercase();
        if !lower.contains("reference(") && !lower.contains("list") {
            return;
        }
        let Ok(expression) = self.evaluator.world.parse(text) else { return };
        self.expression(&expression, (value.span, text), &mut Vec::new());
    }

    /// Finds the calls in an expression, which is not deeper than the parser allows.
    fn expression(&mut self, expr: &Expr, source: (Option<Span>, &Str), guards: &mut Vec<ConditionFact>) {
        match &expr.kind {
            ExprKind::Literal(_) => {}
            ExprKind::Property(base, _) => self.expression(base, source, guards),
            ExprKind::Index(base, index) => {
                self.expression(base, source, guards);
                self.expression(index, source, guards);
            }
            ExprKind::Call(target, arguments) => self.call(expr, (target, arguments), source, guards),
        }
    }

    fn call(
        &mut self,
        expr: &Expr,
        (target, arguments): (&Target, &[Expr]),
        source: (Option<Span>, &Str),
        guards: &mut Vec<ConditionFact>,
    ) {
        let name = target.name();
        let depth = guards.len();
        match (name, arguments) {
            ("if", [condition, yes, no]) => {
                self.expression(condition, source, guards);
                for (branch, holds) in [(yes, true), (no, false)] {
                    guards.extend(self.fact(condition, source.1, holds));
                    self.expression(branch, source, guards);
                    guards.truncate(depth);
                }
                return;
            }
            ("and" | "or", operands) => {
                for operand in operands {
                    self.expression(operand, source, guards);
                    guards.extend(self.fact(operand, source.1, name == "and"));
                }
                guards.truncate(depth);
                return;
            }
            (name, [.., last]) if TOLERANT.contains(&name) => {
                if name == "coalesce" {
                    self.expression(last, source, guards);
                }
                return;
            }
            _ => {}
        }
        for argument in arguments {
            self.expression(argument, source, guards);
        }
        let is_list = name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("list"));
        let Some(first) = arguments.first().filter(|_| name == "reference" || is_list) else { return };
        let Ok(target) = self.evaluator.guarded_if(true).eval(first, self.frames) else { return };
        let target = text_of(&target);
        if !target.is_empty() {
            let span = place_in_text(source.0, source.1, Some((expr.start, expr.end)));
            let has_version = arguments.len() > 1;
            let argument = source.1.get(first.start as usize..first.end as usize).map_or(Str::from(""), Str::from);
            let (frames, guards) = (self.frames.clone(), guards.clone());
            self.found.push(ResourceRead { target, span, argument, has_version, frames, guards });
        }
    }

    /// Returns the fact that a part of an expression has this result.
    fn fact(&self, expr: &Expr, text: &str, holds: bool) -> Option<ConditionFact> {
        let part = text.get(expr.start as usize..expr.end as usize)?;
        Some(ConditionFact { condition: condition_of(part), frames: self.frames.clone(), holds })
    }
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

/// Joins the path of a template and that of a value in it.
fn join_paths(template: &str, inner: &str) -> String {
    match (template, inner) {
        ("", inner) => inner.to_owned(),
        (template, "") => template.to_owned(),
        (template, inner) if inner.starts_with('[') => format!("{template}{inner}"),
        (template, inner) => format!("{template}.{inner}"),
    }
}
