//! API versions that are old, although a newer one exists. How old is measured between versions, without a clock.

use crate::published::catalog::{DAY, Found, is_preview};
use crate::published::pack::Version;

/// How many years a version may be behind the newest one. This is the measure of `arm-ttk`.
const YEARS: u32 = 2;

/// What an author can do about an old version.
pub(super) struct Advice {
    pub(super) message: String,
    /// The newest version that the resource fits.
    pub(super) version: Option<&'static str>,
}

/// What is to be said of a version that is a preview of which a stable one exists by now, or that is much older than the
/// newest stable one. `fits` tells whether the resource could have another version.
pub(super) fn advice(found: Found, version: &str, fits: impl Fn(&'static Version) -> bool) -> Option<Advice> {
    let Found { block, kind } = found;
    let name_of = |version: &'static Version| block.text(version.name);
    let day_of = |version: &'static Version| name_of(version).get(..DAY).unwrap_or_default();
    let is_stable = |version: &&Version| !version.bodies.is_empty() && !is_preview(block.text(version.name));
    let newest = kind.versions.iter().rfind(is_stable)?;
    let start = earliest(day_of(newest))?;
    let day = version.get(..DAY)?;
    let what = if is_preview(version) && day <= day_of(newest) {
        format!("`{version}` is a preview, and a later stable API version exists")
    } else if day < start.as_str() {
        format!("`{version}` is more than {YEARS} years older than the newest API version")
    } else {
        return None;
    };
    let recent = kind.versions.iter().rev().filter(is_stable);
    let mut recent = recent.take_while(|candidate| day_of(candidate) >= start.as_str().max(day));
    let newest = name_of(newest);
    let fitting = recent.find(|candidate| fits(candidate)).map(name_of);
    let advice = match fitting {
        Some(fitting) if fitting == newest => format!("use `{fitting}`"),
        Some(fitting) => format!("use `{fitting}`; the newest one is `{newest}`, but the resource does not fit it"),
        None => format!("the newest one is `{newest}`, but the resource does not fit it"),
    };
    Some(Advice { message: format!("{what}; {advice}"), version: fitting })
}

/// The first day that is not too old beside `day`. Versions are compared as text, so the day need not exist.
fn earliest(day: &str) -> Option<String> {
    let (year, rest) = day.split_once('-')?;
    let year: u32 = year.parse().ok()?;
    Some(format!("{:04}-{rest}", year.checked_sub(YEARS)?))
}
