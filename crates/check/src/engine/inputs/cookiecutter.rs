//! Files from which Cookiecutter makes those of a project, and those that another template engine writes. Many have no
//! syntax of their own before that.
//!
//! References: <https://cookiecutter.readthedocs.io/en/stable/overview.html>,
//! <https://jinja.palletsprojects.com/en/stable/templates/>, <https://pkg.go.dev/text/template>.

use std::path::{Component, Path};
use std::sync::LazyLock;

use arcstr::ArcStr;
use regex::{Captures, Regex};

use crate::diagnostic::{Code, Diagnostic, Level, NotChecked};
use crate::engine::inputs::discover::Input;
use crate::engine::inputs::store::Store;
use crate::text::FileId;

/// A placeholder for a value, and one for nothing: a statement or a comment. Those that reach over several lines could
/// hide anything between them.
static PLACEHOLDER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<value>\{\{[^{}\r\n]*\}\})|\{%[^\r\n]*?%\}|\{#[^\r\n]*?#\}"));

#[expect(clippy::expect_used, reason = "the pattern is a literal that tests compile")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is valid")
}

/// Returns `true` if a file has a placeholder, and so has the name of a folder above it in the repository; outside of
/// repositories, in the folder of the run.
pub(super) fn may_be_source(store: &Store<'_>, path: &Path, text: &str) -> bool {
    let has_placeholder = |part: Component<'_>| part.as_os_str().to_str().is_some_and(|name| name.contains("{{"));
    let Some(folder) = path.parent().filter(|folder| folder.components().any(has_placeholder)) else { return false };
    let repository = store.folders.repository_of(folder);
    let below = folder.strip_prefix(repository.as_deref().unwrap_or(store.working));
    below.is_ok_and(|below| below.components().any(has_placeholder)) && PLACEHOLDER.is_match(text)
}

/// A line that begins with a placeholder, which has no meaning in YAML or JSON.
static LINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^\s*(?:- )?(?:\{%|\{\{[^{}\r\n]*\}\})"));

/// Returns `true` if a text has a line that only a template engine understands.
pub(super) fn has_lines(text: &str) -> bool {
    (text.contains("{%") || text.contains("{{")) && LINE.is_match(text)
}

/// Returns the diagnostic for a text that could not be parsed, for the reasons in `problems`, if a template engine makes
/// a file of it: it has placeholders and no other error, or lines of an engine. `None` for any other text.
pub(super) fn note(
    store: &Store<'_>,
    input: &Input,
    file: FileId,
    text: &str,
    problems: &[Diagnostic],
) -> Option<Diagnostic> {
    let is_of_syntax = |problem: &Diagnostic| matches!(problem.code, Code::SyntaxJson | Code::SyntaxYaml);
    let mut errors = problems.iter().filter(|problem| problem.level == Level::Error);
    if !errors.all(is_of_syntax) || !PLACEHOLDER.is_match(text) {
        return None;
    }
    // A value may be a word, or lines that have their place between others.
    let is_parsed_with = |value: &str| {
        let text = ArcStr::from(replaced(text, value));
        store.parse_text(&input.path, file, &text).into_chosen(input.named).value.is_some()
    };
    let is_only_error = || is_parsed_with("x") || is_parsed_with(" ");
    if may_be_source(store, &input.path, text) {
        return is_only_error().then(|| of_cookiecutter(input, file));
    }
    (is_only_error() || has_lines(text)).then(|| {
        let message = "the file has placeholders of a template engine, such as that of Jinja or Go, so it is checked only as the \
                       engine writes it";
        Diagnostic::of_file(Code::FileTemplated, file, message)
            .with_level(level(input))
            .not_checked(NotChecked::Templated)
    })
}

/// Returns the level of a file that is not checked: an error if the user named it.
fn level(input: &Input) -> Level {
    if input.named { Level::Error } else { Level::Note }
}

/// Returns the text with each placeholder replaced by a value of the same length that parses.
fn replaced(text: &str, value: &str) -> String {
    let plain = |found: &Captures<'_>| {
        let by = if found.name("value").is_some() { value } else { " " };
        by.repeat(found.get_match().len())
    };
    PLACEHOLDER.replace_all(text, plain).into_owned()
}

/// Returns the diagnostic for a file of Cookiecutter, which cannot be parsed before a project is generated from it.
fn of_cookiecutter(input: &Input, file: FileId) -> Diagnostic {
    let message =
        "the file has placeholders of Cookiecutter, so it is checked only in the projects that are made of it";
    Diagnostic::of_file(Code::FileCookiecutter, file, message)
        .with_level(level(input))
        .not_checked(NotChecked::Cookiecutter)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use foldhash::HashSet;

    use super::*;
    use crate::files::{Disk, Fence};
    use crate::model::Limits;
    use crate::text::Sources;

    /// Returns the codes of the problems with a file of the repository `working`, with their levels.
    fn codes_in(working: &Path, path: &str, text: &str) -> Vec<String> {
        let (sources, limits) = (Sources::new(), Limits::default());
        let store = Store::new(working, &sources, &limits, Fence::of_user(&Disk), HashSet::default());
        let (_, problems) = store.load_bytes(Input::new(working, Path::new(path), false), text.into());
        problems.iter().map(|problem| format!("{} {}", problem.level.as_str(), problem.code.as_str())).collect()
    }

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_eq!(codes_in(Path::new("/x"), path, text), expected, "{path}: {text}");
    }

    const TEMPLATE: &str = "Resources:\n  a:\n    Type: AWS::SNS::Topic\n";
    const NOTE: &[&str] = &["note file/cookiecutter"];
    const TEMPLATED: &[&str] = &["note file/templated"];

    #[test]
    fn a_text_that_only_its_placeholders_break_is_noted() {
        for rest in ["    {%- if x %}\n", "    {{ x }}\n", "    {# x #}\n    {{x}}: {{y}}\n"] {
            let text = format!("{TEMPLATE}{rest}");
            check("{{cookiecutter.name}}/template.yaml", &text, NOTE);
            check("y/template.yaml", &text, TEMPLATED);
        }
        let text = r#"{"AWSTemplateFormatVersion": "2010-09-09", "Resources": {{ all }} {% if x %}, "Outputs": {} {% endif %}}"#;
        check("{{cookiecutter.name}}/a/template.json", text, NOTE);
        check("{{a}}/b.yaml", &format!("{TEMPLATE}    Properties: {{TopicName: '{{{{a}}}}'}}\n"), &[]);
    }

    #[test]
    fn lines_of_a_template_engine_are_noted() {
        for rest in ["{% for x in y %}\n  b: [}\n{% endfor %}\n", "  {{- if .Values.x }}\n  b: [\n  {{- end }}\n"] {
            check("y/template.yaml", &format!("{TEMPLATE}{rest}"), TEMPLATED);
        }
        check("y/template.yaml", &format!("{TEMPLATE}  b: [\n"), &["error syntax/yaml"]);
    }

    #[test]
    fn any_other_error_stays() {
        for rest in [
            "    x: [}\n# {{\n",
            "    x: [} # {{ y }}\n",
            "    # {{\n    x: [}\n    # }}\n",
            "    {{ y }}\n    x: [}\n",
        ] {
            check("{{p}}/t.yaml", &format!("{TEMPLATE}{rest}"), &["error syntax/yaml"]);
        }
        let (open, close) = ("[".repeat(600), "]".repeat(600));
        let deep = format!(r#"{{"AWSTemplateFormatVersion": "{{{{a}}}}", "Metadata": {{"a": {open}{close}}}}}"#);
        check("{{p}}/t.json", &deep, &["error syntax/depth"]);
    }

    #[test]
    fn a_folder_around_the_repository_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let working = folder.path().join("{{p}}/r");
        fs::create_dir_all(working.join("{{q}}")).unwrap();
        fs::create_dir_all(working.join("y")).unwrap();
        let text = format!("{TEMPLATE}    {{{{ x }}}}\n");
        let codes = |name: &str| codes_in(&working, name, &text);
        assert_eq!(codes("t.yaml"), TEMPLATED);
        fs::create_dir(working.join(".git")).unwrap();
        for name in ["t.yaml", "y/{{t}}.yaml"] {
            assert_eq!(codes(name), TEMPLATED);
        }
        assert_eq!(codes("{{q}}/t.yaml"), NOTE);
    }
}
