//! The request that creates or changes a resource.

use formwork_arm::is_assumed;

use crate::value::{Kind, Str, Traits, Unknown, Value};

/// What a deployment sends to the provider of a resource.
#[derive(Clone, Debug)]
pub struct Request {
    /// The resource ID. What nothing declares, such as its subscription, has a placeholder in it, and what is not known an
    /// approximation.
    pub id: Str,
    /// The segments of the ID that are approximations.
    pub approximate: Vec<Str>,
    /// The fully qualified type.
    pub type_name: Str,
    /// The full name, `server/database`; an unknown value if it is not known.
    pub name: Value,
    /// The version of the interface that the template uses; an unknown value if it is not known.
    pub api_version: Value,
    /// The resource as the author wrote it, evaluated: `location`, `tags`, `kind`, `sku`, `identity`, `properties` and so
    /// on. What expansion adds is not in it.
    pub body: Value,
    /// Whether a part of the ID is secret.
    pub is_secret: bool,
    /// Why it is not certain that the resource is deployed. `None` if it is. The resource itself is judged as if it were;
    /// whether it is there for another one is not known.
    pub doubt: Option<Str>,
}

impl Default for Request {
    /// A request for nothing, whose type and name are empty.
    fn default() -> Self {
        Self {
            id: Str::from(""),
            approximate: Vec::new(),
            type_name: Str::from(""),
            name: Value::NULL,
            api_version: Value::NULL,
            body: Value::NULL,
            is_secret: false,
            doubt: None,
        }
    }
}

/// The type of resource groups in policies.
pub(super) const GROUP: &str = "Microsoft.Resources/subscriptions/resourceGroups";

/// The types of resource groups in templates.
const GROUPS: [&str; 2] = ["Microsoft.Resources/resourceGroups", GROUP];

impl Request {
    /// The type as policies see it.
    pub fn judged_type(&self) -> &str {
        if self.is_group() { GROUP } else { &self.type_name }
    }

    /// Whether it creates a resource group.
    pub fn is_group(&self) -> bool {
        GROUPS.iter().any(|group| group.eq_ignore_ascii_case(&self.type_name))
    }

    /// The ID, unknown if a part of it stands for what nothing declares.
    pub(super) fn id_value(&self) -> Value {
        if self.id.split('/').skip(1).any(|segment| self.is_open(segment)) {
            return Value::unknown(Unknown::new(Kind::String, "nothing says where the resource is deployed to"));
        }
        self.part_of_id(&self.id)
    }

    /// Whether a segment of the ID is not certain. One that depends on a placeholder, such as a name with `uniqueString()`, is
    /// not.
    pub(super) fn is_open(&self, segment: &str) -> bool {
        let depends = || {
            let name = self.name.as_str().filter(|_| self.name.traits.has(Traits::PLACEHOLDER));
            name.is_some_and(|name| name.split('/').any(|part| part.eq_ignore_ascii_case(segment)))
        };
        is_assumed(segment) || self.is_approximate(segment) || depends()
    }

    /// Whether a segment of the ID is an approximation, so that the same segment of another ID may stand for something else.
    pub(super) fn is_approximate(&self, segment: &str) -> bool {
        segment.is_empty() || self.approximate.iter().any(|known| known.eq_ignore_ascii_case(segment))
    }

    /// A part of the ID as a value, which is secret if the ID is.
    pub(super) fn part_of_id(&self, part: &str) -> Value {
        let value = Value::from(part);
        if self.is_secret { value.into_secret() } else { value }
    }

    /// The subscription in the ID.
    pub(super) fn subscription(&self) -> Option<&str> {
        segment_after(&self.id, "subscriptions")
    }

    /// The name of the resource group in the ID.
    pub(super) fn group_name(&self) -> Option<&str> {
        segment_after(&self.id, "resourceGroups").filter(|_| self.subscription().is_some())
    }

    /// The ID and the name of the resource group in the ID.
    pub(super) fn resource_group(&self) -> Option<(String, String)> {
        let name = self.group_name()?;
        Some((format!("/subscriptions/{}/resourceGroups/{name}", self.subscription()?), name.to_owned()))
    }
}

/// The segment after another in an ID.
fn segment_after<'a>(id: &'a str, name: &str) -> Option<&'a str> {
    let mut segments = id.split('/');
    segments.find(|segment| segment.eq_ignore_ascii_case(name))?;
    segments.next().filter(|segment| !segment.is_empty())
}
