//! The APIs of a template: those that are declared, and those that events imply.
//!
//! Reference: <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-api.html>.

mod auth;
mod cors;
mod domain;
pub(super) mod editor;
pub(super) mod event_route;
mod http;
mod http_events;
mod policy;
mod rest;
mod usage;
mod websocket;

use foldhash::{HashMap, HashSet};

use crate::sam::api::editor::{Editor, Format, is_method, is_open_api_3};
use crate::sam::build::{Fields, Origin, conditional, get, object};
use crate::sam::events::Event;
use crate::sam::globals::Globals;
use crate::sam::intrinsics::name_of;
use crate::sam::{Sam, Source};
use crate::value::{Member, Str, Value};

pub(super) use self::domain::RecordSets;
pub(super) use self::usage::SharedPlan;

/// The two kinds of APIs to which events add routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Rest,
    Http,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Rest, Self::Http];

    /// Returns the type of the SAM resource.
    const fn type_name(self) -> &'static str {
        match self {
            Self::Rest => "AWS::Serverless::Api",
            Self::Http => "AWS::Serverless::HttpApi",
        }
    }

    /// Returns the logical ID of the API of events that name none.
    const fn implied(self) -> &'static str {
        match self {
            Self::Rest => "ServerlessRestApi",
            Self::Http => "ServerlessHttpApi",
        }
    }

    /// Returns the type of the events.
    const fn event(self) -> &'static str {
        match self {
            Self::Rest => "Api",
            Self::Http => "HttpApi",
        }
    }

    /// Returns the property of events that names the API.
    const fn property(self) -> &'static str {
        match self {
            Self::Rest => "RestApiId",
            Self::Http => "ApiId",
        }
    }

    const fn format(self) -> Format {
        match self {
            Self::Rest => Format::Swagger,
            Self::Http => Format::OpenApi,
        }
    }
}

/// An API while events add routes to it.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) kind: Kind,
    pub(super) source: Source,
    /// Definition of the API; `None` if it is not in the template.
    pub(super) editor: Option<Editor>,
    /// True if the definition is generated from events only.
    pub(super) is_managed: bool,
    /// Settings of routes from events.
    route_settings: Vec<(String, Value)>,
    /// The conditions of the methods of each path; `None` for one that is always there.
    conditions: HashMap<Str, HashMap<String, Option<Str>>>,
}

/// The APIs by logical ID, in order.
#[derive(Debug, Default)]
pub(super) struct Apis {
    pub(super) all: Vec<Api>,
    index: HashMap<Str, usize>,
}

impl Apis {
    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Api> {
        self.all.get_mut(*self.index.get(id)?)
    }

    pub(super) fn get(&self, id: &str) -> Option<&Api> {
        self.all.get(*self.index.get(id)?)
    }

    fn push(&mut self, api: Api) {
        self.index.insert(api.source.id.clone(), self.all.len());
        self.all.push(api);
    }
}

/// Returns `true` if the definition is generated from events: no other is given.
fn is_managed(source: &Source) -> bool {
    source.given_property("DefinitionBody").is_none() && source.given_property("DefinitionUri").is_none()
}

impl Api {
    fn new(kind: Kind, source: Source) -> Self {
        let is_managed = is_managed(&source);
        let mut editor = match source.given_property("DefinitionBody") {
            Some(body) if source.given_property("MergeDefinitions").is_some() => Editor::partial(body),
            Some(body) => Editor::from_definition(body),
            None if is_managed => Some(Editor::new(kind.format(), source.origin.key_span)),
            None => None,
        };
        let version =
            source.given_property("OpenApiVersion").filter(|version| is_managed && is_open_api_3(Some(version)));
        if let (Some(version), Some(editor)) = (version, &mut editor) {
            editor.doc.remove("swagger");
            let text = version.as_str().map_or_else(|| version.to_json(), str::to_owned);
            editor.doc.set("openapi", Value { span: version.span, ..Value::from(text) });
        }
        Self { kind, source, editor, is_managed, route_settings: Vec::new(), conditions: HashMap::default() }
    }
}

impl Event {
    /// Returns the logical ID of the API that an event names; `None` if it is not in the template or not known.
    pub(super) fn api(&self, kind: Kind) -> Option<Str> {
        match self.get(kind.property()) {
            Some(written) => name_of(written).cloned(),
            None => Some(Str::from(kind.implied())),
        }
    }

    /// Returns the path and the method of a route. Without both, an event of an HTTP API is for all routes.
    pub(super) fn route(&self, kind: Kind) -> Option<(Str, Str)> {
        match (self.text("Path"), self.text("Method")) {
            (Some(path), Some(method)) if is_method(method) => Some((path.clone(), method.clone())),
            (None, None) if kind == Kind::Http => Some((Str::from("$default"), Str::from(editor::ANY))),
            _ => None,
        }
    }
}

impl Sam<'_, '_> {
    /// Collects the APIs, and adds the routes of all events to them, in the order of the template.
    pub(super) fn collect_apis(&mut self, sources: &[Source], globals: &Globals<'_>) {
        for source in sources {
            if let Some(kind) = Kind::ALL.into_iter().find(|kind| *source.kind == *kind.type_name()) {
                self.apis.push(Api::new(kind, source.clone()));
            }
        }
        for source in sources.iter().filter(|source| has_events(source)) {
            for event in source.events() {
                let Some(kind) = Kind::ALL.into_iter().find(|kind| *event.kind == *kind.event()) else { continue };
                self.add_route(source, &event, kind, globals);
            }
        }
        self.settle_conditions();
    }

    fn add_route(&mut self, source: &Source, event: &Event, kind: Kind, globals: &Globals<'_>) {
        let Some(id) = event.api(kind) else { return };
        let Some((path, method)) = event.route(kind) else {
            let message = format!("the event has no `Path` and valid `Method`, so its route of `{id}` is not checked");
            return self.note(event.origin.key_span, message);
        };
        if event.get(kind.property()).is_none() {
            self.imply(source, event, kind, globals);
        }
        let Some(api) = self.apis.get_mut(&id) else { return };
        let condition = source.origin.condition().cloned();
        let conditions = api.conditions.entry(path.clone()).or_default();
        conditions.insert(method.to_string(), condition.clone());
        let work = match api.editor.as_mut().filter(|_| api.is_managed) {
            Some(editor) => editor.add_path(&path, &method, event.origin.key_span),
            None => 0,
        };
        if let Some(settings) = event.get("RouteSettings").filter(|_| kind == Kind::Http) {
            let name =
                if *method == *editor::ANY { path.to_string() } else { format!("{} {path}", method.to_uppercase()) };
            let settings = match &condition {
                Some(condition) => conditional(condition, settings.clone(), None),
                None => settings.clone(),
            };
            api.route_settings.push((name, settings));
        }
        self.stack.world.spend(work.saturating_mul(64), event.origin.key_span);
    }

    /// Declares the API of events that name none.
    fn imply(&mut self, source: &Source, event: &Event, kind: Kind, globals: &Globals<'_>) {
        let id = Str::from(kind.implied());
        if self.apis.get(&id).is_none() {
            let mut properties = Fields::default();
            if kind == Kind::Rest {
                properties.set("StageName", Value::from("Prod"));
            }
            let origin = Origin { attributes: Fields::default(), ..event.origin.clone() };
            let implied = Source {
                id: id.clone(),
                kind: Str::from(kind.type_name()),
                slot: self.output.last(),
                body: object([]),
                properties: properties.into_value(),
                origin,
            };
            let mut api = Api::new(kind, globals.merged(implied));
            if !api.is_managed {
                api.is_managed = true;
                api.editor = Some(Editor::new(kind.format(), api.source.origin.key_span));
            }
            self.apis.push(api);
        }
        let Some(api) = self.apis.get_mut(&id) else { return };
        for name in ["DeletionPolicy", "UpdateReplacePolicy"] {
            let known = api.source.origin.attributes.get(name).and_then(Value::as_str).map(str::to_owned);
            let Some(policy) = source.origin.attributes.get(name).filter(|_| known.as_deref() != Some("Retain")) else {
                continue;
            };
            api.source.origin.attributes.set(name, policy.clone());
        }
        let tags = source.given_property("Tags").filter(|_| source.given_property("PropagateTags").is_some());
        if let Some(tags) = tags.and_then(Value::as_object) {
            let mut properties = Fields::from_value(&api.source.properties);
            let mut all = properties.get("Tags").map(Fields::from_value).unwrap_or_default();
            tags.iter().for_each(|tag| all.put(tag.clone()));
            properties.set("Tags", all.into_value());
            properties.set("PropagateTags", Value::from(true));
            api.source.properties = properties.into_value();
        }
    }

    /// Gives an implied API the condition of its methods, and finds the paths that exist only under conditions.
    fn settle_conditions(&mut self) {
        let mut combined: Vec<(String, Vec<Str>)> = Vec::new();
        for api in self.apis.all.iter_mut().filter(|api| api.is_managed) {
            let id = api.source.id.clone();
            if *id == *api.kind.implied() {
                let all = api.conditions.values().flat_map(HashMap::values);
                if let Some(name) = shared(all, || format!("{id}Condition"), &mut combined) {
                    api.source.origin.attributes.set("Condition", Value::from(name));
                }
            }
        }
        for (name, conditions) in combined {
            self.any_of(&name, &conditions);
        }
    }

    /// Makes the paths whose methods all have conditions choices.
    pub(super) fn condition_paths(&mut self, api: &mut Api) {
        let mut combined: Vec<(String, Vec<Str>)> = Vec::new();
        let Some(editor) = api.editor.as_mut().filter(|_| api.is_managed) else { return };
        for path in editor.paths() {
            let Some(conditions) = api.conditions.get(&path) else { continue };
            let name = || {
                let path = path.replace('/', "SLASH").replace('{', "OB").replace('}', "CB");
                format!("{}{path}PathCondition", api.source.id)
            };
            if let Some(name) = shared(conditions.values(), name, &mut combined) {
                editor.make_conditional(&path, &name);
            }
        }
        for (name, conditions) in combined {
            self.any_of(&name, &conditions);
        }
    }
}

/// Returns the condition under which any of several things exists; `None` if one of them always does.
fn shared<'c>(
    conditions: impl Iterator<Item = &'c Option<Str>>,
    name: impl FnOnce() -> String,
    combined: &mut Vec<(String, Vec<Str>)>,
) -> Option<Str> {
    let all: Option<HashSet<Str>> = conditions.cloned().collect();
    let mut all: Vec<Str> = all?.into_iter().collect();
    all.sort();
    match all.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        _ => {
            let name = name();
            combined.push((name.clone(), all));
            Some(Str::from(name))
        }
    }
}

fn has_events(source: &Source) -> bool {
    matches!(&*source.kind, "AWS::Serverless::Function" | "AWS::Serverless::StateMachine")
}

impl Api {
    /// Adds the settings of routes that events have to the property of the API.
    fn settle_routes(&mut self) {
        if self.route_settings.is_empty() {
            return;
        }
        let mut properties = Fields::from_value(&self.source.properties);
        let written = properties.get("RouteSettings").and_then(Value::as_object);
        let mut routes: Vec<Member> = written.into_iter().flatten().cloned().collect();
        let mut index: HashMap<Str, usize> =
            routes.iter().enumerate().map(|(at, route)| (route.key.clone(), at)).collect();
        for (route, settings) in std::mem::take(&mut self.route_settings) {
            let route = Str::from(route);
            if let Some(known) = index.get(&route).and_then(|at| routes.get_mut(*at)) {
                let mut all = Fields::from_value(&known.value);
                settings.as_object().into_iter().flatten().for_each(|member| all.put(member.clone()));
                known.value = all.into_value();
            } else {
                index.insert(route.clone(), routes.len());
                routes.push(Member::new(route, settings));
            }
        }
        properties.set("RouteSettings", Value::object(routes));
        let span = self.source.properties.span;
        self.source.properties = Value { span, ..properties.into_value() };
    }
}

/// Returns the path of a route as it is in ARNs: without a slash at the end, and with `*` for its parameters.
pub(super) fn arn_path(path: &str) -> String {
    let path = match path.strip_suffix('/') {
        Some(rest) if !rest.is_empty() => rest,
        _ => path,
    };
    let mut result = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        result.push_str(before);
        let is_name = |name: &str| {
            let name = name.strip_suffix('+').unwrap_or(name);
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        };
        if let Some((_, after)) = after.split_once('}').filter(|(name, _)| is_name(name)) {
            result.push('*');
            rest = after;
        } else {
            result.push('{');
            rest = after;
        }
    }
    result.push_str(rest);
    result
}

/// Returns a member of the property `Auth` of an API.
pub(super) fn auth_of<'v>(auth: Option<&'v Value>, name: &str) -> Option<&'v Value> {
    get(auth?, name)
}
