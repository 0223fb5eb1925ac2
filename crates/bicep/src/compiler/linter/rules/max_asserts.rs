//! `max-asserts`: more assertions than a template can have. The check `template/limits` reports the other limits.

use formwork_model::declare_checks;

use crate::compiler::linter::file::{LintFile, LintFinding};

declare_checks! {
    pub(super) MAX_ASSERTS = Lint High "bicep/max-asserts" "Bicep.MaxAsserts"
        "A file should not have more than 32 assertions"
        "Azure rejects a template with more."
        "Move some of them to a module.";
}

/// Maximum number of assertions in a template.
const MAX: usize = 32;

pub(super) fn find(file: &LintFile<'_>) -> Vec<LintFinding> {
    let asserts = &file.model.asserts;
    let first = asserts.first().filter(|_| asserts.len() > MAX);
    let message =
        format!("the file has {} assertions, and a template at most {MAX}; move some to a module", asserts.len());
    first.map(|first| (first.name.span, message)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::compiler::linter::tests::lines;

    #[test]
    fn the_first_of_too_many_assertions_is_found() {
        let asserts = |count: usize| (0..count).map(|at| format!("assert a{at} = true\n")).collect::<Vec<_>>().concat();
        assert_eq!(lines("max-asserts", &asserts(32)), [0_u32; 0]);
        assert_eq!(lines("max-asserts", &asserts(33)), [1]);
    }
}
