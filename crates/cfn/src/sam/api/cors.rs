//! CORS of REST APIs: an `OPTIONS` method for each path.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-api-corsconfiguration.html>.

use foldhash::HashSet;

use crate::sam::api::editor::{ANY, Editor, INTEGRATION};
use crate::sam::build::{Fields, get, given_property, is_set, located, object, strings};
use crate::sam::intrinsics::is_intrinsic;
use crate::text::Span;
use crate::value::Value;

/// Request template of an `OPTIONS` method, which responds without calling anything.
const REQUEST: &str = "{\n  \"statusCode\" : 200\n}\n";

/// The methods that a path with any method allows.
const ALL_METHODS: &str = "DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT";

/// The settings of CORS: the property, in which a string is the allowed origin.
struct Settings<'v> {
    origin: Value,
    headers: Option<&'v Value>,
    methods: Option<&'v Value>,
    max_age: Option<&'v Value>,
    allows_credentials: bool,
}

/// Adds the methods for CORS to all paths.
pub(super) fn add(editor: &mut Editor, cors: &Value) {
    let is_origin = cors.as_object().is_none() || is_intrinsic(cors);
    let named = |name: &str| if is_origin { None } else { get(cors, name) };
    let settings = Settings {
        origin: match (is_origin, get(cors, "AllowOrigin")) {
            (true, _) => cors.clone(),
            (false, Some(origin)) => origin.clone(),
            (false, None) => Value::from("'*'"),
        },
        headers: named("AllowHeaders").filter(|headers| is_set(headers)),
        methods: named("AllowMethods").filter(|methods| is_set(methods)),
        max_age: named("MaxAge"),
        allows_credentials: !is_origin
            && given_property(cors, "AllowCredentials").and_then(Value::as_bool) == Some(true),
    };
    let mut done: HashSet<String> = HashSet::default();
    let mut paths = editor.paths();
    paths.retain(|path| {
        let path = if **path == *"/" { "/" } else { path.trim_end_matches('/') };
        done.insert(path.to_owned())
    });
    for path in paths {
        let methods = allowed_methods(editor, &path);
        editor.change_item(&path, &mut |fields| {
            if !fields.has("options") {
                fields.set("options", options(&settings, &methods, cors.span));
            }
        });
    }
}

/// Returns the methods of a path as a header has them.
fn allowed_methods(editor: &Editor, path: &str) -> String {
    let methods = editor.methods(path);
    if methods.iter().any(|method| **method == *ANY) {
        return ALL_METHODS.to_owned();
    }
    let mut names: Vec<String> = methods.iter().map(|method| method.to_uppercase()).collect();
    names.push("OPTIONS".to_owned());
    names.sort();
    names.dedup();
    names.join(",")
}

fn options(settings: &Settings<'_>, methods: &str, span: Option<Span>) -> Value {
    let methods = settings.methods.cloned().unwrap_or_else(|| Value::from(format!("'{methods}'")));
    let credentials = settings.allows_credentials.then(|| Value::from("'true'"));
    let headers = [
        ("Access-Control-Allow-Origin", Some(settings.origin.clone()), "string"),
        ("Access-Control-Allow-Headers", settings.headers.cloned(), "string"),
        ("Access-Control-Allow-Methods", Some(methods), "string"),
        ("Access-Control-Max-Age", settings.max_age.cloned(), "integer"),
        ("Access-Control-Allow-Credentials", credentials, "string"),
    ];
    let (mut parameters, mut described) = (Fields::default(), Fields::default());
    for (name, value, kind) in headers {
        if let Some(value) = value {
            parameters.set(format!("method.response.header.{name}"), value);
            described.set(name, object([("type", Value::from(kind))]));
        }
    }
    let response = object([
        ("statusCode", Value::from("200")),
        ("responseParameters", parameters.into_value()),
        ("responseTemplates", object([("application/json", Value::from("{}\n"))])),
    ]);
    let integration = object([
        ("type", Value::from("mock")),
        ("requestTemplates", object([("application/json", Value::from(REQUEST))])),
        ("responses", object([("default", response)])),
    ]);
    let answer =
        object([("description", Value::from("Default response for CORS method")), ("headers", described.into_value())]);
    let method = object([
        ("summary", Value::from("CORS support")),
        ("consumes", strings(["application/json"])),
        ("produces", strings(["application/json"])),
        (INTEGRATION, integration),
        ("responses", object([("200", answer)])),
    ]);
    located(method, span)
}
