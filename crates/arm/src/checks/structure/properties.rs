//! Properties that Resource Manager does not know, which are usually misspelled.

use crate::checks::{ProcessedTemplate, ambiguous, name_span};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{TextKind, text_kind};
use crate::text::did_you_mean;
use crate::value::Value;

/// A part of a template whose properties are fixed. Names are case-insensitive.
pub(super) struct FixedProperties {
    /// Name of the part in messages.
    noun: &'static str,
    /// Noun for its members in messages.
    word: &'static str,
    known: &'static [&'static str],
    /// Names that are accepted, but not suggested: only some resource types have them.
    rare: &'static [&'static str],
    /// True if further names are valid, so that only names close to a known one are reported.
    is_open: bool,
}

const fn part(noun: &'static str, known: &'static [&'static str]) -> FixedProperties {
    FixedProperties { noun, word: "property", known, rare: &[], is_open: false }
}

pub(super) const TEMPLATE: FixedProperties = FixedProperties {
    noun: "a template",
    word: "section",
    known: &[
        "$schema",
        "apiProfile",
        "asserts",
        "contentVersion",
        "definitions",
        "extensions",
        "functions",
        "imports",
        "languageVersion",
        "metadata",
        "outputs",
        "parameters",
        "resources",
        "variables",
    ],
    rare: &["externalInputDefinitions", "externalInputs"],
    is_open: false,
};

pub(super) const RESOURCE: FixedProperties = FixedProperties {
    noun: "a resource",
    word: "property",
    known: &[
        "@options",
        "apiVersion",
        "asserts",
        "comments",
        "condition",
        "copy",
        "dependsOn",
        "existing",
        "extendedLocation",
        "extension",
        "identity",
        "import",
        "kind",
        "location",
        "managedBy",
        "metadata",
        "name",
        "plan",
        "properties",
        "resourceGroup",
        "resources",
        "scope",
        "sku",
        "subscriptionId",
        "tags",
        "type",
        "zones",
    ],
    // Exported templates have `id` and `scale`. Some resource types declare the others, which look like known names.
    rare: &[
        "contents",
        "etag",
        "id",
        "keys",
        "managedByExtended",
        "method",
        "placement",
        "resourceId",
        "resourceName",
        "scale",
        "scopes",
        "source",
        "state",
        "systemData",
        "title",
    ],
    is_open: true,
};

/// The `copy` of a resource.
pub(super) const LOOP: FixedProperties = part("the loop of a resource", &["batchSize", "count", "mode", "name"]);

/// An item of `copy` in `variables`.
pub(super) const VARIABLE_LOOP: FixedProperties =
    part("the loop of a variable", &["batchSize", "count", "input", "mode", "name"]);

/// The `properties` of a nested deployment.
pub(super) const DEPLOYMENT: FixedProperties = FixedProperties {
    noun: "the `properties` of a deployment",
    word: "property",
    known: &[
        "debugSetting",
        "expressionEvaluationOptions",
        "extensionConfigs",
        "mode",
        "onErrorDeployment",
        "parameters",
        "parametersLink",
        "template",
        "templateLink",
        "validationLevel",
    ],
    rare: &["externalInputDefinitions", "externalInputs"],
    is_open: false,
};

/// Builds the `Part` for a declaration of a parameter, of an output, or of a part of one.
macro_rules! declaration {
    ($noun:literal, $($own:literal),*) => {
        part(
            $noun,
            &[
                "$ref",
                "additionalProperties",
                "allowedValues",
                "discriminator",
                "items",
                "maxLength",
                "maxValue",
                "metadata",
                "minLength",
                "minValue",
                "nullable",
                "prefixItems",
                "properties",
                "type",
                "validate",
                $($own),*
            ],
        )
    };
}

pub(super) const PARAMETER: FixedProperties = declaration!("a parameter", "defaultValue");
pub(super) const OUTPUT: FixedProperties = declaration!("an output", "condition", "copy", "value");
pub(super) const TYPE: FixedProperties = declaration!("a type",);
pub(super) const FUNCTION_PARAMETER: FixedProperties = declaration!("the parameter of a function", "name");
pub(super) const FUNCTION_OUTPUT: FixedProperties = declaration!("the output of a function", "value");

/// The `copy` of an output.
pub(super) const OUTPUT_LOOP: FixedProperties =
    part("the loop of an output", &["batchSize", "count", "input", "mode", "name"]);

/// An item of `functions`.
pub(super) const NAMESPACE: FixedProperties = part("a namespace of functions", &["members", "metadata", "namespace"]);
pub(super) const FUNCTION: FixedProperties = part("a function", &["metadata", "output", "parameters"]);

/// Reports the properties of `value` that a part of this kind does not have, or that have one name.
pub(super) fn check_properties(subject: &ProcessedTemplate<'_>, part: &FixedProperties, value: &Value) {
    let Some(object) = value.as_object() else { return };
    ambiguous::report(subject.world(), object, value.span);
    for member in object {
        let has = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(&member.key));
        // A computed name is known only once it is evaluated.
        if has(part.known) || has(part.rare) || text_kind(&member.key) == TextKind::Expression {
            continue;
        }
        let Some(span) = name_span(member) else { continue };
        let hint = did_you_mean(&member.key, part.known.iter().copied());
        if part.is_open && hint.is_empty() {
            continue;
        }
        let message = format!("{} has no {} `{}`{hint}", part.noun, part.word, member.key);
        subject.world().report(Diagnostic::new(Code::TemplateProperty, span, message));
    }
}
