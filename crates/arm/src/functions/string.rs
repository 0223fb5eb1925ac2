//! Functions that build strings from other strings.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-string>.

use regex::RegexBuilder;

use crate::dotnet::case;
use crate::fault::Fault;
use crate::functions::bounded::BoundedText;
use crate::functions::json_text::write_plain;
use crate::functions::{Args, Function, at_least, between, ends, exactly, pure};
use crate::value::{Data, Kind, Value};

/// The size limit of the regular expression that finds several delimiters at once, in bytes.
const DELIMITERS_BYTES: usize = 8 << 20;

pub(super) const FUNCTIONS: &[Function] = &[
    pure("concat", at_least(1), Kind::Any, concat).with_ends(ends::of_concat),
    pure("join", exactly(2), Kind::String, join),
    pure("padLeft", between(2, 3), Kind::String, pad_left),
    pure("replace", exactly(3), Kind::String, replace),
    pure("split", exactly(2), Kind::Array, split),
    pure("string", exactly(1), Kind::String, string),
    pure("substring", between(2, 3), Kind::String, substring).with_ends(ends::of_substring),
    pure("toLower", exactly(1), Kind::String, to_lower).with_ends(ends::of_lower),
    pure("toUpper", exactly(1), Kind::String, to_upper).with_ends(ends::of_upper),
    pure("trim", exactly(1), Kind::String, trim),
];

/// `concat(arg1, …)`: concatenates arrays, or strings and values that can be converted to strings.
fn concat(args: Args<'_>) -> Result<Value, Fault> {
    let values = args.values();
    if values.iter().all(|value| matches!(value.data, Data::Array(_))) {
        return concat_arrays(args);
    }
    let is_text =
        |value: &Value| matches!(value.data, Data::String(_) | Data::Int(_) | Data::BigInt(_) | Data::Float(_));
    // Nulls and Booleans alone are not concatenated.
    if !values.iter().any(is_text) {
        return Err(args.mismatch(0, "a string or an array"));
    }
    let mut out = BoundedText::for_call(args);
    for (index, value) in values.iter().enumerate() {
        if matches!(value.data, Data::Array(_) | Data::Object(_)) {
            return Err(args.mismatch(index, "a string like the others"));
        }
        write_plain(value, '"', &mut out)?;
    }
    Ok(out.into_value())
}

fn concat_arrays(args: Args<'_>) -> Result<Value, Fault> {
    // Sizes are known without copying, so an oversized result is refused before it takes memory.
    let limit = args.limits().value_weight;
    let weights = args.values().iter().map(|array| array.size().weight);
    if weights.fold(0, u32::saturating_add) > limit {
        let message = format!("the result of `{}` has more than {limit} values", args.function());
        return Err(Fault::limit(message));
    }
    let arrays = args.values().iter().filter_map(Value::as_array);
    Ok(Value::array(arrays.flatten().cloned().collect()))
}

/// `join(inputArray, delimiter)`: the items as strings, with the delimiter between them.
fn join(args: Args<'_>) -> Result<Value, Fault> {
    args.known_throughout(Kind::String, |args| {
        let (items, delimiter): (&[Value], &str) = args.get()?;
        let mut out = BoundedText::for_call(args);
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                out.push_str(delimiter)?;
            }
            write_plain(item, '"', &mut out)?;
        }
        Ok(out.into_value())
    })
}

/// `padLeft(valueToPad, totalLength, [paddingCharacter])`: lengths are in UTF-16 code units; pads with spaces by default.
fn pad_left(args: Args<'_>) -> Result<Value, Fault> {
    let (value, length, character): (&Value, i64, Option<&str>) = args.get()?;
    if !matches!(value.data, Data::String(_) | Data::Int(_)) {
        return Err(args.mismatch(0, "a string or an integer"));
    }
    let Ok(length) = usize::try_from(length) else {
        return Err(Fault::failed(format!("`padLeft` cannot pad to a length of {length}; expected 0 or more")));
    };
    let padding = character.unwrap_or(" ");
    let mut characters = padding.chars();
    let (Some(character), None) = (characters.next().filter(|first| first.len_utf16() == 1), characters.next()) else {
        return Err(args.invalid(2, "a single character", padding));
    };
    let mut text = BoundedText::for_call(args);
    write_plain(value, '"', &mut text)?;
    let text = text.into_string();
    let mut out = BoundedText::for_call(args);
    out.push_repeated(character, length.saturating_sub(utf16_len(&text)))?;
    out.push_str(&text)?;
    Ok(out.into_value())
}

/// `replace(originalString, oldString, newString)`: replaces every occurrence, case-sensitively.
fn replace(args: Args<'_>) -> Result<Value, Fault> {
    let (text, old, new): (&str, &str, &str) = args.get()?;
    if old.is_empty() {
        return Err(Fault::failed("`replace` cannot search for an empty string"));
    }
    let mut out = BoundedText::for_call(args);
    // Built piece by piece, since the result can be much longer than all three arguments.
    for (at, piece) in text.split(old).enumerate() {
        if at > 0 {
            out.push_str(new)?;
        }
        out.push_str(piece)?;
    }
    Ok(out.into_value())
}

/// `split(inputString, delimiter)`: the delimiter may be an array; at each position the first of them that matches is
/// used, and empty ones are ignored. An empty array splits at white space, as `String.Split` does.
fn split(args: Args<'_>) -> Result<Value, Fault> {
    args.known_throughout(Kind::Array, |args| {
        let text: &str = args.at(0)?;
        let delimiters = delimiters(args)?;
        let non_empty: Vec<&str> = delimiters.iter().copied().filter(|delimiter| !delimiter.is_empty()).collect();
        match non_empty.as_slice() {
            [] if delimiters.is_empty() => pieces(args, text.split(char::is_whitespace)),
            [] => pieces(args, std::iter::once(text)),
            [delimiter] => pieces(args, text.split(*delimiter)),
            _ => {
                // The first alternative that matches is taken, as is the first delimiter in .NET.
                let escaped: Vec<String> = non_empty.iter().map(|delimiter| regex::escape(delimiter)).collect();
                let any = RegexBuilder::new(&escaped.join("|")).size_limit(DELIMITERS_BYTES).build();
                let any = any.map_err(|_| Fault::limit("the delimiters of `split` are too long in total"))?;
                pieces(args, any.split(text))
            }
        }
    })
}

fn delimiters(args: Args<'_>) -> Result<Vec<&str>, Fault> {
    let given: &Value = args.at(1)?;
    let delimiters = match &given.data {
        Data::Array(items) => items.iter().map(Value::as_str).collect(),
        _ => given.as_str().map(|delimiter| vec![delimiter]),
    };
    delimiters.ok_or_else(|| args.mismatch(1, "a string or an array of strings"))
}

/// Returns the parts of a string as an array, unless there are more than the limit on values.
fn pieces<'a>(args: Args<'_>, parts: impl Iterator<Item = &'a str>) -> Result<Value, Fault> {
    let limit = usize::try_from(args.limits().value_weight).unwrap_or(usize::MAX);
    let mut items = Vec::new();
    for part in parts {
        if items.len() >= limit {
            let message = format!("the result of `split` has more than {limit} values");
            return Err(Fault::limit(message));
        }
        items.push(Value::from(part));
    }
    Ok(Value::array(items))
}

/// `string(valueToConvert)`: arrays, objects and `null` become JSON.
fn string(args: Args<'_>) -> Result<Value, Fault> {
    args.known_throughout(Kind::String, |args| {
        let value: &Value = args.at(0)?;
        match &value.data {
            Data::String(text) => Ok(Value::from(text.clone())),
            Data::Null => Ok(Value::from("null")),
            _ => {
                let mut out = BoundedText::for_call(args);
                write_plain(value, '"', &mut out)?;
                Ok(out.into_value())
            }
        }
    })
}

/// `substring(stringToParse, startIndex, [length])`: positions are in UTF-16 code units.
fn substring(args: Args<'_>) -> Result<Value, Fault> {
    let (text, start, length): (&str, i64, Option<i64>) = args.get()?;
    let whole = utf16_len(text);
    let outside = || {
        let length = length.map_or(String::new(), |length| format!(" with a length of {length}"));
        Fault::failed(format!("`substring` from {start}{length} is outside a string of length {whole}"))
    };
    let from = usize::try_from(start).ok().filter(|&from| from <= whole).ok_or_else(outside)?;
    let len = match length {
        Some(len) => usize::try_from(len).ok().filter(|&len| len <= whole - from).ok_or_else(outside)?,
        None => whole - from,
    };
    Ok(Value::from(utf16_slice(text, from, len)))
}

/// `toLower(stringToChange)`: the string in lower case, as in the invariant culture.
fn to_lower(args: Args<'_>) -> Result<Value, Fault> {
    let text: &str = args.at(0)?;
    Ok(Value::from(text.chars().map(case::lower).collect::<String>()))
}

/// `toUpper(stringToChange)`: the string in upper case, as in the invariant culture.
fn to_upper(args: Args<'_>) -> Result<Value, Fault> {
    let text: &str = args.at(0)?;
    Ok(Value::from(text.chars().map(case::upper).collect::<String>()))
}

/// `trim(stringToTrim)`: removes white space from both ends.
fn trim(args: Args<'_>) -> Result<Value, Fault> {
    let text: &str = args.at(0)?;
    Ok(Value::from(text.trim()))
}

/// Returns the length of a string in UTF-16 code units.
fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// Returns a part of a string, in UTF-16 code units. Half a surrogate pair becomes the replacement character.
fn utf16_slice(text: &str, from: usize, len: usize) -> String {
    if text.is_ascii()
        && let Some(part) = text.get(from..from + len)
    {
        return part.to_owned();
    }
    let units: Vec<u16> = text.encode_utf16().skip(from).take(len).collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::testing::{array, call, fails, unknown};
    use crate::model::Limits;
    use crate::value::{Member, Unknown};

    #[test]
    fn results_that_are_too_long_are_refused_before_they_are_built() {
        let long = Value::from("x".repeat(1 << 20));
        let limit = "is longer than 4194304 bytes";
        for (name, values) in [
            ("concat", vec![long.clone(); 5]),
            ("join", vec![Value::array(vec![long.clone(); 5]), ",".into()]),
            ("padLeft", vec![long.clone(), i64::MAX.into()]),
            ("replace", vec![long.clone(), "x".into(), "xxxxx".into()]),
        ] {
            assert!(fails(name, &values).ends_with(limit), "{name}");
        }
        assert!(fails("split", &[long, "x".into()]).ends_with("more than 500000 values"));
    }

    #[test]
    fn an_unknown_inside_an_argument_makes_the_result_unknown() {
        let inner = Value::unknown(Unknown::like(Kind::String, "why", Value::from("?")));
        let object = Value::object(vec![Member::new("a", inner)]);
        let result = string(Args::new("string", &[object], &Limits::default())).ok();
        let found = result.as_ref().and_then(Value::as_unknown).expect("it is unknown");
        assert_eq!((found.kind, &*found.why), (Kind::String, "why"));
        assert_eq!(found.approximation.as_str(), Some(r#"{"a":"?"}"#));
        assert_eq!(call("join", &[array([unknown()]), ",".into()]), "unknown string");
        assert_eq!(call("split", &["a".into(), array([unknown()])]), "unknown array");
    }

    #[test]
    fn arrays_keep_unknowns_as_they_are() {
        let joined = concat(Args::new("concat", &[array([unknown()]), array(["b"])], &Limits::default())).ok();
        let items = joined.as_ref().and_then(Value::as_array).expect("it is an array");
        assert!(items[0].as_unknown().is_some() && items[1].as_str() == Some("b"));
    }

    #[test]
    fn arrays_are_joined_up_to_the_limit_of_the_run() {
        let limits = Limits { value_weight: 8, ..Limits::default() };
        let of = |count: usize| concat(Args::new("concat", &[array(vec![1; count]), array([1, 2])], &limits));
        assert!(of(4).is_ok());
        assert_eq!(of(5).unwrap_err().to_string(), "the result of `concat` has more than 8 values");
    }

    #[test]
    fn offsets_count_utf16_code_units() {
        assert_eq!(call("substring", &["a\u{1f600}b".into(), 3.into()]), "\"b\"");
        assert_eq!(call("substring", &["a\u{1f600}b".into(), 2.into()]), "\"\u{fffd}b\"");
        assert_eq!(call("padLeft", &["\u{1f600}".into(), 3.into(), "-".into()]), "\"-\u{1f600}\"");
    }

    #[test]
    fn many_delimiters_are_searched_at_once() {
        assert_eq!(call("split", &["a.b|c".into(), array(["|", "", "."])]), r#"["a","b","c"]"#);
    }
}
