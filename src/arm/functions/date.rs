//! Functions of dates.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-date>.

use crate::arm::dotnet::date::{Duration, Instant};
use crate::arm::fault::Fault;
use crate::arm::functions::{Args, Function, between, exactly, pure};
use crate::value::{Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("dateTimeAdd", between(2, 3), Kind::String, date_time_add),
    pure("dateTimeFromEpoch", exactly(1), Kind::String, date_time_from_epoch),
    pure("dateTimeToEpoch", exactly(1), Kind::Int, date_time_to_epoch),
    pure("utcNow", between(0, 1), Kind::String, utc_now),
];

/// What `utcNow()` answers, in seconds after the start of 1970: 2025-01-01T00:00:00Z. Runs are reproducible, so no clock
/// is read.
pub(super) const NOW: i64 = 1_735_689_600;

const ISO: &str = "yyyy-MM-ddTHH:mm:ssZ";

/// The format of a sum whose base is not written as ISO 8601 has it, with a `T`.
const GENERAL: &str = "M/d/yyyy h:mm:ss tt";

/// `dateTimeAdd(base, duration, [format])`: the time a duration after a base, in UTC. Without a format it is that of the
/// base, if that is ISO 8601, and else a general one.
fn date_time_add(args: Args<'_>) -> Result<Value, Fault> {
    let (base, duration, format): (&str, &str, Option<&str>) = args.get()?;
    let start = instant(base)?;
    let length = Duration::parse(duration)
        .ok_or_else(|| Fault::failed(format!("`{duration}` is not an ISO 8601 duration, such as `P1DT2H`")))?;
    let sum = start.checked_add(length).ok_or_else(|| {
        Fault::failed(format!("`{base}` plus `{duration}` is outside the years 1 to 9999 that dates can have"))
    })?;
    let default = if base.contains(['T', 't']) { ISO } else { GENERAL };
    formatted(sum, format.unwrap_or(default))
}

/// `dateTimeFromEpoch(epochTime)`: the time so many seconds after the start of 1970.
fn date_time_from_epoch(args: Args<'_>) -> Result<Value, Fault> {
    let (seconds,): (i64,) = args.get()?;
    let instant = Instant::from_epoch(seconds)
        .ok_or_else(|| Fault::failed(format!("`{seconds}` is outside the years 1 to 9999 that dates can have")))?;
    formatted(instant, ISO)
}

/// `dateTimeToEpoch(dateTime)`: the seconds from the start of 1970 to a time.
fn date_time_to_epoch(args: Args<'_>) -> Result<Value, Fault> {
    let (text,): (&str,) = args.get()?;
    Ok(Value::from(instant(text)?.epoch()))
}

/// `utcNow([format])`: the time of the deployment, which is [`NOW`].
fn utc_now(args: Args<'_>) -> Result<Value, Fault> {
    let format = if args.is_empty() { None } else { args.at::<Option<&str>>(0)? };
    let now = Instant::from_epoch(NOW).ok_or_else(|| Fault::failed("the configured time is no date"))?;
    formatted(now, format.unwrap_or("yyyyMMddTHHmmssZ"))
}

fn instant(text: &str) -> Result<Instant, Fault> {
    Instant::parse(text)
        .ok_or_else(|| Fault::failed(format!("`{text}` is not a date that .NET reads, such as `2020-04-07T14:53:14Z`")))
}

fn formatted(instant: Instant, format: &str) -> Result<Value, Fault> {
    let text = instant.format(format);
    text.map(Value::from).ok_or_else(|| Fault::failed(format!("`{format}` is not a .NET date format")))
}
