//! What a check found, ready to be shown. It is made on the thread that checks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use formwork_report::model::{ResourceTree, Rule};

use crate::checks::{Checked, Shown};
use crate::items::{self, Item};
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

/// What a check knows besides its findings.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// What the deployments would create.
    pub(crate) trees: Vec<ResourceTree>,
    /// The rules with findings.
    pub(crate) rules: Vec<Arc<Rule>>,
    /// What the deployments make of what is written in the open files.
    pub(crate) values: Vec<Shown>,
    /// The file of the baseline that the settings name.
    pub(crate) baseline: Option<PathBuf>,
}

impl Results {
    /// Makes the results of a check. `known` has the texts of the last one of the folder, and then those of this one: where
    /// lines begin is looked for once in a text.
    pub(crate) fn of(mut checked: Checked, lists_undecided: bool, known: &mut BTreeMap<PathBuf, Text>) -> Self {
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
        let items = items::of_check(&checked, lists_undecided, &text).into_iter().map(Arc::new).collect();
        let has_errors = items::has_errors(&checked.report);
        let Checked { report, analysed, is_usable, values, baseline, .. } = checked;
        let baseline = baseline.map(|baseline| baseline.path);
        Self {
            items,
            names: paths.into_iter().map(|(name, path)| (path, name)).collect(),
            texts,
            analysed,
            has_errors,
            is_usable,
            facts: Facts { trees: report.trees, rules: report.rules, values, baseline },
        }
    }
}
