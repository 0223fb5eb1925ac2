//! Suggestions for misspelled names.

use strsim::levenshtein;

/// How many characters of a name are compared. The distance takes time in proportion to the product of both lengths, and
/// names come from strangers.
const MAX_COMPARED: usize = 64;

/// The candidate closest to `name`, ignoring case. `None` if more than about a third of its characters differ.
pub(crate) fn nearest_name<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let tolerance = (name.to_lowercase().chars().count() + 1) / 3;
    let target = compared(name);
    let scored = candidates.into_iter().map(|candidate| (levenshtein(&target, &compared(candidate)), candidate));
    scored.min().filter(|&(distance, _)| distance <= tolerance).map(|(_, candidate)| candidate)
}

/// The end of a message about an unknown name: ``, did you mean `x`?``. Empty if no candidate is close to it.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest_name(name, candidates).map_or_else(String::new, |nearest| format!(", did you mean `{nearest}`?"))
}

/// The part of a name that is compared, in lower case.
fn compared(name: &str) -> String {
    name.to_lowercase().chars().take(MAX_COMPARED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognized_and_a_different_word_is_not() {
        let names = ["concat", "contains", "copyIndex"];
        assert_eq!(nearest_name("concta", names), Some("concat"));
        assert_eq!(nearest_name("COPYINDX", names), Some("copyIndex"));
        assert_eq!(nearest_name("resourceGroup", names), None);
        assert_eq!(did_you_mean("concta", names), ", did you mean `concat`?");
        assert_eq!(did_you_mean("resourceGroup", names), "");
    }
}
