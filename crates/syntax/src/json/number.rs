//! Reads JSON numbers, and the other forms that Newtonsoft.Json accepts.

use crate::diagnostic::Code;
use crate::json::problem::{Problem, Result};
use crate::json::reader::Reader;
use crate::shorten;
use crate::value::{Data, Str};

/// Forms of numbers in the grammar of RFC 8259.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Whole,
    Fractional,
}

impl Reader<'_> {
    /// Reads a number. Whole numbers become 64-bit integers; larger ones keep their digits.
    pub(super) fn number(&mut self) -> Result<Data> {
        let token = self.number_token();
        let data = match form(token.as_bytes()) {
            Ok(Form::Whole) => token.parse().map_or_else(|_| Data::BigInt(Str::from(token)), Data::Int),
            Ok(Form::Fractional) => match token.parse::<f64>() {
                Ok(float) if float.is_finite() => Data::Float(float),
                _ => return Err(self.bad_number(token, "is out of the range of numbers")),
            },
            Err(help) => match self.beyond_rfc(token) {
                Some(data) => {
                    self.at += token.len();
                    return Ok(data);
                }
                None => return Err(self.bad_number(token, "is not a JSON number").help(help)),
            },
        };
        self.at += token.len();
        Ok(data)
    }

    /// Reads a number that only Newtonsoft.Json accepts: octal `017`, hexadecimal `0x1F`, `.5`, `1.`, `-01`. The
    /// template function `json` must return the same result as in Azure; in a file, such a number is more likely a
    /// mistake, so it returns `None` there.
    fn beyond_rfc(&self, token: &str) -> Option<Data> {
        if self.file.is_some() {
            return None;
        }
        if let Some(digits) = token.strip_prefix('0').filter(|rest| !rest.starts_with(['.', 'e', 'E'])) {
            let (digits, radix) = digits.strip_prefix(['x', 'X']).map_or((digits, 8), |hexadecimal| (hexadecimal, 16));
            // `from_str_radix` takes a sign, too.
            let plain = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let bits = u64::from_str_radix(digits, radix).ok().filter(|_| plain);
            return bits.map(|bits| Data::Int(bits.cast_signed()));
        }
        if token.starts_with('+') || !token.bytes().all(|byte: u8| byte.is_ascii_digit() || b"-+.eE".contains(&byte)) {
            return None;
        }
        token
            .parse()
            .ok()
            .map(Data::Int)
            .or_else(|| token.parse().ok().filter(|float: &f64| float.is_finite()).map(Data::Float))
    }

    /// Returns everything that the author may have meant as one number, so that an error shows all of it.
    fn number_token(&self) -> &str {
        let rest = self.rest();
        let len = rest
            .bytes()
            .position(|byte| !byte.is_ascii_alphanumeric() && !b"+-._".contains(&byte))
            .unwrap_or(rest.len());
        rest.get(..len).unwrap_or(rest)
    }

    #[cold]
    fn bad_number(&self, token: &str, what: &str) -> Problem {
        let message = format!("`{}` {what}", shorten(token));
        Problem::new(Code::SyntaxJson, self.at..self.at + token.len(), message)
    }
}

/// Returns the form of a number, or the correction as an error.
fn form(token: &[u8]) -> std::result::Result<Form, &'static str> {
    let unsigned = token.strip_prefix(b"-").unwrap_or(token);
    let (whole, rest) = split_digits(unsigned);
    match whole {
        [] => return Err("begin a number with a digit, or with `-` and a digit"),
        [b'0', _, ..] => return Err("remove the leading zero"),
        _ => {}
    }
    let Some((first, tail)) = rest.split_first() else {
        return Ok(Form::Whole);
    };
    let exponent = match first {
        b'.' => match split_digits(tail) {
            ([], _) => return Err("write a digit after the point"),
            (_, exponent) => exponent,
        },
        _ => rest,
    };
    let digits = match exponent {
        [] => return Ok(Form::Fractional),
        [b'e' | b'E', b'+' | b'-', digits @ ..] | [b'e' | b'E', digits @ ..] => digits,
        _ => return Err("put strings in double quotes"),
    };
    match split_digits(digits) {
        ([_, ..], []) => Ok(Form::Fractional),
        _ => Err("end the exponent with digits"),
    }
}

fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let len = text.iter().position(|byte| !byte.is_ascii_digit());
    len.and_then(|len| text.split_at_checked(len)).unwrap_or((text, &[]))
}
