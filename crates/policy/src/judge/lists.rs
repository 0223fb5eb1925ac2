//! The long lists of the operator `in`, whose strings are indexed once.

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::{HashMap, HashSet};
use formwork_arm::Fault;

use crate::judge::conditions::normal;
use crate::value::Value;

/// Lists with fewer items are compared item by item.
const LONG: usize = 16;

/// Maximum number of cached lists. An expression can compute a new one for each resource.
const MAX_LISTS: usize = 256;

/// The lists that were indexed, by their addresses, and by whether they are compared as locations.
#[derive(Debug, Default)]
pub(super) struct Lists(RefCell<HashMap<(usize, bool), List>>);

#[derive(Debug)]
struct List {
    /// The list itself. Keeps its address in use.
    _value: Value,
    /// The strings in lower case. `None` if it has anything but strings of ASCII.
    strings: Option<Rc<HashSet<String>>>,
}

impl Lists {
    /// Checks if a string is in a list, case-insensitively. Returns `None` if the list is short, or has items that only
    /// a comparison can decide about. `spend` counts the steps for indexing the list.
    pub(super) fn contain(
        &self,
        list: &Value,
        is_location: bool,
        text: &str,
        spend: impl Fn(usize) -> Result<(), Fault>,
    ) -> Option<Result<bool, Fault>> {
        let items = list.as_array().filter(|items| items.len() > LONG && text.is_ascii())?;
        let key = (items.as_ptr().addr(), is_location);
        let known = self.0.borrow().get(&key).map(|known| known.strings.clone());
        let strings = match known {
            Some(strings) => strings?,
            None if self.0.borrow().len() >= MAX_LISTS => return None,
            None => {
                if let Err(fault) = spend(items.len()) {
                    return Some(Err(fault));
                }
                let strings = indexed(items, is_location).map(Rc::new);
                self.0.borrow_mut().insert(key, List { _value: list.clone(), strings: strings.clone() });
                strings?
            }
        };
        Some(spend(1).map(|()| strings.contains(&text.to_ascii_lowercase())))
    }
}

/// Returns the strings of a list in lower case, if it has nothing but strings of ASCII.
fn indexed(items: &[Value], is_location: bool) -> Option<HashSet<String>> {
    let string = |item: &Value| {
        let item = if is_location { normal(item) } else { item.clone() };
        item.as_str().filter(|text| text.is_ascii()).map(str::to_ascii_lowercase)
    };
    items.iter().map(string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_indexed_once() {
        let steps = std::cell::Cell::new(0);
        let spend = |count| {
            steps.set(steps.get() + count);
            Ok(())
        };
        let lists = Lists::default();
        let list = Value::array((0..100).map(|at| Value::from(format!("Region {at}"))).collect());
        let is_in = |text, is_location| lists.contain(&list, is_location, text, spend).and_then(Result::ok);
        assert_eq!([is_in("REGION 7", false), is_in("region7", false)], [Some(true), Some(false)]);
        assert_eq!(is_in("region7", true), Some(true));
        assert_eq!(steps.get(), 2 * 100 + 3);
        assert_eq!(is_in("é", false), None);
    }

    #[test]
    fn what_only_a_comparison_can_decide_is_not_indexed() {
        let contain = |list: Value| Lists::default().contain(&list, false, "a", |_| Ok(())).is_some();
        let list = |count: usize, other: Value| {
            Value::array(std::iter::repeat_n(Value::from("a"), count).chain([other]).collect())
        };
        assert!(contain(list(20, Value::from("b"))));
        assert!(
            !contain(list(20, Value::from(1)))
                && !contain(list(20, Value::from("ß")))
                && !contain(list(2, Value::from("b")))
        );
    }
}
