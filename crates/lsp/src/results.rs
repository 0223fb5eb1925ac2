//! What a check found, ready to be shown. It is made on the thread that checks.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use formwork_report::model::{Place, ResourceTree, Rule};

use crate::checks::{Baseline, Checked, Shown};
use crate::client::Options;
use crate::documents::Edit;
use crate::items::{self, Item, Site};
use crate::text::Text;

/// The result of a check, with byte ranges in the texts that it has read.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) items: Vec<Arc<Item>>,
    /// The texts that it has read.
    pub(crate) texts: BTreeMap<PathBuf, Text>,
    /// The names of their files in reports.
    pub(crate) names: BTreeMap<PathBuf, Arc<str>>,
    /// The names of the templates that could be read and expanded.
    pub(crate) analysed: BTreeSet<Arc<str>>,
    /// Whether an error keeps something from being checked.
    pub(crate) has_errors: bool,
    /// Whether the settings, the rules, and the baseline could be used.
    pub(crate) is_usable: bool,
    pub(crate) facts: Facts,
}

/// A resource that a deployment would create.
#[derive(Debug)]
pub(crate) struct Resource {
    /// The name of the template that is deployed.
    pub(crate) template: Arc<str>,
    /// The full name, `parent/child` for a child.
    pub(crate) name: String,
    pub(crate) type_name: String,
    /// Where it is declared, in bytes of the current text of its file.
    pub(crate) range: Range<usize>,
}

impl Resource {
    /// Follows an edit of its file, also one of its own text. Returns whether it still begins somewhere.
    pub(crate) fn follow(&mut self, edit: &Edit) -> bool {
        let moved = |at: usize| edit.moved(&(at..at)).map(|range| range.start);
        let Some(start) = moved(self.range.start) else { return false };
        self.range = start..moved(self.range.end).map_or(start, |end| end.max(start));
        true
    }
}

/// What a check knows besides its findings.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// What the deployments would create.
    pub(crate) trees: Vec<ResourceTree>,
    /// The resources with a name of one deployment of each template, by the files that declare them.
    pub(crate) resources: BTreeMap<PathBuf, Vec<Resource>>,
    /// The rules with findings.
    pub(crate) rules: Vec<Arc<Rule>>,
    /// What the deployments make of what is written in the open files.
    pub(crate) values: Vec<Shown>,
    /// The baseline that the settings name.
    pub(crate) baseline: Option<Baseline>,
}

impl Results {
    /// Makes the results of a check. `known` has the texts of the last one of the folder, and then those of this one: where
    /// lines begin is looked for once in a text.
    pub(crate) fn of(mut checked: Checked, options: &Options, known: &mut BTreeMap<PathBuf, Text>) -> Self {
        let (mut texts, mut paths) = (BTreeMap::new(), BTreeMap::new());
        for (name, file) in std::mem::take(&mut checked.texts) {
            let text = known.get(&file.path).filter(|text| *text.text() == file.text).cloned();
            texts.insert(file.path.clone(), text.unwrap_or_else(|| Text::new(file.text)));
            paths.insert(name, file.path);
        }
        known.clone_from(&texts);
        let text = |name: &str| {
            let path = paths.get(name)?;
            Some((path.clone(), texts.get(path)?))
        };
        let items = items::of_check(&checked, options.undecided, &text).into_iter().map(Arc::new).collect();
        let has_errors = items::has_errors(&checked.report);
        let resources = resources(&checked.report.trees, options, &|place| items::site(place, &text));
        let Checked { report, analysed, is_usable, values, baseline, .. } = checked;
        Self {
            items,
            names: paths.into_iter().map(|(name, path)| (path, name)).collect(),
            texts,
            analysed,
            has_errors,
            is_usable,
            facts: Facts { trees: report.trees, resources, rules: report.rules, values, baseline },
        }
    }
}

/// The resources of each template in the environment that is shown, or else of its first deployment, by the files that declare them.
fn resources(
    trees: &[ResourceTree],
    options: &Options,
    site: &dyn Fn(&Place) -> Option<Site>,
) -> BTreeMap<PathBuf, Vec<Resource>> {
    let mut resources: BTreeMap<PathBuf, Vec<Resource>> = BTreeMap::new();
    let is_chosen = |tree: &&ResourceTree| options.has_chosen(&tree.template, tree.parameters.as_deref());
    let mut seen = BTreeSet::new();
    for tree in trees.iter().filter(is_chosen).chain(trees).filter(|tree| seen.insert(&tree.template)) {
        for node in tree.nodes.iter().filter(|node| !node.name.is_empty()) {
            let Some(Site { file, range }) = site(&node.place) else { continue };
            let (template, name, type_name) = (tree.template.clone(), node.name.clone(), node.type_name.clone());
            resources.entry(file).or_default().push(Resource { template, name, type_name, range });
        }
    }
    resources
}
