//! Suggestions for misspelled names.

use std::cell::Cell;

use strsim::osa_distance;

/// Maximum number of characters of a name that are compared. The time is proportional to the product of both lengths,
/// and names are untrusted.
const MAX_COMPARED: usize = 64;

/// Returns the candidate most similar to `name`, ignoring case. `None` if more than about a third of its characters
/// differ. The candidates are a fixed table, so the time for each name is limited. For names from the input, use
/// [`Suggestions`].
pub fn nearest_name(name: &str, candidates: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    nearest_within(&Cell::new(usize::MAX), name, candidates)
}

/// Returns the end of a message about an unknown name: ``, did you mean `x`?``, or ``, did you mean `x` or `y`?`` if another
/// candidate is nearly as similar. Empty if no candidate is similar.
pub fn did_you_mean(name: &str, candidates: impl IntoIterator<Item = &'static str>) -> String {
    hint(&near(&Cell::new(usize::MAX), name, candidates))
}

/// Returns the end of a message that suggests the nearest names.
fn hint(near: &[(usize, &str)]) -> String {
    match near {
        [] => String::new(),
        // Where only the case differs, no other name is meant.
        [(least, nearest), (next, other), ..] if *least > 0 && *next < least + MAX_SLIPS => {
            format!(", did you mean `{nearest}` or `{other}`?")
        }
        [(_, nearest), ..] => format!(", did you mean `{nearest}`?"),
    }
}

/// Returns the only candidate of which `name` can be a misspelling: at most two characters differ, ignoring case, and
/// each other candidate differs in at least two more.
pub fn only_near(name: &str, candidates: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    const TOO_FAR: usize = 2 * MAX_SLIPS;
    let target = compared(name);
    let letters = Letters::of_name(&target);
    let mut near: Vec<(usize, &'static str)> = Vec::new();
    for candidate in candidates {
        let [own_length, length] = [name, candidate].map(|text| text.len().min(MAX_COMPARED));
        if own_length.abs_diff(length) >= TOO_FAR && candidate.is_ascii() && name.is_ascii() {
            continue;
        }
        let other = compared(candidate);
        if letters.least_distance(&Letters::of_name(&other)) < TOO_FAR {
            near.push((osa_distance(&target, &other), candidate));
        }
    }
    let &(least, nearest) = near.iter().min()?;
    let is_near = least <= MAX_SLIPS.min(tolerance(name));
    let is_far = |(distance, other): &(usize, &str)| *other == nearest || *distance >= least + MAX_SLIPS;
    (is_near && near.iter().all(is_far)).then_some(nearest)
}

/// Returns the maximum number of characters in which a name may differ from the one that is meant.
fn tolerance(name: &str) -> usize {
    (name.to_lowercase().chars().count() + 1) / 3
}

/// Returns the number of characters in which two names differ, ignoring case.
pub fn slips(name: &str, other: &str) -> usize {
    osa_distance(&compared(name), &compared(other))
}

/// Maximum number of changes of a misspelling: a wrong, missing, or further character, or two that are swapped.
const MAX_SLIPS: usize = 2;

/// Suggestions for one file, which may have thousands of unknown names with as many candidates. After a certain
/// amount of work, there are no more suggestions.
#[derive(Debug)]
pub struct Suggestions {
    left: Cell<usize>,
}

impl Default for Suggestions {
    fn default() -> Self {
        Self { left: Cell::new(MAX_EFFORT) }
    }
}

impl Suggestions {
    /// Returns the end of a message, like the function [`did_you_mean`].
    pub fn did_you_mean<'a>(&self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
        if self.left.get() == 0 {
            return String::new();
        }
        hint(&near(&self.left, name, candidates))
    }

    /// Returns the most similar candidate, like the function [`nearest_name`].
    pub fn nearest<'a>(&self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        if self.left.get() == 0 {
            return None;
        }
        nearest_within(&self.left, name, candidates)
    }
}

/// Maximum work for the suggestions of one file, in steps of the distance algorithm. It takes about a tenth of a
/// second.
const MAX_EFFORT: usize = 30_000_000;

/// Number of steps that each candidate counts, even if it is not compared.
const EFFORT_OF_CANDIDATE: usize = 32;

/// Returns the most similar candidate like [`nearest_name`], and subtracts the work from `left`. `None` if nothing is
/// left.
fn nearest_within<'a>(
    left: &Cell<usize>,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    near(left, name, candidates).first().map(|(_, nearest)| *nearest)
}

/// Returns the most similar candidate and the next one with their distances, and subtracts the work from `left`. Returns
/// nothing if nothing is left.
fn near<'a>(left: &Cell<usize>, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<(usize, &'a str)> {
    let tolerance = tolerance(name);
    let target = compared(name);
    let length = target.chars().count();
    let letters = Letters::of_name(&target);
    let mut nearest: Vec<(usize, &str)> = Vec::new();
    for candidate in candidates {
        let other = compared(candidate);
        let other_length = other.chars().count();
        let may_be_near = length.abs_diff(other_length) <= tolerance;
        let effort = EFFORT_OF_CANDIDATE + if may_be_near { length * other_length } else { 0 };
        left.set(left.get().saturating_sub(effort));
        if left.get() == 0 {
            return Vec::new();
        }
        if may_be_near && letters.least_distance(&Letters::of_name(&other)) <= tolerance {
            let scored = (osa_distance(&target, &other), candidate);
            if scored.0 <= tolerance && !nearest.contains(&scored) {
                nearest.push(scored);
                nearest.sort_unstable();
                nearest.truncate(2);
            }
        }
    }
    nearest
}

/// Number of kinds of letters that are told apart.
const KINDS: usize = 64;

/// How often each kind of letter is in a name.
struct Letters([u8; KINDS]);

impl Letters {
    /// Counts the letters of a name, which is not longer than [`compared`] makes it.
    fn of_name(name: &str) -> Self {
        let mut counts = [0; KINDS];
        for letter in name.chars() {
            if let Some(count) = counts.get_mut(letter as usize % KINDS) {
                *count += 1;
            }
        }
        Self(counts)
    }

    /// Returns a lower bound of the distance of two names: each change adds, removes, or replaces at most one letter.
    fn least_distance(&self, other: &Self) -> usize {
        let (mut removed, mut added) = (0, 0);
        for (own, other) in self.0.iter().zip(&other.0) {
            removed += usize::from(own.saturating_sub(*other));
            added += usize::from(other.saturating_sub(*own));
        }
        removed.max(added)
    }
}

/// Returns the compared part of a name, in lower case.
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
        assert_eq!(did_you_mean("Fn::Jion", ["Fn::Cidr", "Fn::Join"]), ", did you mean `Fn::Join`?");
        assert_eq!(nearest_name("", ["b", "a"]), None);
        assert_eq!(nearest_name("ab", ["cb", "abc"]), Some("abc"));
        assert_eq!(
            did_you_mean("subnet3", ["subnet2", "subnet1", "location"]),
            ", did you mean `subnet1` or `subnet2`?"
        );
    }

    #[test]
    fn the_letters_of_two_names_bound_their_distance() {
        let names =
            ["concat", "concta", "contains", "copyindex", "größe", "grosse", "", "a", "aaaa", "zone-1", "zone-2"];
        for (one, other) in names.iter().flat_map(|one| names.map(|other| (*one, other))) {
            let least = Letters::of_name(one).least_distance(&Letters::of_name(other));
            assert!(least <= osa_distance(one, other), "{one} {other}");
        }
        assert_eq!(Letters::of_name("abc").least_distance(&Letters::of_name("xyz")), 3);
    }

    #[test]
    fn a_slip_of_one_of_two_names_is_neither() {
        let check = |name: &str, candidates: &[&'static str], expected: Option<&str>| {
            assert_eq!(only_near(name, candidates.iter().copied()), expected, "{name}");
        };
        check("Hott", &["Cool", "Hot", "Premium"], Some("Hot"));
        check("private", &["Private", "PublicRead"], Some("Private"));
        check("propertise", &["properties", "location"], Some("properties"));
        check("ReadAccess", &["ReadAccesss", "ReadAccessA"], None);
        check("Standard_LSR", &["Standard_LRS", "Standard_GRS"], None);
        check("accessTiering", &["accessTier"], None);
        check("a", &["b"], None);
    }

    #[test]
    fn the_suggestions_for_a_file_end() {
        let names: Vec<String> = (0..5_000).map(|at| format!("parameter_number_{at}")).collect();
        let suggestions = Suggestions::default();
        let hint =
            |at: usize| suggestions.did_you_mean(&format!("parameter_numbr_{at}"), names.iter().map(|name| &**name));
        assert_eq!(hint(7), ", did you mean `parameter_number_7` or `parameter_number_0`?");
        let found = (0..1_000).filter(|&at| !hint(at).is_empty()).count();
        assert!((5..100).contains(&found), "{found}");
    }
}
