//! Modes: the resources that a definition is about.

use formwork_schema::{PathPart, Published, published, takes};

use crate::documents::Mode;
use crate::judge::lookups::Lookups;
use crate::judge::request::Request;
use crate::judge::truth::Truth;
use crate::value::Value;

/// Types that no policy is evaluated on, including everything below them: from the known issues in the README of
/// Azure/azure-policy.
const NEVER: &[&str] = &[
    "Microsoft.Billing",
    "Microsoft.Capacity/reservationOrders",
    "Microsoft.Help",
    "Microsoft.Diagnostics",
    "Microsoft.Web/sites/deployments",
    "Microsoft.Web/sites/functions",
    "Microsoft.Web/sites/instances/deployments",
    "Microsoft.Web/sites/siteextensions",
    "Microsoft.Web/sites/sourcecontrols",
    "Microsoft.Web/sites/privateaccess",
    "Microsoft.Web/sites/slots/deployments",
    "Microsoft.Web/sites/slots/functions",
    "Microsoft.Web/sites/slots/instances/deployments",
    "Microsoft.Web/sites/slots/siteextensions",
    "Microsoft.Web/sites/slots/sourcecontrols",
    "Microsoft.ServiceBus/namespaces/topics",
];

/// Types with unusual requests, which may not be denied: from the same list.
const UNUSUAL: &[&str] =
    &["Microsoft.Automation/automationAccounts/certificates", "Microsoft.Security/securityContacts"];

/// True if policies see requests for resources of this type.
pub(super) fn is_judged(request: &Request) -> bool {
    if is_at_or_below(&request.type_name, "Microsoft.Resources") {
        return request.is_group() || request.type_name.eq_ignore_ascii_case("Microsoft.Resources/subscriptions");
    }
    !NEVER.iter().any(|never| is_at_or_below(&request.type_name, never))
}

/// True if requests for resources of this type are unusual.
pub(super) fn is_unusual(request: &Request) -> bool {
    UNUSUAL.iter().any(|unusual| is_at_or_below(&request.type_name, unusual))
}

fn is_at_or_below(type_name: &str, ancestor: &str) -> bool {
    let Some((start, rest)) = type_name.split_at_checked(ancestor.len()) else { return false };
    start.eq_ignore_ascii_case(ancestor) && (rest.is_empty() || rest.starts_with('/'))
}

/// Properties of a type, according to the version of the template. Other versions of some types have others.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeTraits {
    /// True if resources can have tags. `None` if the types do not say.
    has_tags: Option<bool>,
    /// True if resources can have a location.
    has_location: Option<bool>,
}

impl TypeTraits {
    pub(super) fn new(type_name: &str, version: Option<&str>) -> Self {
        let has = |name: &str, value: &Value, kind: Published| {
            let path = [PathPart::Name(name)];
            let is_writable = takes(type_name, version, &path, value);
            let is_known = published(type_name, version, &path) == Some(kind);
            if is_writable { is_known.then_some(true) } else { Some(false) }
        };
        Self {
            has_tags: has("tags", &Value::object(Vec::new()), Published::Object),
            has_location: has("location", &Value::from("westeurope"), Published::String),
        }
    }
}

/// Evaluates whether a definition of this mode is about a request. `indexed` is the result of [`is_indexed`].
pub(super) fn includes(mode: &Mode, indexed: &Truth) -> Truth {
    match mode {
        Mode::All => Truth::from(true),
        Mode::Provider(_) => Truth::from(false),
        Mode::Indexed => indexed.clone(),
    }
}

/// Evaluates whether a type has tags and a location, which the mode `Indexed` requires.
pub(super) fn is_indexed(request: &Request, lookups: &Lookups) -> Truth {
    if is_at_or_below(&request.type_name, "Microsoft.Resources") {
        return Truth::from(false);
    }
    let TypeTraits { has_tags, has_location } = lookups.traits_of(&request.type_name, request.api_version.as_str());
    if has_tags == Some(false) {
        return Truth::from(false);
    }
    let is_child = request.type_name.matches('/').count() > 1;
    let is_written = request.body.get("location").is_some();
    match (has_tags.zip(has_location) == Some((true, true)), is_written) {
        (true, true) => Truth::from(true),
        // The types of the databases of Cosmos DB have both, which Azure does not ask for.
        (true, false) if !is_child => Truth::from(true),
        (false, false) if is_child => Truth::from(false),
        // The types do not say it of every type that has both, and authors write a location where there is one.
        (false, true) if !is_child => Truth::from(true),
        _ => Truth::unknown(format!("whether `{}` has tags and a location is not known", request.type_name)),
    }
}
