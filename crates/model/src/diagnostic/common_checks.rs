//! Checks that crates without a common crate but this one find. All others are declared beside the code that finds
//! them.
//!
//! A check with a [`Code`] represents problems inside a template: an error with this code from a front end becomes a
//! finding of the check. An error with another code means that something could not be analyzed.

use crate::declare_checks;
use crate::diagnostic::{Check, Code};

declare_checks! {
    pub const CHECKS;

    pub PARAMETER_CONSTRAINT = Deployment High "parameter/constraint" "Deployment.ParameterConstraint"
        "A parameter value should meet the constraints of its parameter"
        "Azure rejects a deployment if a parameter value does not match its declared type."
        "Use a value that the declaration allows, or relax the declaration."
        .refused();
    pub TEMPLATE_LIMITS = Template High "template/limits" "Deployment.Limits"
        "A template should stay within the limits of its platform"
        "Azure rejects a template with more than 256 parameters, 512 variables, 64 outputs, or 800 resources, or with an expression of more than 24,576 characters. CloudFormation rejects a template with more than 200 parameters, 200 mappings, 200 outputs, or 500 resources."
        "Split the template into modules or nested stacks."
        .refused();
    pub EXPRESSION_NOT_DEPLOYED = Expression Medium "expression/not-deployed" "Expression.NotDeployed"
        "A resource should read only resources that are deployed with it"
        "A deployment fails if it reads a resource, a module, or an output whose condition is false. A read is reported if values of the parameters exist with which the reader is deployed and what it reads is not. The severity is high if that is so for the values that are given, or for all values."
        "Read the value only where the condition holds, as in `!If [IsProd, !GetAtt Queue.Arn, !Ref AWS::NoValue]`, `isProd ? queue.properties.x : y` or `queue.?properties.x`, or give the reader a condition that implies it.";
    pub TEMPLATE_SCHEMA = Template High "template/schema" "Template.Schema"
        "A template should name the schema of its kind"
        "Azure rejects a template whose `$schema` it does not know. The schema also tells the scope of the deployment."
        "Write one of the schemas that the documentation of templates lists."
        .code(Code::TemplateSchema)
        .azure("templates/syntax");
    pub TEMPLATE_PROPERTY = Template High "template/unknown-property" "Template.UnknownProperty"
        "A template should have only the sections and properties that its platform knows"
        "Azure and CloudFormation reject a template with an unknown section or property. It is usually misspelled."
        "Correct the name, or remove the property."
        .code(Code::TemplateProperty);
    pub TEMPLATE_SEGMENTS = Template High "template/name-segments" "Template.NameSegments"
        "The name of a resource should have as many segments as its type"
        "Azure rejects a resource whose name does not have one segment for each segment of its type after the provider."
        "Write the names of the parents before that of the resource, separated by `/`."
        .code(Code::TemplateSegments)
        .azure("templates/child-resource-name-type");
    pub TEMPLATE_DEPENDENCY = Template High "template/dependency" "Template.Dependency"
        "A resource should depend only on resources of its template"
        "Azure rejects a template in which `dependsOn` names something that the template does not declare."
        "Correct the name, or remove the entry if the resource exists already."
        .code(Code::TemplateDependency)
        .azure("templates/resource-dependency");
    pub PARAMETER_REQUIRED = Deployment High "parameter/required" "Parameter.Required"
        "A nested deployment should set the required parameters of its template"
        "Azure rejects a deployment without a value for a parameter that has no default value."
        "Set the parameter in the `parameters` of the deployment, or give it a default value."
        .code(Code::ParameterRequired);
    pub EXPRESSION_PLACEMENT = Expression High "expression/placement" "Expression.Placement"
        "A function should be called where it is available"
        "Azure evaluates most of a template before it deploys anything, and knows some functions only in one place or scope."
        "Move the call to where the function is available, or pass its value as a parameter."
        .code(Code::ExpressionPlacement);
    pub SECRET_DEFAULT = Secret High "secret/default" "Deployment.SecretDefault"
        "A secure parameter should not have a default value"
        "Anyone who can read the template can read a password that it contains."
        "Remove the default value. In ARM, one can be generated with `newGuid()`.";
    pub SECRET_GIVEN = Secret High "secret/parameter-file" "Deployment.SecretInParameterFile"
        "A parameter file should not contain a secret"
        "Anyone who can read the file can read a password that it contains. Files for tests often have such values, so the check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Remove the value, and pass it to the deployment. In ARM, reference a key vault; in CloudFormation, use a dynamic reference such as `{{resolve:secretsmanager:...}}`.";
    pub SECRET_NAME = Secret Medium "secret/parameter-type" "Deployment.SecretParameter"
        "A parameter for a secret should have a secure type"
        "The deployment history and logs show the values of parameters without a secure type. A parameter is reported if it sets a property that is known to hold a secret, or if the words of its name mean one, unless its type, its default, or the properties that it sets show that it holds none."
        "Change the type to `securestring` or `secureObject`; in CloudFormation, add `NoEcho: true`. If the value of an ARM parameter is not a secret, add the parameter to `AZURE_DEPLOYMENT_NONSENSITIVE_PARAMETER_NAMES`.";
    pub SECRET_OUTPUT = Secret High "secret/output" "Deployment.SecretOutput"
        "An output should not contain a secret"
        "Anyone who can read the deployment history can read the outputs."
        "Read the secret from where it is stored, such as a key vault. In ARM, an output may have a secure type.";
    pub UNUSED_PARAMETER = Unused Low "parameter/unused" "Deployment.UnusedParameter"
        "A parameter should be used"
        "An unused parameter asks for a value that has no effect. In CloudFormation, the check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Remove the parameter.";
    pub TEMPLATE_SHAPE = Template High "template/shape" "Template.Shape"
        "A template should have the structure that its platform expects"
        "Azure and AWS reject a template with a part that they do not expect. Rules do not see that part."
        "Replace the part by what the message expects in its place."
        .code(Code::TemplateShape);
    pub TEMPLATE_VALIDATE = Template High "template/validate" "Template.Validate"
        "Custom validation should follow its syntax"
        "Azure rejects a template with an invalid `validate`."
        "Write `validate` as a list of conditions with messages."
        .code(Code::TemplateValidate)
        .azure("templates/syntax");
    pub TEMPLATE_LINK = Template High "template/link" "Template.Link"
        "A link should lead to a template"
        "A deployment fails if its linked template cannot be found. Rules do not see the resources of that template."
        "Correct the path of the link, or add the file to the repository."
        .code(Code::TemplateLink)
        .azure("templates/linked-templates");
    pub TEMPLATE_CYCLE = Template High "template/cycle" "Template.Cycle"
        "Resources should not depend on each other in a cycle"
        "A deployment has no order in which it could create the resources of a cycle."
        "Remove one of the dependencies of the cycle."
        .code(Code::TemplateCycle);
    pub TEMPLATE_DUPLICATE = Template High "template/duplicate" "Template.Duplicate"
        "Each part of a template should be declared once"
        "Azure rejects a template that declares the same resource or name twice."
        "Rename one of the declarations, or remove it."
        .code(Code::TemplateDuplicate);
    pub TEMPLATE_AMBIGUOUS = Template High "template/ambiguous-name" "Template.AmbiguousName"
        "Names in an object should not differ only in case"
        "Azure does not distinguish `httpsOnly` and `HttpsOnly`. Only one of the two values counts, and it need not be the one that the rules see."
        "Remove one of the two properties."
        .code(Code::TemplateAmbiguous)
        .azure("templates/syntax");
    pub TEMPLATE_TYPE = Template High "template/type" "Template.Type"
        "The type of a resource should be a provider and names of types"
        "Azure rejects a type with blanks or other characters that a type does not have. Rules take it for the type without them."
        "Write the type as in `Microsoft.Web/sites`."
        .code(Code::TemplateType)
        .azure("templates/syntax");
    pub PARAMETER_FORMAT = Deployment High "parameter/format" "Parameter.Format"
        "An entry of a parameter file should have a value or a reference"
        "Azure rejects a parameter file with an entry that gives no value."
        "Write the value of the parameter into `value`, or refer to a secret in a key vault with `reference`."
        .code(Code::ParameterFormat);
    pub PARAMETER_UNDEFINED = Deployment High "parameter/undefined" "Parameter.Undefined"
        "A value should be set only for a parameter that the template declares"
        "Azure rejects a deployment with a value for an unknown parameter."
        "Correct the name of the parameter, declare it, or remove the value."
        .code(Code::ParameterUndefined);
    pub PARAMETER_MISSING = Deployment High "parameter/missing" "Parameter.Missing"
        "A parameter without a default value should get a value"
        "Azure rejects a deployment without a value for a required parameter."
        "Set the parameter, or give it a default value."
        .code(Code::ParameterMissing)
        .azure("templates/parameters");
    pub EXPRESSION_SYNTAX = Expression High "expression/syntax" "Expression.Syntax"
        "An expression should follow the syntax of the template language"
        "A template with an expression that cannot be parsed cannot be deployed."
        "Correct the expression. A string that is not an expression begins with `[[` if it has to begin with `[`."
        .code(Code::ExpressionSyntax);
    pub EXPRESSION_UNKNOWN_FUNCTION = Expression High "expression/unknown-function" "Expression.UnknownFunction"
        "An expression should call functions that exist"
        "A template that calls an unknown function cannot be deployed."
        "Correct the name of the function."
        .code(Code::ExpressionUnknownFunction);
    pub EXPRESSION_UNDEFINED = Expression High "expression/undefined" "Expression.Undefined"
        "An expression should refer to names that are declared"
        "A template that refers to an undeclared parameter, variable, condition, mapping, resource, or property cannot be deployed, even if the reference is in a branch that is not taken."
        "Correct the name, or declare it."
        .code(Code::ExpressionUndefined);
    pub EXPRESSION_ARGUMENTS = Expression High "expression/arguments" "Expression.Arguments"
        "A function should be called with arguments that it accepts"
        "A deployment fails if a function gets too many or too few arguments, or arguments of another type."
        "Pass the arguments that the documentation of the function describes."
        .code(Code::ExpressionArguments);
    pub EXPRESSION_FAILED = Expression High "expression/failed" "Expression.Failed"
        "Evaluating an expression should succeed"
        "A deployment fails where the evaluation of an expression fails, for example at an index outside an array."
        "Correct the expression, or the values that it uses."
        .code(Code::ExpressionFailed);
    pub EXPRESSION_RECURSION = Expression High "expression/recursion" "Expression.Recursion"
        "A definition should not refer to itself"
        "The value of a variable, parameter, or function that refers to itself cannot be computed."
        "Remove the reference to the definition from itself."
        .code(Code::ExpressionRecursion);
    pub ORDER_MISSING = Deployment Medium "order/missing" "Order.Missing"
        "A resource should wait for the resources that it uses"
        "Without a dependency, both resources are created at the same time, so the deployment fails now and then."
        "Add the other resource to `dependsOn`; in Bicep, use its symbol instead of its name. In CloudFormation, add it to `DependsOn`.";
}

impl Check {
    /// Returns the check for errors with this code. `None` if such an error means that something could not be read or
    /// built, or that a limit was reached.
    pub fn for_code(code: Code) -> Option<Self> {
        CHECKS.iter().copied().find(|check| check.code() == Some(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{CodeFamily, Level};

    #[test]
    fn errors_inside_a_template_have_a_check_with_their_id() {
        /// Errors with these codes mean that something was not analyzed.
        const OTHERS: &[Code] = &[Code::TemplateLimit, Code::ExpressionLimit];
        for &code in Code::ALL {
            let is_error = code.level() != Level::Note && !OTHERS.contains(&code);
            let is_inside =
                matches!(code.family(), CodeFamily::Template | CodeFamily::Parameter | CodeFamily::Expression);
            let check = Check::for_code(code);
            assert_eq!(check.is_some(), is_error && is_inside, "{}: add a row to this file", code.as_str());
            assert!(check.is_none_or(|check| check.id() == code.as_str()), "{check:?}");
        }
    }
}
