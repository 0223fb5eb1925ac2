//! The values that override those of parameter files.

use foldhash::HashSet;

use crate::diagnostic::Level;
use crate::engine::detect::Kind;
use crate::engine::inputs::Prepared;
use crate::engine::{Inputs, RunError};
use crate::text::Suggestions;
use crate::value::{Str, Value};

/// Refuses an override of a parameter that no template declares, which is usually misspelled. One that only some of the
/// templates declare is ignored by the others.
///
/// # Errors
///
/// Fails with the first such name. Never fails if not all templates are known, because the run is about a change or a
/// part, or because one of them cannot be used.
pub(super) fn refuse_undeclared(inputs: &Inputs<'_>, prepared: &Prepared<'_>) -> Result<(), RunError> {
    let Prepared { jobs, linker, diagnostics: problems } = prepared;
    let is_narrow = inputs.narrowing.is_some();
    let is_partial =
        is_narrow || inputs.shard.is_some() || problems.iter().any(|problem| problem.level == Level::Error);
    if inputs.overrides.is_empty() || jobs.is_empty() || is_partial {
        return Ok(());
    }
    let mut declared = Vec::new();
    for job in jobs {
        let Some(template) = linker.template(job).value else { return Ok(()) };
        declared.extend(parameters(job.template.kind, &template));
    }
    let names: HashSet<String> = declared.iter().map(|name| name.to_ascii_lowercase()).collect();
    for (name, _) in inputs.overrides {
        // Every stack has the pseudo parameters of CloudFormation.
        if !names.contains(&name.to_ascii_lowercase()) && !name.starts_with("AWS::") {
            return Err(RunError::UndeclaredParameter {
                name: name.to_string(),
                hint: Suggestions::default().did_you_mean(name, declared.iter().map(|name| &**name)),
            });
        }
    }
    Ok(())
}

/// Returns the names of the parameters of a template.
fn parameters(kind: Kind, template: &Value) -> Vec<Str> {
    let section = match kind {
        Kind::Stack => template.get("Parameters"),
        Kind::Template => template.get("parameters"),
        Kind::Parameters | Kind::Export | Kind::StackParameters | Kind::SamConfig => None,
    };
    section.and_then(Value::as_object).into_iter().flatten().map(|member| member.key.clone()).collect()
}
