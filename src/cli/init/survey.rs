//! The files of a repository: templates, and settings of other tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;

use crate::cli::Environment;
use crate::cli::exit::Error;
use crate::engine::{CheckOptions, Observer, Session};
use crate::files::{Overlay, Programs, endless_ignore_file, read_bytes};
use crate::model::Limits;
use crate::report::counted;

/// The files in and below a folder.
#[derive(Debug, Default)]
pub(super) struct Survey {
    counts: [usize; KINDS.len()],
    /// Settings files of other tools in the folder, sorted by path.
    pub(super) foreign: Vec<(PathBuf, ToolSettings)>,
    /// Settings files of other tools in other folders, where they apply only to those folders.
    pub(super) elsewhere: Vec<PathBuf>,
}

/// The kinds of files that are counted.
const KINDS: [&str; 5] =
    ["ARM template", "CloudFormation template", "Bicep file", "Bicep parameter file", "parameter file"];

/// The tool and kind of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolSettings {
    TemplateAnalyzer,
    PsRule,
    PsRuleResources,
    Checkov,
    CfnLint,
}

impl ToolSettings {
    /// Returns the kind of a settings file by its name. For `configuration.json`, reads its content too.
    fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        match name.as_str() {
            "configuration.json" => is_of_template_analyzer(&content(path)).then_some(Self::TemplateAnalyzer),
            "ps-rule.yaml" | "ps-rule.yml" | "psrule.yaml" | "psrule.yml" => Some(Self::PsRule),
            ".checkov.yaml" | ".checkov.yml" => Some(Self::Checkov),
            ".cfnlintrc" | ".cfnlintrc.yaml" | ".cfnlintrc.yml" => Some(Self::CfnLint),
            _ => [".rule.yaml", ".rule.yml", ".rule.json", ".rule.jsonc"]
                .iter()
                .any(|end| name.ends_with(end))
                .then_some(Self::PsRuleResources),
        }
    }
}

/// Returns whether a file contains a section of Template Analyzer. Other programs also have a `configuration.json`.
fn is_of_template_analyzer(bytes: &[u8]) -> bool {
    let sections: [&[u8]; 3] = [b"\"exclusions\"", b"\"inclusions\"", b"\"severityOverrides\""];
    sections.iter().any(|section| memchr::memmem::find(bytes, section).is_some())
}

impl Survey {
    /// Returns the counts to show.
    pub(super) fn summary(&self) -> String {
        let counts = self.counts.iter().zip(KINDS).filter(|(count, _)| **count > 0);
        let parts: Vec<String> = counts.map(|(count, kind)| counted(*count, kind)).collect();
        if parts.is_empty() { "found no template".to_owned() } else { format!("found {}", parts.join(", ")) }
    }
}

/// Ignores all events, because no check runs.
struct Silent;

impl Observer for Silent {}

/// Finds templates and settings files in and below a folder.
pub(super) fn survey_folder(folder: &Path, environment: &Environment) -> Result<Survey, Error> {
    let mut survey = Survey::default();
    let options = CheckOptions {
        variables: environment.variables.clone(),
        files: Arc::new(Overlay::of_command_line(Programs::of_command_line())),
        paths: vec![folder.to_path_buf()],
        ..CheckOptions::new(folder.to_path_buf())
    };
    let session = Session::open(&options, &Silent).map_err(Error::Check)?;
    for (name, _) in session.selected_files(&Silent).files {
        if let Some(count) = survey.counts.get_mut(kind(&folder.join(name))) {
            *count += 1;
        }
    }
    let own = [folder.to_path_buf(), folder.join(".ps-rule")];
    let is_safe = folder.ancestors().all(|folder| endless_ignore_file(folder).is_none());
    let mut walk = WalkBuilder::new(folder);
    walk.hidden(false).ignore(false).git_ignore(is_safe).git_exclude(is_safe);
    let walk = walk.filter_entry(|entry| entry.file_name() != ".git" && endless_ignore_file(entry.path()).is_none());
    let walk = walk.build();
    for entry in walk.filter_map(Result::ok).filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
        let path = entry.into_path();
        let Some(foreign) = ToolSettings::from_path(&path) else { continue };
        if path.parent().is_some_and(|parent| own.iter().any(|folder| folder == parent)) {
            survey.foreign.push((path, foreign));
        } else {
            survey.elsewhere.push(path);
        }
    }
    survey.foreign.sort_by(|a, b| a.0.cmp(&b.0));
    survey.elsewhere.sort();
    Ok(survey)
}

/// Returns the bytes of a file. Empty if it cannot be read, or if it is too large for a check.
fn content(path: &Path) -> Vec<u8> {
    read_bytes(path, Limits::default().file_bytes).unwrap_or_default()
}

/// Returns the index of the kind of a file that a check would read.
fn kind(path: &Path) -> usize {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some("bicep") => 2,
        Some("bicepparam") => 3,
        _ => {
            let bytes = content(path);
            let has = |text: &[u8]| memchr::memmem::find(&bytes.to_ascii_lowercase(), text).is_some();
            match (has(b"deploymenttemplate.json"), has(b"deploymentparameters.json")) {
                (true, _) => 0,
                (_, true) => 4,
                _ if has(b"resources") => 1,
                _ => 4,
            }
        }
    }
}
