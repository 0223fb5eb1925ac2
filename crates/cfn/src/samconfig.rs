//! The settings of the AWS SAM CLI, `samconfig.toml` and `samconfig.yaml`: the parameters of deployments, for each environment.
//!
//! Reference: <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-sam-cli-config.html>.

use std::iter::Peekable;
use std::vec::IntoIter;

use crate::text::{FileId, Span};
use crate::value::{Data, Member, Value};

/// The names that the SAM CLI looks for.
pub const SAM_CONFIGS: [&str; 3] = ["samconfig.toml", "samconfig.yaml", "samconfig.yml"];

/// The names of templates that the SAM CLI looks for, the best first.
pub const SAM_TEMPLATES: [&str; 3] = ["template.yaml", "template.yml", "template.json"];

/// What `sam deploy` passes to a template in one environment.
#[derive(Debug)]
pub struct Environment {
    /// The templates that the settings of its commands name, that of `deploy` first.
    pub templates: Vec<String>,
    /// The values of parameters, as a parameter file: see [`crate::is_parameter_file`].
    pub parameters: Value,
}

/// The environments that set parameters. `text` is that of the file.
pub fn environments(config: &Value, file: FileId, text: &str) -> Vec<Environment> {
    let members = config.as_object().into_iter().flatten();
    members.filter_map(|member| environment(&member.value, file, text)).collect()
}

fn environment(settings: &Value, file: FileId, text: &str) -> Option<Environment> {
    let of_command = |command: &str, name: &str| settings.get(command)?.get("parameters")?.get(name);
    let setting = |command: &str, name: &str| of_command(command, name).or_else(|| of_command("global", name));
    let overrides = setting("deploy", "parameter_overrides")?;
    let templates = ["deploy", "build"].into_iter().flat_map(|command| {
        let names = ["template_file", "template"].into_iter();
        names.filter_map(move |name| setting(command, name)?.as_str().map(str::to_owned))
    });
    let parameters = Value::object(parameters(overrides, file, text));
    let parameters = Value::object(vec![Member::new("Parameters", parameters)]);
    Some(Environment { templates: templates.collect(), parameters })
}

/// The parameters of `parameter_overrides`: a string, a list of strings, or an object.
fn parameters(overrides: &Value, file: FileId, text: &str) -> Vec<Member> {
    match &overrides.data {
        Data::String(_) => Letters::of(overrides, file, text).parameters(),
        Data::Array(_) => {
            let items = overrides.as_array().into_iter().flatten();
            items.flat_map(|item| Letters::of(item, file, text).parameters()).collect()
        }
        Data::Object(object) => {
            let is_scalar = |member: &&Member| member.value.as_array().is_none() && member.value.as_object().is_none();
            object.iter().filter(is_scalar).cloned().collect()
        }
        _ => Vec::new(),
    }
}

/// The characters of a string that are left, with their places in the text.
struct Letters {
    rest: Peekable<IntoIter<(char, Span)>>,
}

/// A part of a string.
struct Word {
    text: String,
    span: Option<Span>,
}

impl Letters {
    fn of(value: &Value, file: FileId, text: &str) -> Self {
        let (string, span) = (value.as_str().unwrap_or_default(), value.span.unwrap_or(Span::whole_file(file)));
        let letters = places(string, span, text).unwrap_or_else(|| string.chars().map(|c| (c, span)).collect());
        Self { rest: letters.into_iter().peekable() }
    }

    /// `Name=value Other="a value"`, or `ParameterKey=Name,ParameterValue=value`.
    fn parameters(mut self) -> Vec<Member> {
        let mut members = Vec::new();
        while self.skip_blanks() {
            let mut name = self.word(&['=', ' ']);
            if self.rest.next_if(|(letter, _)| *letter == '=').is_none() {
                continue;
            }
            if name.text == "ParameterKey" {
                name = self.word(&[',', ' ']);
                self.rest.next_if(|(letter, _)| *letter == ',');
                self.word(&['=', ' ']);
                self.rest.next_if(|(letter, _)| *letter == '=');
            }
            let value = self.word(&[' ']);
            if name.text.is_empty() {
                continue;
            }
            let mut member =
                Member::new(name.text, Value { span: value.span.or(name.span), ..Value::from(value.text) });
            member.key_span = name.span;
            members.push(member);
        }
        members
    }

    /// Whether there is something after the blanks.
    fn skip_blanks(&mut self) -> bool {
        while self.rest.next_if(|(letter, _)| letter.is_whitespace()).is_some() {}
        self.rest.peek().is_some()
    }

    /// What comes before one of the characters `ends` that is not in quotation marks.
    fn word(&mut self, ends: &[char]) -> Word {
        let mut word = Word { text: String::new(), span: None };
        let mut is_quoted = false;
        while let Some((letter, span)) =
            self.rest.next_if(|(letter, _)| is_quoted || !(ends.contains(letter) || letter.is_whitespace()))
        {
            let letter = match letter {
                '"' => {
                    is_quoted = !is_quoted;
                    continue;
                }
                '\\' => self.rest.next().map_or(letter, |(escaped, _)| escaped),
                letter => letter,
            };
            word.text.push(letter);
            word.span = Some(word.span.map_or(span, |first: Span| first.to(span)));
        }
        word
    }
}

/// Where each character of a string stands in the text of its literal. `None` for a literal with other escapes than those of
/// JSON.
fn places(string: &str, span: Span, text: &str) -> Option<Vec<(char, Span)>> {
    let start = span.start as usize;
    let literal = text.get(start..span.end as usize)?;
    let has_escapes = literal.starts_with('"') || text.get(..start)?.ends_with('"');
    let mut letters = Vec::new();
    let mut rest = literal.strip_prefix(['"', '\'']).filter(|_| !string.starts_with(['"', '\''])).unwrap_or(literal);
    for letter in string.chars() {
        let length = match rest.chars().next()? {
            '\\' if has_escapes => match rest.chars().nth(1)? {
                'u' => 6,
                'U' => 10,
                _ => 2,
            },
            written if written == letter => written.len_utf8(),
            _ => return None,
        };
        let at = span.start + u32::try_from(literal.len() - rest.len()).ok()?;
        letters.push((letter, Span { start: at, end: at + u32::try_from(length).ok()?, ..span }));
        rest = rest.get(length..)?;
    }
    Some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax;
    use crate::text::Sources;

    /// The names and values of each environment, with the text of each value.
    fn read(text: &str) -> Vec<String> {
        let file = Sources::new().add("samconfig.toml", text);
        let config = syntax::toml::parse(file, &text.into(), 32).value.expect("it is TOML");
        let all = environments(&config, file, text).into_iter();
        let shown = all.map(|environment| {
            let members = environment.parameters.get("Parameters").and_then(Value::as_object).expect("it is an object");
            let one = |member: &Member| {
                let span = member.value.span.expect("it has a place");
                let written = text.get(span.start as usize..span.end as usize).expect("it is in the text");
                format!("{}={} ({written})", member.key, member.value.as_str().unwrap_or_default())
            };
            let members: Vec<String> = members.iter().map(one).collect();
            format!("{}: {}", environment.templates.join(" "), members.join(", "))
        });
        shown.collect()
    }

    #[test]
    fn each_environment_has_its_parameters() {
        let text = r#"
version = 0.1
[default.global.parameters]
stack_name = "x"
[default.deploy.parameters]
template_file = "a.yaml"
parameter_overrides = "Stage=\"the test\" Size=3"
[prod.deploy.parameters]
parameter_overrides = ["Stage=prod", 'Name="a b"']
[long.global.parameters]
parameter_overrides = "ParameterKey=Stage,ParameterValue=long ParameterKey=Size,ParameterValue=\"\""
[none.deploy.parameters]
region = "eu-west-1"
"#;
        assert_eq!(
            read(text),
            [
                "a.yaml: Stage=the test (the test), Size=3 (3)",
                ": Stage=long (long), Size= (Size)",
                ": Stage=prod (prod), Name=a b (a b)",
            ]
        );
    }

    #[test]
    fn text_without_parameters_has_none() {
        assert_eq!(read("[a.deploy.parameters]\nparameter_overrides = \"= x =\\\\\"\n"), [": "]);
        assert!(read("[a.deploy.parameters]\nregion = \"x\"\n").is_empty());
    }
}
