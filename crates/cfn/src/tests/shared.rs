//! Tests of the values that a document shares with its template.

use super::*;

#[test]
fn a_resource_without_functions_is_shared_with_its_template() {
    let text = "Resources:\n  Plain: {Type: 'A::B::C', DependsOn: Region, Properties: {P: [x]}}\n  \
        Region: {Type: 'A::B::C', Properties: {P: !Ref 'AWS::Region'}}\n  \
        Less: {Type: 'A::B::C', Metadata: !Ref 'AWS::NoValue'}\n  \
        Secret: {Type: 'A::B::C', Properties: {P: '{{resolve:ssm-secure:x}}'}}\n";
    let sources = Sources::new();
    let file = sources.add("main.yaml", text);
    let template = yaml::parse_template(file, sources.get(file).text(), 50, &|_| true).value.expect("it is YAML");
    let limits = &Limits::default();
    let request = Request {
        file,
        name: "",
        template: &template,
        parameters: &[],
        overrides: &[],
        raw: false,
        scenario: None,
        loader: &Offline,
        budget: &Budget::new(limits),
    };
    let document = expand(&request).document.expect("there is a document");
    let is_shared = |resource: &&Resource| {
        let written = template.get("Resources").and_then(|all| all.get(&resource.name));
        std::ptr::eq(
            resource.body.as_object().expect("it is an object"),
            written.and_then(Value::as_object).expect("it is written"),
        )
    };
    let shared: Vec<&str> = document.resources.iter().filter(is_shared).map(|resource| &*resource.name).collect();
    assert_eq!(shared, ["Plain"]);
}
