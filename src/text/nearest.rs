//! Names that are nearly right.

/// The candidate that is most like `name`, ignoring case, if one is like enough to be what was meant.
pub(crate) fn nearest_name<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let tolerance = (lower.chars().count() + 1) / 3;
    let scored = candidates.into_iter().map(|it| (edit_distance(&lower, &it.to_lowercase()), it));
    scored.min().filter(|&(distance, _)| distance <= tolerance).map(|(_, it)| it)
}

/// The end of a message about a name that is nothing: ``, did you mean `x`?``, or nothing.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest_name(name, candidates).map_or_else(String::new, |it| format!(", did you mean `{it}`?"))
}

/// Levenshtein's distance, in characters. Only the first 64 of each count: names are short, and attackers are not.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_different_word_is_not() {
        let names = ["concat", "contains", "copyIndex"];
        assert_eq!(nearest_name("concta", names), Some("concat"));
        assert_eq!(nearest_name("COPYINDX", names), Some("copyIndex"));
        assert_eq!(nearest_name("resourceGroup", names), None);
        assert_eq!(did_you_mean("concta", names), ", did you mean `concat`?");
        assert_eq!(did_you_mean("resourceGroup", names), "");
    }
}
