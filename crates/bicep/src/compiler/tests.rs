//! The compiler against a folder in memory: what it refuses, what it bounds, and that it always ends.

use std::fmt::Write as _;

use super::*;
use crate::compiler::memory::Memory;
use crate::text::Sources;

/// Runs with as much stack as the program has.
fn deep(test: fn()) {
    std::thread::Builder::new().stack_size(64 << 20).spawn(test).unwrap().join().unwrap();
}

fn compiled(main: &str, others: &[(&str, &str)]) -> (Compilation, Sources) {
    let sources = Sources::new();
    let mut host = Memory::new(&sources, others.iter().copied().chain([("main.bicep", main)]));
    let made = compile(Path::new("/r/main.bicep"), &mut host);
    (made, sources)
}

/// The problems, as `line:column message`.
fn problems(main: &str, others: &[(&str, &str)]) -> String {
    let (made, sources) = compiled(main, others);
    assert!(made.template.is_none(), "{main}");
    let mut all = String::new();
    for problem in made.problems {
        let position = sources.get(problem.primary.span.file).position(problem.primary.span.start);
        writeln!(all, "{}:{} {}", position.line, position.column, problem.message).unwrap();
    }
    all
}

#[test]
fn meaningless_programs_are_refused_where_they_are_wrong() {
    let check = |main: &str, expected: &str| assert_eq!(problems(main, &[]).trim_end(), expected, "{main}");
    check("var a = x", "1:9 `x` is not declared");
    check("param foo int\nvar a = fooo", "2:9 `fooo` is not declared, did you mean `foo`?");
    check("var a = 1\nvar a = 2", "2:5 `a` is declared more than once; rename it");
    check("var a = concatt('b')", "1:9 there is no function `concatt`, did you mean `concat`?");
    check("var a = replace('b')", "1:9 `replace` takes 3 arguments, found 1");
    check("var a = replace('b'", "1:20 expected `)`, found the end of the file");
    check("param p strin", "1:9 `strin` is not declared");
    check("@secur()\nparam p string", "1:2 there is no decorator `secur`, did you mean `secure`?");
    check("@secure()\nvar a = 1", "1:2 `@secure` cannot decorate a variable");
    check("@allowed([1])\noutput o int = 1", "1:2 `@allowed` cannot decorate an output");
    check("type t = {\n  @batchSize(1)\n  a: string\n}", "2:4 `@batchSize` cannot decorate a type");
    check("type t = {\n  @sys.allowed([1])\n  a: b\n}", "3:6 `b` is not declared");
    check("@sys.allowed([1])\ntype t = int", "1:6 `@allowed` cannot decorate a type");
    check("@minValue()\nparam p int", "1:2 `@minValue` does not take 0 arguments");
    check(
        "@batchSize(1)\nresource r 'Microsoft.A/b@2020-01-01' = { name: 'r' }",
        "1:2 `@batchSize` can decorate only a loop of resources or modules",
    );
    check(
        "output o string = [for x in [1]: x][0]",
        "1:19 a loop is only possible as the whole value of a property, variable, output, resource or module",
    );
    check("module m 'gone.bicep' = {}", "1:10 the file does not exist");
    check("module m '../out.bicep' = {}", "1:10 the path leads out of the repository; only files in it are read");
    check("module m 'ts:a/b:1' = {}", "1:10 template specs need the Bicep CLI");
    check("module m 'br/own:b:1' = {}", "1:10 the module alias `own` is not in `bicepconfig.json`");
    check(
        "resource r 'a' = {}",
        "1:12 expected a type with its version, such as `Microsoft.Storage/storageAccounts@2023-01-01`\n1:10 the resource has no `name`",
    );
    check(
        "type t = 'a' | string",
        "1:16 the members of a union have to be literals, or objects that `@discriminator()` tells apart",
    );
    check(
        "targetScope = 'galaxy'",
        "1:15 expected `'resourceGroup'`, `'subscription'`, `'managementGroup'` or `'tenant'`",
    );
    check("foo", "1:1 expected a statement, such as `param`, `var`, `resource` or `output`, found `foo`");
    check("var a = 'b", "1:11 the string is not closed; expected `'`");
}

#[test]
fn cycles_end() {
    deep(check_cycles_end);
}

fn check_cycles_end() {
    let storage = "resource r 'Microsoft.Storage/storageAccounts@2023-01-01' existing = { name: 'r' }\n";
    for main in [
        "type t = t",
        "type a = b[]\ntype b = a.x",
        &format!("{storage}var a = [b, r.tags]\nvar b = [a]\noutput o array = a"),
        "resource a 'Microsoft.A/b@2020-01-01' = { parent: a\n name: 'a' }",
        "resource a 'Microsoft.A/b@2020-01-01' = { scope: a\n name: a.id }",
        "module m 'main.bicep' = {}",
    ] {
        let (made, _) = compiled(main, &[]);
        drop(made);
    }
    assert_eq!(
        problems("module m 'main.bicep' = {}", &[]).trim_end(),
        "1:10 the files use each other in a cycle: `main.bicep` -> `main.bicep`"
    );
}

#[test]
fn resources_that_are_deployed_in_each_other_are_refused() {
    deep(check_scopes_in_cycles);
}

fn check_scopes_in_cycles() {
    let one = |name: &str, rest: &str| {
        format!("resource {name} 'Microsoft.A/b@2020-01-01' existing = {{ name: '{name}', {rest} }}\n")
    };
    let check = |main: &[String], expected: &str| assert_eq!(problems(&main.concat(), &[]).trim_end(), expected);
    check(&[one("a", "scope: a")], "1:70 `a` is its own scope");
    check(&[one("a", "scope: a[0]")], "1:70 `a` is its own scope");
    check(&[one("a", "scope: s"), "var s = a\n".to_owned()], "1:70 `a` is its own scope");
    let two = "1:70 the scopes of resources are a cycle: `a` -> `b` -> `a`";
    check(&[one("a", "scope: b"), one("b", "scope: a")], two);
    check(&[one("a", "scope: b"), one("b", "parent: a")], two);
    let used = "output o string = '${a.id}${b.name}'\n".to_owned();
    check(&[one("a", "scope: b"), one("b", "scope: a"), used], two);
    check(&[one("a", "parent: b"), one("b", "parent: a")], "1:10 `a` is its own parent");
    // Neither is a cycle, but no stack has room for them.
    for property in ["scope", "parent"] {
        let mut main: Vec<String> =
            (0..5_000).map(|at| one(&format!("r{at}"), &format!("{property}: r{}", at + 1))).collect();
        main.push(one("r5000", ""));
        main.push("output o string = r0.id\n".to_owned());
        assert!(!problems(&main.concat(), &[]).is_empty(), "{property}");
    }
}

#[test]
fn modules_that_double_are_refused() {
    deep(check_modules_that_double);
}

fn check_modules_that_double() {
    for (levels, uses) in [(25, 2), (8, 8), (12, 8), (4, 300)] {
        let mut files: Vec<(String, String)> = (0..levels)
            .map(|at| {
                let line = |use_at: usize| format!("module m{use_at} 'm{}.bicep' = {{ name: 'm{use_at}' }}\n", at + 1);
                (format!("m{at}.bicep"), (0..uses).map(line).collect())
            })
            .collect();
        files.push((format!("m{levels}.bicep"), "output o string = 'x'\n".to_owned()));
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let found = problems("module m 'm0.bicep' = { name: 'm' }", &files);
        let message = "the template would be too large: modules contain each other too often";
        assert!(found.lines().count() == 1 && found.contains(message), "{levels} x {uses}: {found}");
    }
    let uses: Vec<String> = (0..50).map(|at| format!("module m{at} 'm.bicep' = {{ name: 'm{at}' }}\n")).collect();
    let (made, _) = compiled(&uses.concat(), &[("m.bicep", "output o string = 'x'\n")]);
    assert!(made.template.is_some(), "{:?}", made.problems);
}

#[test]
fn what_multiplies_is_bounded() {
    deep(check_what_multiplies_is_bounded);
}

fn check_what_multiplies_is_bounded() {
    let storage = "resource r 'Microsoft.Storage/storageAccounts@2023-01-01' existing = { name: 'r' }\n";
    let mut main = format!("{storage}var a0 = [r.tags]\n");
    for at in 1..60 {
        writeln!(main, "var a{at} = [a{0}, a{0}]", at - 1).unwrap();
    }
    main.push_str("output o array = a59");
    assert!(problems(&main, &[]).contains("the template would be too large"));
    let existing = |at: usize, name: &str| {
        format!("resource e{at} 'Microsoft.Storage/storageAccounts@2023-01-01' existing = {{ name: '{name}' }}\n")
    };
    let mut main: String = (1..60).map(|at| existing(at, &format!("${{e{0}.name}}${{e{0}.name}}", at - 1))).collect();
    main.push_str(&existing(0, "x"));
    main.push_str("output o string = e59.name");
    assert!(problems(&main, &[]).contains("the template would be too large"));
}

#[test]
fn nesting_is_bounded() {
    deep(check_nesting_is_bounded);
}

fn check_nesting_is_bounded() {
    for main in [
        format!("var a = {}1{}", "[".repeat(5_000), "]".repeat(5_000)),
        format!("var a = {}1", "!".repeat(50_000)),
        format!("var a = 1{}", " + 1".repeat(50_000)),
        format!("var a = b{}", ".c".repeat(50_000)),
        format!("var a = {}1{}", "'${".repeat(5_000), "}'".repeat(5_000)),
        format!("type a = {}int", "(".repeat(5_000)),
        format!("type a = int{}", "[]".repeat(50_000)),
    ] {
        assert!(problems(&main, &[]).contains("nested too deep"), "{}", main.get(..20).unwrap());
    }
}

/// The files of a sample, the entry last.
fn sample(name: &str) -> Vec<(&'static str, &'static str)> {
    macro_rules! file {
        ($sample:literal, $name:literal) => {
            ($name, include_str!(concat!("../../../../tests/golden/bicep/", $sample, "/", $name)))
        };
    }
    match name {
        "classic" => vec![file!("classic", "main.bicep")],
        "modules" => vec![
            file!("modules", "group.bicep"),
            file!("modules", "template.json"),
            file!("modules", "inner.bicep"),
            file!("modules", "main.bicep"),
        ],
        _ => vec![
            file!("symbolic", "note.txt"),
            file!("symbolic", "config.json"),
            file!("symbolic", "types.bicep"),
            file!("symbolic", "main.bicep"),
        ],
    }
}

/// Prefixes and deletions at every place would take a minute without optimizations.
const STEP: usize = 17;

#[test]
fn prefixes_and_deletions_end() {
    deep(check_prefixes_and_deletions_end);
}

fn check_prefixes_and_deletions_end() {
    for name in ["classic", "modules", "symbolic"] {
        let mut files = sample(name);
        let (_, main) = files.pop().unwrap();
        let (made, _) = compiled(main, &files);
        assert!(made.template.is_some(), "{name}: {:?}", made.problems);
        for (at, c) in main.char_indices().step_by(STEP) {
            let (before, after) = main.split_at(at);
            drop(compiled(before, &files));
            drop(compiled(&format!("{before}{}", after.get(c.len_utf8()..).unwrap()), &files));
        }
    }
}

#[test]
fn every_value_has_the_place_that_it_comes_from() {
    for name in ["classic", "modules", "symbolic"] {
        let mut files = sample(name);
        let (_, main) = files.pop().unwrap();
        let (made, _) = compiled(main, &files);
        check_spans(&made.template.unwrap(), name);
    }
}

fn check_spans(value: &Value, path: &str) {
    assert!(value.span.is_some(), "{path}");
    for (at, item) in value.as_array().unwrap_or_default().iter().enumerate() {
        check_spans(item, &format!("{path}/{at}"));
    }
    for member in value.as_object().into_iter().flat_map(|object| object.iter()) {
        check_spans(&member.value, &format!("{path}/{}", member.key));
    }
}

#[test]
fn the_files_of_a_folder_are_listed() {
    let main = "output all array = loadDirectoryFileInfo('data', '*.t?t')";
    let (made, _) = compiled(main, &[("data/b.txt", ""), ("data/A.tst", ""), ("data/c.md", ""), ("data/d/e.txt", "")]);
    let all = made.template.unwrap().get("variables").unwrap().to_json();
    let entry = |name: &str, extension: &str| {
        format!(r#"{{"relativePath":"data/{name}","baseName":"{name}","extension":"{extension}"}}"#)
    };
    assert_eq!(all, format!(r#"{{"$fxv#0":[{},{}]}}"#, entry("A.tst", ".tst"), entry("b.txt", ".txt")));
}

#[test]
fn a_choice_of_scopes_is_the_first_if_it_has_no_arguments() {
    let module = [("m.bicep", "")];
    let of = |scope: &str| compiled(&format!("var rg = {scope}\nmodule m 'm.bicep' = {{\n  scope: rg\n}}"), &module).0;
    let made = of("empty('a') ? resourceGroup() : resourceGroup('a')");
    let template = made.template.unwrap_or_else(|| panic!("{:?}", made.problems));
    let resource = template.get("resources").and_then(|resources| resources.get("m"));
    assert!(resource.is_some_and(|resource| resource.get("resourceGroup").is_none()));
    for other in
        ["true ? resourceGroup('a') : resourceGroup()", "true ? resourceGroup() : subscription()", "true ? 1 : 2"]
    {
        let made = of(other);
        let problem = made.problems.first().map(|problem| problem.message.as_str()).unwrap_or_default();
        assert!(problem.starts_with("expected a scope"), "{other}: {:?}", made.problems);
    }
}

#[test]
fn suggestions_for_many_names_end() {
    let mut main: Vec<String> = (0..20_000).map(|at| format!("var va{at} = 'x'\n")).collect();
    main.extend((0..20_000).map(|at| format!("var vb{at} = vc{at}x\n")));
    assert_eq!(problems(&main.concat(), &[]).lines().count(), 100);
}
