//! The settings of the AWS SAM CLI, `samconfig.toml` and `samconfig.yaml`: the parameters of deployments, for each
//! environment.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-sam-cli-config.html>.

use std::ops::Range;

use crate::text::{FileId, Span};
use crate::value::{Data, Member, Value};

/// The names that the SAM CLI looks for.
pub const SAM_CONFIGS: [&str; 3] = ["samconfig.toml", "samconfig.yaml", "samconfig.yml"];

/// The names of templates that the SAM CLI looks for, the best first.
pub const SAM_TEMPLATES: [&str; 3] = ["template.yaml", "template.yml", "template.json"];

/// The environment of a command that names none.
const DEFAULT: &str = "default";

/// Settings that `sam deploy` passes to a template in one environment.
#[derive(Debug)]
pub struct Environment {
    /// Name of the environment, for `--config-env`.
    pub name: String,
    /// The templates that the settings of its commands name, that of `deploy` first.
    pub templates: Vec<String>,
    /// The values of parameters, as a parameter file: see [`crate::is_parameter_file`].
    pub parameters: Value,
}

/// Returns the environments that set parameters. `text` is that of the file.
pub fn environments(config: &Value, file: FileId, text: &str) -> Vec<Environment> {
    let members = config.as_object().into_iter().flatten();
    members.filter_map(|member| environment(member, file, text)).collect()
}

/// Returns `true` if `sam deploy` uses the defaults of all parameters in some environment: in one that has settings but
/// no values for parameters, or without `--config-env`.
pub fn leaves_defaults(config: &Value) -> bool {
    let leaves = |member: &Member| overrides(&member.value).is_none() && is_of_deployments(&member.value);
    let mut members = config.as_object().into_iter().flatten();
    config.get(DEFAULT).and_then(overrides).is_none() || members.any(leaves)
}

/// Returns `true` if a template can be deployed without values for its parameters.
pub fn has_defaults(template: &Value) -> bool {
    let parameters = template.get("Parameters").and_then(Value::as_object).into_iter().flatten();
    parameters.into_iter().all(|parameter| parameter.value.get("Default").is_some())
}

fn is_of_deployments(settings: &Value) -> bool {
    ["deploy", "global"].iter().any(|command| settings.get(command).is_some_and(|of| of.get("parameters").is_some()))
}

/// Returns a setting of a command in an environment, or of all its commands.
fn setting<'a>(settings: &'a Value, command: &str, name: &str) -> Option<&'a Value> {
    let of_command = |command: &str| settings.get(command)?.get("parameters")?.get(name);
    of_command(command).or_else(|| of_command("global"))
}

fn overrides(settings: &Value) -> Option<&Value> {
    setting(settings, "deploy", "parameter_overrides")
}

fn environment(member: &Member, file: FileId, text: &str) -> Option<Environment> {
    let settings = &member.value;
    let overrides = overrides(settings)?;
    let templates = ["deploy", "build"].into_iter().flat_map(|command| {
        let names = ["template_file", "template"].into_iter();
        names.filter_map(move |name| setting(settings, command, name)?.as_str().map(str::to_owned))
    });
    let parameters = Value::object(parameters(overrides, file, text));
    let parameters = Value::object(vec![Member::new("Parameters", parameters)]);
    Some(Environment { name: member.key.to_string(), templates: templates.collect(), parameters })
}

/// Returns the parameters of `parameter_overrides`: a string, a list of strings, or an object.
fn parameters(overrides: &Value, file: FileId, text: &str) -> Vec<Member> {
    match &overrides.data {
        Data::String(_) => Letters::from_value(overrides, file, text).parameters(),
        Data::Array(_) => {
            let items = overrides.as_array().into_iter().flatten();
            items.flat_map(|item| Letters::from_value(item, file, text).parameters()).collect()
        }
        Data::Object(object) => {
            let is_scalar = |value: &Value| value.as_array().is_none() && value.as_object().is_none();
            let is_parameter = |member: &&Member| *member.key != *"$include" && is_scalar(&member.value);
            object.iter().filter(is_parameter).cloned().collect()
        }
        _ => Vec::new(),
    }
}

/// The characters of a string, with their places in the text.
struct Letters(Vec<(char, Span)>);

/// A part of a string.
struct Word {
    text: String,
    span: Option<Span>,
}

impl Letters {
    fn from_value(value: &Value, file: FileId, text: &str) -> Self {
        let (string, span) = (value.as_str().unwrap_or_default(), value.span.unwrap_or(Span::whole_file(file)));
        let mut letters = places(string, span, text).unwrap_or_else(|| string.chars().map(|c| (c, span)).collect());
        letters.truncate(string.trim_end().chars().count());
        letters.drain(..letters.iter().take_while(|(letter, _)| letter.is_whitespace()).count());
        Self(letters)
    }

    /// Reads `ParameterKey=Name,ParameterValue=value` wherever it is, or else `Name=value Other="a value"`.
    ///
    /// Source of the grammar: <https://github.com/aws/aws-sam-cli/blob/develop/samcli/cli/types.py>.
    fn parameters(&self) -> Vec<Member> {
        let mut members = self.pairs("ParameterKey=", ",ParameterValue=");
        if members.is_empty() {
            members = self.pairs("", "=");
            // What has no value keeps that of the last deployment.
            members.retain(|member| !["ParameterKey", "ParameterValue"].contains(&&*member.key));
        }
        members
    }

    /// Returns all names that follow `before`, or a blank if that is empty, with the values that follow them and
    /// `between`.
    fn pairs(&self, before: &str, between: &str) -> Vec<Member> {
        let (mut members, mut at) = (Vec::new(), 0);
        while at < self.0.len() {
            let is_start = !before.is_empty() || at == 0 || self.letter(at - 1) == Some(' ');
            match is_start.then(|| self.pair(at, before, between)).flatten() {
                Some((member, end)) => {
                    members.push(member);
                    at = end;
                }
                None => at += 1,
            }
        }
        members
    }

    /// Returns the pair that begins here, and where it ends.
    fn pair(&self, at: usize, before: &str, between: &str) -> Option<(Member, usize)> {
        let start = self.after(at, before)?;
        let is_of_name = |letter: &char| letter.is_ascii_alphanumeric() || ['"', '\''].contains(letter);
        let name = self.0.iter().skip(start).take_while(|(letter, _)| is_of_name(letter));
        let end = start + name.count();
        let is_quoted = |quote| end - start >= 2 && [start, end - 1].map(|at| self.letter(at)) == [Some(quote); 2];
        let inner = if is_quoted('"') || is_quoted('\'') { start + 1..end - 1 } else { start..end };
        let name = self.word(inner);
        let (value, end) = self.value(self.after(end, between)?)?;
        if name.text.is_empty() {
            return None;
        }
        let value = Value { span: value.span.or(name.span), ..Value::from(value.text) };
        Some((Member { key_span: name.span, ..Member::new(name.text, value) }, end))
    }

    /// Returns the value that begins here, without the quotation marks around it, and where it ends.
    fn value(&self, start: usize) -> Option<(Word, usize)> {
        if let Some(quote @ ('"' | '\'')) = self.letter(start) {
            let end = self.end(start + 1, |letter| letter == quote);
            if self.letter(end) == Some(quote) {
                return Some((self.word(start + 1..end), end + 1));
            }
        }
        let end = self.end(start, |letter| ['"', ' '].contains(&letter));
        (end > start).then(|| (self.word(start..end), end))
    }

    /// Returns the index of the first character from `start` on that satisfies `is_end` and has no backslash before it,
    /// or else the end of the string, without a backslash that escapes nothing.
    fn end(&self, start: usize, is_end: impl Fn(char) -> bool) -> usize {
        let mut at = start;
        while let Some(letter) = self.letter(at).filter(|letter| !is_end(*letter)) {
            match (letter, self.letter(at + 1)) {
                ('\\', None) => break,
                ('\\', Some(_)) => at += 2,
                _ => at += 1,
            }
        }
        at
    }

    /// Returns the text of a range. A backslash before a blank or a quotation mark is dropped, any other stays.
    fn word(&self, range: Range<usize>) -> Word {
        let letters = self.0.get(range).unwrap_or_default();
        let (mut text, mut rest) = (String::new(), letters.iter().map(|(letter, _)| *letter).peekable());
        while let Some(letter) = rest.next() {
            let escaped = rest.next_if(|next| letter == '\\' && [' ', '"', '\''].contains(next));
            text.push(escaped.unwrap_or(letter));
        }
        let span = letters.first().zip(letters.last()).map(|((_, first), (_, last))| first.to(*last));
        Word { text, span }
    }

    /// Returns the index after `expected`, if the text at `at` begins with it.
    fn after(&self, at: usize, expected: &str) -> Option<usize> {
        let end = at + expected.len();
        let is_here = expected.chars().zip(at..end).all(|(letter, at)| self.letter(at) == Some(letter));
        is_here.then_some(end)
    }

    fn letter(&self, at: usize) -> Option<char> {
        self.0.get(at).map(|(letter, _)| *letter)
    }
}

/// Returns the characters of a string with their spans in the literal. `None` for a literal with other escapes than
/// those of JSON.
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

    /// Returns the names and values of each environment, with the text of each value.
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
            let name = [&[environment.name], environment.templates.as_slice()].concat().join(" in ");
            format!("{name}: {}", members.join(", "))
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
                "default in a.yaml: Stage=the test (the test), Size=3 (3)",
                "long: Stage=long (long), Size= (Size)",
                "prod: Stage=prod (prod), Name=a b (a b)",
            ]
        );
    }

    #[test]
    fn values_have_the_grammar_of_the_sam_cli() {
        let check = |overrides: &str, expected: &str| {
            let text = format!("[a.deploy.parameters]\nparameter_overrides = \'\'\'{overrides}\'\'\'\n");
            assert_eq!(read(&text), [format!("a: {expected}")], "{overrides}");
        };
        check("A='x y' B=z", "A=x y (x y), B=z (z)");
        check("A=it's B=z", "A=it's (it's), B=z (z)");
        check("A='open B=z", "A='open ('open), B=z (z)");
        check(r#"A="open B=z"#, "B=z (z)");
        check(
            r#"A=x\ y B=C:\dir\new D="a \"b\"" E=\'"#,
            r#"A=x y (x\ y), B=C:\dir\new (C:\dir\new), D=a "b" (a \"b\"), E=' (\')"#,
        );
        check(r#"A=x"y z" B=z"#, "A=x (x), B=z (z)");
        check("A= B=z not.a=name", "B=z (z)");
        check("ParameterKey=A,UsePreviousValue=true", "");
        check("ParameterKey=A,UsePreviousValue=true ParameterKey=B,ParameterValue='x y' C=z", "B=x y (x y)");
        check("ParameterKey=A,Value=x", "");
        check(r"A=x\", r"A=x (x)");
        check("\\", "");
        // Only a blank separates.
        check(" A=x\ty  B=z\n", "A=x\ty (x\ty), B=z (z)");
        check(&"a".repeat(200_000), "");
    }

    #[test]
    fn a_table_has_a_value_for_each_name() {
        let text =
            "[a.deploy.parameters.parameter_overrides]\nStage = 'x'\n\"$include\" = 'file://y.toml'\nL = ['z']\n";
        assert_eq!(read(text), ["a: Stage=x (x)"]);
    }

    #[test]
    fn text_without_parameters_has_none() {
        assert_eq!(read("[a.deploy.parameters]\nparameter_overrides = \"= x =\\\\\"\n"), ["a: "]);
        assert!(read("[a.deploy.parameters]\nregion = \"x\"\n").is_empty());
    }

    #[test]
    fn a_parameter_without_a_default_needs_a_value() {
        let has_defaults = |text: &str| {
            let file = Sources::new().add("template.json", text);
            has_defaults(&syntax::json::parse(file, &text.into(), 32).value.expect("it is JSON"))
        };
        assert!(has_defaults("{}"));
        assert!(has_defaults(r#"{"Parameters": {"A": {"Type": "String", "Default": ""}}}"#));
        assert!(!has_defaults(r#"{"Parameters": {"A": {"Type": "String", "Default": ""}, "B": {"Type": "String"}}}"#));
    }

    #[test]
    fn defaults_are_deployed_without_an_environment_or_in_one_that_sets_no_parameter() {
        let leaves = |text: &str| {
            let file = Sources::new().add("samconfig.toml", text);
            leaves_defaults(&syntax::toml::parse(file, &text.into(), 32).value.expect("it is TOML"))
        };
        let default = "[default.global.parameters]\nparameter_overrides = 'a=b'\n";
        let prod = "[prod.deploy.parameters]\nparameter_overrides = 'a=c'\n";
        assert!(leaves(prod));
        assert!(!leaves(&format!("version = 0.1\n{default}{prod}")));
        assert!(leaves(&format!("{default}{prod}[test.deploy.parameters]\nregion = 'x'\n")));
        assert!(!leaves(&format!("{default}{prod}[test.build.parameters]\ncached = true\n")));
    }
}
