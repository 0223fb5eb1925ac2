//! Assertions in `asserts`, and the issues of those that do not hold.

use super::check;

#[test]
fn assertions_are_reported_by_name() {
    check(
        r#""parameters": {"p": {"type": "string"}},
        "variables": {"five": 5},
        "asserts": {
            "holds": "[equals(variables('five'), 5)]", "literal": true,
            "breaks": "[equals(variables('five'), 6)]",
            "unknown": "[equals(parameters('p'), 'x')]",
            "number": "[variables('five')]",
            "fails": "[equals(div(1, 0), 1)]"
        }"#,
        "",
        &[
            "main.json:6:23 asserts.breaks: assertion `breaks` does not hold",
            "main.json:7:24 unknown asserts.unknown: cannot evaluate assertion `unknown` before the deployment, \
             because parameter `p` has no value",
            "main.json:9:22 unknown asserts.fails: cannot evaluate assertion `fails` before the deployment, \
             because its expression fails: `div` cannot divide by zero",
            "main.json:8:23 error template/shape assertion `number` must be a Boolean, found an integer",
            "main.json:9:31 error expression/failed `div` cannot divide by zero",
        ],
    );
}
