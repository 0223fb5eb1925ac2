//! The template and the arguments of a nested deployment, which may be in other files.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/linked-templates#linked-template>.

use std::rc::Rc;

use crate::arm::eval::Evaluator;
use crate::arm::expand::Expander;
use crate::arm::expand::nested::evaluated_property;
use crate::arm::expand::registry::{Instance, Node};
use crate::arm::functions::article;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{LinkProblem, Linked};
use crate::text::{FileId, Span};
use crate::value::{Data, Kind, Str, Unknown, Value};

/// The URI of the root template that `deployment()` returns. It stands for the folder of that template, so a URI that
/// is built from it resolves to a file in the folder.
pub(in crate::arm) const ROOT_URI: &str = "https://deployment-uri";

/// How deep linked templates may be nested. The nesting of templates inside one file is bounded by the JSON reader.
const MAX_DEPTH: usize = 64;

/// The template of a nested deployment, inline or linked.
pub(super) struct NestedTemplate {
    pub(super) template: Value,
    pub(super) file: FileId,
    pub(super) is_linked: bool,
    /// The URI of the template that its own `deployment()` returns.
    pub(super) uri: String,
}

/// What a `templateLink` or a `parametersLink` refers to.
enum LinkTarget {
    /// A path relative to the folder of a file.
    File {
        from: FileId,
        path: String,
        /// Whether the link is a literal path. A URI that is computed from `deployment()` may also refer to a server
        /// that the templates are deployed from, so a missing file is not an error then.
        is_certain: bool,
    },
    /// A path from the root of the file system or of a drive.
    Absolute(Str),
    /// A template spec, by its ID.
    Spec(Str),
    /// A URL, or a link whose value is unknown.
    Remote,
}

impl Expander<'_> {
    /// The template of a deployment. `None` if there is none here, which is reported: as a note if the template is
    /// remote, as an error if the link is broken.
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
        let span = link.span.or(instance.declaration.span)?;
        let name = self.world.masked(&instance.name_text);
        let target = self.link_target(&link, outer);
        let (Linked { file, name: file_name, value }, path) = self.follow(&target, span, &|why| {
            format!("the template of deployment `{name}` {why}, so its resources are not checked")
        })?;
        if value.as_object().is_none() {
            let message = format!("a template must be an object, but `{file_name}` contains {}", article(value.kind()));
            self.world.report(Diagnostic::new(Code::TemplateShape, span, message));
            return None;
        }
        let around = self.enclosing_files(outer);
        if around.len() > MAX_DEPTH {
            let message = format!("linked templates are nested more than {MAX_DEPTH} levels deep");
            self.world.report(Diagnostic::new(Code::TemplateLimit, span, message));
            return None;
        }
        if around.contains(&file) {
            let message = format!("linked templates form a cycle: `{file_name}` is deployed inside itself");
            self.world.report(Diagnostic::new(Code::TemplateCycle, span, message));
            return None;
        }
        // A literal path is relative to this template, a computed URI to the root.
        let base = outer_uri(outer).filter(|_| matches!(target, LinkTarget::File { is_certain: true, .. }));
        let uri = joined(base, path);
        Some(NestedTemplate { template: value, file, is_linked: true, uri })
    }

    /// The arguments of a deployment: its `parameters`, or those in the file of its `parametersLink`. Unknown if that
    /// file is not available.
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
                format!("the parameter file of deployment `{name}` {why}, so its values are unknown")
            })
        });
        let Some((file, _)) = found else {
            let why = format!("the parameter file of deployment `{name}` is not available");
            return Value::unknown(Unknown::new(Kind::Any, why));
        };
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
        let (uri, is_certain) = match &uri.data {
            Data::String(uri) => (uri, true),
            Data::Unknown(unknown) => match unknown.approximation.as_shared_str() {
                Some(uri) => (uri, false),
                None => return LinkTarget::Remote,
            },
            _ => return LinkTarget::Remote,
        };
        if let Some(rest) = uri.strip_prefix(ROOT_URI) {
            let path = without_query(rest.trim_start_matches('/')).to_owned();
            return LinkTarget::File { from: self.registry.node(0).file, path, is_certain: false };
        }
        match uri.split_once(':') {
            _ if !is_certain => LinkTarget::Remote,
            Some((scheme, path)) if scheme.eq_ignore_ascii_case("file") => path_target(outer.file, without_query(path)),
            // A single letter is the drive of a Windows path.
            Some((scheme, _)) if scheme.len() > 1 && !scheme.contains(['/', '\\']) => LinkTarget::Remote,
            _ => path_target(outer.file, without_query(uri)),
        }
    }

    /// Loads the file of a link, and returns it with its path. `None` if there is no file, which is reported at `span`:
    /// `remote` words the message for a file that is not in the repository.
    fn follow(&self, target: &LinkTarget, span: Span, remote: &dyn Fn(&str) -> String) -> Option<(Linked, String)> {
        let report = |code, message: String| self.world.report(Diagnostic::new(code, span, message));
        let (from, path, is_certain) = match target {
            LinkTarget::File { from, path, is_certain } => (*from, path, *is_certain),
            LinkTarget::Spec(id) => {
                report(Code::TemplateRemote, remote(&format!("is the template spec `{id}`")));
                return None;
            }
            LinkTarget::Remote => {
                report(Code::TemplateRemote, remote("is not in this repository"));
                return None;
            }
            LinkTarget::Absolute(path) => {
                report(Code::TemplateLink, format!("a link must be a relative path, but `{path}` is absolute"));
                return None;
            }
        };
        let problem = match self.registry.loader.load(from, path) {
            Ok(linked) => return Some((linked, path.clone())),
            Err(problem) => problem,
        };
        match problem {
            LinkProblem::Missing if is_certain => {
                report(Code::TemplateLink, format!("the linked file `{path}` does not exist"));
            }
            LinkProblem::Missing => report(Code::TemplateRemote, remote("is not in this repository")),
            LinkProblem::Outside if !is_certain => report(Code::TemplateRemote, remote("is not in this repository")),
            LinkProblem::Outside => {
                report(Code::TemplateLink, format!("the linked file `{path}` is outside the repository"));
            }
            LinkProblem::Unusable(problems) => problems.into_iter().for_each(|problem| self.world.report(problem)),
        }
        None
    }

    /// The files of a template and of the templates that it is nested in, innermost first.
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

fn path_target(from: FileId, path: &str) -> LinkTarget {
    let path = path.replace('\\', "/");
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with('/') || has_drive {
        return LinkTarget::Absolute(Str::from(path));
    }
    LinkTarget::File { from, path, is_certain: true }
}

/// The URI without its query and fragment: templates on a server are often linked with an access token as the query.
fn without_query(uri: &str) -> &str {
    uri.split(['?', '#']).next().unwrap_or(uri)
}

/// The URI that `deployment()` returns in a template.
fn outer_uri(node: &Node) -> Option<&str> {
    let link = node.level.deployment.get("properties")?.get("templateLink")?.as_unknown()?;
    link.approximation.get("uri")?.as_str()
}

/// The URI of the template at `path`, which is relative to the template at `base`, or else to the root template.
fn joined(base: Option<&str>, path: String) -> String {
    let inside_root = base.and_then(|base| base.strip_prefix(ROOT_URI));
    let folder = inside_root.and_then(|path| path.rsplit_once('/')).map_or("", |(folder, _)| folder);
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
    format!("{ROOT_URI}/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;
    use std::sync::Arc;

    use super::*;
    use crate::arm::context::Context;
    use crate::arm::expand::{Request, expand};
    use crate::model::{Limits, Loader};
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
            let name = joined(Some(&format!("{ROOT_URI}/{folder}/x")), path.to_owned());
            let name = name.trim_start_matches(ROOT_URI).trim_start_matches('/');
            self.files.get(name).cloned().ok_or(LinkProblem::Missing)
        }
    }

    /// Expands `main.json` among other files: a line for each resource with its file, each output, and each diagnostic.
    fn show(files: &[(&str, &str)]) -> String {
        let sources = Sources::new();
        let read = |&(name, text): &(&str, &str)| {
            let text: Arc<str> = text.into();
            let file = sources.add(name, Arc::clone(&text));
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
            limits: &Limits::default(),
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
        for diagnostic in &expansion.diagnostics {
            let file = sources.get(diagnostic.primary.span.file);
            writeln!(out, "{} {} {}", file.name(), diagnostic.code.as_str(), diagnostic.message).unwrap();
        }
        out
    }

    /// `main.json` with a deployment `d` of these properties, and an output of it.
    fn main(properties: &str) -> String {
        format!(
            r#"{{"parameters": {{"base": {{"type": "string", "defaultValue": "[deployment().properties.templateLink.uri]"}}}},
            "resources": [{{"type": "Microsoft.Resources/deployments", "name": "d", "properties": {{{properties}}}}}],
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
