//! Converts the inputs of the action to the arguments of `formwork check`.
//!
//! The arguments are parsed like those of a command line, and the log of the job shows a command that users can
//! repeat. A value is in one argument with its option, and paths follow `--`, so no value can be interpreted as an
//! option.

use std::path::{Component, Path, PathBuf};

use crate::cli::args::{CATEGORY, parse_category};
use crate::cli::exit::Error;
use crate::cli::github::action::inputs::ActionInputs;
use crate::config::{Flag, Takes, all_settings};
use crate::files::is_glob;

/// The command of the action and the files that it writes.
#[derive(Debug)]
pub(super) struct Invocation {
    /// The arguments of the program. The name of the command is first.
    pub(super) arguments: Vec<String>,
    /// Path of the report as JSON.
    pub(super) json: PathBuf,
    /// Path of the report for code scanning, as the user wrote it.
    pub(super) sarif: PathBuf,
    /// Path of the report as Markdown.
    pub(super) summary: PathBuf,
    /// Writes an annotation for each finding to the log.
    pub(super) annotations: bool,
    /// The file for annotations, if they are posted as a check run. They are printed if the token has no permission
    /// for that.
    pub(super) annotations_file: Option<PathBuf>,
    /// Appends the Markdown report to the job summary.
    pub(super) job_summary: bool,
    /// The comparison of deployments, if it is requested.
    pub(super) difference: Option<DifferenceRequest>,
}

/// The comparison of the deployments before and after the change.
#[derive(Debug)]
pub(super) struct DifferenceRequest {
    /// Path of the difference as JSON.
    pub(super) file: PathBuf,
    /// True if the input asks for the difference. Otherwise, the settings may.
    pub(super) is_asked_for: bool,
    /// The base to compare with. `None` if the event determines it.
    base: Option<String>,
    options: Vec<String>,
    paths: Vec<String>,
}

impl DifferenceRequest {
    /// Returns the arguments of `formwork diff`. `base` is from the event.
    pub(super) fn arguments(&self, base: &str) -> Vec<String> {
        let base = self.base.as_deref().unwrap_or(base);
        let words = ["diff", "--format=json", "--color=never"].map(str::to_owned);
        let base = ["--".to_owned(), base.to_owned()];
        words.into_iter().chain(self.options.iter().cloned()).chain(base).chain(self.paths.iter().cloned()).collect()
    }
}

/// Reads the inputs. `root` is the checkout, where the command starts. GitHub resolves the paths of annotations and
/// alerts against it. `reports` is a folder for the reports.
pub(super) fn from_inputs(inputs: ActionInputs<'_>, root: &Path, reports: &Path) -> Result<Invocation, Error> {
    let annotations = inputs.word("annotations", &["true", "false", "check-run"])?.unwrap_or("true");
    let annotations_file = (annotations == "check-run").then(|| reports.join("annotations.txt"));
    let annotations = annotations == "true";
    let sarif = inputs.text("sarif-file")?.map_or_else(|| reports.join("formwork.sarif"), PathBuf::from);
    let invocation = Invocation {
        arguments: Vec::new(),
        json: reports.join("report.json"),
        sarif,
        summary: reports.join("summary.md"),
        annotations,
        annotations_file,
        job_summary: inputs.switch("job-summary", true)?,
        difference: difference(inputs, root, reports)?,
    };
    let format = if annotations { "github" } else { "concise" };
    let joined = inputs.text("merge")?;
    let command = if joined.is_some() { "merge" } else { "check" };
    let mut arguments = vec![command.to_owned(), "--color=never".to_owned(), format!("--format={format}")];
    for (format, file) in [("json", &invocation.json), ("sarif", &invocation.sarif), ("markdown", &invocation.summary)]
    {
        arguments.push(format!("--output={format}={}", file.display()));
    }
    arguments.extend(invocation.annotations_file.iter().map(|file| format!("--output=github={}", file.display())));
    arguments.push("--code-scanning".to_owned());
    let change = change(inputs)?;
    arguments.extend(settings_arguments(inputs, |_, flag| joined.is_none() || flag.is_of_merge())?);
    arguments.extend(gate_arguments(inputs)?);
    if let Some(reports) = joined {
        arguments.extend(merged(inputs, root, reports)?);
    } else {
        arguments.extend(change);
        arguments.extend(check_arguments(inputs)?);
        arguments.extend(files(inputs, root)?);
    }
    Ok(Invocation { arguments, ..invocation })
}

/// Returns the arguments for the base to compare with.
fn change(inputs: ActionInputs<'_>) -> Result<Vec<String>, Error> {
    // Publishing has its own steps. There, an invalid word would count as `false`.
    inputs.switch("review-comments", false)?;
    inputs.switch("summary-comment", false)?;
    let is_uploaded = inputs.switch("upload-sarif", false)?;
    let base = inputs.text("diff-base")?.unwrap_or("auto");
    if base.starts_with('-') {
        return Err(inputs.wrong("diff-base", "`auto`, `none` or the name of a commit"));
    }
    let filter = inputs.word("filter-mode", &["added", "context", "file", "none"])?.unwrap_or("none");
    let scope = inputs.word("fail-on-scope", &["changed", "all"])?.unwrap_or("all");
    if base == "none" {
        let is_new_only = inputs.switch("new-only", false)?;
        let about = [("filter-mode", filter != "none"), ("fail-on-scope", scope != "all"), ("new-only", is_new_only)];
        for (name, is_about_change) in about {
            if is_about_change {
                let wanted = "another value, since `diff-base` is `none` and so nothing is known of a change";
                return Err(inputs.wrong(name, wanted));
            }
        }
        return Ok(Vec::new());
    }
    if is_uploaded && filter != "none" {
        return Err(inputs
            .wrong("filter-mode", "`none`, since code scanning closes alerts that `upload-sarif` does not upload"));
    }
    let is_new_only = inputs.switch("new-only", false)?;
    if is_uploaded && is_new_only {
        return Err(
            inputs.wrong("new-only", "`false`, since code scanning closes alerts that `upload-sarif` does not upload")
        );
    }
    let all = is_uploaded.then(|| "--all".to_owned());
    let about = [format!("--changed={base}"), format!("--filter-mode={filter}"), format!("--fail-on-scope={scope}")];
    let new_only = is_new_only.then(|| "--new-only".to_owned());
    Ok(about.into_iter().chain(all).chain(new_only).collect())
}

/// Returns the arguments for inputs that are settings and for which `is_wanted` returns `true`, except files.
fn settings_arguments(inputs: ActionInputs<'_>, is_wanted: impl Fn(&str, &Flag) -> bool) -> Result<Vec<String>, Error> {
    let mut arguments = Vec::new();
    for (key, setting) in all_settings() {
        let (Some(input), Some(flag)) = (&setting.input, &setting.flag) else { continue };
        if !is_wanted(&key, flag) {
            continue;
        }
        let name = flag.name;
        match setting.takes {
            Takes::Switch(_) => arguments.extend(inputs.switch(input.name, false)?.then(|| format!("--{name}"))),
            Takes::Word(words, _) => {
                let word = inputs.word(input.name, words)?.filter(|word| *word != input.default);
                arguments.extend(word.map(|word| format!("--{name}={word}")));
            }
            Takes::Rules(..) => {
                arguments.extend(inputs.lines(input.name)?.into_iter().map(|id| format!("--{name}={id}")));
            }
            // Files and folders are relative to another input.
            _ => {}
        }
    }
    Ok(arguments)
}

/// Returns the arguments for the category, and for failures without a finding.
fn gate_arguments(inputs: ActionInputs<'_>) -> Result<Vec<String>, Error> {
    let category = inputs.text("category")?;
    if category.is_some_and(|name| parse_category(name).is_err()) {
        return Err(inputs.wrong("category", CATEGORY));
    }
    let mut arguments: Vec<String> = category.map(|name| format!("--category={name}")).into_iter().collect();
    arguments.extend(inputs.switch("fail-on-no-inputs", false)?.then(|| "--require-inputs".to_owned()));
    Ok(arguments)
}

/// Returns the arguments that limit the check.
fn check_arguments(inputs: ActionInputs<'_>) -> Result<Vec<String>, Error> {
    let offline = inputs.switch("offline", false)?.then(|| "--offline".to_owned());
    let mut arguments: Vec<String> = offline.into_iter().collect();
    arguments.extend(inputs.text("shard")?.map(|part| format!("--shard={part}")));
    arguments.extend(config_from(inputs)?);
    Ok(arguments)
}

/// Returns the argument for the origin of the settings. Otherwise, the author of a pull request could weaken its
/// check.
fn config_from(inputs: ActionInputs<'_>) -> Result<Option<String>, Error> {
    let side = inputs.word("config-from", &["base", "head"])?;
    let side = side.unwrap_or(if inputs.is_of_pull_request() { "base" } else { "head" });
    Ok((side == "base").then(|| "--config-from=base".to_owned()))
}

/// Returns the comparison of deployments, if the inputs ask for it.
fn difference(inputs: ActionInputs<'_>, root: &Path, reports: &Path) -> Result<Option<DifferenceRequest>, Error> {
    let is_asked_for = inputs.switch("deployment-diff", false)?;
    if !is_asked_for && inputs.text("deployment-diff")?.is_some() {
        return Ok(None);
    }
    let base = inputs.text("diff-base")?.unwrap_or("auto");
    let without_change = [("diff-base", base == "none"), ("merge", inputs.text("merge")?.is_some())];
    if let Some((name, _)) = without_change.iter().find(|(_, is_set)| *is_set) {
        if !is_asked_for {
            return Ok(None);
        }
        return Err(inputs.wrong(name, "another value, since `deployment-diff` needs a change and what it deploys"));
    }
    let mut options = settings_arguments(inputs, |key, _| key == "bicep")?;
    options.extend(inputs.switch("offline", false)?.then(|| "--offline".to_owned()));
    options.extend(config_from(inputs)?);
    let files = files(inputs, root)?;
    options.extend(files.iter().filter(|word| word.starts_with("--config=")).cloned());
    let paths = files.into_iter().skip_while(|word| word != "--").skip(1).collect();
    let base = (base != "auto").then(|| base.to_owned());
    Ok(Some(DifferenceRequest { file: reports.join("difference.json"), is_asked_for, base, options, paths }))
}

/// Returns the arguments for joining the reports of other jobs.
fn merged(inputs: ActionInputs<'_>, root: &Path, reports: &str) -> Result<Vec<String>, Error> {
    for name in ["config", "baseline", "rules", "policy"] {
        if inputs.text(name)?.is_some() {
            return Err(inputs.wrong(name, "nothing, since the reports that `merge` joins say what was checked with"));
        }
    }
    let scope = inputs.word("fail-on-scope", &["changed", "all"])?;
    let mut arguments: Vec<String> = scope.map(|scope| format!("--fail-on-scope={scope}")).into_iter().collect();
    arguments.extend(["--".to_owned(), root.join(reports).display().to_string()]);
    Ok(arguments)
}

/// Returns the arguments for settings, baseline, and rules.
fn settings(inputs: ActionInputs<'_>, root: &Path) -> Result<Vec<String>, Error> {
    let folder = working_directory(inputs, root)?;
    let from_root = |path: &str| folder.join(path).display().to_string();
    let mut arguments = Vec::new();
    // At the root, formwork looks for settings itself.
    let nearest = (!folder.as_os_str().is_empty()).then(|| folder.display().to_string());
    let config = inputs.text("config")?.map(from_root).or(nearest);
    arguments.extend(config.map(|path| format!("--config={path}")));
    arguments.extend(inputs.text("baseline")?.map(|text| format!("--baseline={}", from_root(text))));
    for name in ["rules", "policy"] {
        arguments.extend(inputs.lines(name)?.into_iter().map(|path| format!("--{name}={}", from_root(path))));
    }
    Ok(arguments)
}

/// Returns the arguments for the files to read.
fn files(inputs: ActionInputs<'_>, root: &Path) -> Result<Vec<String>, Error> {
    let folder = working_directory(inputs, root)?;
    let from_root = |path: &str| folder.join(path).display().to_string();
    let mut arguments = settings(inputs, root)?;
    let mut paths = inputs.lines("paths")?;
    if paths.is_empty() {
        paths.push(".");
    }
    // A mistyped path would look like one that the change does not touch.
    let is_missing = |path: &&&str| !is_glob(Path::new(path)) && !root.join(&folder).join(path).exists();
    if let Some(missing) = paths.iter().find(is_missing) {
        return Err(Error::Usage(format!("the input `paths` names `{missing}`, which does not exist")));
    }
    arguments.push("--".to_owned());
    arguments.extend(paths.into_iter().map(from_root));
    Ok(arguments)
}

/// Returns the folder that paths start from, relative to the root. Empty for the root.
fn working_directory(inputs: ActionInputs<'_>, root: &Path) -> Result<PathBuf, Error> {
    let given = Path::new(inputs.text("working-directory")?.unwrap_or("."));
    let inner = given.strip_prefix(root).unwrap_or(given);
    let mut folder = PathBuf::new();
    for component in inner.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => folder.push(name),
            _ => return Err(inputs.wrong("working-directory", "a folder below the root of the checkout")),
        }
    }
    if !root.join(&folder).is_dir() {
        return Err(inputs.wrong("working-directory", "a folder that exists"));
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::cli::Environment;

    /// A checkout with a few files.
    fn checkout() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("infra/network")).unwrap();
        for name in ["main.json", "--help"] {
            fs::write(root.path().join("infra/network").join(name), "").unwrap();
        }
        fs::write(root.path().join("infra/formwork.yaml"), "").unwrap();
        fs::write(root.path().join("formwork.yaml"), "").unwrap();
        root
    }

    /// The arguments after those that every run has.
    fn arguments(inputs: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let root = checkout();
        let name = |text: &str| format!("FORMWORK_{}", text.replace('-', "_").to_uppercase());
        let variables =
            inputs.iter().map(|(key, value)| (name(key), value.replace("ROOT", root.path().to_str().unwrap())));
        let environment = Environment { variables: variables.collect(), working: "/".into() };
        let invocation = from_inputs(ActionInputs::new(&environment), root.path(), Path::new("/t"))
            .map_err(|error| error.to_string())?;
        let words = invocation
            .arguments
            .into_iter()
            .filter(|argument| !argument.starts_with("--output=") && argument != "--color=never");
        Ok(words.skip(1).map(|word| word.replace(root.path().to_str().unwrap(), "ROOT")).collect())
    }

    #[track_caller]
    fn check(inputs: &[(&str, &str)], expected: &[&str]) {
        let got = arguments(inputs).unwrap();
        let missing: Vec<_> = expected.iter().filter(|option| !got.iter().any(|got| got == *option)).collect();
        assert!(missing.is_empty(), "{missing:?} not in {got:?}");
    }

    #[track_caller]
    fn refuse(inputs: &[(&str, &str)], message: &str) {
        assert_eq!(arguments(inputs), Err(message.to_owned()));
    }

    #[test]
    fn without_inputs_what_changed_is_checked_and_annotated() {
        let expected = [
            "--format=github",
            "--code-scanning",
            "--changed=auto",
            "--filter-mode=none",
            "--fail-on-scope=all",
            "--",
            ".",
        ];
        assert_eq!(arguments(&[]).unwrap(), expected);
    }

    #[test]
    fn each_input_is_an_argument() {
        check(&[("annotations", "false")], &["--format=concise"]);
        check(
            &[("diff-base", "origin/main"), ("filter-mode", "added")],
            &["--changed=origin/main", "--filter-mode=added"],
        );
        check(&[("fail-on", "never"), ("fail-on-scope", "changed")], &["--fail-on=never", "--fail-on-scope=changed"]);
        check(&[("min-severity", "medium"), ("category", "infra")], &["--min-severity=medium", "--category=infra"]);
        check(&[("baseline", "accepted.json"), ("offline", "true")], &["--baseline=accepted.json", "--offline"]);
        check(
            &[("fail-on-unknown", "true"), ("allow-unreadable", "True"), ("strict", "true")],
            &["--fail-on-unknown", "--allow-unreadable", "--strict"],
        );
        check(&[("rules", "a\n\nb c\n")], &["--rules=a", "--rules=b c"]);
        check(&[("rules-include", "A\nB"), ("rules-exclude", "C")], &["--rules-include=A", "--rules-exclude=C"]);
        check(&[("rules-include", "A\nB")], &["--rules-include=B"]);
        check(&[("fail-on-no-inputs", "true")], &["--require-inputs"]);
        check(&[("paths", "infra/**/*.json\ngone/*.bicep")], &["infra/**/*.json", "gone/*.bicep"]);
        check(&[("upload-sarif", "true")], &["--changed=auto", "--all"]);
        assert!(!arguments(&[("diff-base", "none")]).unwrap().iter().any(|text| text.starts_with("--changed")));
    }

    #[test]
    fn a_pull_request_does_not_choose_its_own_settings() {
        let of = |event: &str, inputs: &[(&str, &str)]| {
            let variables = inputs.iter().map(|(name, value)| (format!("FORMWORK_{name}"), (*value).to_owned()));
            let event = ("GITHUB_EVENT_NAME".to_owned(), event.to_owned());
            let environment = Environment { variables: variables.chain([event]).collect(), working: "/".into() };
            let invocation = from_inputs(ActionInputs::new(&environment), checkout().path(), Path::new("/t")).unwrap();
            invocation.arguments.into_iter().find_map(|text| text.strip_prefix("--config-from=").map(str::to_owned))
        };
        for event in ["pull_request", "pull_request_target", "pull_request_review"] {
            assert_eq!(of(event, &[]).as_deref(), Some("base"), "{event}");
        }
        for event in ["push", "merge_group", "workflow_dispatch"] {
            assert_eq!(of(event, &[]), None, "{event}");
        }
        assert_eq!(of("pull_request", &[("CONFIG_FROM", "head")]), None);
        assert_eq!(of("push", &[("CONFIG_FROM", "base")]).as_deref(), Some("base"));
        refuse(&[("config-from", "main")], "the input `config-from` is `main`, expected `base` or `head`");
    }

    #[test]
    fn paths_start_from_the_working_directory() {
        let folder = ("working-directory", "./infra/network/");
        let paths = ("paths", "main.json\nROOT/infra\n--help");
        let files = ["infra/network/main.json", "ROOT/infra", "infra/network/--help", "--config=infra/network"];
        check(&[folder, paths], &files);
        check(&[folder, ("config", "-x.yaml"), ("baseline", "b")], &["--config=infra/network/-x.yaml"]);
        check(&[("working-directory", "ROOT/infra"), ("paths", "network")], &["infra/network"]);
        refuse(
            &[("working-directory", "a/../..")],
            "the input `working-directory` is `a/../..`, expected a folder below the root of the checkout",
        );
        refuse(
            &[("working-directory", "gone")],
            "the input `working-directory` is `gone`, expected a folder that exists",
        );
    }

    #[test]
    fn a_wrong_value_is_told_with_the_name_of_its_input() {
        refuse(
            &[("fail-on", "sometimes")],
            "the input `fail-on` is `sometimes`, expected `high`, `medium`, `low` or `never`",
        );
        refuse(&[("review-comments", "yes")], "the input `review-comments` is `yes`, expected `true` or `false`");
        refuse(
            &[("diff-base", "--upload-pack=x")],
            "the input `diff-base` is `--upload-pack=x`, expected `auto`, `none` or the name of a commit",
        );
        refuse(
            &[("diff-base", "none"), ("filter-mode", "added")],
            "the input `filter-mode` is `added`, expected another value, since `diff-base` is `none` and so nothing is known of a change",
        );
        refuse(
            &[("upload-sarif", "true"), ("filter-mode", "file")],
            "the input `filter-mode` is `file`, expected `none`, since code scanning closes alerts that `upload-sarif` does not upload",
        );
        for name in ["config", "baseline", "rules", "policy"] {
            let message = "expected nothing, since the reports that `merge` joins say what was checked with";
            refuse(&[("merge", "parts"), (name, "x")], &format!("the input `{name}` is `x`, {message}"));
        }
        refuse(&[("paths", "infra\n-")], "the input `paths` names `-`, which does not exist");
    }
}
