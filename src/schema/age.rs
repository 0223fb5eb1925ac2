//! API versions that are old, although a newer one exists. How old is measured between versions, without a clock.

use crate::diagnostic::Check;
use crate::model::Issue;
use crate::schema::azure::Subject;
use crate::schema::catalog::{DAY, Found, is_preview};
use crate::schema::misfit::Step;
use crate::schema::pack::Version;

/// How many years a version may be behind the newest one. This is the measure of `arm-ttk`.
const YEARS: u32 = 2;

/// A version that is a preview of which a stable one exists by now, or that is much older than the newest stable one.
pub(super) fn check(subject: &Subject<'_>, found: Found, version: &str) -> Option<Issue> {
    let Found { block, kind } = found;
    let name_of = |version: &Version| block.text(version.name);
    let day_of = |version: &Version| name_of(version).get(..DAY).unwrap_or_default();
    let is_stable = |version: &&Version| !version.bodies.is_empty() && !is_preview(block.text(version.name));
    let newest = kind.versions.iter().filter(is_stable).next_back()?;
    let start = earliest(day_of(newest))?;
    let day = version.get(..DAY)?;
    let what = if is_preview(version) && day <= day_of(newest) {
        format!("`{version}` is a preview, and a later stable API version exists")
    } else if day < start.as_str() {
        format!("`{version}` is more than {YEARS} years older than the newest API version")
    } else {
        return None;
    };
    let own_name = subject.own_name();
    let faults = found.version(version).map(|version| subject.misfits(found, version, own_name.as_ref()));
    let faults = faults.unwrap_or_default();
    let fits = |candidate: &&'static Version| {
        let misfits = subject.misfits(found, candidate, own_name.as_ref());
        let is_known = |check: Check, steps: &[Step<'_>]| {
            faults.iter().any(|fault| fault.kind.check() == check && fault.steps == steps)
        };
        misfits.iter().all(|misfit| is_known(misfit.kind.check(), &misfit.steps))
            && subject.wrong_scope(found, candidate).is_none()
    };
    let recent = kind.versions.iter().rev().filter(is_stable);
    let mut recent = recent.take_while(|candidate| day_of(candidate) >= start.as_str().max(day));
    let newest = name_of(newest);
    let advice = match recent.find(fits).map(name_of) {
        Some(fitting) if fitting == newest => format!("use `{fitting}`"),
        Some(fitting) => format!("use `{fitting}`; the newest one is `{newest}`, but the resource does not fit it"),
        None => format!("the newest one is `{newest}`, but the resource does not fit it"),
    };
    let message = format!("{what}; {advice}");
    let mut issue = subject.issue(Check::SchemaOldApiVersion, &[Step::Member("apiVersion")], message);
    issue.is_pedantic = true;
    Some(issue)
}

/// The first day that is not too old beside `day`. Versions are compared as text, so the day need not exist.
fn earliest(day: &str) -> Option<String> {
    let (year, rest) = day.split_once('-')?;
    let year: u32 = year.parse().ok()?;
    Some(format!("{:04}-{rest}", year.checked_sub(YEARS)?))
}
