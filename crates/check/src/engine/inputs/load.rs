//! Loads files as templates or parameter files.

use std::borrow::Cow;
use std::mem;
use std::sync::Arc;

use arcstr::ArcStr;

use crate::cfn::environments;
use crate::diagnostic::{Code, Diagnostic, Level, NotChecked, ParameterSet};
use crate::engine::detect::{self, Kind};
use crate::engine::inputs::cookiecutter;
use crate::engine::inputs::discover::Input;
use crate::engine::inputs::head;
use crate::engine::inputs::store::{Kept, NoSource, Store, Text};
use crate::engine::parse::not_a_template;
use crate::files::{Unreadable, register};
use crate::syntax::Parsed;
use crate::text::{FileId, Sources, digest};
use crate::value::Value;

/// Number of bytes of a file that exceeds the limit that are searched for a sign that it is a template.
const HEAD_BYTES: u64 = 64 << 10;

/// A file that is a template or a parameter file.
#[derive(Debug)]
pub(in crate::engine) struct Loaded {
    pub(in crate::engine) input: Input,
    pub(in crate::engine) file: FileId,
    pub(in crate::engine) kind: Kind,
    /// Environment that these parameters belong to, if the file has settings of the SAM CLI.
    pub(super) environment: Option<Environment>,
    pub(super) content: Content,
}

/// An environment in the settings of the SAM CLI.
#[derive(Debug)]
pub(super) struct Environment {
    pub(super) name: String,
    /// True if, according to the settings, a template may also be deployed with its defaults.
    pub(super) leaves_defaults: bool,
}

/// The content of a file: see [`Store::value`].
#[derive(Debug)]
pub(super) enum Content {
    /// Content of a parameter file, or of a template that is on no disk.
    Parsed(Parsed),
    /// A template is parsed when it is checked, and freed then: it takes several times as much memory as its text.
    OnDisk,
}

impl Loaded {
    /// Creates a file with this content.
    pub(in crate::engine) fn new(input: Input, file: FileId, kind: Kind, value: Value) -> Self {
        Self::parsed(input, file, kind, Parsed { value: Some(value), diagnostics: Vec::new() })
    }

    fn on_disk(input: Input, file: FileId, kind: Kind) -> Self {
        Self { input, file, kind, environment: None, content: Content::OnDisk }
    }

    fn parsed(input: Input, file: FileId, kind: Kind, parsed: Parsed) -> Self {
        Self { input, file, kind, environment: None, content: Content::Parsed(parsed) }
    }

    /// Returns the environment whose parameters these are, as reports name it.
    pub(in crate::engine) fn environment(&self) -> Option<Cow<'_, str>> {
        self.environment.as_ref().map(|environment| short(&environment.name))
    }

    /// Returns the name of a deployment with these parameters: `samconfig.toml [prod]`, or the name of the file.
    pub(in crate::engine) fn parameter_set(&self, sources: &Sources) -> ParameterSet {
        let file = Arc::clone(sources.get(self.file).name());
        let name = match self.environment() {
            Some(environment) => format!("{file} [{environment}]").into(),
            None => Arc::clone(&file),
        };
        ParameterSet { file, name }
    }
}

impl Store<'_> {
    /// Loads a file as a part of the run. A file that a walk found is skipped silently if it is neither a template nor
    /// a parameter file; one that the user named is reported.
    pub(super) fn load(&self, input: Input) -> (Option<Loaded>, Vec<Diagnostic>) {
        if let Some(Ok(text)) = self.wanted(&input) {
            self.sources.list(text.file);
        }
        self.inspect(input)
    }

    /// Loads a file as [`Store::load`] does, without adding it to the run.
    pub(super) fn inspect(&self, input: Input) -> (Option<Loaded>, Vec<Diagnostic>) {
        match self.wanted(&input) {
            None => (None, Vec::new()),
            Some(Ok(Text { file, .. })) => {
                let source = self.sources.get(file);
                if detect::is_pointer(source.text().as_bytes()) {
                    return (None, vec![pointer(&input, file)]);
                }
                let by_head = head::kind(&input.path, source.text());
                let is_made =
                    |text| cookiecutter::may_be_source(self, &input.path, text) || cookiecutter::has_lines(text);
                if let Some(kind) = by_head.filter(|_| !is_made(source.text())) {
                    return (Some(Loaded::on_disk(input, file, kind)), Vec::new());
                }
                let parsed = self.reading(&input.path, file, |reading| reading.choose(input.named).clone());
                let (mut loaded, problems) = self.loaded(input, file, source.text(), parsed);
                if let Some(template) = loaded.as_mut().filter(|file| !file.kind.is_of_parameters()) {
                    self.release(&template.input.path);
                    template.content = Content::OnDisk;
                }
                (loaded, problems)
            }
            Some(Err(fault)) => (None, vec![self.diagnostic(&input.path, &fault)]),
        }
    }

    /// Returns the value of a file. What is wrong with the text of a template is known only now.
    pub(super) fn parsed(&self, Loaded { input, file, content, .. }: &Loaded) -> Parsed {
        match content {
            Content::Parsed(parsed) => parsed.clone(),
            Content::OnDisk => self.reading(&input.path, *file, |reading| reading.choose(input.named).clone()),
        }
    }

    /// Returns the value of a file; `null` of one that cannot be parsed.
    pub(super) fn value(&self, file: &Loaded) -> Value {
        self.parsed(file).value.unwrap_or(Value::NULL)
    }

    /// Returns the source of a file, if the user named it or if it may be ours. `None` if it is skipped.
    fn wanted(&self, input: &Input) -> Option<Kept> {
        if input.named {
            return Some(self.kept(&input.path));
        }
        self.ours(&input.path).filter(|kept| match kept {
            Ok(text) => text.may_be_ours,
            Err(fault) => match &**fault {
                NoSource::Unreadable(Unreadable::TooLarge { .. }) => {
                    detect::is_sam_config(&input.path) || self.start_may_be_ours(input)
                }
                NoSource::Unreadable(_) => true,
                NoSource::Undecodable { may_be_ours, .. } => *may_be_ours,
            },
        })
    }

    /// Returns `true` if the first bytes of a file look like those of a template.
    fn start_may_be_ours(&self, input: &Input) -> bool {
        self.fence.read_start(&input.path, HEAD_BYTES).is_ok_and(|start| detect::may_be_ours(&start))
    }

    /// Loads bytes that were read already, as [`Store::load`] does.
    pub(super) fn load_bytes(&self, input: Input, bytes: Vec<u8>) -> (Option<Loaded>, Vec<Diagnostic>) {
        if bytes.len() as u64 > self.limits.file_bytes {
            let problem = Unreadable::TooLarge { limit: self.limits.file_bytes };
            return (None, vec![problem.diagnostic(&input.name, self.sources)]);
        }
        if !input.named && !detect::may_be_ours(&bytes) {
            return (None, Vec::new());
        }
        match register(&input.name, bytes, self.sources) {
            Ok(file) => {
                let source = self.sources.get(file);
                let parsed = self.parse(&input.path, file).into_chosen(input.named);
                self.loaded(input, file, source.text(), parsed)
            }
            Err(problem) => (None, vec![problem]),
        }
    }

    /// Decides by content whether a parsed file is a template or a parameter file.
    fn loaded(
        &self,
        input: Input,
        file: FileId,
        text: &ArcStr,
        mut parsed: Parsed,
    ) -> (Option<Loaded>, Vec<Diagnostic>) {
        let Some(value) = &parsed.value else {
            let is_config = detect::is_sam_config(&input.path) && detect::sets_overrides(text);
            if !input.named && !is_config && !detect::was_meant_to_be_ours(text) {
                return (None, Vec::new());
            }
            if is_config {
                let help =
                    "correct the file, or list it in `exclude`; the parameters of its environments are not checked";
                let with_help = |problem: Diagnostic| problem.with_help(help);
                return (None, parsed.diagnostics.into_iter().map(with_help).collect());
            }
            let note = cookiecutter::note(self, &input, file, text, &parsed.diagnostics);
            return (None, note.map_or(parsed.diagnostics, |note| vec![note]));
        };
        if let Some(kind) = kind(&input, file, text, value) {
            let schema = detect::schema_problem(value, kind, file);
            let of_text = if kind.is_of_parameters() { mem::take(&mut parsed.diagnostics) } else { Vec::new() };
            let problems = of_text.into_iter().chain(schema).collect();
            return (Some(Loaded::parsed(input, file, kind, parsed)), problems);
        }
        if !input.named {
            return (None, Vec::new());
        }
        parsed.diagnostics.push(not_a_template(value, file));
        (None, parsed.diagnostics)
    }
}

/// Returns a name that is repeated in each finding: the beginning of a long one, with a digest of the rest.
fn short(name: &str) -> Cow<'_, str> {
    const LONGEST: usize = 64;
    if name.len() <= LONGEST {
        return name.into();
    }
    let start = name.get(..name.floor_char_boundary(LONGEST / 2)).unwrap_or_default();
    format!("{start}… {}", digest(&[name])).into()
}

/// Returns the diagnostic for a pointer of Git LFS in place of a file. The file may not be a template, unless the user
/// named it as one.
fn pointer(input: &Input, file: FileId) -> Diagnostic {
    let message = "the file is a pointer of Git LFS, and its content was not downloaded, so it is not checked";
    let level = if input.named { Level::Error } else { Level::Note };
    let problem = Diagnostic::of_file(Code::FilePointer, file, message).with_level(level);
    let help = "download it with `git lfs pull`, in a workflow with `lfs: true` of `actions/checkout`";
    problem.with_help(help).not_checked(NotChecked::Pointer)
}

/// Returns the kind of a parsed file. What is a template is one by any name; settings of the SAM CLI are only asked for
/// where nobody but the user says that. No platform reads templates in TOML.
fn kind(input: &Input, file: FileId, text: &str, value: &Value) -> Option<Kind> {
    let has_name = detect::is_sam_config(&input.path);
    let is_toml = has_name && !detect::is_yaml(&input.path);
    let of_content = || detect::kind(value, false).filter(|_| !is_toml);
    let of_name = || (has_name && !environments(value, file, text).is_empty()).then_some(Kind::SamConfig);
    of_content().or_else(of_name).or_else(|| detect::kind(value, input.named).filter(|_| !is_toml))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use foldhash::HashSet;

    use super::*;
    use crate::files::{Disk, Fence};
    use crate::model::Limits;
    use crate::text::Sources;

    const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

    /// Returns the kind of the file, or the codes of its problems with their lines.
    fn outcome(bytes: &[u8], named: bool, limits: &Limits) -> Result<Option<Kind>, Vec<String>> {
        let sources = Sources::new();
        let input = Input::new(Path::new("/"), Path::new("/x.json"), named);
        let store = Store::new(Path::new("/"), &sources, limits, Fence::of_user(&Disk), HashSet::default());
        let (loaded, diagnostics) = store.load_bytes(input, bytes.to_vec());
        if diagnostics.is_empty() {
            return Ok(loaded.map(|file| file.kind));
        }
        let shown = diagnostics.iter().map(|problem| {
            let line = sources.range(problem.primary.span).0.line;
            format!("{}:{line}", problem.code.as_str())
        });
        Err(shown.collect())
    }

    #[track_caller]
    fn check(bytes: &[u8], found: Result<Option<Kind>, &str>, named: Result<Option<Kind>, &str>) {
        let limits = Limits::default();
        let expected = |result: Result<Option<Kind>, &str>| result.map_err(|code| vec![code.to_owned()]);
        assert_eq!(outcome(bytes, false, &limits), expected(found), "found");
        assert_eq!(outcome(bytes, true, &limits), expected(named), "named");
    }

    #[test]
    fn the_order_of_members_does_not_matter() {
        let text = format!(r#"{{"resources": [], "metadata": {{}}, "$schema": "{SCHEMA}"}}"#);
        check(text.as_bytes(), Ok(Some(Kind::Template)), Ok(Some(Kind::Template)));
    }

    #[test]
    fn utf_16_is_read_by_its_byte_order_mark() {
        let text = format!(r#"{{"$schema": "{SCHEMA}"}}"#);
        let mut bytes = vec![0xFF, 0xFE];
        bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        check(&bytes, Ok(Some(Kind::Template)), Ok(Some(Kind::Template)));
    }

    #[test]
    fn other_files_are_skipped_silently_unless_they_are_named() {
        let not_ours = Err("file/not-a-template:1");
        check(br#"{"a": 1}"#, Ok(None), not_ours);
        check(br#"["deploymentTemplate.json"]"#, Ok(None), not_ours);
        check(b"", Ok(None), Err("syntax/json:1"));
        check(b"\n\n{", Ok(None), Err("syntax/json:3"));
        check(b"\0\x01\xFF", Ok(None), Err("file/encoding:1"));
        check("[".repeat(100_000).as_bytes(), Ok(None), Err("syntax/depth:1"));
    }

    #[test]
    fn a_template_that_is_cut_off_is_reported_in_any_case() {
        let text = format!("{{\n  \"$schema\": \"{SCHEMA}\",\n  \"resources\": [");
        check(text.as_bytes(), Err("syntax/json:3"), Err("syntax/json:3"));
    }

    #[test]
    fn a_template_is_parsed_when_it_is_needed() {
        let folder = tempfile::tempdir().unwrap();
        let (sources, limits) = (Sources::new(), Limits::default());
        let store = Store::new(folder.path(), &sources, &limits, Fence::of_user(&Disk), HashSet::default());
        let load = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            let (loaded, problems) = store.load(Input::new(folder.path(), &path, false));
            assert!(problems.is_empty(), "{problems:?}");
            loaded.unwrap()
        };
        let twice = r#""resources": [], "a": 1, "a": 2"#;
        let told = load("told.json", &format!(r#"{{"$schema": "{SCHEMA}", {twice}}}"#));
        let parsed = load("parsed.json", &format!(r#"{{{twice}, "$schema": "{SCHEMA}"}}"#));
        for template in [told, parsed] {
            assert!(matches!(template.content, Content::OnDisk));
            assert!(!store.release(&template.input.path), "nothing of it is kept");
            let Parsed { value, diagnostics } = store.parsed(&template);
            assert_eq!(value.unwrap().get("a").unwrap().to_json(), "2");
            assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
            assert!(store.release(&template.input.path), "it is kept while it is checked");
        }
        let schema = SCHEMA.replace("Template", "Parameters");
        let given = load("x.parameters.json", &format!(r#"{{"$schema": "{schema}", "parameters": {{}}}}"#));
        assert!(matches!(given.content, Content::Parsed(_)));
    }

    #[test]
    fn a_template_with_the_name_of_settings_is_a_template() {
        let (sources, limits) = (Sources::new(), Limits::default());
        let store = Store::new(Path::new("/"), &sources, &limits, Fence::of_user(&Disk), HashSet::default());
        let kind = |name: &str, named, text: &str| {
            let input = Input::new(Path::new("/"), &Path::new("/x").join(name), named);
            store.load_bytes(input, text.into()).0.map(|file| file.kind)
        };
        let settings = "deploy: {parameters: {parameter_overrides: ''}}";
        let template = format!("Metadata: {{{settings}}}\nResources: {{A: {{Type: 'AWS::SNS::Topic'}}}}\n");
        let empty = format!("x: {{{settings}}}\nResources: {{}}\n");
        for named in [false, true] {
            assert_eq!(kind("samconfig.yaml", named, &template), Some(Kind::Stack));
            assert_eq!(kind("samconfig.yaml", named, &empty), Some(Kind::SamConfig));
            let toml = "[x.deploy.parameters]\nparameter_overrides = ''\n[Resources.A]\nType = 'x'\n";
            assert_eq!(kind("samconfig.toml", named, toml), Some(Kind::SamConfig));
        }
    }

    #[test]
    fn settings_with_parameters_that_cannot_be_read_are_reported() {
        let (sources, limits) = (Sources::new(), Limits::default());
        let store = Store::new(Path::new("/"), &sources, &limits, Fence::of_user(&Disk), HashSet::default());
        let codes = |name: &str, text: &str| -> Vec<String> {
            let (_, problems) = store.load_bytes(Input::new(Path::new("/"), Path::new(name), false), text.into());
            let line = |problem: &Diagnostic| sources.range(problem.primary.span).0.line;
            problems.iter().map(|problem| format!("{}:{}", problem.code.as_str(), line(problem))).collect()
        };
        let toml = "[a.deploy.parameters]\nparameter_overrides = 'a=b'\n";
        assert_eq!(codes("samconfig.toml", &format!("{toml}x\n")), ["syntax/toml:3"]);
        assert_eq!(
            codes("samconfig.yaml", "a: {deploy: {parameters: {parameter_overrides: a=b}}}\nb: ]\n"),
            ["syntax/yaml:2"]
        );
        assert_eq!(codes("samconfig.yml", "a: \"parameter_overr\\u0069des\"\nb: ]\n"), ["syntax/yaml:2"]);
        assert!(codes("samconfig.toml", &format!("made = 2024-01-01 # {}\n{toml}", ".".repeat(600))).is_empty());
        assert!(codes("samconfig.toml", "x\n").is_empty());
        assert!(codes("other.yaml", "a: parameter_overrides\nb: ]\n").is_empty());
    }

    #[test]
    fn a_file_over_the_limit_is_not_parsed() {
        let limits = Limits { file_bytes: 4, ..Limits::default() };
        let found = outcome(b"12345", true, &limits);
        assert_eq!(found, Err(vec!["file/too-large:1".to_owned()]));
    }
}
