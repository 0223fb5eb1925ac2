//! Constants of a rule file: values that its evaluations name instead of repeating them.

use foldhash::HashMap;

use crate::json::parse::MAX_DEPTH;
use crate::json::parse::problems::{Checked, Problems, Reported, describe_found};
use crate::value::{Data, Member, Object, Value};

/// Only member of an object that stands for a constant.
const REFERENCE: &str = "constant";

/// Values that constants may add to the rules of a file. A few bytes could otherwise name a long list many times.
const MAX_VALUES: usize = 100_000;

/// Constants of a file, and the remaining limit.
#[derive(Debug)]
pub(super) struct Constants<'a> {
    all: Vec<Constant<'a>>,
    /// Last constant with each name, as an index of `all`.
    by_name: HashMap<&'a str, usize>,
    room: usize,
}

#[derive(Debug)]
struct Constant<'a> {
    definition: &'a Member,
    /// Value with constants instead of names; `None` if it is unusable, which was reported.
    value: Option<Value>,
    is_used: bool,
}

impl<'a> Constants<'a> {
    /// Reads the constants of a file. Each may name earlier ones.
    pub(super) fn read(given: Option<&'a Value>, problems: &mut Problems) -> Self {
        let mut constants = Self { all: Vec::new(), by_name: HashMap::default(), room: MAX_VALUES };
        let object = given.and_then(Value::as_object);
        if let Some(given) = given.filter(|_| object.is_none()) {
            problems.error(given, format!("`constants` is {}; expected an object", describe_found(given)));
        }
        for definition in object.into_iter().flatten() {
            let value = constants.resolve(&definition.value, problems).ok();
            constants.by_name.insert(&definition.key, constants.all.len());
            constants.all.push(Constant { definition, value, is_used: false });
        }
        constants
    }

    /// Returns a value with constants instead of their names.
    pub(super) fn resolve(&mut self, value: &Value, problems: &mut Problems) -> Checked<Value> {
        self.resolved(value, 0, problems).map(|resolved| resolved.unwrap_or_else(|| value.clone()))
    }

    /// Returns a value with constants instead of their names, or `None` if it names no constant.
    fn resolved(&mut self, value: &Value, depth: u32, problems: &mut Problems) -> Checked<Option<Value>> {
        let new = match &value.data {
            Data::Object(members) => {
                if let Some(name) = referred(members) {
                    return self.constant(name, depth, problems).map(Some);
                }
                let parts = members.iter().map(|member| &member.value);
                let Some(parts) = self.parts(parts, depth, problems)? else { return Ok(None) };
                let members = members.iter().zip(parts).map(|(member, value)| Member { value, ..member.clone() });
                Value::object(members.collect())
            }
            Data::Array(items) => {
                let Some(parts) = self.parts(items.iter(), depth, problems)? else { return Ok(None) };
                Value::array(parts)
            }
            _ => return Ok(None),
        };
        Ok(Some(Value { span: value.span, ..new }))
    }

    /// Returns the values with constants instead of their names, or `None` if they name no constant.
    fn parts<'v>(
        &mut self,
        values: impl Iterator<Item = &'v Value> + Clone,
        depth: u32,
        problems: &mut Problems,
    ) -> Checked<Option<Vec<Value>>> {
        let parts: Vec<_> = values.clone().map(|value| self.resolved(value, depth + 1, problems)).collect();
        let parts = parts.into_iter().collect::<Checked<Vec<_>>>()?;
        if parts.iter().all(Option::is_none) {
            return Ok(None);
        }
        Ok(Some(parts.into_iter().zip(values).map(|(part, value)| part.unwrap_or_else(|| value.clone())).collect()))
    }

    fn constant(&mut self, name: &Value, depth: u32, problems: &mut Problems) -> Checked<Value> {
        let at = name.as_str().and_then(|name| self.by_name.get(name));
        let Some(known) = at.and_then(|&at| self.all.get_mut(at)) else {
            let problem = problems.error(name, format!("there is no constant {}", describe_found(name)));
            problem.help("define it in `constants`, beside the `rules` of the file and above what names it");
            return Err(Reported);
        };
        known.is_used = true;
        let value = known.value.as_ref().ok_or(Reported)?;
        let size = value.size();
        let Some(room) = self.room.checked_sub(size.weight as usize) else {
            problems.error(name, format!("the constants of this file stand for more than {MAX_VALUES} values"));
            return Err(Reported);
        };
        self.room = room;
        if depth.saturating_add(size.depth) > MAX_DEPTH {
            problems.error(name, format!("with this constant, arrays and objects are nested deeper than {MAX_DEPTH}"));
            return Err(Reported);
        }
        Ok(value.clone())
    }

    /// Warns of unused constants.
    pub(super) fn warn_of_unused(&self, problems: &mut Problems) {
        for Constant { definition, .. } in self.all.iter().filter(|constant| !constant.is_used) {
            problems.warn_at_key(definition, format!("no rule uses the constant `{}`", definition.key));
        }
    }
}

/// Returns the name in `{"constant": "name"}`.
fn referred(members: &Object) -> Option<&Value> {
    let mut members = members.iter();
    let only = members.next().filter(|member| member.key.eq_ignore_ascii_case(REFERENCE))?;
    members.next().is_none().then_some(&only.value)
}
