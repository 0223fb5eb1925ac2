//! Calls of functions, and the names in them, in all branches.
//!
//! A loop is checked once, as it is written: what its variables compute, only evaluation sees.
//!
//! Reference:
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html>.

use formwork_model::declare_checks;

use crate::diagnostic::{Code, Diagnostic};
use crate::functions::{self, expected, sub_names};
use crate::loops::{Declaration, PREFIX, is_computed, written_loop};
use crate::model::{join_index, join_key};
use crate::pseudo;
use crate::schema;
use crate::stack::{LANGUAGE_EXTENSIONS, Stack};
use crate::structure::nested::{self, Outputs};
use crate::structure::{call, dynamic, is_macro, is_scalar, mappings, names};
use crate::value::{Member, Object, Value};

declare_checks! {
    pub(crate) const CHECKS;

    EXPRESSION_SUB_MISSING = Expression Medium "expression/sub-missing" "Expression.SubMissing"
        "A string with the name of a pseudo parameter should be passed to `Fn::Sub`"
        "CloudFormation replaces names such as `${AWS::Region}` only in `Fn::Sub`, so the string is deployed unchanged."
        "Pass the string to `Fn::Sub`."
        .aws("AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-sub");
    EXPRESSION_UNUSED_VARIABLE = Unused Low "expression/unused-variable" "Expression.UnusedVariable"
        "A variable of `Fn::Sub` should be used"
        "An unused variable misleads the readers of the template. This check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Use the variable in the string, or remove it."
        .aws("AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-sub");
}

/// The functions whose results are not known when conditions and the names of imports are evaluated.
const OF_DEPLOYMENTS: [&str; 4] = ["Fn::Cidr", "Fn::GetAZs", "Fn::GetStackOutput", "Fn::ImportValue"];

/// Properties whose text is for another tool, which may use such names as well.
const FOREIGN: [&str; 9] = [
    "AWS::CloudFormation::Init",
    "BuildSpec",
    "Content",
    "Definition",
    "DefinitionBody",
    "DefinitionString",
    "TemplateBody",
    "UserData",
    "ZipFile",
];

/// Checks a template whose logical IDs are known, and the `outputs` of its nested stacks.
pub(super) fn check_calls(stack: &Stack<'_>, outputs: &Outputs) {
    for section in ["Conditions", "Resources", "Outputs"] {
        let place = ValueLocation::Root(section);
        for Declaration { member, path, variables } in stack.declarations(section) {
            let place = if variables.is_empty() {
                ValueLocation::Member(&place, &member.key)
            } else {
                ValueLocation::Loop(section, &path)
            };
            let early = (section == "Conditions").then_some("a condition");
            let calls = Calls { stack, outputs, place, early, is_substituted: false, variables: &variables };
            match member.value.as_object().filter(|_| section == "Resources") {
                Some(resource) => calls.attributes(resource),
                None => calls.within(&member.value),
            }
        }
    }
}

/// Returns `true` if a name is the one of a pseudo parameter, also with one colon.
fn is_pseudo(name: &str) -> bool {
    let rest = name.strip_prefix("AWS:").map(|rest| rest.trim_start_matches(':'));
    rest.is_some_and(|rest| pseudo::NAMES.iter().any(|known| known.strip_prefix("AWS::") == Some(rest)))
}

/// Returns `true` if the names in the strings of a call are replaced.
fn is_substituted(call: &Member) -> bool {
    *call.key == *"Fn::Sub" || is_macro(call)
}

/// Location of a value. Its path is built only for a report.
#[derive(Clone, Copy)]
enum ValueLocation<'p> {
    Root(&'p str),
    /// A declaration of a section in a loop, at a path.
    Loop(&'p str, &'p str),
    Member(&'p ValueLocation<'p>, &'p str),
    Item(&'p ValueLocation<'p>, usize),
}

impl ValueLocation<'_> {
    /// Returns `true` if the value is in the section of this name.
    fn is_in(&self, section: &str) -> bool {
        match self {
            Self::Root(name) | Self::Loop(name, _) => *name == section,
            Self::Member(of, _) | Self::Item(of, _) => of.is_in(section),
        }
    }

    /// Returns `true` if the value is the delimiter of `Fn::Split`, which is often a name in another tool's braces.
    fn is_delimiter(&self) -> bool {
        matches!(self, Self::Item(ValueLocation::Member(_, "Fn::Split"), 0))
    }

    /// Returns `true` if the value is what a function refers to by its name.
    fn is_name(&self) -> bool {
        match self {
            Self::Member(_, key) => *key == "Ref" || key.starts_with("Fn::") || *key == "Condition",
            Self::Item(Self::Member(_, key), at) => match *key {
                "Fn::Contains" | "Fn::Equals" | "Fn::Join" | "Fn::Select" => false,
                "Fn::If" => *at == 0,
                _ => key.starts_with("Fn::") || *key == "Ref",
            },
            Self::Item(of, _) => of.is_name(),
            Self::Root(_) | Self::Loop(..) => false,
        }
    }

    fn path(&self) -> String {
        match self {
            Self::Root(path) | Self::Loop(_, path) => (*path).to_owned(),
            Self::Member(of, key) => join_key(&of.path(), key),
            Self::Item(of, at) => join_index(&of.path(), *at),
        }
    }
}

#[derive(Clone, Copy)]
struct Calls<'s, 'a> {
    stack: &'s Stack<'a>,
    outputs: &'s Outputs,
    place: ValueLocation<'s>,
    /// Part of the template that contains the calls, if it is evaluated before resources exist.
    early: Option<&'static str>,
    /// True if names in strings are replaced, or may be for another tool.
    is_substituted: bool,
    /// The variables of the loops around them.
    variables: &'s [&'s str],
}

impl Calls<'_, '_> {
    /// Checks a resource, whose attributes are values, but for those with names.
    fn attributes(&self, resource: &Object) {
        for Member { key, value, .. } in resource {
            match (&**key, value.as_str()) {
                ("Type", _) => {}
                ("Condition", Some(name)) => names::condition(self.stack, name, value.span),
                ("DependsOn", _) => {
                    for item in value.as_array().unwrap_or(std::slice::from_ref(value)) {
                        if let Some(name) = item.as_str() {
                            self.resource(name, item);
                        }
                    }
                }
                _ => Calls { place: ValueLocation::Member(&self.place, key), ..*self }.within(value),
            }
        }
    }

    /// Checks the calls in a value. It is not deeper than the limit on nesting.
    fn within(&self, value: &Value) {
        let called = call(value);
        if let Some(call) = called {
            self.call(call);
        }
        if let Some(text) = value.as_str() {
            self.text(text, value);
        }
        let is_import = called.is_some_and(|call| *call.key == *"Fn::ImportValue");
        let own = Self {
            is_substituted: self.is_substituted || called.is_some_and(is_substituted),
            early: self.early.or(is_import.then_some("the name of an import")),
            ..*self
        };
        for member in value.as_object().into_iter().flatten() {
            if let Some((name, body)) = written_loop(member).filter(|_| member.key.starts_with(PREFIX)) {
                let variables: Vec<&str> = own.variables.iter().copied().chain([name]).collect();
                let place = ValueLocation::Member(&self.place, &member.key);
                own.in_loop(member, body, (ValueLocation::Item(&place, 1), ValueLocation::Item(&place, 2)), &variables);
                continue;
            }
            let is_substituted = own.is_substituted || FOREIGN.contains(&&*member.key);
            let place = ValueLocation::Member(&self.place, &member.key);
            Calls { place, is_substituted, ..own }.within(&member.value);
        }
        for (at, item) in value.as_array().into_iter().flatten().enumerate() {
            Calls { place: ValueLocation::Item(&self.place, at), ..own }.within(item);
        }
    }

    /// Checks the calls in the collection and in the members of a loop, which are at these places.
    fn in_loop(
        &self,
        written: &Member,
        body: &Object,
        (list, members): (ValueLocation<'_>, ValueLocation<'_>),
        variables: &[&str],
    ) {
        if !self.stack.has_extensions {
            return;
        }
        if let Some(collection) = written.value.as_array().and_then(|parts| parts.get(1)) {
            Calls { place: list, ..*self }.within(collection);
        }
        for member in body {
            let place = ValueLocation::Member(&members, &member.key);
            let is_substituted = self.is_substituted || FOREIGN.contains(&&*member.key);
            Calls { place, is_substituted, variables, ..*self }.within(&member.value);
        }
    }

    /// True if a loop computes a name, so that only evaluation knows it.
    fn is_of_loop(&self, name: &str) -> bool {
        !self.variables.is_empty() && (self.variables.contains(&name) || is_computed(name))
    }

    /// Reports the name of a parameter or a resource in a text that nothing replaces, and dynamic references.
    fn text(&self, text: &str, at: &Value) {
        dynamic::check_dynamic_references(self.stack, || self.place.path(), self.place.is_in("Outputs"), text, at.span);
        if pseudo::NAMES.contains(&text) && !self.place.is_name() {
            let message = format!("nothing replaces `{text}` here; write `!Ref {text}`");
            return self.stack.breach(EXPRESSION_SUB_MISSING, self.place.path(), message, at.span);
        }
        let is_name = |name: &&str| is_pseudo(name) || self.is_declared(name);
        let is_replaced = self.is_substituted || self.place.is_delimiter();
        let name = (!is_replaced).then(|| sub_names(text).find(is_name)).flatten();
        if let (Some(name), Some(span)) = (name, at.span) {
            let message = format!("nothing replaces `${{{name}}}` here; pass the string to `Fn::Sub`");
            self.stack.breach(EXPRESSION_SUB_MISSING, self.place.path(), message, Some(span));
        }
    }

    /// Returns `true` if a parameter or a resource has this name. With the language extensions, always `false`: a loop
    /// may have a variable of the same name.
    fn is_declared(&self, name: &str) -> bool {
        let has = |section: &str| self.stack.section(section).is_some_and(|names| names.get_exact(name).is_some());
        !self.stack.has_extensions && (has("Parameters") || has("Resources"))
    }

    fn call(&self, call: &Member) {
        let argument = &call.value;
        if let Some(early) = self.early.filter(|_| OF_DEPLOYMENTS.contains(&&*call.key)) {
            return self.stack.refuse_name(call, format!("{early} cannot call `{}`", call.key));
        }
        let has_extensions = self.stack.has_extensions;
        match &*call.key {
            "Ref" => match argument.as_str() {
                Some(name) => self.name(name, argument),
                None if has_extensions && argument.as_object().is_some() => {}
                None => self.refuse(call, expected::REF),
            },
            "Fn::GetAtt" => self.attribute(call),
            "Fn::Sub" => self.sub(call),
            "Fn::If" => self.choice(call),
            "Fn::FindInMap" => self.find_in_map(call),
            "Fn::Equals" => self.equals(call),
            "Fn::Join" => self.parts(call, expected::JOIN, |parts| matches!(parts, [_, list] if is_list(list))),
            "Fn::Select" => self.parts(
                call,
                expected::SELECT,
                |parts| matches!(parts, [index, list] if is_index(index) && is_list(list)),
            ),
            "Fn::Split" => self.parts(
                call,
                expected::SPLIT,
                |parts| matches!(parts, [delimiter, text] if is_scalar(delimiter) && is_value(text)),
            ),
            "Fn::Cidr" => self.parts(call, expected::CIDR, |parts| matches!(parts, [_, _] | [_, _, _])),
            "Fn::Base64" if !is_value(argument) => self.refuse(call, expected::BASE64),
            "Fn::GetAZs" if argument.as_str().is_some_and(|text| self.is_of_loop(text)) => {}
            "Fn::GetAZs" if !is_value(argument) || argument.as_str().is_some_and(is_no_region) => {
                self.refuse(call, expected::GET_AZS);
            }
            "Fn::Length" | "Fn::ToJsonString" if !has_extensions => self.refuse_without_extensions(call),
            "Fn::Length" | "Fn::ToJsonString" if is_scalar(argument) => {
                self.refuse(call, if *call.key == *"Fn::Length" { expected::LENGTH } else { expected::TO_JSON_STRING });
            }
            "Fn::GetStackOutput" if !is_stack_output(argument) => self.refuse(call, expected::GET_STACK_OUTPUT),
            "Fn::ImportValue" if !is_value(argument) => self.refuse(call, expected::IMPORT_VALUE),
            _ => {
                if let Some(problem) = functions::undefined(call) {
                    self.stack.world.report(problem);
                }
            }
        }
    }

    /// Checks the arguments of `Fn::If`.
    fn choice(&self, call: &Member) {
        let Some([condition, then, otherwise]) = call.value.as_array() else { return self.refuse(call, expected::IF) };
        match condition.as_str() {
            Some(name) if self.is_of_loop(name) => {}
            Some(name) => names::condition(self.stack, name, condition.span),
            None if self.stack.has_extensions => {}
            None => self.refuse(call, expected::IF),
        }
        self.branches(then, otherwise);
    }

    /// Reports a comparison of two strings of which one is the name of a parameter: its result is always the same.
    fn equals(&self, call: &Member) {
        let Some([first, second]) = call.value.as_array() else { return };
        if first.as_str().is_some() && second.as_str().is_some() {
            self.unread(first, 0, "Fn::Equals");
            self.unread(second, 1, "Fn::Equals");
        }
    }

    /// Reports a branch of `Fn::If` that is the name of a parameter, where the other one reads something.
    fn branches(&self, then: &Value, otherwise: &Value) {
        for (branch, at, other) in [(then, 1, otherwise), (otherwise, 2, then)] {
            if call(other).is_some_and(|call| matches!(&*call.key, "Ref" | "Fn::GetAtt" | "Fn::ImportValue")) {
                self.unread(branch, at, "Fn::If");
            }
        }
    }

    /// Reports a string that is the name of a parameter, as an argument of a function.
    fn unread(&self, value: &Value, at: usize, function: &str) {
        let Some(name) = value.as_str() else { return };
        let is_parameter = self.stack.section("Parameters").is_some_and(|names| names.get_exact(name).is_some());
        if is_parameter && !self.stack.has_extensions {
            let place = ValueLocation::Member(&self.place, function);
            let message = format!("`{name}` is the name of a parameter, not its value; write `!Ref {name}`");
            self.stack.breach(EXPRESSION_SUB_MISSING, ValueLocation::Item(&place, at).path(), message, value.span);
        }
    }

    /// Reports a call that only the language extensions know.
    fn refuse_without_extensions(&self, call: &Member) {
        let message = format!("`{}` needs the transform `{LANGUAGE_EXTENSIONS}`", call.key);
        self.stack.refuse_name(call, message);
    }

    /// Reports the argument of a call.
    fn refuse(&self, call: &Member, expected: &str) {
        if let Some(span) = call.value.span.filter(|_| !call.value.is_null()) {
            let message = format!("`{}` {expected}", call.key);
            self.stack.world.report(Diagnostic::new(Code::ExpressionArguments, span, message));
        }
    }

    /// Reports an argument that is not a list of the right parts.
    fn parts(&self, call: &Member, expected: &str, is_right: impl FnOnce(&[Value]) -> bool) {
        let is_call = self.stack.has_extensions && super::call(&call.value).is_some();
        if !is_call && !call.value.as_array().is_some_and(is_right) {
            self.refuse(call, expected);
        }
    }

    /// Reports a name that `Ref` does not know.
    fn name(&self, name: &str, at: &Value) {
        let stack = self.stack;
        if self.is_of_loop(name) || functions::is_parameter(stack, name) {
            return;
        }
        if !functions::may_be_resource(stack, name) {
            functions::report_no_name(stack, name, at.span);
        } else if let Some(early) = self.early {
            stack.refuse(at, format!("{early} cannot refer to the resource `{name}`"));
        }
    }

    /// Reports a resource that is not declared, or a condition that needs one.
    fn resource(&self, name: &str, at: &Value) {
        if self.is_of_loop(name) {
            return;
        }
        if let Some(early) = self.early {
            self.stack.refuse(at, format!("{early} cannot refer to the resource `{name}`"));
        } else if !functions::may_be_resource(self.stack, name) {
            self.stack.report_no_resource(at.span, name);
        }
    }

    /// Reports an attribute that its resource does not return.
    fn returned(&self, name: &str, attribute: &str, at: &Value) {
        self.resource(name, at);
        let declared = self.stack.section("Resources").and_then(|resources| resources.get_exact(name)?.as_object());
        let type_name = declared.and_then(|declared| declared.get_exact("Type")?.as_str());
        // The language extensions compute attributes, too.
        let Some(type_name) = type_name.filter(|_| !attribute.contains(['$', '&'])) else { return };
        if self.early.is_none() {
            nested::reference(self.stack, self.outputs, (name, attribute), at.span);
        }
        if let Some(known) = schema::attributes_unlike(type_name, attribute) {
            self.stack.report_undefined(at.span, || {
                let hint = self.stack.world.suggestions.did_you_mean(attribute, known.iter().copied());
                format!("`{type_name}` has no attribute `{attribute}` for `Fn::GetAtt`{hint}")
            });
        }
    }

    fn attribute(&self, call: &Member) {
        let argument = &call.value;
        match (argument.as_str(), argument.as_array()) {
            (Some(text), _) => match text.split_once('.') {
                Some((name, attribute)) if !attribute.is_empty() => self.returned(name, attribute, argument),
                _ => self.refuse(call, expected::GET_ATT),
            },
            (None, Some([name, attributes @ ..])) if !attributes.is_empty() => match name.as_str() {
                Some(name) => match attributes.iter().map(Value::as_str).collect::<Option<Vec<&str>>>() {
                    Some(attributes) => self.returned(name, &attributes.join("."), argument),
                    None => self.resource(name, argument),
                },
                None if self.stack.has_extensions && name.as_object().is_some() => {}
                None => self.refuse(call, expected::GET_ATT),
            },
            (None, _) if self.stack.has_extensions && argument.as_object().is_some() => {}
            _ => self.refuse(call, expected::GET_ATT),
        }
    }

    fn sub(&self, call: &Member) {
        let argument = &call.value;
        let (text, variables): (&Value, Option<&Object>) = match argument.as_array() {
            None => (argument, None),
            Some([text, variables]) => match variables.as_object() {
                Some(object) => (text, Some(object)),
                None => return self.refuse(call, expected::SUB),
            },
            Some(_) => return self.refuse(call, expected::SUB),
        };
        let Some(text) = text.as_str() else {
            // A number is a string, too.
            let is_computed = self.stack.has_extensions && text.as_object().is_some();
            if !is_scalar(text) && !is_computed {
                self.refuse(call, expected::SUB);
            }
            return;
        };
        for variable in variables.into_iter().flatten().filter(|variable| !variable.key.starts_with("Fn::")) {
            if !sub_names(text).any(|name| *variable.key == *name) {
                let message = format!("the string does not use the variable `{}`", variable.key);
                let path = join_key(&self.place.path(), "Fn::Sub");
                self.stack.remark(EXPRESSION_UNUSED_VARIABLE, path, message, variable.key_span);
            }
        }
        for name in sub_names(text) {
            if variables.is_some_and(|variables| variables.get_exact(name).is_some()) {
                continue;
            }
            match name.split_once('.') {
                Some((resource, attribute)) => self.returned(resource, attribute, argument),
                None => self.name(name, argument),
            }
        }
    }

    fn find_in_map(&self, call: &Member) {
        let (parts, default) = match call.value.as_array() {
            Some(parts @ [_, _, _]) => (parts, None),
            Some([parts @ .., default]) if parts.len() == 3 => (parts, Some(default)),
            _ => return self.refuse(call, expected::FIND_IN_MAP),
        };
        if !parts.iter().all(is_value) {
            return self.refuse(call, expected::FIND_IN_MAP);
        }
        if default.is_some() && !self.stack.has_extensions {
            self.refuse(call, &format!("takes a default only with the transform `{LANGUAGE_EXTENSIONS}`"));
        }
        let name = parts.first().and_then(Value::as_str).filter(|name| !self.is_of_loop(name));
        if let (Some(name), None) = (name, default) {
            functions::report_no_mapping(self.stack, name, call.value.span);
            if let [_, row, key] = parts {
                mappings::check_rows(self.stack, name, (row, key), call.value.span);
            }
        }
    }
}

/// Returns `true` if a value is a string, a number or a Boolean, or a call that may return one.
fn is_value(value: &Value) -> bool {
    is_scalar(value) || call(value).is_some()
}

/// Returns `true` if a value is the index of an item, or a call that may return one.
fn is_index(value: &Value) -> bool {
    let is_number = |text: &str| text.trim().parse::<u32>().is_ok() || is_computed(text);
    match value.as_str() {
        Some(text) => is_number(text),
        None => value.as_int().is_some_and(|number| number >= 0) || call(value).is_some(),
    }
}

/// Returns `true` if a value is a list or a call that may return one.
fn is_list(value: &Value) -> bool {
    value.as_array().is_some() || call(value).is_some()
}

/// Returns `true` if a string cannot be the name of a Region, such as `us-east-1`. An empty string is the Region of the
/// stack.
fn is_no_region(text: &str) -> bool {
    let is_right = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    let parts: Vec<&str> = text.split('-').collect();
    let is_region = matches!(parts.as_slice(), [first @ .., last]
        if first.len() > 1 && first.iter().all(|part| is_right(part)) && last.parse::<u8>().is_ok());
    !text.is_empty() && !text.contains(['$', '&', '{']) && !is_region
}

/// Returns `true` if a value names an output of a stack.
fn is_stack_output(value: &Value) -> bool {
    let Some(object) = value.as_object() else { return false };
    let has = |name: &str| object.get_exact(name).is_some_and(is_value);
    let is_known = |member: &Member| ["OutputName", "Region", "RoleArn", "StackName"].contains(&&*member.key);
    has("StackName") && has("OutputName") && object.iter().all(is_known)
}
