//! Folders of tests, whose templates nobody deploys: inputs of tests, and their expected results.
//!
//! A template there is checked only if something suggests that it is deployed: the user named it or a folder in it, the settings
//! include it, a change touches it, a template or a parameter file outside refers to it, or a workflow names its folder. All
//! others are listed as not checked, so that `--strict` refuses them.
//!
//! # Invariant
//!
//! A change cannot hide a template by moving it to such a folder: where a change is known, nothing is skipped.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic, NotChecked};
use crate::engine::Inputs;
use crate::engine::bicep::{is_bicep, is_template};
use crate::engine::inputs::discover::Input;
use crate::engine::inputs::link::link;
use crate::engine::inputs::store::Store;
use crate::files::{Fence, display_name, glob_of};
use crate::path::normalize;

/// Names of folders of tests, in lower case.
const NAMES: [&str; 6] = ["__fixtures__", "__snapshots__", "examples_output", "test-data", "test_data", "testdata"];

/// Names of folders that hold folders of tests, if one of [`INNER`] follows.
const OUTER: [&str; 6] = ["__tests__", "spec", "specs", "test", "tests", "testing"];

/// Names of folders of tests in one of [`OUTER`].
const INNER: [&str; 4] = ["fixture", "fixtures", "snapshot", "snapshots"];

/// Folders of workflows, below the root of a repository.
const WORKFLOWS: [&str; 9] = [
    ".ado",
    ".azure-pipelines",
    ".azuredevops",
    ".circleci",
    ".github/actions",
    ".github/workflows",
    ".pipelines",
    "pipelines",
    "scripts",
];

/// Maximum number of files that are searched for the names of folders.
const MAX_FILES: usize = 500;

/// Maximum length of such a file in bytes.
const MAX_LENGTH: u64 = 1 << 20;

/// Maximum depth of folders of workflows.
const MAX_DEPTH: usize = 3;

/// A folder of tests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TestFolder {
    /// The absolute path.
    path: PathBuf,
    /// The end of the path by which it is one, such as `tests/fixtures`.
    mark: String,
}

/// Returns the outermost folder of tests around a file, below a folder that the user named.
fn folder_of(file: &Path, root: &Path) -> Option<TestFolder> {
    let below = file.strip_prefix(root).ok()?;
    let names: Vec<String> = below.components().filter_map(text).collect();
    let mut path = root.to_path_buf();
    // The last one is the file.
    for (at, name) in names.iter().enumerate().take(names.len().saturating_sub(1)) {
        path.push(name);
        let lower = name.to_lowercase();
        if NAMES.contains(&lower.as_str()) {
            return Some(TestFolder { path, mark: name.clone() });
        }
        let outer = at.checked_sub(1).and_then(|at| names.get(at));
        if let Some(outer) = outer.filter(|outer| OUTER.contains(&outer.to_lowercase().as_str()))
            && INNER.contains(&lower.as_str())
        {
            return Some(TestFolder { path, mark: format!("{outer}/{name}") });
        }
    }
    None
}

fn text(component: Component<'_>) -> Option<String> {
    component.as_os_str().to_str().map(str::to_owned)
}

/// Removes the inputs in folders of tests. Also returns a problem for each folder that has templates. Parameter files that
/// belong to templates elsewhere are kept.
pub(super) fn without_tests(
    inputs: &Inputs<'_>,
    store: &Store<'_>,
    roots: &[PathBuf],
    found: Vec<Input>,
) -> (Vec<Input>, Vec<Diagnostic>) {
    let repository = store.folders.repository_of(inputs.working);
    let (mut kept, skipped) = divide(inputs, &store.fence, repository.as_deref(), found);
    let mut problems = Vec::new();
    for (folder, files) in skipped {
        let mut count = 0;
        for file in files {
            if is_template(&file.path) {
                count += 1;
                continue;
            }
            let (is_template, target) = role_of(inputs, store, roots, &file);
            count += usize::from(is_template);
            if target.is_some_and(|target| !target.starts_with(&folder.path)) {
                kept.push(file);
            }
        }
        problems.extend((count > 0).then(|| not_checked(inputs, store, &folder.path, count)));
    }
    kept.sort_by(|a, b| a.path.cmp(&b.path));
    (kept, problems)
}

/// Returns `true` if a file is a template; for a parameter file, the template that it belongs to. Of a file that is not
/// checked, no problem is reported.
fn role_of(inputs: &Inputs<'_>, store: &Store<'_>, roots: &[PathBuf], file: &Input) -> (bool, Option<PathBuf>) {
    if is_bicep(&file.path) {
        let contents = store.fence.read(&file.path, inputs.limits.file_bytes).ok();
        let text = contents.and_then(|contents| contents.decode().ok());
        return (false, text.and_then(|text| used_by(&file.path, &text)));
    }
    match store.inspect(file.clone()).0 {
        Some(loaded) if loaded.kind.is_of_parameters() => {
            (false, link(roots, store, &loaded).target().map(Path::to_path_buf))
        }
        loaded => (loaded.is_some(), None),
    }
}

fn not_checked(inputs: &Inputs<'_>, store: &Store<'_>, folder: &Path, count: usize) -> Diagnostic {
    let file = store.sources.add(display_name(inputs.working, folder), "");
    let message = match count {
        1 => "a template in a folder of tests is not checked".to_owned(),
        _ => format!("{count} templates in a folder of tests are not checked"),
    };
    let problem = Diagnostic::of_file(Code::FileTests, file, message).not_checked(NotChecked::Tests);
    problem.with_help("to check them, name the folder, or set `check-tests: true`")
}

/// Divides inputs into those that are checked, and those in folders of tests.
fn divide(
    inputs: &Inputs<'_>,
    fence: &Fence<'_>,
    repository: Option<&Path>,
    found: Vec<Input>,
) -> (Vec<Input>, BTreeMap<TestFolder, Vec<Input>>) {
    let mut skipped: BTreeMap<TestFolder, Vec<Input>> = BTreeMap::new();
    if !is_skipping(inputs) {
        return (found, skipped);
    }
    let given: Vec<PathBuf> = inputs.paths.iter().map(|path| normalize(inputs.working, path)).collect();
    let globs: Vec<PathBuf> =
        inputs.paths.iter().filter_map(|path| Some(glob_of(inputs.working, path, fence)?.0)).collect();
    let mut kept = Vec::with_capacity(found.len());
    for input in found {
        let is_named = input.named || globs.iter().any(|folder| input.path.starts_with(folder));
        let mut folders = given.iter().filter(|root| input.path.starts_with(root));
        // Below one of several folders of the user it may be in no folder of tests.
        let folder = folders.clone().next().and_then(|root| folder_of(&input.path, root));
        match folder.filter(|_| !is_named && folders.all(|root| folder_of(&input.path, root).is_some())) {
            Some(folder) => skipped.entry(folder).or_default().push(input),
            None => kept.push(input),
        }
    }
    let workflows =
        if skipped.is_empty() { Vec::new() } else { workflows(fence, repository.unwrap_or(inputs.working)) };
    let mut deployed = Vec::new();
    skipped.retain(|folder, inputs| {
        let is_deployed = workflows.iter().any(|text| text.contains(&folder.mark));
        if is_deployed {
            deployed.append(inputs);
        }
        !is_deployed
    });
    kept.append(&mut deployed);
    kept.sort_by(|a, b| a.path.cmp(&b.path));
    (kept, skipped)
}

/// Returns `true` if a run skips folders of tests: if the settings do not select files, and no change is known.
fn is_skipping(inputs: &Inputs<'_>) -> bool {
    inputs.filter.skips_tests && inputs.filter.include.is_empty() && inputs.narrowing.is_none()
}

/// Returns the texts of workflows, of other pipelines, and of the scripts that they run, with `/` in paths.
fn workflows(fence: &Fence<'_>, root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut open: Vec<(PathBuf, usize)> = WORKFLOWS.iter().map(|folder| (root.join(folder), 1)).collect();
    for path in fence.list(root).into_iter().flatten().filter(|path| is_pipeline(path)) {
        files.push(path);
    }
    while let Some((folder, depth)) = open.pop().filter(|_| files.len() < MAX_FILES) {
        for path in fence.list(&folder).into_iter().flatten() {
            if fence.is_folder(&path) {
                open.extend((depth < MAX_DEPTH).then_some((path, depth + 1)));
            } else {
                files.push(path);
            }
        }
    }
    let text = |path: PathBuf| {
        let contents = fence.read(&path, MAX_LENGTH).ok()?;
        Some(String::from_utf8_lossy(&contents.into_bytes()).replace('\\', "/"))
    };
    files.into_iter().take(MAX_FILES).filter_map(text).collect()
}

/// Returns `true` if a file at the root of a repository may deploy something.
fn is_pipeline(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let starts = ["azure-pipelines", "azure.y", "bitbucket-pipelines", "buildspec", "samconfig", "taskfile"];
    let ends = [".sh", ".ps1", ".cmd", ".bat"];
    let whole = [".gitlab-ci.yml", ".travis.yml", "jenkinsfile", "justfile", "makefile", "package.json"];
    starts.iter().any(|start| name.starts_with(start))
        || ends.iter().any(|end| name.ends_with(end))
        || whole.contains(&name.as_str())
}

/// Returns the template that a `.bicepparam` file names.
fn used_by(parameters: &Path, text: &str) -> Option<PathBuf> {
    let using = text.lines().find_map(|line| line.trim_start().strip_prefix("using "))?;
    let name = using.trim_start().strip_prefix('\'')?.split('\'').next()?;
    Some(normalize(parameters.parent()?, Path::new(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, expected: Option<(&str, &str)>) {
        let found = folder_of(&Path::new("/testdata/repo").join(file), Path::new("/testdata/repo"));
        let expected = expected
            .map(|(path, mark)| TestFolder { path: Path::new("/testdata/repo").join(path), mark: mark.to_owned() });
        assert_eq!(found, expected, "{file}");
    }

    #[test]
    fn a_folder_of_tests_is_known_by_its_name() {
        check("a/testdata/b/main.json", Some(("a/testdata", "testdata")));
        check("TestData/main.json", Some(("TestData", "TestData")));
        check("a/__snapshots__/x.json", Some(("a/__snapshots__", "__snapshots__")));
        check("examples_output/x.json", Some(("examples_output", "examples_output")));
        check("a/tests/fixtures/x.json", Some(("a/tests/fixtures", "tests/fixtures")));
        check("test/fixtures/testdata/x.json", Some(("test/fixtures", "test/fixtures")));
        for file in
            ["tests/x.json", "fixtures/x.json", "a/testdata.json", "tests/a/fixtures/x.json", "mytestdata/x.json"]
        {
            check(file, None);
        }
        // A folder that the user named, and those above it, do not count.
        assert_eq!(folder_of(Path::new("/r/testdata/x.json"), Path::new("/r/testdata")), None);
    }

    #[test]
    fn a_parameter_file_names_its_template() {
        let used = |text: &str| used_by(Path::new("/r/testdata/p.bicepparam"), text);
        assert_eq!(used("// x\nusing '../main.bicep'\n"), Some(PathBuf::from("/r/main.bicep")));
        assert_eq!(used("param a = 1\n"), None);
    }
}
