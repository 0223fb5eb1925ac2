//! What the compiler says of one file.

use std::path::PathBuf;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// What a file was built to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Built {
    /// The template as JSON text. `None` with an error, and for a parameter file without a template of its own.
    pub template: Option<String>,
    /// The parameters as JSON text. `None` with an error, and for what is no parameter file.
    pub parameters: Option<String>,
    /// What the compiler has to say.
    pub messages: Vec<Message>,
}

impl Built {
    /// Whether the compiler accepts the file.
    pub(crate) fn is_complete(&self) -> bool {
        self.template.is_some() || self.parameters.is_some()
    }

    /// Whether another build of the same files would give the same. One that lacks a module may be different as soon as
    /// there is a network.
    pub(super) fn is_lasting(&self) -> bool {
        let has_error = self.messages.iter().any(|it| it.weight == Weight::Error);
        self.is_complete() || (has_error && !self.messages.iter().any(Message::is_about_restoring))
    }
}

/// One warning or error of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Message {
    /// The file that it is about, absolute.
    pub file: PathBuf,
    /// First character.
    pub start: Point,
    /// Behind the last character.
    pub end: Point,
    /// How bad it is.
    pub weight: Weight,
    /// The code, such as `BCP036` or the name of a linter rule.
    pub code: String,
    /// What is wrong.
    pub text: String,
}

/// The codes for modules that are not in the cache of the CLI, whether it may not or cannot fetch them.
const RESTORING: [&str; 3] = ["BCP190", "BCP191", "BCP192"];

impl Message {
    /// Whether it is about a module that could not be had from a registry.
    pub(crate) fn is_about_restoring(&self) -> bool {
        RESTORING.contains(&self.code.as_str())
    }
}

/// A place as the compiler counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// From 0.
    pub line: u32,
    /// In UTF-16 code units, from 0.
    pub character: u32,
}

/// How bad the compiler finds something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Weight {
    /// Worth knowing.
    Info,
    /// Suspicious.
    Warning,
    /// The file is not built.
    Error,
}

impl Weight {
    fn of(word: &str) -> Self {
        match word {
            "Error" => Self::Error,
            "Warning" => Self::Warning,
            _ => Self::Info,
        }
    }
}

/// The result of `bicep/compile` for a template or `bicep/compileParams` for a parameter file.
pub(super) fn of_rpc(mut result: Json, is_parameters: bool) -> Built {
    let messages = result["diagnostics"].as_array().into_iter().flatten().filter_map(of_diagnostic).collect();
    if result["success"].as_bool() != Some(true) {
        return Built { messages, ..Built::default() };
    }
    let mut text = |name: &str| match result.get_mut(name).map(Json::take) {
        Some(Json::String(text)) => Some(text),
        _ => None,
    };
    if is_parameters {
        Built { template: text("template"), parameters: text("parameters"), messages }
    } else {
        Built { template: text("contents"), parameters: None, messages }
    }
}

fn of_diagnostic(diagnostic: &Json) -> Option<Message> {
    let point = |name: &str| {
        let at = &diagnostic["range"][name];
        let number = |name: &str| at[name].as_u64().and_then(|it| u32::try_from(it).ok()).unwrap_or(0);
        Point { line: number("line"), character: number("char") }
    };
    Some(Message {
        file: diagnostic["source"].as_str()?.into(),
        start: point("start"),
        end: point("end"),
        weight: Weight::of(diagnostic["level"].as_str()?),
        code: diagnostic["code"].as_str().unwrap_or_default().to_owned(),
        text: diagnostic["message"].as_str()?.to_owned(),
    })
}

/// The output of `bicep build --stdout` or `bicep build-params --stdout`. `None` for what is none.
pub(super) fn of_output(stdout: Vec<u8>, stderr: &str, is_parameters: bool) -> Option<Built> {
    let messages = of_stderr(stderr);
    let text = String::from_utf8(stdout).ok()?;
    if !is_parameters {
        let template = text.trim_end().to_owned();
        return (!template.is_empty()).then_some(Built { template: Some(template), parameters: None, messages });
    }
    let mut output: Json = serde_json::from_str(&text).ok()?;
    let mut part = |name: &str| match output.get_mut(name).map(Json::take) {
        Some(Json::String(text)) => Some(text),
        _ => None,
    };
    let parameters = Some(part("parametersJson")?);
    Some(Built { template: part("templateJson"), parameters, messages })
}

/// A line of standard error; the Azure CLI writes its own words before it.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:(?:WARNING|ERROR): )?(.+)\((\d+),(\d+)\) : (Error|Warning|Info) ([\w-]+): (.*)$")
        .expect("the pattern is valid")
});

/// The messages on standard error. A line that begins none belongs to the message before it.
pub(super) fn of_stderr(stderr: &str) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for line in stderr.lines() {
        match (LINE.captures(line), messages.last_mut()) {
            (Some(parts), _) => {
                let number = |at: usize| parts[at].parse::<u32>().unwrap_or(1).saturating_sub(1);
                let start = Point { line: number(2), character: number(3) };
                let (file, weight) = (parts[1].into(), Weight::of(&parts[4]));
                let (code, text) = (parts[5].to_owned(), parts[6].to_owned());
                messages.push(Message { file, start, end: start, weight, code, text });
            }
            (None, Some(last)) if !line.trim().is_empty() => {
                last.text.push(' ');
                last.text.push_str(line.trim());
            }
            (None, _) => {}
        }
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(messages: &[Message]) -> Vec<String> {
        let show = |it: &Message| {
            let Point { line, character } = it.start;
            format!("{} {line},{character} {:?} {} {}", it.file.display(), it.weight, it.code, it.text)
        };
        messages.iter().map(show).collect()
    }

    #[test]
    fn lines_of_standard_error_are_messages() {
        let stderr = "WARNING: The following experimental Bicep features have been enabled: a.\n\
            /a (b)/main.bicep(3,7) : Warning no-unused-params: Parameter \"x\" is declared but never used. [https://aka.ms]\n\
            ERROR: C:\\a\\main.bicep(1,1) : Error BCP018: Expected\n  the \"=\" character.\n\n";
        assert_eq!(
            shown(&of_stderr(stderr)),
            [
                "/a (b)/main.bicep 2,6 Warning no-unused-params Parameter \"x\" is declared but never used. [https://aka.ms]",
                "C:\\a\\main.bicep 0,0 Error BCP018 Expected the \"=\" character.",
            ]
        );
    }

    #[test]
    fn a_result_has_texts_only_if_the_build_was_a_success() {
        let range = json!({"start": {"line": 4, "char": 2}, "end": {"line": 4, "char": 9}});
        let diagnostics =
            json!([{"source": "/m.bicep", "range": range, "level": "Error", "code": "BCP036", "message": "m"}]);
        let failed = of_rpc(json!({"success": false, "contents": "{}", "diagnostics": diagnostics}), false);
        assert_eq!(
            (failed.is_complete(), shown(&failed.messages)),
            (false, vec!["/m.bicep 4,2 Error BCP036 m".into()])
        );
        let built = of_rpc(json!({"success": true, "contents": "{}", "diagnostics": []}), false);
        assert_eq!(built.template.as_deref(), Some("{}"));
        let built = of_rpc(json!({"success": true, "parameters": "{}", "template": null}), true);
        assert_eq!((built.parameters.as_deref(), built.template), (Some("{}"), None));
    }

    #[test]
    fn the_output_for_a_parameter_file_holds_two_texts() {
        let stdout = br#"{"parametersJson": "{\"a\": 1}", "templateJson": null, "templateSpecId": null}"#;
        let built = of_output(stdout.to_vec(), "", true).unwrap();
        assert_eq!((built.parameters.as_deref(), built.template), (Some(r#"{"a": 1}"#), None));
        assert_eq!(of_output(b"oops".to_vec(), "", true), None);
        assert_eq!(of_output(Vec::new(), "", false), None);
    }
}
