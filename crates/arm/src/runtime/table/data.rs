//! Runtime properties of databases, analytics, monitoring and AI services.

use crate::runtime::ResourceFacts;
use crate::runtime::source::RuntimeProperty;
use crate::runtime::source::Source::{Drawn, Fixed, Lower, Number, Of, Text, Unknown};
use crate::runtime::table::Table;
use crate::value::{Kind, Member, Value};

/// Single and flexible servers of `MySQL` have the same properties.
const MYSQL: &[RuntimeProperty] = &[RuntimeProperty::new("fullyQualifiedDomainName", Lower("{name}.mysql.{database}"))];

/// Single and flexible servers of `PostgreSQL` have the same properties.
const POSTGRES: &[RuntimeProperty] =
    &[RuntimeProperty::new("fullyQualifiedDomainName", Lower("{name}.postgres.{database}"))];

pub(super) const TABLE: Table = &[
    (
        "Microsoft.Cache/redis",
        &[
            RuntimeProperty::new("hostName", Lower("{name}.{redis}")),
            RuntimeProperty::new("port", Number(6379)),
            RuntimeProperty::new("sslPort", Number(6380)),
        ],
    ),
    (
        "Microsoft.Cache/redisEnterprise",
        &[RuntimeProperty::new("hostName", Lower("{name}.{region}.redisenterprise.cache.azure.net"))],
    ),
    (
        "Microsoft.CognitiveServices/accounts",
        &[
            RuntimeProperty::new("provisioningState", Fixed("Succeeded")),
            RuntimeProperty::new("customSubDomainName", Of(sub_domain)),
            RuntimeProperty::new("endpoints", Of(cognitive_endpoints)),
            RuntimeProperty::new("endpoint", Of(cognitive_endpoint)),
        ],
    ),
    ("Microsoft.Dashboard/grafana", &[RuntimeProperty::new("endpoint", Unknown(Kind::String))]),
    (
        "Microsoft.Databricks/workspaces",
        &[
            RuntimeProperty::new("workspaceId", Unknown(Kind::String)),
            RuntimeProperty::new("workspaceUrl", Unknown(Kind::String)),
        ],
    ),
    (
        "Microsoft.DBforMariaDB/servers",
        &[RuntimeProperty::new("fullyQualifiedDomainName", Lower("{name}.mariadb.{database}"))],
    ),
    ("Microsoft.DBforMySQL/flexibleServers", MYSQL),
    ("Microsoft.DBforMySQL/servers", MYSQL),
    ("Microsoft.DBforPostgreSQL/flexibleServers", POSTGRES),
    ("Microsoft.DBforPostgreSQL/servers", POSTGRES),
    (
        "Microsoft.DocumentDB/databaseAccounts",
        &[
            RuntimeProperty::new("provisioningState", Fixed("Succeeded")),
            RuntimeProperty::new("documentEndpoint", Text("https://{name}.{cosmos}:443/")),
        ],
    ),
    (
        "Microsoft.Insights/components",
        &[
            RuntimeProperty::new("ApplicationId", Text("{name}")),
            RuntimeProperty::new("AppId", Unknown(Kind::String)),
            RuntimeProperty::new("ConnectionString", Unknown(Kind::String)),
            RuntimeProperty::new("InstrumentationKey", Unknown(Kind::String)),
        ],
    ),
    (
        "Microsoft.Insights/dataCollectionEndpoints",
        &[
            RuntimeProperty::new("immutableId", Unknown(Kind::String)),
            RuntimeProperty::new("logsIngestion.endpoint", Unknown(Kind::String)),
            RuntimeProperty::new("metricsIngestion.endpoint", Unknown(Kind::String)),
        ],
    ),
    ("Microsoft.Insights/dataCollectionRules", &[RuntimeProperty::new("immutableId", Unknown(Kind::String))]),
    (
        "Microsoft.Kusto/clusters",
        &[
            RuntimeProperty::new("uri", Lower("https://{name}.{region}.{kusto}")),
            RuntimeProperty::new("dataIngestionUri", Lower("https://ingest-{name}.{region}.{kusto}")),
        ],
    ),
    (
        "Microsoft.MachineLearningServices/workspaces",
        &[
            RuntimeProperty::new("workspaceId", Unknown(Kind::String)),
            RuntimeProperty::new("discoveryUrl", Unknown(Kind::String)),
            RuntimeProperty::new("mlFlowTrackingUri", Unknown(Kind::String)),
        ],
    ),
    ("Microsoft.Maps/accounts", &[RuntimeProperty::new("uniqueId", Unknown(Kind::String))]),
    ("Microsoft.Monitor/accounts", &[RuntimeProperty::new("metrics.prometheusQueryEndpoint", Unknown(Kind::String))]),
    (
        "Microsoft.OperationalInsights/workspaces",
        &[RuntimeProperty::new("provisioningState", Fixed("Succeeded")), RuntimeProperty::new("customerId", Drawn)],
    ),
    (
        "Microsoft.Purview/accounts",
        &[
            RuntimeProperty::new("endpoints.catalog", Lower("https://{name}.purview.azure.com/catalog")),
            RuntimeProperty::new("endpoints.scan", Lower("https://{name}.purview.azure.com/scan")),
        ],
    ),
    ("Microsoft.Search/searchServices", &[RuntimeProperty::new("endpoint", Lower("https://{name}.{search}"))]),
    ("Microsoft.Sql/managedInstances", &[RuntimeProperty::new("fullyQualifiedDomainName", Unknown(Kind::String))]),
    (
        "Microsoft.Sql/servers",
        &[
            RuntimeProperty::new("fullyQualifiedDomainName", Lower("{name}.{sql}")),
            RuntimeProperty::new("state", Fixed("Ready")),
        ],
    ),
    (
        "Microsoft.Synapse/workspaces",
        &[
            RuntimeProperty::new("connectivityEndpoints.dev", Lower("https://{name}.dev.{synapse}")),
            RuntimeProperty::new("connectivityEndpoints.sql", Lower("{name}.sql.{synapse}")),
            RuntimeProperty::new("connectivityEndpoints.sqlOnDemand", Lower("{name}-ondemand.sql.{synapse}")),
            RuntimeProperty::new("workspaceUID", Unknown(Kind::String)),
        ],
    ),
];

/// The APIs of an account of kind `OpenAI`. All of them have the same endpoint.
const OPENAI_ENDPOINTS: &[&str] = &[
    "OpenAI Language Model Instance API",
    "OpenAI Dall-E API",
    "OpenAI Sora API",
    "OpenAI Moderations API",
    "OpenAI Whisper API",
    "OpenAI Model Scaleset API",
    "OpenAI Realtime API",
    "Token Service API",
];

/// Returns the default subdomain of an account, which is its name.
fn sub_domain(facts: &ResourceFacts<'_>) -> Option<Value> {
    Some(facts.text(facts.own_name()))
}

fn is_openai(facts: &ResourceFacts<'_>) -> bool {
    facts.body.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.eq_ignore_ascii_case("OpenAI"))
}

fn cognitive_endpoint(facts: &ResourceFacts<'_>) -> Option<Value> {
    let host = if is_openai(facts) { "openai" } else { "cognitiveservices" };
    let url = |domain: &str| format!("https://{domain}.{host}.azure.com/");
    match facts.property("customSubDomainName") {
        Some(domain) if domain.as_unknown().is_some() => None,
        Some(chosen) => match chosen.as_str().filter(|domain| !domain.is_empty()) {
            Some(domain) => Some(facts.text_of(chosen, url(domain))),
            None => Some(facts.text(url(facts.own_name()))),
        },
        None => Some(facts.text(url(facts.own_name()))),
    }
}

fn cognitive_endpoints(facts: &ResourceFacts<'_>) -> Option<Value> {
    let endpoint = cognitive_endpoint(facts)?;
    let names = if is_openai(facts) { OPENAI_ENDPOINTS } else { &[] };
    Some(Value::object(names.iter().map(|name| Member::new(*name, endpoint.clone())).collect()))
}
