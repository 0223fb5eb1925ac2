//! Limits of a run: the block `limits` of `formwork.yaml`.

use crate::model::Limits;
use crate::value::{Member, Value};

/// The units of a size, each with the number of bytes that it stands for.
const UNITS: [(&str, u64); 3] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// A key of the block, and the limit that it sets.
pub(super) struct Limit {
    pub key: &'static str,
    /// Description of what is limited, as a phrase.
    pub summary: &'static str,
    /// True if the limit is a size in bytes, and not a count.
    is_size: bool,
    /// The largest value for which a run stays within the stack and memory of an ordinary machine.
    max: u64,
    get: fn(&Limits) -> u64,
    set: fn(&mut Limits, u64),
}

/// Limits, in the order of the documentation. Each maximum fits the type of its limit.
pub(super) const LIMITS: [Limit; 10] = [
    Limit {
        key: "file-size",
        summary: "the size of a file",
        is_size: true,
        max: Limits::MAX_FILE_BYTES,
        get: |limits| limits.file_bytes,
        set: |limits, value| limits.file_bytes = value,
    },
    Limit {
        key: "nesting",
        summary: "arrays and objects inside each other",
        is_size: false,
        max: 512,
        get: |limits| u64::from(limits.nesting),
        set: |limits, value| limits.nesting = u32::try_from(value).unwrap_or(u32::MAX),
    },
    Limit {
        key: "expression-size",
        summary: "the length of an expression",
        is_size: true,
        max: 1 << 20,
        get: |limits| limits.expression_bytes as u64,
        set: |limits, value| limits.expression_bytes = usize::try_from(value).unwrap_or(usize::MAX),
    },
    Limit {
        key: "call-depth",
        summary: "evaluations inside each other: calls, variables, arrays, nested templates",
        is_size: false,
        max: Limits::MAX_CALL_DEPTH as u64,
        get: |limits| u64::from(limits.call_depth),
        set: |limits, value| limits.call_depth = u32::try_from(value).unwrap_or(u32::MAX),
    },
    Limit {
        key: "steps",
        summary: "the evaluation steps of a deployment; all deployments of a run together may take a third more",
        is_size: false,
        max: 1_000_000_000,
        get: |limits| limits.steps,
        set: |limits, value| limits.steps = value,
    },
    Limit {
        key: "memory",
        summary: "the arrays and objects that an evaluation holds",
        is_size: true,
        max: 64 << 30,
        get: |limits| limits.memory_bytes as u64,
        set: |limits, value| limits.memory_bytes = usize::try_from(value).unwrap_or(usize::MAX),
    },
    Limit {
        key: "string-size",
        summary: "the length of a computed string",
        is_size: true,
        max: 64 << 20,
        get: |limits| limits.text_bytes as u64,
        set: |limits, value| limits.text_bytes = usize::try_from(value).unwrap_or(usize::MAX),
    },
    Limit {
        key: "values",
        summary: "the values in one computed array or object",
        is_size: false,
        max: 10_000_000,
        get: |limits| u64::from(limits.value_weight),
        set: |limits, value| limits.value_weight = u32::try_from(value).unwrap_or(u32::MAX),
    },
    Limit {
        key: "copies",
        summary: "the iterations of a `copy` loop",
        is_size: false,
        max: 100_000,
        get: |limits| limits.copies.unsigned_abs(),
        set: |limits, value| limits.copies = i64::try_from(value).unwrap_or(i64::MAX),
    },
    Limit {
        key: "resources",
        summary: "the resources that loops and repeated modules add",
        is_size: false,
        max: 1_000_000,
        get: |limits| limits.resources as u64,
        set: |limits, value| limits.resources = usize::try_from(value).unwrap_or(usize::MAX),
    },
];

/// Returns the keys of the block.
pub(super) fn keys() -> impl Iterator<Item = &'static str> + Clone {
    LIMITS.iter().map(|limit| limit.key)
}

/// Returns each key, what it limits, and the JSON schema of its value.
pub(super) fn json_schemas() -> impl Iterator<Item = (&'static str, &'static str, serde_json::Value)> {
    LIMITS.iter().map(|limit| {
        let number = serde_json::json!({"type": "integer", "minimum": 1, "maximum": limit.max});
        let size = serde_json::json!({"type": "string", "pattern": r"^[0-9]+ *(KiB|MiB|GiB)?$"});
        let mut schema = if limit.is_size { serde_json::json!({"anyOf": [number, size]}) } else { number };
        if let Some(members) = schema.as_object_mut() {
            members.insert("default".to_owned(), limit.default().into());
        }
        (limit.key, limit.summary, schema)
    })
}

impl Limit {
    fn default(&self) -> u64 {
        (self.get)(&Limits::default())
    }

    /// Returns the row of a table: the key, the default, the maximum, and what it limits.
    #[cfg(test)]
    pub(super) fn row(&self) -> [String; 4] {
        let written = |value: u64| if self.is_size { shown(value) } else { value.to_string() };
        let [default, max] = [self.default(), self.max].map(written);
        [format!("`{}`", self.key), default, max, self.summary.to_owned()]
    }
}

/// Takes over one member of the block. The error is a message about its value. Members with other keys change nothing.
pub(super) fn apply(member: &Member, limits: &mut Limits) -> Result<(), String> {
    let Some(limit) = LIMITS.iter().find(|limit| limit.key == &*member.key) else { return Ok(()) };
    let value = match member.value.as_str() {
        Some(text) if limit.is_size => bytes(text),
        _ => member.value.as_int().and_then(|value| u64::try_from(value).ok()),
    };
    match value.filter(|value| (1..=limit.max).contains(value)) {
        Some(value) => {
            (limit.set)(limits, value);
            Ok(())
        }
        None => Err(refused(limit, &member.value)),
    }
}

/// Parses a size such as `16MiB` or `16777216` into bytes.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) =
        UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?.trim_end(), *unit))).unwrap_or((text, 1));
    number.parse::<u64>().ok()?.checked_mul(unit)
}

fn refused(limit: &Limit, value: &Value) -> String {
    let found = value.to_json_up_to(40);
    if limit.is_size {
        let max = shown(limit.max);
        format!("`{}` is `{found}`; expected a number of bytes or a size such as `512KiB`, at most `{max}`", limit.key)
    } else {
        format!("`{}` is `{found}`; expected a number from 1 to {}", limit.key, limit.max)
    }
}

/// Returns a number of bytes in the largest unit that gives a whole number.
fn shown(bytes: u64) -> String {
    let mut units = UNITS.iter().rev();
    let unit = units.find(|(_, unit)| bytes.is_multiple_of(*unit));
    unit.map_or_else(|| bytes.to_string(), |(name, unit)| format!("{}{name}", bytes / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(key: &str, value: Value, expected: Result<Limits, &str>) {
        let mut limits = Limits::default();
        let result = apply(&Member::new(key, value), &mut limits);
        assert_eq!(result.map(|()| limits), expected.map_err(str::to_owned), "{key}");
    }

    #[test]
    fn sizes_have_units() {
        let sized = |file_bytes| Ok(Limits { file_bytes, ..Limits::default() });
        check("file-size", Value::from("16MiB"), sized(16 << 20));
        check("file-size", Value::from("16 KiB"), sized(16 << 10));
        check("file-size", Value::from("512"), sized(512));
        check("file-size", Value::from(512), sized(512));
        for wrong in ["2GiB", "16MB", "", "MiB", "-1", "99999999999999999999GiB"] {
            let message = format!(
                "`file-size` is `\"{wrong}\"`; expected a number of bytes or a size such as `512KiB`, at most `1GiB`"
            );
            check("file-size", Value::from(wrong), Err(&message));
        }
    }

    #[test]
    fn counts_are_whole_numbers_within_bounds() {
        check("copies", Value::from(2000), Ok(Limits { copies: 2000, ..Limits::default() }));
        check("nesting", Value::from(0), Err("`nesting` is `0`; expected a number from 1 to 512"));
        check("nesting", Value::from(513), Err("`nesting` is `513`; expected a number from 1 to 512"));
        check("steps", Value::from("many"), Err("`steps` is `\"many\"`; expected a number from 1 to 1000000000"));
        check("values", Value::from(true), Err("`values` is `true`; expected a number from 1 to 10000000"));
    }

    #[test]
    fn every_limit_can_be_set_and_its_default_is_allowed() {
        let one = LIMITS.iter().fold(Limits::default(), |mut limits, limit| {
            apply(&Member::new(limit.key, Value::from(1)), &mut limits).unwrap();
            limits
        });
        let Limits {
            file_bytes,
            nesting,
            expression_bytes,
            call_depth,
            steps,
            memory_bytes,
            text_bytes,
            value_weight,
            copies,
            resources,
        } = one;
        assert_eq!((file_bytes, nesting, expression_bytes, call_depth, steps), (1, 1, 1, 1, 1));
        assert_eq!((memory_bytes, text_bytes, value_weight, copies, resources), (1, 1, 1, 1, 1));
        let default = Limits::default();
        assert!(default.file_bytes <= Limits::MAX_FILE_BYTES && default.nesting <= 512);
        assert!(default.call_depth <= Limits::MAX_CALL_DEPTH);
    }
}
