//! Predicates of facts about values.

use crate::outcomes::Outcomes;
use crate::published::patterns;
use crate::published::services::functions::Function;
use crate::published::services::path::Path;
use crate::published::services::range::Range;
use crate::published::tolerance::{Cloud, scalar_text};
use crate::text::nearest_name;
use crate::value::{Data, Ends, Traits, Unknown, Value};

/// A question about a value, with its words for messages.
#[derive(Debug)]
pub(super) struct Predicate {
    pub(super) operator: Operator,
    /// The words for what is expected, if the operator has none that people understand.
    pub(super) words: Option<&'static str>,
}

/// The kind of a predicate.
#[derive(Debug)]
pub(super) enum Operator {
    Present,
    Absent,
    /// The value is one of these. One that ends in `*` stands for all that begin so.
    OneOf(Choices),
    NotOneOf(Choices),
    /// The value is one of these, or so unlike them that it may be one that nobody has listed.
    Like(Choices),
    Range(Range),
    MultipleOf(u64),
    /// Number of characters of a string.
    Characters(Range),
    /// Number of items of an array, or of members of an object.
    Items(Range),
    /// The name of each member of an object meets the predicate.
    Names(Box<Predicate>),
    /// No two items of an array are the same, or have the same value at this path.
    Unique(Path),
    /// The regular expression is found in the string, with case.
    Matches(&'static str),
    BeginsWith(Choices),
    EndsWith(Choices),
    Contains(Choices),
    Lacks(Choices),
    /// A function of `functions`, and what it is given.
    Passes(Function, Argument),
}

/// Strings that a value is compared with.
#[derive(Debug)]
pub(super) struct Choices {
    pub(super) values: Vec<&'static str>,
    /// True if case counts also where the cloud ignores it.
    pub(super) is_exact: bool,
}

/// Argument of a function, besides the value.
#[derive(Debug)]
pub(super) enum Argument {
    Text(&'static str),
    /// The strings at a path.
    Path(Path),
}

/// Source of the values at paths, for predicates that compare two values.
pub(super) trait Scope {
    /// Returns the cloud whose rules of comparison hold.
    fn cloud(&self) -> Cloud;
    /// Returns `true` if the value is compared although it is a secret.
    fn compares_secrets(&self) -> bool {
        false
    }
    /// Returns the number at a path.
    fn number(&self, path: &Path) -> Option<f64>;
    /// Returns the strings at a path. `None` if one is not known.
    fn texts(&self, path: &Path) -> Option<Vec<String>>;
}

impl Choices {
    fn read(text: &'static str) -> Option<Self> {
        let (is_exact, text) = text.strip_prefix("exactly ").map_or((false, text), |text| (true, text));
        let values: Vec<&str> = text.split('|').map(|value| value.trim().trim_matches('"')).collect();
        values.iter().all(|value| !value.is_empty()).then_some(Self { values, is_exact })
    }

    fn has(&self, cloud: Cloud, text: &str) -> bool {
        // Services of Azure read `Static ` as `Static`.
        let text = if self.is_exact || cloud == Cloud::Aws { text } else { text.trim() };
        self.any(cloud, text, |choice, text| match choice.strip_suffix('*').filter(|start| !start.is_empty()) {
            Some(start) => text.starts_with(start),
            None => choice == text,
        })
    }

    /// True if one of the choices has a relation to a text, in the case that counts.
    fn any(&self, cloud: Cloud, text: &str, is_related: impl Fn(&str, &str) -> bool) -> bool {
        if self.is_exact || cloud == Cloud::Aws {
            return self.values.iter().any(|choice| is_related(choice, text));
        }
        let text = text.to_lowercase();
        self.values.iter().any(|choice| is_related(&choice.to_lowercase(), &text))
    }
}

impl Predicate {
    /// Reads what stands after the path: `is A | B`, `has at most 5 items`. The words of a requirement, as `be absent`
    /// and `have at most 5 items`, mean the same.
    pub(super) fn parse(text: &'static str) -> Option<Self> {
        let (verb, rest) = text.split_once(' ')?;
        let operator = match verb {
            "is" | "be" => parse_state(rest)?,
            "has" | "have" => parse_amount(rest)?,
            "matches" | "match" => Operator::Matches(rest),
            "begins" | "begin" => Operator::BeginsWith(Choices::read(rest.strip_prefix("with ")?)?),
            "ends" | "end" => Operator::EndsWith(Choices::read(rest.strip_prefix("with ")?)?),
            "contains" | "contain" => Operator::Contains(Choices::read(rest)?),
            "lacks" | "lack" => Operator::Lacks(Choices::read(rest)?),
            "passes" | "pass" => parse_call(rest)?,
            _ => return None,
        };
        Some(Self { operator, words: None })
    }

    /// Returns `TRUE` if the predicate holds for the value, which is `None` if there is none.
    pub(super) fn holds(&self, value: Option<&Value>, scope: &dyn Scope) -> Outcomes {
        let Some(value) = value.filter(|value| !scope.cloud().is_absent(value)) else {
            return self.holds_for_nothing();
        };
        if let Some(unknown) = value.as_unknown() {
            if value.traits.has(Traits::SECRET) && self.shows_value() {
                return Outcomes::UNKNOWN;
            }
            return self.holds_for_unknown(unknown, scope);
        }
        match &self.operator {
            Operator::Present => Outcomes::TRUE,
            Operator::Absent => Outcomes::FALSE,
            Operator::Items(range) => items(range, value, scope),
            Operator::Unique(_) | Operator::Names(_) => Outcomes::UNKNOWN,
            Operator::EndsWith(choices) if value.traits.has(Traits::PLACEHOLDER) => end_of_id(value, scope.cloud())
                .map(|end| choices.any(scope.cloud(), end, |choice, end| end.ends_with(choice)))
                .into(),
            operator => compared_text(value, scope)
                .map_or(Outcomes::UNKNOWN, |text| operator.holds_for_text(&text, value, scope)),
        }
    }

    /// True if a message about the predicate shows the value.
    fn shows_value(&self) -> bool {
        !matches!(self.operator, Operator::Present | Operator::Absent)
    }

    /// Evaluates the operator for a missing property. Its default is not known, and only `unless` may decide by it.
    fn holds_for_nothing(&self) -> Outcomes {
        match &self.operator {
            Operator::Absent => Outcomes::TRUE,
            Operator::NotOneOf(_) | Operator::Lacks(_) => Outcomes::UNKNOWN,
            _ => Outcomes::FALSE,
        }
    }

    fn holds_for_unknown(&self, unknown: &Unknown, scope: &dyn Scope) -> Outcomes {
        if unknown.is_optional {
            return Outcomes::UNKNOWN;
        }
        if !unknown.choices.is_empty() {
            return Outcomes::union_of(unknown.choices.iter().map(|choice| self.holds(Some(choice), scope)));
        }
        match (&self.operator, unknown.ends.as_deref()) {
            (Operator::Present, _) if unknown.open => Outcomes::TRUE,
            (Operator::Absent, _) if unknown.open => Outcomes::FALSE,
            (operator, Some(ends)) => operator.holds_for_ends(ends, scope.cloud()),
            (_, None) => Outcomes::UNKNOWN,
        }
    }
}

impl Operator {
    fn holds_for_text(&self, text: &str, value: &Value, scope: &dyn Scope) -> Outcomes {
        let cloud = scope.cloud();
        let holds = match self {
            Self::OneOf(choices) => choices.has(cloud, text),
            Self::NotOneOf(choices) => !choices.has(cloud, text),
            Self::Like(choices) => {
                choices.has(cloud, text) || nearest_name(text, choices.values.iter().copied()).is_none()
            }
            Self::Range(range) => {
                let number = text.trim().parse().ok();
                return number.map_or(Outcomes::UNKNOWN, |number| range.holds(number, |path| scope.number(path)));
            }
            Self::MultipleOf(factor) => {
                let rest = text.trim().parse::<u64>().ok().and_then(|number| number.checked_rem(*factor));
                return rest.map(|rest| rest == 0).into();
            }
            Self::Characters(range) if value.as_str().is_some() => {
                return range.holds(count(text.chars().count()), |path| scope.number(path));
            }
            Self::Matches(pattern) => patterns::matches(pattern, text, false),
            Self::BeginsWith(choices) => choices.any(cloud, text, |choice, text| text.starts_with(choice)),
            Self::EndsWith(choices) => choices.any(cloud, text, |choice, text| text.ends_with(choice)),
            Self::Contains(choices) => choices.any(cloud, text, |choice, text| text.contains(choice)),
            Self::Lacks(choices) => !choices.any(cloud, text, |choice, text| text.contains(choice)),
            Self::Passes(function, argument) => return function.holds(text, argument, scope),
            Self::Characters(_) | Self::Present | Self::Absent | Self::Items(_) | Self::Unique(_) | Self::Names(_) => {
                return Outcomes::UNKNOWN;
            }
        };
        Outcomes::from(holds)
    }

    /// Evaluates the operator for an unknown string with known ends.
    fn holds_for_ends(&self, ends: &Ends, cloud: Cloud) -> Outcomes {
        let has = |choices: &Choices| {
            [&ends.start, &ends.end].iter().any(|part| choices.any(cloud, part, |choice, part| part.contains(choice)))
                || choices
                    .any(cloud, &ends.inside, |choice, inside| choice.chars().count() == 1 && inside.contains(choice))
        };
        match self {
            Self::Present if ends.has_text() => Outcomes::TRUE,
            Self::Absent if ends.has_text() => Outcomes::FALSE,
            Self::BeginsWith(choices) => {
                let is_certain = choices.any(cloud, &ends.start, |choice, start| start.starts_with(choice));
                let is_possible = choices.any(cloud, &ends.start, |choice, start| choice.starts_with(start));
                Outcomes::TRUE.only_if(is_certain || is_possible).union(Outcomes::FALSE.only_if(!is_certain))
            }
            Self::EndsWith(choices) => {
                let is_certain = choices.any(cloud, &ends.end, |choice, end| end.ends_with(choice));
                let is_possible = choices.any(cloud, &ends.end, |choice, end| choice.ends_with(end));
                Outcomes::TRUE.only_if(is_certain || is_possible).union(Outcomes::FALSE.only_if(!is_certain))
            }
            Self::Contains(choices) => Outcomes::TRUE.union(Outcomes::FALSE.only_if(!has(choices))),
            Self::Lacks(choices) => Outcomes::FALSE.union(Outcomes::TRUE.only_if(!has(choices))),
            Self::Characters(range) => {
                let known = count(ends.start.chars().count() + ends.end.chars().count());
                let (least, most) = (known + f64::from(ends.least), ends.most.map(|most| known + f64::from(most)));
                Outcomes::FALSE.union(Outcomes::TRUE.only_if(!range.excludes(least, most)))
            }
            _ => Outcomes::UNKNOWN,
        }
    }
}

/// Returns a scalar that can be compared in a scope.
fn compared_text(value: &Value, scope: &dyn Scope) -> Option<String> {
    if scope.compares_secrets() { open_text(value, scope.cloud()) } else { known_text(value, scope.cloud()) }
}

/// Returns a scalar that is known, is no secret, and does not depend on what is assumed of the environment.
pub(super) fn known_text(value: &Value, cloud: Cloud) -> Option<String> {
    if value.traits.has(Traits::SECRET) { None } else { open_text(value, cloud) }
}

/// Returns a scalar that is known, and does not depend on what is assumed of the environment. It may be a secret.
fn open_text(value: &Value, cloud: Cloud) -> Option<String> {
    const OPEN: [Traits; 3] = [Traits::UNKNOWN, Traits::PLACEHOLDER, Traits::ASSUMED];
    let is_open = OPEN.iter().any(|open| value.traits.has(*open));
    // People write `<the name> e.g. shop` for what is to be replaced.
    let is_stand_in = |text: &str| text.contains('<') && text.contains('>') || cloud.is_replaced(text);
    let text = scalar_text(value).filter(|text| !is_open && !is_stand_in(text) && !text.is_empty())?;
    Some(text.into_owned())
}

/// Returns the part after the provider of an ID whose scope is a stand-in for what the settings do not name.
fn end_of_id(value: &Value, cloud: Cloud) -> Option<&str> {
    const OPEN: [Traits; 3] = [Traits::UNKNOWN, Traits::SECRET, Traits::ASSUMED];
    let text = value.as_str().filter(|_| !OPEN.iter().any(|open| value.traits.has(*open)))?;
    let (scope, end) = text.strip_prefix("/subscriptions/")?.rsplit_once("/providers/")?;
    let is_known = !scope.split('/').any(|name| !name.is_empty() && name != "resourceGroups" && end.contains(name));
    (is_known && !end.contains('<') && !cloud.is_replaced(end)).then_some(end)
}

/// Returns a count as a number of a range.
#[expect(clippy::cast_precision_loss, reason = "no template has so many characters or items")]
pub(super) fn count(count: usize) -> f64 {
    count as f64
}

/// Returns `TRUE` if an array has so many items, or an object so many members.
fn items(range: &Range, value: &Value, scope: &dyn Scope) -> Outcomes {
    let is_optional = |item: &Value| item.as_unknown().is_some_and(|unknown| unknown.is_optional);
    let (most, optional) = match &value.data {
        Data::Array(items) => (items.len(), items.iter().filter(|item| is_optional(item)).count()),
        Data::Object(object) => (object.len(), object.iter().filter(|member| is_optional(&member.value)).count()),
        _ => return Outcomes::UNKNOWN,
    };
    let fits = |length: usize| range.holds(count(length), |path| scope.number(path));
    fits(most.saturating_sub(optional)).union(fits(most))
}

/// Reads what stands after `is`.
fn parse_state(text: &'static str) -> Option<Operator> {
    Some(match text {
        "present" => Operator::Present,
        "absent" => Operator::Absent,
        _ => {
            if let Some(range) = text.strip_prefix("from ").and_then(Range::parse) {
                Operator::Range(range)
            } else if text.starts_with("at least ") || text.starts_with("at most ") {
                Operator::Range(Range::parse(text)?)
            } else if let Some(factor) = text.strip_prefix("a multiple of ") {
                Operator::MultipleOf(factor.parse().ok()?)
            } else if let Some(choices) = text.strip_prefix("not ") {
                Operator::NotOneOf(Choices::read(choices)?)
            } else if let Some(choices) = text.strip_prefix("like ") {
                Operator::Like(Choices::read(choices)?)
            } else {
                Operator::OneOf(Choices::read(text)?)
            }
        }
    })
}

/// Reads what stands after `has`.
fn parse_amount(text: &'static str) -> Option<Operator> {
    if let Some(path) = text.strip_prefix("no duplicates") {
        let path = if path.is_empty() { Path::default() } else { Path::parse(path.strip_prefix(" by ")?)? };
        return Some(Operator::Unique(path));
    }
    if let Some(predicate) = text.strip_prefix("names that ") {
        return Some(Operator::Names(Box::new(Predicate::parse(predicate)?)));
    }
    let (range, unit) = text.rsplit_once(' ')?;
    let range = Range::parse(range)?;
    match unit {
        "character" | "characters" => Some(Operator::Characters(range)),
        "item" | "items" => Some(Operator::Items(range)),
        _ => None,
    }
}

/// Reads the name of a function, and what it is given.
fn parse_call(text: &'static str) -> Option<Operator> {
    let (name, argument) = text.split_once(' ').unwrap_or((text, ""));
    let argument = match argument.strip_prefix('@') {
        Some(path) => Argument::Path(Path::parse(path)?),
        None => Argument::Text(argument),
    };
    Some(Operator::Passes(Function::named(name)?, argument))
}
