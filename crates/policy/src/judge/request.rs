//! Requests that create or change resources.

use formwork_arm::is_assumed;

use crate::value::{Kind, Str, Traits, Unknown, Value};

/// A request of a deployment to the provider of a resource.
#[derive(Clone, Debug)]
pub struct Request {
    /// Resource ID. Undeclared segments, such as the subscription, have placeholders; unknown segments have
    /// approximations.
    pub id: Str,
    /// Segments of the ID that are approximations.
    pub approximate: Vec<Str>,
    /// Fully qualified type.
    pub type_name: Str,
    /// Full name, `server/database`; an unknown value if it is not known.
    pub name: Value,
    /// API version in the template; an unknown value if it is not known.
    pub api_version: Value,
    /// Resource as the author wrote it, evaluated: `location`, `tags`, `kind`, `sku`, `identity`, `properties` and so
    /// on. Members that expansion adds are not included.
    pub body: Value,
    /// True if a part of the ID is secret.
    pub is_secret: bool,
    /// Reason for which it is not certain that the resource is deployed. `None` if it is. The resource itself is judged
    /// as if it were deployed; for other resources, its existence is unknown.
    pub doubt: Option<Str>,
}

impl Default for Request {
    /// Returns a request with an empty type and name.
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

/// Type of resource groups in policies.
pub(super) const GROUP: &str = "Microsoft.Resources/subscriptions/resourceGroups";

/// Types of resource groups in templates.
const GROUPS: [&str; 2] = ["Microsoft.Resources/resourceGroups", GROUP];

impl Request {
    /// Returns the type as policies see it.
    pub fn judged_type(&self) -> &str {
        if self.is_group() { GROUP } else { &self.type_name }
    }

    /// True if it creates a resource group.
    pub fn is_group(&self) -> bool {
        GROUPS.iter().any(|group| group.eq_ignore_ascii_case(&self.type_name))
    }

    /// Returns the ID, which is unknown if a part of it is a placeholder.
    pub(super) fn id_value(&self) -> Value {
        if self.id.split('/').skip(1).any(|segment| self.is_open(segment)) {
            return Value::unknown(Unknown::new(Kind::String, "nothing says where the resource is deployed to"));
        }
        self.part_of_id(&self.id)
    }

    /// Returns `true` if a segment of the ID, or of the ID of a resource above it, is an approximation.
    pub(super) fn has_approximate(&self, id: &str) -> bool {
        if self.approximate.is_empty() {
            // Only empty segments are approximations then.
            return id.contains("//") || id.ends_with('/');
        }
        id.split('/').skip(1).any(|segment| self.is_approximate(segment))
    }

    /// True if a segment of the ID is not certain. A segment with a placeholder inside, such as a name with
    /// `uniqueString()`, is not certain either.
    pub(super) fn is_open(&self, segment: &str) -> bool {
        let depends = || {
            let name = self.name.as_str().filter(|_| self.name.traits.has(Traits::PLACEHOLDER));
            name.is_some_and(|name| name.split('/').any(|part| part.eq_ignore_ascii_case(segment)))
        };
        is_assumed(segment) || self.is_approximate(segment) || depends()
    }

    /// True if a segment of the ID is an approximation, so that the same segment in another ID may have another value.
    pub(super) fn is_approximate(&self, segment: &str) -> bool {
        segment.is_empty() || self.approximate.iter().any(|known| known.eq_ignore_ascii_case(segment))
    }

    /// Returns a part of the ID as a value, which is secret if the ID is.
    pub(super) fn part_of_id(&self, part: &str) -> Value {
        let value = Value::from(part);
        if self.is_secret { value.into_secret() } else { value }
    }

    /// Returns the subscription in the ID.
    pub(super) fn subscription(&self) -> Option<&str> {
        segment_after(&self.id, "subscriptions")
    }

    /// Returns the name of the resource group in the ID.
    pub(super) fn group_name(&self) -> Option<&str> {
        segment_after(&self.id, "resourceGroups").filter(|_| self.subscription().is_some())
    }

    /// Returns the ID and the name of the resource group in the ID.
    pub(super) fn resource_group(&self) -> Option<(String, String)> {
        let name = self.group_name()?;
        Some((format!("/subscriptions/{}/resourceGroups/{name}", self.subscription()?), name.to_owned()))
    }
}

/// Returns the segment after another one in an ID.
fn segment_after<'a>(id: &'a str, name: &str) -> Option<&'a str> {
    let mut segments = id.split('/');
    segments.find(|segment| segment.eq_ignore_ascii_case(name))?;
    segments.next().filter(|segment| !segment.is_empty())
}

/// Returns the ID of what a resource extends, or of the scope that it is deployed to.
pub(super) fn extended(id: &str) -> &str {
    const PROVIDERS: &str = "/providers/";
    let is_start =
        |at: usize| id.get(at..at + PROVIDERS.len()).is_some_and(|part| part.eq_ignore_ascii_case(PROVIDERS));
    let at = id.rmatch_indices('/').map(|(at, _)| at).find(|at| is_start(*at));
    id.get(..at.unwrap_or_default()).unwrap_or_default()
}
