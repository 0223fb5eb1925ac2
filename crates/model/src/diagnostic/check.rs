//! The built-in checks: problems of a deployment that need no rule file, such as a secret in an output.
//!
//! If the ID of a check equals that of a [`Code`], the check represents problems inside a template: an error with
//! this code from a front end becomes a finding of the check. An error with another code means that something could
//! not be analyzed.

use std::sync::Arc;

use crate::diagnostic::{Code, Pillar, RuleDetails, RuleInfo, Severity};

checks! {
    ParameterConstraint "parameter/constraint" "Deployment.ParameterConstraint" High
        "A parameter value should meet the constraints of its parameter"
        "Azure rejects a deployment if a parameter value does not match its declared type."
        "Use a value that the declaration allows, or relax the declaration.";
    OutputConstraint "output/constraint" "Deployment.OutputConstraint" High
        "An output value should meet the constraints of its output"
        "A deployment fails in its last step if an output does not match its declared type."
        "Change the expression so that its value matches the declaration, or relax the declaration.";
    StaleOutput "bicep/stale-output" "Bicep.StaleOutput" Medium
        "A template in JSON should be what the Bicep file beside it builds"
        "One of the two files is deployed and the other is reviewed, so a difference hides what is deployed. The template is checked on its own as well."
        "Build the Bicep file again, or remove the template in JSON.";
    Assertion "template/assert" "Deployment.Assertion" High
        "The assertions of a template should be true"
        "The author of the template requires every deployment to satisfy its assertions."
        "Change the values that the assertion tests, or change the assertion.";
    TemplateLimits "template/limits" "Deployment.Limits" High
        "A template should stay within the limits of its platform"
        "Azure rejects a template with more than 256 parameters, 512 variables, 64 outputs, or 800 resources, or with an expression of more than 24,576 characters. CloudFormation rejects a template with more than 200 parameters, 200 mappings, 200 outputs, or 500 resources."
        "Split the template into modules or nested stacks.";
    TemplateSchema "template/schema" "Template.Schema" High
        "A template should name the schema of its kind"
        "Azure rejects a template whose `$schema` it does not know. The schema also tells the scope of the deployment."
        "Write one of the schemas that the documentation of templates lists.";
    TemplateProperty "template/unknown-property" "Template.UnknownProperty" High
        "A template should have only the sections and properties that its platform knows"
        "Azure and CloudFormation reject a template with an unknown section or property. It is usually misspelled."
        "Correct the name, or remove the property.";
    TemplateSegments "template/name-segments" "Template.NameSegments" High
        "The name of a resource should have as many segments as its type"
        "Azure rejects a resource whose name does not have one segment for each segment of its type after the provider."
        "Write the names of the parents before that of the resource, separated by `/`.";
    TemplateDependency "template/dependency" "Template.Dependency" High
        "A resource should depend only on resources of its template"
        "Azure rejects a template in which `dependsOn` names something that the template does not declare."
        "Correct the name, or remove the entry if the resource exists already.";
    ParameterRequired "parameter/required" "Parameter.Required" High
        "A nested deployment should set the required parameters of its template"
        "Azure rejects a deployment without a value for a parameter that has no default value."
        "Set the parameter in the `parameters` of the deployment, or give it a default value.";
    ExpressionPlacement "expression/placement" "Expression.Placement" High
        "A function should be called where it is available"
        "Azure evaluates most of a template before it deploys anything, and knows some functions only in one place or scope."
        "Move the call to where the function is available, or pass its value as a parameter.";
    ExpressionSubMissing "expression/sub-missing" "Expression.SubMissing" Medium
        "A string with the name of a pseudo parameter should be passed to `Fn::Sub`"
        "CloudFormation replaces names such as `${AWS::Region}` only in `Fn::Sub`, so the string is deployed unchanged."
        "Pass the string to `Fn::Sub`.";
    ExpressionUnclosed "expression/unclosed" "Expression.Unclosed" Medium
        "A string that begins like an expression should end like one"
        "Azure evaluates a string only if it begins with `[` and ends with `]`, so it deploys `[concat('a', 'b')` and `[parameters('name')]-suffix` as they are written. A string is reported if it follows the syntax of expressions up to its end, or up to the `]` that would close it, and calls a function that exists."
        "Write the whole string as one expression, as in `[concat(parameters('name'), '-suffix')]`.";
    SamInvalid "sam/invalid" "Sam.Invalid" High
        "A template for AWS SAM should be one that its transform accepts"
        "The transform of AWS SAM rejects a template whose resources lack a property, combine properties that exclude each other, or have events that it does not know, and so the deployment fails."
        "Write the resource as the specification of AWS SAM describes it.";
    PolicyGrammar "policy/grammar" "Policy.Grammar" High
        "A policy should follow the grammar of IAM"
        "AWS rejects a policy with unknown or missing elements."
        "Write the policy as its grammar describes it.";
    SecretDefault "secret/default" "Deployment.SecretDefault" High
        "A secure parameter should not have a default value"
        "Anyone who can read the template can read a password that it contains."
        "Remove the default value. In ARM, one can be generated with `newGuid()`.";
    SecretGiven "secret/parameter-file" "Deployment.SecretInParameterFile" High
        "A parameter file should not contain a secret"
        "Anyone who can read the file can read a password that it contains. Files for tests often have such values, so the check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Remove the value, and pass it to the deployment. In ARM, reference a key vault; in CloudFormation, use a dynamic reference such as `{{resolve:secretsmanager:...}}`.";
    SecretName "secret/parameter-type" "Deployment.SecretParameter" Medium
        "A parameter for a secret should have a secure type"
        "The deployment history and logs show the values of parameters without a secure type. A parameter is reported if it sets a property that is known to hold a secret, or if the words of its name mean one, unless its type, its default, or the properties that it sets show that it holds none."
        "Change the type to `securestring` or `secureObject`; in CloudFormation, add `NoEcho: true`. If the value of an ARM parameter is not a secret, add the parameter to `AZURE_DEPLOYMENT_NONSENSITIVE_PARAMETER_NAMES`.";
    SecretArgument "secret/argument" "Deployment.SecretArgument" High
        "A secret should be passed only to parameters with a secure type"
        "The deployment history and logs show the values of parameters without a secure type."
        "Change the type of the parameter to `securestring` or `secureObject`.";
    SecretOutput "secret/output" "Deployment.SecretOutput" High
        "An output should not contain a secret"
        "Anyone who can read the deployment history can read the outputs."
        "Read the secret from where it is stored, such as a key vault. In ARM, an output may have a secure type.";
    SecretInNestedTemplate "secret/outer-scope" "Deployment.SecretInNestedTemplate" High
        "A nested template with outer scope should not use a secret"
        "With outer scope, the value of the secret becomes part of the nested template, which the deployment history shows."
        "Set `expressionEvaluationOptions.scope` to `inner`, and pass the secret to a parameter with a secure type.";
    SecretExposed "secret/exposed" "Deployment.SecretExposed" Medium
        "User data, environment variables, and metadata should not contain a secret"
        "Everyone who may describe the resource can read them, and CloudFormation does not mask a `NoEcho` parameter there."
        "Let the program read the secret from AWS Secrets Manager or the Parameter Store when it starts, and pass only its name.";
    Credential "secret/credential" "Deployment.Credential" High
        "A template should not contain the names and passwords of administrators"
        "Anyone who can read the template, or the values of parameters without a secure type, can read them."
        "Use a parameter. For a password, declare it as `securestring`.";
    UnusedParameter "parameter/unused" "Deployment.UnusedParameter" Low
        "A parameter should be used"
        "An unused parameter asks for a value that has no effect. In CloudFormation, the check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Remove the parameter.";
    UnusedVariable "variable/unused" "Deployment.UnusedVariable" Low
        "A variable should be used"
        "An unused variable misleads the readers of the template."
        "Remove the variable.";
    UnusedCondition "condition/unused" "Template.UnusedCondition" Low
        "A condition should be used"
        "An unused condition misleads the readers of the template. This check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Remove the condition.";
    ConstantCondition "condition/constant" "Template.ConstantCondition" Low
        "A condition should depend on a parameter"
        "A comparison of two literals, or of a value with itself, always has the same result. This check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Compare a parameter with the value, or remove the condition.";
    UnusedMapping "mapping/unused" "Template.UnusedMapping" Low
        "A mapping should be used"
        "An unused mapping misleads the readers of the template. This check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Remove the mapping.";

    TemplateShape "template/shape" "Template.Shape" High
        "A template should have the structure that its platform expects"
        "Azure and AWS reject a template with a part that they do not expect. Rules do not see that part."
        "Write the part as the reference of the template format describes it.";
    TemplateValidate "template/validate" "Template.Validate" High
        "Custom validation should follow its syntax"
        "Azure rejects a template with an invalid `validate`."
        "Write `validate` as a list of conditions with messages.";
    TemplateLink "template/link" "Template.Link" High
        "A link should lead to a template"
        "A deployment fails if its linked template cannot be found. Rules do not see the resources of that template."
        "Correct the path of the link, or add the file to the repository.";
    TemplateCycle "template/cycle" "Template.Cycle" High
        "Resources should not depend on each other in a cycle"
        "A deployment has no order in which it could create the resources of a cycle."
        "Remove one of the dependencies of the cycle.";
    TemplateDuplicate "template/duplicate" "Template.Duplicate" High
        "Each part of a template should be declared once"
        "Azure rejects a template that declares the same resource or name twice."
        "Rename one of the declarations, or remove it.";
    TemplateAmbiguous "template/ambiguous-name" "Template.AmbiguousName" High
        "Names in an object should not differ only in case"
        "Azure does not distinguish `httpsOnly` and `HttpsOnly`. Only one of the two values counts, and it need not be the one that the rules see."
        "Remove one of the two properties.";
    TemplateType "template/type" "Template.Type" High
        "The type of a resource should be a provider and names of types"
        "Azure rejects a type with blanks or other characters that a type does not have. Rules take it for the type without them."
        "Write the type as in `Microsoft.Web/sites`.";
    ParameterFormat "parameter/format" "Parameter.Format" High
        "An entry of a parameter file should have a value or a reference"
        "Azure rejects a parameter file with an entry that gives no value."
        "Write the value of the parameter into `value`, or refer to a secret in a key vault with `reference`.";
    ParameterUndefined "parameter/undefined" "Parameter.Undefined" High
        "A value should be set only for a parameter that the template declares"
        "Azure rejects a deployment with a value for an unknown parameter."
        "Correct the name of the parameter, declare it, or remove the value.";
    ParameterMissing "parameter/missing" "Parameter.Missing" High
        "A parameter without a default value should get a value"
        "Azure rejects a deployment without a value for a required parameter."
        "Set the parameter, or give it a default value.";
    ParameterEmpty "parameter/empty" "Parameter.Empty" Medium
        "A parameter file should not leave a value empty that the template needs"
        "An expression that takes a part of an empty value fails, so the deployment does."
        "Fill in the value of the parameter.";
    ExpressionSyntax "expression/syntax" "Expression.Syntax" High
        "An expression should follow the syntax of the template language"
        "A template with an expression that cannot be parsed cannot be deployed."
        "Correct the expression. A string that is not an expression begins with `[[` if it has to begin with `[`.";
    ExpressionUnknownFunction "expression/unknown-function" "Expression.UnknownFunction" High
        "An expression should call functions that exist"
        "A template that calls an unknown function cannot be deployed."
        "Correct the name of the function.";
    ExpressionUndefined "expression/undefined" "Expression.Undefined" High
        "An expression should refer to names that are declared"
        "A template that refers to an undeclared parameter, variable, condition, mapping, resource, or property cannot be deployed, even if the reference is in a branch that is not taken."
        "Correct the name, or declare it.";
    ExpressionArguments "expression/arguments" "Expression.Arguments" High
        "A function should be called with arguments that it accepts"
        "A deployment fails if a function gets too many or too few arguments, or arguments of another type."
        "Pass the arguments that the documentation of the function describes.";
    ExpressionFailed "expression/failed" "Expression.Failed" High
        "Evaluating an expression should succeed"
        "A deployment fails where the evaluation of an expression fails, for example at an index outside an array."
        "Correct the expression, or the values that it uses.";
    ExpressionRecursion "expression/recursion" "Expression.Recursion" High
        "A definition should not refer to itself"
        "The value of a variable, parameter, or function that refers to itself cannot be computed."
        "Remove the reference to the definition from itself.";
    SecretProperty "secret/property" "Deployment.SecretProperty" High
        "A property for a secret should get a secure value"
        "Anyone who can read the template, or the deployment history, can read a secret that is written in the template or passed in a parameter without a secure type."
        "Pass the secret in a parameter of the type `securestring` or `secureObject`, or in CloudFormation in one with `NoEcho: true`. A reference to a key vault, or a dynamic reference such as `{{resolve:secretsmanager:...}}`, needs no parameter.";
    ResourceLocation "resource/location" "Resource.Location" High
        "A resource should name a location that exists, and zones only where there are some"
        "Azure rejects a resource in a location that it does not have, or in a zone of a location without availability zones."
        "Correct the name of the location, or remove the zones.";
    ResourceRegion "resource/region" "Resource.Region" Medium
        "A resource should be in a location that offers its type"
        "Azure rejects a resource in a location without its type. formwork knows the locations of July 2026; Azure adds some every month, so disable the check if it reports one of these."
        "Use a location that offers the type. `az provider show --namespace NAMESPACE` lists those of each type.";
    ResourceName "resource/name" "Resource.Name" High
        "The name of a resource should be one that its service takes"
        "A service refuses a name that is too short or too long, or that has a character which it does not take. Case counts. What is known of a computed name is enough: `${prefix}_x` is refused whatever the prefix is."
        "Choose another name, or compute it of what the service takes: `toLower()`, `take()`, `uniqueString()`.";
    NetworkGroupId "network/group-id" "Network.GroupId" High
        "A private endpoint should name a group that its target has"
        "Azure refuses a private endpoint with a group that the type of the linked resource does not have, such as `sql` instead of `sqlServer`."
        "Write a group that the message names.";
    OrderMissing "order/missing" "Order.Missing" Medium
        "A resource should wait for the resources that it uses"
        "Without a dependency, both resources are created at the same time, so the deployment fails now and then."
        "Add the other resource to `dependsOn`; in Bicep, use its symbol instead of its name. In CloudFormation, add it to `DependsOn`.";
    NetworkPriority "network/priority" "Network.Priority" High
        "A security rule should have a priority of its own, from 100 to 4096"
        "Azure rejects a network security group in which two rules of one direction have the same priority."
        "Give each rule of a direction another priority.";
    NetworkSubnet "network/subnet" "Network.Subnet" High
        "A subnet should lie in its virtual network, apart from the other subnets"
        "Azure rejects a virtual network with a subnet that is outside its address space, or that overlaps with another."
        "Correct the prefix of the subnet, or add a range to the address space.";
    NetworkRange "network/range" "Network.Range" High
        "A range of addresses or ports should be one that Azure can read"
        "Azure rejects a virtual network with a prefix that is not a range of addresses, and a security rule with a port above 65535."
        "Write the prefix as the first address and the number of its bits, such as `10.0.0.0/16`. Write one port, a range such as `8000-8080`, or `*`; a list of ports belongs into `destinationPortRanges`.";
    RoleDefinition "role/definition" "Role.Definition" Medium
        "A role assignment should name a role that exists"
        "Azure rejects an assignment of a role that it does not have. The ID of the role differs from that of a built-in one by a digit or two, so it is most likely misspelled."
        "Correct the ID of the role, or suppress the finding if the role is one of your own.";
    RoleAssignment "role/assignment" "Role.Assignment" High
        "The name of a role assignment should be a GUID"
        "Azure rejects a role assignment with another name."
        "Compute the name from what the assignment is for: `guid(scope, principal ID, role definition ID)`.";
    SchemaResourceType "schema/resource-type" "Schema.ResourceType" High
        "A resource should have a type that exists"
        "Azure rejects a deployment with a resource type that it does not have, and no rule checks such a resource."
        "Correct the type.";
    SchemaApiVersion "schema/api-version" "Schema.ApiVersion" Medium
        "A resource should have an API version that exists"
        "Azure rejects a deployment with an API version that the resource type does not have."
        "Use an API version of the type, preferably the newest stable one.";
    SchemaUnknownProperty "schema/unknown-property" "Schema.UnknownProperty" Medium
        "A resource should have only properties of its type"
        "Azure rejects or ignores a property that the type of the resource does not have, so it has no effect."
        "Correct the name of the property, or move the property to where the type has it.";
    SchemaMissingProperty "schema/missing-property" "Schema.MissingProperty" High
        "A resource should have the required properties of its type"
        "Azure rejects a deployment if a required property is missing."
        "Add the property.";
    SchemaReadOnly "schema/read-only" "Schema.ReadOnly" Low
        "A template should not set a property that only Azure sets"
        "Azure ignores or rejects the value of a read-only property."
        "Remove the property.";
    SchemaType "schema/type" "Schema.Type" High
        "A property should have a value of its type"
        "Azure rejects a deployment if a property has the wrong type of value, such as a string instead of an object."
        "Change the value.";
    SchemaValue "schema/value" "Schema.Value" High
        "A property should have one of its values"
        "Azure rejects a deployment if a property has a value that is not among those that its type allows."
        "Use one of the values that the type allows.";
    SchemaMisspelledValue "schema/misspelled-value" "Schema.MisspelledValue" Low
        "A property should not have a value that is a slip of one that its type names"
        "Some types name their values and take others, too. A value that differs from a named one by a letter or two is most likely misspelled, and Azure rejects it."
        "Correct the value, or suppress the finding if the value exists.";
    SchemaLength "schema/length" "Schema.Length" High
        "A string or an array should have a length that its type allows"
        "Azure rejects a deployment if a string or an array is too short or too long."
        "Change the value.";
    SchemaPattern "schema/pattern" "Schema.Pattern" High
        "A string should match the pattern of its type"
        "Azure rejects a deployment if a string does not match the regular expression of its type."
        "Change the value.";
    SchemaRange "schema/range" "Schema.Range" High
        "A number should be in the range of its type"
        "Azure rejects a deployment if a number is too small or too large."
        "Change the value.";
    SchemaFormat "schema/format" "Schema.Format" High
        "A string should have the format of its property"
        "AWS rejects an ID, an ARN, a name, or an address that is not of the format that the property expects."
        "Write a value of that format, or refer to the resource that has it.";
    SchemaCombination "schema/combination" "Schema.Combination" High
        "A resource should combine only properties that go together"
        "AWS rejects properties that exclude each other, or that the values of other properties rule out."
        "Remove one of the properties, or change the value that rules it out.";
    SchemaDuplicate "schema/duplicate" "Schema.Duplicate" High
        "The items of a list should differ if its type demands that"
        "AWS rejects a list with the same item twice if the order and the number of its items mean nothing."
        "Remove one of the items.";
    SchemaConflict "schema/conflict" "Schema.Conflict" High
        "The resources of a stack should not contradict each other"
        "AWS rejects a resource that takes what another one of the stack has, or that does not fit the resource that it refers to."
        "Change one of the two resources.";
    SchemaRetired "schema/retired" "Schema.Retired" High
        "A resource should not use what AWS has retired"
        "AWS creates no resources of a service that it has shut down, and none with a retired version."
        "Use a version that AWS supports, or another service.";
    SchemaOldApiVersion "schema/old-api-version" "Schema.OldApiVersion" Low
        "A resource should have a recent, stable API version"
        "Azure retires old API versions, and changes previews without notice. An API version is reported if it is a preview and a later stable one exists, or if it is more than two years older than the newest stable one. This check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Use the newest stable API version that the resource fits.";
    SchemaScope "schema/scope" "Schema.Scope" High
        "A resource should be deployed to a scope that it supports"
        "Azure rejects a deployment to a scope that the resource type does not support."
        "Deploy the resource in a module or nested deployment with the right scope.";

    ServiceValue "service/value" "Service.Value" High
        "A property should have a value that its service takes"
        "A service refuses some values although the type of the resource allows them. `docs/services.md` lists what is checked of each service."
        "Use a value that the message names.";
    ServiceLimit "service/limit" "Service.Limit" High
        "A number, a string, or a list should be as large as its service takes"
        "A service refuses numbers out of range, strings of the wrong length, and lists with too many items, although the type of the resource allows them."
        "Change the value.";
    ServiceCombination "service/combination" "Service.Combination" High
        "A resource should combine only what its service takes together"
        "A service refuses features that the SKU of the resource does not have, and properties that another one rules out."
        "Change one of the values that the message names.";
    ServiceRequired "service/required" "Service.Required" High
        "A resource should have the properties that its service requires"
        "A service refuses a resource without a property that it needs, although the type of the resource does not require it."
        "Add the property.";
    ServiceDuplicate "service/duplicate" "Service.Duplicate" High
        "The items of a list should differ if their service requires it"
        "A service refuses two items of one name or one number."
        "Rename or renumber one of the items, or remove it.";

    AzurePolicyDeny "azure-policy/deny" "AzurePolicy.Deny" High
        "A deployment should not contain what a policy denies"
        "Azure refuses a resource that an assigned policy with the effect `deny` applies to, and the deployment fails with `RequestDisallowedByPolicy`."
        "Change the property that the policy names, or ask the owners of the assignment for an exemption.";
    AzurePolicyAudit "azure-policy/audit" "AzurePolicy.Audit" Medium
        "A resource should comply with the policies that audit it"
        "Azure deploys the resource and reports it as noncompliant."
        "Change the property that the policy names, or ask the owners of the assignment for an exemption.";
    AzurePolicyModify "azure-policy/modify" "AzurePolicy.Modify" Low
        "A template should set what a policy would change"
        "A policy with the effect `modify` or `append` changes the resource while it is deployed, so that it differs from the template."
        "Write the value of the policy into the template.";
    AzurePolicyRelated "azure-policy/related" "AzurePolicy.Related" Low
        "A deployment should contain the related resources that policies look for"
        "Policies with the effects `auditIfNotExists` and `deployIfNotExists` look for a related resource after the deployment. The one in this deployment does not comply."
        "Change the related resource, so that it meets the condition of the policy.";
    AzurePolicyUndecided "azure-policy/undecided" "AzurePolicy.Undecided" Low
        "What policies say of a resource should be known before it is deployed"
        "Some conditions depend on what only Azure knows, such as the caller, existing resources, or a property that is not in the template."
        "Declare what is known of the target environment in the settings. Otherwise, only the deployment can tell.";

    LintArtifacts "bicep/artifacts-parameters" "Bicep.ArtifactsParameters" Low
        "The parameters `_artifactsLocation` and `_artifactsLocationSasToken` should be declared as the portal expects"
        "The portal and scripts fill in both parameters, and only if their names, types, and defaults are the usual ones."
        "Declare both as strings, the token with `@secure()`, and pass both to modules.";
    LintDecompiler "bicep/decompiler-cleanup" "Bicep.DecompilerCleanup" Low
        "Names that `bicep decompile` made up should be replaced"
        "A name that ends in `_resource` or `_var` says only that the decompiler found no better one."
        "Rename the symbol.";
    LintLocationParams "bicep/explicit-values-for-loc-params" "Bicep.ExplicitLocationParameters" Low
        "A module should get a value for each of its parameters for a location"
        "The default is the location of the resource group of the module, which need not be that of the file that uses it."
        "Pass a location to the module.";
    LintDeploymentScoping "bicep/nested-deployment-template-scoping" "Bicep.NestedDeploymentScoping" High
        "A nested template that is evaluated on its own should use only its own names"
        "Azure rejects a template that refers to parameters and variables which it does not declare."
        "Pass the value as a parameter of the nested template, or write the deployment as a module.";
    LintMetadata "bicep/no-conflicting-metadata" "Bicep.ConflictingMetadata" Low
        "A declaration should have one description"
        "`@description` replaces the description in `@metadata`, so one of them is never shown."
        "Remove one of the descriptions.";
    LintDeployments "bicep/no-deployments-resources" "Bicep.DeploymentsResources" Low
        "A nested deployment should be written as a module"
        "Bicep checks the parameters and outputs of modules, and nothing in the template of a resource `Microsoft.Resources/deployments`."
        "Write the template as a Bicep file, and use it as a module.";
    LintAny "bicep/no-explicit-any" "Bicep.ExplicitAny" Low
        "A declaration should not have the type `any`"
        "Nothing is checked of a value of the type `any`."
        "Declare what the value is.";
    LintEnvUrls "bicep/no-hardcoded-env-urls" "Bicep.HardcodedEnvironmentUrls" Low
        "A file should not name the hosts of one cloud"
        "Hosts such as `core.windows.net` differ between the clouds of Azure, so the deployment fails in another one."
        "Use `environment()`, or a property of the resource, such as `primaryEndpoints`.";
    LintLocation "bicep/no-hardcoded-location" "Bicep.HardcodedLocation" Low
        "A location should be a parameter"
        "Who deploys the file cannot choose another location, for example where the service or the quota is available."
        "Declare a parameter, and use it as the location.";
    LintOutputs "bicep/no-hardcoded-outputs" "Bicep.HardcodedOutputs" Low
        "An output should not be a literal"
        "Who needs the value can import it, without a deployment."
        "Export a variable with `@export()`.";
    LintLocationExpr "bicep/no-loc-expr-outside-params" "Bicep.LocationExpressionOutsideParameters" Low
        "The location of the resource group should be used only as the default of a parameter"
        "Who deploys the file cannot choose a location other than that of the resource group or the deployment."
        "Declare a parameter whose default value is the expression.";
    LintModuleName "bicep/no-module-name" "Bicep.ModuleName" Low
        "A module should not have a name"
        "Bicep makes a name that is unique; two deployments of one name disturb each other."
        "Remove the property `name`.";
    LintDependsOn "bicep/no-unnecessary-dependson" "Bicep.UnnecessaryDependsOn" Low
        "A dependency that follows from the properties should not be declared"
        "Bicep finds the dependencies of a resource by what its properties use, so the entry says nothing new."
        "Remove the entry from `dependsOn`.";
    LintUnusedExisting "bicep/no-unused-existing-resources" "Bicep.UnusedExistingResources" Low
        "An existing resource should be used"
        "An unused declaration misleads the readers of the file."
        "Remove the declaration.";
    LintUnusedImports "bicep/no-unused-imports" "Bicep.UnusedImports" Low
        "An import should be used"
        "An unused import misleads the readers of the file."
        "Remove the import.";
    LintUnusedTypes "bicep/no-unused-types" "Bicep.UnusedTypes" Low
        "A type should be used"
        "An unused type misleads the readers of the file."
        "Remove the type, or export it.";
    LintInterpolation "bicep/prefer-interpolation" "Bicep.PreferInterpolation" Low
        "A string should be written with interpolations"
        "`'${a}-${b}'` is easier to read than `concat(a, '-', b)`."
        "Write the string with interpolations.";
    LintQuotes "bicep/prefer-unquoted-property-names" "Bicep.UnquotedPropertyNames" Low
        "The name of a property should not have quotes that it does not need"
        "Names without quotes are easier to read."
        "Remove the quotes; write `.name` instead of `['name']`.";
    LintCommandSecrets "bicep/protect-commandtoexecute-secrets" "Bicep.CommandToExecuteSecrets" Medium
        "The command of a script extension should not contain a secret in its public settings"
        "Everyone who may read the virtual machine can read `settings`."
        "Move `commandToExecute` to `protectedSettings`.";
    LintPlainInterpolation "bicep/simplify-interpolation" "Bicep.SimplifyInterpolation" Low
        "A string should not be interpolated alone"
        "`'${name}'` is the same as `name`, if that is a string."
        "Remove the quotes and `${}`.";
    LintJsonNull "bicep/simplify-json-null" "Bicep.SimplifyJsonNull" Low
        "`null` should be written as such"
        "`json('null')` is from the time when Bicep had no `null`."
        "Write `null`.";
    LintOutputDescription "bicep/use-description-outputs" "Bicep.OutputDescriptions" Low
        "An output should have a description"
        "Who uses the file learns from it what the value is."
        "Add `@description()`.";
    LintParamDescription "bicep/use-description-params" "Bicep.ParameterDescriptions" Low
        "A parameter should have a description"
        "Who uses the file learns from it what the value is for."
        "Add `@description()`.";
    LintPropertyDescription "bicep/use-description-type-properties" "Bicep.PropertyDescriptions" Low
        "A property of a type should have a description"
        "Who uses the type learns from it what the value is for."
        "Add `@description()`.";
    LintTypeDescription "bicep/use-description-types" "Bicep.TypeDescriptions" Low
        "A type should have a description"
        "Who uses the type learns from it what it is for."
        "Add `@description()`.";
    LintVariableDescription "bicep/use-description-vars" "Bicep.VariableDescriptions" Low
        "A variable should have a description"
        "Who reads the file learns from it what the value is for."
        "Add `@description()`.";
    LintParent "bicep/use-parent-property" "Bicep.UseParentProperty" Low
        "A child of a resource should name it as its parent"
        "A name such as `parent/child` repeats the name of the parent, and does not make the child depend on it."
        "Set `parent`, and write only the last part of the name.";
    LintPowerShell "bicep/use-recent-az-powershell-version" "Bicep.RecentAzurePowerShell" Low
        "A deployment script should run a recent version of Azure PowerShell"
        "Old versions have known defects, and their images are retired."
        "Set `azPowerShellVersion` to a recent version.";
    LintSymbol "bicep/use-resource-symbol-reference" "Bicep.ResourceSymbolReference" Low
        "A resource of the file should be used by its symbol"
        "`reference()` and `list*()` with the ID of a resource repeat its type and version, and hide the dependency on it."
        "Use `symbol.properties`, or `symbol.listKeys()`.";
    LintSafeAccess "bicep/use-safe-access" "Bicep.SafeAccess" Low
        "A property that may be missing should be read with `.?`"
        "`contains(a, 'b') ? a.b : c` is harder to read than `a.?b ?? c`, and a deployment fails if it reads a property that is missing."
        "Use `.?`, and `??` for another value.";
    LintStableNames "bicep/use-stable-resource-identifiers" "Bicep.StableIdentifiers" Low
        "The name of a resource should be the same in each deployment"
        "With `utcNow()` or `newGuid()` in its name, each deployment creates another resource, and the old ones stay."
        "Use `uniqueString()` or `guid()`, or a parameter.";
    LintImage "bicep/use-stable-vm-image" "Bicep.StableVirtualMachineImage" Low
        "A virtual machine should not run an image that is a preview"
        "Previews are retired without notice."
        "Use a released image.";
    LintTypes "bicep/use-user-defined-types" "Bicep.UserDefinedTypes" Low
        "A declaration should say what is in an object or an array"
        "Of a value of the type `object` or `array`, nothing is checked that is in it."
        "Declare a type of your own.";

    SuppressionUnused "suppression/unused" "Suppression.Unused" Low
        "A suppression should suppress a finding"
        "A suppression that is no longer needed would hide the next finding of its rule. It is reported only if everything that it could suppress was checked with the rule."
        "Remove the name of the rule from the suppression, or the whole suppression.";
    SuppressionUnknownRule "suppression/unknown-rule" "Suppression.UnknownRule" Medium
        "A suppression should name rules that exist"
        "A suppression of an unknown rule suppresses nothing. The name is usually misspelled."
        "Correct the ID or the name of the rule. `formwork rules list` prints both.";
    SuppressionExpired "suppression/expired" "Suppression.Expired" Medium
        "A suppression should not be expired"
        "A suppression with a date holds until the end of that day. Then its findings are reported again."
        "Fix the finding, or agree on a later date.";
    SuppressionNoReason "suppression/no-reason" "Suppression.NoReason" Medium
        "A suppression should have a reason"
        "Without a reason, nobody can tell whether a suppression is still right. It suppresses nothing until it has one."
        "Write the reason after `--` in a comment, or in `reason` in metadata and settings.";
    SuppressionInvalid "suppression/invalid" "Suppression.Invalid" Medium
        "A suppression should follow its syntax"
        "A suppression that cannot be understood suppresses nothing."
        "Write `formwork:ignore RULE[, RULE] [until YYYY-MM-DD] -- reason` in a comment, or objects with `rule`, `reason`, and `until` in metadata.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::diagnostic::Level;

    #[test]
    fn no_two_checks_share_an_id_or_a_name() {
        let infos: Vec<RuleInfo> = Check::ALL.iter().map(|check| check.info()).collect();
        let ids: BTreeSet<&str> = infos.iter().map(|info| info.id.as_str()).collect();
        let names: BTreeSet<&str> = infos.iter().map(|info| info.name.as_str()).collect();
        assert_eq!((ids.len(), names.len()), (Check::ALL.len(), Check::ALL.len()));
    }

    /// The console shows the first sentence of the advice alone.
    #[test]
    fn the_first_advice_does_not_leave_out_a_cloud() {
        for info in Check::ALL.iter().map(|check| check.info()) {
            let advice = info.recommendation.unwrap_or_default();
            assert!(!advice.contains(". In CloudFormation, use"), "{}: {advice}", info.id);
        }
    }

    #[test]
    fn what_is_wrong_inside_a_template_is_a_check() {
        /// Errors with these codes mean that something was not analyzed.
        const OTHERS: &[Code] = &[Code::TemplateLimit, Code::ExpressionLimit];
        for &code in Code::ALL {
            let family = code.as_str().split('/').next().unwrap();
            let is_error = code.level() != Level::Note && !OTHERS.contains(&code);
            let is_inside = is_error && ["template", "parameter", "expression"].contains(&family);
            assert_eq!(Check::of(code).is_some(), is_inside, "{}: add a row to this file", code.as_str());
        }
    }
}
