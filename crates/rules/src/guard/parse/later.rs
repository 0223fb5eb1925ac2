//! Recognizes rulesets that are written for later versions of Guard.

use crate::guard::parse::fault::Fault;
use crate::guard::piece::Piece;

/// The fault of a text that is in the language of Guard 2 and 3. Every line of such a text would be wrong by itself.
pub(super) fn written_for_later(text: &str) -> Option<Fault<'_>> {
    let lines = || Piece::whole(text).lines().map(|(_, line)| line.trim());
    let sign = lines().find(|line| is_named_rule(*line)).or_else(|| lines().find(|line| is_block(*line)))?;
    let message = "this is a ruleset for Guard 2 or 3, expected one for Guard 1.0";
    let help = "write a line `TYPE PATH OPERATOR VALUE` for each rule, or check the templates with `cfn-guard validate` as well";
    Some(Fault::syntax(sign, message).with_help(help))
}

/// `rule NAME {`, `rule NAME when CONDITION`. In Guard 1.0, no type is called `rule`.
fn is_named_rule(line: Piece<'_>) -> bool {
    let mut rest = line;
    let (keyword, name, next) = (rest.next_word(), rest.next_word(), rest.first_word());
    keyword.text == "rule" && !name.text.is_empty() && (next.text == "when" || line.text.contains('{'))
}

/// A line that opens or closes a block, or queries the template from its root. In Guard 1.0, all of them are errors.
fn is_block(line: Piece<'_>) -> bool {
    let first = line.first_word().text;
    line.text == "}" || first == "when" && line.text.ends_with('{') || first.starts_with("Resources.")
}
