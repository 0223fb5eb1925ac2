//! The JSON rule language of Template Analyzer.

pub mod regex;

/// One rule, compiled.
#[derive(Debug)]
pub struct Rule {}
