//! Tests of projections.
