//! Bound definitions: definitions in force, with the values of their parameters.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use foldhash::{HashMap, HashSet};
use formwork_arm::eval::{Evaluator, Resources, TemplateLevel, World};
use formwork_arm::{Context, DeploymentScope};

use crate::documents::{
    Arguments, Assigned, Assignment, Definition, Index, Initiative, Message, OverrideKind, Parameter, Policies,
};
use crate::ids::last_segment;
use crate::judge::conditions::Judge;
use crate::judge::effect::Effect;
use crate::judge::limits::Nowhere;
use crate::judge::lists::Lists;
use crate::judge::lookups::Lookups;
use crate::judge::request::Request;
use crate::judge::scene::{Functions, Scene};
use crate::judge::surroundings::Surroundings;
use crate::judge::trace::Trace;
use crate::model::{Budget, Limits, Mask};
use crate::value::{Data, Member, Str, Value};

/// A definition that an assignment puts in force.
#[derive(Debug)]
pub(super) struct Bound {
    /// Index of the assignment.
    pub(super) assignment: usize,
    /// Reference of the initiative; the name of the definition if it is assigned directly.
    pub(super) reference: Str,
    /// Definition; `None` if it was not found.
    pub(super) definition: Option<Arc<Definition>>,
    /// Name of the definition.
    pub(super) name: Str,
    /// Values of its parameters, by name.
    pub(super) parameters: Value,
    /// Object that `policy()` returns: the IDs of the assignment, the definition and the initiative, and the reference.
    pub(super) policy: Value,
    /// Effect without overrides. `None` if it is not known.
    pub(super) effect: Option<Effect>,
    /// Reason for which it cannot be evaluated. `None` if it can.
    pub(super) trouble: Option<Str>,
    /// Message of the assignment for people whose requests are denied.
    pub(super) message: Option<Str>,
    /// Index of the first one with the same result for each request: several assignments put one definition in force
    /// with the same parameters. `None` if there is no other.
    pub(super) twin: Option<usize>,
    /// Index of this definition, and of its part of the steps.
    pub(super) index: usize,
}

impl Bound {
    /// Returns the scene of the definition for a request with this body.
    pub(super) fn scene<'a>(&'a self, request: &'a Request, body: &Value) -> Rc<Scene<'a>> {
        Rc::new(Scene {
            request,
            body: body.clone(),
            parameters: self.parameters.clone(),
            policy: self.policy.clone(),
            is_stored: false,
        })
    }

    /// Returns the types that its rule can be about, or `None` if that may be any.
    pub(super) fn types(&self) -> Option<&[Str]> {
        let rule = self.definition.as_ref().and_then(|definition| definition.rule.as_ref());
        rule.and_then(|rule| rule.types.as_deref()).filter(|_| self.trouble.is_none())
    }
}

/// Definitions that all assignments may put in force. Assignments and the definitions of initiatives multiply.
const MAX_BOUND: usize = 200_000;

/// Returns the definitions that all assignments put in force, in order.
pub(super) fn bind(policies: &Policies, limits: &Limits) -> Vec<Bound> {
    let (mut all, lookups, surroundings) = (Vec::new(), Lookups::default(), Surroundings::default());
    with_judge(limits, policies.assignments.len(), &lookups, &surroundings, &[], |judge| {
        let index = Index::new(policies);
        for (at, assignment) in policies.assignments.iter().enumerate() {
            let _work = judge.evaluator.world.budget.work(at);
            let reference = |message: &Message| message.reference.as_ref().map(|name| name.to_ascii_lowercase());
            // Of several for one reference, the first counts.
            let messages =
                assignment.messages.iter().rev().map(|message| (reference(message), &message.text)).collect();
            Binder { index: &index, judge, at, assignment, messages }.bind(&mut all);
        }
    });
    find_twins(&mut all);
    all.iter_mut().enumerate().for_each(|(at, bound)| bound.index = at);
    all
}

/// Variants of one definition that are compared with another.
const MAX_VARIANTS: usize = 8;

/// Finds definitions with the same result.
fn find_twins(all: &mut [Bound]) {
    let mut variants: HashMap<*const Definition, Vec<usize>> = HashMap::default();
    let mut twins = Vec::new();
    for (at, bound) in all.iter().enumerate() {
        let Some(definition) = bound.definition.as_ref().filter(|_| bound.trouble.is_none()) else { continue };
        let known = variants.entry(Arc::as_ptr(definition)).or_default();
        let is_same = |first: &&usize| all.get(**first).is_some_and(|first| first.parameters.same(&bound.parameters));
        match known.iter().find(is_same) {
            Some(first) if !names_policy(definition) => twins.push((*first, at)),
            None if known.len() < MAX_VARIANTS => known.push(at),
            Some(_) | None => {}
        }
    }
    for (first, other) in twins {
        for at in [first, other] {
            all.get_mut(at).into_iter().for_each(|bound| bound.twin = Some(first));
        }
    }
}

/// True if a rule can depend on its assignment, which the function `policy()` returns.
fn names_policy(definition: &Definition) -> bool {
    fn is_in(value: &Value) -> bool {
        match &value.data {
            Data::String(text) => text.starts_with('[') && text.to_ascii_lowercase().contains("policy"),
            Data::Array(items) => items.iter().any(is_in),
            Data::Object(object) => object.iter().any(|member| is_in(&member.value)),
            _ => false,
        }
    }
    definition.rule.as_ref().is_some_and(|rule| is_in(&rule.written) || is_in(&rule.details))
}

/// Binds the definitions of one assignment.
struct Binder<'b, 'j, 'd> {
    index: &'b Index<'b>,
    judge: &'b Judge<'j, 'd>,
    at: usize,
    assignment: &'b Assignment,
    /// Messages by reference, in lower case; under `None`, the one for all others.
    messages: HashMap<Option<String>, &'b Str>,
}

/// Properties that decide whether two [`Bound`] have the same result.
struct Parts<'a> {
    set: &'a str,
    reference: Str,
    version: Option<&'a Str>,
}

impl Binder<'_, '_, '_> {
    /// Adds the definitions of the assignment.
    fn bind(&self, all: &mut Vec<Bound>) {
        let trouble = self.assignment.problems.first().map(|problem| problem.message.clone());
        let id = &self.assignment.definition;
        let assigned = self.index.assigned(id);
        let references = match &assigned {
            Some(Assigned::Initiative(initiative)) => initiative.references.len(),
            Some(Assigned::Definition(_)) | None => 1,
        };
        if all.len().saturating_add(references) > MAX_BOUND {
            let trouble = format!("the assignments put more than {MAX_BOUND} definitions in force");
            let parts = Parts { set: "", reference: Str::from(last_segment(id)), version: None };
            all.push(self.bound(parts, None, id, &Arguments::default(), &Value::NULL, Some(trouble)));
        } else if let Some(Assigned::Initiative(initiative)) = assigned {
            self.of_initiative(initiative, trouble, all);
        } else {
            let definition = match assigned {
                Some(Assigned::Definition(definition)) => Some(Arc::clone(definition)),
                Some(Assigned::Initiative(_)) | None => None,
            };
            let name =
                definition.as_ref().map_or_else(|| Str::from(last_segment(id)), |definition| definition.name.clone());
            let parts = Parts { set: "", reference: name, version: self.assignment.version.as_ref() };
            let arguments = self.arguments(definition.as_ref().map_or(&[], |definition| &definition.parameters));
            all.push(self.bound(parts, definition, id, &arguments, &Value::NULL, trouble));
        }
    }

    /// Returns the arguments of the assignment for these parameters.
    fn arguments(&self, declared: &[Parameter]) -> Cow<'_, Arguments> {
        let all = &self.assignment.arguments;
        if !self.assignment.ignores_undeclared {
            return Cow::Borrowed(all);
        }
        let names: HashSet<String> = declared.iter().map(|parameter| parameter.name.to_ascii_lowercase()).collect();
        let own = all.0.iter().filter(|member| names.contains(&member.key.to_ascii_lowercase()));
        Cow::Owned(Arguments(own.cloned().collect()))
    }

    fn of_initiative(&self, initiative: &Initiative, trouble: Option<String>, all: &mut Vec<Bound>) {
        let id = &self.assignment.definition;
        let own = values(&initiative.parameters, &self.arguments(&initiative.parameters).0, id);
        let (own, problem) = match own {
            Ok(own) => (own, None),
            Err(problem) => (Value::NULL, Some(problem)),
        };
        let refused = initiative.problems.first().map(|problem| problem.message.clone());
        let version = self.assignment.version.as_deref();
        let other = || lacks_version("initiative", &initiative.name, version?, initiative.version.as_deref());
        let trouble = trouble.or(refused).or(problem).or_else(other);
        all.extend(initiative.references.iter().map(|reference| {
            let definition = self.index.definition(&reference.definition).cloned();
            let parts = Parts { set: id, reference: reference.id.clone(), version: reference.version.as_ref() };
            self.bound(parts, definition, &reference.definition, &reference.arguments, &own, trouble.clone())
        }));
    }

    fn bound(
        &self,
        parts: Parts<'_>,
        definition: Option<Arc<Definition>>,
        id: &Str,
        arguments: &Arguments,
        around: &Value,
        trouble: Option<String>,
    ) -> Bound {
        let policy = Value::object(vec![
            Member::new("assignmentId", Value::from(self.assignment.id.clone())),
            Member::new("definitionId", Value::from(id.clone())),
            Member::new("setDefinitionId", Value::from(parts.set)),
            Member::new("definitionReferenceId", Value::from(parts.reference.clone())),
        ]);
        let message =
            self.messages.get(&Some(parts.reference.to_ascii_lowercase())).or_else(|| self.messages.get(&None));
        let mut bound = Bound {
            message: message.map(|message| (*message).clone()),
            assignment: self.at,
            name: definition.as_ref().map_or_else(|| Str::from(last_segment(id)), |definition| definition.name.clone()),
            reference: parts.reference,
            definition,
            parameters: Value::NULL,
            policy,
            effect: None,
            trouble: trouble.map(Str::from),
            twin: None,
            index: 0,
        };
        if bound.trouble.is_some() {
            return bound;
        }
        match self.settle(&bound, arguments, around, parts.version) {
            Ok((parameters, effect)) => {
                bound.parameters = parameters;
                bound.effect = Some(effect);
            }
            Err(problem) => bound.trouble = Some(Str::from(problem)),
        }
        bound
    }

    /// Returns the parameters and the effect of a definition, or the reason for which it cannot be evaluated.
    fn settle(
        &self,
        bound: &Bound,
        arguments: &Arguments,
        around: &Value,
        version: Option<&Str>,
    ) -> Result<(Value, Effect), String> {
        let definition =
            bound.definition.as_ref().ok_or_else(|| format!("the definition `{}` is not there", bound.name))?;
        if let Some(problem) = definition.problems.first() {
            return Err(format!("the definition `{}` cannot be used: {}", bound.name, problem.message));
        }
        if let Some(problem) = version.and_then(|version| bound.lacks_version(version)) {
            return Err(problem);
        }
        let value = |member: &Member| match self.evaluated(&member.value, around, bound) {
            Ok(value) => Ok(Member { value, ..member.clone() }),
            Err(problem) => Err(format!("parameter `{}`: {problem}", member.key)),
        };
        let given = arguments.0.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        let parameters = values(&definition.parameters, &given, &bound.name)?;
        let rule = definition.rule.as_ref().ok_or("the definition has no rule")?;
        let effect = self.evaluated(&rule.effect, &parameters, bound)?;
        let name = effect.as_str().ok_or("the effect is not known")?;
        Effect::of_name(name).map(|effect| (parameters, effect)).ok_or_else(|| format!("there is no effect `{name}`"))
    }

    /// Evaluates something that depends on parameters, but on no resource.
    fn evaluated(&self, value: &Value, parameters: &Value, bound: &Bound) -> Result<Value, String> {
        static NOTHING: LazyLock<Request> = LazyLock::new(Request::default);
        let scene = Scene {
            request: &NOTHING,
            body: Value::NULL,
            parameters: parameters.clone(),
            policy: bound.policy.clone(),
            is_stored: false,
        };
        let value = self.judge.functions.within(Rc::new(scene), || self.judge.value(value));
        value.map_err(|fault| fault.message().to_owned())
    }
}

/// Returns an object with the value of each declared parameter, or the reason for which Azure would reject the
/// assignment.
fn values(declared: &[Parameter], given: &[Member], owner: &str) -> Result<Value, String> {
    let names: HashSet<String> = declared.iter().map(|parameter| parameter.name.to_ascii_lowercase()).collect();
    if let Some(other) = given.iter().find(|member| !names.contains(&member.key.to_ascii_lowercase())) {
        return Err(format!("`{owner}` has no parameter `{}`", other.key));
    }
    let given = Value::object(given.to_vec());
    let value = |parameter: &Parameter| {
        let Some(value) = given.get(&parameter.name).or(parameter.default.as_ref()) else {
            return Err(format!("parameter `{}` of `{owner}` has no value", parameter.name));
        };
        match parameter.refusal(value) {
            Some(problem) => Err(problem),
            None => Ok(Member::new(parameter.name.clone(), value.clone())),
        }
    };
    declared.iter().map(value).collect::<Result<_, _>>().map(Value::object)
}

/// Makes what evaluates conditions on some requests, for so many works that share the steps. The second part of the
/// result hides their secrets in messages.
pub(super) fn with_judge<'d, T>(
    limits: &Limits,
    works: usize,
    lookups: &'d Lookups,
    surroundings: &'d Surroundings,
    requests: &'d [Request],
    act: impl for<'j> FnOnce(&Judge<'j, 'd>) -> T,
) -> (T, Mask) {
    let (context, budget, nowhere) = (Context::default(), Budget::new(limits).shared(works), Nowhere);
    let functions = Functions::new(lookups, surroundings, requests);
    let resources: &dyn Resources = &nowhere;
    let mut world = World::new(&context, &budget, resources);
    world.dialect = Some(&functions);
    let level = Rc::new(TemplateLevel::bare(DeploymentScope::Tenant));
    for request in requests {
        world.note_secrets(&request.name);
        world.note_secrets(&request.body);
    }
    let trace = Trace::default();
    let result = act(&Judge {
        evaluator: Evaluator::new(&world, level, 0),
        functions: &functions,
        trace,
        lists: Lists::default(),
    });
    (result, world.into_mask())
}

impl Bound {
    /// Returns a message if the definition has another major version than the selected one, such as `2.*.*`.
    fn lacks_version(&self, wanted: &str) -> Option<String> {
        lacks_version("definition", &self.name, wanted, self.definition.as_ref()?.version.as_deref())
    }

    /// Returns a message if an override selects another version than that of the definition.
    pub(super) fn other_version(
        &self,
        assignment: &Assignment,
        matches: impl Fn(&[crate::documents::Selector]) -> super::truth::Truth,
    ) -> Option<String> {
        for replacement in assignment.overrides.iter().filter(|replacement| replacement.kind == OverrideKind::Version) {
            let truth = matches(&replacement.selectors);
            let problem = self.lacks_version(&replacement.value).filter(|_| truth.can_hold());
            if problem.is_some() || truth.holds() {
                return problem;
            }
        }
        None
    }

    /// Returns the effects that overrides may set, and the own one.
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

/// Returns a message if a document has another major version than the selected one, such as `2.*.*`.
fn lacks_version(kind: &str, name: &str, wanted: &str, found: Option<&str>) -> Option<String> {
    let (found, wanted_major) = (found?, wanted.split('.').next());
    let is_there = wanted_major == Some("*") || wanted_major == found.split('.').next();
    (!is_there).then(|| format!("version {wanted} of the {kind} `{name}` is not there, only {found}"))
}
