//! Tests of the exemptions that apply to a resource.

use super::*;
use crate::Exemption;
use crate::judge::by_assignment::ByAssignment;
use crate::value::Member;

const GROUP: &str = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg";
const DENY: &str = r#"{"if": {"field": "name", "like": "*"}, "then": {"effect": "deny"}}"#;
const ID: &str =
    "/subscriptions/00000000-0000-0000-0000-000000000001/providers/Microsoft.Authorization/policyAssignments/as";

/// An exemption of a scope with further properties.
fn exemption(scope: &str, more: Vec<Member>) -> Exemption {
    let text = |name: &'static str, text: &str| Member::new(name, Value::from(text));
    let mut members = vec![text("name", "ex"), text("scope", scope), text("policyAssignmentId", ID)];
    members.extend(more);
    Exemption::read(&Value::object(members))
}

fn policies(exemptions: Vec<Exemption>) -> Policies {
    Policies { exemptions, ..assigned(DENY, &format!(r#"{{"id": "{ID}", "name": "as"}}"#)) }
}

/// Returns the effect of exemptions on a request, and the index of the deciding one.
fn standing(exemptions: Vec<Exemption>, request: Request) -> (Standing, Option<usize>) {
    let policies = policies(exemptions);
    let judged = InForce::new(&policies).judge(&[request], &Surroundings::default());
    let verdict = &judged[0].verdicts[0];
    (verdict.standing, verdict.exemption.map(|by| by.exemption))
}

#[test]
fn an_exemption_is_of_everything_below_its_scope() {
    let account = format!("{GROUP}/providers/Microsoft.Storage/storageAccounts");
    for (scope, sent, unknown) in [
        ("/", Standing::Exempt, Standing::Exempt),
        (GROUP, Standing::Exempt, Standing::Conditional),
        (&GROUP.to_uppercase(), Standing::Exempt, Standing::Conditional),
        (&format!("{GROUP}/"), Standing::Exempt, Standing::Conditional),
        (&format!("{account}/st"), Standing::Exempt, Standing::Conditional),
        (&format!("{account}/st2"), Standing::Applies, Standing::Applies),
        (&format!("{GROUP}2"), Standing::Applies, Standing::Conditional),
        (&format!("{account}/st/blobServices/default"), Standing::Applies, Standing::Applies),
        ("/subscriptions/${x}", Standing::Conditional, Standing::Conditional),
        ("/providers/Microsoft.Management/managementGroups/c", Standing::Conditional, Standing::Conditional),
        ("", Standing::Conditional, Standing::Conditional),
    ] {
        assert_eq!(standing(vec![exemption(scope, Vec::new())], request(read("{}"))).0, sent, "{scope}");
        let elsewhere = Request { approximate: vec![Str::from("rg")], ..request(read("{}")) };
        assert_eq!(standing(vec![exemption(scope, Vec::new())], elsewhere).0, unknown, "{scope}");
    }
}

#[test]
fn the_strongest_exemption_decides() {
    let of = |references: &[&str]| {
        let references = references.iter().map(|reference| Value::from(*reference)).collect();
        exemption(GROUP, vec![Member::new("policyDefinitionReferenceIds", Value::array(references))])
    };
    let expires = || exemption(GROUP, vec![Member::new("expiresOn", Value::from("2030-01-01T00:00:00Z"))]);
    let decided = |exemptions: Vec<Exemption>| standing(exemptions, request(read("{}")));
    assert_eq!(decided(vec![of(&["other"])]), (Standing::Applies, None));
    assert_eq!(decided(vec![expires()]), (Standing::Conditional, Some(0)));
    assert_eq!(decided(vec![of(&["other"]), expires(), of(&["other", "IT"]), of(&[])]), (Standing::Exempt, Some(2)));
    assert_eq!(decided(vec![of(&[]), of(&["it"])]), (Standing::Exempt, Some(0)));
}

/// An assignment may have thousands of exemptions, of which few are about one resource.
#[test]
fn only_exemptions_around_a_resource_are_looked_at() {
    let account = |at: usize| format!("{GROUP}/providers/Microsoft.Storage/storageAccounts/st{at}");
    let mut exemptions: Vec<Exemption> = (0..2_000).map(|at| exemption(&account(at), Vec::new())).collect();
    exemptions.push(exemption(GROUP, Vec::new()));
    let policies = policies(exemptions);
    let request = Request { id: Str::from(account(7)), ..request(read("{}")) };
    assert_eq!(ByAssignment::new(&policies).exemptions(0, &request), [7, 2_000]);
}

/// The end is the beginning of the day in UTC.
#[test]
fn an_exemption_may_end_with_a_date_without_a_time() {
    let expires = || exemption(GROUP, vec![Member::new("expiresOn", Value::from("2030-12-31"))]);
    assert_eq!(expires().last_day().map(|day| day.to_string()).as_deref(), Some("2030-12-30"));
    for (now, standing) in [("2030-12-30T23:59:59Z", Standing::Exempt), ("2030-12-31T00:00:00Z", Standing::Applies)] {
        let policies = policies(vec![expires()]);
        let surroundings = Surroundings { now: Some(Str::from(now)), ..Surroundings::default() };
        let judged = InForce::new(&policies).judge(&[request(read("{}"))], &surroundings);
        assert_eq!(judged[0].verdicts[0].standing, standing, "{now}");
    }
}

/// Otherwise one that is for a part would be for everything.
#[test]
fn members_of_the_wrong_type_are_problems() {
    for (member, is_fine) in [
        (r#""policyDefinitionReferenceIds": "x""#, false),
        (r#""policyDefinitionReferenceIds": [5]"#, false),
        (r#""policyDefinitionReferenceIds": null"#, true),
        (r#""policyDefinitionReferenceIds": []"#, true),
        (r#""resourceSelectors": {}"#, false),
        (r#""resourceSelectors": ["x"]"#, false),
        (r#""resourceSelectors": [{"selectors": {}}]"#, false),
        (r#""resourceSelectors": [{"selectors": [{"kind": "resourceType", "notIn": "x"}]}]"#, false),
        (r#""resourceSelectors": [{"selectors": [{"kind": 1, "in": ["x"]}]}]"#, false),
        (r#""resourceSelectors": [{"selectors": [{"kind": "resourceType", "in": ["x"], "notIn": null}]}]"#, true),
        (r#""expiresOn": 5"#, false),
        (r#""expiresOn": null"#, true),
        (r#""scope": {}"#, false),
    ] {
        let own = read(&format!("{{{member}}}"));
        let members = own.as_object().into_iter().flatten().cloned().collect();
        let exemption = exemption(GROUP, members);
        assert_eq!(exemption.problems.is_empty(), is_fine, "{member}: {:?}", exemption.problems);
    }
}

#[test]
fn what_is_not_judged_may_need_an_exemption() {
    let one = |effect: &str, references: &str| {
        let rule = DENY.replace("deny", effect);
        let exemption = exemption(GROUP, vec![Member::new("policyDefinitionReferenceIds", read(references))]);
        let policies =
            Policies { exemptions: vec![exemption], ..assigned(&rule, &format!(r#"{{"id": "{ID}", "name": "as"}}"#)) };
        InForce::new(&policies).exemptions_from_unjudged().len()
    };
    let counts = [one("deny", "[]"), one("manual", "[]"), one("manual", r#"["IT"]"#), one("manual", r#"["x"]"#)];
    assert_eq!((counts, one("disabled", "[]")), ([0, 1, 1, 0], 0));
}

/// Each resource takes a step for each exemption around it.
#[test]
fn looking_for_exemptions_takes_steps() {
    let policies = policies((0..2_000).map(|_| exemption(GROUP, Vec::new())).collect());
    let requests = [request(read("{}")), request(read("{}"))];
    let in_force = InForce::with_steps(&policies, 3_000);
    let judged = in_force.judge(&requests, &Surroundings::default());
    let [first, second] = [0, 1].map(|at| &judged[at].verdicts[0]);
    assert_eq!((first.standing, first.outcome), (Standing::Exempt, Outcome::Effect(Effect::Deny)));
    assert_eq!((second.standing, second.outcome), (Standing::Applies, Outcome::Unknown));
    assert!(second.why.contains("more than 3000 steps"), "{}", second.why);
}
