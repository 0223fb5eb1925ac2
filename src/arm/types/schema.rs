//! One declaration, read: what it demands by itself.

use crate::arm::expr::{TextKind, text_kind};
use crate::arm::types::keyword::Keyword;
use crate::arm::types::validator::{self, Validator};
use crate::text::Span;
use crate::value::{Data, Kind, Member, Object, Str, Value};

/// A declaration without what its `$ref` leads to. Keywords that are not written as Resource Manager wants them demand
/// nothing.
#[derive(Debug)]
pub(super) struct Schema {
    /// The text that was read. By the addresses of its parts [`Types`](super::Types) knows them, so it is kept.
    #[expect(dead_code, reason = "it is there to be kept")]
    declaration: Value,
    /// `type`
    pub(super) kind: Option<Word<Kind>>,
    /// Whether the type is one of the secure ones.
    pub(super) secure: bool,
    pub(super) nullable: Option<Word<bool>>,
    /// `$ref`
    pub(super) reference: Option<Word<Str>>,
    pub(super) allowed: Option<Word<Vec<Value>>>,
    /// `minValue`, `maxValue`, `minLength` and `maxLength`
    pub(super) bounds: Vec<(Keyword, Word<i64>)>,
    pub(super) properties: Option<Word<Value>>,
    /// `additionalProperties`
    pub(super) additional: Option<Word<Rest>>,
    /// `prefixItems`
    pub(super) prefix: Option<Word<Value>>,
    pub(super) items: Option<Word<Rest>>,
    pub(super) discriminator: Option<Word<Discriminator>>,
    pub(super) validators: Vec<Validator>,
}

/// What a keyword says, and where it stands with its name.
#[derive(Debug)]
pub(super) struct Word<T> {
    pub(super) what: T,
    pub(super) span: Option<Span>,
}

/// What `additionalProperties` and `items` say of what is not declared by name or place. `true` is as good as silence.
#[derive(Debug)]
pub(super) enum Rest {
    Forbidden,
    Declared(Value),
}

/// The property whose text selects a further declaration.
#[derive(Debug)]
pub(super) struct Discriminator {
    pub(super) property: Str,
    /// Declarations by the text.
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
            if let Some(keyword) = Keyword::of(&member.key) {
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

    /// The declared properties.
    pub(super) fn properties(&self) -> Option<&Object> {
        self.properties.as_ref()?.what.as_object()
    }

    /// The declared first items.
    pub(super) fn prefix(&self) -> &[Value] {
        self.prefix.as_ref().and_then(|it| it.what.as_array()).unwrap_or_default()
    }

    /// The keywords with which it asks for more than a kind, where it does.
    pub(super) fn demands(&self) -> impl Iterator<Item = (Keyword, Option<Span>)> {
        let allowed = self.allowed.iter().map(|it| (Keyword::AllowedValues, it.span));
        let bounds = self.bounds.iter().map(|(keyword, it)| (*keyword, it.span));
        let discriminator = self.discriminator.iter().map(|it| (Keyword::Discriminator, it.span));
        let validators = self.validators.iter().take(1).map(|it| (Keyword::Validate, it.span()));
        allowed.chain(bounds).chain(discriminator).chain(validators)
    }
}

/// The kind of the values of a declared type; `None` for a word that is no type.
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

/// A text that begins with a bracket is written with two.
fn unescaped(value: &Value) -> Value {
    match value.as_str() {
        Some(text) if text_kind(text) == TextKind::Escaped => Value { span: value.span, ..Value::from(&text[1..]) },
        _ => value.clone(),
    }
}
