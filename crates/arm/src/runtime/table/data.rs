//! Runtime properties of databases, analytics, monitoring and AI services.

use crate::runtime::ResourceFacts;
use crate::runtime::source::Property;
use crate::runtime::source::Source::{Drawn, Fixed, Lower, Number, Of, Text, Unknown};
use crate::runtime::table::Table;
use crate::value::{Kind, Member, Value};

/// Single and flexible servers of `MySQL` have the same properties.
const MYSQL: &[Property] = &[Property::new("fullyQualifiedDomainName", Lower("{name}.mysql.{database}"))];

/// Single and flexible servers of `PostgreSQL` have the same properties.
const POSTGRES: &[Property] = &[Property::new("fullyQualifiedDomainName", Lower("{name}.postgres.{database}"))];

pub(super) const TABLE: Table = &[
    (
        "Microsoft.Cache/redis",
        &[
            Property::new("hostName", Lower("{name}.{redis}")),
            Property::new("port", Number(6379)),
            Property::new("sslPort", Number(6380)),
        ],
    ),
    (
        "Microsoft.Cache/redisEnterprise",
        &[Property::new("hostName", Lower("{name}.{region}.redisenterprise.cache.azure.net"))],
    ),
    (
        "Microsoft.CognitiveServices/accounts",
        &[
            Property::new("provisioningState", Fixed("Succeeded")),
            Property::new("customSubDomainName", Of(sub_domain)),
            Property::new("endpoints", Of(cognitive_endpoints)),
            Property::new("endpoint", Of(cognitive_endpoint)),
        ],
    ),
    ("Microsoft.Dashboard/grafana", &[Property::new("endpoint", Unknown(Kind::String))]),
    (
        "Microsoft.Databricks/workspaces",
        &[Property::new("workspaceId", Unknown(Kind::String)), Property::new("workspaceUrl", Unknown(Kind::String))],
    ),
    (
        "Microsoft.DBforMariaDB/servers",
        &[Property::new("fullyQualifiedDomainName", Lower("{name}.mariadb.{database}"))],
    ),
    ("Microsoft.DBforMySQL/flexibleServers", MYSQL),
    ("Microsoft.DBforMySQL/servers", MYSQL),
    ("Microsoft.DBforPostgreSQL/flexibleServers", POSTGRES),
    ("Microsoft.DBforPostgreSQL/servers", POSTGRES),
    (
        "Microsoft.DocumentDB/databaseAccounts",
        &[
            Property::new("provisioningState", Fixed("Succeeded")),
            Property::new("documentEndpoint", Text("https://{name}.{cosmos}:443/")),
        ],
    ),
    (
        "Microsoft.Insights/components",
        &[
            Property::new("ApplicationId", Text("{name}")),
            Property::new("AppId", Unknown(Kind::String)),
            Property::new("ConnectionString", Unknown(Kind::String)),
            Property::new("InstrumentationKey", Unknown(Kind::String)),
        ],
    ),
    (
        "Microsoft.Insights/dataCollectionEndpoints",
        &[
            Property::new("immutableId", Unknown(Kind::String)),
            Property::new("logsIngestion.endpoint", Unknown(Kind::String)),
            Property::new("metricsIngestion.endpoint", Unknown(Kind::String)),
        ],
    ),
    ("Microsoft.Insights/dataCollectionRules", &[Property::new("immutableId", Unknown(Kind::String))]),
    (
        "Microsoft.Kusto/clusters",
        &[
            Property::new("uri", Lower("https://{name}.{region}.{kusto}")),
            Property::new("dataIngestionUri", Lower("https://ingest-{name}.{region}.{kusto}")),
        ],
    ),
    (
        "Microsoft.MachineLearningServices/workspaces",
        &[
            Property::new("workspaceId", Unknown(Kind::String)),
            Property::new("discoveryUrl", Unknown(Kind::String)),
            Property::new("mlFlowTrackingUri", Unknown(Kind::String)),
        ],
    ),
    ("Microsoft.Maps/accounts", &[Property::new("uniqueId", Unknown(Kind::String))]),
    ("Microsoft.Monitor/accounts", &[Property::new("metrics.prometheusQueryEndpoint", Unknown(Kind::String))]),
    (
        "Microsoft.OperationalInsights/workspaces",
        &[Property::new("provisioningState", Fixed("Succeeded")), Property::new("customerId", Drawn)],
    ),
    (
        "Microsoft.Purview/accounts",
        &[
            Property::new("endpoints.catalog", Lower("https://{name}.purview.azure.com/catalog")),
            Property::new("endpoints.scan", Lower("https://{name}.purview.azure.com/scan")),
        ],
    ),
    ("Microsoft.Search/searchServices", &[Property::new("endpoint", Lower("https://{name}.{search}"))]),
    ("Microsoft.Sql/managedInstances", &[Property::new("fullyQualifiedDomainName", Unknown(Kind::String))]),
    (
        "Microsoft.Sql/servers",
        &[Property::new("fullyQualifiedDomainName", Lower("{name}.{sql}")), Property::new("state", Fixed("Ready"))],
    ),
    (
        "Microsoft.Synapse/workspaces",
        &[
            Property::new("connectivityEndpoints.dev", Lower("https://{name}.dev.{synapse}")),
            Property::new("connectivityEndpoints.sql", Lower("{name}.sql.{synapse}")),
            Property::new("connectivityEndpoints.sqlOnDemand", Lower("{name}-ondemand.sql.{synapse}")),
            Property::new("workspaceUID", Unknown(Kind::String)),
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
