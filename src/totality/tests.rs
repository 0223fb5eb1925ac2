//! Damages samples of each language in every way.
