//! Old API versions for which a newer one exists. Age is measured between versions, without a clock.

use crate::published::catalog::{DAY, DescribedType, is_preview};
use crate::published::pack::Version;

/// Years that a version may be older than the newest one, as in `arm-ttk`.
const YEARS: u32 = 2;

/// Advice about an old version.
pub(super) struct Advice {
    pub(super) message: String,
    /// Newest version that the resource fits.
    pub(super) version: Option<&'static str>,
}

/// Returns advice if `version` is a preview that a stable version has replaced, or is much older than the newest stable
/// version. `fits` returns `true` if the resource could use another version.
pub(super) fn advice(found: DescribedType, version: &str, fits: impl Fn(&'static Version) -> bool) -> Option<Advice> {
    let DescribedType { block, kind } = found;
    let described = kind.versions.iter().rev().filter(|version| !version.bodies.is_empty());
    let stable = described.map(|version| (version, block.text(version.name))).filter(|(_, name)| !is_preview(name));
    let (_, newest) = stable.clone().next()?;
    let start = earliest(day_of(newest))?;
    let day = version.get(..DAY)?;
    let what = if is_preview(version) && day <= day_of(newest) {
        format!("`{version}` is a preview, and a later stable API version exists")
    } else if day < start.as_str() {
        format!("`{version}` is more than {YEARS} years older than the newest API version")
    } else {
        return None;
    };
    let fitting = stable
        .take_while(|(_, name)| day_of(name) >= start.as_str().max(day))
        .find(|(candidate, _)| fits(candidate))
        .map(|(_, name)| name);
    let advice = match fitting {
        Some(fitting) if fitting == newest => format!("use `{fitting}`"),
        Some(fitting) => format!("use `{fitting}`; the newest one is `{newest}`, but the resource does not fit it"),
        None => format!("the newest one is `{newest}`, but the resource does not fit it"),
    };
    Some(Advice { message: format!("{what}; {advice}"), version: fitting })
}

/// Returns the date that a version begins with.
fn day_of(version: &str) -> &str {
    version.get(..DAY).unwrap_or_default()
}

/// Returns the earliest date that is not too old when `day` is the newest. Versions are compared as strings, so the
/// date need not exist.
fn earliest(day: &str) -> Option<String> {
    let (year, rest) = day.split_once('-')?;
    let year: u32 = year.parse().ok()?;
    Some(format!("{:04}-{rest}", year.checked_sub(YEARS)?))
}
