//! The template and the arguments of a nested deployment, which may be in other files.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/linked-templates#linked-template>.

use std::rc::Rc;

use crate::artifacts::{LOCATION, ROOT_URI};
use crate::diagnostic::{Code, Diagnostic, NotChecked};
use crate::eval::Evaluator;
use crate::expand::Expander;
use crate::expand::nested::evaluated_property;
use crate::expand::registry::{Instance, Node};
use crate::functions::article;
use crate::model::{Certainty, Guess, LinkProblem, Linked, Located};
use crate::parameters::parameter_file_problems;
use crate::text::{FileId, Span};
use crate::value::{Data, Kind, Str, Traits, Unknown, Value};

/// Maximum nesting of linked templates. The JSON reader bounds the nesting of templates inside one file.
const MAX_DEPTH: usize = 64;

/// The template of a nested deployment, inline or linked.
pub(super) struct NestedTemplate {
    pub(super) template: Value,
    pub(super) file: FileId,
    pub(super) is_linked: bool,
    /// The URI of the template that its own `deployment()` returns.
    pub(super) uri: String,
}

/// Target of a `templateLink` or a `parametersLink`.
enum LinkTarget {
    /// A path relative to the folder of a file.
    File { from: FileId, path: String, basis: Basis },
    /// A path from the root of the file system or of a drive.
    Absolute(Str),
    /// A template spec, by its ID.
    Spec(Str),
    /// A URL, or a link whose value is unknown.
    Remote,
}

/// Reason to resolve a link to a file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Basis {
    /// A path. Only then is a missing file an error.
    Path,
    /// The URI is relative to the location of the root template, which may also be a server that has other files.
    Location,
    /// The URI is this URL, which names the repository or resembles the path of the file. If only its end does, a template
    /// that does not fit is a different one.
    Url(String, Certainty),
}

impl Basis {
    const fn certainty(&self) -> Certainty {
        match self {
            Self::Path | Self::Location => Certainty::Named,
            Self::Url(_, certainty) => *certainty,
        }
    }
}

impl LinkTarget {
    /// Returns why the link may lead to another file; `None` if it names the file.
    const fn doubt(&self) -> Option<&'static str> {
        match self {
            Self::File { basis, .. } => basis.certainty().doubt(),
            _ => None,
        }
    }
}

/// True if a link with a guessed meaning leads to another template than the file: it would contain itself, or the file
/// does not take the arguments.
fn is_other(target: &LinkTarget, is_around: bool, fits: impl FnOnce() -> bool) -> bool {
    match target {
        LinkTarget::File { basis: Basis::Url(_, Certainty::Guessed(Guess::Artifacts)), .. } => is_around,
        LinkTarget::File { basis: Basis::Url(_, certainty), .. } if !certainty.is_likely() => is_around || !fits(),
        _ => false,
    }
}

impl Expander<'_> {
    /// Returns the template of a deployment. `None` if it is not available, which is reported: as a note if the
    /// template is remote, as an error if the link is broken.
    pub(super) fn template_of(
        &self,
        instance: &Rc<Instance>,
        outer: &Node,
        evaluator: &Evaluator<'_>,
    ) -> Option<NestedTemplate> {
        let properties = instance.declaration.get("properties");
        let inline = properties.and_then(|properties| properties.get("template"));
        let inline = inline.filter(|template| template.as_object().is_some());
        if let Some(template) = inline {
            let uri = outer_uri(outer).unwrap_or(ROOT_URI).to_owned();
            return Some(NestedTemplate { template: template.clone(), file: outer.file, is_linked: false, uri });
        }
        let link = evaluated_property(instance, evaluator, "templateLink");
        if self.world.has_unknowns
            && link.get("uri").and_then(Value::as_str).is_some_and(|uri| uri.starts_with("bicep:"))
        {
            return None;
        }
        let span = link.span.or(instance.declaration.span)?;
        let name = self.world.masked(&instance.name_text);
        let target = self.link_target(&link, outer);
        let remote = |why: &str| {
            let message = format!("the template of deployment `{name}` {why}, so its resources are not checked");
            Diagnostic::new(Code::TemplateRemote, span, message).not_checked(NotChecked::RemoteTemplate)
        };
        let Linked { file, name: file_name, value } = self.follow(&target, span, &remote)?;
        let around = self.enclosing_files(outer);
        let is_other = is_other(&target, around.contains(&file), || fits(instance, &value));
        if is_other {
            self.world.report(remote(ELSEWHERE));
            return None;
        }
        let refused = if value.as_object().is_none() {
            let kind = article(value.kind());
            Some((Code::TemplateShape, format!("a template must be an object, but `{file_name}` contains {kind}")))
        } else if around.len() > MAX_DEPTH {
            Some((Code::TemplateLimit, format!("linked templates are nested more than {MAX_DEPTH} levels deep")))
        } else if around.contains(&file) {
            Some((
                Code::TemplateCycle,
                format!("linked templates form a cycle: `{file_name}` is deployed inside itself"),
            ))
        } else {
            None
        };
        if let Some((code, message)) = refused {
            self.world.report(Diagnostic::new(code, span, message));
            return None;
        }
        if let Some(why) = target.doubt() {
            let message = format!("the template of deployment `{name}` was taken to be `{file_name}`: {why}");
            let problem = Diagnostic::new(Code::TemplateGuessed, span, message);
            self.world.report(problem.not_checked(NotChecked::GuessedTemplate));
        }
        self.world.budget.allow_for(&value);
        Some(NestedTemplate { template: value, file, is_linked: true, uri: uri_of(&target, outer) })
    }

    /// Returns the arguments of a deployment: its `parameters`, or those in the file of its `parametersLink`. Unknown
    /// if that file is not available.
    pub(super) fn arguments(&self, instance: &Rc<Instance>, outer: &Node, evaluator: &Evaluator<'_>) -> Value {
        let link = evaluated_property(instance, evaluator, "parametersLink");
        if link.is_null() {
            return evaluated_property(instance, evaluator, "parameters");
        }
        let name = self.world.masked(&instance.name_text);
        let target = self.link_target(&link, outer);
        let span = link.span.or(instance.declaration.span);
        let found = span.and_then(|span| {
            self.follow(&target, span, &|why| {
                let message = format!("the parameter file of deployment `{name}` {why}, so its values are unknown");
                Diagnostic::new(Code::TemplateRemote, span, message).not_checked(NotChecked::RemoteParameters)
            })
        });
        let Some(file) = found else {
            let why = format!("the parameter file of deployment `{name}` is not available");
            return Value::unknown(Unknown::new(Kind::Any, why));
        };
        if let (Some(why), Some(span)) = (target.doubt(), span) {
            let message = format!("the parameter file of deployment `{name}` was taken to be `{}`: {why}", file.name);
            let problem = Diagnostic::new(Code::TemplateGuessed, span, message);
            self.world.report(problem.not_checked(NotChecked::GuessedParameters));
        }
        for problem in parameter_file_problems(&file.value) {
            self.world.report(problem);
        }
        file.value.get("parameters").cloned().unwrap_or(Value::NULL)
    }

    /// Reads a link. Relative paths and URIs are relative to the file of the linking template `outer`.
    fn link_target(&self, link: &Value, outer: &Node) -> LinkTarget {
        let text = |name: &str| link.get(name).and_then(Value::as_shared_str);
        if let Some(id) = text("id") {
            return LinkTarget::Spec(id.clone());
        }
        if let Some(path) = text("relativePath") {
            return path_target(outer.file, path);
        }
        let Some(uri) = link.get("uri") else { return LinkTarget::Remote };
        let (text, is_known) = match &uri.data {
            Data::String(text) => (text, true),
            // A part of the path is unknown otherwise.
            Data::Unknown(unknown) if uri.traits.has(Traits::PATH) => match unknown.approximation.as_shared_str() {
                Some(text) => (text, false),
                None => return LinkTarget::Remote,
            },
            _ => return LinkTarget::Remote,
        };
        // The location of the root template is never known. A template that spells it names a server.
        let is_spelled = uri
            .as_unknown()
            .is_none_or(|unknown| unknown.ends.as_ref().is_some_and(|ends| ends.start.starts_with(ROOT_URI)));
        if let Some(path) =
            text.strip_prefix(ROOT_URI).filter(|path| !is_spelled && (path.is_empty() || path.starts_with('/')))
        {
            return self.target_beside_root(text, path);
        }
        let is_of = |scheme: &&str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        if ["http://", "https://"].iter().any(is_of) {
            return self.target_of_url(text, outer.file);
        }
        if let Some(path) = self.below_artifacts(text) {
            // What is not a path, no deployment reads from a folder.
            let basis = if text.contains("://") {
                Basis::Url(without_query(text).to_owned(), ARTIFACTS)
            } else {
                Basis::Location
            };
            return LinkTarget::File { from: self.registry.node(0).file, path, basis };
        }
        match text.split_once(':') {
            _ if !is_known => LinkTarget::Remote,
            Some((scheme, path)) if scheme.eq_ignore_ascii_case("file") => path_target(outer.file, without_query(path)),
            // A single letter is the drive of a Windows path.
            Some((scheme, _)) if scheme.len() > 1 && !scheme.contains(['/', '\\']) => LinkTarget::Remote,
            _ => path_target(outer.file, without_query(text)),
        }
    }

    /// Returns the target of a URI whose path is relative to the location of the root template.
    fn target_beside_root(&self, uri: &str, path: &str) -> LinkTarget {
        let from = self.registry.node(0).file;
        let path = without_query(path.trim_start_matches('/')).to_owned();
        if self.registry.loader.load(from, &path).is_err()
            && let Some(located) = self.registry.loader.locate(from, uri)
        {
            // The location is that of a template in a folder above, which links to this one.
            let certainty = Certainty::Guessed(Guess::Ending);
            let basis = Basis::Url(without_query(uri).to_owned(), certainty);
            return LinkTarget::File { from, path: located.path, basis };
        }
        LinkTarget::File { from, path, basis: Basis::Location }
    }

    /// Returns the target of a URL in the template in `file`.
    fn target_of_url(&self, uri: &str, file: FileId) -> LinkTarget {
        let located = self.registry.loader.locate(file, uri);
        let url = without_query(uri).to_owned();
        if let Some(Located { path, certainty }) = &located
            && certainty.is_likely()
        {
            return LinkTarget::File { from: file, path: path.clone(), basis: Basis::Url(url, *certainty) };
        }
        let root = self.registry.node(0).file;
        let artifact = self.below_artifacts(uri).filter(|path| self.registry.loader.load(root, path).is_ok());
        match (artifact, located) {
            (Some(path), _) => LinkTarget::File { from: root, path, basis: Basis::Url(url, ARTIFACTS) },
            (None, Some(Located { path, certainty })) => {
                LinkTarget::File { from: file, path, basis: Basis::Url(url, certainty) }
            }
            (None, None) => LinkTarget::Remote,
        }
    }

    /// Returns the path of a URI below the value of the parameter `_artifactsLocation` of the root template. By
    /// convention, that value is the folder of the root template, wherever it was copied to.
    fn below_artifacts(&self, uri: &str) -> Option<String> {
        let root = self.registry.node(0);
        if !root.level.parameters.has(LOCATION) {
            return None;
        }
        let location = self.evaluator(&root).parameter(LOCATION).ok()?.approximate();
        let location = without_query(location.as_str()?);
        // The location may also be the URI of the template itself.
        let folder = match location.rsplit_once('/') {
            Some((folder, name)) if name.contains('.') && folder.contains("://") && !folder.ends_with('/') => folder,
            _ => location.trim_end_matches('/'),
        };
        let path = without_query(uri.strip_prefix(folder)?).strip_prefix('/')?.trim_start_matches('/');
        (!path.is_empty()).then(|| path.to_owned())
    }

    /// Loads the file of a link. `None` if there is no file, which is reported at `span`: `remote` builds the
    /// diagnostic for a file outside the repository from the reason.
    fn follow(&self, target: &LinkTarget, span: Span, remote: &dyn Fn(&str) -> Diagnostic) -> Option<Linked> {
        let report = |code, message: String| self.world.report(Diagnostic::new(code, span, message));
        let (from, path, basis) = match target {
            LinkTarget::File { from, path, basis } => (*from, path, basis),
            LinkTarget::Spec(id) => {
                self.world.report(remote(&format!("is the template spec `{id}`")));
                return None;
            }
            LinkTarget::Remote => {
                self.world.report(remote(ELSEWHERE));
                return None;
            }
            LinkTarget::Absolute(path) => {
                report(Code::TemplateLink, format!("a link must be a relative path, but `{path}` is absolute"));
                return None;
            }
        };
        let problem = match self.registry.loader.load(from, path) {
            Ok(linked) => return Some(linked),
            Err(problem) => problem,
        };
        match problem {
            LinkProblem::Unusable(problems) => problems.into_iter().for_each(|problem| self.world.report(problem)),
            _ if *basis != Basis::Path => self.world.report(remote(ELSEWHERE)),
            LinkProblem::Missing => {
                report(Code::TemplateLink, format!("the linked file `{path}` does not exist"));
            }
            LinkProblem::Outside => {
                report(Code::TemplateLink, format!("the linked file `{path}` is outside the repository"));
            }
        }
        None
    }

    /// Returns the files of a template and of the templates that it is nested in, innermost first.
    fn enclosing_files(&self, node: &Node) -> Vec<FileId> {
        let mut files = vec![node.file];
        let mut next = node.parent;
        while let Some(node) = next.map(|index| self.registry.node(index)) {
            files.push(node.file);
            next = node.parent;
        }
        files
    }
}

/// Certainty of a file below `_artifactsLocation`.
const ARTIFACTS: Certainty = Certainty::Guessed(Guess::Artifacts);

/// Reason why a linked file is not read, for messages.
const ELSEWHERE: &str = "is not in this repository";

/// Returns `true` if the file that a link resembles may be the one that the deployment means: a template that declares
/// the parameters which the deployment passes.
fn fits(instance: &Instance, template: &Value) -> bool {
    let properties = instance.declaration.get("properties");
    let passed = properties.and_then(|properties| properties.get("parameters")).and_then(Value::as_object);
    let declared = template.get("parameters");
    let is_declared = |name: &str| declared.is_some_and(|declared| declared.get(name).is_some());
    template.get("resources").is_some() && passed.into_iter().flatten().all(|member| is_declared(&member.key))
}

fn path_target(from: FileId, path: &str) -> LinkTarget {
    let path = path.replace('\\', "/");
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with('/') || has_drive {
        return LinkTarget::Absolute(Str::from(path));
    }
    LinkTarget::File { from, path, basis: Basis::Path }
}

/// Removes the query and fragment of a URI: links to templates on a server often have an access token as the query.
fn without_query(uri: &str) -> &str {
    uri.split(['?', '#']).next().unwrap_or(uri)
}

/// Returns the URI that `deployment()` returns in a template.
fn outer_uri(node: &Node) -> Option<&str> {
    let link = node.level.deployment.get("properties")?.get("templateLink")?.as_unknown()?;
    link.approximation.get("uri")?.as_str()
}

/// Returns the URI that `deployment()` returns in a linked template.
fn uri_of(target: &LinkTarget, outer: &Node) -> String {
    match target {
        LinkTarget::File { basis: Basis::Url(url, _), .. } => url.clone(),
        // A path is relative to this template, a URI to the root.
        LinkTarget::File { path, basis: Basis::Path, .. } => joined(outer_uri(outer).unwrap_or(ROOT_URI), path),
        LinkTarget::File { path, .. } => joined(ROOT_URI, path),
        _ => ROOT_URI.to_owned(),
    }
}

/// Returns the URI of the file at `path`, which is relative to the folder of the file at `base`.
fn joined(base: &str, path: &str) -> String {
    let (host, base) = if let Some(path) = base.strip_prefix(ROOT_URI) {
        (ROOT_URI, path)
    } else {
        let after_scheme = base.split_once("://").map_or(base, |(_, rest)| rest);
        let path = after_scheme.find('/').map_or(0, |at| after_scheme.len() - at);
        base.split_at_checked(base.len() - path).unwrap_or((base, ""))
    };
    let folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    format!("{host}/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;

    use arcstr::ArcStr;

    use super::*;
    use crate::context::Context;
    use crate::expand::{Request, expand};
    use crate::model::{Budget, Limits, Loader};
    use crate::syntax::json;
    use crate::text::Sources;

    /// A folder in memory, by path.
    #[derive(Debug)]
    struct Folder {
        files: BTreeMap<String, Linked>,
    }

    impl Loader for Folder {
        fn load(&self, from: FileId, path: &str) -> Result<Linked, LinkProblem> {
            let from = self.files.values().find(|linked| linked.file == from).ok_or(LinkProblem::Missing)?;
            let folder = from.name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let name = joined(&format!("{ROOT_URI}/{folder}/x"), path);
            let name = name.trim_start_matches(ROOT_URI).trim_start_matches('/');
            self.files.get(name).cloned().ok_or(LinkProblem::Missing)
        }

        /// Resolves `https://this/` to the repository with certainty, and `https://fork/` as a guess.
        fn locate(&self, from: FileId, url: &str) -> Option<Located> {
            let from = self.files.values().find(|linked| linked.file == from)?;
            let up = "../".repeat(from.name.matches('/').count());
            let path = without_query(url);
            let this = path.strip_prefix("https://this/").map(|path| (path, Certainty::Named));
            let guess = Certainty::Guessed(Guess::Fork);
            let (path, certainty) = this.or_else(|| Some((path.strip_prefix("https://fork/")?, guess)))?;
            self.files.contains_key(path).then(|| Located { path: format!("{up}{path}"), certainty })
        }
    }

    /// Expands `main.json` among other files: a line for each resource with its file, each output, and each diagnostic.
    fn show(files: &[(&str, &str)]) -> String {
        let sources = Sources::new();
        let read = |&(name, text): &(&str, &str)| {
            let text: ArcStr = text.into();
            let file = sources.add(name, text.clone());
            let value = json::parse(file, &text, 256).value.unwrap();
            (name.to_owned(), Linked { file, name: name.into(), value })
        };
        let folder = Folder { files: files.iter().map(read).collect() };
        let main = &folder.files["main.json"];
        let expansion = expand(&Request {
            file: main.file,
            template: &main.value,
            parameters: None,
            overrides: &[],
            context: &Context::default(),
            budget: &Budget::new(&Limits::default()),
            states: true,
            explores: false,
            has_unknowns: false,
            loader: &folder,
        });
        let mut out = String::new();
        let document = expansion.document.unwrap();
        for resource in document.resources.iter().filter(|resource| &*resource.type_name == "A.B/c") {
            let file = sources.get(resource.span.file);
            writeln!(out, "{} {} {}", file.name(), resource.path, resource.name).unwrap();
        }
        for member in document.deployments[0].outputs.as_object().unwrap() {
            let value = member.value.get("value").unwrap();
            let unknown = value.first_unknown().map(|unknown| format!("unknown: {}", unknown.why));
            writeln!(out, "{} = {}", member.key, unknown.unwrap_or_else(|| value.to_json())).unwrap();
        }
        // What these short templates leave out is tested elsewhere.
        let is_of_links = |problem: &&Diagnostic| {
            problem.code != Code::ParameterRequired && !problem.message.contains("`apiVersion`")
        };
        for diagnostic in expansion.diagnostics.iter().filter(is_of_links) {
            let file = sources.get(diagnostic.primary.span.file);
            writeln!(out, "{} {} {}", file.name(), diagnostic.code.as_str(), diagnostic.message).unwrap();
        }
        out
    }

    /// `main.json` with a deployment `d` of these properties, and an output of it.
    fn main(properties: &str) -> String {
        format!(
            r#"{{"parameters": {{"base": {{"type": "string", "defaultValue": "[deployment().properties.templateLink.uri]"}},
            "stage": {{"type": "string", "defaultValue": "https://this"}}, "unset": {{"type": "string"}},
            "_artifactsLocation": {{"type": "string"}}, "_artifactsLocationSasToken": {{"type": "securestring"}}}},
            "resources": [{{"type": "Microsoft.Resources/deployments", "name": "d", "properties": {{"mode": "Incremental", {properties}}}}}],
            "outputs": {{"o": {{"type": "string", "value": "[reference('d').outputs.o.value]"}}}}}}"#
        )
    }

    const MODULE: &str = r#"{"parameters": {"p": {"type": "string", "defaultValue": "x"}},
        "resources": [{"type": "A.B/c", "name": "[parameters('p')]"}],
        "outputs": {"o": {"type": "string", "value": "[parameters('p')]"}}}"#;

    #[track_caller]
    fn check(properties: &str, expected: &[&str]) {
        let parameters = r#"{"parameters": {"p": {"value": "linked"}}}"#;
        let files = [
            ("main.json", &*main(properties)),
            ("nested/a.json", MODULE),
            ("nested/b.json", &main(r#""templateLink": {"relativePath": "a.json"}"#)),
            (
                "nested/c.json",
                &main(r#""templateLink": {"uri": "[uri(deployment().properties.templateLink.uri, 'a.json')]"}"#),
            ),
            ("p.json", parameters),
            ("list.json", "[]"),
        ];
        let found = show(&files);
        assert_eq!(found.lines().collect::<Vec<_>>(), expected, "\n{found}");
    }

    const IN_A: &str = "nested/a.json resources[0].properties.template.resources[0] x";

    #[test]
    fn a_linked_template_is_read_from_its_file() {
        check(r#""templateLink": {"relativePath": "nested/a.json"}"#, &[IN_A, r#"o = "x""#]);
        check(r#""templateLink": {"relativePath": ".\\nested\\a.json"}"#, &[IN_A, r#"o = "x""#]);
        check(r#""templateLink": {"uri": "nested/a.json"}"#, &[IN_A, r#"o = "x""#]);
        check(r#""templateLink": {"uri": "file:nested/a.json"}"#, &[IN_A, r#"o = "x""#]);
        let arguments = r#""templateLink": {"relativePath": "nested/a.json"}, "parameters": {"p": {"value": "y"}}"#;
        check(arguments, &["nested/a.json resources[0].properties.template.resources[0] y", r#"o = "y""#]);
    }

    #[test]
    fn links_are_relative_to_the_linking_template() {
        let by_uri = r#""templateLink": {"uri": "[uri(parameters('base'), concat('nested/a.json', '?sas'))]"}"#;
        check(by_uri, &[IN_A, r#"o = "x""#]);
        let twice = "nested/a.json resources[0].properties.template.resources[0].properties.template.resources[0] x";
        check(r#""templateLink": {"relativePath": "nested/b.json"}"#, &[twice, r#"o = "x""#]);
        check(r#""templateLink": {"relativePath": "nested/c.json"}"#, &[twice, r#"o = "x""#]);
    }

    #[test]
    fn a_remote_template_is_a_note_and_its_outputs_are_unknown() {
        let unknown = "o = unknown: only Azure knows the whole state of `d`";
        let remote = "main.json template/remote the template of deployment `d` is not in this repository, so its resources are not checked";
        check(r#""templateLink": {"uri": "https://example.org/a.json"}"#, &[unknown, remote]);
        let elsewhere = r#""templateLink": {"uri": "[uri(deployment().properties.templateLink.uri, 'other.json')]"}"#;
        check(elsewhere, &[unknown, remote]);
        let spec = "main.json template/remote the template of deployment `d` is the template spec `/s/v`, so its resources are not checked";
        check(r#""templateLink": {"id": "/s/v"}"#, &[unknown, spec]);
    }

    #[test]
    fn urls_of_the_repository_are_files() {
        let link = |uri: &str| format!(r#""templateLink": {{"uri": "{uri}"}}"#);
        let found = [IN_A, r#"o = "x""#];
        check(&link("https://this/nested/a.json?sas"), &found);
        check(&link("[concat('https://this', '/nested/a.json', parameters('unset'))]"), &found);
        check(
            &link("[concat(parameters('base'), '/nested/a.json', parameters('_artifactsLocationSasToken'))]"),
            &found,
        );
        check(&link("[concat(parameters('_artifactsLocation'), '/nested/a.json')]"), &found);
        check(
            &link("[format('{0}/nested/a.json{1}', parameters('stage'), parameters('_artifactsLocationSasToken'))]"),
            &found,
        );
        let guess = "main.json template/guessed the template of deployment `d` was taken to be `nested/a.json`: the URL \
            names the repository of another owner, and only its path is that of the file";
        check(&link("https://fork/nested/a.json"), &[IN_A, r#"o = "x""#, guess]);
    }

    #[test]
    fn the_location_of_the_root_template_cannot_be_spelled() {
        let remote = "main.json template/remote the template of deployment `d` is not in this repository, so its resources are not checked";
        let unknown = "o = unknown: only Azure knows the whole state of `d`";
        let link = |uri: &str| format!(r#""templateLink": {{"uri": "{uri}"}}"#);
        check(&link("https://deployment-uri.example.org/nested/a.json"), &[unknown, remote]);
        // `_artifactsLocation` has no value here, which stands for the same location.
        let guess = "main.json template/guessed the template of deployment `d` was taken to be `nested/a.json`: the URL \
            is below `_artifactsLocation`, where the file may be a different one";
        for uri in [
            "https://deployment-uri/nested/a.json",
            "[concat('https://deployment-uri/nested/a.json', parameters('_artifactsLocationSasToken'))]",
        ] {
            check(&link(uri), &[IN_A, r#"o = "x""#, guess]);
        }
    }

    #[test]
    fn a_url_with_an_unknown_part_of_its_path_is_remote() {
        let unknown = "o = unknown: only Azure knows the whole state of `d`";
        let remote = "main.json template/remote the template of deployment `d` is not in this repository, so its resources are not checked";
        for uri in [
            "[concat('https://this/', parameters('unset'), 'nested/a.json')]",
            "[concat('https://this/nested/', parameters('unset'), 'a.json')]",
            "[concat(parameters('base'), '/nested/', parameters('unset'), 'a.json')]",
            "[concat(parameters('unset'), '/nested/a.json')]",
            "[concat('https://this/', toLower(parameters('_artifactsLocation')), '/nested/a.json')]",
        ] {
            check(&format!(r#""templateLink": {{"uri": "{uri}"}}"#), &[unknown, remote]);
        }
    }

    #[test]
    fn a_resemblance_is_no_match_for_a_template_with_other_parameters_or_for_itself() {
        let unknown = "o = unknown: only Azure knows the whole state of `d`";
        let remote = "main.json template/remote the template of deployment `d` is not in this repository, so its resources are not checked";
        let other = r#""templateLink": {"uri": "https://fork/nested/a.json"}, "parameters": {"q": {"value": 1}}"#;
        check(other, &[unknown, remote]);
        check(r#""templateLink": {"uri": "https://fork/main.json"}"#, &[unknown, remote]);
    }

    #[test]
    fn broken_links_are_reported() {
        let unknown = "o = unknown: only Azure knows the whole state of `d`";
        let absolute =
            |path: &str| format!("main.json template/link a link must be a relative path, but `{path}` is absolute");
        check(r#""templateLink": {"relativePath": "/etc/a.json"}"#, &[unknown, &absolute("/etc/a.json")]);
        check(r#""templateLink": {"uri": "file:///etc/a.json"}"#, &[unknown, &absolute("///etc/a.json")]);
        check(r#""templateLink": {"relativePath": "C:\\a.json"}"#, &[unknown, &absolute("C:/a.json")]);
        let missing = "main.json template/link the linked file `z.json` does not exist";
        check(r#""templateLink": {"relativePath": "z.json"}"#, &[unknown, missing]);
        let shape = "main.json template/shape a template must be an object, but `list.json` contains an array";
        check(r#""templateLink": {"relativePath": "list.json"}"#, &[unknown, shape]);
        let cycle = "main.json template/cycle linked templates form a cycle: `main.json` is deployed inside itself";
        check(r#""templateLink": {"relativePath": "main.json"}"#, &[unknown, cycle]);
    }

    #[test]
    fn arguments_may_be_in_a_linked_file() {
        let link = |path: &str| {
            format!(r#""templateLink": {{"relativePath": "nested/a.json"}}, "parametersLink": {{"uri": "{path}"}}"#)
        };
        let linked = "nested/a.json resources[0].properties.template.resources[0] linked";
        check(&link("p.json"), &[linked, r#"o = "linked""#]);
        check(
            &link("https://example.org/p.json"),
            &[
                "nested/a.json resources[0].properties.template.resources[0] ",
                "o = unknown: the parameter file of deployment `d` is not available",
                "main.json template/remote the parameter file of deployment `d` is not in this repository, so its values are unknown",
            ],
        );
    }
}
