//! The tool `expand`: the resources that a template deploys.

use std::fmt::Write as _;
use std::path::PathBuf;

use formwork_mcp::{ToolAnswer, ToolCall};

use crate::cli::mcp::text::{MAX_TOKENS, cut_lines, plain_json};
use crate::cli::mcp::unsaved::{Unsaved, inside};
use crate::cli::mcp::workbench::Workbench;
use crate::diagnostic::Level;
use crate::engine::{self, Expanded, Inputs, Isolation};
use crate::model::{Assumptions, Document, Resource};
use crate::report::brief::{Words, quoted, quoted_file, quoted_message};
use crate::report::model::Resolver;
use crate::text::Sources;
use crate::value::{JsonStyle, Value};

/// Number of resources in an index.
const MAX_LISTED: usize = 100;

/// Number of resources that are shown with their values.
const MAX_SHOWN: usize = 10;

/// Answers a call of the tool.
pub(super) fn expand(bench: &Workbench, call: &ToolCall) -> Result<ToolAnswer, String> {
    let arguments = &call.arguments;
    let unsaved = bench.unsaved(arguments)?;
    let file = arguments.text("file").unwrap_or_default();
    let parameters: Vec<PathBuf> =
        arguments.texts("parameters").into_iter().map(|name| inside(name, &bench.root)).collect::<Result<_, _>>()?;
    let (expanded, sources) = expanded(bench, &unsaved, inside(file, &bench.root)?, &parameters, call)?;
    let Some(document) = &expanded.expansion.document else {
        return Err("INCOMPLETE the template cannot be expanded; `check` says why".to_owned());
    };
    let view = View { document, expanded: &expanded, sources: &sources };
    let text = match arguments.text("resource") {
        Some(name) => view.shown(name)?,
        None => view.index(),
    };
    Ok(ToolAnswer::text(cut_lines(&text, MAX_TOKENS, "name one `resource`")))
}

/// Expands a template.
pub(super) fn expanded(
    bench: &Workbench,
    unsaved: &Unsaved,
    path: PathBuf,
    parameters: &[PathBuf],
    call: &ToolCall,
) -> Result<(Expanded, Sources), String> {
    if !unsaved.has(&path) || path.is_dir() {
        return Err(format!("{} is not a file; paths are relative to the workspace", quoted(&bench.name(&path))));
    }
    let (settings, files, sources) = (bench.settings(unsaved), unsaved.files(&bench.roots), Sources::new());
    let assumptions = settings.configuration.as_ref().map(Assumptions::from_config).unwrap_or_default();
    let (bicep, isolation) = (bench.bicep(&settings), Isolation::until(&call.cancellation));
    let paths = [path];
    let inputs = Inputs {
        parameters,
        isolation: &isolation,
        ..Inputs::plain(&files, &bench.root, &paths, &assumptions, &bicep, &settings.limits)
    };
    let (expanded, problems) = engine::expand(&inputs, &sources).map_err(|error| error.to_string())?;
    let mut resolver = Resolver::new(&sources);
    let why = problems.iter().find(|problem| problem.level == Level::Error).map(|problem| {
        let place = resolver.place(problem.primary.span);
        let message = quoted_message(&problem.message, Words::Foreign);
        format!("{}:{} {message}", quoted_file(place.file.name()), place.start.line)
    });
    let expanded = expanded.ok_or_else(|| {
        format!(
            "INCOMPLETE the template cannot be expanded: {}",
            why.unwrap_or_else(|| "it is not a template".to_owned())
        )
    })?;
    Ok((expanded, sources))
}

/// An expansion to show.
struct View<'a> {
    document: &'a Document,
    expanded: &'a Expanded,
    sources: &'a Sources,
}

impl View<'_> {
    /// Returns one line for each resource, by type.
    fn index(&self) -> String {
        let mut resources: Vec<&Resource> = self.document.resources.iter().collect();
        resources.sort_by(|a, b| (&a.type_name, &a.name).cmp(&(&b.type_name, &b.name)));
        let mut text = format!("{} resources\n", resources.len());
        for resource in resources.iter().take(MAX_LISTED) {
            text.push_str(&self.line(resource));
        }
        if resources.len() > MAX_LISTED {
            let _ = writeln!(text, "not shown: {} resources; name a type as `resource`", resources.len() - MAX_LISTED);
        }
        text
    }

    fn line(&self, resource: &Resource) -> String {
        let place = self.expanded.place(resource.span, self.sources);
        let source = self.sources.get(place.file);
        let line = source.position(place.start).line;
        let condition = if resource.presence.doubt().is_some() { " (only if a condition holds)" } else { "" };
        let name = self.document.hidden.masked(&resource.name);
        let type_name = quoted_file(&resource.type_name);
        format!("{type_name} {} {}:{line}{condition}\n", quoted(&name), quoted_file(source.name()))
    }

    /// Returns the resources with a name, type, or path, with their values.
    fn shown(&self, name: &str) -> Result<String, String> {
        let is_meant = |resource: &&Resource| {
            let own = [&*resource.type_name, &*self.document.hidden.masked(&resource.name), &resource.path]
                .map(str::to_ascii_lowercase);
            let symbol = resource.symbolic_name.as_ref().is_some_and(|symbol| symbol.eq_ignore_ascii_case(name));
            symbol || own.contains(&name.to_ascii_lowercase())
        };
        let meant: Vec<&Resource> = self.document.resources.iter().filter(is_meant).collect();
        if meant.is_empty() {
            return Err(format!(
                "no resource has the name, type, or path {}; without `resource` all are listed",
                quoted(name)
            ));
        }
        let mut text = String::new();
        for resource in meant.iter().take(MAX_SHOWN) {
            text.push_str(&self.line(resource));
            let body: Value = self.document.hidden.marked(&resource.body);
            let json = body.to_json_as(JsonStyle::INDENTED);
            text.push_str(&plain_json(&self.document.hidden.masked(&json)));
            text.push('\n');
        }
        if meant.len() > MAX_SHOWN {
            let _ = writeln!(text, "not shown: {} resources; name one of them", meant.len() - MAX_SHOWN);
        }
        Ok(text)
    }
}
