//! The properties that each type has, to say which ones of a template are not expanded.

/// A type or an event source with its properties.
pub(super) struct Known {
    pub(super) name: &'static str,
    properties: &'static str,
    /// The properties without which it cannot be expanded.
    required: &'static str,
}

impl Known {
    pub(super) fn has(&self, property: &str) -> bool {
        self.properties.split_ascii_whitespace().any(|known| known == property)
    }

    pub(super) fn required(&self) -> impl Iterator<Item = &'static str> {
        self.required.split_ascii_whitespace()
    }
}

/// Returns the entry of a type, by its name.
pub(super) fn find(table: &'static [Known], name: &str) -> Option<&'static Known> {
    table.iter().find(|known| known.name == name)
}

/// The types that are expanded, and the properties of each that are.
pub(super) const TYPES: &[Known] = &[
    Known {
        name: "AWS::Serverless::Api",
        properties: "Name StageName Tags PropagateTags DefinitionBody DefinitionUri MergeDefinitions CacheClusterEnabled \
                     CacheClusterSize Variables EndpointConfiguration MethodSettings BinaryMediaTypes \
                     MinimumCompressionSize Cors Auth GatewayResponses AccessLogSetting CanarySetting TracingEnabled \
                     OpenApiVersion Models Domain FailOnWarnings Description Mode DisableExecuteApiEndpoint \
                     ApiKeySourceType AlwaysDeploy Policy SecurityPolicy EndpointAccessMode",
        required: "StageName",
    },
    Known {
        name: "AWS::Serverless::Application",
        properties: "Location TemplateUrl Parameters NotificationARNs Tags TimeoutInMinutes",
        required: "Location",
    },
    Known {
        name: "AWS::Serverless::CapacityProvider",
        properties: "CapacityProviderName VpcConfig OperatorRole Tags PropagateTags InstanceRequirements ScalingConfig \
                     KmsKeyArn",
        required: "VpcConfig",
    },
    Known {
        name: "AWS::Serverless::Connector",
        properties: "Source Destination Permissions",
        required: "Source Destination Permissions",
    },
    Known {
        name: "AWS::Serverless::Function",
        properties: "FunctionName Handler Runtime CodeUri ImageUri PackageType InlineCode DeadLetterQueue Description \
                     MemorySize Timeout VpcConfig Role AssumeRolePolicyDocument Policies RolePath PermissionsBoundary \
                     Environment Events Tags PropagateTags Tracing KmsKeyArn DeploymentPreference \
                     ReservedConcurrentExecutions Layers EventInvokeConfig EphemeralStorage AutoPublishAlias \
                     AutoPublishCodeSha256 AutoPublishAliasAllProperties VersionDescription \
                     ProvisionedConcurrencyConfig FileSystemConfigs ImageConfig CodeSigningConfigArn Architectures \
                     SnapStart FunctionUrlConfig RuntimeManagementConfig LoggingConfig RecursiveLoop SourceKMSKeyArn \
                     CapacityProviderConfig FunctionScalingConfig VersionDeletionPolicy PublishToLatestPublished \
                     TenancyConfig DurableConfig",
        required: "",
    },
    Known {
        name: "AWS::Serverless::GraphQLApi",
        properties: "Auth Tags Name XrayEnabled SchemaInline SchemaUri Logging DataSources Functions Resolvers ApiKeys \
                     DomainName Cache Visibility OwnerContact IntrospectionConfig QueryDepthLimit ResolverCountLimit",
        required: "Auth",
    },
    Known {
        name: "AWS::Serverless::HttpApi",
        properties: "Name StageName Tags PropagateTags DefinitionBody DefinitionUri StageVariables CorsConfiguration \
                     AccessLogSettings DefaultRouteSettings Auth RouteSettings Domain FailOnWarnings Description \
                     DisableExecuteApiEndpoint",
        required: "",
    },
    Known {
        name: "AWS::Serverless::LayerVersion",
        properties: "LayerName Description PublishLambdaVersion ContentUri CompatibleArchitectures CompatibleRuntimes \
                     LicenseInfo RetentionPolicy",
        required: "ContentUri",
    },
    Known {
        name: "AWS::Serverless::SimpleTable",
        properties: "PointInTimeRecoverySpecification PrimaryKey ProvisionedThroughput TableName Tags SSESpecification",
        required: "",
    },
    Known {
        name: "AWS::Serverless::StateMachine",
        properties: "Definition DefinitionUri Logging Role RolePath DefinitionSubstitutions Events Name Type Tags \
                     PropagateTags Policies Tracing PermissionsBoundary AutoPublishAlias DeploymentPreference \
                     UseAliasAsEventTarget",
        required: "",
    },
    Known {
        name: "AWS::Serverless::WebSocketApi",
        properties: "ApiKeySelectionExpression AccessLogSettings Auth DefaultRouteSettings Description \
                     DisableExecuteApiEndpoint Domain DisableSchemaValidation FailOnWarnings IpAddressType Name \
                     PropagateTags Routes RouteSettings RouteSelectionExpression StageName StageVariables Tags",
        required: "Routes RouteSelectionExpression",
    },
];
