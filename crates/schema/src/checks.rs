//! Checks that compare resources with published types, and with facts of services.

use formwork_model::declare_checks;

use crate::diagnostic::TextTag;

declare_checks! {
    pub const CHECKS;

    pub SECRET_PROPERTY = Secret High "secret/property" "Deployment.SecretProperty"
        "A property for a secret should get a secure value"
        "Anyone who can read the template, or the deployment history, can read a secret that is written in the template or passed in a parameter without a secure type."
        "Pass the secret in a parameter of the type `securestring` or `secureObject`, or in CloudFormation in one with `NoEcho: true`. A reference to a key vault, or a dynamic reference such as `{{resolve:secretsmanager:...}}`, needs no parameter.";
    pub RESOURCE_NAME = Deployment High "resource/name" "Resource.Name"
        "The name of a resource should be one that its service takes"
        "A service refuses a name that is too short or too long, or that has a character which it does not take. Case counts. What is known of a computed name is enough: `${prefix}_x` is refused whatever the prefix is."
        "Choose another name, or compute it of what the service takes: `toLower()`, `take()`, `uniqueString()`.";
    pub NETWORK_GROUP_ID = Deployment High "network/group-id" "Network.GroupId"
        "A private endpoint should name a group that its target has"
        "Azure refuses a private endpoint with a group that the type of the linked resource does not have, such as `sql` instead of `sqlServer`."
        "Write a group that the message names."
        .platform();
    pub SCHEMA_RESOURCE_TYPE = Schema High "schema/resource-type" "Schema.ResourceType"
        "A resource should have a type that exists"
        "Azure rejects a deployment with a resource type that it does not have, and no rule checks such a resource."
        "Correct the type."
        .platform();
    pub SCHEMA_API_VERSION = Schema Medium "schema/api-version" "Schema.ApiVersion"
        "A resource should have an API version that exists"
        "Azure rejects a deployment with an API version that the resource type does not have."
        "Use an API version of the type, preferably the newest stable one.";
    pub SCHEMA_UNKNOWN_PROPERTY = Schema Medium "schema/unknown-property" "Schema.UnknownProperty"
        "A resource should have only properties of its type"
        "Azure rejects or ignores a property that the type of the resource does not have, so it has no effect."
        "Correct the name of the property, or move the property to where the type has it.";
    pub SCHEMA_MISSING_PROPERTY = Schema High "schema/missing-property" "Schema.MissingProperty"
        "A resource should have the required properties of its type"
        "Azure rejects a deployment if a required property is missing."
        "Add the property that the message names to the object at this line.";
    pub SCHEMA_READ_ONLY = Schema Low "schema/read-only" "Schema.ReadOnly"
        "A template should not set a property that only Azure sets"
        "Azure ignores or rejects the value of a read-only property."
        "Remove the property.";
    pub SCHEMA_TYPE = Schema High "schema/type" "Schema.Type"
        "A property should have a value of its type"
        "Azure rejects a deployment if a property has the wrong type of value, such as a string instead of an object."
        "Write a value of the kind that the message expects: quotes make a string, brackets an array, and braces an object."
        .platform();
    pub SCHEMA_VALUE = Schema High "schema/value" "Schema.Value"
        "A property should have one of its values"
        "Azure rejects a deployment if a property has a value that is not among those that its type allows."
        "Write one of the values in the message. If the service has a newer value, use an API version that has it, too."
        .platform();
    pub SCHEMA_MISSPELLED_VALUE = Schema Low "schema/misspelled-value" "Schema.MisspelledValue"
        "A property should not have a value that is a slip of one that its type names"
        "Some types name their values and take others, too. A value that differs from a named one by a letter or two is most likely misspelled, and Azure rejects it."
        "Correct the value, or suppress the finding if the value exists.";
    pub SCHEMA_LENGTH = Schema High "schema/length" "Schema.Length"
        "A string or an array should have a length that its type allows"
        "Azure rejects a deployment if a string or an array is too short or too long."
        "Shorten or lengthen the value to the bounds in the message.";
    pub SCHEMA_PATTERN = Schema High "schema/pattern" "Schema.Pattern"
        "A string should match the pattern of its type"
        "Azure rejects a deployment if a string does not match the regular expression of its type."
        "Remove or replace the characters that the type does not allow.";
    pub SCHEMA_RANGE = Schema High "schema/range" "Schema.Range"
        "A number should be in the range of its type"
        "Azure rejects a deployment if a number is too small or too large."
        "Write a number within the bounds in the message.";
    pub SCHEMA_FORMAT = Schema High "schema/format" "Schema.Format"
        "A string should have the format of its property"
        "AWS rejects an ID, an ARN, a name, or an address that is not of the format that the property expects."
        "Write a value of that format, or refer to the resource that has it."
        .platform();
    pub SCHEMA_COMBINATION = Schema High "schema/combination" "Schema.Combination"
        "A resource should combine only properties that go together"
        "AWS rejects properties that exclude each other, or that the values of other properties rule out."
        "Remove one of the properties, or change the value that rules it out."
        .platform();
    pub SCHEMA_DUPLICATE = Schema High "schema/duplicate" "Schema.Duplicate"
        "The items of a list should differ if its type demands that"
        "AWS rejects a list with the same item twice if the order and the number of its items mean nothing."
        "Remove one of the items.";
    pub SCHEMA_CONFLICT = Schema High "schema/conflict" "Schema.Conflict"
        "The resources of a stack should not contradict each other"
        "AWS rejects a resource that takes what another one of the stack has, or that does not fit the resource that it refers to."
        "Change one of the two resources."
        .platform();
    pub SCHEMA_RETIRED = Schema High "schema/retired" "Schema.Retired"
        "A resource should not use what AWS has retired"
        "AWS creates no resources of a service that it has shut down, and none with a retired version."
        "Use a version that AWS supports, or another service.";
    pub SCHEMA_OLD_API_VERSION = Schema Low "schema/old-api-version" "Schema.OldApiVersion"
        "A resource should have a recent, stable API version"
        "Azure retires old API versions, and changes previews without notice. An API version is reported if it is a preview and a later stable one exists, or if it is more than two years older than the newest stable one. This check is not part of the default profile: set `rules: {profile: all}`, or name the check in `rules.include`."
        "Use the newest stable API version that the resource fits."
        .tag(TextTag::Deprecated);
    pub SCHEMA_SCOPE = Schema High "schema/scope" "Schema.Scope"
        "A resource should be deployed to a scope that it supports"
        "Azure rejects a deployment to a scope that the resource type does not support."
        "Deploy the resource in a module or nested deployment with the right scope.";
    pub SERVICE_VALUE = Service High "service/value" "Service.Value"
        "A property should have a value that its service takes"
        "A service refuses some values although the type of the resource allows them. `docs/services.md` lists what is checked of each service."
        "Use a value that the message names.";
    pub SERVICE_LIMIT = Service High "service/limit" "Service.Limit"
        "A number, a string, or a list should be as large as its service takes"
        "A service refuses numbers out of range, strings of the wrong length, and lists with too many items, although the type of the resource allows them."
        "Keep to the bounds in the message.";
    pub SERVICE_COMBINATION = Service High "service/combination" "Service.Combination"
        "A resource should combine only what its service takes together"
        "A service refuses features that the SKU of the resource does not have, and properties that another one rules out."
        "Change one of the values that the message names.";
    pub SERVICE_REQUIRED = Service High "service/required" "Service.Required"
        "A resource should have the properties that its service requires"
        "A service refuses a resource without a property that it needs, although the type of the resource does not require it."
        "Add the property that the message names to the object at this line.";
    pub SERVICE_DUPLICATE = Service High "service/duplicate" "Service.Duplicate"
        "The items of a list should differ if their service requires it"
        "A service refuses two items of one name or one number."
        "Rename or renumber one of the items, or remove it.";
}
