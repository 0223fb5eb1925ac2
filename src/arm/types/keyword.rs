//! The words of a declaration that say something of its values.

/// A keyword of a type.
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
    /// The keyword that a name in any spelling is.
    pub(super) fn of(name: &str) -> Option<Self> {
        KEYWORDS.iter().copied().find(|it| it.as_str().eq_ignore_ascii_case(name))
    }

    /// As it is documented.
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

    /// Whether only templates of certain language versions have it: see [`version`](super::version).
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
