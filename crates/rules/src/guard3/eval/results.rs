//! Results of clauses and rules, in the terms of cfn-guard.
//!
//! A result is a set of outcomes. For known values it has one element; with several, only the deployment knows the
//! result.

use crate::outcomes::Outcomes;

pub(in crate::guard3) const PASS: Outcomes = Outcomes::TRUE;
pub(in crate::guard3) const FAIL: Outcomes = Outcomes::FALSE;
pub(in crate::guard3) const SKIP: Outcomes = Outcomes::NEITHER;
