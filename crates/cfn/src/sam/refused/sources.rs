//! Errors of the transform about events that poll a source: the schema registry, and the access of a function.
//!
//! Facts from samtranslator/model/eventsources/pull.py of aws/serverless-application-model (Apache-2.0).

use crate::model::{join_index, join_key};
use crate::sam::Sam;
use crate::sam::build::{get, given_property, text};
use crate::sam::intrinsics::is_intrinsic;
use crate::sam::refused::is_whole;
use crate::value::{Str, Value};

/// Required properties of a schema registry.
const OF_REGISTRIES: [&str; 3] = ["SchemaRegistryURI", "EventRecordFormat", "SchemaValidationConfigs"];

/// The formats of records that a registry may name.
const FORMATS: [&str; 2] = ["JSON", "SOURCE"];

/// The secrets with which a function may log in to Kafka. It takes one of them.
const OF_KAFKA: [&str; 4] = ["BASIC_AUTH", "CLIENT_CERTIFICATE_TLS_AUTH", "SASL_SCRAM_256_AUTH", "SASL_SCRAM_512_AUTH"];

/// The secret with a user and a password.
const BASIC: &str = "BASIC_AUTH";

/// The property that lists how a function gets access.
const ACCESS: &str = "SourceAccessConfigurations";

/// The entries of [`ACCESS`], with the type of each.
struct Access<'v> {
    entries: Vec<(&'v Str, &'v Value, String)>,
}

impl<'v> Access<'v> {
    /// Reads the access configurations. `None` if an entry or its type is not known.
    fn read(properties: &'v Value, path: &str) -> Option<Self> {
        let path = join_key(path, ACCESS);
        let items = get(properties, ACCESS)?.as_array()?.iter().enumerate();
        let entry = |(at, item): (usize, &'v Value)| {
            is_whole(item).then(|| Some((text(item, "Type")?, item, join_index(&path, at)))).flatten()
        };
        Some(Self { entries: items.map(entry).collect::<Option<Vec<_>>>()? })
    }
}

impl Sam<'_, '_> {
    /// Reports what the transform rejects in an event of this type.
    pub(super) fn refused_source(&self, kind: &str, properties: &Value, path: &str) {
        match kind {
            "MSK" => self.refused_registry(properties, path),
            "SelfManagedKafka" => {
                self.refused_registry(properties, path);
                self.refused_secrets(properties, path);
            }
            "DocumentDB" => self.refused_access(properties, path, &[BASIC]),
            "MQ" => self.refused_access(properties, path, &[BASIC, "VIRTUAL_HOST"]),
            _ => {}
        }
    }

    fn refused_registry(&self, properties: &Value, path: &str) {
        let Some(registry) = given_property(properties, "SchemaRegistryConfig").filter(|registry| is_whole(registry))
        else {
            return;
        };
        let path = join_key(path, "SchemaRegistryConfig");
        for name in OF_REGISTRIES.iter().filter(|name| get(registry, name).is_none()) {
            let message = format!("`SchemaRegistryConfig` lacks the required property `{name}`");
            self.refuse(registry, &join_key(&path, name), message);
        }
        let format = get(registry, "EventRecordFormat").filter(|format| !is_intrinsic(format));
        if let Some(format) = format.filter(|format| !format.as_str().is_some_and(|name| FORMATS.contains(&name))) {
            let message = "`EventRecordFormat` must be `JSON` or `SOURCE`";
            self.refuse(format, &join_key(&path, "EventRecordFormat"), message);
        }
    }

    /// Checks that a function logs in to Kafka in one way.
    fn refused_secrets(&self, properties: &Value, path: &str) {
        let Some(access) = Access::read(properties, path) else { return };
        let mut secrets = access.entries.iter().filter(|(kind, ..)| OF_KAFKA.contains(&&***kind));
        if let (Some((first, ..)), Some((kind, entry, path))) = (secrets.next(), secrets.next()) {
            let message = format!("`{ACCESS}` has `{kind}` beside `{first}`; expected one way to log in");
            self.refuse(entry, path, message);
        }
    }

    /// Checks that a function logs in with one user, and only by means that the source `knows`.
    fn refused_access(&self, properties: &Value, path: &str, known: &[&str]) {
        let Some(access) = Access::read(properties, path) else { return };
        for (kind, entry, path) in access.entries.iter().filter(|(kind, ..)| !known.contains(&&***kind)) {
            let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            self.refuse(entry, path, format!("the `Type` is `{kind}`; expected {}", known.join(" or ")));
        }
        let mut users = access.entries.iter().filter(|(kind, ..)| ***kind == *BASIC);
        match (users.next(), users.next()) {
            (Some(_), Some((_, entry, path))) => {
                self.refuse(entry, path, format!("`{ACCESS}` has `{BASIC}` more than once"));
            }
            (Some((_, entry, path)), None) if given_property(entry, "URI").is_none() => {
                self.refuse(entry, path, format!("`{BASIC}` lacks the required property `URI`"));
            }
            (None, _) => {
                let list = get(properties, ACCESS).unwrap_or(properties);
                self.refuse(list, &join_key(path, ACCESS), format!("`{ACCESS}` lacks an entry of type `{BASIC}`"));
            }
            _ => {}
        }
    }
}
