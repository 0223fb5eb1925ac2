//! Which front end expands a template.

use std::path::Path;

use crate::arm;
use crate::cfn;
use crate::diagnostic::{Check, Outcome};
use crate::engine::Inputs;
use crate::engine::inputs::{Kind, Loaded};
use crate::model::{Document, Loader};
use crate::model::{Expansion, Issue};
use crate::rules::Verdict;
use crate::text::FileId;
use crate::value::{Member, Value};

/// Expands a template with parameter files that are laid over each other, the last on top.
/// Of an export it gives what is in it.
pub(super) fn expand(
    inputs: &Inputs<'_>,
    template: &Loaded,
    files: &[(FileId, &Value)],
    loader: &dyn Loader,
) -> Expansion {
    match template.kind {
        Kind::Stack => return expand_stack(inputs, template, files, loader),
        Kind::Export => return arm::of_export(template.file, &template.value, inputs.limits),
        Kind::Template | Kind::Parameters | Kind::StackParameters => {}
    }
    let layers = layered(files);
    let parameters = match files {
        [] => None,
        [only] => Some(*only),
        [.., (file, _)] => Some((*file, &layers)),
    };
    arm::expand(&arm::Request {
        file: template.file,
        template: &template.value,
        parameters,
        overrides: inputs.overrides,
        context: inputs.context,
        limits: inputs.limits,
        loader,
    })
}

fn expand_stack(inputs: &Inputs<'_>, template: &Loaded, files: &[(FileId, &Value)], loader: &dyn Loader) -> Expansion {
    let stem = Path::new(&template.input.name).file_stem();
    let expansion = cfn::expand(&cfn::Request {
        file: template.file,
        name: &stem.map_or_else(String::new, |it| it.to_string_lossy().into_owned()),
        template: &template.value,
        parameters: files,
        overrides: inputs.overrides,
        raw: inputs.as_written,
        loader,
        limits: inputs.limits,
    });
    let issue = |it: cfn::Breach| Issue::new(Check::ParameterConstraint, it.path, it.span, it.message);
    let issues = expansion.breaches.into_iter().map(issue).collect();
    Expansion { document: expansion.document, issues, diagnostics: expansion.diagnostics }
}

/// The parts of a parameter file that files may share between them.
const PARTS: [&str; 4] = ["parameters", "externalInputDefinitions", "externalInputs", "extensionConfigs"];

/// The parameters of all files in one object. Each value keeps the place where it was written.
fn layered(files: &[(FileId, &Value)]) -> Value {
    let part = |name: &str| {
        let mut members: Vec<Member> = Vec::new();
        let objects = files.iter().filter_map(|(_, file)| file.get(name)?.as_object());
        for member in objects.flatten() {
            members.retain(|it| !it.key.eq_ignore_ascii_case(&member.key));
            members.push(member.clone());
        }
        (!members.is_empty()).then(|| Member::new(name, Value::object(members)))
    };
    Value::object(PARTS.into_iter().filter_map(part).collect())
}

/// The verdict, suppressed where the resource says so.
pub(super) fn accepted(mut verdict: Verdict, document: &Document) -> Verdict {
    if verdict.outcome == Outcome::Failed
        && let Some(resource) = verdict.resource.map(|id| document.resource(id))
        && cfn::is_suppressed(&resource.body, &[&verdict.rule.id, &verdict.rule.name])
    {
        verdict.outcome = Outcome::Suppressed;
    }
    verdict
}
