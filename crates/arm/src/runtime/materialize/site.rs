//! The configuration of a web site, which is both its property `siteConfig` and its child `config/web`.

use crate::model::{Document, Resource};
use crate::runtime::lay::{Arrays, changed, over};
use crate::runtime::materialize::{Settled, children, own_name};
use crate::value::{Member, Value};

/// An API version whose `config/web` has the same members as `siteConfig`.
const API_VERSION: &str = "2022-09-01";

/// Returns `true` if resources of this type have a `siteConfig`.
pub(super) fn is_site(type_name: &str) -> bool {
    ["Microsoft.Web/sites", "Microsoft.Web/sites/slots"].iter().any(|name| name.eq_ignore_ascii_case(type_name))
}

/// Merges both forms of the configuration into the site and its child. A site has a `config/web` even if no template
/// declares it; then the child is implied.
pub(super) fn settled(document: &Document, site: &Resource) -> Option<Settled> {
    let is_web = |child: &Resource, kind: &str| {
        kind.eq_ignore_ascii_case("config") && own_name(child).eq_ignore_ascii_case("web")
    };
    let configs: Vec<_> = children(document, site).filter(|(_, child, kind)| is_web(child, kind)).collect();
    let base = site.state.get("properties").and_then(|properties| properties.get("siteConfig"));
    let base = base.filter(|config| !config.is_null()).cloned();
    let has_config = base.is_some();
    let base = base.unwrap_or_else(|| Value::object(Vec::new()));
    let properties = configs.iter().filter_map(|(_, child, _)| child.state.get("properties"));
    let config = properties.fold(base, |known, later| over(&known, later, Arrays::Replaced));
    let state = if has_config && configs.is_empty() {
        // Nothing changes, so nothing is copied.
        site.state.clone()
    } else {
        changed(&site.state, &["properties", "siteConfig"], &|_| Some(config.clone()))?
    };
    let web = web_config(site, config);
    let children = configs.iter().map(|(id, ..)| (*id, web.clone())).collect();
    let implied = configs.is_empty().then(|| with_id_and_scope(document, site, &web));
    Some(Settled { state, children, implied })
}

fn web_config(site: &Resource, config: Value) -> Value {
    Value::object(vec![
        Member::new("type", Value::from(format!("{}/config", site.type_name))),
        Member::new("apiVersion", Value::from(API_VERSION)),
        Member::new("name", Value::from("web")),
        Member::new("properties", config),
    ])
}

fn with_id_and_scope(document: &Document, site: &Resource, web: &Value) -> Value {
    let id = Member::new("id", document.hidden.named(&format!("{}/config/web", site.id)));
    let scope = Member::new("scope", document.hidden.named(&site.id));
    let own = web.as_object().into_iter().flatten().cloned();
    Value::object([id].into_iter().chain(own).chain([scope]).collect())
}
