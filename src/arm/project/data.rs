//! Databases, analytics, cognitive services.

use crate::arm::project::{Subject, Table, object, placeholder, properties, succeeded, text};
use crate::value::{Member, Value};

pub(super) const TABLE: Table = &[
    ("Microsoft.CognitiveServices/accounts", cognitive_account),
    ("Microsoft.DocumentDB/databaseAccounts", cosmos_account),
    ("Microsoft.OperationalInsights/workspaces", workspace),
];

/// <https://learn.microsoft.com/azure/templates/microsoft.documentdb/databaseaccounts>
fn cosmos_account(subject: &Subject<'_>) -> Vec<Member> {
    let endpoint = format!("https://{}.documents.azure.com:443/", subject.own_name());
    properties(vec![succeeded(), text("documentEndpoint", endpoint)])
}

/// Azure draws the id that agents use.
fn workspace(_: &Subject<'_>) -> Vec<Member> {
    properties(vec![succeeded(), Member::new("customerId", placeholder())])
}

/// The services that an account of kind `OpenAI` offers under one address.
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

/// <https://learn.microsoft.com/azure/templates/microsoft.cognitiveservices/accounts>
fn cognitive_account(subject: &Subject<'_>) -> Vec<Member> {
    let chosen = subject.property("customSubDomainName").and_then(Value::as_str);
    let domain = chosen.unwrap_or_else(|| subject.own_name());
    let kind = subject.body.get("kind").and_then(Value::as_str).unwrap_or_default();
    let is_openai = kind.eq_ignore_ascii_case("OpenAI");
    let host = if is_openai { "openai" } else { "cognitiveservices" };
    let endpoint = format!("https://{domain}.{host}.azure.com/");
    let endpoints = if is_openai { OPENAI_ENDPOINTS } else { &[] };
    let endpoints = endpoints.iter().map(|it| text(it, endpoint.as_str())).collect();
    properties(vec![
        succeeded(),
        text("customSubDomainName", domain),
        object("endpoints", endpoints),
        text("endpoint", endpoint),
    ])
}
