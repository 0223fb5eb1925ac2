//! The keywords of declarations that constrain values.

/// A member of a declaration, such as `minLength`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Type,
    Nullable,
    Ref,
    AllowedValues,
    MinValue,
    MaxValue,
    MinLength,
    MaxLength,
    Properties,
    AdditionalProperties,
    PrefixItems,
    Items,
    Discriminator,
    Validate,
}

const KEYWORDS: &[Keyword] = &[
    Keyword::Type,
    Keyword::Nullable,
    Keyword::Ref,
    Keyword::AllowedValues,
    Keyword::MinValue,
    Keyword::MaxValue,
    Keyword::MinLength,
    Keyword::MaxLength,
    Keyword::Properties,
    Keyword::AdditionalProperties,
    Keyword::PrefixItems,
    Keyword::Items,
    Keyword::Discriminator,
    Keyword::Validate,
];

impl Keyword {
    /// Returns the keyword with this name, which is case-insensitive.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        KEYWORDS.iter().copied().find(|keyword| keyword.as_str().eq_ignore_ascii_case(name))
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Nullable => "nullable",
            Self::Ref => "$ref",
            Self::AllowedValues => "allowedValues",
            Self::MinValue => "minValue",
            Self::MaxValue => "maxValue",
            Self::MinLength => "minLength",
            Self::MaxLength => "maxLength",
            Self::Properties => "properties",
            Self::AdditionalProperties => "additionalProperties",
            Self::PrefixItems => "prefixItems",
            Self::Items => "items",
            Self::Discriminator => "discriminator",
            Self::Validate => "validate",
        }
    }

    /// Returns `true` if the keyword belongs to aggregate types, which require a later language version (see
    /// [`version`](super::version)).
    pub(super) const fn is_aggregate(self) -> bool {
        match self {
            Self::Type | Self::AllowedValues | Self::MinValue | Self::MaxValue | Self::MinLength | Self::MaxLength => {
                false
            }
            Self::Nullable
            | Self::Ref
            | Self::Properties
            | Self::AdditionalProperties
            | Self::PrefixItems
            | Self::Items
            | Self::Discriminator
            | Self::Validate => true,
        }
    }
}
