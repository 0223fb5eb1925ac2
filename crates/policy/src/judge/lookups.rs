//! Cache of types and aliases for all deployments of a run.

use std::sync::{Arc, RwLock};

use foldhash::HashMap;

use crate::aliases::{self, Alias};
use crate::judge::modes::TypeTraits;
use crate::path::Path;
use crate::value::Str;

/// Path of an alias on resources of a type; `None` if it is one of another type. An error is the reason for which it is
/// unknown.
pub(super) type Resolved = Result<Option<Arc<Path>>, Str>;

/// Aliases that are cached. A policy can compute any number of them.
const MAX_ALIASES: usize = 20_000;

/// Cache: types and aliases.
#[derive(Debug, Default)]
pub(super) struct Lookups {
    types: RwLock<HashMap<String, OfType>>,
}

#[derive(Debug, Default)]
struct OfType {
    /// Properties that matter for the mode `Indexed`, by version.
    traits: HashMap<Option<String>, TypeTraits>,
    /// Paths, by the text of the alias.
    aliases: HashMap<String, Resolved>,
}

impl Lookups {
    /// Returns the path of an alias on resources of a type.
    pub(super) fn path_of(&self, resource_type: &str, alias: &str) -> Resolved {
        let known = |types: &HashMap<String, OfType>| types.get(resource_type)?.aliases.get(alias).cloned();
        if let Some(resolved) = self.types.read().ok().and_then(|types| known(&types)) {
            return resolved;
        }
        let resolved = match aliases::resolve(resource_type, alias) {
            Alias::Path(path) => Ok(Some(Arc::new(path))),
            Alias::OfOtherType => Ok(None),
            Alias::Unknown(why) => Err(why),
        };
        self.keep(resource_type, |of_type| {
            if of_type.aliases.len() < MAX_ALIASES {
                of_type.aliases.insert(alias.to_owned(), resolved.clone());
            }
        });
        resolved
    }

    /// Returns the properties of a type that matter for the mode `Indexed`, in a version if it is known.
    pub(super) fn traits_of(&self, resource_type: &str, version: Option<&str>) -> TypeTraits {
        let version = version.map(str::to_ascii_lowercase);
        let known = |types: &HashMap<String, OfType>| types.get(resource_type)?.traits.get(&version).copied();
        self.types.read().ok().and_then(|types| known(&types)).unwrap_or_else(|| {
            let traits = TypeTraits::new(resource_type, version.as_deref());
            self.keep(resource_type, |of_type| {
                of_type.traits.insert(version, traits);
            });
            traits
        })
    }

    fn keep(&self, resource_type: &str, set: impl FnOnce(&mut OfType)) {
        if let Ok(mut types) = self.types.write() {
            set(types.entry(resource_type.to_owned()).or_default());
        }
    }
}
