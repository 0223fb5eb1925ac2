//! Operands and results of operators.

use crate::compiler::semantics::Checker;
use crate::compiler::semantics::locals::Locals;
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
        let (left, right) = (self.infer(left, locals), self.infer(right, locals));
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
        result
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
