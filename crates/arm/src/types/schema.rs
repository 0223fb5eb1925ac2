//! The constraints of a single declaration.

use crate::expr::{TextKind, text_kind};
use crate::text::Span;
use crate::types::keyword::Keyword;
use crate::types::validator::{self, Validator};
use crate::value::{Data, Kind, Member, Object, Str, Value};

/// The constraints of a declaration, without those of its `$ref`. Keywords with an invalid value are ignored.
#[derive(Debug)]
pub(super) struct Schema {
    /// The declaration that was read. [`Types`](super::Types) uses the addresses of its parts as keys, so they must
    /// stay allocated.
    #[expect(dead_code, reason = "it only keeps the declaration alive")]
    declaration: Value,
    /// The kind that `type` names.
    pub(super) kind: Option<Word<Kind>>,
    /// True if `type` is `secureString` or `secureObject`.
    pub(super) secure: bool,
    pub(super) nullable: Option<Word<bool>>,
    /// The pointer in `$ref`.
    pub(super) reference: Option<Word<Str>>,
    pub(super) allowed: Option<Word<Vec<Value>>>,
    /// The values of `minValue`, `maxValue`, `minLength` and `maxLength`.
    pub(super) bounds: Vec<(Keyword, Word<i64>)>,
    pub(super) properties: Option<Word<Value>>,
    /// The value of `additionalProperties`.
    pub(super) additional: Option<Word<Rest>>,
    /// The array in `prefixItems`.
    pub(super) prefix: Option<Word<Value>>,
    pub(super) items: Option<Word<Rest>>,
    pub(super) discriminator: Option<Word<Discriminator>>,
    pub(super) validators: Vec<Validator>,
}

/// The value of a keyword, with the span of the whole member.
#[derive(Debug)]
pub(super) struct Word<T> {
    pub(super) what: T,
    pub(super) span: Option<Span>,
}

/// Value of `additionalProperties` or `items`: constraint on properties or items that are not declared individually.
/// `true` has the same effect as no keyword.
#[derive(Debug)]
pub(super) enum Rest {
    Forbidden,
    Declared(Value),
}

/// Selects a further declaration by the value of a property.
#[derive(Debug)]
pub(super) struct Discriminator {
    pub(super) property: Str,
    /// An object of declarations by the value of the property.
    pub(super) mapping: Value,
}

impl Schema {
    pub(super) fn new(declaration: &Value) -> Self {
        let mut schema = Self {
            declaration: declaration.clone(),
            kind: None,
            secure: false,
            nullable: None,
            reference: None,
            allowed: None,
            bounds: Vec::new(),
            properties: None,
            additional: None,
            prefix: None,
            items: None,
            discriminator: None,
            validators: Vec::new(),
        };
        for member in declaration.as_object().into_iter().flatten() {
            if let Some(keyword) = Keyword::from_name(&member.key) {
                schema.read(keyword, member);
            }
        }
        schema
    }

    fn read(&mut self, keyword: Keyword, member: &Member) {
        let (value, span) = (&member.value, member.span());
        match keyword {
            Keyword::Type => {
                let word = value.as_str().unwrap_or_default();
                self.kind = kind_of_type(word).map(|what| Word { what, span });
                self.secure = is_secure_type(word);
            }
            Keyword::Nullable => self.nullable = value.as_bool().map(|what| Word { what, span }),
            Keyword::Ref => self.reference = value.as_shared_str().cloned().map(|what| Word { what, span }),
            Keyword::AllowedValues => {
                let values = value.as_array().map(|items| items.iter().map(unescaped).collect());
                self.allowed = values.map(|what| Word { what, span });
            }
            Keyword::MinValue | Keyword::MaxValue | Keyword::MinLength | Keyword::MaxLength => {
                self.bounds.extend(value.as_int().map(|what| (keyword, Word { what, span })));
            }
            Keyword::Properties => self.properties = object(value).map(|what| Word { what, span }),
            Keyword::AdditionalProperties => self.additional = rest(value).map(|what| Word { what, span }),
            Keyword::PrefixItems => {
                self.prefix = value.as_array().is_some().then(|| Word { what: value.clone(), span });
            }
            Keyword::Items => self.items = rest(value).map(|what| Word { what, span }),
            Keyword::Discriminator => self.discriminator = discriminator(value).map(|what| Word { what, span }),
            Keyword::Validate => self.validators = validator::read(value),
        }
    }

    /// Returns the object of declarations in `properties`.
    pub(super) fn properties(&self) -> Option<&Object> {
        self.properties.as_ref()?.what.as_object()
    }

    /// Returns the declarations in `prefixItems`.
    pub(super) fn prefix(&self) -> &[Value] {
        self.prefix.as_ref().and_then(|prefix| prefix.what.as_array()).unwrap_or_default()
    }

    /// Returns the keywords that constrain a value beyond its kind, with their spans.
    pub(super) fn demands(&self) -> impl Iterator<Item = (Keyword, Option<Span>)> {
        let allowed = self.allowed.iter().map(|allowed| (Keyword::AllowedValues, allowed.span));
        let bounds = self.bounds.iter().map(|(keyword, bound)| (*keyword, bound.span));
        let discriminator = self.discriminator.iter().map(|selector| (Keyword::Discriminator, selector.span));
        let validators = self.validators.iter().take(1).map(|validator| (Keyword::Validate, validator.span()));
        allowed.chain(bounds).chain(discriminator).chain(validators)
    }
}

/// Returns the kind that `type` names. `None` for a word that is not a type.
fn kind_of_type(word: &str) -> Option<Kind> {
    Some(match word.to_ascii_lowercase().as_str() {
        "string" | "securestring" => Kind::String,
        "int" => Kind::Int,
        "bool" => Kind::Bool,
        "array" => Kind::Array,
        "object" | "secureobject" => Kind::Object,
        _ => return None,
    })
}

fn is_secure_type(word: &str) -> bool {
    word.eq_ignore_ascii_case("secureString") || word.eq_ignore_ascii_case("secureObject")
}

fn object(value: &Value) -> Option<Value> {
    value.as_object().map(|_| value.clone())
}

fn rest(value: &Value) -> Option<Rest> {
    match &value.data {
        Data::Bool(false) => Some(Rest::Forbidden),
        Data::Object(_) => Some(Rest::Declared(value.clone())),
        _ => None,
    }
}

fn discriminator(value: &Value) -> Option<Discriminator> {
    let property = value.get("propertyName")?.as_shared_str()?.clone();
    let mapping = object(value.get("mapping")?)?;
    Some(Discriminator { property, mapping })
}

/// Removes the bracket that escapes a literal `[` at the start of an allowed value.
fn unescaped(value: &Value) -> Value {
    let escaped = value.as_str().filter(|text| text_kind(text) == TextKind::Escaped);
    match escaped.and_then(|text| text.strip_prefix('[')) {
        Some(text) => Value { span: value.span, ..Value::from(text) },
        None => value.clone(),
    }
}
