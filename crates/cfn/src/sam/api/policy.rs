//! Resource policies of REST APIs: who may call which methods.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-api-resourcepolicystatement.html>.

use foldhash::HashSet;

use crate::sam::api::arn_path;
use crate::sam::api::editor::{ANY, Editor};
use crate::sam::build::{Fields, get, given_property, items, object, sub_with};
use crate::value::Value;

/// The member of a definition with the policy.
const POLICY: &str = "x-amazon-apigateway-policy";

/// Lists of networks, with the operator that denies the others or these.
const NETWORKS: [(&str, &str, &str, &str); 2] = [
    ("SourceVpcBlacklist", "IntrinsicVpcBlacklist", "IntrinsicVpceBlacklist", "StringEquals"),
    ("SourceVpcWhitelist", "IntrinsicVpcWhitelist", "IntrinsicVpceWhitelist", "StringNotEquals"),
];

/// Adds the statements for the methods of a path.
pub(super) fn add(editor: &mut Editor, policy: &Value, path: &str, stage: &Value) {
    let resources = resources(editor, path, stage);
    let mut statements = Vec::new();
    for (list, effect) in [("AwsAccountWhitelist", "Allow"), ("AwsAccountBlacklist", "Deny")] {
        if let Some(accounts) = given_property(policy, list) {
            let principal = object([("AWS", Value::array(items(accounts).to_vec()))]);
            statements.push(statement(effect, &resources, principal, None));
        }
    }
    for (list, operator) in [("IpRangeWhitelist", "NotIpAddress"), ("IpRangeBlacklist", "IpAddress")] {
        if let Some(ranges) = given_property(policy, list) {
            let ranges = Value::array(items(ranges).to_vec());
            let condition = object([(operator, object([("aws:SourceIp", ranges)]))]);
            statements.extend(open_except(&resources, condition));
        }
    }
    for (names, networks, endpoints, operator) in NETWORKS {
        let mut all = Fields::default();
        let named = get(policy, names).and_then(Value::as_array).unwrap_or_default();
        for (key, prefix, list) in [("aws:SourceVpc", "vpc-", networks), ("aws:SourceVpce", "vpce-", endpoints)] {
            let named = named.iter().filter(|name| name.as_str().is_some_and(|name| name.starts_with(prefix)));
            let listed = get(policy, list).map(items).unwrap_or_default();
            let values: Vec<Value> = named.chain(listed).cloned().collect();
            if !values.is_empty() {
                all.set(key, Value::array(values));
            }
        }
        if all.len() > 0 {
            statements.extend(open_except(&resources, object([(operator, all.into_value())])));
        }
    }
    editor.statements.extend(statements, false);
}

/// Adds the statements that the author wrote.
pub(super) fn add_custom(editor: &mut Editor, policy: &Value) {
    if let Some(statements) = given_property(policy, "CustomStatements") {
        editor.statements.extend(items(statements).to_vec(), statements.as_array().is_some());
    }
}

/// Allows all calls, and denies those that meet a condition.
fn open_except(resources: &Value, condition: Value) -> [Value; 2] {
    let everyone = Value::from("*");
    [statement("Allow", resources, everyone.clone(), None), statement("Deny", resources, everyone, Some(condition))]
}

fn statement(effect: &str, resources: &Value, principal: Value, condition: Option<Value>) -> Value {
    let mut fields = Fields::default();
    fields.set("Effect", Value::from(effect));
    fields.set("Action", Value::from("execute-api:Invoke"));
    fields.set("Resource", resources.clone());
    fields.set("Principal", principal);
    fields.set_some("Condition", condition);
    fields.into_value()
}

/// Returns the ARNs of the methods of a path.
fn resources(editor: &Editor, path: &str, stage: &Value) -> Value {
    let methods = editor.methods(path).into_iter().map(|method| {
        let is_any = *method == *ANY || method.eq_ignore_ascii_case("any");
        let method = if is_any { "*".to_owned() } else { method.to_uppercase() };
        sub_with(format!("execute-api:/${{__Stage__}}/{method}{}", arn_path(path)), [("__Stage__", stage.clone())])
    });
    Value::array(methods.collect())
}

/// The statements of a resource policy, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Statements {
    all: Vec<Value>,
    /// The JSON of all statements.
    known: HashSet<String>,
    /// True if a single statement is written as a list.
    is_listed: bool,
    is_changed: bool,
}

impl Statements {
    /// Returns the statements in a definition that the author wrote.
    pub(super) fn from_definition(body: &Value) -> Self {
        let mut statements = Self::default();
        if let Some(written) = get(body, POLICY).and_then(|policy| get(policy, "Statement")) {
            statements.extend(items(written).to_vec(), written.as_array().is_some());
            statements.is_changed = false;
        }
        statements
    }

    fn extend(&mut self, statements: Vec<Value>, is_listed: bool) {
        self.is_changed |= !statements.is_empty();
        self.is_listed = is_listed;
        for statement in statements {
            if self.known.insert(statement.to_json()) {
                self.all.push(statement);
            }
        }
    }

    /// Writes the policy into a definition. A single statement on accounts, or of the author, is not in a list.
    pub(super) fn write(self, doc: &mut Fields) {
        let Self { all, is_listed, is_changed, .. } = self;
        if !is_changed {
            return;
        }
        let mut policy = doc.get(POLICY).map(Fields::from_value).unwrap_or_default();
        policy.set("Version", Value::from("2012-10-17"));
        let alone = all.first().filter(|_| all.len() == 1 && !is_listed).cloned();
        policy.set("Statement", alone.unwrap_or_else(|| Value::array(all)));
        doc.set(POLICY, policy.into_value());
    }
}
