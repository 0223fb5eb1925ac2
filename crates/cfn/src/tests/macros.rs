//! Macros, which only a deployment runs.

use super::{expanded, with_value};

#[test]
fn a_macro_may_declare_what_is_not_here() {
    let text = format!("Transform: Company::Macro\n{}", with_value("!Ref Made"));
    let said = "1:12 note template/macro: the macro `Company::Macro` changes the whole template in a deployment, so what it \
                makes is not checked";
    assert_eq!(expanded(&text).problems(), [said]);
}

#[test]
fn what_a_macro_makes_is_unknown_and_not_checked() {
    let expanded = expanded(&with_value("{Fn::Transform: {Name: X}}"));
    let said =
        "19:11 note template/macro: the macro `X` changes this part in a deployment, so what it makes is not checked";
    assert_eq!(expanded.problems(), [said]);
    let value = expanded.property().unwrap();
    let why = "only a deployment runs macros: `{\"Name\":\"X\"}`";
    assert_eq!(value.first_unknown().map(|unknown| &*unknown.why), Some(why));
}

/// `Fn::Transform` beside the sections changes the template as `Transform` does.
#[test]
fn a_macro_that_is_called_beside_the_sections_changes_the_whole_template() {
    for (call, name) in [
        ("{Name: Company::Macro}", "the macro `Company::Macro`"),
        ("Company::Macro", "the macro `Company::Macro`"),
        ("{Name: AWS::Include, Parameters: {Location: 's3://a/b'}}", "the macro `AWS::Include`"),
        ("[{Name: Company::Macro}]", "the macro `Company::Macro`"),
    ] {
        let said = format!(
            "1:1 note template/macro: {name} changes the whole template in a deployment, so what it makes is not checked"
        );
        assert_eq!(expanded(&format!("Fn::Transform: {call}\n{}", with_value("!Ref Made"))).problems(), [said]);
    }
}

#[test]
fn a_macro_in_a_section_is_not_checked() {
    let text = format!("Outputs:\n  Fn::Transform: {{Name: X}}\n{}", with_value("a"));
    let said =
        "2:3 note template/macro: the macro `X` changes this part in a deployment, so what it makes is not checked";
    assert_eq!(expanded(&text).problems(), [said]);
}
