//! Patterns and what they match, as .NET would.

use super::*;

/// The texts that a pattern matches, and those that it does not.
#[track_caller]
fn check(pattern: &str, matches: &[&str], others: &[&str]) {
    let compiled = match Pattern::new(Dialect::DotNet, pattern) {
        Ok(compiled) => compiled,
        Err(error) => panic!("{pattern}: {error}"),
    };
    for text in matches {
        assert_eq!(compiled.is_match(text), Ok(true), "{pattern} in {text:?}");
    }
    for text in others {
        assert_eq!(compiled.is_match(text), Ok(false), "{pattern} in {text:?}");
    }
}

#[track_caller]
fn fails(pattern: &str, expected: &str) {
    let error = Pattern::new(Dialect::DotNet, pattern).expect_err("the pattern is wrong");
    assert_eq!(error.to_string(), expected, "{pattern}");
}

#[track_caller]
fn engine(pattern: &str, fancy: bool) {
    let compiled = Pattern::new(Dialect::DotNet, pattern).unwrap();
    assert_eq!(matches!(compiled.engine, Engine::Backtracking(_)), fancy, "{pattern}");
}

#[test]
fn a_pattern_is_searched_without_regard_to_case() {
    check("bc", &["abcd", "ABCD"], &["acbd", ""]);
    check("", &["", "x"], &[]);
    check("|", &["", "x"], &[]);
    check("()", &["x"], &[]);
    check("é", &["É"], &["e"]);
    check("[j-l]", &["K"], &["m"]);
    check("ß", &["ß", "ẞ"], &["SS", "ss"]);
    check("[à-ö]", &["Ä"], &["a"]);
}

#[test]
fn options_are_switched_inline() {
    check("(?-i)abc", &["abc"], &["ABC"]);
    check("a(?-i:b)c", &["AbC"], &["aBc"]);
    check("((?-i)a)b", &["aB"], &["Ab"]);
    check("a(?-i)b|c", &["Ab", "c"], &["aB", "C"]);
    check("(?s)a.b", &["a\nb"], &[]);
    check("(?m)^b$", &["a\nb\nc"], &["ab"]);
    check("(?s-m:a.)b$", &["a\nb\n"], &["a\nb\nc"]);
    check("(a(?-i)b)c(?!D)", &["AbC", "abce"], &["aBc", "abcd"]);
    check("(?x) a + \n b [ ]# note", &["aab "], &["a b "]);
    fails("(?n)(a)", "the option `n` is not supported at offset 0");
    fails("(?!", "the group is not closed at offset 0");
    fails("(?", "the group is not closed at offset 0");
}

#[test]
fn anchors_hold_where_those_of_dotnet_do() {
    check("^abc$", &["abc", "ABC", "abc\n"], &["abc\n\n", "xabc", "abc\r\n"]);
    check("abc\\z", &["abc"], &["abc\n"]);
    check("abc\\Z", &["abc", "abc\n"], &["abc\n\n"]);
    check("^b", &["b"], &["a\nb"]);
    check("^$", &["", "\n"], &["\n\n"]);
    check("\\Aa", &["ab"], &["ba"]);
    fails("\\Ga", r"`\G` is not supported at offset 0");
    check("(^|,)\\s*web(,|$)", &["api, web", "web,app"], &["webx"]);
    check("a$\\n", &["a\n"], &["a"]);
    check("(a$)?b", &["b"], &["a"]);
    check("${var}", &[], &["${var}"]);
    check("a(b$|c)\\n?", &["ab\n", "ac"], &["abc"]);
    check("^(a$|\\n)+\\z", &["a", "a\n"], &["aa"]);
    check("^.*$(?<!master)", &["db"], &["master", "master\n"]);
    fails("^*a", "a quantifier follows nothing that it could repeat; escape it to match it at offset 1");
}

#[test]
fn an_end_that_nothing_follows_needs_no_backtracking() {
    engine("^abc$", false);
    engine("(^|,)web(,|$)", false);
    engine("(?:a$)?", false);
    engine("a$b", true);
    engine("(a$)+", true);
    engine("\\bcat", false);
    engine("(a)b", false);
    engine("(a)\\1", true);
}

#[test]
fn a_dot_matches_everything_but_a_line_feed() {
    check("a.b", &["axb", "a\rb", "a\u{2028}b"], &["a\nb"]);
}

#[test]
fn shorthands_are_those_of_unicode() {
    check("^\\d+$", &["12", "٣"], &["x", "½"]);
    check("^\\w+$", &["日本", "a_1", "‿"], &["a-b", "\u{200D}", "Ⅷ", "\u{903}"]);
    check("\\s", &["a b", "\u{A0}", "\u{85}", "\u{3000}"], &["\u{200B}"]);
    check("\\S", &["x"], &[" "]);
    check("\\D", &["x"], &["1"]);
    check("\\W", &["-"], &["x"]);
    check("\\bcat\\b", &["cat-x", "a cat"], &["concat", "écat", "cat\u{200D}"]);
    check("\\Bcat", &["concat"], &["cat"]);
}

#[test]
fn properties_are_categories() {
    check("\\p{L}", &["é"], &["1"]);
    check("\\P{L}", &["1"], &["a"]);
    check("\\p{Lu}", &["a", "A", "ǅ"], &["日"]);
    check("(?-i)\\p{Lu}", &["A"], &["a"]);
    for name in ["IsGreek", "Greek", "lu", "Lx", "Cs"] {
        let expected = format!("`{name}` is not a category of Unicode; write the characters as ranges at offset 0");
        fails(&format!("\\p{{{name}}}"), &expected);
    }
    fails("a\\pL", r"expected a name in `{}` after `\p` at offset 1");
    fails("\\p{L", r"expected a name in `{}` after `\p` at offset 0");
}

#[test]
fn characters_are_not_halved() {
    check("^.$", &["é", "𐍈"], &[]);
    check("\\uD800\\uDF48", &["𐍈"], &[]);
    let half = "half of a character is not supported; write both surrogates, as in `\\uD83D\\uDE00` at offset 1";
    fails("[\\uD800-\\uDBFF]", half);
}

#[test]
fn classes_are_read_as_dotnet_reads_them() {
    check("^[a-z0-9-]{3,24}$", &["abc-1"], &["ab"]);
    check("^[^/]+$", &["ab"], &["a/b"]);
    check("[]a]", &["a", "]"], &["b"]);
    check("[^]a]", &["b"], &["a", "]"]);
    check("[a\\]]", &["]"], &["b"]);
    check("[\\w.-]+@[\\w.-]+", &["a.b@c-d.e"], &["@"]);
    check("[.-/]", &["."], &["-"]);
    check("[\\d-x]", &["5", "-", "x"], &["y"]);
    check("[^\\S\\r\\n]", &[" "], &["\n"]);
    check("[a&&b]", &["&", "a", "b"], &["c"]);
    check("[[a]", &["[", "a"], &["b"]);
    check("[a~~b]", &["~"], &["c"]);
    check("[\\b]", &["\u{8}"], &["b"]);
    check("[a-]", &["-"], &["b"]);
    check("[-a]", &["-"], &["b"]);
    check("[\\-a]", &["-"], &["b"]);
    check("[+\\--/]", &["-", ".", "/"], &[","]);
    fails("[z-a]", "the range is reversed at offset 3");
    fails("[a-\\d]", "a range ends in a set; expected one character at offset 3");
    fails("[", "the class is not closed at offset 0");
    fails("[a-", "the class is not closed at offset 0");
    fails("[]", "the class is not closed at offset 0");
    fails("[a", "the class is not closed at offset 0");
}

#[test]
fn classes_are_subtracted() {
    check("^[a-z-[aeiou]]$", &["b", "B"], &["a", "E", "-"]);
    check("^[^a-z-[0-9]]$", &["-"], &["a", "5"]);
    check("^[a-z-[b-y-[m]]]$", &["a", "m", "z"], &["b"]);
    check("^[\\w-[_]]$", &["a"], &["_"]);
    check("^[a-[a]]$", &[], &["a"]);
    fails("[a-[b]c]", "a subtracted class is not the last part of its class at offset 2");
}

#[test]
fn escapes_stand_for_characters() {
    check("\\u0041\\x42", &["ab"], &[]);
    check("\\-\\@\\/\\ ", &["-@/ "], &[]);
    check("\\t\\n\\r\\f\\v\\a\\e", &["\t\n\r\u{c}\u{b}\u{7}\u{1b}"], &[]);
    check("\\<", &["<"], &[]);
    for letter in ["i", "0", "cA", "Q", "h", "_"] {
        let expected = format!(r"`\{}` is not supported at offset 0", letter.chars().next().unwrap_or_default());
        fails(&format!("\\{letter}"), &expected);
    }
    fails("a\\", r"the pattern ends in a backslash; write `\\` to match it at offset 1");
    fails("\\x4", "expected 2 hexadecimal digits at offset 0");
    fails("\\u00é1", "expected 4 hexadecimal digits at offset 0");
}

#[test]
fn quantifiers_repeat_and_braces_may_be_literal() {
    check("^a{2}$", &["aa"], &["a"]);
    check("a{2,}", &["aaa"], &["a"]);
    check("^a{1,2}$", &["a"], &["aaa"]);
    check("a{", &["a{"], &["a"]);
    check("{a}", &["{a}"], &["a"]);
    check("a{x}", &["a{x}"], &["a"]);
    check("a{,2}", &["a{,2}"], &["a"]);
    check("^a+?b??$", &["aab"], &["b"]);
    check("^a{0}$", &[""], &["a"]);
    fails("*", "a quantifier follows nothing that it could repeat; escape it to match it at offset 0");
    fails("a|*", "a quantifier follows nothing that it could repeat; escape it to match it at offset 2");
    fails("a++", "a quantifier follows a quantifier; put the first into a group at offset 2");
    fails("a{2,1}", "the first count is larger than the second at offset 1");
    fails("a{99999999999}", "the count is too large at offset 1");
    fails("(a{9999}){9999}", "the pattern is too large at offset 0");
    fails(&r"\w".repeat(30_000), "the pattern is too large at offset 0");
}

#[test]
fn groups_look_around() {
    check("(?!basic)^.+$", &["premium"], &["basic", "Basic1"]);
    check("^(?!.*\\*).*$", &["ab"], &["a*b"]);
    check("(?<=v)\\d", &["v1"], &["x1"]);
    check("(?<!v)\\d", &["x1"], &["v1"]);
    check("^((?!functionapp).)*$", &["app,linux"], &["functionapp,linux"]);
    check("^(?=.*[a-z])(?=.*\\d).{8,}$", &["abcdefg1"], &["abcdefgh"]);
    check(".+(?<!master)$", &["db1", "db1\n"], &["master", "x/Master"]);
    check("(?<=a+)b", &["aab"], &["b"]);
    check("(?=a$)a", &["a\n"], &["ab"]);
    check("^(?:/(?!\\.)+[a-z.]+)+$", &["/a/b."], &["/.a"]);
    fails("(?=a)*b", "a quantifier follows nothing that it could repeat; escape it to match it at offset 5");
}

#[test]
fn groups_are_referred_to() {
    check("^(a)\\1$", &["aa", "aA"], &["ab"]);
    check("(?<n>a)\\k<n>", &["aa"], &["ab"]);
    check("\\1(a)", &[], &["aa"]);
    check("^(?:\\1b|(a))+$", &["aab", "aabab"], &["ab"]);
    check("(a)(?-i)\\1", &["aa", "AA"], &["aA"]);
    fails("(a)\\2", "there is no group 2 to refer to at offset 3");
    fails("\\k<n>", "there is no group `n` to refer to at offset 0");
    fails("\\kn", r"expected `\k<name>` at offset 0");
    fails("(?<n>a)(b)\\1", "a pattern with named groups refers to groups by their names at offset 10");
    fails("(a)\\10", "there is no group 10 to refer to at offset 3");
    fails("(?<n>a)|(?<n>b)", "two groups have the name `n` at offset 8");
    fails("(?<a-b>x)", "expected a name of ASCII letters, digits and `_`, and `>` at offset 0");
}

#[test]
fn groups_are_atomic() {
    check("(?>a+)b", &["aab"], &["a"]);
    check("(?>a+)a", &[], &["aaa"]);
    fails("^(a)?(?(1)b|c)$", "conditional groups are not supported; write two alternatives at offset 5");
    fails("a(?#note)b", "comments are not supported; remove the comment at offset 1");
    fails("(?'n'a)", "write the name of a group as `(?<name>…)` at offset 0");
}

#[test]
fn parentheses_must_pair() {
    fails("(", "the group is not closed at offset 0");
    fails(")", "`)` closes nothing; escape it to match it at offset 0");
    fails("(unclosed", "the group is not closed at offset 0");
    let deep = "(".repeat(200) + &")".repeat(200);
    fails(&deep, "groups are nested deeper than 50 at offset 50");
    check(&("(".repeat(40) + &")".repeat(40)), &["x"], &[]);
}

#[test]
fn a_search_that_takes_too_long_is_given_up() {
    let pattern = Pattern::new(Dialect::DotNet, "^(?=(a+)+$)(?:a|a)*\\1b").unwrap();
    assert_eq!(pattern.is_match(&"a".repeat(40)), Err(LimitReached));
}

/// The strings that a Java pattern matches as a whole, and those that it does not.
#[track_caller]
fn java(pattern: &str, matches: &[&str], others: &[&str]) {
    let compiled = match Pattern::new(Dialect::Java, pattern) {
        Ok(compiled) => compiled,
        Err(error) => panic!("{pattern}: {error}"),
    };
    for text in matches {
        assert_eq!(compiled.is_match(text), Ok(true), "{pattern} is {text:?}");
    }
    for text in others {
        assert_eq!(compiled.is_match(text), Ok(false), "{pattern} is {text:?}");
    }
}

#[track_caller]
fn java_fails(pattern: &str, expected: &str) {
    let error = Pattern::new(Dialect::Java, pattern).expect_err("the pattern is wrong");
    assert_eq!(error.to_string(), expected, "{pattern}");
}

#[test]
fn in_java_the_whole_string_must_match() {
    java("abc", &["abc"], &["ABC", "xabc", "abcx", "abc\n", ""]);
    java("^abc$", &["abc"], &["abc\n"]);
    java("a|ab", &["a", "ab"], &["b"]);
    java("a$\\n", &["a\n"], &["a"]);
    java("a(?=$)\\r\\n", &["a\r\n"], &[]);
    java("", &[""], &["a"]);
    java("(?i)abc", &["ABC"], &["abd"]);
    java(".{2}", &["𐍈x"], &["𐍈", "a\n", "a\r", "a\u{2028}"]);
    java("(?s).", &["\n", "𐍈"], &[]);
}

#[test]
fn in_java_groups_look_around() {
    java("(?!aws)[a-z]+", &["prod"], &["aws", "awsome"]);
    java("^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{8,}$", &["abcdefG1"], &["abcdefg1", "G1"]);
    java("(?=a$)a", &["a"], &["a\n"]);
    java(".*(?<!-)", &["ab", ""], &["ab-"]);
    java("\\bab\\b", &["ab"], &["abc"]);
}

#[test]
fn in_java_shorthands_are_of_ascii() {
    java("\\d", &["1"], &["٣"]);
    java("\\w+", &["a_1"], &["é", "a-b"]);
    java("\\W\\S\\D", &["-é٣"], &["aé-"]);
    java("\\s{2}", &[" \t"], &["\u{A0} ", "  \u{85}"]);
    java("\\p{Alnum}\\p{Punct}\\P{Alpha}", &["a[1"], &["é[1"]);
    java("\\p{L}\\p{N}[\\p{Lu}\\P{Alpha}]", &["é½Ä", "é½é"], &["1aÄ", "é½a"]);
    java_fails("\\p{IsLatin}", "`IsLatin` is not a category of Unicode; write the characters as ranges at offset 0");
    java_fails("\\R", "`\\R` is not supported at offset 0");
}

#[test]
fn in_java_classes_are_united_and_intersected() {
    java("[a-c[x-z]]+", &["ax"], &["d"]);
    java("[a-z&&[^aeiou]]+", &["bcd"], &["a", "B"]);
    java("[a-z&&def]", &["d"], &["a"]);
    java("[^a-z&&[def]]", &["a", "1"], &["d"]);
    java("[a-z&&[b-y]&&[^m]]", &["b"], &["a", "m"]);
    java("[\\w&&[^_]&&\\D]", &["a"], &["_", "1"]);
    java("[a&b]+", &["a&b"], &["c"]);
    java("(?i)[a-c&&[b]]", &["B"], &["A"]);
    java("[a-z-[0]]+", &["a-0"], &["1"]);
    java("[\\u0020-\\uD7FF\\uE000-\\uFFFD\\uD800\\uDC00-\\uDBFF\\uDFFF\\r\\n\\t]*", &["a é𐍈\n", ""], &["\0"]);
    java_fails("[a&&", "the class is not closed at offset 0");
    let deep = "[a".repeat(99) + &"]".repeat(99);
    java_fails(&deep, "classes are nested deeper than 20 at offset 42");
}

#[test]
fn in_java_quantifiers_may_be_possessive() {
    java("a++b", &["aab"], &[]);
    java("a*+a", &[], &["aaa"]);
    java("a{1,2}+b", &["aab"], &["aaab"]);
    java("a+?b", &["aab"], &[]);
    java_fails("a+++", "a quantifier follows a quantifier; put the first into a group at offset 3");
    java_fails("a{", "`{` does not begin a quantifier; escape it to match it at offset 1");
}

#[test]
fn in_java_characters_are_escaped() {
    java("\\x42\\u0043", &["BC"], &[]);
    java("\\_\\-\\<", &["_-<"], &[]);
    java("𐍈\\uD800\\uDF48", &["𐍈𐍈"], &[]);
    java_fails("\\Qa.b\\E", r"`\Q` is not supported at offset 0");
    java_fails("\\x{1F600}", "expected 2 hexadecimal digits at offset 0");
}

#[test]
fn in_java_named_groups_are_counted_with_the_others() {
    java("(?<n>a)(b)\\1\\k<n>", &["abaa"], &["abba"]);
    java_fails("(a)\\2", "there is no group 2 to refer to at offset 3");
    java_fails("(?m)a", "the option `m` is not supported at offset 0");
    java_fails("(?<1>a)", "expected a name of ASCII letters, digits and `_`, and `>` at offset 0");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2000))]

    #[test]
    fn no_pattern_makes_the_translation_panic(pattern in r"([abK1\-,&{}()\[\]^$.*+?|\\<>'=!:#ix]|\\[bdwpsk1ZQEuxhv0]|\(\?[=!<>:(]|é|𐍈){0,16}") {
        for dialect in [Dialect::DotNet, Dialect::Java] {
            if let Ok(compiled) = Pattern::new(dialect, &pattern) {
                let _ = compiled.is_match("aK1-é𐍈\n");
            }
        }
    }
}

proptest::proptest! {
    // Compiling a large pattern takes a while.
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(50))]

    #[test]
    fn the_bound_of_a_size_holds(pattern in r"((a|K|é|\.|\\[dwsS]|\[a-z0-9-\]|\[\^/\]|\(ab\|c\)|\(\\w\|-\)|\\p\{Lu\}|\[\\w-\[aeiou\]\]|\[\\w&&\[\^aeiou\]\])(\?|\*|\+|\{2,9\}|\{63\}|\{3,\})?){1,8}") {
        for dialect in [Dialect::DotNet, Dialect::Java] {
            let translated = translate::translate(dialect, &pattern).unwrap();
            proptest::prop_assert!(linear(&translated.pattern, translated.size).is_ok(), "{} in {}", translated.pattern, translated.size);
        }
    }
}

#[test]
fn a_pattern_whose_size_is_not_certain_is_compiled_at_once() {
    let is_compiled = |pattern: &str| match Pattern::new(Dialect::DotNet, pattern).unwrap().engine {
        Engine::Linear(linear) => linear.regex.get().is_some(),
        Engine::Backtracking(_) => true,
    };
    assert!(!is_compiled("^[a-z0-9]{3,24}$"));
    assert!(is_compiled("[a-z]{9999}"), "the bound is above the limit");
}

#[test]
fn a_set_of_java_is_as_small_as_its_ranges() {
    let size = |pattern: &str| Pattern::new(Dialect::Java, pattern).unwrap().size();
    // Each is of the ASCII characters, so the pattern is not as large as one of Unicode.
    for set in [r"\w", r"\W", r"\d", r"\s", r"\p{Alnum}", r"\P{Punct}"] {
        assert!(size(&format!(r"^[{set}+=,.@-]{{1,64}}$")).is_some_and(|size| size < 512 << 10), "{set}");
    }
    // As parameters of AWS's reference architectures have it.
    assert!(Pattern::new(Dialect::Java, r"^([\w.-]{1,900})$|^(\/[\w.-]{1,900})*[\w.-]{1,900}$").is_ok());
}
