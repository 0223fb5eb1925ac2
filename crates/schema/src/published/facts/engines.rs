//! Database engines.

use crate::checks::SCHEMA_MISSPELLED_VALUE;
use crate::published::facts::{FactViolation, text};
use crate::published::judge::meant;
use crate::value::Value;

/// Engines of RDS, including former ones. RDS may have added others since, so only misspellings are reported.
/// Reference: <https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html>.
const OF_RDS: [&str; 28] = [
    "aurora",
    "aurora-mysql",
    "aurora-postgresql",
    "custom-oracle-ee",
    "custom-oracle-ee-cdb",
    "custom-oracle-se2",
    "custom-oracle-se2-cdb",
    "custom-sqlserver-dev",
    "custom-sqlserver-ee",
    "custom-sqlserver-se",
    "custom-sqlserver-web",
    "db2-ae",
    "db2-se",
    "docdb",
    "mariadb",
    "mysql",
    "neptune",
    "oracle-ee",
    "oracle-ee-cdb",
    "oracle-se",
    "oracle-se1",
    "oracle-se2",
    "oracle-se2-cdb",
    "postgres",
    "sqlserver-ee",
    "sqlserver-ex",
    "sqlserver-se",
    "sqlserver-web",
];

/// Reports a misspelled engine of RDS. Case is ignored.
pub(super) fn of_rds(value: &Value) -> Vec<FactViolation<'_>> {
    let Some(engine) = text(value).filter(|text| !OF_RDS.iter().any(|known| text.eq_ignore_ascii_case(known))) else {
        return Vec::new();
    };
    meant(engine, &OF_RDS)
        .map(|meant| {
            let message = format!("`Engine` is `{engine}`, which RDS does not name; did you mean `{meant}`?");
            FactViolation::new(SCHEMA_MISSPELLED_VALUE, &[], message)
        })
        .into_iter()
        .collect()
}
