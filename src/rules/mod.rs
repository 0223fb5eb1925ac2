//! Rule languages over a [`Document`](crate::model::Document).
