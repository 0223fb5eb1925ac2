//! Evaluates operators about several values or resources: `count`, `descendants`, `refersTo`, `referencedBy`.

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::HashMap;

use crate::json::eval::{Evaluator, Hit, LeafHit, TestedCondition, hit, join};
use crate::json::operators::Answer;
use crate::json::rule::{Count, Evaluation, Reference, Through};
use crate::lookup::{Position, ReferenceTarget, Target};
use crate::model::ResourceId;
use crate::outcomes::Outcomes;
use crate::value::{Str, Unknown};

/// Cache: references that `referencedBy` found, by the address of the operator.
#[derive(Debug, Default)]
pub(super) struct Links<'a>(RefCell<HashMap<usize, Rc<LinkedResources<'a>>>>);

/// References between resources.
#[derive(Debug, Default)]
struct LinkedResources<'a> {
    /// Referring resources, by the resource that they refer to.
    of: HashMap<ResourceId, Vec<ResourceId>>,
    /// References that may be to any resource.
    open: Vec<&'a Unknown>,
}

/// Number of selected values, as far as it is known.
struct SelectedCount {
    least: i64,
    /// Greatest possible number; `None` if it is unlimited.
    most: Option<i64>,
    why: Option<Str>,
}

impl<'a> Evaluator<'a> {
    /// Adds the results of `count`: one per starting point of the path.
    pub(super) fn count(
        &self,
        evaluation: &'a Evaluation,
        count: &'a Count,
        scope: &Position<'a>,
        negated: bool,
        out: &mut Vec<Hit<'a>>,
    ) {
        let starts = match (&evaluation.resource_type, &evaluation.path) {
            (Some(type_name), Some(_)) => self.types.select(scope, type_name),
            _ => vec![scope.clone()],
        };
        for start in starts {
            let selected = match &evaluation.path {
                Some(path) => start.resolve(self.document, path),
                None => self.scopes(evaluation, &start),
            };
            let number = self.number(evaluation, &start, &selected);
            let outcomes = count.bounds.decide(number.least, number.most);
            let wanted = TestedCondition::Count(count, number.least, number.most);
            let array = count.array.as_ref().map(|path| start.resolve(self.document, path));
            let position = match array.as_deref() {
                Some([array]) => array.clone(),
                _ => start.clone(),
            };
            let mut hit = hit(position, Answer { outcomes, why: number.why }, wanted, negated);
            if let Some(why) = self.doubt(scope, &start) {
                hit.outcomes = hit.outcomes.union(Outcomes::NEITHER);
                hit.why = hit.why.or(Some(why));
            }
            out.push(hit);
        }
    }

    fn number(&self, evaluation: &'a Evaluation, start: &Position<'a>, selected: &[Position<'a>]) -> SelectedCount {
        let mut number = SelectedCount { least: 0, most: Some(0), why: None };
        for position in selected {
            let (mut is_certain, mut why) = match position.target {
                Target::Missing => continue,
                Target::Unseen(unknown) | Target::UnseenItems(unknown) => (false, Some(unknown.why.clone())),
                Target::Value(value) => match value.as_unknown().filter(|unknown| unknown.is_optional) {
                    Some(unknown) => (false, Some(unknown.why.clone())),
                    None => (true, None),
                },
                Target::Resources(_) => (true, None),
            };
            if let Some(doubt) = self.doubt_of_number(start, position) {
                (is_certain, why) = (false, Some(doubt));
            }
            if let Some(condition) = &evaluation.condition {
                match self.holds(condition, position) {
                    Answer { outcomes: Outcomes::FALSE, .. } => continue,
                    Answer { outcomes: Outcomes::TRUE, .. } => {}
                    unknown => (is_certain, why) = (false, unknown.why.or(why)),
                }
            }
            let is_many = matches!(position.target, Target::UnseenItems(_));
            number.least += i64::from(is_certain);
            number.most = number.most.filter(|_| !is_many).map(|most| most + 1);
            number.why = number.why.or(why);
        }
        number
    }

    /// Adds the result of `descendants`.
    pub(super) fn descendants(
        &self,
        inner: &'a Evaluation,
        position: Position<'a>,
        negated: bool,
        out: &mut Vec<Hit<'a>>,
    ) {
        let within = Self { skips_missing: true, ..*self };
        let (mut objects, mut hits) = (Vec::new(), Vec::new());
        position.objects(&mut objects);
        for object in &objects {
            let before = hits.len();
            within.evaluate(inner, object, negated, &mut hits);
            if let Target::UnseenItems(unknown) = object.target {
                hits.iter_mut().skip(before).for_each(|hit| hit.may_be_absent(Some(&unknown.why)));
            }
        }
        join(hits, position, negated, true, out);
    }

    /// Adds the result of `refersTo`, at the position of the ID, where the author of the rule begins.
    pub(super) fn refers_to(
        &self,
        inner: &'a Evaluation,
        position: Position<'a>,
        negated: bool,
        out: &mut Vec<Hit<'a>>,
    ) {
        let referred = match position.target {
            Target::Value(value) => {
                let deployment = position.deployment_id(self.document);
                self.types.references().follow(self.document, deployment, value)
            }
            Target::Unseen(unknown) | Target::UnseenItems(unknown) => ReferenceTarget::Unknown(unknown),
            Target::Missing | Target::Resources(_) => ReferenceTarget::Nothing,
        };
        let unknown = |why: Str| Answer { outcomes: Outcomes::UNKNOWN, why: Some(why) };
        let target = match referred {
            ReferenceTarget::To(target) => target,
            ReferenceTarget::Nothing => return out.push(hit(position, false.into(), TestedCondition::Id, negated)),
            ReferenceTarget::Elsewhere => {
                let why = Str::from("the resource that it refers to is not part of the deployment");
                return out.push(hit(position, unknown(why), TestedCondition::Id, negated));
            }
            ReferenceTarget::Unknown(cause) => {
                return out.push(hit(position, unknown(cause.why.clone()), TestedCondition::Id, negated));
            }
        };
        let mut hits = Vec::new();
        self.evaluate(inner, &target, negated, &mut hits);
        let mut joined = Vec::new();
        join(hits, target.clone(), negated, true, &mut joined);
        let resource = target.resource_id();
        let doubt = resource.and_then(|id| self.types.doubt(id)).filter(|_| resource != position.resource_id());
        for Hit { outcomes, leaves, why, .. } in joined {
            let name = self.name_of(&target);
            let failed = leaves.iter().any(|leaf| leaf.failed);
            let leaf_why = leaves.iter().find_map(|leaf| leaf.why.clone());

            let outcomes = if doubt.is_some() { outcomes.union(Outcomes::NEITHER) } else { outcomes };
            let leaf = (!leaves.is_empty()).then(|| LeafHit {
                position: position.clone(),
                wanted: TestedCondition::Target(name, leaves),
                negated,
                failed,
                is_alternative: false,
                why: leaf_why,
            });
            let leaves = leaf.into_iter().collect();
            let why = why.or_else(|| doubt.cloned());
            out.push(Hit { position: position.clone(), outcomes, leaves, is_choice: true, why });
        }
    }

    /// Returns the name of the resource at a position, or of the child that is written in it.
    fn name_of(&self, position: &Position<'a>) -> Str {
        let own = match position.target {
            Target::Value(value) if !position.steps.is_empty() => {
                value.get("name").and_then(|name| name.as_shared_str())
            }
            _ => None,
        };
        own.cloned()
            .or_else(|| position.resource_id().map(|id| self.document.resource(id).name.clone()))
            .unwrap_or_else(|| Str::from("the resource"))
    }

    /// Adds the result of `referencedBy`, for the resource of the position.
    pub(super) fn referenced_by(
        &self,
        reference: &'a Reference,
        position: Position<'a>,
        negated: bool,
        out: &mut Vec<Hit<'a>>,
    ) {
        let Some(target) = position.resource_id() else { return };
        let linked = self.linked(reference);
        let mut answer = Answer::from(false);
        for &source in linked.of.get(&target).into_iter().flatten() {
            let found = self.meets(reference, source);
            answer.outcomes = answer.outcomes.or(found.outcomes);
            answer.why = answer.why.or(found.why);
        }
        let id = &self.document.resource(target).id;
        let may_be =
            |unknown: &&Unknown| unknown.ends.as_ref().is_none_or(|ends| ends.admit(id, str::eq_ignore_ascii_case));
        if let Some(open) = linked.open.iter().copied().find(may_be) {
            answer.outcomes = answer.outcomes.or(Outcomes::UNKNOWN);
            answer.why = answer.why.or_else(|| Some(open.why.clone()));
        }
        out.push(hit(position, answer, TestedCondition::Reference(reference), negated));
    }

    /// Returns whether a referring resource fulfills the evaluation of the operator.
    fn meets(&self, reference: &'a Reference, source: ResourceId) -> Answer {
        let position = Position::resource(self.document, source);
        let mut answer = match &reference.condition {
            Some(condition) => self.holds(condition, &position),
            None => true.into(),
        };
        if let Some(why) = self.types.doubt(source).filter(|_| answer.outcomes != Outcomes::FALSE) {
            answer = Answer { outcomes: Outcomes::UNKNOWN, why: answer.why.or_else(|| Some(why.clone())) };
        }
        answer
    }

    /// Returns the references between resources through a path.
    fn linked(&self, reference: &'a Reference) -> Rc<LinkedResources<'a>> {
        let address = std::ptr::from_ref(reference).addr();
        if let Some(known) = self.links.0.borrow().get(&address) {
            return Rc::clone(known);
        }
        let references = self.types.references();
        let mut linked = LinkedResources::default();
        for &source in references.of_type(&reference.type_name.to_ascii_lowercase()) {
            let resource = self.document.resource(source);
            let Through::Path(path) = &reference.through else {
                let targets = references.scopes(self.document, source);
                for target in targets {
                    linked.of.entry(target).or_default().push(source);
                }
                continue;
            };
            for found in Position::resource(self.document, source).resolve(self.document, path) {
                match found.target {
                    Target::Value(value) => match references.follow(self.document, resource.deployment, value) {
                        ReferenceTarget::To(target) if target.steps.is_empty() => {
                            let targets = target.resource_id().filter(|target| *target != source);
                            if let Some(target) = targets {
                                linked.of.entry(target).or_default().push(source);
                            }
                        }
                        ReferenceTarget::Unknown(unknown) => linked.open.push(unknown),
                        ReferenceTarget::To(_) | ReferenceTarget::Elsewhere | ReferenceTarget::Nothing => {}
                    },
                    Target::Unseen(unknown) | Target::UnseenItems(unknown) => linked.open.push(unknown),
                    Target::Missing | Target::Resources(_) => {}
                }
            }
        }
        let linked = Rc::new(linked);
        self.links.0.borrow_mut().insert(address, Rc::clone(&linked));
        linked
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use crate::diagnostic::Outcome;
    use crate::json::{parse, testing};
    use crate::model::Presence;
    use crate::text::Sources;
    use crate::value::{Kind, Member, Unknown, Value};
    use crate::{RuleSet, Verdict};

    fn verdicts(evaluation: &str, document: &crate::model::Document) -> Vec<Verdict> {
        let text = format!(
            r#"{{"id": "X", "name": "X", "shortDescription": "S", "fullDescription": "f", "evaluation": {evaluation}}}"#
        );
        let (rules, problems) = parse(Sources::new().add("rule.json", text.as_str()), &text.into());
        assert!(problems.is_empty(), "{problems:#?}");
        RuleSet::new(rules).check(document)
    }

    /// Returns the verdicts as `outcome path`, and what the message says after the description.
    fn written(verdicts: &[Verdict]) -> String {
        let mut out = String::new();
        for it in verdicts {
            let said = it.message.strip_prefix("S: ").map_or(String::new(), |said| format!(": {said}"));
            let place = it.leaves.first().map_or(&it.path, |leaf| &leaf.path);
            let _ = write!(out, "{} {place}{said};", it.outcome.as_str());
        }
        out
    }

    #[track_caller]
    fn check(resources: &str, evaluation: &str, expected: &str) {
        let (_, document) = testing::document(&format!(r#"{{"resources": [{resources}]}}"#));
        assert_eq!(written(&verdicts(evaluation, &document)), expected, "{evaluation}");
    }

    const POOLS: &str = r#"{"type": "A/b", "name": "one", "properties": {"pools": [{"n": 1}, {"n": 2}, {"n": 3}]}},
        {"type": "A/b", "name": "two", "properties": {}}"#;

    #[test]
    fn a_rule_judges_each_of_the_members_whose_names_differ_in_case() {
        let site = |members: &str| format!(r#"{{"type": "A/b", "name": "x", "properties": {{{members}}}}}"#);
        let rule = r#"{"resourceType": "A/b", "path": "properties.on", "equals": true}"#;
        let expected = "passed resources[0].properties.on;\
             failed resources[0].properties.On: `On` is `false`; expected `true`;";
        check(&site(r#""on": true, "On": false"#), rule, expected);
        check(&site(r#""On": false, "on": true"#), rule, expected);
        let other = "passed resources[0].properties.ON;";
        check(&site(r#""ON": true"#), rule, other);
        let below = r#"{"resourceType": "A/b", "path": "properties.on.a", "equals": 1}"#;
        check(
            &site(r#""on": {"a": 1}, "ON": {"A": 2}"#),
            below,
            "passed resources[0].properties.on.a;failed resources[0].properties.ON.A: `A` is `2`; expected `1`;",
        );
        let either = r#"{"resourceType": "A/b", "anyOf": [{"path": "properties.on", "equals": true}]}"#;
        let expected = "failed resources[0].properties.On: `On` is `false`; expected `true`;";
        check(&site(r#""on": true, "On": false"#), either, expected);
        check(&site(r#""on": true, "On": true"#), either, "passed resources[0];");
    }

    #[test]
    fn a_count_is_of_each_resource_and_lies_on_the_array() {
        check(
            POOLS,
            r#"{"resourceType": "A/b", "path": "properties.pools[*]", "count": {"greaterOrEquals": 2}}"#,
            "passed resources[0].properties.pools;\
             failed resources[1].properties.pools: `pools` has 0 items; expected at least 2;",
        );
        check(
            POOLS,
            r#"{"resourceType": "A/b", "path": "properties.pools[*]", "where": {"path": "n", "greater": 2},
                "count": {"equals": 0}}"#,
            "failed resources[0].properties.pools: `pools` has 1 matching item; expected 0;\
             passed resources[1].properties.pools;",
        );
        check(
            POOLS,
            r#"{"resourceType": "A/b", "not": {"path": "properties.pools[*].n", "count": {"greater": 0, "less": 9}}}"#,
            "failed resources[0]: the resource has 3 matching values; expected not more than 0 and less than 9;\
             passed resources[1];",
        );
    }

    #[test]
    fn a_count_with_unknown_items_is_a_range() {
        let says = |items: Vec<Value>, expected: &str| {
            let (_, mut document) = testing::document(r#"{"resources": [{"type": "A/b", "name": "one"}]}"#);
            let items = items.into_iter().map(|n| Value::object(vec![Member::new("n", n)])).collect();
            document.resources[0].body = Value::object(vec![Member::new("pools", Value::array(items))]);
            let rule = r#"{"resourceType": "A/b", "path": "pools[*]", "where": {"path": "n", "greater": 2}, "count": {"equals": 5}}"#;
            let found = written(&verdicts(rule, &document));
            assert_eq!(found, format!("failed resources[0].pools: `pools` has {expected}; expected 5;"));
        };
        let unknown = || Value::unknown(Unknown::new(Kind::Int, "it is so"));
        says(vec![unknown(), unknown()], "at most 2 matching items");
        says(vec![unknown(), 3.into()], "at least 1 matching items");
        says(vec![3.into(), 3.into()], "2 matching items");
    }

    #[test]
    fn a_count_without_a_path_is_of_resources() {
        check(
            POOLS,
            r#"{"resourceType": "A/b", "count": {"less": 2}}"#,
            "failed : the template has 2 `A/b`; expected less than 2;",
        );
        check(
            r#"{"type": "A/b", "name": "one"}, {"type": "A/b/c", "name": "one/x"}"#,
            r#"{"resourceType": "A/b", "evaluate": {"resourceType": "A/b/c", "where": {"path": "name", "regex": "x$"},
                "count": {"equals": 1}}}"#,
            "passed resources[0];",
        );
    }

    #[test]
    fn a_count_is_decided_as_far_as_it_can_be() {
        let (_, mut document) = testing::document(&format!(r#"{{"resources": [{POOLS}]}}"#));
        let unknown = || Value::unknown(Unknown::new(Kind::Array, "it is so"));
        let pools = Value::object(vec![Member::new("pools", unknown())]);
        document.resources[1].body = Value::object(vec![Member::new("properties", pools)]);
        let count = |bounds: &str| {
            let text = format!(r#"{{"resourceType": "A/b", "path": "properties.pools[*]", "count": {bounds}}}"#);
            verdicts(&text, &document)[1].outcome
        };
        assert_eq!(count(r#"{"greaterOrEquals": 1}"#), Outcome::Unknown);
        assert_eq!(count(r#"{"greaterOrEquals": 0}"#), Outcome::Passed);
        assert_eq!(count(r#"{"less": 0}"#), Outcome::Failed);
        document.resources[1].presence = Presence::Maybe(Unknown::new(Kind::Bool, "it may be off").into());
        let all =
            |bounds: &str| verdicts(&format!(r#"{{"resourceType": "A/b", "count": {bounds}}}"#), &document)[0].outcome;
        assert_eq!(all(r#"{"greaterOrEquals": 1}"#), Outcome::Passed);
        assert_eq!(all(r#"{"equals": 2}"#), Outcome::Unknown);
        assert_eq!(all(r#"{"less": 3}"#), Outcome::Passed);
    }

    #[test]
    fn descendants_are_objects_at_any_depth() {
        let deep = r#"{"type": "A/b", "name": "one", "properties": {"x": [{"tls": "1.0"}, {"y": {"tls": "1.2"}}]}},
            {"type": "A/b", "name": "two", "properties": {"tls": "1.2"}}, {"type": "A/b", "name": "three"}"#;
        check(
            deep,
            r#"{"resourceType": "A/b", "descendants": {"path": "tls", "equals": "1.2"}}"#,
            "failed resources[0].properties.x[0].tls: `tls` is `\"1.0\"`; expected `\"1.2\"`;passed resources[1];",
        );
        check(
            deep,
            r#"{"resourceType": "A/b", "path": "properties.x[1]", "descendants": {"not": {"path": "tls", "equals": "1.2"}}}"#,
            "failed resources[0].properties.x[1].y.tls: `tls` is `\"1.2\"`; expected anything other than `\"1.2\"`;",
        );
        check(
            deep,
            r#"{"resourceType": "A/b", "not": {"descendants": {"path": "tls", "equals": "1.2"}}}"#,
            "passed resources[0];\
             failed resources[1].properties.tls: `tls` is `\"1.2\"`; expected anything other than `\"1.2\"`;",
        );
    }

    #[test]
    fn an_unknown_value_may_have_any_objects() {
        let (_, mut document) = testing::document(r#"{"resources": [{"type": "A/b", "name": "one"}]}"#);
        let outcome = |kind: Kind, document: &mut crate::model::Document| {
            let value = Value::unknown(Unknown::new(kind, "it is so"));
            document.resources[0].body =
                Value::object(vec![Member::new("tls", Value::from("1.2")), Member::new("p", value)]);
            let rule = r#"{"resourceType": "A/b", "descendants": {"path": "tls", "equals": "1.2"}}"#;
            verdicts(rule, document)[0].outcome
        };
        assert_eq!(outcome(Kind::Object, &mut document), Outcome::Unknown);
        assert_eq!(outcome(Kind::Array, &mut document), Outcome::Unknown);
        assert_eq!(outcome(Kind::String, &mut document), Outcome::Passed);
        let value = Value::unknown(Unknown::new(Kind::Object, "it is so"));
        document.resources[0].body = Value::object(vec![Member::new("p", value)]);
        let below = r#"{"resourceType": "A/b", "path": "p.q", "descendants": {"path": "x[*]", "count": {"less": 0}}}"#;
        assert_eq!(verdicts(below, &document)[0].outcome, Outcome::Unknown);
    }

    const NETWORK: &str = r#"{"type": "A/net", "name": "n", "properties": {"subnets": [
            {"name": "open", "properties": {}}, {"name": "closed", "properties": {"nsg": {"id": "g"}}}]}},
        {"type": "A/nsg", "name": "g", "properties": {"rules": []}}"#;

    #[test]
    fn an_id_leads_to_a_resource_or_to_a_child_in_it() {
        let with = |id: &str| format!(r#"{NETWORK}, {{"type": "A/nic", "name": "c", "properties": {{"id": "{id}"}}}}"#);
        let rule = r#"{"resourceType": "A/nic", "path": "properties.id", "refersTo": {"path": "properties.nsg", "exists": true}}"#;
        check(
            &with("N/Subnets/Open"),
            rule,
            "failed resources[2].properties.id: `id` refers to `open`, where `nsg` is missing;",
        );
        check(&with("n/subnets/closed"), rule, "passed resources[2].properties.id;");
        check(&with("G"), rule, "failed resources[2].properties.id: `id` refers to `g`, where `nsg` is missing;");
        check(
            &with("other"),
            rule,
            "unknown resources[2].properties.id: not known before the deployment, because the resource that it refers to \
             is not part of the deployment;",
        );
        check(&with(""), rule, "failed resources[2].properties.id: `id` is `\"\"`; expected the ID of a resource;");
        let missing = rule.replace("properties.id", "properties.none");
        check(
            &with("g"),
            &missing,
            "failed resources[2].properties.none: `none` is missing; expected the ID of a resource;",
        );
    }

    #[test]
    fn a_logical_id_is_told_from_another_by_its_case() {
        let key = |name: &str, nsg: &str| format!(r#"{{"type": "A/key", "name": "{name}", "properties": {{{nsg}}}}}"#);
        let keys = format!("{}, {}", key("Key", ""), key("key", r#""nsg": 1"#));
        let nic = r#"{"type": "A/nic", "name": "c", "properties": {"id": "${key.Arn}"}}"#;
        let rule = r#"{"resourceType": "A/nic", "path": "properties.id", "refersTo": {"path": "properties.nsg", "exists": true}}"#;
        check(&format!("{keys}, {nic}"), rule, "passed resources[2].properties.id;");
    }

    #[test]
    fn an_unknown_id_is_that_of_the_resource_whose_name_lacks_the_same() {
        let (_, mut document) =
            testing::document(r#"{"resources": [{"type": "A/nsg", "name": "g-"}, {"type": "A/nic", "name": "c"}]}"#);
        let unknown = |kind: Kind, why: &str| Value::unknown(Unknown::like(kind, why, Value::from("g-")));
        document.resources[0].body = Value::object(vec![Member::new("name", unknown(Kind::String, "p is not set"))]);
        let rule = r#"{"resourceType": "A/nic", "path": "id", "refersTo": {"path": "rules", "exists": true}}"#;
        let mut outcome = |id: Value| {
            document.resources[1].body = Value::object(vec![Member::new("id", id)]);
            verdicts(rule, &document)[0].outcome
        };
        assert_eq!(outcome(unknown(Kind::String, "p is not set")), Outcome::Failed);
        assert_eq!(outcome(unknown(Kind::String, "q is not set")), Outcome::Unknown);
        assert_eq!(outcome(Value::unknown(Unknown::new(Kind::String, "p is not set"))), Outcome::Unknown);
        assert_eq!(outcome(Value::unknown(Unknown::new(Kind::Int, "p is not set"))), Outcome::Failed);
    }

    #[test]
    fn a_resource_that_is_perhaps_deployed_is_perhaps_referred_to() {
        let nic = r#"{"type": "A/nic", "name": "c", "properties": {"id": "n/subnets/open"}}"#;
        let (_, mut document) = testing::document(&format!(r#"{{"resources": [{NETWORK}, {nic}]}}"#));
        document.resources[0].presence = Presence::Maybe(Unknown::new(Kind::Bool, "it may be off").into());
        let rule = r#"{"resourceType": "A/nic", "path": "properties.id", "refersTo": {"path": "properties.nsg", "exists": true}}"#;
        assert_eq!(
            written(&verdicts(rule, &document)),
            "unknown resources[2].properties.id: not known before the deployment, because it may be off;"
        );
    }

    #[test]
    fn a_child_has_its_full_name_and_is_not_its_parent() {
        let nested = r#"{"type": "A/net", "name": "n", "resources": [{"type": "sub", "name": "s", "properties": {}}]},
            {"type": "A/nic", "name": "c", "properties": {"id": "n/s"}}"#;
        check(
            nested,
            r#"{"resourceType": "A/nic", "path": "properties.id", "refersTo": {"path": "properties.x", "exists": true}}"#,
            "failed resources[1].properties.id: `id` refers to `n/s`, where `x` is missing;",
        );
        let log = r#"{"type": "A/log", "name": "l", "properties": {"id": "n/subnets/open"}}"#;
        check(
            &format!("{NETWORK}, {log}"),
            r#"{"resourceType": "A/net", "referencedBy": {"resourceType": "A/log", "through": "properties.id"}}"#,
            "failed resources[0]: no `A/log` refers to it;",
        );
    }

    #[test]
    fn a_resource_is_found_by_what_refers_to_it() {
        let with = |more: &str| format!(r#"{{"type": "A/b", "name": "one"}}, {{"type": "A/b", "name": "two"}}{more}"#);
        let rule =
            r#"{"resourceType": "A/b", "referencedBy": {"resourceType": "A/log", "through": "properties.ids[*]"}}"#;
        let none = "no `A/log` refers to it";
        check(&with(""), rule, &format!("failed resources[0]: {none};failed resources[1]: {none};"));
        let log = r#", {"type": "A/log", "name": "l", "properties": {"ids": ["ONE", "x"], "on": false}}"#;
        check(&with(log), rule, &format!("passed resources[0];failed resources[1]: {none};"));
        let on = rule.replace("\"through\"", r#""path": "properties.on", "equals": true, "through""#);
        let none = "no `A/log` that meets the conditions refers to it";
        check(&with(log), &on, &format!("failed resources[0]: {none};failed resources[1]: {none};"));
        check(
            &with(log),
            &format!(r#"{{"resourceType": "A/b", "not": {}}}"#, rule.replace(r#""resourceType": "A/b", "#, "")),
            "failed resources[0]: a `A/log` refers to it;passed resources[1];",
        );
    }

    #[test]
    fn an_unknown_reference_may_be_to_any_resource() {
        let (_, mut document) =
            testing::document(r#"{"resources": [{"type": "A/b", "name": "one"}, {"type": "A/log", "name": "l"}]}"#);
        let value = Value::unknown(Unknown::new(Kind::String, "it is so"));
        document.resources[1].body = Value::object(vec![Member::new("id", value)]);
        let rule = r#"{"resourceType": "A/b", "referencedBy": {"resourceType": "A/log", "through": "id"}}"#;
        assert_eq!(
            written(&verdicts(rule, &document)),
            "unknown resources[0]: not known before the deployment, because it is so;"
        );
        document.resources[1].body = Value::object(vec![Member::new("id", Value::from("one"))]);
        document.resources[1].presence = Presence::Maybe(Unknown::new(Kind::Bool, "it may be off").into());
        assert_eq!(
            written(&verdicts(rule, &document)),
            "unknown resources[0]: not known before the deployment, because it may be off;"
        );
    }

    #[test]
    fn a_scope_is_what_a_resource_extends() {
        let (_, mut document) =
            testing::document(r#"{"resources": [{"type": "A/b", "name": "one"}, {"type": "A/log", "name": "l"}]}"#);
        let rule = r#"{"resourceType": "A/b", "referencedBy": {"resourceType": "A/log", "through": "scope"}}"#;
        assert_eq!(verdicts(rule, &document)[0].outcome, Outcome::Failed);
        document.resources[1].scope = "ONE".into();
        assert_eq!(verdicts(rule, &document)[0].outcome, Outcome::Passed);
        let named = |name: &str, why: &str| {
            Value::object(vec![Member::new(name, Value::unknown(Unknown::new(Kind::String, why)))])
        };
        document.resources[0].body = named("name", "p is not set");
        document.resources[1].body = named("scope", "q is not set");
        assert_eq!(verdicts(rule, &document)[0].outcome, Outcome::Failed);
        document.resources[1].body = named("scope", "p is not set");
        assert_eq!(verdicts(rule, &document)[0].outcome, Outcome::Passed);
    }
}
