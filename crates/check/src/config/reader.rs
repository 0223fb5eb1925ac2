//! Reads `formwork.yaml`, by the table of settings.

use std::path::{Path, PathBuf};

use crate::config::table::{SETTINGS, SEVERITIES, Setting, Takes, severity};
use crate::config::{Settings, keys, limits};
use crate::diagnostic::{Code, Diagnostic, RulePattern, Severity};
use crate::files::{Bounds, PathGlobs, has_wildcards};
use crate::model::Limits;
use crate::path::normalize;
use crate::text::{Span, did_you_mean};
use crate::value::{Kind, Member, Object, Value};

/// Maximum number of globs with wildcards in a settings file. An editor reads the file after each key.
const MAX_WILD_GLOBS: usize = 2_000;

/// Overrides the settings so far with what a file says.
///
/// The files that it names must be within `bounds`, if there are any.
pub(super) fn apply(
    value: &Value,
    path: &Path,
    bounds: Option<&Bounds<'_>>,
    settings: &mut Settings,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let folder = path.parent().unwrap_or(path);
    let mut reader = SettingsReader { folder, bounds, diagnostics, wild_globs: 0 };
    let Some(root) = reader.object(value, "the file") else {
        return;
    };
    reader.section(root, SETTINGS, settings);
}

/// Overrides the configuration with `over`: keys are case-insensitive, and objects are merged member by member.
pub(super) fn merge_configuration(settings: &mut Settings, over: &Value) {
    let below = settings.configuration.take();
    settings.configuration = Some(match below {
        Some(below) => merge(&below, over, 1),
        None => over.clone(),
    });
}

fn merge(below: &Value, over: &Value, levels: u32) -> Value {
    let (Some(old), Some(new)) = (below.as_object(), over.as_object()) else {
        return over.clone();
    };
    let kept = old.iter().map(|member| match new.get(&member.key) {
        Some(value) if levels > 0 => Member { value: merge(&member.value, value, levels - 1), ..member.clone() },
        Some(value) => Member { value: value.clone(), ..member.clone() },
        None => member.clone(),
    });
    let added = new.iter().filter(|member| old.get(&member.key).is_none()).cloned();
    Value::object(kept.chain(added).collect())
}

/// Returns the kind for a message: `an object`, `a list`, …
pub(super) const fn with_article(kind: Kind) -> &'static str {
    match kind {
        Kind::Object => "an object",
        Kind::Array => "a list",
        Kind::Bool => "`true` or `false`",
        Kind::Int => "an integer",
        Kind::Float => "a number",
        Kind::String => "a string",
        Kind::Null => "nothing",
        Kind::Any => "a value",
    }
}

/// Reads the values of a file, and reports those that cannot be used.
pub(super) struct SettingsReader<'a> {
    folder: &'a Path,
    bounds: Option<&'a Bounds<'a>>,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// Number of globs with wildcards so far in the file.
    wild_globs: usize,
}

impl SettingsReader<'_> {
    pub(super) fn invalid(&mut self, value: &Value, message: String) {
        // Every value that was read from a file has a span.
        if let Some(span) = value.span {
            self.diagnostics.push(Diagnostic::new(Code::ConfigInvalid, span, message));
        }
    }

    pub(super) fn wrong_kind(&mut self, value: &Value, name: &str, wanted: &str) {
        let found = with_article(value.kind());
        self.invalid(value, format!("{name}: expected {wanted}, found {found}"));
    }

    pub(super) fn object<'v>(&mut self, value: &'v Value, name: &str) -> Option<&'v Object> {
        let object = value.as_object();
        if object.is_none() {
            self.wrong_kind(value, name, with_article(Kind::Object));
        }
        object
    }

    /// Reads the settings of an object. Its unknown keys are reported before its values.
    fn section(&mut self, object: &Object, known: &[Setting], settings: &mut Settings) {
        self.report_unknown(object, known.iter().map(|setting| setting.key));
        for member in object {
            if let Some(setting) = known.iter().find(|setting| setting.key == &*member.key) {
                self.setting(setting.takes, member, settings);
            }
        }
    }

    fn setting(&mut self, takes: Takes, member: &Member, settings: &mut Settings) {
        match takes {
            Takes::Switch(set) => {
                if let Some(is_on) = self.switch(member) {
                    set(&mut settings.choices, is_on);
                }
            }
            Takes::Word(words, set) => {
                if let Some(word) = self.word(member, words) {
                    set(&mut settings.choices, word);
                }
            }
            Takes::Globs(set, _) => set(settings, self.globs(member)),
            Takes::Paths(set, ..) => set(settings, self.paths(member)),
            Takes::File(set, ..) => {
                if let Some(file) = self.file(member) {
                    set(settings, file);
                }
            }
            Takes::Rules(set, _) => set(settings, self.rule_patterns(member)),
            Takes::Names(set) => set(settings, self.strings(member).into_iter().map(|(name, _)| name).collect()),
            Takes::Severities(set) => set(settings, self.severities(member)),
            Takes::Configuration => self.configuration(&member.value, settings),
            Takes::Suppressions => settings.suppressions = self.suppressions(member),
            Takes::Templates => settings.files.templates = self.templates(member),
            Takes::Limits => self.limits(member, &mut settings.limits),
            Takes::Section(known) => {
                if let Some(object) = self.object(&member.value, &format!("`{}`", member.key)) {
                    self.section(object, known, settings);
                }
            }
        }
    }

    pub(super) fn report_unknown(&mut self, object: &Object, known: impl Iterator<Item = &'static str> + Clone) {
        for member in object {
            if !known.clone().any(|key| key == &*member.key) {
                self.unknown_key(member, known.clone());
            }
        }
    }

    fn unknown_key(&mut self, member: &Member, known: impl IntoIterator<Item = &'static str>) {
        let message = format!("unknown key `{}`{}", member.key, did_you_mean(&member.key, known));
        if let Some(span) = member.key_span.or(member.value.span) {
            self.diagnostics.push(Diagnostic::new(Code::ConfigUnknownKey, span, message));
        }
    }

    fn configuration(&mut self, value: &Value, settings: &mut Settings) {
        // A key without a value is an empty block.
        if value.is_null() {
            return;
        }
        let Some(object) = self.object(value, "`configuration`") else {
            return;
        };
        for member in object {
            match keys::kind_of(&member.key) {
                None => self.unknown_key(member, keys::KEYS.iter().map(|key| key.name)),
                Some(kind) if kind != member.value.kind() && !member.value.is_null() => {
                    let name = format!("`{}`", member.key);
                    self.wrong_kind(&member.value, &name, with_article(kind));
                }
                Some(_) => {}
            }
        }
        merge_configuration(settings, value);
    }

    fn limits(&mut self, member: &Member, settings: &mut Limits) {
        let Some(object) = self.object(&member.value, "`limits`") else {
            return;
        };
        self.report_unknown(object, limits::keys());
        for member in object {
            if let Err(message) = limits::apply(member, settings) {
                self.invalid(&member.value, message);
            }
        }
    }

    fn severities(&mut self, member: &Member) -> Vec<(RulePattern, Severity)> {
        let Some(object) = self.object(&member.value, "`severity`") else {
            return Vec::new();
        };
        let mut severities = Vec::new();
        for member in object {
            let span = member.key_span.or(member.value.span);
            if let Some((severity, span)) = self.severity(member).zip(span) {
                severities.push((RulePattern { text: member.key.to_string(), span }, severity));
            }
        }
        severities
    }

    fn severity(&mut self, member: &Member) -> Option<Severity> {
        self.word(member, SEVERITIES).and_then(severity)
    }

    fn paths(&mut self, member: &Member) -> Vec<(PathBuf, Span)> {
        let paths = self.strings(member).into_iter();
        paths.filter_map(|(path, span)| self.place(&member.key, &path, span)).collect()
    }

    pub(super) fn file(&mut self, member: &Member) -> Option<(PathBuf, Span)> {
        let text = member.value.as_str().filter(|text| !text.is_empty()).zip(member.value.span);
        if text.is_none() {
            self.wrong_kind(&member.value, &format!("`{}`", member.key), "the name of a file");
        }
        text.and_then(|(text, span)| self.place(&member.key, text, span))
    }

    /// Returns the absolute path of a file or folder that the settings name. They are as trusted as the repository that
    /// they are in, and do not describe other files of the machine.
    fn place(&mut self, key: &str, text: &str, span: Span) -> Option<(PathBuf, Span)> {
        let path = normalize(self.folder, text.as_ref());
        if self.bounds.is_none_or(|bounds| bounds.hold(&path)) {
            return Some((path, span));
        }
        let message = format!("`{key}`: `{text}` is outside the repository");
        let problem = Diagnostic::new(Code::ConfigInvalid, span, message);
        self.diagnostics.push(problem.with_help("only the command line names files outside the repository"));
        None
    }

    fn switch(&mut self, member: &Member) -> Option<bool> {
        let value = member.value.as_bool();
        if value.is_none() {
            self.wrong_kind(&member.value, &format!("`{}`", member.key), with_article(Kind::Bool));
        }
        value
    }

    fn word(&mut self, member: &Member, words: &[&'static str]) -> Option<&'static str> {
        let text = member.value.as_str();
        let word = words.iter().copied().find(|word| Some(*word) == text);
        if word.is_none() {
            let choice = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>();
            let message = format!("`{}`: expected one of {}", member.key, choice.join(", "));
            self.invalid(&member.value, message);
        }
        word
    }

    /// Returns the strings of a list; a single string is a list of one.
    pub(super) fn strings(&mut self, member: &Member) -> Vec<(String, Span)> {
        let value = &member.value;
        let single = value.as_str().map(|_| std::slice::from_ref(value));
        let Some(items) = value.as_array().or(single) else {
            self.wrong_kind(value, &format!("`{}`", member.key), "a list of strings");
            return Vec::new();
        };
        let mut texts = Vec::new();
        for item in items {
            match (item.as_str(), item.span) {
                (Some(text), Some(span)) => texts.push((text.to_owned(), span)),
                _ => self.wrong_kind(item, &format!("`{}`", member.key), "strings"),
            }
        }
        texts
    }

    /// Returns the globs of a list, compiled together.
    pub(super) fn globs(&mut self, member: &Member) -> Vec<PathGlobs> {
        let mut patterns = Vec::new();
        for (pattern, span) in self.strings(member) {
            match has_wildcards(&pattern) {
                Ok(true) if self.wild_globs == MAX_WILD_GLOBS => {
                    self.wild_globs += 1;
                    let message = format!("there are more than {MAX_WILD_GLOBS} globs with wildcards");
                    let problem = Diagnostic::new(Code::ConfigInvalid, span, message);
                    self.diagnostics.push(problem.with_help("name folders, or paths without wildcards"));
                }
                Ok(true) if self.wild_globs > MAX_WILD_GLOBS => {}
                Ok(is_wild) => {
                    self.wild_globs += usize::from(is_wild);
                    patterns.push(pattern);
                }
                Err(error) => self.report_glob(&pattern, span, &error),
            }
        }
        if patterns.is_empty() {
            return Vec::new();
        }
        match PathGlobs::new(self.folder, patterns.iter().map(String::as_str)) {
            Ok(globs) => vec![globs],
            Err(error) => {
                if let Some(span) = member.value.span {
                    self.report_glob(error.glob().unwrap_or_default(), span, &error);
                }
                Vec::new()
            }
        }
    }

    fn report_glob(&mut self, pattern: &str, span: Span, error: &globset::Error) {
        let message = format!("`{pattern}` is not a glob: {}", error.kind());
        self.diagnostics.push(Diagnostic::new(Code::ConfigInvalid, span, message));
    }
}
