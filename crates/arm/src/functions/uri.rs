//! URI functions.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-string#uri>,
//! for `buildUri` and `parseUri`
//! <https://learn.microsoft.com/azure/azure-resource-manager/bicep/bicep-functions-string#builduri>.

use ::base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::dotnet::uri::Uri;
use crate::dotnet::{base64, escape};
use crate::fault::Fault;
use crate::functions::{Args, Function, exactly, pure};
use crate::value::{Data, Kind, Member, Object, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("buildUri", exactly(1), Kind::String, build_uri),
    pure("dataUri", exactly(1), Kind::String, data_uri),
    pure("dataUriToString", exactly(1), Kind::String, data_uri_to_string),
    pure("parseUri", exactly(1), Kind::Object, parse_uri),
    pure("uri", exactly(2), Kind::String, uri),
    pure("uriComponent", exactly(1), Kind::String, uri_component),
    pure("uriComponentToString", exactly(1), Kind::String, uri_component_to_string),
];

/// `buildUri({scheme, host, port?, path?, query?})`: formats a URI as `System.UriBuilder` does.
fn build_uri(args: Args<'_>) -> Result<Value, Fault> {
    args.known_throughout(Kind::String, |args| {
        let parts: &Object = args.at(0)?;
        let required = |name| match text_member(parts, name)? {
            "" => Err(Fault::arguments(format!("the object for `buildUri` needs a `{name}`"))),
            text => Ok(text),
        };
        let (scheme, host) = (required("scheme")?.to_ascii_lowercase(), required("host")?);
        let port = match parts.get("port").map(|port| &port.data) {
            None | Some(Data::Null) => String::new(),
            Some(Data::Int(port @ 0..=65535)) => format!(":{port}"),
            Some(_) => {
                return Err(Fault::arguments("`port` for `buildUri` must be an integer from 0 to 65535 or null"));
            }
        };
        // An IPv6 address is written in brackets.
        let bracketed = host.contains(':') && !host.starts_with('[');
        let (open, close) = if bracketed { ("[", "]") } else { ("", "") };
        let path = escape::escape_illegal(text_member(parts, "path")?);
        let slash = if path.starts_with('/') { "" } else { "/" };
        let query = text_member(parts, "query")?;
        let mark = if query.is_empty() || query.starts_with('?') { "" } else { "?" };
        Ok(Value::from(format!("{scheme}://{open}{host}{close}{port}{slash}{path}{mark}{query}")))
    })
}

/// Returns the string in a member, empty if the member is absent or null.
fn text_member<'a>(parts: &'a Object, name: &str) -> Result<&'a str, Fault> {
    match parts.get(name) {
        None => Ok(""),
        Some(value) if value.is_null() => Ok(""),
        Some(value) => {
            value.as_str().ok_or_else(|| Fault::arguments(format!("`{name}` for `buildUri` must be a string")))
        }
    }
}

/// `dataUri(stringToConvert)`: a `data:` URI with the string in Base64.
fn data_uri(args: Args<'_>) -> Result<Value, Fault> {
    let text: &str = args.at(0)?;
    Ok(Value::from(format!("data:text/plain;charset=utf-8;base64,{}", BASE64_STANDARD.encode(text))))
}

/// `dataUriToString(dataUriToConvert)`: decodes a `data:` URI as UTF-8. See <https://www.rfc-editor.org/rfc/rfc2397>.
fn data_uri_to_string(args: Args<'_>) -> Result<Value, Fault> {
    let text: &str = args.at(0)?;
    let scheme = text.split_at_checked(5).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("data:"));
    let Some((media_type, data)) = scheme.and_then(|(_, rest)| rest.split_once(',')) else {
        return Err(Fault::failed("`dataUriToString` expects a string of the form `data:<type>,<data>`"));
    };
    if !media_type.to_ascii_lowercase().ends_with(";base64") {
        return Ok(Value::from(escape::unescape_data(data)));
    }
    match base64::decode(data) {
        Some(bytes) => Ok(Value::from(String::from_utf8_lossy(&bytes).into_owned())),
        None => Err(Fault::failed("the data for `dataUriToString` is not Base64")),
    }
}

/// `parseUri(uri)`: an object as `buildUri` takes it. Members for an empty path or query are omitted.
fn parse_uri(args: Args<'_>) -> Result<Value, Fault> {
    let uri = absolute(args, args.at(0)?)?;
    let (host, port) = match uri.authority {
        Some(authority) => (authority.host, authority.port),
        None => (String::new(), None),
    };
    let mut members = vec![
        Member::new("scheme", Value::from(uri.scheme)),
        Member::new("host", Value::from(host)),
        Member::new("port", port.map_or(Value::NULL, |port| Value::from(i64::from(port)))),
    ];
    if uri.path != "/" {
        members.push(Member::new("path", Value::from(uri.path)));
    }
    if !uri.query.is_empty() {
        members.push(Member::new("query", Value::from(uri.query)));
    }
    Ok(Value::object(members))
}

/// `uri(baseUri, relativeUri)`: resolves a relative URI against a base.
fn uri(args: Args<'_>) -> Result<Value, Fault> {
    let (base, relative): (&str, &str) = args.get()?;
    let uri = absolute(args, base)?.resolve(relative).map_err(|problem| {
        let relative = args.cite(1, relative);
        Fault::failed(format!("`uri` expects a relative URI, found {relative}: {problem}"))
    })?;
    Ok(Value::from(uri.to_string()))
}

fn absolute(args: Args<'_>, text: &str) -> Result<Uri, Fault> {
    Uri::parse(text).map_err(|problem| {
        let (function, text) = (args.function(), args.cite(0, text));
        Fault::failed(format!("`{function}` expects an absolute URI, found {text}: {problem}"))
    })
}

/// `uriComponent(stringToEncode)`: percent-encodes everything but unreserved characters.
fn uri_component(args: Args<'_>) -> Result<Value, Fault> {
    Ok(Value::from(escape::escape_data(args.at(0)?)))
}

/// `uriComponentToString(uriEncodedString)`: decodes percent-encoded characters.
fn uri_component_to_string(args: Args<'_>) -> Result<Value, Fault> {
    Ok(Value::from(escape::unescape_data(args.at(0)?)))
}
