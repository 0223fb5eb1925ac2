//! `formwork rules new`: writes a rule and samples for it, which the author then edits. `rules test` passes with them
//! if `--rules` names the rule.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::Environment;
use crate::cli::args::RulesNewArguments;
use crate::cli::exit::{Error, Exit};
use crate::cli::notice::notice;
use crate::cli::streams;
use crate::diagnostic::service_of;
use crate::files::Destination;
use crate::schema::{Known, PathPart, look_up};
use crate::text::Suggestions;
use crate::text::escape::{Notation, file_name};

/// A value that is known only after deployment, in a template of Azure and in one of AWS.
const UNKNOWN: [&str; 2] = [
    r#""[reference('/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg/providers/Contoso.Lab/things/one', '2023-01-01').value]""#,
    r#"{ "Fn::ImportValue": "example" }"#,
];

/// Writes the files. Existing files are not overwritten.
pub(super) fn run(arguments: &RulesNewArguments, environment: &Environment) -> Result<Exit, Error> {
    let draft = RuleDraft::read(arguments)?;
    let (rule, samples) = output_paths(arguments, &draft);
    let mut files = vec![(rule, draft.rule(arguments))];
    files.extend(draft.samples().into_iter().map(|(name, text)| (samples.join(format!("{name}.json")), text)));
    if let Some((taken, _)) = files.iter().find(|(path, _)| environment.working.join(path).exists()) {
        return Err(Error::Usage(format!("`{}` is there already", file_name(&taken.to_string_lossy()))));
    }
    let mut out = streams::out(Notation::Plain);
    for (path, text) in &files {
        let shown = file_name(&path.to_string_lossy()).into_owned();
        let destination = Destination::new(&environment.working, path);
        destination.create(text.as_bytes()).map_err(|why| Error::Write { path: path.clone(), why })?;
        writeln!(out, "{shown}")?;
    }
    out.flush()?;
    print_next_steps(arguments, &samples);
    Ok(Exit::Clean)
}

/// Prints how to test and use the rule.
fn print_next_steps(arguments: &RulesNewArguments, samples: &Path) {
    let shown = |path: &Path| file_name(&path.to_string_lossy()).into_owned();
    let (rules, tests) = (shown(&arguments.dir), shown(&arguments.tests));
    notice(&format!(
        "`formwork rules test {} --rules {rules}` tests it; describe it, and change what it requires",
        shown(samples)
    ));
    notice(&format!(
        "to check templates with it, but not its samples, add `rules: {{paths: [{rules}]}}` and `exclude: [{tests}]` to `formwork.yaml`"
    ));
}

/// Returns the file of the rule, and the folder of its samples.
fn output_paths(arguments: &RulesNewArguments, draft: &RuleDraft<'_>) -> (PathBuf, PathBuf) {
    let id = &arguments.id;
    let below = match (service_of(id), draft.name.split_once('.')) {
        (Some((cloud, service)), Some((_, telling))) => format!("{cloud}/{service}/{}", hyphened(telling)),
        _ => id.clone(),
    };
    (arguments.dir.join(format!("{below}.json")), arguments.tests.join(below))
}

/// Returns the file name for the name of a rule: `no-public-ip` for `NoPublicIp`.
fn hyphened(name: &str) -> String {
    let mut text = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_ascii_uppercase() {
            text.push('-');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// A rule that requires a value of a property.
struct RuleDraft<'a> {
    id: &'a str,
    name: &'a str,
    type_name: &'a str,
    version: &'a str,
    /// The names of the objects around the property, and of the property.
    path: Vec<&'a str>,
    wanted: Value,
}

impl<'a> RuleDraft<'a> {
    fn read(arguments: &'a RulesNewArguments) -> Result<Self, Error> {
        let usage = |message: String| Err(Error::Usage(message));
        let is_plain = |text: &str| {
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        for (what, text) in [("ID", &arguments.id), ("name", &arguments.name)] {
            if !is_plain(text) {
                return usage(format!("the {what} `{text}` may only have letters, digits, hyphens, and dots"));
            }
        }
        let path: Vec<&str> = arguments.path.split('.').collect();
        if path.len() < 2 || !path.iter().all(|name| is_plain(name)) {
            return usage(format!(
                "the path `{}` must be two names or more with dots between them, like `properties.httpsOnly`",
                arguments.path
            ));
        }
        if !arguments.type_name.contains('/') && !arguments.type_name.contains("::") {
            return usage(format!("`{}` is not a resource type like `Microsoft.Web/sites`", arguments.type_name));
        }
        let parts: Vec<PathPart<'_>> = path.iter().map(|name| PathPart::Name(name)).collect();
        match look_up(&arguments.type_name, &parts, &Suggestions::default()) {
            Known::Possible => {}
            Known::NoType(hint) => return usage(format!("there is no resource type `{}`{hint}", arguments.type_name)),
            Known::NoProperty(part, hint) => {
                return usage(format!("no version of `{}` has {part} there{hint}", arguments.type_name));
            }
        }
        // A word without quotes is a string, as for `--set`.
        let wanted = serde_json::from_str(&arguments.value).unwrap_or_else(|_| Value::from(arguments.value.as_str()));
        if wanted.is_null() || wanted.is_array() || wanted.is_object() {
            return usage("the value must be a Boolean, a number, or a string".to_owned());
        }
        let (id, name, type_name) = (&arguments.id, &arguments.name, &arguments.type_name);
        Ok(Self { id, name, type_name, version: &arguments.api_version, path, wanted })
    }

    fn is_of_aws(&self) -> bool {
        self.type_name.contains("::")
    }

    /// Returns a value that the rule reports.
    fn unwanted(&self) -> Value {
        match &self.wanted {
            Value::Bool(wanted) => json!(!wanted),
            Value::Number(wanted) => wanted.as_i64().map_or_else(|| json!(0), |number| json!(number.wrapping_add(1))),
            other => json!(format!("Not{}", other.as_str().unwrap_or_default())),
        }
    }

    fn rule(&self, arguments: &RulesNewArguments) -> String {
        let property = arguments.path.rsplit('.').next().unwrap_or_default();
        let body = |value: &Value| self.path.iter().rev().fold(value.clone(), |inner, name| json!({*name: inner}));
        let rule = json!({
            "id": self.id,
            "name": self.name,
            "shortDescription": format!("A resource should set `{property}` to `{}`", self.wanted),
            "fullDescription": "Say what an attacker or an outage gains, and what the rule looks at.",
            "recommendation": format!("Set `{}` to `{}`.", arguments.path, self.wanted),
            "severity": 2,
            "category": "configuration",
            "pillar": "security",
            "example": { "apiVersion": arguments.api_version, "before": body(&self.unwanted()), "after": body(&self.wanted) },
            "fix": { "path": arguments.path, "value": self.wanted },
            "evaluation": { "resourceType": self.type_name, "path": arguments.path, "equals": self.wanted },
        });
        format!("{rule:#}\n")
    }

    /// Returns the samples with their names.
    fn samples(&self) -> [(&'static str, String); 5] {
        let [azure, aws] = UNKNOWN;
        let unknown = if self.is_of_aws() { aws } else { azure };
        let parameter = if self.is_of_aws() { r#"{ "Ref": "value" }"# } else { r#""[parameters('value')]""# };
        [
            ("hit", self.sample(Some(&self.unwanted().to_string()), Some("warning"))),
            ("clean", self.sample(Some(&self.wanted.to_string()), None)),
            ("absent", self.sample(None, Some("warning"))),
            ("unknown", self.sample(Some(unknown), Some("unknown"))),
            ("parameter", self.sample(Some(parameter), Some("warning"))),
        ]
    }

    /// Returns a template with or without the property. If the rule reports it, a mark is below.
    fn sample(&self, value: Option<&str>, reported: Option<&str>) -> String {
        let mut text = self.head(value.is_some_and(|value| value.contains("value')]") || value.contains("\"Ref\"")));
        let mut depth = 3;
        let mut above = self.path.iter().copied();
        let last = above.next_back().unwrap_or_default();
        for name in above {
            let _ = writeln!(text, "{}\"{name}\": {{", "  ".repeat(depth));
            depth += 1;
        }
        let pad = "  ".repeat(depth);
        if let Some(value) = value {
            let member = format!("\"{last}\": {value}");
            let _ = writeln!(text, "{pad}{member}");
            // A value from a CloudFormation parameter is reported at the name of the property.
            let length = if value.contains("\"Ref\"") { last.len() + 2 } else { member.chars().count() };
            text.extend(reported.map(|word| self.mark(pad.len(), length, word)));
        } else {
            // A missing value is reported at the start of the surrounding object.
            let at = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
            let column = text.trim_end().len() - at - 1;
            text.extend(reported.map(|word| self.mark(column, 1, word)));
        }
        for depth in (2..depth).rev() {
            let _ = writeln!(text, "{}}}", "  ".repeat(depth));
        }
        text.push_str(if self.is_of_aws() { "  }\n}\n" } else { "  ]\n}\n" });
        text
    }

    /// Returns a mark below the previous line, beginning at column `from` and `length` characters long.
    fn mark(&self, from: usize, length: usize, word: &str) -> String {
        let carets = "^".repeat(length);
        format!("//{}{carets} {word} {}\n", " ".repeat(from.saturating_sub(2)), self.id)
    }

    /// Returns the beginning of a template, up to the members of the resource.
    fn head(&self, has_parameter: bool) -> String {
        let unwanted = self.unwanted();
        if self.is_of_aws() {
            let parameter =
                format!("  \"Parameters\": {{ \"value\": {{ \"Type\": \"String\", \"Default\": {unwanted} }} }},\n");
            let parameter = if has_parameter { parameter } else { String::new() };
            return format!(
                "{{\n{parameter}  \"Resources\": {{\n    \"Example\": {{\n      \"Type\": \"{}\",\n",
                self.type_name
            );
        }
        let kind = match unwanted {
            Value::Bool(_) => "bool",
            Value::Number(_) => "int",
            _ => "string",
        };
        let parameter = format!(
            "  \"parameters\": {{\n    \"value\": {{ \"type\": \"{kind}\", \"defaultValue\": {unwanted} }}\n  }},\n"
        );
        let parameter = if has_parameter { parameter } else { String::new() };
        let name = vec!["example"; self.type_name.split('/').count().saturating_sub(1).max(1)].join("/");
        format!(
            "{{\n  \"$schema\": \"https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#\",\n  \
             \"contentVersion\": \"1.0.0.0\",\n{parameter}  \"resources\": [\n    {{\n      \"type\": \"{}\",\n      \
             \"apiVersion\": \"{}\",\n      \"name\": \"{name}\",\n",
            self.type_name, self.version
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_path_in_lower_case() {
        assert_eq!(hyphened("NoPublicIp"), "no-public-ip");
        assert_eq!(hyphened("MinTls12"), "min-tls12");
    }
}
