//! As much of the runner's expressions as `action.yml` uses. See
//! <https://docs.github.com/actions/reference/workflows-and-actions/expressions>.

use regex::Regex;

/// What a name such as `inputs.paths` or `cancelled()` stands for.
pub(crate) type Lookup<'a> = &'a dyn Fn(&str) -> String;

/// A text with the value of each `${{ … }}` in its place.
pub(crate) fn interpolate(text: &str, lookup: Lookup<'_>) -> String {
    let mut parts = text.split("${{");
    let mut result = parts.next().unwrap().to_owned();
    for part in parts {
        let (expression, behind) = part.split_once("}}").unwrap();
        result.push_str(&evaluate(expression, lookup));
        result.push_str(behind);
    }
    result
}

/// Whether an `if` lets its step run.
pub(crate) fn holds(condition: &str, lookup: Lookup<'_>) -> bool {
    let inner = condition.trim().trim_start_matches("${{").trim_end_matches("}}");
    is_true(&evaluate(inner, lookup))
}

fn evaluate(expression: &str, lookup: Lookup<'_>) -> String {
    let token = Regex::new(r"'(?:[^']|'')*'|&&|\|\||==|!=|!|[()]|[A-Za-z_][\w.-]*(?:\(\))?").unwrap();
    let tokens = token.find_iter(expression).map(|it| it.as_str()).collect();
    let mut reader = Reader { tokens, next: 0, lookup };
    let value = reader.either();
    assert_eq!(reader.next, reader.tokens.len(), "the end of `{expression}` is not understood");
    value
}

fn is_true(value: &str) -> bool {
    !matches!(value, "" | "false")
}

struct Reader<'a> {
    tokens: Vec<&'a str>,
    next: usize,
    lookup: Lookup<'a>,
}

impl Reader<'_> {
    fn take(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.next) == Some(&token);
        self.next += usize::from(found);
        found
    }

    fn either(&mut self) -> String {
        let mut value = self.both();
        while self.take("||") {
            let other = self.both();
            value = if is_true(&value) { value } else { other };
        }
        value
    }

    fn both(&mut self) -> String {
        let mut value = self.comparison();
        while self.take("&&") {
            let other = self.comparison();
            value = if is_true(&value) { other } else { value };
        }
        value
    }

    fn comparison(&mut self) -> String {
        let left = self.operand();
        if self.take("==") {
            left.eq_ignore_ascii_case(&self.operand()).to_string()
        } else if self.take("!=") {
            (!left.eq_ignore_ascii_case(&self.operand())).to_string()
        } else {
            left
        }
    }

    fn operand(&mut self) -> String {
        if self.take("!") {
            return (!is_true(&self.operand())).to_string();
        }
        if self.take("(") {
            let value = self.either();
            assert!(self.take(")"), "`)` is missing");
            return value;
        }
        let token = self.tokens[self.next];
        self.next += 1;
        match token.strip_prefix('\'') {
            Some(text) => text.trim_end_matches('\'').replace("''", "'"),
            None => (self.lookup)(token),
        }
    }
}

#[test]
fn expressions_have_the_values_that_the_runner_gives_them() {
    let lookup = |name: &str| match name {
        "inputs.word" => "Word".to_owned(),
        "cancelled()" => "false".to_owned(),
        _ => String::new(),
    };
    let check = |expression: &str, expected: &str| assert_eq!(evaluate(expression, &lookup), expected, "{expression}");
    check("inputs.word", "Word");
    check("inputs.word == 'word'", "true");
    check("inputs.none == '' && inputs.word || 'x'", "Word");
    check("inputs.none && inputs.word || 'it''s'", "it's");
    check("!cancelled() && inputs.word != 'word'", "false");
    check("!(cancelled() || inputs.none)", "true");
    assert_eq!(interpolate("a ${{ inputs.word }} b", &lookup), "a Word b");
}
