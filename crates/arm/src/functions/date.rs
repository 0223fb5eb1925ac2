//! Date functions.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-date>.

use crate::dotnet::date::{Duration, Instant};
use crate::fault::Fault;
use crate::functions::{Args, Function, between, exactly, pure};
use crate::value::{Kind, Traits, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("dateTimeAdd", between(2, 3), Kind::String, date_time_add),
    pure("dateTimeFromEpoch", exactly(1), Kind::String, date_time_from_epoch),
    pure("dateTimeToEpoch", exactly(1), Kind::Int, date_time_to_epoch),
    pure("utcNow", between(0, 1), Kind::String, utc_now),
];

/// The time that `utcNow()` returns, 2025-01-01T00:00:00Z, in seconds since 1970. It is fixed so that runs are
/// reproducible.
pub(super) const NOW: i64 = 1_735_689_600;

/// The format of results, unless the base or the caller suggests another.
const ISO: &str = "yyyy-MM-ddTHH:mm:ssZ";

/// The format of a sum whose base is not in ISO 8601 form, recognized by its `T`.
const GENERAL: &str = "M/d/yyyy h:mm:ss tt";

/// `dateTimeAdd(base, duration, [format])`: the base plus a duration, in UTC. Without a format, the result is in ISO 8601
/// form if the base is, and in .NET's general form otherwise.
fn date_time_add(args: Args<'_>) -> Result<Value, Fault> {
    let (base, duration, format): (&str, &str, Option<&str>) = args.get()?;
    let start = instant(base)?;
    let length = Duration::parse(duration)
        .ok_or_else(|| Fault::failed(format!("`{duration}` is not an ISO 8601 duration, such as `P1DT2H`")))?;
    let sum = start
        .checked_add(length)
        .ok_or_else(|| Fault::failed(format!("`{base}` plus `{duration}` is outside the years 1 to 9999")))?;
    let default = if base.contains(['T', 't']) { ISO } else { GENERAL };
    formatted(sum, format.unwrap_or(default))
}

/// `dateTimeFromEpoch(epochTime)`: the time that is `epochTime` seconds after the start of 1970.
fn date_time_from_epoch(args: Args<'_>) -> Result<Value, Fault> {
    let (seconds,): (i64,) = args.get()?;
    let instant = Instant::from_epoch(seconds)
        .ok_or_else(|| Fault::failed(format!("`{seconds}` is outside the years 1 to 9999")))?;
    formatted(instant, ISO)
}

/// `dateTimeToEpoch(dateTime)`: the seconds from the start of 1970 to the given time.
fn date_time_to_epoch(args: Args<'_>) -> Result<Value, Fault> {
    let (text,): (&str,) = args.get()?;
    Ok(Value::from(instant(text)?.epoch()))
}

/// `utcNow([format])`: the time of the deployment, taken to be [`NOW`].
fn utc_now(args: Args<'_>) -> Result<Value, Fault> {
    let format: Option<&str> = args.at(0)?;
    let now =
        Instant::from_epoch(NOW).ok_or_else(|| Fault::failed("the fixed time of `utcNow` is not a valid date"))?;
    let now = formatted(now, format.unwrap_or("yyyyMMddTHHmmssZ"))?;
    Ok(now.with_traits(Traits::PLACEHOLDER))
}

fn instant(text: &str) -> Result<Instant, Fault> {
    Instant::parse(text)
        .ok_or_else(|| Fault::failed(format!("`{text}` is not a valid date, such as `2020-04-07T14:53:14Z`")))
}

fn formatted(instant: Instant, format: &str) -> Result<Value, Fault> {
    let text = instant.format(format);
    text.map(Value::from).ok_or_else(|| Fault::failed(format!("`{format}` is not a valid .NET date format")))
}
