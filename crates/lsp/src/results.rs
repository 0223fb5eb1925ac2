//! Results of a check for display. They are prepared on the thread that checks.

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

/// Result of a check, with byte ranges in the texts that it read.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) items: Vec<Arc<Item>>,
    /// Texts that it read.
    pub(crate) texts: BTreeMap<PathBuf, Text>,
    /// Names of their files in reports.
    pub(crate) names: BTreeMap<PathBuf, Arc<str>>,
    /// Names of the templates that were read and expanded.
    pub(crate) analysed: BTreeSet<Arc<str>>,
    /// True if an error left something unchecked.
    pub(crate) has_errors: bool,
    /// True if the settings, the rules, and the baseline could be used.
    pub(crate) is_usable: bool,
    pub(crate) facts: Facts,
}

/// A resource that a deployment would create.
#[derive(Debug)]
pub(crate) struct Resource {
    /// Name of the deployed template.
    pub(crate) template: Arc<str>,
    /// Full name, `parent/child` for a child.
    pub(crate) name: String,
    pub(crate) type_name: String,
    /// Byte range of the declaration in the current text of its file.
    pub(crate) range: Range<usize>,
}

impl Resource {
    /// Follows an edit of its file, also of its own text. Returns `true` if its start still exists.
    pub(crate) fn follow(&mut self, edit: &Edit) -> bool {
        let Some(start) = moved_offset(edit, self.range.start) else { return false };
        let end = moved_offset(edit, self.range.end);
        self.range = start..end.map_or(start, |end| end.max(start));
        true
    }
}

/// Facts of a check besides its findings.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Resource trees of the deployments.
    pub(crate) trees: Vec<ResourceTree>,
    /// Named resources of one deployment of each template, by the files that declare them.
    pub(crate) resources: BTreeMap<PathBuf, Vec<Resource>>,
    /// Rules with findings.
    pub(crate) rules: Vec<Arc<Rule>>,
    /// Values of expressions in the open files.
    pub(crate) values: Vec<Shown>,
    /// Baseline that the settings name.
    pub(crate) baseline: Option<Baseline>,
}

impl Results {
    /// Converts the result of a check. `known` has the texts of the last check of the folder, and is updated to those
    /// of this one, so that line starts are computed once for each text.
    pub(crate) fn from_checked(mut checked: Checked, options: &Options, known: &mut BTreeMap<PathBuf, Text>) -> Self {
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
        let items = items::from_check(&checked, options.undecided, &text).into_iter().map(Arc::new).collect();
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

/// Returns the resources of each template in the chosen environment, or else of its first deployment, by the files
/// that declare them.
fn resources(
    trees: &[ResourceTree],
    options: &Options,
    site: &dyn Fn(&Place) -> Option<Site>,
) -> BTreeMap<PathBuf, Vec<Resource>> {
    let mut resources: BTreeMap<PathBuf, Vec<Resource>> = BTreeMap::new();
    let chosen = trees.iter().filter(|tree| options.has_chosen(&tree.template, tree.parameters.as_deref()));
    let mut seen = BTreeSet::new();
    for tree in chosen.chain(trees).filter(|tree| seen.insert(&tree.template)) {
        for node in tree.nodes.iter().filter(|node| !node.name.is_empty()) {
            let Some(Site { file, range }) = site(&node.place) else { continue };
            let (template, name, type_name) = (tree.template.clone(), node.name.clone(), node.type_name.clone());
            resources.entry(file).or_default().push(Resource { template, name, type_name, range });
        }
    }
    resources
}

/// Returns an offset after an edit, or `None` if the edit removed its position.
fn moved_offset(edit: &Edit, at: usize) -> Option<usize> {
    edit.moved(&(at..at)).map(|range| range.start)
}
