//! Turns what a JSON schema says beside types into rules.

use serde_json::{Map, Value};

use crate::graph::{Clause, Graph, Id, Node};

/// What says nothing about values.
const ANNOTATIONS: &[&str] = &[
    "$comment",
    "arrayType",
    "default",
    "definitions",
    "description",
    "examples",
    "insertionOrder",
    "relationshipRef",
    "title",
];

/// The kinds of values, in the order of their bits.
const KINDS: [&str; 7] = ["boolean", "integer", "number", "string", "array", "object", "null"];

/// Formats that are decided. Others only describe what a string is for.
const FORMATS: &[&str] = &[
    "AWS::ACM::Certificate.Arn",
    "AWS::EC2::Image.Id",
    "AWS::EC2::SecurityGroup.Id",
    "AWS::EC2::SecurityGroup.Ids",
    "AWS::EC2::Subnet.Id",
    "AWS::EC2::Subnet.Ids",
    "AWS::EC2::VPC.Id",
    "AWS::IAM::Role.Arn",
    "AWS::KMS::Alias.AliasName",
    "AWS::KMS::Key.Arn",
    "AWS::KMS::Key.Id",
    "AWS::Lambda::Function.Arn",
    "AWS::Logs::LogGroup.Name",
    "AWS::SNS::Topic.Arn",
    "AWS::SQS::Queue.Arn",
    "ipv4",
    "ipv4-network",
    "ipv6",
    "ipv6-network",
];

/// Reads rules of one schema.
pub struct Rules<'a> {
    /// Where references lead.
    pub root: &'a Value,
    pub graph: &'a mut Graph,
}

impl Rules<'_> {
    fn add(&mut self, clauses: Vec<Clause>) -> Id {
        self.graph.nodes.push(Node::Rule(clauses));
        self.graph.nodes.len() as Id - 1
    }

    /// The rule that a whole schema is.
    pub fn rule(&mut self, schema: &Value) -> Id {
        let clauses = match schema {
            Value::Object(keywords) => self.clauses(keywords, &Keywords::All),
            Value::Bool(false) => vec![Clause::Never],
            _ => Vec::new(),
        };
        self.add(clauses)
    }

    /// The rule for the values at a path below the properties of a resource: `SecurityGroupIngress/*`.
    pub fn rule_at(&mut self, schema: &Value, path: &str) -> Id {
        let Some((first, rest)) = path.split_once('/').or((!path.is_empty()).then_some((path, ""))) else {
            return self.rule(schema);
        };
        let inner = self.rule_at(schema, rest);
        let clause = match first {
            "*" => Clause::Each(inner),
            name => Clause::Members(vec![(name.to_owned(), inner)]),
        };
        self.add(vec![clause])
    }

    /// What the schema of a type says that the type does not.
    pub fn beside_type(&mut self, schema: &Value) -> Option<Id> {
        let clauses = self.clauses(schema.as_object()?, &Keywords::BesideType);
        (!clauses.is_empty()).then(|| self.add(clauses))
    }

    fn clauses(&mut self, keywords: &Map<String, Value>, which: &Keywords) -> Vec<Clause> {
        let mut clauses = Vec::new();
        for (keyword, value) in keywords {
            if which.has(keyword, value) {
                clauses.extend(self.clause(keyword, value, keywords));
            }
        }
        clauses
    }

    fn clause(&mut self, keyword: &str, value: &Value, beside: &Map<String, Value>) -> Vec<Clause> {
        let only = |clause: Clause| vec![clause];
        let bound = |name: &str| beside.get(name).and_then(Value::as_u64);
        match keyword {
            _ if ANNOTATIONS.contains(&keyword) => Vec::new(),
            "type" => only(Clause::Kinds(kinds(value))),
            "enum" => only(Clause::OneOf { values: literals(value), ignore_case: false }),
            "enumCaseInsensitive" => only(Clause::OneOf { values: literals(value), ignore_case: true }),
            "const" => only(Clause::OneOf { values: vec![literal(value)], ignore_case: false }),
            "pattern" => only(Clause::Pattern(pattern(value.as_str().expect("a pattern")))),
            "format" => match value.as_str() {
                Some(format) if FORMATS.contains(&format) => only(Clause::Format(format.to_owned())),
                _ => Vec::new(),
            },
            "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum" => range(keyword, value, beside),
            "multipleOf" => only(value.as_u64().map_or(Clause::Opaque, Clause::MultipleOf)),
            "minLength" | "maxLength" => only(Clause::Length { min: bound("minLength"), max: bound("maxLength") }),
            "minItems" | "maxItems" => only(Clause::Items { min: bound("minItems"), max: bound("maxItems") }),
            "uniqueItems" if *value == true => only(Clause::Unique),
            "uniqueItems" => Vec::new(),
            "uniqueKeys" => only(Clause::UniqueBy(literals(value))),
            "required" => only(Clause::Required(literals(value))),
            "requiredOr" => only(Clause::RequiredOr(literals(value))),
            "requiredXor" => only(Clause::RequiredXor(literals(value))),
            "dependentRequired" | "dependencies" => beside_first(value, Clause::With),
            "dependentExcluded" => beside_first(value, Clause::Without),
            "properties" => self.members(value),
            "additionalProperties" => closed(value, beside),
            "propertyNames" => only(Clause::Names(self.rule(value))),
            "items" => only(Clause::Each(self.rule(value))),
            "contains" => only(Clause::Contains(self.rule(value))),
            "allOf" => only(Clause::All(self.rules(value))),
            "anyOf" => only(Clause::Any(self.rules(value))),
            "oneOf" => only(Clause::One(self.rules(value))),
            "not" => self.not(value),
            "if" => {
                let parts = [Some(value), beside.get("then"), beside.get("else")];
                only(Clause::If(parts.map(|part| self.rule(part.unwrap_or(&Value::Bool(true))))))
            }
            "then" | "else" => Vec::new(),
            "$ref" => match self.referred(value) {
                Some(schema) => only(Clause::All(vec![self.rule(&schema)])),
                None => only(Clause::Opaque),
            },
            _ => only(Clause::Opaque),
        }
    }

    fn rules(&mut self, schemas: &Value) -> Vec<Id> {
        schemas.as_array().into_iter().flatten().map(|schema| self.rule(schema)).collect()
    }

    /// What a reference leads to, unless that may refer to itself.
    fn referred(&self, reference: &Value) -> Option<Value> {
        let schema = self.root.pointer(reference.as_str()?.strip_prefix('#')?)?;
        let refers_deeper = self.root.get("typeName").is_some() && has_reference(schema);
        (!refers_deeper).then(|| schema.clone())
    }

    /// Members that must not be there are said as such.
    fn members(&mut self, members: &Value) -> Vec<Clause> {
        let members = members.as_object().into_iter().flatten();
        let (forbidden, others): (Vec<_>, Vec<_>) = members.partition(|(_, schema)| **schema == false);
        let others: Vec<_> = others.into_iter().filter(|(_, schema)| **schema != true).collect();
        let mut clauses = Vec::new();
        if !forbidden.is_empty() {
            clauses.push(Clause::Forbidden(forbidden.into_iter().map(|(name, _)| name.clone()).collect()));
        }
        if !others.is_empty() {
            let others = others.into_iter().map(|(name, schema)| (name.clone(), self.rule(schema)));
            clauses.push(Clause::Members(others.collect()));
        }
        clauses
    }

    /// A negation of required members is clearer as members that must not be there.
    fn not(&mut self, schema: &Value) -> Vec<Clause> {
        let alternatives = match schema.get("anyOf").and_then(Value::as_array) {
            Some(alternatives) => alternatives.iter().collect(),
            None => vec![schema],
        };
        let names: Option<Vec<String>> = alternatives.iter().map(|schema| required_member(schema)).collect();
        match names {
            Some(names) => vec![Clause::Forbidden(names)],
            None => vec![Clause::Not(self.rule(schema))],
        }
    }
}

/// Which keywords of a schema become clauses.
enum Keywords {
    All,
    /// Those that `cloudformation` does not read into types.
    BesideType,
}

impl Keywords {
    fn has(&self, keyword: &str, value: &Value) -> bool {
        match (self, keyword) {
            (Self::All, _) => true,
            (
                Self::BesideType,
                "const"
                | "dependentExcluded"
                | "dependentRequired"
                | "enumCaseInsensitive"
                | "format"
                | "if"
                | "multipleOf"
                | "not"
                | "requiredOr"
                | "requiredXor"
                | "uniqueItems"
                | "uniqueKeys",
            ) => true,
            (Self::BesideType, "allOf" | "anyOf" | "oneOf") => !has_reference(value),
            (Self::BesideType, "dependencies") => {
                value.as_object().is_some_and(|all| all.values().all(Value::is_array))
            }
            _ => false,
        }
    }
}

fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.contains_key("$ref") || members.values().any(has_reference),
        Value::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}

/// The only thing that a schema says, if that is one required member.
fn required_member(schema: &Value) -> Option<String> {
    let says_nothing = |(keyword, value): (&String, &Value)| {
        keyword == "required" || keyword == "anyOf" || keyword == "type" || {
            keyword == "properties" && value.as_object().is_some_and(|all| all.values().all(|one| *one == true))
        }
    };
    let names = schema["required"].as_array()?;
    (names.len() == 1 && schema.as_object()?.iter().all(says_nothing)).then(|| literal(&names[0]))
}

fn kinds(value: &Value) -> u8 {
    let names = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let bit = |name: &Value| KINDS.iter().position(|kind| *name == *kind).map_or(0, |at| 1 << at);
    names.iter().map(bit).fold(0, |all, bit| all | bit)
}

/// A regular expression as the program reads it: without the escape of `_`, which .NET does not know, and with `{1,3}` for
/// `{1-3}`, which is meant where it is written.
pub fn pattern(source: &str) -> String {
    let mut pattern = String::new();
    let mut chars = source.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' if chars.peek() == Some(&'_') => {}
            '\\' => pattern.extend([char].into_iter().chain(chars.next())),
            _ => pattern.push(char),
        }
    }
    for (wrong, right) in [("{1-2}", "{1,2}"), ("{1-3}", "{1,3}")] {
        pattern = pattern.replace(wrong, right);
    }
    pattern
}

fn literal(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn literals(values: &Value) -> Vec<String> {
    let mut literals: Vec<String> = values.as_array().into_iter().flatten().map(literal).collect();
    let mut seen = std::collections::BTreeSet::new();
    literals.retain(|literal| seen.insert(literal.clone()));
    literals
}

/// Both bounds, once.
fn range(keyword: &str, value: &Value, beside: &Map<String, Value>) -> Vec<Clause> {
    if keyword.ends_with("aximum") && beside.keys().any(|keyword| keyword.ends_with("inimum")) {
        return Vec::new();
    }
    if !value.is_number() {
        return vec![Clause::Opaque];
    }
    let whole = |name: &str| beside.get(name).and_then(Value::as_i64);
    let min = whole("minimum").or_else(|| whole("exclusiveMinimum")?.checked_add(1));
    let max = whole("maximum").or_else(|| whole("exclusiveMaximum")?.checked_sub(1));
    vec![if min.is_none() && max.is_none() { Clause::Opaque } else { Clause::Range { min, max } }]
}

/// For each member, the others that it needs or excludes.
fn beside_first(value: &Value, clause: fn(Vec<String>) -> Clause) -> Vec<Clause> {
    let members = value.as_object().into_iter().flatten();
    members.map(|(name, others)| clause([vec![name.clone()], literals(others)].concat())).collect()
}

fn closed(value: &Value, beside: &Map<String, Value>) -> Vec<Clause> {
    match value {
        Value::Bool(false) if !beside.contains_key("patternProperties") => {
            let names = beside.get("properties").and_then(Value::as_object);
            vec![Clause::Only(names.into_iter().flatten().map(|(name, _)| name.clone()).collect())]
        }
        Value::Bool(true) => Vec::new(),
        _ => vec![Clause::Opaque],
    }
}
