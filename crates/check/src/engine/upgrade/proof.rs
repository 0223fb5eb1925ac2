//! Proves that edited files deploy the same: their expansions differ in API versions only.

use std::collections::BTreeMap;

use crate::diagnostic::Level;
use crate::engine::deployments::{Deployed, Deployments};
use crate::engine::upgrade::UpgradePlan;
use crate::engine::{Inputs, RunError};
use crate::model::{Document, Resource};
use crate::text::Sources;
use crate::value::{Data, Member, Value};

/// The first difference between the expansions before and after an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disproof {
    /// The name of the template.
    pub template: String,
    pub difference: String,
}

/// Expands all deployments before and after the edits of a plan. Returns the first difference other than in versions.
///
/// # Errors
///
/// Fails if a value is given for a parameter that no template declares.
pub fn prove(
    plan: &UpgradePlan,
    (old, old_sources): (&Inputs<'_>, &Sources),
    (new, new_sources): (&Inputs<'_>, &Sources),
) -> Result<Option<Disproof>, RunError> {
    let (old, new) = (Deployments::open(old, old_sources)?, Deployments::open(new, new_sources)?);
    let (before, after) = (old.list(), new.list());
    let mut versions: Vec<&str> = plan.moved.iter().flat_map(|(from, to)| [from.as_str(), to.as_str()]).collect();
    versions.sort_unstable_by_key(|version| std::cmp::Reverse((version.len(), *version)));
    versions.dedup();
    let comparison = Comparison { versions };
    if before.len() != after.len() {
        return Ok(Some(Disproof {
            template: String::new(),
            difference: format!("there are {} deployments instead of {}", after.len(), before.len()),
        }));
    }
    for (was, is) in before.iter().zip(&after) {
        let template = is.template.to_string_lossy().into_owned();
        if (&was.template, &was.parameters) != (&is.template, &is.parameters) {
            return Ok(Some(Disproof { template, difference: "it is another deployment".to_owned() }));
        }
        let (expanded, again) = rayon::join(|| old.expand(was), || new.expand(is));
        if let Some(difference) = comparison.deployed(&expanded, &again) {
            return Ok(Some(Disproof { template, difference }));
        }
    }
    Ok(None)
}

/// Compares expansions, in which some versions moved.
struct Comparison<'a> {
    /// All old and new versions. The name of a preview comes before the date that it begins with.
    versions: Vec<&'a str>,
}

impl Comparison<'_> {
    fn deployed(&self, before: &Deployed, after: &Deployed) -> Option<String> {
        match (&before.document, &after.document) {
            (None, None) => {}
            (Some(before), Some(after)) => {
                if let Some(difference) = self.documents(before, after) {
                    return Some(difference);
                }
            }
            _ => return Some("it can no longer be expanded".to_owned()),
        }
        let errors = |deployed: &Deployed| {
            let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
            for problem in deployed.diagnostics().iter().filter(|problem| problem.level == Level::Error) {
                *counts.entry((problem.code.as_str(), self.without_versions(&problem.message))).or_default() += 1;
            }
            counts
        };
        let known = errors(before);
        let new = errors(after).into_iter().find(|(error, count)| known.get(error).is_none_or(|known| known < count));
        new.map(|((code, message), _)| format!("{code}: {message}"))
    }

    fn documents(&self, before: &Document, after: &Document) -> Option<String> {
        let (was, is) = (before.resources.len(), after.resources.len());
        if was != is {
            return Some(format!("it has {is} resources instead of {was}"));
        }
        let pairs = before.resources.iter().zip(&after.resources);
        let existing = before.existing.iter().zip(&after.existing);
        if let Some(difference) = pairs.chain(existing).find_map(|(a, b)| self.resources(a, b)) {
            return Some(difference);
        }
        let outputs = before.deployments.iter().zip(&after.deployments);
        let mut outputs = outputs.map(|(before, after)| (&before.outputs, &after.outputs));
        outputs.find_map(|(before, after)| self.values(before, after, "outputs".to_owned()))
    }

    fn resources(&self, before: &Resource, after: &Resource) -> Option<String> {
        let is_same = before.id == after.id
            && before.type_name.eq_ignore_ascii_case(&after.type_name)
            && before.scope == after.scope
            && before.presence.doubt().is_some() == after.presence.doubt().is_some()
            && before.depends_on == after.depends_on;
        if !is_same {
            return Some(format!("`{}` becomes `{}`", before.id, after.id));
        }
        self.values(&before.body, &after.body, before.path.clone())
    }

    /// Returns the path of the first difference, if there is any.
    fn values(&self, before: &Value, after: &Value, path: String) -> Option<String> {
        match (&before.data, &after.data) {
            (Data::String(before), Data::String(after)) if self.is_same_text(before, after) => None,
            (Data::Array(before), Data::Array(after)) if before.len() == after.len() => {
                let pairs = before.iter().zip(after.iter()).enumerate();
                pairs.into_iter().find_map(|(at, (a, b))| self.values(a, b, format!("{path}[{at}]")))
            }
            (Data::Object(before), Data::Object(after)) if before.len() == after.len() => {
                before.iter().zip(after.iter()).find_map(|(a, b)| self.members(a, b, &path))
            }
            (Data::Unknown(before), Data::Unknown(after)) if before.kind == after.kind => {
                self.values(&before.approximation, &after.approximation, path)
            }
            (Data::String(_) | Data::Array(_) | Data::Object(_) | Data::Unknown(_), _) => Some(path),
            _ if before.same(after) => None,
            _ => Some(path),
        }
    }

    fn members(&self, before: &Member, after: &Member, path: &str) -> Option<String> {
        let path = format!("{path}.{}", before.key);
        if before.key != after.key {
            return Some(path);
        }
        // The hash of a compiled template contains its versions.
        if &*before.key == "templateHash" {
            return None;
        }
        self.values(&before.value, &after.value, path)
    }

    fn is_same_text(&self, before: &str, after: &str) -> bool {
        before == after || self.without_versions(before) == self.without_versions(after)
    }

    /// Returns a text with a placeholder for each old or new version.
    fn without_versions(&self, text: &str) -> String {
        let versions = self.versions.iter().filter(|version| text.contains(**version));
        versions.fold(text.to_owned(), |text, version| text.replace(version, "(version)"))
    }
}
