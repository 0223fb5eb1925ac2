//! Operands and results of operators.

use crate::compiler::semantics::Checker;
use crate::compiler::semantics::locals::{Locals, is_in_branch};
use crate::compiler::semantics::types::Type;
use crate::language::ast::{Binary, Expr, Unary};
use crate::text::Span;

impl<'w> Checker<'_, 'w> {
    pub(super) fn unary(self, span: Span, operator: Unary, inner: &'w Expr, locals: Locals<'_>) -> Type {
        let ty = self.infer(inner, locals);
        let (sign, expected) = match operator {
            Unary::Not => ("!", Type::BOOL),
            Unary::Minus => ("-", Type::INT),
        };
        if !self.is_assignable(&ty, &expected) {
            self.report(span, "BCP044", format!("`{sign}` needs a value of type `{expected}`, found `{ty}`"));
            return Type::Any;
        }
        let forced = self.force(&ty);
        if forced.is_nullable() {
            let message = format!("`{sign}` needs a value of type `{expected}`, found `{forced}`");
            self.null_operand(span, "BCP044", message, locals);
        }
        match (operator, ty) {
            (Unary::Minus, Type::Int(Some(value))) => Type::Int(value.checked_neg()),
            (Unary::Not, Type::Bool(Some(value))) => Type::Bool(Some(!value)),
            _ => expected,
        }
    }

    pub(super) fn binary(
        self,
        span: Span,
        operator: Binary,
        left: &'w Expr,
        right: &'w Expr,
        locals: Locals<'_>,
    ) -> Type {
        let (left, right) = (self.force(&self.infer(left, locals)), self.force(&self.infer(right, locals)));
        let (accepted, result): (&[Type], Type) = match operator {
            Binary::Coalesce => return Type::union([left.without_null(), right]),
            Binary::Equal | Binary::NotEqual => return Type::BOOL,
            Binary::Or | Binary::And => (&[Type::BOOL], Type::BOOL),
            Binary::EqualInsensitive | Binary::NotEqualInsensitive => (&[Type::TEXT], Type::BOOL),
            Binary::Less | Binary::LessOrEqual | Binary::Greater | Binary::GreaterOrEqual => {
                (&[Type::INT, Type::TEXT], Type::BOOL)
            }
            Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Modulo => {
                (&[Type::INT], Type::INT)
            }
        };
        let fits = accepted.iter().any(|ty| self.is_assignable(&left, ty) && self.is_assignable(&right, ty));
        if !fits {
            let sign = sign(operator);
            let hint = if operator == Binary::Add { "; join strings by interpolation: `'${a}${b}'`" } else { "" };
            let message = format!("`{sign}` cannot be applied to `{left}` and `{right}`{hint}");
            self.report(span, "BCP045", message);
            return Type::Any;
        }
        if matches!(operator, Binary::Divide | Binary::Modulo) && matches!(right, Type::Int(Some(0))) {
            self.report(span, "BCP410", "the divisor is 0");
            return Type::Any;
        }
        if left.is_nullable() || right.is_nullable() {
            let message = format!("`{}` cannot be applied to `{left}` and `{right}`", sign(operator));
            self.null_operand(span, "BCP045", message, locals);
        }
        result
    }

    /// Reports an operand that may be null. In a branch of a choice, which may exclude null, this is only a warning.
    fn null_operand(self, span: Span, code: &'static str, message: String, locals: Locals<'_>) {
        if is_in_branch(locals) {
            self.warn(span, "BCP321", message);
        } else {
            self.report(span, code, message);
        }
    }
}

const fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Coalesce => "??",
        Binary::Or => "||",
        Binary::And => "&&",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::EqualInsensitive => "=~",
        Binary::NotEqualInsensitive => "!~",
        Binary::Less => "<",
        Binary::LessOrEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterOrEqual => ">=",
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Modulo => "%",
    }
}
