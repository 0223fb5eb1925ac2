//! Settings: raw files, validated.
