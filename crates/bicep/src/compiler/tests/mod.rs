//! The compiler against a folder in memory: what it refuses, what it bounds, and that it always ends.

mod output;

use std::fmt::Write as _;
use std::path::Path;

use super::*;
use crate::compiler::memory::Memory;
use crate::diagnostic::Diagnostic;
use crate::text::Sources;
use crate::value::Value;

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
    assert!(!made.is_valid(), "{main}");
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
    check(
        "var a = 1\nvar a = 2",
        "1:5 `a` is declared more than once; rename it\n2:5 `a` is declared more than once; rename it",
    );
    check("var a = concatt('b')", "1:9 there is no function `concatt`, did you mean `concat`?");
    check("var a = replace('b')", "1:9 `replace` takes 3 arguments, found 1");
    check("var a = replace('b'", "1:20 expected `)`, found the end of the file");
    check("param p strin", "1:9 there is no type `strin`, did you mean `string`?");
    check("@secur()\nparam p string", "1:2 there is no decorator `secur`, did you mean `secure`?");
    check("@secure()\nvar a = 1", "1:2 `@secure` cannot decorate a variable");
    check("@allowed([1])\noutput o int = 1", "1:2 `@allowed` cannot decorate an output");
    check("type t = {\n  @batchSize(1)\n  a: string\n}", "2:4 `@batchSize` cannot decorate a type");
    check("type t = {\n  @sys.allowed([1])\n  a: b\n}", "3:6 there is no type `b`");
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

/// The code of a problem, or else its message.
fn shown(problem: &Diagnostic) -> String {
    problem.bicep_code.map_or_else(|| problem.message.clone(), |code| code.to_string())
}

/// The problems, as `line:column code`.
fn codes(main: &str, others: &[(&str, &str)]) -> String {
    let (made, sources) = compiled(main, others);
    let code = |problem: &Diagnostic| {
        let position = sources.get(problem.primary.span.file).position(problem.primary.span.start);
        format!("{}:{} {}", position.line, position.column, shown(problem))
    };
    made.problems.iter().map(code).collect::<Vec<_>>().join("\n")
}

#[test]
fn types_are_compared_in_every_branch() {
    let module = [("m.bicep", "@minLength(3)\nparam a string\nparam b int = 1\noutput o string = a\noutput n int = b")];
    let check = |main: &str, expected: &str| assert_eq!(codes(main, &module), expected, "{main}");
    check("param a int = 'x'\noutput o string = a", "1:15 BCP033\n2:19 BCP033");
    check("param a 'x' | 'y' = 'z'", "1:21 BCP033");
    check("param a bool\nvar v = a ? toLower(1) : b", "2:21 BCP070\n2:26 BCP057");
    check("param n int\noutput a string = toLower(n)", "2:27 BCP070");
    check("param n int?\noutput a int = n ?? 1", "");
    check("var v = 'a' + 1\nvar w = !1\nvar x = 1 ? 2 : 3", "1:9 BCP045\n2:9 BCP044\n3:9 BCP046");
    check("var v = { a: 1, a: 2 }", "1:11 BCP025\n1:17 BCP025");
    check("var v = { name: 1 }\nvar w = v.nme\nvar x = v.b", "2:11 BCP083\n3:11 BCP053");
    check("var v = 'a'.length\nvar w = [1].length", "1:13 BCP055\n2:13 BCP055");
    // What is wrong once causes no other error.
    check("var a = 'x' + 1\noutput b string = a", "1:9 BCP045");
    check(
        "output a string = -'x'\noutput b string = 1 ? 2 : 3\noutput c string = int(null)",
        "1:19 BCP044\n2:19 BCP046\n3:23 BCP070",
    );
    check("output a string = true ? 's' : 1", "");
    check("param description string\n@description('x')\nparam b int\n@sys.description('x')\nparam c int", "2:2 BCP265");
    check("func f(a int) string => '${a}'\nvar v = f('x')", "2:11 BCP070");
    check("var v = map([1], x => x.a)\nvar w = filter(['a'], x => x)", "1:25 BCP055\n2:23 BCP070");
    check("type t = { a: string, b: int? }\nparam p t = { b: 'x', c: 1 }", "2:13 BCP035\n2:18 BCP036");
    check("type t = { next: t? }\nparam p t = { next: { next: {} } }", "");
    check("type t = { next: t }\ntype a = b\ntype b = a", "1:18 BCP298\n2:10 BCP299\n3:10 BCP299");
    check("var a = b\nvar b = a", "1:9 BCP080\n2:9 BCP080");
    check("var foo = [for resourceGroup in []: {\n  bar: resourceGroup('test')\n}]", "2:8 BCP265");
    let looped = "resource r 'Microsoft.A/b@2020-01-01' = [for r in ['x']: {\n  name: r\n}]";
    check(looped, "");
    check("module m 'm.bicep' = {\n  params: { a: 'ab', c: 1 }\n}", "2:16 BCP333\n2:22 BCP037");
    check("module m 'm.bicep' = { params: { a: 1 } }\noutput o string = m.outputs.n", "1:37 BCP036\n2:19 BCP033");
    check("module m 'm.bicep' = {}\noutput o string = m.outputs.p", "1:8 BCP035\n2:29 BCP053");
    check("output o array = [for x in 'a': x]", "1:28 BCP137");
    check("param a string\nvar v = a\nparam b string = v", "3:18 BCP072");
}

#[test]
fn resources_are_checked_where_they_are_written() {
    let site = |name: &str, rest: &str| {
        format!("resource {name} 'Microsoft.Web/sites@2023-12-01' = {{\n  name: 'x'{rest}\n}}\n")
    };
    let check = |main: &str, expected: &str| assert_eq!(codes(main, &[]), expected, "{main}");
    check(&format!("{}{}", site("a", ""), site("b", "")), "2:9 BCP121\n5:9 BCP121");
    check(&site("a", "\n  scope: resourceGroup('x')"), "3:10 BCP139");
    check(&site("a", "\n  dependsOn: ['b']"), "3:15 BCP034");
    let late = site("b", "").replace("'x'", "a.properties.state");
    check(&format!("{}{late}", site("a", "")), "5:9 BCP120");
    check(&format!("{}output o array = [for i in a.properties.names: i]", site("a", "")), "4:28 BCP178");
}

#[test]
fn lambdas_that_validate_are_emitted_and_checked() {
    let (made, _) = compiled("@validate(x => startsWith(x, 'a'), 'begin with a')\nparam p string", &[]);
    let template = made.template.unwrap_or_else(|| panic!("{:?}", made.problems));
    assert_eq!(template.get("languageVersion").and_then(Value::as_str), Some("2.0"));
    let parameter = template.get("parameters").and_then(|all| all.get("p")).unwrap().to_json();
    let lambda = "[lambda('x', startsWith(lambdaVariables('x'), 'a'))]";
    assert_eq!(parameter, format!(r#"{{"type":"string","validate":["{lambda}","begin with a"]}}"#));
    let check = |main: &str, expected: &str| assert_eq!(codes(main, &[]), expected, "{main}");
    check("@validate(x => x == 1, 'a', x => true, 'b', x => x < 9, 'c')\nparam p int", "");
    check("@validate(x => true)\nvar v string = 'x'\n@validate(x => true)\noutput o int = 1", "");
    check("type t = {\n  @validate(x => contains(x, 'y'))\n  a: string\n}", "");
    check("@validate(x => x)\nparam p string", "1:11 BCP070");
    check("@validate((x, y) => true)\nparam p string", "1:11 BCP070");
    check("@validate(x => true, 'a', x => true)\nparam p string", "1:1 BCP071");
    check("@validate(x => x > 1)\nparam p string", "1:16 BCP045");
    check("@validate(x => true)\nvar v = 'x'", "1:2 BCP126");
}

#[test]
fn what_names_a_file_with_errors_is_told_so() {
    const MODULE: &str = "module m 'm.bicep' = { name: 'm' }";
    assert_eq!(codes(MODULE, &[("m.bicep", "param a int = 'x'")]), "1:15 BCP033\n1:10 BCP104");
    assert_eq!(codes(MODULE, &[("m.bicep", "param a int = 1")]), "");
    // A name that is imported may be declared in what cannot be parsed.
    let imports = "import { a } from 'm.bicep'\nimport * as b from 'm.bicep'";
    let found = codes(imports, &[("m.bicep", "var a")]);
    assert_eq!(found, "1:6 expected `=`, found the end of the file\n1:19 BCP104\n2:20 BCP104");
    // The nearest is told alone.
    let chain = [("m.bicep", "module n 'n.bicep' = { name: 'n' }"), ("n.bicep", "var a = b")];
    assert_eq!(codes(MODULE, &chain), "1:9 BCP057\n1:10 BCP104");
}

#[test]
fn parameter_files_are_compared_with_their_templates() {
    let check = |text: &str, expected: &str| {
        let sources = Sources::new();
        let template = ("main.bicep", "param a string\nparam b int = 1\nparam c string");
        let mut host = Memory::new(&sources, [template, ("x.bicepparam", text)]);
        let made = compile_parameters(Path::new("/r/x.bicepparam"), &mut host);
        let found: Vec<_> = made.problems.iter().map(shown).collect();
        assert_eq!(found.join(" "), expected, "{text}");
    };
    check("using 'main.bicep'\nparam a = 'x'\nparam c = 'y'", "");
    check("using 'main.bicep'\nparam a = 'x'", "BCP258");
    // What cannot be parsed may set any parameter that it names.
    let unclosed = "expected an expression, found the end of the file";
    check("using 'main.bicep'\nparam a = 'x'\nvar d =", &format!("{unclosed} BCP258"));
    check("using 'main.bicep'\nparam a = 'x'\nvar c =", unclosed);
    check("using 'main.bicep'\nparam a = 1\nparam c = 'y'\nparam d = 1", "BCP033 BCP259");
    check("param a = 'x'", "BCP261");
    check("using 'main.bicep'\nparam a = utcNow()\nparam c = resourceGroup().name", "BCP065 BCP057");
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
    let index = "1:72 a property of an object needs a name of type `string`, found `0`";
    check(&[one("a", "scope: a[0]")], &format!("1:70 `a` is its own scope\n{index}"));
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
fn types_that_repeat_each_other_end() {
    deep(check_types_that_repeat_each_other);
}

fn check_types_that_repeat_each_other() {
    let chain = |line: &dyn Fn(usize) -> String| (1..60).map(line).collect::<String>();
    let pairs = |name: &str| {
        let line = |at: usize| format!("var {name}{at} = [{name}{0}, {name}{0}, {name}{0}]\n", at - 1);
        format!("var {name}0 = ['x']\n{}", chain(&line))
    };
    let choice = "param c bool\noutput o array = c ? a59 : b59";
    drop(compiled(&format!("{}{}{choice}", pairs("a"), pairs("b")), &[]));
    drop(compiled(&format!("{}type t = t[]\noutput o t = a59", pairs("a")), &[]));
    let objects =
        |at: usize| format!("type t{at} = {{ a: t{0}, b: t{0} }}\nvar v{at} = {{ a: v{0}, b: v{0} }}\n", at - 1);
    drop(compiled(&format!("type t0 = string\nvar v0 = 'x'\n{}output o t59 = v59", chain(&objects)), &[]));
    let existing = |at: usize| {
        format!(
            "resource e{at} 'Microsoft.A/b@2020-01-01' existing = {{\n  name: '${{e{0}.name}}${{e{0}.id}}'\n}}\n",
            60 - at
        )
    };
    drop(compiled(&format!("{}output o string = e1.properties.x", chain(&existing)), &[]));
    for line in ["var v{} = v{+}\n", "type t{} = t{+}[]\n", "func f{}() string => f{+}()\n"] {
        let one = |at: usize| line.replace("{}", &at.to_string()).replace("{+}", &(at + 1).to_string());
        drop(compiled(&(0..5_000).map(one).collect::<String>(), &[]));
    }
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
            ($name, include_str!(concat!("../../../../../tests/golden/bicep/", $sample, "/", $name)))
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
