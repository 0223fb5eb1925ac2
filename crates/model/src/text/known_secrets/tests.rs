//! Tests with tokens that are joined from parts, so that no scanner takes them for real ones.

use super::*;

/// Returns the secrets in a text, each with its format.
fn found(text: &str) -> Vec<(&'static str, &str)> {
    known_secrets(text).into_iter().map(|secret| (secret.what, text.get(secret.range).unwrap())).collect()
}

#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    assert_eq!(found(text), expected, "{text}");
}

/// Returns characters that look like those of a key. No key is written out, because scanners would report this file.
fn random(length: usize) -> String {
    const LETTERS: &[u8] = b"h7Kq2ZpR9vWmT4cXgB6nJdL3sYfQ8tEuA5w";
    (0..length).map(|at| char::from(LETTERS[(at * 11 + at / 35 * 4) % LETTERS.len()])).collect()
}

#[test]
fn a_token_is_known_by_its_beginning() {
    let token = format!("{}_{}", "ghp", random(36));
    let what = "a GitHub personal access token";
    for text in ["", "\"", "token=", "\\n", "é"] {
        check(&format!("{text}{token}\" x"), &[(what, &token)]);
    }
    check(&format!("x{token}"), &[]);
    check(&format!("{token}x"), &[]);
    check(&format!("{token}, {token}"), &[(what, &token), (what, &token)]);
    check(&format!("ghp_{}", "x".repeat(36)), &[]);
    check(&format!("ghp_Example{}", random(29)), &[]);
    check(&format!("{}/{}", "${ghp_", random(36)), &[]);
    let id = format!("{}{}", "AKIA", "Q5FZ2PLWT7XKVR4M");
    check(&id, &[("an AWS access key ID", &id)]);
    check("AKIAIOSFODNN7EXAMPLE", &[]);
    let secret = format!("{}~{}", "a1.8Q", random(34));
    check(&format!("'{secret}'"), &[("a Microsoft Entra client secret", &secret)]);
}

#[test]
fn each_row_has_a_pattern_that_is_valid() {
    let table = TABLE.as_ref().unwrap();
    assert!(table.formats.len() > 80);
    for format in &table.formats {
        let text = format!(r"\A(?:{})", format.pattern);
        assert!(pattern(&text).is_some(), "{text}");
    }
    for beginning in table.by_beginning.keys() {
        assert!(beginning.len() >= 2 && !connection::BEGINNINGS.contains(beginning), "{beginning}");
    }
}

#[test]
fn a_private_key_has_data() {
    let key = |body: &str| format!("-----BEGIN RSA {0} KEY-----\\n{body}\\n-----END RSA {0} KEY-----", "PRIVATE");
    let whole = key(&random(80));
    check(&format!("\"{whole}\\n\""), &[("a private key", &whole)]);
    check(&key("..."), &[]);
    check(&key(&format!("${{{}}}", random(80))), &[]);
    check(&whole.replace("PRIVATE", "PUBLIC"), &[]);
    check(&whole.replace("END", "AND"), &[]);
}

#[test]
fn a_connection_string_with_a_key_is_known() {
    let (long, short) = (format!("{}==", random(86)), format!("{}=", random(43)));
    let with_key = "a connection string with a key";
    check(&format!("AccountName=a;AccountKey={long};EndpointSuffix=x"), &[(with_key, &long)]);
    check(&format!("Endpoint=sb://a/;SharedAccessKeyName=b;SharedAccessKey={short}"), &[(with_key, &short)]);
    check(&format!("Endpoint=https://a.azconfig.io;Id=b;Secret={short}"), &[(with_key, &short)]);
    check(&format!("Secret={short}"), &[]);
    check(&format!("AccountKey={short}"), &[]);
    check(&format!("AccountKey=Eby8vdM02xNOcqFl{}==", random(70)), &[]);
    for text in ["AccountKey=", "AccountKey=${key}", "AccountKey=', listKeys('a', '2021-01-01').keys[0].value"] {
        check(text, &[]);
    }
    let signature = format!("{}%3D", random(43));
    let url = format!("https://a.blob.core.windows.net/b?sv=2020&sp=r&sig={signature}");
    check(&url, &[("a shared access signature", &signature)]);
    check(&format!("{url}&se=2030"), &[("a shared access signature", &signature)]);
    check(&format!("https://a/b?sig={signature}"), &[]);
}

#[test]
fn a_password_is_known_beside_a_server() {
    #[track_caller]
    fn of_string(text: &str, expected: Option<&str>) {
        let expected = expected.map(|password| ("a connection string with a password", password));
        check(text, &expected.into_iter().collect::<Vec<_>>());
    }
    of_string("Server=tcp:a;User ID=b;Password=hunter22;Encrypt=true", Some("hunter22"));
    of_string("Password=hunter22;Data Source=a", Some("hunter22"));
    of_string("[concat('Server=a;Pwd=hunter22;')]", Some("hunter22"));
    of_string("Value: Server=a;pwd=hunter22", Some("hunter22"));
    of_string("a.redis.cache.windows.net:6380,password=hunter22,ssl=True", Some("hunter22"));
    for text in [
        "Password=hunter22",
        "--server=a --password=hunter22",
        "Server=a;Password=",
        "Server=a;Password={0};",
        "Server=a;Password=${Password}",
        "Server=a;Password=<password>",
        "Server=a;Password=yourpassword",
        "Server=a;Password=xxxxxxx",
        "Server=a;Password=#{password}#",
        "Server=a;Password=__password__",
        "[concat('Server=a;Password=', parameters('p'))]",
        "Server=a;Password=hunter22${x}",
    ] {
        of_string(text, None);
    }
    check("postgresql://user:hunter22@host/db", &[("a URL with a password", "hunter22")]);
    check("redis://:hunter22@host:6379", &[("a URL with a password", "hunter22")]);
    for text in [
        "postgres://user:password@host/db",
        "postgres://user:${Password}@host/db",
        "postgres://postgres:postgres@host/db",
        "postgres://host/db?a=b:c@d",
        "mysql://user@host/",
        "amqp://",
    ] {
        check(text, &[]);
    }
}

#[test]
fn time_grows_with_the_length_of_a_text() {
    for part in
        ["eyJ", "-eyJ", "SG.", "ABSK/", "AccountKey=", ";Password=a", "postgres://a:b@c", "-----BEGIN PRIVATE KEY-----"]
    {
        let text = part.repeat(50_000 / part.len());
        assert!(known_secrets(&text).len() < 30_000, "{part}");
    }
}
