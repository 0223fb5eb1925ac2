//! What assignments put in force: definitions with the values of their parameters.

use std::rc::Rc;
use std::sync::Arc;

use formwork_arm::eval::{Evaluator, Resources, TemplateLevel, World};
use formwork_arm::{Context, DeploymentScope};

use crate::documents::{Arguments, Assignment, Definition, Initiative, OverrideKind, Parameter, Policies};
use crate::judge::conditions::Judge;
use crate::judge::limits::{LIMITS, Nowhere};
use crate::judge::scene::{Functions, Scene};
use crate::judge::{Effect, Request, Surroundings};
use crate::model::{Budget, Mask};
use crate::value::{Member, Str, Value};

/// A definition that an assignment puts in force.
#[derive(Debug)]
pub(super) struct Bound {
    /// Index of the assignment.
    pub(super) assignment: usize,
    /// The reference of the initiative; the name of the definition if it is assigned by itself.
    pub(super) reference: Str,
    /// The definition; `None` if it is not there.
    pub(super) definition: Option<Arc<Definition>>,
    /// The name of the definition.
    pub(super) name: Str,
    /// The values of its parameters.
    pub(super) parameters: Vec<Member>,
    /// The object that `policy()` returns: the IDs of the assignment, the definition and the initiative, and the reference.
    pub(super) policy: Value,
    /// What it does if no override says otherwise. `None` if that is not known.
    pub(super) effect: Option<Effect>,
    /// Why it cannot be judged. `None` if it can.
    pub(super) trouble: Option<Str>,
}

impl Bound {
    /// Whether its rule can be about a request of this type.
    pub(super) fn may_judge(&self, request: &Request) -> bool {
        let rule = self.definition.as_ref().and_then(|definition| definition.rule.as_ref());
        let types = rule.and_then(|rule| rule.types.as_deref()).filter(|_| self.trouble.is_none());
        types.is_none_or(|types| types.iter().any(|known| known.eq_ignore_ascii_case(request.judged_type())))
    }
}

/// What all assignments put in force, in their order.
pub(super) fn bind(policies: &Policies) -> Vec<Bound> {
    let all = policies.assignments.iter().enumerate();
    all.flat_map(|(at, assignment)| bind_one(policies, at, assignment)).collect()
}

fn bind_one(policies: &Policies, at: usize, assignment: &Assignment) -> Vec<Bound> {
    let trouble = assignment.problems.first().map(|problem| problem.message.clone());
    if let Some(initiative) = policies.initiative(&assignment.definition) {
        return of_initiative(policies, at, assignment, initiative, trouble);
    }
    let definition = policies.definition(&assignment.definition).cloned();
    let name = definition.as_ref().map_or_else(|| last(&assignment.definition), |definition| definition.name.clone());
    let parts = Parts { at, assignment, set: "", reference: name, version: assignment.version.as_ref() };
    vec![bound(parts, definition, &assignment.definition, &assignment.arguments, &[], trouble)]
}

fn of_initiative(
    policies: &Policies,
    at: usize,
    assignment: &Assignment,
    initiative: &Initiative,
    trouble: Option<String>,
) -> Vec<Bound> {
    let own = values(&initiative.parameters, &assignment.arguments.0, &assignment.definition);
    let (own, problem) = match own {
        Ok(own) => (own, None),
        Err(problem) => (Vec::new(), Some(problem)),
    };
    let refused = initiative.problems.first().map(|problem| problem.message.clone());
    let trouble = trouble.or(refused).or(problem);
    let of_reference = |reference: &crate::documents::Reference| {
        let definition = policies.definition(&reference.definition).cloned();
        let version = reference.version.as_ref();
        let parts = Parts { at, assignment, set: &assignment.definition, reference: reference.id.clone(), version };
        bound(parts, definition, &reference.definition, &reference.arguments, &own, trouble.clone())
    };
    initiative.references.iter().map(of_reference).collect()
}

/// What identifies a [`Bound`].
struct Parts<'a> {
    at: usize,
    assignment: &'a Assignment,
    set: &'a str,
    reference: Str,
    version: Option<&'a Str>,
}

fn bound(
    parts: Parts<'_>,
    definition: Option<Arc<Definition>>,
    id: &Str,
    arguments: &Arguments,
    around: &[Member],
    trouble: Option<String>,
) -> Bound {
    let policy = Value::object(vec![
        Member::new("assignmentId", Value::from(parts.assignment.id.clone())),
        Member::new("definitionId", Value::from(id.clone())),
        Member::new("setDefinitionId", Value::from(parts.set)),
        Member::new("definitionReferenceId", Value::from(parts.reference.clone())),
    ]);
    let mut bound = Bound {
        assignment: parts.at,
        name: definition.as_ref().map_or_else(|| last(id), |definition| definition.name.clone()),
        reference: parts.reference,
        definition,
        parameters: Vec::new(),
        policy,
        effect: None,
        trouble: trouble.map(Str::from),
    };
    let settled = settle(&bound, arguments, around, parts.version);
    match settled {
        Ok((parameters, effect)) => {
            bound.parameters = parameters;
            bound.effect = Some(effect);
        }
        Err(problem) => bound.trouble = bound.trouble.or_else(|| Some(Str::from(problem))),
    }
    bound
}

/// The parameters and the effect of a definition, or why it cannot be judged.
fn settle(
    bound: &Bound,
    arguments: &Arguments,
    around: &[Member],
    version: Option<&Str>,
) -> Result<(Vec<Member>, Effect), String> {
    let definition =
        bound.definition.as_ref().ok_or_else(|| format!("the definition `{}` is not there", bound.name))?;
    if let Some(problem) = definition.problems.first() {
        return Err(format!("the definition `{}` is not valid: {}", bound.name, problem.message));
    }
    if let (Some(wanted), Some(found)) = (version, &definition.version)
        && wanted.split('.').next() != found.split('.').next()
    {
        return Err(format!("version {wanted} of the definition `{}` is not there, only {found}", bound.name));
    }
    let given = with_evaluator(around, &bound.policy, |judge| {
        let value = |member: &Member| match judge.value(&member.value) {
            Ok(value) => Ok(Member { value, ..member.clone() }),
            Err(fault) => Err(format!("parameter `{}`: {}", member.key, fault.message())),
        };
        arguments.0.iter().map(value).collect::<Result<Vec<_>, _>>()
    })?;
    let parameters = values(&definition.parameters, &given, &bound.name)?;
    let rule = definition.rule.as_ref().ok_or("the definition has no rule")?;
    let effect = with_evaluator(&parameters, &bound.policy, |judge| judge.value(&rule.effect));
    let effect = effect.map_err(|fault| fault.message().to_owned())?;
    let name = effect.as_str().ok_or("the effect is not known")?;
    Effect::of_name(name).map(|effect| (parameters, effect)).ok_or_else(|| format!("there is no effect `{name}`"))
}

/// The value of each declared parameter, or why Azure would refuse the assignment.
fn values(declared: &[Parameter], given: &[Member], owner: &str) -> Result<Vec<Member>, String> {
    let is_declared = |name: &Str| declared.iter().any(|parameter| parameter.name.eq_ignore_ascii_case(name));
    if let Some(other) = given.iter().find(|member| !is_declared(&member.key)) {
        return Err(format!("`{owner}` has no parameter `{}`", other.key));
    }
    let value = |parameter: &Parameter| {
        let argument =
            given.iter().find(|member| member.key.eq_ignore_ascii_case(&parameter.name)).map(|member| &member.value);
        let Some(value) = argument.or(parameter.default.as_ref()) else {
            return Err(format!("parameter `{}` of `{owner}` has no value", parameter.name));
        };
        match parameter.refusal(value) {
            Some(problem) => Err(problem),
            None => Ok(Member::new(parameter.name.clone(), value.clone())),
        }
    };
    declared.iter().map(value).collect()
}

/// Evaluates something that depends on parameters, but on no resource.
fn with_evaluator<T>(parameters: &[Member], policy: &Value, act: impl FnOnce(&Judge<'_, '_>) -> T) -> T {
    let nothing = Request {
        id: Str::from(""),
        type_name: Str::from(""),
        name: Value::NULL,
        api_version: Value::NULL,
        body: Value::NULL,
        is_secret: false,
        doubt: None,
    };
    let surroundings = Surroundings::default();
    let (result, _) = with_judge(&surroundings, &[], |judge| {
        let scene =
            Scene { request: &nothing, body: Value::NULL, parameters, policy: policy.clone(), is_stored: false };
        judge.functions.within(Rc::new(scene), || act(judge))
    });
    result
}

/// Makes what evaluates conditions on some requests. The second part of the result hides their secrets in messages.
pub(super) fn with_judge<'d, T>(
    surroundings: &'d Surroundings,
    requests: &'d [Request],
    act: impl for<'j> FnOnce(&Judge<'j, 'd>) -> T,
) -> (T, Mask) {
    let (context, budget, nowhere) = (Context::default(), Budget::new(&LIMITS), Nowhere);
    let functions = Functions::new(surroundings, requests);
    let resources: &dyn Resources = &nowhere;
    let mut world = World::new(&context, &budget, resources);
    world.dialect = Some(&functions);
    let level = Rc::new(TemplateLevel::bare(DeploymentScope::Tenant));
    for request in requests {
        world.note_secrets(&request.name);
        world.note_secrets(&request.body);
    }
    let result = act(&Judge { evaluator: Evaluator::new(&world, level, 0), functions: &functions });
    (result, world.into_mask())
}

/// The last segment of an ID.
fn last(id: &str) -> Str {
    Str::from(id.rsplit('/').next().unwrap_or_default())
}

impl Bound {
    /// The effects that an override may give it, and its own.
    pub(super) fn overridden(
        &self,
        assignment: &Assignment,
        matches: impl Fn(&[crate::documents::Selector]) -> super::truth::Truth,
    ) -> Vec<Option<Effect>> {
        let mut effects = Vec::new();
        for replacement in assignment.overrides.iter().filter(|replacement| replacement.kind == OverrideKind::Effect) {
            let truth = matches(&replacement.selectors);
            if truth.can_hold() {
                effects.push(Effect::of_name(&replacement.value));
            }
            if truth.holds() {
                return effects;
            }
        }
        effects.push(self.effect);
        effects
    }
}
