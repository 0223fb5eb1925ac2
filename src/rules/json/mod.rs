//! The JSON rule language of Template Analyzer.

/// One rule, compiled.
#[derive(Debug)]
pub struct Rule {}
