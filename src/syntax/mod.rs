//! From text to values with places.

pub mod json;
