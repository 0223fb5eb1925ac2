//! Requests as data, so that a dry run prints what a real run sends.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// HTTP method. GitHub changes nothing for a [`Method::Get`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Patch,
    Delete,
}

impl Method {
    /// Returns the name on the wire.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// API of a request. Each has its own address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interface {
    Rest,
    Graphql,
}

/// A request to GitHub.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Request {
    pub(super) method: Method,
    /// Escaped path, relative to the address of the API, with the query.
    pub(super) path: String,
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(super) body: Value,
    #[serde(skip)]
    pub(super) interface: Interface,
}

impl Request {
    /// Returns a request that only reads.
    pub(super) fn get(path: String) -> Self {
        Self { method: Method::Get, path, body: Value::Null, interface: Interface::Rest }
    }

    /// Returns a request that writes, with its body as JSON.
    pub(super) fn write(method: Method, path: String, body: &impl Serialize) -> Self {
        let body = serde_json::to_value(body).expect("bodies are structs of strings and numbers");
        Self { method, path, body, interface: Interface::Rest }
    }

    /// Returns a request that deletes the object at a path.
    pub(super) fn delete(path: String) -> Self {
        Self { method: Method::Delete, ..Self::get(path) }
    }

    /// Returns the request as one line of JSON. The runner of a workflow would execute `##[` anywhere in a log. It
    /// can occur only in JSON strings, where it is escaped.
    pub fn json_line(&self) -> String {
        let text = serde_json::to_string(self).expect("requests are structs of strings and numbers");
        text.replace("##[", "##\\u005b")
    }

    /// Returns a GraphQL request.
    pub(super) fn graphql(query: &str, variables: &Value) -> Self {
        let body = json!({ "query": query, "variables": variables });
        Self { method: Method::Post, path: "/graphql".to_owned(), body, interface: Interface::Graphql }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_request_is_no_command_and_means_the_same() {
        let request = Request::write(Method::Post, "/x".to_owned(), &json!({"body": "a\n##[error]b"}));
        let line = request.json_line();
        assert_eq!(line, r#"{"method":"POST","path":"/x","body":{"body":"a\n##\u005berror]b"}}"#);
        let back: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(back["body"], request.body);
    }
}
