//! Policies of IAM, and those of resources.
//!
//! Reference: <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html>.

use formwork_model::declare_checks;

use crate::diagnostic::Severity;
use crate::loops::Declaration;
use crate::model::{join_index, join_key};
use crate::stack::Stack;
use crate::structure::{MAX_SHOWN, actions, arns, call, is_macro, is_scalar, kind, principals};
use crate::text::cut;
use crate::value::{Object, Value};

declare_checks! {
    pub(crate) const CHECKS;

    POLICY_GRAMMAR = Expression High "policy/grammar" "Policy.Grammar"
        "A policy should follow the grammar of IAM"
        "AWS rejects a policy with unknown or missing elements."
        "Write the policy as its grammar describes it."
        .refused()
        .aws("IAM/latest/UserGuide/reference_policies_grammar");
    POLICY_ACTION = Expression Medium "policy/action" "Policy.Action"
        "A policy should name actions that exist"
        "IAM accepts actions that no service has, and they permit or deny nothing. Policies of buckets, queues, and topics with such actions are rejected."
        "Correct the name of the action, or remove it."
        .aws("IAM/latest/UserGuide/reference_policies_elements_action");
}

/// Owner of a policy, which determines the elements of its statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PolicyOwner {
    /// To a user, a group, or a role.
    Identity,
    /// To a bucket, which has an ARN.
    Bucket,
    /// To another resource, which `*` may stand for.
    Resource,
    /// To the images of a repository, which it need not name.
    Repository,
    /// To a role, for those who may assume it.
    Trust,
}

/// The properties with policies. A name that ends in `[]` is a list.
const PLACES: &[(&str, &[&str], PolicyOwner)] = &[
    ("AWS::Backup::BackupVault", &["AccessPolicy"], PolicyOwner::Resource),
    ("AWS::EC2::VPCEndpoint", &["PolicyDocument"], PolicyOwner::Resource),
    ("AWS::ECR::Repository", &["RepositoryPolicyText"], PolicyOwner::Repository),
    ("AWS::Elasticsearch::Domain", &["AccessPolicies"], PolicyOwner::Resource),
    ("AWS::IAM::Group", &["Policies[]", "PolicyDocument"], PolicyOwner::Identity),
    ("AWS::IAM::GroupPolicy", &["PolicyDocument"], PolicyOwner::Identity),
    ("AWS::IAM::ManagedPolicy", &["PolicyDocument"], PolicyOwner::Identity),
    ("AWS::IAM::Policy", &["PolicyDocument"], PolicyOwner::Identity),
    ("AWS::IAM::Role", &["AssumeRolePolicyDocument"], PolicyOwner::Trust),
    ("AWS::IAM::Role", &["Policies[]", "PolicyDocument"], PolicyOwner::Identity),
    ("AWS::IAM::RolePolicy", &["PolicyDocument"], PolicyOwner::Identity),
    ("AWS::IAM::User", &["Policies[]", "PolicyDocument"], PolicyOwner::Identity),
    ("AWS::IAM::UserPolicy", &["PolicyDocument"], PolicyOwner::Identity),
    ("AWS::KMS::Key", &["KeyPolicy"], PolicyOwner::Resource),
    ("AWS::KMS::ReplicaKey", &["KeyPolicy"], PolicyOwner::Resource),
    ("AWS::OpenSearchService::Domain", &["AccessPolicies"], PolicyOwner::Resource),
    ("AWS::S3::BucketPolicy", &["PolicyDocument"], PolicyOwner::Bucket),
    ("AWS::SecretsManager::ResourcePolicy", &["ResourcePolicy"], PolicyOwner::Resource),
    ("AWS::Serverless::Function", &["Policies[]"], PolicyOwner::Identity),
    ("AWS::Serverless::StateMachine", &["Policies[]"], PolicyOwner::Identity),
    ("AWS::SNS::TopicPolicy", &["PolicyDocument"], PolicyOwner::Resource),
    ("AWS::SQS::QueuePolicy", &["PolicyDocument"], PolicyOwner::Resource),
];

/// The properties with ARNs of managed policies.
const MANAGED: [&str; 4] = ["AWS::IAM::Group", "AWS::IAM::Role", "AWS::IAM::User", "AWS::SSO::PermissionSet"];

const MEMBERS: [&str; 3] = ["Id", "Statement", "Version"];

const VERSIONS: [&str; 2] = ["2008-10-17", "2012-10-17"];

const OF_STATEMENT: [&str; 9] =
    ["Action", "Condition", "Effect", "NotAction", "NotPrincipal", "NotResource", "Principal", "Resource", "Sid"];

/// Operators of conditions, without a quantifier before them, and without `IfExists` after them.
const OPERATORS: [&str; 27] = [
    "ArnEquals",
    "ArnLike",
    "ArnNotEquals",
    "ArnNotLike",
    "BinaryEquals",
    "Bool",
    "DateEquals",
    "DateGreaterThan",
    "DateGreaterThanEquals",
    "DateLessThan",
    "DateLessThanEquals",
    "DateNotEquals",
    "IpAddress",
    "NotIpAddress",
    "Null",
    "NumericEquals",
    "NumericGreaterThan",
    "NumericGreaterThanEquals",
    "NumericLessThan",
    "NumericLessThanEquals",
    "NumericNotEquals",
    "StringEquals",
    "StringEqualsIgnoreCase",
    "StringLike",
    "StringNotEquals",
    "StringNotEqualsIgnoreCase",
    "StringNotLike",
];

/// Who may be a principal.
const PRINCIPALS: [&str; 4] = ["AWS", "CanonicalUser", "Federated", "Service"];

/// Maximum number of statements of one policy whose names are compared. A policy is shorter.
const MAX_NAMED: usize = 500;

pub(super) fn check_policies(stack: &Stack<'_>) {
    for Declaration { member, path, .. } in stack.declarations("Resources") {
        let Some(type_name) = member.value.get("Type").and_then(Value::as_str) else { continue };
        let Some(properties) = member.value.as_object().and_then(|resource| resource.get_exact("Properties")) else {
            continue;
        };
        let path = join_key(&path, "Properties");
        let managed = MANAGED.iter().filter(|known| **known == type_name).find_map(|_| {
            let properties = properties.as_object()?;
            ["ManagedPolicyArns", "ManagedPolicies"]
                .into_iter()
                .find_map(|name| Some((name, properties.get_exact(name)?)))
        });
        if let Some((name, arns)) = managed {
            check_managed(stack, arns, &join_key(&path, name));
        }
        for (_, names, kind) in PLACES.iter().filter(|(known, ..)| *known == type_name) {
            Policies { stack, kind: *kind }.find(properties, names, &path);
        }
    }
}

/// Reports ARNs of policies that are malformed, or that AWS does not have.
fn check_managed(stack: &Stack<'_>, arns: &Value, path: &str) {
    for (at, item) in arns.as_array().into_iter().flatten().enumerate() {
        let text = written_text(item).map(|text| text.replace("${AWS::Partition}", "aws"));
        if let Some(problem) = text.and_then(|text| arns::managed_problem(&text).or_else(|| arns::problem(&text))) {
            stack.breach(POLICY_GRAMMAR, join_index(path, at), problem, item.span);
        }
    }
}

struct Policies<'s, 'a> {
    stack: &'s Stack<'a>,
    kind: PolicyOwner,
}

impl Policies<'_, '_> {
    /// Checks the policies at the end of a path.
    fn find(&self, value: &Value, names: &[&str], path: &str) {
        let Some((name, rest)) = names.split_first() else { return self.document(value, path) };
        let (name, is_list) = name.strip_suffix("[]").map_or((*name, false), |name| (name, true));
        let Some(inner) = value.as_object().and_then(|object| object.get_exact(name)) else { return };
        let path = join_key(path, name);
        if is_list {
            for (at, item) in inner.as_array().into_iter().flatten().enumerate() {
                // SAM also takes names of managed policies, and templates of policies.
                if !rest.is_empty() || item.as_object().is_some_and(|item| item.get_exact("Statement").is_some()) {
                    self.find(item, rest, &join_index(&path, at));
                }
            }
        } else {
            self.find(inner, rest, &path);
        }
    }

    fn refuse(&self, value: &Value, path: &str, message: String) {
        self.stack.breach(POLICY_GRAMMAR, path.to_owned(), message, value.span);
    }

    fn document(&self, value: &Value, path: &str) {
        // What a function makes, or text in JSON, is not known here.
        if is_open(value) || value.as_str().is_some() {
            return branches(value, path, &mut |branch, path| self.document(branch, path));
        }
        let Some(document) = value.as_object() else {
            return self.refuse(value, path, format!("a policy must be an object, found {}", kind(value)));
        };
        self.stack.refuse_unknown(POLICY_GRAMMAR, document, ("a policy", path), &MEMBERS);
        let is_wrong = |version: &&Value| version.as_str().is_some_and(|text| !VERSIONS.contains(&text));
        if let Some(version) = document.get_exact("Version").filter(is_wrong) {
            let message = "the version of a policy must be `2012-10-17` or `2008-10-17`".to_owned();
            self.refuse(version, &join_key(path, "Version"), message);
        }
        let Some(statements) = document.get_exact("Statement") else {
            return self.refuse(value, path, "a policy must have a `Statement`".to_owned());
        };
        self.statements(statements, &join_key(path, "Statement"));
    }

    /// Checks a statement, or a list of them.
    fn statements(&self, value: &Value, path: &str) {
        if is_open(value) {
            return branches(value, path, &mut |branch, path| self.statements(branch, path));
        }
        match value.as_array() {
            Some(items) => {
                self.names(items, path);
                for (at, item) in items.iter().enumerate() {
                    self.statement(item, &join_index(path, at));
                }
            }
            None => self.statement(value, path),
        }
    }

    fn statement(&self, value: &Value, path: &str) {
        if is_open(value) {
            return branches(value, path, &mut |branch, path| self.statement(branch, path));
        }
        let Some(statement) = value.as_object() else {
            return self.refuse(value, path, format!("a statement must be an object, found {}", kind(value)));
        };
        self.stack.refuse_unknown(POLICY_GRAMMAR, statement, ("a statement", path), &OF_STATEMENT);
        let has = |name: &str| statement.get_exact(name).is_some();
        match statement.get_exact("Effect") {
            None => self.refuse(value, path, "a statement must have an `Effect`".to_owned()),
            Some(effect) if effect.as_str().is_some_and(|effect| !matches!(effect, "Allow" | "Deny")) => {
                self.refuse(effect, &join_key(path, "Effect"), "`Effect` must be `Allow` or `Deny`".to_owned());
            }
            Some(_) => {}
        }
        let pairs = [
            ("Action", "NotAction", Some(true)),
            ("Resource", "NotResource", self.needs_resource()),
            ("Principal", "NotPrincipal", Some(self.kind != PolicyOwner::Identity)),
        ];
        for (name, negated, is_needed) in pairs {
            match (has(name), has(negated), is_needed) {
                (true, true, _) => {
                    let message = format!("a statement must have `{name}` or `{negated}`, and not both");
                    self.refuse(value, path, message);
                }
                (false, false, Some(true)) => {
                    self.refuse(value, path, format!("a statement must have `{name}` or `{negated}`"));
                }
                (true, false, Some(false)) => self.misplaced(statement, name, path),
                (false, true, Some(false)) => self.misplaced(statement, negated, path),
                _ => {}
            }
        }
        self.principal(statement, path);
        self.conditions(statement, path);
        self.named_actions(statement, path);
    }

    /// Checks the actions and resources of a statement.
    fn named_actions(&self, statement: &Object, path: &str) {
        for name in ["Action", "NotAction"] {
            self.actions(statement, name, path);
            self.strings(
                statement,
                name,
                path,
                |text| text == "*" || text.contains(':'),
                "an action is written as `service:Name`",
            );
        }
        for name in ["Resource", "NotResource"] {
            let is_right = |text: &str| text == "*" || text.starts_with("arn:") || self.kind != PolicyOwner::Identity;
            self.strings(statement, name, path, is_right, "a resource of a policy must be an ARN or `*`");
            self.resources(statement, name, path);
            if self.kind == PolicyOwner::Bucket {
                let expected = "a resource of the policy of a bucket must be the ARN of the bucket or of its objects";
                self.strings(statement, name, path, |text| text != "*", expected);
            }
        }
    }

    /// Reports actions that IAM does not know.
    fn actions(&self, statement: &Object, name: &str, path: &str) {
        for (item, path) in items(statement, name, path) {
            let Some(problem) = item.as_str().and_then(actions::problem) else { continue };
            if problem.is_harmless {
                // Nobody misses what it does not permit.
                self.stack.breach_with(Severity::Low, (POLICY_ACTION, path), problem.message, item.span);
            } else {
                self.stack.breach(POLICY_ACTION, path, problem.message, item.span);
            }
        }
    }

    /// Reports ARNs that IAM cannot read, and references that return none.
    fn resources(&self, statement: &Object, name: &str, path: &str) {
        for (item, path) in items(statement, name, path) {
            let referred = call(item).filter(|call| *call.key == *"Ref").and_then(|call| call.value.as_str());
            let declared = referred.and_then(|name| self.stack.section("Resources")?.get_exact(name)?.as_object());
            let type_name = declared.and_then(|declared| declared.get_exact("Type")?.as_str());
            if let Some((name, type_name)) = referred.zip(type_name.filter(|type_name| arns::is_named(type_name))) {
                let message = format!("`Ref` of `{name}`, an `{type_name}`, is not an ARN; use `!GetAtt {name}.Arn`");
                self.refuse(item, &path, message);
            } else if let Some(problem) = written_text(item).and_then(|text| arns::problem(&text)) {
                self.refuse(item, &path, problem);
            }
        }
    }

    /// Reports operators of conditions that IAM does not know.
    fn conditions(&self, statement: &Object, path: &str) {
        let Some(conditions) = statement.get_exact("Condition").filter(|value| !is_open(value)) else { return };
        let path = join_key(path, "Condition");
        let Some(object) = conditions.as_object() else {
            let message = format!("`Condition` of a statement must be an object, found {}", kind(conditions));
            return self.refuse(conditions, &path, message);
        };
        for member in object.iter().filter(|member| !is_macro(member) && !member.key.contains(['$', '{'])) {
            let key: &str = &member.key;
            let plain = ["ForAllValues:", "ForAnyValue:"].iter().find_map(|quantifier| key.strip_prefix(quantifier));
            let plain = plain.unwrap_or(key);
            let plain = plain.strip_suffix("IfExists").unwrap_or(plain);
            if !OPERATORS.iter().any(|known| known.eq_ignore_ascii_case(plain)) {
                let hint = self.stack.world.suggestions.did_you_mean(plain, OPERATORS);
                let message = format!("IAM has no operator `{}` of conditions{hint}", cut(key, MAX_SHOWN));
                self.stack.breach(POLICY_GRAMMAR, join_key(&path, key), message, member.span());
            }
        }
    }

    /// Reports names of statements that IAM does not take in policies of identities and roles: other characters than
    /// letters and digits, and repeated ones.
    fn names(&self, statements: &[Value], path: &str) {
        if !matches!(self.kind, PolicyOwner::Identity | PolicyOwner::Trust) {
            return;
        }
        let mut seen: Vec<&str> = Vec::new();
        for (at, statement) in statements.iter().enumerate().take(MAX_NAMED) {
            let name = statement.as_object().and_then(|statement| statement.get_exact("Sid"));
            let Some((name, text)) = name.and_then(|name| Some((name, name.as_str()?))) else { continue };
            let path = join_key(&join_index(path, at), "Sid");
            if !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                let message = format!("`Sid` is `{}`; expected letters and digits only", cut(text, MAX_SHOWN));
                self.refuse(name, &path, message);
            } else if !text.is_empty() && seen.contains(&text) {
                self.refuse(name, &path, format!("another statement of the policy has the `Sid` `{text}`"));
            }
            seen.push(text);
        }
    }

    /// Returns `Some(true)` if a statement must name resources, `Some(false)` if it must not, and `None` if it may.
    fn needs_resource(&self) -> Option<bool> {
        match self.kind {
            PolicyOwner::Bucket | PolicyOwner::Identity | PolicyOwner::Resource => Some(true),
            PolicyOwner::Repository => None,
            PolicyOwner::Trust => Some(false),
        }
    }

    /// Reports a member that statements of this kind of policy do not have.
    fn misplaced(&self, statement: &Object, name: &str, path: &str) {
        if let Some(member) = statement.member(name) {
            let of =
                if self.kind == PolicyOwner::Trust { "of a role for those who assume it" } else { "of an identity" };
            let message = format!("the policy {of} has no `{name}`");
            self.stack.breach(POLICY_GRAMMAR, join_key(path, name), message, member.span());
        }
    }

    fn principal(&self, statement: &Object, path: &str) {
        for name in ["Principal", "NotPrincipal"] {
            let Some(value) = statement.get_exact(name).filter(|value| !is_open(value)) else { continue };
            let path = join_key(path, name);
            match value.as_object() {
                Some(principals) => {
                    self.stack.refuse_unknown(POLICY_GRAMMAR, principals, ("a principal", &path), &PRINCIPALS);
                    self.named_principals(principals, &path);
                }
                None if value.as_str() == Some("*") => {}
                None if self.kind == PolicyOwner::Identity => {}
                None => self.refuse(value, &path, format!("`{name}` must be `*` or an object, such as `AWS: arn:…`")),
            }
        }
    }

    /// Reports services and accounts that cannot be principals.
    fn named_principals(&self, principals: &Object, path: &str) {
        for (name, problem) in [
            ("Service", principals::service_problem as fn(&str) -> Option<String>),
            ("AWS", principals::account_problem),
        ] {
            for (item, path) in items(principals, name, path) {
                if let Some(problem) = item.as_str().and_then(problem) {
                    self.refuse(item, &path, problem);
                }
            }
        }
    }

    /// Reports the literals that are wrong in a string or a list of strings.
    fn strings(&self, statement: &Object, name: &str, path: &str, is_right: impl Fn(&str) -> bool, expected: &str) {
        let Some(value) = statement.get_exact(name) else { return };
        let path = join_key(path, name);
        let items = value.as_array();
        for (at, item) in items.unwrap_or(std::slice::from_ref(value)).iter().enumerate() {
            let path = if items.is_some() { join_index(&path, at) } else { path.clone() };
            match item.as_str() {
                Some(text) if !is_right(text) => self.refuse(item, &path, expected.to_owned()),
                None if !is_open(item) && !item.is_null() && !is_scalar(item) => {
                    self.refuse(item, &path, format!("`{name}` must be a string or a list of strings"));
                }
                _ => {}
            }
        }
    }
}

/// Returns the values of a member that is one value or a list, each with its path.
fn items<'v>(object: &'v Object, name: &str, path: &str) -> Vec<(&'v Value, String)> {
    let Some(value) = object.get_exact(name) else { return Vec::new() };
    let path = join_key(path, name);
    match value.as_array() {
        Some(items) => items.iter().enumerate().map(|(at, item)| (item, join_index(&path, at))).collect(),
        None => vec![(value, path)],
    }
}

/// Returns a string as it is written: a literal, that of `Fn::Sub`, or the parts of `Fn::Join`. What is computed
/// stands as `${…}`.
pub(super) fn written_text(value: &Value) -> Option<String> {
    if let Some(text) = value.as_str() {
        return Some(text.to_owned());
    }
    let call = call(value)?;
    match (&*call.key, call.value.as_array()) {
        ("Fn::Sub", None) => call.value.as_str().map(str::to_owned),
        ("Fn::Sub", Some(parts)) => parts.first()?.as_str().map(str::to_owned),
        ("Fn::Join", Some([delimiter, list])) => {
            let parts = list.as_array()?.iter().map(|part| part.as_str().map_or_else(|| named(part), str::to_owned));
            Some(parts.collect::<Vec<String>>().join(delimiter.as_str()?))
        }
        _ => None,
    }
}

/// Returns the name in `Ref` as in `Fn::Sub`.
fn named(value: &Value) -> String {
    let name = call(value).filter(|call| *call.key == *"Ref").and_then(|call| call.value.as_str());
    format!("${{{}}}", name.unwrap_or("?"))
}

/// Calls `each` with the two values of `Fn::If`, one of which counts.
fn branches(value: &Value, path: &str, each: &mut dyn FnMut(&Value, &str)) {
    let Some(call) = call(value).filter(|call| *call.key == *"Fn::If") else { return };
    let path = join_key(path, &call.key);
    for (at, branch) in call.value.as_array().into_iter().flatten().enumerate().skip(1) {
        each(branch, &join_index(&path, at));
    }
}

/// Returns `true` if a value is a call of a function, or an object with a call of a macro.
fn is_open(value: &Value) -> bool {
    call(value).is_some() || value.as_object().is_some_and(|object| object.iter().any(is_macro))
}
