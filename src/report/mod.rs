//! Reports of a finished run.
