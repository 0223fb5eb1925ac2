//! Fragments of a template in files of their own, which a tool puts together before a deployment: one file declares the
//! parameters, conditions, and mappings that the others use.
//!
//! Reference: <https://aws-cloudformation.github.io/rain/rain_merge.html>.
//!
//! # Invariant
//!
//! Problems of the template above a fragment are reported by the check of that template only.

use std::collections::BTreeSet;

use crate::text::{FileId, Span};
use crate::value::{Data, Member, Object, Str, Value};

/// A template that is not complete: it has no parameters, and uses a condition or a mapping that it does not declare.
/// Neither could come from a stack around it.
#[derive(Debug)]
pub struct Fragment<'v> {
    missing: Uses<'v>,
}

impl<'v> Fragment<'v> {
    /// Returns the template as a fragment; `None` if it is none.
    pub fn from_template(template: &'v Value) -> Option<Self> {
        if section(template, "Parameters").is_some() {
            return None;
        }
        let mut missing = Uses::default();
        missing.collect(template);
        missing.sections.retain(|(section, name)| !declares(template, name, &[section]));
        missing.references.retain(|name| !declares(template, name, &REFERENCED));
        (!missing.sections.is_empty()).then_some(Self { missing })
    }

    /// Returns `true` if `frame` is a template with parameters that declares a missing condition or mapping, and at
    /// least one more of the missing names. A single match may be a mistake.
    pub fn belongs_to(&self, frame: &Value) -> bool {
        let Uses { sections, references } = &self.missing;
        let sections = sections.iter().filter(|(section, name)| declares(frame, name, &[section])).count();
        let references = references.iter().filter(|name| declares(frame, name, &REFERENCED)).count();
        section(frame, "Parameters").is_some() && sections > 0 && sections + references > 1
    }
}

/// The sections whose names `Ref` takes.
const REFERENCED: [&str; 2] = ["Parameters", "Resources"];

/// The sections of a frame that its fragments share.
const SHARED: [&str; 5] = ["Transform", "Globals", "Parameters", "Mappings", "Conditions"];

/// The type of what other files declare, of which nothing is known: that of a module, to which CloudFormation also adds
/// resources with names of their own.
const ELSEWHERE: &str = "Fragments::Of::Template::MODULE";

/// Returns a fragment with what its frame declares, and with the `resources` of the frame and the other fragments, by
/// their logical IDs. These have their place in the frame, which is `file`.
pub fn framed<'n>(
    template: &Value,
    (file, frame): (FileId, &Value),
    resources: impl IntoIterator<Item = &'n Str>,
) -> Value {
    let (Some(own), Some(others)) = (template.as_object(), frame.as_object()) else { return template.clone() };
    let mut members: Vec<Member> = others.iter().filter(|member| SHARED.contains(&&*member.key)).cloned().collect();
    let elsewhere = Value::object(vec![Member::new("Type", Value::from(ELSEWHERE))]).at(Span::whole_file(file));
    let resources: Vec<Member> = resources.into_iter().map(|id| Member::new(id.clone(), elsewhere.clone())).collect();
    members.push(Member::new("Resources", Value::object(resources)));
    let traits = frame.traits | template.traits;
    let united = own.iter().map(|member| match members.iter().find(|other| other.key == member.key) {
        Some(other) => Member { value: united(&member.value, &other.value), ..member.clone() },
        None => member.clone(),
    });
    let united: Vec<Member> = united.collect();
    members.retain(|member| own.get_exact(&member.key).is_none());
    members.extend(united);
    Value { span: template.span, ..Value::object(members).with_traits(traits) }
}

/// Returns the logical IDs of a template.
pub fn logical_ids(template: &Value) -> impl Iterator<Item = &Str> {
    section(template, "Resources").into_iter().flatten().map(|member| &member.key)
}

/// Returns the members of both sections; of a name that both have, that of the first.
fn united(own: &Value, other: &Value) -> Value {
    let (Some(first), Some(second)) = (own.as_object(), other.as_object()) else { return own.clone() };
    let rest = second.iter().filter(|member| first.get_exact(&member.key).is_none());
    let members = first.iter().chain(rest).cloned().collect();
    Value { span: own.span, ..Value::object(members).with_traits(own.traits | other.traits) }
}

fn section<'v>(template: &'v Value, name: &str) -> Option<&'v Object> {
    template.as_object()?.get_exact(name)?.as_object()
}

fn declares(template: &Value, name: &str, sections: &[&str]) -> bool {
    sections.iter().any(|known| section(template, known).is_some_and(|names| names.get_exact(name).is_some()))
}

/// The names that a template uses.
#[derive(Debug, Default)]
struct Uses<'v> {
    /// Names of conditions and mappings, with their sections.
    sections: BTreeSet<(&'static str, &'v str)>,
    /// The names that `Ref` is called with.
    references: BTreeSet<&'v str>,
}

impl<'v> Uses<'v> {
    /// Collects what is used in a value, which is not deeper than the limit on nesting.
    fn collect(&mut self, value: &'v Value) {
        match &value.data {
            Data::Object(object) => {
                for member in object.iter() {
                    self.member(member);
                    self.collect(&member.value);
                }
            }
            Data::Array(_) => value.as_array().into_iter().flatten().for_each(|item| self.collect(item)),
            _ => {}
        }
    }

    fn member(&mut self, member: &'v Member) {
        let first = || member.value.as_array().and_then(|items| items.first()?.as_str());
        match &*member.key {
            "Ref" => self.references.extend(member.value.as_str()),
            "Condition" => self.sections.extend(member.value.as_str().map(|name| ("Conditions", name))),
            "Fn::If" => self.sections.extend(first().map(|name| ("Conditions", name))),
            "Fn::FindInMap" => self.sections.extend(first().map(|name| ("Mappings", name))),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax;
    use crate::text::Sources;

    fn parsed(text: &str) -> Value {
        let file = Sources::new().add("template.yaml", text);
        syntax::yaml::parse_template(file, &text.into(), 32, &|_| true).value.expect("it is YAML")
    }

    const FRAME: &str = "Parameters: {Environment: {Type: String}}\nConditions: {IsProd: !Equals [!Ref Environment, p]}\n\
                         Resources: {Key: {Type: 'AWS::KMS::Key'}}\n";

    #[test]
    fn a_fragment_uses_what_only_its_frame_declares() {
        let is_fragment = |text: &str| {
            Fragment::from_template(&parsed(text)).is_some_and(|fragment| fragment.belongs_to(&parsed(FRAME)))
        };
        let queue = |more: &str| format!("Resources:\n  Q:\n    Type: AWS::SQS::Queue\n{more}\n");
        let name = "    Properties: {QueueName: !Ref Environment}";
        assert!(is_fragment(&queue(&format!("    Condition: IsProd\n{name}"))));
        assert!(is_fragment(&queue("    Properties: {QueueName: !If [IsProd, a, b], KmsMasterKeyId: !Ref Key}")));
        // It may be a nested stack without the parameter that it was to have.
        assert!(!is_fragment(&queue(name)));
        assert!(!is_fragment(&queue("    Condition: IsProd")));
        assert!(!is_fragment(&queue(&format!("    Condition: IsProod\n{name}"))));
        assert!(!is_fragment(&format!(
            "Parameters: {{A: {{Type: String}}}}\n{}",
            queue(&format!("    Condition: IsProd\n{name}"))
        )));
        assert!(!is_fragment(&format!(
            "Conditions: {{IsProd: !Equals [a, b]}}\n{}",
            queue(&format!("    Condition: IsProd\n{name}"))
        )));
    }

    #[test]
    fn a_framed_template_has_what_its_frame_declares_and_the_names_of_resources() {
        let template = parsed("Resources: {Q: {Type: 'AWS::SQS::Queue'}, Key: {Type: 'AWS::SNS::Topic'}}\n");
        let frame = parsed(FRAME);
        let file = Sources::new().add("parent.yaml", "");
        let framed = framed(&template, (file, &frame), logical_ids(&frame).chain(&[Str::from("Other")]));
        let names = |name: &str| -> Vec<String> {
            section(&framed, name).into_iter().flatten().map(|member| member.key.to_string()).collect()
        };
        assert_eq!(names("Resources"), ["Q", "Key", "Other"]);
        assert_eq!(names("Conditions"), ["IsProd"]);
        let type_of = |name: &str| framed.get("Resources").and_then(|all| all.get(name)?.get("Type")?.as_str());
        assert_eq!([type_of("Key"), type_of("Other")], [Some("AWS::SNS::Topic"), Some(ELSEWHERE)]);
    }
}
