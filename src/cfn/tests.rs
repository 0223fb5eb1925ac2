//! Templates as texts, and what becomes of them.
