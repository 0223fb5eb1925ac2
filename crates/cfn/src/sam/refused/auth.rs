//! Errors of the transform about who may call an API.
//!
//! Facts from samtranslator/model/apigateway.py, samtranslator/model/apigatewayv2.py, and samtranslator/swagger of
//! aws/serverless-application-model (Apache-2.0).

use crate::model::{join_index, join_key};
use crate::sam::build::{get, given_property};
use crate::sam::intrinsics::is_intrinsic;
use crate::sam::refused::is_whole;
use crate::sam::{Sam, Source};
use crate::value::{Member, Value};

/// Properties of an authorizer of an HTTP API that calls a function.
const OF_FUNCTIONS: [&str; 6] = [
    "AuthorizerPayloadFormatVersion",
    "EnableFunctionDefaultPermissions",
    "EnableSimpleResponses",
    "FunctionArn",
    "FunctionInvokeRole",
    "Identity",
];

/// Properties of an authorizer of an HTTP API that checks tokens.
const OF_TOKENS: [&str; 3] = ["AuthorizationScopes", "IdentitySource", "JwtConfiguration"];

/// Members of the identity of an authorizer that are lists of strings.
const OF_IDENTITIES: [&str; 4] = ["Context", "Headers", "QueryStrings", "StageVariables"];

/// Members of a resource policy that the transform reads itself, so that they cannot be computed.
const OF_POLICIES: [&str; 2] = ["SourceVpcBlacklist", "SourceVpcWhitelist"];

impl Sam<'_, '_> {
    /// Reports what the transform rejects in `Auth` of an API.
    pub(in crate::sam) fn refused_auth(&self, source: &Source, path: &str, is_http: bool) {
        let Some(auth) = source.given_property("Auth").filter(|auth| is_whole(auth)) else { return };
        let path = join_key(path, "Auth");
        let authorizers = get(auth, "Authorizers").filter(|authorizers| is_whole(authorizers));
        for authorizer in authorizers.and_then(Value::as_object).into_iter().flatten() {
            let path = join_key(&join_key(&path, "Authorizers"), &authorizer.key);
            if !is_whole(&authorizer.value) {
                continue;
            }
            if is_http {
                self.refused_http_authorizer(authorizer, &path);
            } else {
                self.refused_rest_authorizer(authorizer, &path);
            }
        }
        let policy = get(auth, "ResourcePolicy").filter(|policy| is_whole(policy));
        for name in OF_POLICIES {
            let list = policy.and_then(|policy| get(policy, name));
            for (at, item) in list.and_then(Value::as_array).unwrap_or_default().iter().enumerate() {
                if item.as_object().is_some() {
                    let path = join_index(&join_key(&join_key(&path, "ResourcePolicy"), name), at);
                    let message = format!("`{name}` must be a list of strings, without functions");
                    self.refuse(item, &path, message);
                }
            }
        }
    }

    fn refused_http_authorizer(&self, authorizer: &Member, path: &str) {
        let value = &authorizer.value;
        let is_of_tokens = given_property(value, "JwtConfiguration").is_some();
        let (needed, misplaced): (&[&str], &[&str]) = if is_of_tokens {
            (&["JwtConfiguration", "IdentitySource"], &OF_FUNCTIONS)
        } else {
            (&["FunctionArn", "AuthorizerPayloadFormatVersion"], &OF_TOKENS)
        };
        for name in needed.iter().filter(|name| given_property(value, name).is_none()) {
            let message = format!("the authorizer `{}` needs `{name}`", authorizer.key);
            self.refuse_member(authorizer, &join_key(path, name), message);
        }
        for name in misplaced {
            if let Some(member) = get(value, name) {
                let of = if is_of_tokens { "calls a function" } else { "checks tokens" };
                self.refuse(member, &join_key(path, name), format!("only an authorizer that {of} has `{name}`"));
            }
        }
        let permissions = get(value, "EnableFunctionDefaultPermissions").filter(|value| !is_intrinsic(value));
        if let Some(value) = permissions.filter(|value| value.as_bool().is_none() && value.as_unknown().is_none()) {
            let path = join_key(path, "EnableFunctionDefaultPermissions");
            self.refuse(value, &path, "`EnableFunctionDefaultPermissions` must be a Boolean");
        }
        self.refused_identity(value, path);
    }

    fn refused_rest_authorizer(&self, authorizer: &Member, path: &str) {
        let value = &authorizer.value;
        let kind = get(value, "FunctionPayloadType").filter(|kind| kind.as_str().is_some());
        if let Some(kind) = kind.filter(|kind| !matches!(kind.as_str(), Some("TOKEN" | "REQUEST"))) {
            let message = "`FunctionPayloadType` must be `TOKEN` or `REQUEST`";
            self.refuse(kind, &join_key(path, "FunctionPayloadType"), message);
        }
        if kind.is_some_and(|kind| kind.as_str() == Some("REQUEST")) {
            let identity = given_property(value, "Identity");
            let is_identified = identity.is_some_and(|identity| {
                !is_whole(identity) || OF_IDENTITIES.iter().any(|name| given_property(identity, name).is_some())
            });
            // Without a cache, nothing needs to identify the caller.
            let seconds = identity.and_then(|identity| get(identity, "ReauthorizeEvery"));
            let is_cached = seconds.is_none_or(|seconds| {
                let number = seconds.as_int().or_else(|| seconds.as_str()?.parse().ok());
                number.is_none_or(|number| number > 0)
            });
            if !is_identified && is_cached {
                let message = format!(
                    "the authorizer `{}` needs an `Identity` with `Headers`, `QueryStrings`, `StageVariables`, or `Context`",
                    authorizer.key
                );
                self.refuse_member(authorizer, &join_key(path, "Identity"), message);
            }
        }
        let scopes = get(value, "AuthorizationScopes").filter(|scopes| !is_intrinsic(scopes));
        if let Some(scopes) = scopes.filter(|scopes| scopes.as_array().is_none() && scopes.as_unknown().is_none()) {
            self.refuse(scopes, &join_key(path, "AuthorizationScopes"), "`AuthorizationScopes` must be a list");
        }
    }

    /// Reports lists in the identity of an authorizer that are none, or have other items than strings.
    fn refused_identity(&self, authorizer: &Value, path: &str) {
        let Some(identity) = get(authorizer, "Identity").filter(|identity| is_whole(identity)) else { return };
        for name in OF_IDENTITIES {
            let Some(list) = get(identity, name) else { continue };
            let path = join_key(&join_key(path, "Identity"), name);
            let Some(items) = list.as_array() else {
                self.refuse(list, &path, format!("`{name}` must be a list"));
                continue;
            };
            for (at, item) in items.iter().enumerate().filter(|(_, item)| item.as_object().is_some()) {
                self.refuse(item, &join_index(&path, at), format!("an item of `{name}` must be a string"));
            }
        }
    }
}
