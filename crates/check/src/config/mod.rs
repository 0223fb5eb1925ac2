//! Settings: read from the files and the environment of a run, checked and merged.
//!
//! Later overrides earlier: the defaults, `ps-rule.yaml`, `formwork.yaml`, the environment variables
//! `PSRULE_CONFIGURATION_*`. The command line overrides all of them: [`Choices::or`]. [`table`] defines each setting.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod environment;
mod gate;
mod json_schema;
mod keys;
mod limits;
mod locate;
mod parameters;
mod ps_rule;
mod reader;
mod suppressions;
mod table;
mod weakened;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Pillar, RuleDetails, RulePattern, Severity};
use crate::files::{Bounds, Entry, Fence, Folders, Host, PathFilter, Tree, display_name, register};
use crate::model::Limits;
use crate::path::normalize;
use crate::syntax;
use crate::text::{FileId, Sources, Span};
use crate::value::Value;

pub use self::json_schema::json_schema;
pub use self::locate::{FORMWORK as SETTINGS_NAMES, settings_places};
pub use self::suppressions::ScopedSuppression;
pub use self::table::{
    Choices, Combines, Flag, Given, Group, NamedFile, Role, SETTINGS, Setting, Takes, all as all_settings,
    named_by_flags, named_files,
};
pub use self::weakened::weakened;

/// The settings of a run, validated.
#[derive(Debug, Default)]
pub struct Settings {
    /// The `AZURE_*` keys of all layers as one object.
    pub configuration: Option<Value>,
    /// Files that a walk adds to the run, and the templates that parameter files belong to.
    pub files: PathFilter,
    /// The rules of the run.
    pub rules: RuleSettings,
    /// The Azure policies of the run.
    pub policy: PolicySettings,
    /// The settings that have one value.
    pub choices: Choices,
    /// The baseline, as an absolute path, and where the settings name it.
    pub baseline: Option<(PathBuf, Span)>,
    /// Findings that are accepted, in the order of the file.
    pub suppressions: Vec<ScopedSuppression>,
    /// Limits of the run.
    pub limits: Limits,
    /// The files that the settings were read from, and what they say, in the order in which they override each other.
    pub texts: Vec<(PathBuf, Value)>,
}

impl Settings {
    /// Returns the paths of the files that the settings were read from.
    pub fn files_read(&self) -> impl Iterator<Item = &Path> {
        self.texts.iter().map(|(path, _)| path.as_path())
    }
}

/// Settings of single rules.
#[derive(Debug, Default)]
pub struct RuleSettings {
    /// Rule files and folders, absolute, and where each was named.
    pub paths: Vec<(PathBuf, Span)>,
    /// Rules that run. If the list is empty, all rules run.
    pub include: Vec<RulePattern>,
    /// These rules do not run.
    pub exclude: Vec<RulePattern>,
    /// Severities that replace those of some rules.
    pub severity: Vec<(RulePattern, Severity)>,
}

/// Settings of Azure policies.
#[derive(Debug, Default)]
pub struct PolicySettings {
    /// Policy files and folders, absolute, and where each was named.
    pub paths: Vec<(PathBuf, Span)>,
    /// The file with values for the parameters of definitions that nothing assigns.
    pub parameters: Option<(PathBuf, Span)>,
    /// The names of the management groups around the subscription, the nearest first.
    pub management_groups: Vec<String>,
    /// The environments of Enterprise Policy as Code whose documents count. All, if it is empty.
    pub environments: Vec<String>,
}

/// Selection of the embedded rules that run, and amount of what the checks report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Rules and checks that most authors need.
    #[default]
    Default,
    /// The default rules. Those that need another architecture, such as private endpoints, keep their own severity.
    Production,
    /// Only the default rules about security.
    Security,
    /// Only the default rules about reliability.
    Reliability,
    /// Only the default rules about cost.
    Cost,
    /// Also rules that are a matter of opinion, and what is rarely wrong enough to change.
    All,
}

impl Profile {
    /// The words of the command line and of `formwork.yaml`.
    pub const WORDS: [&'static str; 6] = ["default", "production", "security", "reliability", "cost", "all"];

    /// True if this profile runs all rules of another one, and with no lower severity.
    pub fn includes(self, other: Self) -> bool {
        match self {
            Self::All => true,
            Self::Production => other != Self::All,
            Self::Default => !matches!(other, Self::All | Self::Production),
            Self::Security | Self::Reliability | Self::Cost => self == other,
        }
    }

    /// Returns the severity of a rule with these details under this profile.
    pub fn severity(self, own: Severity, details: &RuleDetails) -> Severity {
        let is_lowered = details.is_for_production && !matches!(self, Self::Production | Self::All);
        if is_lowered { Severity::Low } else { own }
    }

    /// Returns `true` if a rule with these details runs.
    pub fn has(self, details: &RuleDetails) -> bool {
        let is_of = |pillar| details.pillar == Some(pillar) && !details.is_optional;
        match self {
            Self::Default | Self::Production => !details.is_optional,
            Self::Security => is_of(Pillar::Security),
            Self::Reliability => is_of(Pillar::Reliability),
            Self::Cost => is_of(Pillar::Cost),
            Self::All => true,
        }
    }
}

impl FromStr for Profile {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "default" => Ok(Self::Default),
            "production" => Ok(Self::Production),
            "security" => Ok(Self::Security),
            "reliability" => Ok(Self::Reliability),
            "cost" => Ok(Self::Cost),
            "all" => Ok(Self::All),
            _ => Err(()),
        }
    }
}

/// Sources of the settings.
#[derive(Debug)]
pub struct Origin<'a> {
    /// The current folder, absolute.
    pub working: &'a Path,
    /// The file of `--config`. Without one, `formwork.yaml` is looked for, in this folder instead of the current one if
    /// it is a folder.
    pub file: Option<&'a Path>,
    /// Tree that files are read from.
    pub tree: &'a dyn Tree,
    /// Host of the working tree.
    pub host: &'a dyn Host,
    /// The environment variables of the process.
    pub environment: &'a BTreeMap<String, String>,
    /// Bounds for the files of settings themselves.
    pub limits: &'a Limits,
}

impl Origin<'_> {
    /// Returns the folder where the search for settings starts, and the file that makes it needless.
    pub fn start(&self) -> (PathBuf, Option<PathBuf>) {
        let named = self.file.map(|path| normalize(self.working, path));
        match named {
            Some(path) if self.tree.entry(&path) == Some(Entry::Folder) => (path, None),
            file => (self.working.to_path_buf(), file),
        }
    }
}

/// Reads all layers. Settings are usable only where no diagnostic is an error.
pub fn load(origin: &Origin<'_>, sources: &Sources) -> (Settings, Vec<Diagnostic>) {
    let mut settings = Settings::default();
    let mut diagnostics = Vec::new();
    let (folder, named) = origin.start();
    let is_named = named.is_some();
    let own = named.or_else(|| locate::formwork(origin.tree, &folder, origin.working));
    if let Some(path) = locate::ps_rule(origin.tree, &folder, origin.working)
        && let Some(value) = read_found(&path, origin, sources, &mut diagnostics)
    {
        ps_rule::apply(&value, &path, &mut settings);
        // With settings of their own, users have decided what they import.
        if own.is_none() {
            diagnostics.extend(ps_rule::note_decisions(&value));
        }
        settings.texts.push((path, value));
    }
    let value = own.as_ref().and_then(|path| {
        let read = if is_named { read } else { read_found };
        read(path, origin, sources, &mut diagnostics)
    });
    if let (Some(path), Some(value)) = (own, value) {
        // Settings from elsewhere are the user's own choice, and so is what they name.
        let bounds = Some(Bounds::around(origin.working, [], &Arc::new(Folders::new(Fence::of_user(origin.host)))))
            .filter(|bounds| bounds.hold(&path));
        reader::apply(&value, &path, bounds.as_ref(), &mut settings, &mut diagnostics);
        settings.texts.push((path, value));
    }
    environment::apply(origin, sources, &mut settings, &mut diagnostics);
    (settings, diagnostics)
}

/// Reads settings that nobody named. A link must lead to settings: problems in them are printed with their text.
fn read_found(path: &Path, origin: &Origin<'_>, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) -> Option<Value> {
    if !locate::is_disguised(origin.tree, path) {
        return read(path, origin, sources, diagnostics);
    }
    let message = "the link leads to a file whose name is not one of settings, and is not read";
    let file = sources.add(display_name(origin.working, path), "");
    diagnostics.push(Diagnostic::of_file(Code::FileUnreadable, file, message));
    None
}

fn read(path: &Path, origin: &Origin<'_>, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) -> Option<Value> {
    let name = display_name(origin.working, path);
    let file = origin
        .tree
        .read(path, origin.limits.file_bytes)
        .map_err(|problem| problem.into_diagnostic(&name, sources))
        .and_then(|bytes| register(&name, bytes, sources));
    match file {
        Ok(file) => parse(file, path, origin.limits, sources, diagnostics),
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            None
        }
    }
}

/// Parses a file of settings. One that is empty or has only comments gives `None`, and is no problem.
fn parse(
    file: FileId,
    path: &Path,
    limits: &Limits,
    sources: &Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Value> {
    let source = sources.get(file);
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let read = if is_json { syntax::json::parse } else { syntax::yaml::parse };
    let parsed = read(file, source.text(), limits.nesting);
    diagnostics.extend(parsed.diagnostics);
    parsed.value.filter(|value| !value.is_null())
}

/// Returns `true` if checks read a key of `configuration`.
pub fn is_read_key(key: &str) -> bool {
    keys::kind_of(key).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{FailOn, Level};
    use crate::files::Disk;

    /// Loads the settings of a folder with these files, from its folder `work`.
    fn load_from(files: &[(&str, &str)], env: &[(&str, &str)]) -> (Settings, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let working = folder.path().join("work");
        std::fs::create_dir_all(&working).unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let environment = env.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let sources = Sources::new();
        let origin = Origin {
            working: &working,
            file: None,
            tree: &Disk,
            host: &Disk,
            environment: &environment,
            limits: &Limits::default(),
        };
        let (settings, diagnostics) = load(&origin, &sources);
        let shown = diagnostics.iter().map(|problem| {
            let at = sources.range(problem.primary.span).0;
            format!("{} {}:{} {}", problem.level.as_str(), at.line, at.column, problem.message)
        });
        (settings, shown.collect())
    }

    fn group_name(settings: &Settings) -> Option<&str> {
        let configuration = settings.configuration.as_ref()?;
        configuration.get("AZURE_RESOURCE_GROUP")?.get("name")?.as_str()
    }

    #[test]
    fn without_files_there_are_no_settings_and_no_complaints() {
        let (settings, problems) = load_from(&[], &[]);
        assert!(settings.configuration.is_none() && problems.is_empty());
    }

    #[test]
    fn the_file_is_found_upwards_to_the_repository() {
        let (settings, problems) =
            load_from(&[("formwork.json", r#"{"fail-on": "medium", "rules": {"builtin": false}}"#)], &[]);
        assert_eq!(problems, [""; 0]);
        assert_eq!(settings.choices.fail_on, Some(FailOn::Severity(Severity::Medium)));
        assert_eq!(settings.choices.builtin_rules, Some(false));
    }

    #[test]
    fn the_own_file_wins_over_that_of_ps_rule_and_the_environment_over_both() {
        let ps_rule =
            r#"{"configuration": {"AZURE_RESOURCE_GROUP": {"name": "a", "location": "north"}}, "execution": {}}"#;
        let own = r#"{"configuration": {"azure_resource_group": {"name": "b"}}}"#;
        let (settings, problems) = load_from(&[("ps-rule.yaml", ps_rule)], &[]);
        assert_eq!((group_name(&settings), problems.len()), (Some("a"), 0));

        let files = [("ps-rule.yaml", ps_rule), ("work/formwork.yaml", own)];
        let (settings, _) = load_from(&files, &[]);
        assert_eq!(group_name(&settings), Some("b"));
        let configuration = settings.configuration.as_ref().unwrap();
        let location = configuration.get("AZURE_RESOURCE_GROUP").unwrap().get("location");
        assert_eq!(location.and_then(Value::as_str), Some("north"));

        let environment = [("PSRULE_CONFIGURATION_AZURE_RESOURCE_GROUP", r#"{"name": "c"}"#)];
        assert_eq!(group_name(&load_from(&files, &environment).0), Some("c"));
    }

    #[test]
    fn decisions_for_ps_rule_have_no_effect_and_a_note_unless_there_are_own_settings() {
        let ps_rule = "rule:\n  exclude: [Azure.ACR.AdminUser]\nsuppression:\n  Azure.AKS.Name: [a]\n";
        let (_, problems) = load_from(&[("ps-rule.yaml", ps_rule)], &[]);
        assert_eq!(problems, ["note 1:1 `rule`, `suppression` of PSRule have no effect here"]);
        let files = [("ps-rule.yaml", ps_rule), ("formwork.yaml", "fail-on: high\n")];
        assert_eq!(load_from(&files, &[]).1, [""; 0]);
        let harmless = "rule:\n  includeLocal: true\nsuppression: {}\n";
        assert_eq!(load_from(&[("ps-rule.yaml", harmless)], &[]).1, [""; 0]);
    }

    #[test]
    fn a_file_may_be_yaml_and_may_say_nothing() {
        let text = "# ours\nfail-on: high\nexclude:\n  - samples\nconfiguration:\n";
        let (settings, problems) = load_from(&[("formwork.yaml", text)], &[]);
        assert_eq!((settings.choices.fail_on, problems.len()), (Some(FailOn::Severity(Severity::High)), 0));
        assert_eq!(settings.files.exclude.len(), 1);
        let (settings, problems) = load_from(&[("formwork.yml", "# nothing\n")], &[]);
        assert_eq!((settings.choices.fail_on, problems.len()), (None, 0));
    }

    /// An editor reads the settings after each key, and each glob with wildcards takes time.
    #[test]
    fn globs_with_wildcards_are_limited_and_paths_are_not() {
        let list = |patterns: &mut dyn Iterator<Item = String>| {
            let lines: Vec<String> = patterns.map(|pattern| format!("  - '{pattern}'\n")).collect();
            format!("exclude:\n{}", lines.concat())
        };
        let (settings, problems) =
            load_from(&[("formwork.yaml", &list(&mut (0..20_000).map(|at| format!("a/b{at}/main.json"))))], &[]);
        assert_eq!((settings.files.exclude.len(), problems), (1, Vec::new()));
        let many = list(&mut (0..20_000).map(|at| format!("a{at}/**/x-*.json")));
        let (_, problems) = load_from(&[("formwork.yaml", &many)], &[]);
        assert_eq!(problems, ["error 2002:5 there are more than 2000 globs with wildcards"]);
    }

    #[test]
    fn a_baseline_is_named_from_the_folder_of_the_file() {
        let (settings, problems) = load_from(&[("formwork.yaml", "baseline: ci/b.json\nmin-severity: medium\n")], &[]);
        assert_eq!((problems.len(), settings.choices.min_severity), (0, Some(Severity::Medium)));
        let (path, _) = settings.baseline.unwrap();
        assert!(path.is_absolute() && path.ends_with("ci/b.json") && !path.ends_with("work/ci/b.json"), "{path:?}");
        let (_, problems) = load_from(&[("formwork.yaml", "baseline: [b]\nmin-severity: never\n")], &[]);
        let wanted = [
            "error 1:11 `baseline`: expected the name of a file, found a list",
            "error 2:15 `min-severity`: expected one of `high`, `medium`, `low`",
        ];
        assert_eq!(problems, wanted);
    }

    #[test]
    fn limits_are_set_by_the_file_and_wrong_ones_are_errors_where_they_stand() {
        let (settings, problems) =
            load_from(&[("formwork.yaml", "limits:\n  file-size: 16MiB\n  copies: 2000\n")], &[]);
        assert_eq!(problems, [""; 0]);
        assert_eq!(settings.limits, Limits { file_bytes: 16 << 20, copies: 2000, ..Limits::default() });
        let text = "limits:\n  nestin: 9\n  nesting: deep\n  steps: 0\n";
        let (settings, problems) = load_from(&[("formwork.yaml", text)], &[]);
        assert_eq!(
            problems,
            [
                "warning 2:3 unknown key `nestin`, did you mean `nesting`?",
                "error 3:12 `nesting` is `\"deep\"`; expected a number from 1 to 512",
                "error 4:10 `steps` is `0`; expected a number from 1 to 1000000000",
            ]
        );
        assert_eq!(settings.limits, Limits::default());
        let (_, problems) = load_from(&[("formwork.yaml", "limits: 5\n")], &[]);
        assert_eq!(problems, ["error 1:9 `limits`: expected an object, found an integer"]);
    }

    #[test]
    fn unknown_keys_are_warnings_with_a_suggestion() {
        let text = "{\n  \"exlude\": [\"x\"],\n  \"configuration\": {\"AZURE_TENNANT\": {}}\n}";
        let (_, problems) = load_from(&[("formwork.json", text)], &[]);
        assert_eq!(
            problems,
            [
                "warning 2:3 unknown key `exlude`, did you mean `exclude`?",
                "warning 3:21 unknown key `AZURE_TENNANT`, did you mean `AZURE_TENANT`?",
            ]
        );
    }

    #[test]
    fn values_that_cannot_be_used_are_errors_where_they_stand() {
        let text = r#"{"fail-on": "always", "exclude": ["a", 1, "{"], "rules": {"builtin": "no"},
 "configuration": {"AZURE_TENANT": "x"}}"#;
        let (_, problems) = load_from(&[("formwork.json", text)], &[]);
        let places: Vec<&str> = problems.iter().filter_map(|problem| problem.split(' ').nth(1)).collect();
        assert_eq!(places, ["1:13", "1:40", "1:43", "1:70", "2:36"]);
        assert!(problems.iter().all(|problem| problem.starts_with(Level::Error.as_str())));
    }
}
