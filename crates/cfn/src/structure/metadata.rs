//! Checks of the members of `Metadata` that CloudFormation reads.
//!
//! Reference:
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-interface.html>.

use crate::diagnostic::common_checks::TEMPLATE_PROPERTY;
use crate::stack::Stack;

/// Metadata key that configures the display of parameters in the console.
const INTERFACE: &str = "AWS::CloudFormation::Interface";

pub(super) fn check(stack: &Stack<'_>) {
    let Some((metadata, _)) = stack.declared("Metadata") else { return };
    if let Some(interface) = metadata.get_exact(INTERFACE).and_then(|interface| interface.as_object()) {
        let path = "Metadata['AWS::CloudFormation::Interface']";
        stack.refuse_unknown(
            TEMPLATE_PROPERTY,
            interface,
            (&format!("`{INTERFACE}`"), path),
            &["ParameterGroups", "ParameterLabels"],
        );
    }
}
