//! Finds the template that a parameter file belongs to.

use std::path::{Path, PathBuf};

use foldhash::HashSet;

use crate::cfn::{SAM_TEMPLATES, TEMPLATE_PATH};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::detect::is_sam_config;
use crate::engine::inputs::layout;
use crate::engine::inputs::load::Loaded;
use crate::engine::inputs::store::Store;
use crate::files::{Folders, display_name};
use crate::path::normalize;
use crate::text::{FileId, Span};
use crate::value::Value;

/// The template that a parameter file belongs to.
#[derive(Debug)]
pub(super) enum Link {
    /// This file, which it names and which exists.
    To(PathBuf),
    /// This file, which has a matching name and need not be a template.
    Near(PathBuf),
    /// No template: the file names none, and no template or more than one has a matching name. The list has the
    /// templates that may be meant.
    Nowhere(Vec<PathBuf>),
    /// A template that the file names and that cannot be used, for this reason.
    Broken(Diagnostic),
}

impl Link {
    /// Returns `true` if the link leads to one of `templates`.
    pub(super) fn leads_to(&self, templates: &HashSet<&Path>) -> bool {
        self.target().is_some_and(|target| templates.contains(target))
    }

    /// Returns the template that the link leads to.
    pub(super) fn target(&self) -> Option<&Path> {
        match self {
            Self::To(target) | Self::Near(target) => Some(target),
            Self::Nowhere(_) | Self::Broken(_) => None,
        }
    }
}

/// Returns the template of a parameter file: the one that the settings name, else as [`by_itself`].
pub(super) fn link(roots: &[PathBuf], store: &Store<'_>, file: &Loaded) -> Link {
    by_settings(store, file)
        .unwrap_or_else(|| by_itself((roots, &store.folders), &file.input.path, file.file, &store.value(file)))
}

/// Returns the template that the settings name for a parameter file.
fn by_settings(store: &Store<'_>, file: &Loaded) -> Option<Link> {
    let template = store.template_of(&file.input.path)?;
    if store.fence.is_file(template) {
        return Some(Link::To(template.to_path_buf()));
    }
    let name = display_name(store.working, template);
    let message = format!("`{name}`, which the settings name as the template of this file, does not exist");
    Some(Link::Broken(Diagnostic::of_file(Code::TemplateLink, file.file, message)))
}

/// Returns the template of the parameter file at `path`: `metadata.template` first, then by name, beside the file or in
/// a folder near it. `around` are the current folder and those that the user named, and what is known of folders.
fn by_itself(around: (&[PathBuf], &Folders<'_>), path: &Path, file: FileId, value: &Value) -> Link {
    let in_metadata = value.get("metadata").and_then(|metadata| metadata.get("template"));
    // Git sync names it so.
    let named = value.as_object().and_then(|file| file.get_exact(TEMPLATE_PATH)).or(in_metadata);
    if let Some((text, value)) = named.and_then(|name| Some((name.as_str()?, name))) {
        let span = value.span.unwrap_or(Span::whole_file(file));
        return match resolve(around, path, text) {
            Ok(target) => Link::To(target),
            Err(message) => match source_of_build(around, path, text) {
                Some(source) => Link::Near(source),
                None => Link::Broken(Diagnostic::new(Code::TemplateLink, span, message)),
            },
        };
    }
    let mut candidates = candidates(path).into_iter();
    match candidates.find(|path| around.1.fence().is_file(path)) {
        Some(target) => Link::Near(target),
        None => by_layout(around, path, value),
    }
}

/// Returns the Bicep file that a build makes the named template of, which is not in the repository: beside the
/// parameter file, or near it if only one has the name.
fn source_of_build((roots, folders): (&[PathBuf], &Folders<'_>), path: &Path, template: &str) -> Option<PathBuf> {
    let text = template.replace('\\', "/");
    let named = Path::new(&text);
    let stem = named.file_stem().filter(|_| has_extension(named, "json"))?;
    let name = format!("{}.bicep", stem.to_str()?);
    let fence = folders.fence();
    let beside = path.with_file_name(&name);
    if fence.is_file(&beside) {
        return Some(beside);
    }
    let around = if has_room_above((roots, folders), path) { layout::folders(fence, path) } else { Vec::new() };
    let mut near = around.into_iter().map(|folder| folder.join(&name)).filter(|path| fence.is_file(path));
    near.next().filter(|_| near.next().is_none())
}

/// Returns `true` if the folder above that of a file may be read.
fn has_room_above((roots, folders): (&[PathBuf], &Folders<'_>), path: &Path) -> bool {
    let Some(above) = path.parent().and_then(Path::parent) else { return false };
    let repository = folders.repository_of(path.parent().unwrap_or(path));
    roots.iter().map(PathBuf::as_path).chain(repository.as_deref()).any(|root| above.starts_with(root))
}

/// Returns the one template near a parameter file with a matching name.
fn by_layout((roots, folders): (&[PathBuf], &Folders<'_>), path: &Path, value: &Value) -> Link {
    if !has_room_above((roots, folders), path) {
        return Link::Nowhere(Vec::new());
    }
    let near = layout::around(folders.fence(), path);
    let mut fitting = near.iter().filter(|template| layout::fits(folders.fence(), template, value));
    match (fitting.next(), fitting.next()) {
        (Some(template), None) => Link::Near(template.clone()),
        _ if near.is_empty() => Link::Nowhere(layout::above(folders.fence(), path, value)),
        _ => Link::Nowhere(near),
    }
}

/// Returns the path of the template that a parameter file names. `./` and `../` are relative to the parameter file,
/// anything else to a root or the repository. The target must be in one of these or beside the parameter file, so that
/// a parameter file cannot make a run read other files of the machine.
fn resolve((roots, folders): (&[PathBuf], &Folders<'_>), path: &Path, template: &str) -> Result<PathBuf, String> {
    let folder = path.parent().unwrap_or(path);
    let repository = folders.repository_of(folder);
    let roots: Vec<&Path> = roots.iter().map(PathBuf::as_path).chain(repository.as_deref()).collect();
    let text = template.replace('\\', "/");
    let starts = if text.starts_with("./") || text.starts_with("../") { vec![folder] } else { roots.clone() };
    let relative = Path::new(text.trim_start_matches('/'));
    let mut targets = starts.iter().map(|start| normalize(start, relative));
    let Some(target) = targets.find(|target| folders.fence().is_file(target)) else {
        return Err(format!("the linked template `{template}` does not exist"));
    };
    if !roots.iter().chain([&folder]).any(|root| lies_in(&target, root, folders)) {
        return Err(format!("the linked template `{template}` is outside the repository and the current folder"));
    }
    Ok(target)
}

/// Returns the template of settings of the AWS SAM CLI: as for [`link`], or the first that they name which exists, and
/// may be read. Often it is one that is only there after `sam build`.
pub(super) fn of_sam_config(roots: &[PathBuf], store: &Store<'_>, config: &Loaded, names: &[String]) -> Link {
    let (path, around) = (&config.input.path, (roots, &*store.folders));
    let named = || names.iter().find_map(|name| resolve(around, path, &format!("./{name}")).ok());
    let by_name = || candidates(path).into_iter().find(|path| store.fence.is_file(path));
    let near = || named().or_else(by_name).map_or_else(|| Link::Nowhere(Vec::new()), Link::Near);
    by_settings(store, config).unwrap_or_else(near)
}

/// Returns `true` if a file is in a folder. Symbolic links are resolved, because one in a repository may lead out of
/// it. What git keeps there is no part of the folder.
pub(super) fn lies_in(target: &Path, root: &Path, folders: &Folders<'_>) -> bool {
    match (folders.real(target), folders.real(root)) {
        (Ok(target), Ok(root)) => {
            target.strip_prefix(root).is_ok_and(|below| !below.components().any(|part| part.as_os_str() == ".git"))
        }
        _ => false,
    }
}

/// The extensions of templates, the best first.
pub(super) const EXTENSIONS: [&str; 8] = ["json", "jsonc", "bicep", "yaml", "yml", "template", "arm", "cfn"];

/// True if a template is one that a parameter file may belong to by its name.
pub(super) fn may_belong(parameters: &Path, template: &Path) -> bool {
    candidates(parameters).iter().any(|candidate| candidate == template)
}

/// The word in the name of a parameter file.
const WORDS: [&str; 4] = ["param", "parameter", "parameters", "params"];

/// Returns the templates that a parameter file may belong to by its name, best first: `x.parameters.json`,
/// `x.parameters.dev.json` and `x.dev.parameters.json` belong to `x.json`, or to `x` with another extension. For the
/// last one, `x.dev.json` is preferred. `params` means the same as `parameters`, and a hyphen or an underscore may
/// stand before it. The settings of the AWS SAM CLI belong to what it takes without a name.
pub(super) fn candidates(path: &Path) -> Vec<PathBuf> {
    if is_sam_config(path) {
        return SAM_TEMPLATES.map(|name| path.with_file_name(name)).into();
    }
    let stems = stems(path).into_iter();
    stems.flat_map(|stem| EXTENSIONS.map(|extension| path.with_file_name(format!("{stem}.{extension}")))).collect()
}

/// Returns the rest of a name's part before its final word of [`WORDS`], without the separator; empty if the part is
/// the word itself. `None` if it ends with none of them.
fn before_word(part: &str) -> Option<&str> {
    WORDS.iter().find_map(|word| {
        let (rest, end) = part.split_at_checked(part.len().checked_sub(word.len())?)?;
        let rest = if rest.is_empty() { Some(rest) } else { rest.strip_suffix(['-', '_']) };
        rest.filter(|_| end.eq_ignore_ascii_case(word))
    })
}

/// Returns the names of templates that the name of a parameter file is made of, without extensions.
pub(super) fn stems(path: &Path) -> Vec<String> {
    let ours = ["json", "jsonc", "yaml", "yml"].iter().any(|extension| has_extension(path, extension));
    let Some(name) = path.file_stem().and_then(|stem| stem.to_str()).filter(|_| ours) else {
        return Vec::new();
    };
    let parts: Vec<&str> = name.split('.').collect();
    let at = parts.iter().rposition(|part| before_word(part).is_some());
    // An environment is one word, before or after the word for parameters.
    let Some(at) = at.filter(|&at| at + 2 >= parts.len()) else {
        return Vec::new();
    };
    let stem = |count: usize| parts.get(..count).unwrap_or_default().join(".");
    let rest = parts.get(at).and_then(|part| before_word(part)).unwrap_or_default();
    let mut stems =
        vec![[stem(at), rest.to_owned()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")];
    if at >= 2 && at + 1 == parts.len() && rest.is_empty() {
        stems.push(stem(at - 1));
    }
    stems.retain(|stem| !stem.is_empty());
    stems
}

pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

#[cfg(test)]
mod tests {
    use crate::files::{Disk, Fence};
    use std::fs;

    use super::*;
    use crate::text::Sources;
    use crate::value::Member;

    #[track_caller]
    fn check_names(parameters: &str, expected: &[&str]) {
        let names = candidates(Path::new(parameters)).into_iter();
        let json = names.filter(|path| has_extension(path, "json"));
        let found: Vec<String> = json.map(|path| path.display().to_string()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn names_lead_to_templates() {
        check_names("x.parameters.json", &["x.json"]);
        check_names("x.parameters.jsonc", &["x.json"]);
        check_names("a/x.parameters.dev.json", &["a/x.json"]);
        check_names("x.dev.parameters.json", &["x.dev.json", "x.json"]);
        check_names("a.b.Parameters.JSON", &["a.b.json", "a.json"]);
        check_names("x.parameters.yaml", &["x.json"]);
        check_names("x.test.param.json", &["x.test.json", "x.json"]);
        check_names("my-x-Parameters.json", &["my-x.json"]);
        check_names("x_params.dev.json", &["x.json"]);
        check_names("x.dev-params.json", &["x.dev.json"]);
    }

    #[test]
    fn other_names_lead_nowhere() {
        check_names("x.json", &[]);
        check_names("parameters.json", &[]);
        check_names("-params.json", &[]);
        check_names("xparams.json", &[]);
        check_names("x.parameters.toml", &[]);
        check_names("x.parameters.a.b.json", &[]);
    }

    /// Returns a repository with a template in `infra`, and what a parameter file in `params` links to.
    fn target(template: Option<&str>) -> Result<Option<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let repository = root.join("repo");
        for it in ["repo/.git", "repo/infra", "repo/params", "repo/work"] {
            fs::create_dir_all(root.join(it)).unwrap();
        }
        for it in
            ["repo/infra/main.json", "repo/infra/app.bicep", "repo/params/x.jsonc", "repo/params/y.bicep", "out.json"]
        {
            fs::write(root.join(it), "").unwrap();
        }
        let name = template.map(|name| Member::new("template", Value::from(name)));
        let metadata = Value::object(name.into_iter().collect());
        let value = Value::object(vec![Member::new("metadata", metadata)]);
        let path = repository.join("params/x.parameters.json");
        let file = Sources::new().add("x", "");
        match by_itself((&[repository.join("work")], &Folders::new(Fence::of_user(&Disk))), &path, file, &value) {
            Link::To(target) | Link::Near(target) => {
                let shown = target.strip_prefix(&repository).unwrap();
                Ok(Some(shown.display().to_string()))
            }
            Link::Nowhere(_) => Ok(None),
            Link::Broken(diagnostic) => Err(diagnostic.message),
        }
    }

    #[test]
    fn metadata_names_the_template_from_the_file_or_from_the_repository() {
        let main = Ok(Some("infra/main.json".to_owned()));
        assert_eq!(target(Some("../infra/main.json")), main);
        assert_eq!(target(Some("infra/main.json")), main);
        assert_eq!(target(Some("/infra/main.json")), main);
        assert_eq!(target(Some("..\\infra\\main.json")), main);
    }

    #[test]
    fn without_metadata_the_name_counts() {
        assert_eq!(target(None), Ok(Some("params/x.jsonc".to_owned())));
    }

    #[test]
    fn metadata_may_name_what_a_build_makes_of_a_bicep_file() {
        assert_eq!(target(Some("./out/app.json")), Ok(Some("infra/app.bicep".to_owned())));
        assert_eq!(target(Some("bin/y.json")), Ok(Some("params/y.bicep".to_owned())));
    }

    #[test]
    fn a_link_that_cannot_be_used_is_an_error() {
        let missing = "the linked template `./main.json` does not exist";
        assert_eq!(target(Some("./main.json")), Err(missing.to_owned()));
        let outside = "the linked template `../../out.json` is outside the repository and the current folder";
        assert_eq!(target(Some("../../out.json")), Err(outside.to_owned()));
    }
}
