//! Runtime properties: what Azure adds to a resource by itself, and what can be told without asking it. Names, endpoints
//! and ids follow from the name of the resource; ids that Azure draws are placeholders.
//!
//! A projected property never replaces one that the author wrote. Rules do not see them: they judge what is written.

mod data;
mod identity;
mod network;
mod storage;

use crate::arm::context::Context;
use crate::value::{Data, Member, Str, Value};

/// What a projection is told of a resource.
pub(super) struct Subject<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) body: &'a Value,
    pub(super) context: &'a Context,
}

impl Subject<'_> {
    /// The last segment of the name.
    fn own_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(self.name)
    }

    /// The first segment of the name: that of the top-level parent.
    fn root_name(&self) -> &str {
        self.name.split('/').next().unwrap_or(self.name)
    }

    fn property(&self, name: &str) -> Option<&Value> {
        self.body.get("properties")?.get(name)
    }

    fn tenant_id(&self) -> Value {
        self.context.tenant.get("tenantId").cloned().unwrap_or(Value::NULL)
    }
}

/// What Azure adds: members of the resource, laid over it.
type Projection = fn(&Subject<'_>) -> Vec<Member>;

/// The table of a file: resource types and what is projected on them.
type Table = &'static [(&'static str, Projection)];

const TABLES: &[Table] = &[data::TABLE, identity::TABLE, network::TABLE, storage::TABLE];

/// The state of a resource: its body with runtime properties added.
pub(super) fn project(type_name: &str, subject: &Subject<'_>) -> Value {
    let rows = TABLES.iter().flat_map(|table| table.iter());
    let found =
        rows.filter(|(name, _)| name.eq_ignore_ascii_case(type_name)).map(|(_, projection)| projection(subject));
    let added = found.chain([identity::of_any(subject)]).flatten().collect::<Vec<_>>();
    if added.is_empty() {
        return subject.body.clone();
    }
    added.into_iter().fold(subject.body.clone(), |body, member| with_member(&body, &member))
}

/// `object` with a member laid over it: new members are added, objects are laid into objects, arrays of one length item
/// by item. What is there stays.
fn with_member(object: &Value, added: &Member) -> Value {
    let Data::Object(known) = &object.data else { return object.clone() };
    let mut members: Vec<Member> = known.iter().cloned().collect();
    match members.iter_mut().find(|it| it.key.eq_ignore_ascii_case(&added.key)) {
        Some(member) => member.value = laid_over(&member.value, &added.value),
        None => members.push(added.clone()),
    }
    Value { span: object.span, via: object.via.clone(), ..Value::object(members) }
}

fn laid_over(known: &Value, added: &Value) -> Value {
    match (&known.data, &added.data) {
        (Data::Object(_), Data::Object(more)) => {
            more.iter().fold(known.clone(), |all, member| with_member(&all, member))
        }
        (Data::Array(items), Data::Array(more)) if items.len() == more.len() => {
            let items = items.iter().zip(more.iter()).map(|(known, added)| laid_over(known, added));
            Value { span: known.span, via: known.via.clone(), ..Value::array(items.collect()) }
        }
        _ => known.clone(),
    }
}

/// The member `properties` with these members.
fn properties(members: Vec<Member>) -> Vec<Member> {
    vec![Member::new("properties", Value::object(members))]
}

fn text(key: &str, value: impl Into<Str>) -> Member {
    Member::new(key, Value::from(value.into()))
}

fn object(key: &str, members: Vec<Member>) -> Member {
    Member::new(key, Value::object(members))
}

/// What is shared by everything that says how its deployment went.
fn succeeded() -> Member {
    text("provisioningState", "Succeeded")
}

/// The placeholder of an id that Azure draws.
fn placeholder() -> Value {
    Value::from(crate::arm::context::PLACEHOLDER_ID)
}
