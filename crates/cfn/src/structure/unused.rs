//! Declared names that nothing uses, and conditions that are the same for all values of the parameters.
//!
//! A name that may be used is no finding: a macro or an include may refer to any, and so may a name that is computed.

use foldhash::HashSet;
use formwork_model::declare_checks;

use crate::diagnostic::Check;
use crate::diagnostic::common_checks::UNUSED_PARAMETER;
use crate::functions::sub_names;
use crate::loops::{PREFIX, is_computed};
use crate::model::join_key;
use crate::stack::{MACRO, Stack};
use crate::structure::is_scalar;
use crate::value::{Member, Object, Value};

declare_checks! {
    pub(crate) const CHECKS;

    UNUSED_CONDITION = Unused Low "condition/unused" "Template.UnusedCondition"
        "A condition should be used"
        "An unused condition misleads the readers of the template. This check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Remove the condition.";
    CONSTANT_CONDITION = Deployment Low "condition/constant" "Template.ConstantCondition"
        "A condition should depend on a parameter"
        "A comparison of two literals, or of a value with itself, always has the same result. This check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Compare a parameter with the value, or remove the condition.";
    UNUSED_MAPPING = Unused Low "mapping/unused" "Template.UnusedMapping"
        "A mapping should be used"
        "An unused mapping misleads the readers of the template. This check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Remove the mapping."
        .aws("AWSCloudFormation/latest/TemplateReference/mappings-section-structure");
}

/// The functions of rules that use all parameters of a type.
const OF_ALL: [&str; 2] = ["Fn::RefAll", "Fn::ValueOfAll"];

pub(super) fn check_unused(stack: &Stack<'_>, template: &Object) {
    let mut uses = Uses::default();
    for section in template {
        // The interface in the metadata only arranges parameters.
        if *section.key != *"Metadata" && *section.key != *"Parameters" {
            uses.within(&section.value);
        }
    }
    if uses.is_open {
        return;
    }
    let report = |section: &str, used: &HashSet<&str>, check: Check, what: &str| {
        for member in declared(stack, section).filter(|member| !used.contains(&*member.key)) {
            let message = format!("{what} `{}` is not used", member.key);
            stack.remark(check, join_key(section, &member.key), message, member.key_span);
        }
    };
    report("Parameters", &uses.references, UNUSED_PARAMETER, "parameter");
    report("Conditions", &uses.conditions, UNUSED_CONDITION, "condition");
    if !uses.has_computed_mappings {
        report("Mappings", &uses.mappings, UNUSED_MAPPING, "mapping");
    }
    for condition in declared(stack, "Conditions") {
        constant(stack, &join_key("Conditions", &condition.key), &condition.value);
    }
}

/// Returns the declarations of a section that have a name.
fn declared<'s>(stack: &'s Stack<'_>, section: &str) -> impl Iterator<Item = &'s Member> {
    let members = stack.section(section).into_iter().flatten();
    members.filter(|member| !member.key.starts_with(PREFIX) && *member.key != *MACRO && !member.key.contains("${"))
}

/// Reports comparisons whose result is written in the template. They are not deeper than the limit on nesting.
fn constant(stack: &Stack<'_>, path: &str, value: &Value) {
    for member in value.as_object().into_iter().flatten() {
        let path = join_key(path, &member.key);
        match (&*member.key, member.value.as_array()) {
            ("Fn::Equals", Some([one, other])) => {
                let is_same = one.same(other);
                if is_same || is_scalar(one) && is_scalar(other) {
                    let message = format!("this comparison is always {is_same}");
                    stack.remark(CONSTANT_CONDITION, path, message, member.value.span.or(member.key_span));
                }
            }
            ("Fn::And" | "Fn::Or" | "Fn::Not", Some(parts)) => {
                for part in parts {
                    constant(stack, &path, part);
                }
            }
            _ => {}
        }
    }
}

/// The names that a template uses.
#[derive(Default)]
struct Uses<'v> {
    references: HashSet<&'v str>,
    conditions: HashSet<&'v str>,
    mappings: HashSet<&'v str>,
    has_computed_mappings: bool,
    /// True if any name may be used.
    is_open: bool,
}

impl<'v> Uses<'v> {
    /// Notes the names in a value, which is not deeper than the limit on nesting.
    fn within(&mut self, value: &'v Value) {
        for item in value.as_array().into_iter().flatten() {
            self.within(item);
        }
        for member in value.as_object().into_iter().flatten() {
            self.call(member);
            self.within(&member.value);
        }
    }

    fn call(&mut self, Member { key, value, .. }: &'v Member) {
        let first = value.as_array().and_then(|parts| parts.first()).unwrap_or(value);
        match (&**key, first.as_str()) {
            ("Ref" | "Fn::ValueOf", Some(name)) => self.reference(name),
            ("Ref", None) => self.is_open = true,
            ("Fn::Sub", Some(text)) => {
                for name in sub_names(text) {
                    self.reference(name.split_once('.').map_or(name, |(name, _)| name));
                }
            }
            ("Fn::If" | "Condition", Some(name)) => {
                self.is_open |= is_computed(name);
                self.conditions.insert(name);
            }
            ("Fn::FindInMap", Some(name)) if !is_computed(name) => {
                self.mappings.insert(name);
            }
            ("Fn::FindInMap", _) => self.has_computed_mappings = true,
            (name, _) => self.is_open |= name == MACRO || OF_ALL.contains(&name),
        }
        // The collection of a loop may be the name of a parameter.
        if let Some(name) =
            value.as_array().filter(|_| key.starts_with(PREFIX)).and_then(|parts| parts.get(1)?.as_str())
        {
            self.reference(name);
        }
    }

    fn reference(&mut self, name: &'v str) {
        self.is_open |= is_computed(name);
        self.references.insert(name);
    }
}
