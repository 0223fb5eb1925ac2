//! Reports what the user named and is not there, and submodules that are not checked out.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use crate::diagnostic::{Code, Diagnostic, NotChecked};
use crate::engine::Inputs;
use crate::engine::changes::absent_submodules;
use crate::engine::inputs::discover::Input;
use crate::engine::narrowing::Cause;
use crate::files::{Fence, Unreadable, display_name};
use crate::path::normalize;
use crate::text::Sources;

/// Returns the files that exist, and the problems so far with those about missing files.
pub(in crate::engine::inputs) fn report(
    mut found: Vec<Input>,
    mut problems: Vec<Diagnostic>,
    (inputs, fence): (&Inputs<'_>, &Fence<'_>),
    sources: &Sources,
) -> (Vec<Input>, Vec<Diagnostic>) {
    problems.extend(drop_missing(&mut found, (inputs, fence), sources));
    problems.extend(absent((inputs, fence), sources));
    (found, problems)
}

/// Reports the submodules in folders of the user that are not checked out; in a run about a change, those that it
/// touches.
fn absent((inputs, fence): (&Inputs<'_>, &Fence<'_>), sources: &Sources) -> Vec<Diagnostic> {
    let changes = match inputs.narrowing.map(|narrowing| &narrowing.cause) {
        None => None,
        Some(Cause::Changes(changes)) => Some(changes),
        Some(Cause::Selected(_) | Cause::Named(_)) => return Vec::new(),
    };
    let base = changes.and_then(|changes| changes.base.as_deref());
    let folders = inputs.paths.iter().map(|path| normalize(inputs.working, path)).filter(|path| fence.is_folder(path));
    let Some(programs) = fence.programs() else { return Vec::new() };
    // What git cannot list here, the walk has reported.
    let paths: BTreeSet<PathBuf> =
        folders.flat_map(|folder| absent_submodules(&folder, base, programs).unwrap_or_default()).collect();
    let taken = paths.into_iter().filter(|path| inputs.filter.enters_folder(path));
    let report = |path: PathBuf| {
        let file = sources.add(display_name(inputs.working, &path), "");
        let message = "the submodule is not checked out, so its files are not checked";
        let problem = Diagnostic::of_file(Code::FileSubmodule, file, message).not_checked(NotChecked::Submodule);
        problem.with_help("check it out, in a workflow with `submodules: true` of `actions/checkout`")
    };
    taken.map(report).collect()
}

/// Removes and reports inputs that the user named and that do not exist, unless the change deleted them.
fn drop_missing(
    found: &mut Vec<Input>,
    (inputs, fence): (&Inputs<'_>, &Fence<'_>),
    sources: &Sources,
) -> Vec<Diagnostic> {
    let changes = inputs.narrowing.and_then(|narrowing| match narrowing.cause {
        Cause::Changes(changes) => Some(changes),
        Cause::Selected(_) | Cause::Named(_) => None,
    });
    let mut problems = Vec::new();
    found.retain(|input| {
        let is_deleted = || changes.is_some_and(|changes| changes.touched_within(&input.path).is_some());
        let Some(error) = missing(input, fence).filter(|_| !is_deleted()) else { return true };
        let problem = Unreadable::from(error).into_diagnostic(&input.name, sources);
        let help = || format!("for a commit or a branch of this name, write `--changed={}`", input.name);
        problems.push(if changes.is_some() { problem.with_help(help()) } else { problem });
        false
    });
    problems
}

/// Returns the reason why a file that the user named does not exist. `None` if it exists, or if that is unknown.
fn missing(input: &Input, fence: &Fence<'_>) -> Option<io::Error> {
    let error = fence.is_link(&input.path).err().filter(|_| input.named)?;
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory).then_some(error)
}
