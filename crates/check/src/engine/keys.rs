//! Findings that advise against the keys of a resource, in a deployment that needs them.
//!
//! A rule such as `Storage.NoSharedKey` says that a resource should not accept its keys. Where the same deployment reads
//! these keys, mounts a file share of an account, or sends boot diagnostics to it, following this advice would break it.

use foldhash::HashSet;

use crate::diagnostic::{Outcome, RuleInfo};
use crate::engine::findings::Draft;
use crate::model::{Document, Resource};
use crate::value::{Data, Traits, Value};

/// Ends of the names of embedded rules against the keys of a resource.
const RULES: [&str; 5] = [".NoAccessKeys", ".NoAdminUser", ".NoDomainLocalAuth", ".NoLocalAuth", ".NoSharedKey"];

/// Type of storage accounts, in lower case.
const ACCOUNTS: &str = "microsoft.storage/storageaccounts";

/// Type of file shares, in lower case. Clients mount them with the key of the account.
const SHARES: &str = "microsoft.storage/storageaccounts/fileservices/shares";

/// Members that name a storage account beside its key, in lower case.
const NAMES: [&str; 2] = ["accountname", "storageaccountname"];

/// Member with the URI of the account that boot diagnostics are sent to, in lower case.
const BOOT_DIAGNOSTICS: &str = "storageuri";

/// Removes findings whose advice would break the deployment.
pub(super) fn leave_out_needed(drafts: &mut [Vec<Draft>], document: &Document) {
    let is_about_keys = |draft: &Draft| draft.outcome != Outcome::Passed && is_against_keys(&draft.rule);
    if !drafts.iter().flatten().any(is_about_keys) {
        return;
    }
    let uses = KeyUses::from_document(document);
    for part in drafts {
        part.retain(|draft| {
            let resource = draft.resource.as_ref().filter(|_| is_about_keys(draft));
            resource.is_none_or(|resource| !uses.has(&resource.id, &resource.type_name, &resource.name))
        });
    }
}

fn is_against_keys(rule: &RuleInfo) -> bool {
    rule.definition.is_none() && RULES.iter().any(|end| rule.name.ends_with(end))
}

/// Resources whose keys a deployment needs, in lower case.
#[derive(Debug, Default)]
struct KeyUses {
    /// IDs of resources whose keys it reads, and of the resources around those.
    ids: HashSet<String>,
    /// Names of storage accounts that something mounts or writes to.
    accounts: HashSet<String>,
}

impl KeyUses {
    fn from_document(document: &Document) -> Self {
        let mut uses = Self::default();
        for resource in &document.resources {
            uses.add(&resource.body);
            uses.add_share(resource);
        }
        for deployment in &document.deployments {
            uses.add(&deployment.outputs);
            uses.add(&deployment.parameters);
        }
        // A template with symbolic names refers by these to its resources, and to those that exist.
        for resource in document.resources.iter().chain(&document.existing) {
            let name = resource.symbolic_name.as_ref().map(|name| name.to_lowercase());
            if name.is_some_and(|name| uses.ids.contains(&name)) {
                uses.add_owner(&resource.id);
            }
        }
        uses
    }

    fn add_share(&mut self, resource: &Resource) {
        if resource.type_name.eq_ignore_ascii_case(SHARES) {
            self.accounts.extend(resource.name.split('/').next().map(str::to_lowercase));
        }
    }

    fn add(&mut self, value: &Value) {
        let source =
            value.via.as_ref().and_then(|via| via.secret.as_ref()).filter(|_| value.traits.has(Traits::SECRET));
        if let Some(source) = source.filter(|source| !source.owner.is_empty()) {
            self.add_owner(&source.owner);
        }
        match &value.data {
            Data::Array(items) => items.iter().for_each(|item| self.add(item)),
            Data::Object(object) => {
                for member in object.iter() {
                    let key = member.key.to_lowercase();
                    if let Some(text) = member.value.as_str().or_else(|| likely(&member.value)) {
                        if NAMES.contains(&key.as_str()) {
                            self.accounts.insert(text.to_lowercase());
                        } else if key == BOOT_DIAGNOSTICS {
                            self.accounts.extend(account_of(text));
                        }
                    }
                    self.add(&member.value);
                }
            }
            Data::Unknown(unknown) => self.add(&unknown.approximation),
            _ => {}
        }
    }

    /// Adds the owner of a key, and the resources around it: a rule of a namespace has the keys of the namespace.
    fn add_owner(&mut self, owner: &str) {
        let mut id = owner.to_lowercase();
        while self.ids.insert(id.clone()) {
            let Some((around, _)) = id.rsplit_once('/').and_then(|(rest, _)| rest.rsplit_once('/')) else { return };
            id = around.to_owned();
        }
    }

    fn has(&self, id: &str, type_name: &str, name: &str) -> bool {
        let is_account = type_name.eq_ignore_ascii_case(ACCOUNTS);
        self.ids.contains(&id.to_lowercase()) || is_account && self.accounts.contains(&name.to_lowercase())
    }
}

/// Returns the approximation of an unknown string.
fn likely(value: &Value) -> Option<&str> {
    value.as_unknown()?.approximation.as_str()
}

/// Returns the name of the account in the URI of one of its services.
fn account_of(uri: &str) -> Option<String> {
    let (_, host) = uri.split_once("://")?;
    host.split('.').next().filter(|name| !name.is_empty()).map(str::to_lowercase)
}
