//! Services of the Serverless Framework, and the files that it merges into one template: each may use the names that the
//! others declare.
//!
//! References: <https://www.serverless.com/framework/docs/providers/aws/guide/resources>,
//! <https://www.serverless.com/framework/docs/guides/variables/file-properties>.

mod service;

use std::path::Path;

use crate::Request;
use crate::diagnostic::{Code, Diagnostic, NotChecked};
use crate::stack::Stack;
use crate::text::Span;
use crate::value::{Data, Value};

pub use self::service::is_service;
pub(super) use self::service::service;

/// The names of the file with a service, in a folder around those that it merges.
const SERVICES: [&str; 3] = ["serverless.yml", "serverless.yaml", "serverless.json"];

/// In how many folders around a file a service is looked for.
const MAX_FOLDERS: usize = 4;

/// Maximum number of files of a service that are read.
const MAX_FILES: usize = 200;

/// Start of a variable of the framework that stands for the content of a file.
const FILE: &str = "${file(";

/// Takes a file for a part of a template, of which a macro may make anything, if a service merges it with others.
pub(super) fn mark(request: &Request<'_>, stack: &mut Stack<'_>) {
    if request.raw || !is_merged(request) {
        return;
    }
    stack.has_macros = true;
    let (template, file) = (stack.template, request.file);
    let span = template.span.map_or_else(|| Span::whole_file(file), |span| template.head(span));
    let message =
        "the Serverless Framework merges this file with others, so names that it does not declare are not checked";
    stack.world.report(Diagnostic::new(Code::TemplateMacro, span, message).not_checked(NotChecked::Macro));
}

/// Says of a service that what the framework makes of the rest of its file is not checked.
pub(super) fn report(request: &Request<'_>, stack: &Stack<'_>) {
    let (template, file) = (stack.template, request.file);
    let span = template.span.map_or_else(|| Span::whole_file(file), |span| template.head(span));
    let message = "the Serverless Framework adds resources for functions and plugins, and replaces variables, so what it makes is not checked";
    stack.world.report(Diagnostic::new(Code::TemplateMacro, span, message).not_checked(NotChecked::Macro));
}

/// Returns `true` if a service in the folder of the requested file, or in a parent, merges the file with others.
fn is_merged(request: &Request<'_>) -> bool {
    let Request { loader, file, .. } = *request;
    // The name of a stack is that of its file.
    let is_named = |path: &&&str| Path::new(path).file_stem().is_some_and(|stem| stem == request.name);
    let folders = (0..MAX_FOLDERS).map(|levels| "../".repeat(levels));
    let mut services = folders.flat_map(|folder| SERVICES.map(|name| format!("{folder}{name}")));
    services.any(|service| {
        let Ok(service) = loader.load(file, &service) else { return false };
        let mut paths = Vec::new();
        collect(&service.value, &mut paths);
        paths
            .iter()
            .filter(is_named)
            .any(|path| loader.load(service.file, path).is_ok_and(|linked| linked.file == file))
    })
}

/// Adds the paths of the files that a value stands for or contains. Those with variables are not known.
fn collect<'v>(value: &'v Value, paths: &mut Vec<&'v str>) {
    match &value.data {
        Data::String(text) => {
            let ends = text.split(FILE).skip(1).filter_map(|rest| rest.split_once(')'));
            let known = ends.map(|(path, _)| path).filter(|path| !path.contains('$'));
            paths.extend(known.take(MAX_FILES.saturating_sub(paths.len())));
        }
        Data::Array(_) => value.as_array().into_iter().flatten().for_each(|item| collect(item, paths)),
        Data::Object(object) => object.iter().for_each(|member| collect(&member.value, paths)),
        _ => {}
    }
}
