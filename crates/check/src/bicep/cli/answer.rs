//! Reads the answer of the Bicep CLI for one file.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value as Json;

use crate::bicep::{Built, Message, MessageLevel, Point};

/// Reads the result of the method `bicep/compile`, or of `bicep/compileParams` for a parameter file.
pub(super) fn of_rpc(mut result: Json, is_parameters: bool) -> Built {
    let diagnostics = result.get("diagnostics").and_then(Json::as_array);
    let messages = diagnostics.into_iter().flatten().filter_map(of_diagnostic).collect();
    if result.get("success").and_then(Json::as_bool) != Some(true) {
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

/// Reads one item of `diagnostics`. `None` if it lacks a file, a level or a message.
fn of_diagnostic(diagnostic: &Json) -> Option<Message> {
    let point = |name: &str| {
        let at = diagnostic.get("range").and_then(|range| range.get(name));
        let number = |name: &str| u32::try_from(at?.get(name)?.as_u64()?).ok();
        Point { line: number("line").unwrap_or(0), character: number("char").unwrap_or(0) }
    };
    let text = |name: &str| diagnostic.get(name)?.as_str();
    Some(Message {
        file: text("source")?.into(),
        start: point("start"),
        end: point("end"),
        level: MessageLevel::from_word(text("level")?),
        code: text("code").unwrap_or_default().to_owned(),
        text: text("message")?.to_owned(),
        help: None,
    })
}

/// Reads the output of `bicep build --stdout`, or of `bicep build-params --stdout` for a parameter file. `None` if it
/// is not such an output.
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

/// A line of standard error that begins a message. The Azure CLI puts its own level before it.
#[expect(clippy::expect_used, reason = "the pattern is a constant, and the tests use it")]
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:(?:WARNING|ERROR): )?(.+)\((\d+),(\d+)\) : (Error|Warning|Info) ([\w-]+): (.*)$")
        .expect("the pattern is valid")
});

/// Reads the messages on standard error. A line that does not begin a message continues the previous one.
pub(super) fn of_stderr(stderr: &str) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for line in stderr.lines() {
        match (LINE.captures(line), messages.last_mut()) {
            (Some(parts), _) => {
                let number = |at: usize| parts[at].parse::<u32>().unwrap_or(1).saturating_sub(1);
                let start = Point { line: number(2), character: number(3) };
                let (file, level) = (parts[1].into(), MessageLevel::from_word(&parts[4]));
                let (code, text) = (parts[5].to_owned(), parts[6].to_owned());
                messages.push(Message { file, start, end: start, level, code, text, help: None });
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
        let show = |message: &Message| {
            let Message { file, start: Point { line, character }, level, code, text, .. } = message;
            format!("{} {line},{character} {level:?} {code} {text}", file.display())
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
    fn a_result_has_a_template_only_if_the_build_succeeded() {
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
    fn the_output_for_a_parameter_file_contains_parameters_and_template() {
        let stdout = br#"{"parametersJson": "{\"a\": 1}", "templateJson": null, "templateSpecId": null}"#;
        let built = of_output(stdout.to_vec(), "", true).unwrap();
        assert_eq!((built.parameters.as_deref(), built.template), (Some(r#"{"a": 1}"#), None));
        assert_eq!(of_output(b"oops".to_vec(), "", true), None);
        assert_eq!(of_output(Vec::new(), "", false), None);
    }
}
