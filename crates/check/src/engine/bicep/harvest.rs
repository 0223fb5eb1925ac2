//! Builds the Bicep files of a run at once, and reads the results of the Bicep CLI.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use crate::bicep::source_map::SourceMap;
use crate::bicep::{Built, Compiler, Failure, Message, MessageLevel, Options};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::engine::bicep::origin::Origin;
use crate::engine::bicep::{Gaps, Origins, Stage, is_bicep, is_parameters, messages};
use crate::engine::detect::Kind;
use crate::engine::inputs::{Input, Loaded, Using};
use crate::engine::merge::merge_diagnostics;
use crate::model::Issue;
use crate::syntax;
use crate::text::{FileId, Span};
use crate::value::Value;

/// A Bicep file that was built.
#[derive(Debug)]
pub(in crate::engine) struct Compiled {
    /// The compiled template or parameter file, which is checked instead of the Bicep file.
    pub(in crate::engine) loaded: Loaded,
    /// Maps positions in the compiled JSON to those in the Bicep file.
    pub(in crate::engine) origins: Origins,
    /// Parts that are unknown. `None` if the compiler knows and accepts everything.
    pub(in crate::engine) gaps: Option<Gaps>,
    /// Issues that the linter reports in its files.
    pub(in crate::engine) issues: Vec<Issue>,
}

/// The results of all builds.
#[derive(Debug, Default)]
pub(in crate::engine) struct Harvest {
    pub(in crate::engine) templates: Vec<Compiled>,
    /// Parameter files, and the path of the template of each, if that is a local file.
    pub(in crate::engine) parameters: Vec<(Compiled, Option<PathBuf>)>,
    /// The files that cannot be checked; the diagnostics say why.
    pub(in crate::engine) unusable: Vec<PathBuf>,
    pub(in crate::engine) diagnostics: Vec<Diagnostic>,
}

/// Output of a compiler, in the order of the files.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// The results. `None` for a file that was not built for a reason that is not its own.
    pub(super) files: Vec<Option<Result<Built, Failure>>>,
    /// Additional output of the built-in compiler, for each file.
    pub(super) noted: Vec<Noted>,
}

/// Additional output of the built-in compiler for a file.
#[derive(Debug, Default)]
pub(super) struct Noted {
    /// The template, whose values have the spans of its sources.
    pub(super) template: Option<Value>,
    /// Issues that the linter reports.
    pub(super) issues: Vec<Issue>,
}

impl Stage<'_> {
    /// Builds all collected files.
    pub(in crate::engine) fn build(mut self) -> Harvest {
        let mut harvest = Harvest::default();
        loop {
            let wanted = std::mem::take(&mut self.wanted);
            if wanted.is_empty() {
                break;
            }
            let known = harvest.unusable.len();
            self.build_all(wanted, &mut harvest);
            self.want_modules(harvest.unusable.get(known..).unwrap_or_default());
        }
        // If only our parser cannot parse a part of a source, positions in it are less exact, but nothing else is
        // affected.
        let is_ours = |problem: &Diagnostic| {
            matches!(problem.code, Code::FileUnreadable | Code::FileTooLarge | Code::FileEncoding | Code::InternalFault)
        };
        harvest.diagnostics.extend(self.files.into_diagnostics().into_iter().filter(is_ours));
        harvest.diagnostics = merge_diagnostics(harvest.diagnostics);
        harvest
    }

    /// Wants the local modules of files that cannot be built: they are checked on their own.
    fn want_modules(&mut self, unusable: &[PathBuf]) {
        let modules = unusable.iter().flat_map(|path| self.graph.modules(path)).filter(|path| is_bicep(path));
        let modules: Vec<Input> = modules.map(|path| Input::new(self.inputs.working, path, false)).collect();
        for module in modules {
            self.want(module);
        }
    }

    fn build_all(&mut self, wanted: Vec<Input>, harvest: &mut Harvest) {
        let Made { files, noted } = self.make(&wanted, harvest);
        let results: Vec<(Input, Option<Result<Built, Failure>>)> = wanted.into_iter().zip(files).collect();
        let read = |(input, result): (Input, Option<Result<Built, Failure>>)| {
            let read = result.map(|result| result.map(|built| self.read(&input, built)));
            (input, read)
        };
        let results: Vec<_> = results.into_par_iter().map(read).collect();
        let noted = noted.into_iter().chain(std::iter::repeat_with(Noted::default));
        for ((input, result), noted) in results.into_iter().zip(noted) {
            self.keep(input, result, noted, harvest);
        }
    }

    /// Builds files with the compiler that the options choose.
    fn make(&mut self, wanted: &[Input], harvest: &mut Harvest) -> Made {
        if let Some(made) = self.build_with_tool(wanted, harvest) {
            return made;
        }
        harvest.diagnostics.extend(self.notice(wanted));
        self.build_here(wanted, harvest)
    }

    /// Says once that the built-in compiler is used, unless the user chose it.
    fn notice(&mut self, wanted: &[Input]) -> Option<Diagnostic> {
        let first = wanted.first().filter(|_| self.inputs.bicep.compiler == Compiler::Auto)?;
        let file = self.files.text_of(&first.path);
        let message = "Bicep files are built by the built-in compiler, because the Bicep CLI was not found";
        Some(
            Diagnostic::of_file(Code::BicepTool, file, message)
                .with_level(Level::Note)
                .with_help("use `--bicep builtin` to choose it without this note"),
        )
    }

    /// Parses the compiled JSON of a result.
    fn read(&self, input: &Input, built: Built) -> Read {
        let name = &input.name;
        let parse = |text: String| {
            if text.len() as u64 > self.inputs.limits.file_bytes {
                let file = self.sources.add(name.as_str(), "");
                let message =
                    format!("the compiled text is larger than the limit of {} bytes", self.inputs.limits.file_bytes);
                return Err(Diagnostic::of_file(Code::FileTooLarge, file, message));
            }
            let file = self.sources.add(name.as_str(), text);
            // The user wrote the Bicep file, which has the same name.
            self.sources.unlist(file);
            let parsed = syntax::json::parse(file, self.sources.get(file).text(), self.inputs.limits.nesting);
            parsed.value.map(|value| (file, value)).ok_or_else(|| {
                let file = self.sources.add(name.as_str(), "");
                Diagnostic::of_file(Code::BicepFailed, file, "the output of the Bicep CLI is not JSON")
            })
        };
        let is_failed = !built.is_complete();
        let template = built.template.map(parse);
        let parameters = built.parameters.map(parse);
        Read { template, parameters, messages: built.messages, is_failed }
    }

    /// Keeps what was made of one file.
    fn keep(&mut self, input: Input, result: Option<Result<Read, Failure>>, noted: Noted, harvest: &mut Harvest) {
        let path = input.path.clone();
        let read = match result {
            Some(Ok(read)) => read,
            Some(Err(failure)) => {
                let file = self.files.text_of(&path);
                harvest.unusable.push(path);
                harvest.diagnostics.push(failed(
                    &failure,
                    Diagnostic::of_file(Code::BicepFailed, file, ""),
                    self.inputs.bicep,
                ));
                return;
            }
            None => return harvest.unusable.push(path),
        };
        let gaps = self.say(&input, &read, harvest);
        if read.is_failed {
            return harvest.unusable.push(path);
        }
        let mut problems = Vec::new();
        if is_parameters(&path) {
            self.keep_parameters(input, read, gaps, harvest, &mut problems);
        } else if let Some(text) = read.template {
            match text {
                Ok((file, value)) => {
                    let maps = self.files.read(&path).map(|file| SourceMap::new(file, &value, &mut self.files));
                    let maps = maps.map(|map| map.with_noted(noted.template)).into_iter().collect();
                    let origins = self.origins(&path, file, &value, maps, Kind::Template);
                    let loaded = Loaded::new(input, file, Kind::Template, value);
                    harvest.templates.push(Compiled { loaded, origins, gaps, issues: noted.issues });
                }
                Err(problem) => problems.push(problem),
            }
        }
        if !problems.is_empty() {
            harvest.unusable.push(path);
            harvest.diagnostics.extend(problems);
        }
    }

    fn keep_parameters(
        &mut self,
        input: Input,
        read: Read,
        gaps: Option<Gaps>,
        harvest: &mut Harvest,
        problems: &mut Vec<Diagnostic>,
    ) {
        let path = input.path.clone();
        let using = self.graph.using(&path).clone();
        // A template from a registry has no local file; the parameter file that names it is used instead.
        if let (Using::Remote, Some(template)) = (&using, read.template) {
            match template {
                Ok((file, value)) => {
                    let origins = self.origins(&path, file, &value, Vec::new(), Kind::Template);
                    let loaded = Loaded::new(input.clone(), file, Kind::Template, value);
                    harvest.templates.push(Compiled { loaded, origins, gaps, issues: Vec::new() });
                }
                Err(problem) => problems.push(problem),
            }
        }
        match read.parameters {
            Some(Ok((file, value))) => {
                let mut maps = Vec::new();
                for base in self.graph.bases(&path) {
                    maps.extend(self.files.read(base).map(|file| SourceMap::new(file, &value, &mut self.files)));
                }
                let origins = self.origins(&path, file, &value, maps, Kind::Parameters);
                let target = match using {
                    Using::File(target) => Some(target),
                    Using::Remote => Some(path),
                    Using::Nothing => None,
                };
                let loaded = Loaded::new(input, file, Kind::Parameters, value);
                harvest.parameters.push((Compiled { loaded, origins, gaps: None, issues: Vec::new() }, target));
            }
            Some(Err(problem)) => problems.push(problem),
            None => {}
        }
    }

    fn origins(&mut self, path: &Path, compiled: FileId, value: &Value, maps: Vec<SourceMap>, kind: Kind) -> Origins {
        let fallback = Span::whole_file(self.files.text_of(path));
        let is_parameters = kind == Kind::Parameters;
        Origins::new(Arc::new(Origin { compiled, value: value.clone(), maps, is_parameters, fallback }))
    }

    /// Turns the messages of the compiler about the build of a file into diagnostics. Returns what is unknown in the
    /// template.
    fn say(&mut self, input: &Input, read: &Read, harvest: &mut Harvest) -> Option<Gaps> {
        let options = self.inputs.bicep;
        let (mut refused, mut is_whole, mut has_wrong_scope) = (Vec::new(), true, false);
        for message in &read.messages {
            let problem = if message.level == MessageLevel::Info && message.is_about_restoring() {
                is_whole = false;
                messages::unknown_module(message, &mut self.files, self.sources)
            } else if options.is_offline() && message.is_about_restoring() {
                messages::not_restored(message, &input.name, &mut self.files, self.sources)
            } else {
                messages::diagnostic(message, &mut self.files, self.sources)
            };
            if problem.level == Level::Error {
                refused.push(problem.primary.span);
                has_wrong_scope |= message.code == WRONG_SCOPE;
            }
            harvest.diagnostics.push(problem);
        }
        (!is_whole || !refused.is_empty()).then(|| Gaps::new(refused, has_wrong_scope))
    }
}

/// Code of Bicep for a module at another scope than it is written for.
const WRONG_SCOPE: &str = "BCP134";

type Text = Result<(FileId, Value), Diagnostic>;

/// A result of the CLI, parsed.
struct Read {
    template: Option<Text>,
    parameters: Option<Text>,
    messages: Vec<Message>,
    is_failed: bool,
}

fn failed(failure: &Failure, problem: Diagnostic, options: &Options) -> Diagnostic {
    let problem = Diagnostic { message: failure.to_string(), ..problem };
    match failure {
        Failure::TimedOut => problem.with_help(format!(
            "the limit is {} s; increase `AZURE_BICEP_FILE_EXPANSION_TIMEOUT` in the settings",
            options.timeout.as_secs()
        )),
        _ => problem,
    }
}
