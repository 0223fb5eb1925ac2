//! Finds the parameter files that a change adds, or makes belong to other templates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use arcstr::ArcStr;

use crate::cfn::TEMPLATE_PATH;
use crate::config::settings_places;
use crate::engine::changes::{CommitTree, Event};
use crate::engine::detect::{self, is_sam_config};
use crate::engine::parse::Reading;
use crate::engine::session::{Error, Policy};
use crate::engine::unreviewed::Unreviewed;
use crate::files::{Disk, Tree};
use crate::model::Limits;
use crate::text::Sources;
use crate::value::Value;

/// The endings of the names of parameter files.
const ENDINGS: [&str; 6] = ["bicepparam", "json", "jsonc", "toml", "yaml", "yml"];

/// Returns the parameter files of a change. `config` is the settings file of the options.
pub(super) fn unreviewed(
    policy: &Policy,
    working: &Path,
    config: Option<&Path>,
    limits: &Limits,
) -> Result<Unreviewed, Error> {
    let mut base: Option<CommitTree> = None;
    let (mut files, mut moved) = (BTreeSet::new(), BTreeMap::new());
    for (path, event) in policy.changed() {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        let is_ours = ending.is_some_and(|ending| ENDINGS.contains(&&*ending));
        if is_ours && base.is_none() && matches!(event, Event::Modified | Event::RenamedFrom(_)) {
            base = policy.open_base()?;
        }
        let says_other =
            |old: &Path| base.as_ref().is_none_or(|base| pairing(base, old, limits) != pairing(&Disk, path, limits));
        let is_new = match event {
            Event::Added => true,
            Event::RenamedFrom(old) => {
                if !is_ours || !says_other(old) {
                    moved.insert(path.clone(), old.clone());
                }
                true
            }
            Event::Modified if is_ours => says_other(path),
            Event::Modified | Event::Deleted | Event::RenamedTo(_) | Event::Named => false,
        };
        if is_new {
            files.insert(path.clone());
        }
    }
    let settings = settings_places(&Disk, working);
    let is_settings = |path: &Path| settings.iter().map(|path| &**path).chain(config).any(|known| known == path);
    let are_settings = !policy.is_of_base() && policy.changed().keys().any(|path| is_settings(path));
    Ok(Unreviewed::new(files, moved, are_settings))
}

/// Returns the text that decides which template a parameter file belongs to, besides its name; `None` if it is not a
/// parameter file.
fn pairing(tree: &dyn Tree, path: &Path, limits: &Limits) -> Option<String> {
    let contents = tree.read(path, limits.file_bytes).ok()?;
    let bytes = contents.into_bytes();
    let text = String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned();
    let is_of_bicep = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bicepparam"));
    if is_of_bicep {
        // What it extends may name the template, and so may a comment between two words.
        let is_head = |line: &&str| ["using", "extends", "/*", "*/"].iter().any(|word| line.contains(word));
        return Some(text.lines().filter(is_head).collect::<Vec<_>>().join("\n"));
    }
    if is_sam_config(path) {
        return Some(text);
    }
    let (sources, text) = (Sources::new(), ArcStr::from(text));
    let file = sources.add("base", text.clone());
    let value = Reading::parse(path, file, &text, limits.nesting).into_chosen(false).value?;
    let kind = detect::kind(&value, false).filter(|kind| kind.is_of_parameters())?;
    let in_metadata = value.get("metadata").and_then(|metadata| metadata.get("template"));
    let named = value.as_object().and_then(|file| file.get_exact(TEMPLATE_PATH)).or(in_metadata);
    // One without a fitting name belongs to the template near it that declares its parameters.
    let parameters = value.get("parameters").and_then(Value::as_object);
    let names: Vec<&str> = parameters.into_iter().flatten().map(|member| &*member.key).collect();
    Some(format!("{kind:?} {:?} {names:?}", named.and_then(Value::as_str)))
}
