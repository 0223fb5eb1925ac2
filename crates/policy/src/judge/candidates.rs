//! The requests of one type, by what makes them the related resource of another: their IDs and their names.

use foldhash::HashMap;
use formwork_arm::DeploymentScope;

use crate::ids::last_segment;
use crate::judge::request::{Request, extended};

/// Indexes of requests in order, by texts in lower case.
type ByText = HashMap<String, Vec<usize>>;

/// The requests for resources of one type.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    all: Vec<usize>,
    /// By the beginnings of their IDs that end before a slash, and by their whole IDs.
    by_start: ByText,
    /// Requests that extend another resource, by its ID.
    by_extended: ByText,
    /// Requests in a scope, or that extend an unknown resource, by the last segments of their names.
    by_name: ByText,
    /// Requests like those in `by_name` whose names are unknown.
    without_name: Vec<usize>,
}

impl Candidates {
    /// Indexes requests, which are in order.
    pub(super) fn new<'a>(requests: impl Iterator<Item = (usize, &'a Request)>) -> Self {
        let mut index = Self::default();
        for (at, request) in requests {
            index.all.push(at);
            let id = request.id.to_ascii_lowercase();
            for (end, _) in id.match_indices('/') {
                index.by_start.entry(id.get(..end).unwrap_or_default().to_owned()).or_default().push(at);
            }
            index.by_start.entry(id).or_default().push(at);
            let extended = extended(&request.id);
            index.by_extended.entry(extended.to_ascii_lowercase()).or_default().push(at);
            if DeploymentScope::of_id(extended).is_none() && !request.has_approximate(extended) {
                continue;
            }
            match request.name.as_str() {
                Some(name) => {
                    let name = last_segment(name).to_ascii_lowercase();
                    index.by_name.entry(name).or_default().push(at);
                }
                None => index.without_name.push(at),
            }
        }
        index
    }

    /// Returns all requests.
    pub(super) fn all(&self) -> Vec<usize> {
        self.all.clone()
    }

    /// Returns the requests with this ID or below it.
    pub(super) fn at_or_below(&self, id: &str) -> Vec<usize> {
        self.by_start.get(&id.to_ascii_lowercase()).cloned().unwrap_or_default()
    }

    /// Returns the requests that extend the resource with this ID, those in a scope, and those that extend an unknown
    /// resource. The latter two have this `name`, if one is given, or an unknown one.
    pub(super) fn beside(&self, id: &str, name: Option<&str>) -> Vec<usize> {
        let extensions = self.by_extended.get(&id.to_ascii_lowercase());
        let named: Vec<&Vec<usize>> = match name {
            Some(name) => self.by_name.get(&last_segment(name).to_ascii_lowercase()).into_iter().collect(),
            None => self.by_name.values().collect(),
        };
        let all = extensions.into_iter().chain(named).chain([&self.without_name]);
        let mut all: Vec<usize> = all.flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
