//! Resources and loops that a template declares, under every name that `dependsOn` and `reference()` may use for them.

use foldhash::HashSet;

use crate::expand::registry::Instance;

/// The names of the resources and loops of one template, in lower case.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// Full names, their last segments, and IDs without their scope.
    names: HashSet<String>,
    /// The types of resources that may have further names: an unknown name, or an unknown number of iterations.
    open_types: HashSet<String>,
    /// Number of instances whose names have been added. Names are only needed where one is not found.
    pub(super) instances: usize,
}

impl Declared {
    /// Adds a resource, whether or not it is deployed.
    pub(super) fn add(&mut self, instance: &Instance) {
        self.instances += 1;
        let type_name = instance.type_name.to_ascii_lowercase();
        if instance.name.as_unknown().is_some() || type_name.is_empty() {
            self.open_types.insert(type_name);
            return;
        }
        let name = instance.name_text.to_ascii_lowercase();
        let id = instance.id.to_ascii_lowercase();
        // Resource Manager also finds a child by the last segment of its name.
        if let Some((_, last)) = name.rsplit_once('/') {
            self.names.insert(last.to_owned());
        }
        self.names.insert(relative(&id).to_owned());
        self.names.insert(format!("{type_name}/{name}"));
        self.names.insert(name);
    }

    /// Adds a symbolic name or the name of a loop.
    pub(super) fn add_name(&mut self, name: &str) {
        self.names.insert(name.to_ascii_lowercase());
    }

    /// Records that there may be more resources of this type than are known.
    pub(super) fn add_open_type(&mut self, type_name: &str) {
        self.open_types.insert(type_name.to_ascii_lowercase());
    }

    /// Returns `true` if no resource of the template can have the name or ID `text`. The scope of an ID does not count,
    /// because a template may be deployed to another scope than the one that its expressions see.
    pub(super) fn excludes(&self, text: &str) -> bool {
        let text = text.to_ascii_lowercase();
        let own = relative(&text);
        if self.names.contains(&text) || self.names.contains(own) || has_gap(&text) {
            return false;
        }
        let element = text.strip_suffix(']').and_then(|text| text.rsplit_once('['));
        if element.is_some_and(|(symbol, _)| self.names.contains(symbol)) || self.open_types.contains("") {
            return false;
        }
        // A name without a type may be that of any resource.
        let is_typed = own.split('/').next().is_some_and(|provider| provider.contains('.')) && own.contains('/');
        if is_typed { !self.may_have(own) } else { self.open_types.is_empty() }
    }

    /// Returns `true` if a resource with an open type may have the relative ID `own`, with types and names in either
    /// order.
    fn may_have(&self, own: &str) -> bool {
        if self.open_types.is_empty() {
            return false;
        }
        let segments: Vec<&str> = own.split('/').collect();
        let types = segments.iter().enumerate().filter(|(at, _)| *at == 0 || at % 2 == 1);
        let interleaved = types.map(|(_, segment)| *segment).collect::<Vec<_>>().join("/");
        let starts = own.match_indices('/').filter_map(|(at, _)| own.get(..at));
        starts.chain([interleaved.as_str()]).any(|type_name| self.open_types.contains(type_name))
    }
}

/// Returns `true` if a segment of the name or ID `text` is empty. An empty segment comes from an empty value, such as
/// the default of a parameter that every deployment sets.
fn has_gap(text: &str) -> bool {
    text.trim_start_matches('/').split('/').any(str::is_empty)
}

/// Returns the ID from its last provider on, `A.B/c/n`, which is the same in every scope.
pub(super) fn relative(id: &str) -> &str {
    id.rsplit_once("/providers/").map_or(id, |(_, own)| own)
}
