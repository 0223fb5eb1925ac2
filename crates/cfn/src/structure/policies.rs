//! Policies of IAM, and those of resources.
//!
//! Reference: <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html>.
use formwork_model::declare_checks;

use crate::loops::Declaration;
use crate::model::{join_index, join_key};
use crate::stack::Stack;
use crate::structure::{call, is_macro, is_scalar, kind};
use crate::value::{Object, Value};

declare_checks! {
    pub(crate) const CHECKS;

    POLICY_GRAMMAR = Expression High "policy/grammar" "Policy.Grammar"
        "A policy should follow the grammar of IAM"
        "AWS rejects a policy with unknown or missing elements."
        "Write the policy as its grammar describes it."
        .refused()
        .aws("IAM/latest/UserGuide/reference_policies_grammar");
}

/// Owner of a policy, which determines the elements of its statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
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
const PLACES: &[(&str, &[&str], Kind)] = &[
    ("AWS::ECR::Repository", &["RepositoryPolicyText"], Kind::Repository),
    ("AWS::IAM::Group", &["Policies[]", "PolicyDocument"], Kind::Identity),
    ("AWS::IAM::GroupPolicy", &["PolicyDocument"], Kind::Identity),
    ("AWS::IAM::ManagedPolicy", &["PolicyDocument"], Kind::Identity),
    ("AWS::IAM::Policy", &["PolicyDocument"], Kind::Identity),
    ("AWS::IAM::Role", &["AssumeRolePolicyDocument"], Kind::Trust),
    ("AWS::IAM::Role", &["Policies[]", "PolicyDocument"], Kind::Identity),
    ("AWS::IAM::RolePolicy", &["PolicyDocument"], Kind::Identity),
    ("AWS::IAM::User", &["Policies[]", "PolicyDocument"], Kind::Identity),
    ("AWS::IAM::UserPolicy", &["PolicyDocument"], Kind::Identity),
    ("AWS::KMS::Key", &["KeyPolicy"], Kind::Resource),
    ("AWS::S3::BucketPolicy", &["PolicyDocument"], Kind::Bucket),
    ("AWS::SNS::TopicPolicy", &["PolicyDocument"], Kind::Resource),
    ("AWS::SQS::QueuePolicy", &["PolicyDocument"], Kind::Resource),
];

const MEMBERS: [&str; 3] = ["Id", "Statement", "Version"];

const VERSIONS: [&str; 2] = ["2008-10-17", "2012-10-17"];

const OF_STATEMENT: [&str; 9] =
    ["Action", "Condition", "Effect", "NotAction", "NotPrincipal", "NotResource", "Principal", "Resource", "Sid"];

/// Who may be a principal.
const PRINCIPALS: [&str; 4] = ["AWS", "CanonicalUser", "Federated", "Service"];

pub(super) fn check(stack: &Stack<'_>) {
    for Declaration { member, path, .. } in stack.declarations("Resources") {
        let Some(type_name) = member.value.get("Type").and_then(Value::as_str) else { continue };
        let Some(properties) = member.value.as_object().and_then(|resource| resource.get_exact("Properties")) else {
            continue;
        };
        let path = join_key(&path, "Properties");
        for (_, names, kind) in PLACES.iter().filter(|(known, ..)| *known == type_name) {
            Policies { stack, kind: *kind }.find(properties, names, &path);
        }
    }
}

struct Policies<'s, 'a> {
    stack: &'s Stack<'a>,
    kind: Kind,
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
                self.find(item, rest, &join_index(&path, at));
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
            ("Principal", "NotPrincipal", Some(self.kind != Kind::Identity)),
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
        for name in ["Action", "NotAction"] {
            self.strings(
                statement,
                name,
                path,
                |text| text == "*" || text.contains(':'),
                "an action is written as `service:Name`",
            );
        }
        for name in ["Resource", "NotResource"] {
            let is_right = |text: &str| text == "*" || text.starts_with("arn:") || self.kind != Kind::Identity;
            self.strings(statement, name, path, is_right, "a resource of a policy must be an ARN or `*`");
            if self.kind == Kind::Bucket {
                let expected = "a resource of the policy of a bucket must be the ARN of the bucket or of its objects";
                self.strings(statement, name, path, |text| text != "*", expected);
            }
        }
    }

    /// Returns `Some(true)` if a statement must name resources, `Some(false)` if it must not, and `None` if it may.
    fn needs_resource(&self) -> Option<bool> {
        match self.kind {
            Kind::Bucket | Kind::Identity | Kind::Resource => Some(true),
            Kind::Repository => None,
            Kind::Trust => Some(false),
        }
    }

    /// Reports a member that statements of this kind of policy do not have.
    fn misplaced(&self, statement: &Object, name: &str, path: &str) {
        if let Some(member) = statement.member(name) {
            let of = if self.kind == Kind::Trust { "of a role for those who assume it" } else { "of an identity" };
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
                }
                None if value.as_str() == Some("*") => {}
                None if self.kind == Kind::Identity => {}
                None => self.refuse(value, &path, format!("`{name}` must be `*` or an object, such as `AWS: arn:…`")),
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
