//! The template and the arguments of a nested deployment, where they stand in other files.
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

/// Where the template of the root lies, as `deployment()` tells it. It stands for the folder of that template: what is
/// put behind it is looked for there.
pub(in crate::arm) const ROOT_URI: &str = "https://deployment-uri";

/// How deep templates may lie in each other where one more is linked to. Those of one file are bounded by its nesting.
const MAX_DEPTH: usize = 64;

/// The template of a nested deployment.
pub(super) struct Found {
    pub(super) template: Value,
    pub(super) file: FileId,
    pub(super) is_linked: bool,
    /// Where it lies, as its `deployment()` tells it.
    pub(super) uri: String,
}

/// What a `templateLink` or a `parametersLink` says.
enum Place {
    /// A path below the folder of a file.
    File {
        from: FileId,
        path: String,
        /// Whether nothing else can be meant: the template may also be deployed from where this file is not.
        is_certain: bool,
    },
    /// A path that begins at the root of a disk.
    Absolute(Str),
    /// A template spec.
    Spec(Str),
    /// Somewhere in the network, or nobody knows where.
    Remote,
}

impl Expander<'_> {
    /// The template of a deployment. Why there is none is reported: a template that is elsewhere is a notice.
    pub(super) fn template_of(
        &self,
        instance: &Rc<Instance>,
        outer: &Node,
        evaluator: &Evaluator<'_>,
    ) -> Option<Found> {
        let properties = instance.declaration.get("properties");
        let inline = properties.and_then(|it| it.get("template")).filter(|it| it.as_object().is_some());
        if let Some(template) = inline {
            let uri = outer_uri(outer).unwrap_or(ROOT_URI).to_owned();
            return Some(Found { template: template.clone(), file: outer.file, is_linked: false, uri });
        }
        let link = evaluated_property(instance, evaluator, "templateLink");
        let span = link.span.or(instance.declaration.span)?;
        let name = &instance.name_text;
        let place = self.place(&link, outer);
        let (Linked { file, name: file_name, value }, path) = self.follow(&place, span, &|why| {
            format!("the template of deployment `{name}` {why}, so its resources are not checked")
        })?;
        if value.as_object().is_none() {
            let message = format!("a template must be an object, and `{file_name}` holds {}", article(value.kind()));
            self.world.report(Diagnostic::new(Code::TemplateShape, span, message));
            return None;
        }
        let around = self.files_around(outer);
        if around.len() > MAX_DEPTH {
            let message = format!("linked templates lie deeper in each other than {MAX_DEPTH} levels");
            self.world.report(Diagnostic::new(Code::TemplateLimit, span, message));
            return None;
        }
        if around.contains(&file) {
            let message = format!("templates link to each other in a circle: `{file_name}` is deployed inside itself");
            self.world.report(Diagnostic::new(Code::TemplateCycle, span, message));
            return None;
        }
        let uri = joined(outer_uri(outer).filter(|_| matches!(place, Place::File { is_certain: true, .. })), path);
        Some(Found { template: value, file, is_linked: true, uri })
    }

    /// The arguments of a deployment: its `parameters`, or those of the file of its `parametersLink`. An unknown where
    /// that file cannot be had.
    pub(super) fn arguments(&self, instance: &Rc<Instance>, outer: &Node, evaluator: &Evaluator<'_>) -> Value {
        let link = evaluated_property(instance, evaluator, "parametersLink");
        if link.is_null() {
            return evaluated_property(instance, evaluator, "parameters");
        }
        let name = &instance.name_text;
        let place = self.place(&link, outer);
        let span = link.span.or(instance.declaration.span);
        let found = span.and_then(|span| {
            self.follow(&place, span, &|why| {
                format!("the parameter file of deployment `{name}` {why}, so its values are unknown")
            })
        });
        let Some((file, _)) = found else {
            let why = format!("the parameter file of deployment `{name}` is elsewhere");
            return Value::unknown(Unknown::new(Kind::Any, why));
        };
        file.value.get("parameters").cloned().unwrap_or(Value::NULL)
    }

    fn place(&self, link: &Value, outer: &Node) -> Place {
        let text = |name: &str| link.get(name).and_then(Value::as_shared_str);
        if let Some(id) = text("id") {
            return Place::Spec(id.clone());
        }
        if let Some(path) = text("relativePath") {
            return of_path(outer.file, path);
        }
        let Some(uri) = link.get("uri") else { return Place::Remote };
        let (uri, is_certain) = match &uri.data {
            Data::String(uri) => (uri, true),
            Data::Unknown(unknown) => match unknown.approximation.as_shared_str() {
                Some(uri) => (uri, false),
                None => return Place::Remote,
            },
            _ => return Place::Remote,
        };
        if let Some(rest) = uri.strip_prefix(ROOT_URI) {
            let path = without_query(rest.trim_start_matches('/')).to_owned();
            return Place::File { from: self.registry.node(0).file, path, is_certain: false };
        }
        match uri.split_once(':') {
            _ if !is_certain => Place::Remote,
            Some((scheme, path)) if scheme.eq_ignore_ascii_case("file") => of_path(outer.file, without_query(path)),
            // One letter is a disk and no scheme.
            Some((scheme, _)) if scheme.len() > 1 && !scheme.contains(['/', '\\']) => Place::Remote,
            _ => of_path(outer.file, without_query(uri)),
        }
    }

    /// The file at a place, with its path. `word` makes a message of why there is none.
    fn follow(&self, place: &Place, span: Span, word: &dyn Fn(&str) -> String) -> Option<(Linked, String)> {
        let report = |code, message: String| self.world.report(Diagnostic::new(code, span, message));
        let (from, path, is_certain) = match place {
            Place::File { from, path, is_certain } => (*from, path, *is_certain),
            Place::Spec(id) => {
                report(Code::TemplateRemote, word(&format!("is the template spec `{id}`")));
                return None;
            }
            Place::Remote => {
                report(Code::TemplateRemote, word("is not in this repository"));
                return None;
            }
            Place::Absolute(path) => {
                report(Code::TemplateLink, format!("a linked file lies in the repository, and `{path}` is absolute"));
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
            LinkProblem::Missing => report(Code::TemplateRemote, word("is not in this repository")),
            LinkProblem::Outside if !is_certain => report(Code::TemplateRemote, word("is not in this repository")),
            LinkProblem::Outside => {
                report(Code::TemplateLink, format!("the linked file `{path}` lies outside the repository"));
            }
            LinkProblem::Unusable(problems) => problems.into_iter().for_each(|it| self.world.report(it)),
        }
        None
    }

    /// The files of a template and of those around it.
    fn files_around(&self, node: &Node) -> Vec<FileId> {
        let mut files = vec![node.file];
        let mut next = node.parent;
        while let Some(node) = next.map(|it| self.registry.node(it)) {
            files.push(node.file);
            next = node.parent;
        }
        files
    }
}

fn of_path(from: FileId, path: &str) -> Place {
    let path = path.replace('\\', "/");
    let is_disk = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with('/') || is_disk {
        return Place::Absolute(Str::from(path));
    }
    Place::File { from, path, is_certain: true }
}

/// Access tokens are put behind the URI of a template.
fn without_query(uri: &str) -> &str {
    uri.split(['?', '#']).next().unwrap_or(uri)
}

/// Where a template lies, as its `deployment()` tells it.
fn outer_uri(node: &Node) -> Option<&str> {
    let link = node.level.deployment.get("properties")?.get("templateLink")?.as_unknown()?;
    link.approximation.get("uri")?.as_str()
}

/// The URI of the template at `path`, relative to that of another, or else to that of the root.
fn joined(base: Option<&str>, path: String) -> String {
    let folder = base.and_then(|it| it.strip_prefix(ROOT_URI)).and_then(|it| it.rsplit_once('/'));
    let folder = folder.map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
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

    /// A folder in memory.
    #[derive(Debug)]
    struct Folder {
        files: BTreeMap<String, Linked>,
    }

    impl Loader for Folder {
        fn load(&self, from: FileId, path: &str) -> Result<Linked, LinkProblem> {
            let from = self.files.values().find(|it| it.file == from).ok_or(LinkProblem::Missing)?;
            let folder = from.name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let name = joined(Some(&format!("{ROOT_URI}/{folder}/x")), path.to_owned());
            let name = name.trim_start_matches(ROOT_URI).trim_start_matches('/');
            self.files.get(name).cloned().ok_or(LinkProblem::Missing)
        }
    }

    /// What becomes of `main.json` among other files: resources with the file they stand in, outputs, diagnostics.
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
        for it in document.resources.iter().filter(|it| &*it.type_name == "A.B/c") {
            let file = sources.get(it.span.file);
            writeln!(out, "{} {} {}", file.name(), it.path, it.name).unwrap();
        }
        for member in document.deployments[0].outputs.as_object().unwrap() {
            let value = member.value.get("value").unwrap();
            let known = value.first_unknown().map_or_else(|| value.to_json(), |it| format!("unknown: {}", it.why));
            writeln!(out, "{} = {known}", member.key).unwrap();
        }
        for it in &expansion.diagnostics {
            let file = sources.get(it.primary.span.file);
            writeln!(out, "{} {} {}", file.name(), it.code.as_str(), it.message).unwrap();
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
    fn a_linked_template_is_read_from_its_file_and_keeps_its_places() {
        check(r#""templateLink": {"relativePath": "nested/a.json"}"#, &[IN_A, r#"o = "x""#]);
        check(r#""templateLink": {"relativePath": ".\\nested\\a.json"}"#, &[IN_A, r#"o = "x""#]);
        check(r#""templateLink": {"uri": "nested/a.json"}"#, &[IN_A, r#"o = "x""#]);
        check(r#""templateLink": {"uri": "file:nested/a.json"}"#, &[IN_A, r#"o = "x""#]);
        let arguments = r#""templateLink": {"relativePath": "nested/a.json"}, "parameters": {"p": {"value": "y"}}"#;
        check(arguments, &["nested/a.json resources[0].properties.template.resources[0] y", r#"o = "y""#]);
    }

    #[test]
    fn what_lies_beside_the_own_template_is_found_there() {
        let by_uri = r#""templateLink": {"uri": "[uri(parameters('base'), concat('nested/a.json', '?sas'))]"}"#;
        check(by_uri, &[IN_A, r#"o = "x""#]);
        let twice = "nested/a.json resources[0].properties.template.resources[0].properties.template.resources[0] x";
        check(r#""templateLink": {"relativePath": "nested/b.json"}"#, &[twice, r#"o = "x""#]);
        check(r#""templateLink": {"relativePath": "nested/c.json"}"#, &[twice, r#"o = "x""#]);
    }

    #[test]
    fn what_is_elsewhere_is_a_notice_and_its_outputs_are_unknown() {
        let unknown = "o = unknown: only Azure knows the whole state of `d`";
        let remote = "main.json template/remote the template of deployment `d` is not in this repository, so its resources are not checked";
        check(r#""templateLink": {"uri": "https://example.org/a.json"}"#, &[unknown, remote]);
        let elsewhere = r#""templateLink": {"uri": "[uri(deployment().properties.templateLink.uri, 'other.json')]"}"#;
        check(elsewhere, &[unknown, remote]);
        let spec = "main.json template/remote the template of deployment `d` is the template spec `/s/v`, so its resources are not checked";
        check(r#""templateLink": {"id": "/s/v"}"#, &[unknown, spec]);
    }

    #[test]
    fn links_that_cannot_be_followed_are_refused() {
        let unknown = "o = unknown: only Azure knows the whole state of `d`";
        let absolute = |path: &str| {
            format!("main.json template/link a linked file lies in the repository, and `{path}` is absolute")
        };
        check(r#""templateLink": {"relativePath": "/etc/a.json"}"#, &[unknown, &absolute("/etc/a.json")]);
        check(r#""templateLink": {"uri": "file:///etc/a.json"}"#, &[unknown, &absolute("///etc/a.json")]);
        check(r#""templateLink": {"relativePath": "C:\\a.json"}"#, &[unknown, &absolute("C:/a.json")]);
        let missing = "main.json template/link the linked file `z.json` does not exist";
        check(r#""templateLink": {"relativePath": "z.json"}"#, &[unknown, missing]);
        let shape = "main.json template/shape a template must be an object, and `list.json` holds an array";
        check(r#""templateLink": {"relativePath": "list.json"}"#, &[unknown, shape]);
        let circle =
            "main.json template/cycle templates link to each other in a circle: `main.json` is deployed inside itself";
        check(r#""templateLink": {"relativePath": "main.json"}"#, &[unknown, circle]);
    }

    #[test]
    fn arguments_may_be_in_a_file_too() {
        let link = |path: &str| {
            format!(r#""templateLink": {{"relativePath": "nested/a.json"}}, "parametersLink": {{"uri": "{path}"}}"#)
        };
        let linked = "nested/a.json resources[0].properties.template.resources[0] linked";
        check(&link("p.json"), &[linked, r#"o = "linked""#]);
        check(
            &link("https://example.org/p.json"),
            &[
                "nested/a.json resources[0].properties.template.resources[0] ",
                "o = unknown: the parameter file of deployment `d` is elsewhere",
                "main.json template/remote the parameter file of deployment `d` is not in this repository, so its values are unknown",
            ],
        );
    }
}
