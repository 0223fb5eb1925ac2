//! Domain names of APIs: mappings of their paths, and DNS records.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-api-domainconfiguration.html>.

use foldhash::HashMap;

use crate::sam::build::{Draft, Fields, get, get_att, given_property, object, reference, required, text};
use crate::sam::intrinsics::hash;
use crate::sam::{Sam, Source};
use crate::value::{Str, Value};

/// The zone of all distributions of `CloudFront`.
const DISTRIBUTIONS: &str = "Z2FDTNDATAQYW2";

/// DNS records of several APIs in the same zone, by logical ID.
#[derive(Debug, Default)]
pub(in crate::sam) struct RecordSets {
    groups: Vec<(Draft, Vec<Value>)>,
    index: HashMap<String, usize>,
}

/// Settings of a domain name that are those in the template.
const COPIED: [&str; 2] = ["SecurityPolicy", "OwnershipVerificationCertificateArn"];

impl Sam<'_, '_> {
    /// Generates the domain name of a REST API.
    pub(super) fn rest_domain(&mut self, source: &Source, drafts: &mut Vec<Draft>) {
        let Some(domain) = source.given_property("Domain").map(|domain| self.resolved(domain)) else { return };
        let Some(name) = get(&domain, "DomainName") else { return };
        let endpoint = text(&domain, "EndpointConfiguration").map_or("REGIONAL", |kind| kind);
        let is_private = endpoint == "PRIVATE";
        let (prefix, kind) = if is_private {
            ("ApiGatewayDomainNameV2", "AWS::ApiGateway::DomainNameV2")
        } else {
            ("ApiGatewayDomainName", "AWS::ApiGateway::DomainName")
        };
        let mut draft = Draft::new(format!("{prefix}{}", hash(name)), kind, &source.origin);
        draft.copy(&domain, &["DomainName", "SecurityPolicy", "EndpointAccessMode"]);
        draft.copy(&domain, if is_private { &["Policy"] } else { &["OwnershipVerificationCertificateArn"] });
        let certificate = if endpoint == "REGIONAL" { "RegionalCertificateArn" } else { "CertificateArn" };
        draft.derive(certificate, &domain, "CertificateArn", Clone::clone);
        let mut types = Fields::default();
        types.set("Types", Value::array(vec![Value::from(endpoint)]));
        types.set_some("IpAddressType", given_property(&domain, "IpAddressType").cloned());
        draft.set("EndpointConfiguration", types.into_value());
        if !is_private {
            draft.derive("MutualTlsAuthentication", &domain, "MutualTlsAuthentication", mutual_tls);
        }
        self.output.references.add(&source.id, if is_private { "DomainNameV2" } else { "DomainName" }, &draft.id);
        let mappings = rest_mappings(source, &domain, &draft.id, is_private);
        let association = get(&domain, "AccessAssociation").filter(|_| is_private);
        let association = association.map(|association| access(source, association, &draft.id));
        let id = draft.id.clone();
        drafts.push(draft);
        drafts.extend(mappings);
        drafts.extend(association);
        self.records(source, &domain, endpoint, &id, drafts);
    }

    /// Generates the domain name of an HTTP API or a WebSocket API. `tag` marks it as made by SAM.
    pub(super) fn http_domain(&mut self, source: &Source, tag: &str, drafts: &mut Vec<Draft>) {
        let Some(domain) = source.given_property("Domain").map(|domain| self.resolved(domain)) else { return };
        let Some(name) = get(&domain, "DomainName") else { return };
        let id = format!("ApiGatewayDomainNameV2{}", hash(name));
        let mut draft = Draft::new(id, "AWS::ApiGatewayV2::DomainName", &source.origin);
        draft.copy(&domain, &["DomainName"]);
        draft.derive("MutualTlsAuthentication", &domain, "MutualTlsAuthentication", mutual_tls);
        draft.set("Tags", object([(tag, Value::from("SAM"))]));
        let mut settings = Fields::default();
        settings.set_some("CertificateArn", get(&domain, "CertificateArn").cloned());
        let endpoint = get(&domain, "EndpointConfiguration").cloned();
        settings.set("EndpointType", endpoint.unwrap_or_else(|| Value::from("REGIONAL")));
        for name in COPIED {
            settings.set_some(name, given_property(&domain, name).cloned());
        }
        draft.set("DomainNameConfigurations", Value::array(vec![settings.into_value()]));
        self.output.references.add(&source.id, "DomainName", &draft.id);
        let mapping = |id: String, key: Option<&str>| {
            Draft::new(id, "AWS::ApiGatewayV2::ApiMapping", &source.origin)
                .with("DomainName", reference(&draft.id))
                .with("ApiId", reference(&source.id))
                .with("Stage", reference(&format!("{}.Stage", source.id)))
                .with("ApiMappingKey", key.map(Value::from))
        };
        let mappings: Vec<Draft> = match base_paths(&domain) {
            None => vec![mapping(format!("{}ApiMapping", source.id), None)],
            Some(paths) => {
                let mapping = |path: &Str| {
                    let name: String = path.chars().filter(|c| !matches!(c, '-' | '_' | '/')).collect();
                    mapping(format!("{}{name}ApiMapping", source.id), Some(path.trim_matches('/')))
                };
                paths.iter().map(mapping).collect()
            }
        };
        let id = draft.id.clone();
        drafts.push(draft);
        drafts.extend(mappings);
        self.records(source, &domain, "REGIONAL", &id, drafts);
    }

    /// Generates the DNS records of a domain name. APIs in the same zone share a group of records.
    fn records(&mut self, source: &Source, domain: &Value, endpoint: &str, id: &Str, drafts: &mut Vec<Draft>) {
        let Some(route) = get(domain, "Route53") else { return };
        let Some(zone) = get(route, "HostedZoneId").or_else(|| get(route, "HostedZoneName")) else { return };
        let sets = record_sets(domain, route, endpoint, id);
        let group = |id: String| {
            let mut draft = Draft::new(id, "AWS::Route53::RecordSetGroup", &source.origin);
            draft.copy(route, &["HostedZoneId", "HostedZoneName"]);
            draft
        };
        if given_property(route, "SeparateRecordSetGroup").is_some() {
            let name = required(domain, "DomainName");
            let suffix = hash(&Value::array(vec![zone.clone(), name]));
            drafts.push(group(format!("RecordSetGroup{suffix}")).with("RecordSets", Value::array(sets)));
            return;
        }
        let name = format!("RecordSetGroup{}", hash(zone));
        let all = &mut self.record_sets;
        let at = *all.index.entry(name.clone()).or_insert_with(|| {
            all.groups.push((group(name), Vec::new()));
            all.groups.len() - 1
        });
        if let Some((_, known)) = all.groups.get_mut(at) {
            known.extend(sets);
        }
    }

    /// Adds the groups of records.
    pub(in crate::sam) fn finish_records(&mut self) {
        let slot = self.output.last();
        for (draft, sets) in std::mem::take(&mut self.record_sets).groups {
            self.output.add(slot, draft.with("RecordSets", Value::array(sets)));
        }
    }
}

fn mutual_tls(written: &Value) -> Value {
    let mut fields = Fields::default();
    for name in ["TruststoreUri", "TruststoreVersion"] {
        fields.set_some(name, given_property(written, name).cloned());
    }
    fields.into_value()
}

/// Returns the paths under a domain name; `None` if the API is at its root.
fn base_paths(domain: &Value) -> Option<Vec<Str>> {
    let written = given_property(domain, "BasePath")?;
    match written.as_array() {
        Some(paths) => Some(paths.iter().filter_map(Value::as_shared_str).cloned().collect()),
        None => Some(vec![written.as_shared_str()?.clone()]),
    }
}

fn rest_mappings(source: &Source, domain: &Value, id: &Str, is_private: bool) -> Vec<Draft> {
    let (kind, property) = if is_private {
        ("AWS::ApiGateway::BasePathMappingV2", "DomainNameArn")
    } else {
        ("AWS::ApiGateway::BasePathMapping", "DomainName")
    };
    let mapping = |name: &str, path: Option<Value>| {
        Draft::new(format!("{}{name}BasePathMapping", source.id), kind, &source.origin)
            .with(property, reference(id))
            .with("RestApiId", reference(&source.id))
            .with("Stage", reference(&format!("{}.Stage", source.id)))
            .with("BasePath", path)
    };
    let Some(paths) = base_paths(domain) else { return vec![mapping("", None)] };
    let is_normalized = get(domain, "NormalizeBasePath").and_then(Value::as_bool).unwrap_or(true);
    let mapping = |path: &Str| {
        let name: String = path.chars().filter(|c| c.is_alphanumeric()).collect();
        let value = if is_normalized { Value::from(name.as_str()) } else { Value::from(path.clone()) };
        mapping(&name, Some(value))
    };
    paths.iter().map(mapping).collect()
}

/// Returns the association of a private domain name with an endpoint in a network.
fn access(source: &Source, association: &Value, id: &Str) -> Draft {
    let endpoint = required(association, "VpcEndpointId");
    let suffix = hash(&Value::array(vec![endpoint.clone(), Value::from(id.clone())]));
    let name = format!("DomainNameAccessAssociation{suffix}");
    Draft::new(name, "AWS::ApiGateway::DomainNameAccessAssociation", &source.origin)
        .with("DomainNameArn", reference(id))
        .with("AccessAssociationSourceType", Value::from("VPCE"))
        .with("AccessAssociationSource", endpoint)
}

fn record_sets(domain: &Value, route: &Value, endpoint: &str, id: &Str) -> Vec<Value> {
    let mut alias = Fields::default();
    alias.set_some("EvaluateTargetHealth", get(route, "EvaluateTargetHealth").cloned());
    let (zone, name) = match endpoint {
        "REGIONAL" => (Some(get_att(id, "RegionalHostedZoneId")), Some(get_att(id, "RegionalDomainName"))),
        "EDGE" => {
            let name = get(route, "DistributionDomainName").cloned();
            let name = name.unwrap_or_else(|| get_att(id, "DistributionDomainName"));
            (Some(Value::from(DISTRIBUTIONS)), Some(name))
        }
        _ => (get(route, "VpcEndpointHostedZoneId").cloned(), get(route, "VpcEndpointDomainName").cloned()),
    };
    alias.set_some("HostedZoneId", zone);
    alias.set_some("DNSName", name);
    let alias = alias.into_value();
    let record = |kind: &str| {
        let mut record = Fields::default();
        record.set_some("Name", get(domain, "DomainName").cloned());
        record.set("Type", Value::from(kind));
        record.set("AliasTarget", alias.clone());
        for name in ["Region", "SetIdentifier"] {
            record.set_some(name, get(route, name).cloned());
        }
        record.into_value()
    };
    let mut records = vec![record("A")];
    if get(route, "IpV6").and_then(Value::as_bool) == Some(true) {
        records.push(record("AAAA"));
    }
    records
}
