//! Determines from the name of a parameter or property whether it probably contains a secret.
//!
//! A name is split into words: `azureOpenAIMaxTokens` is `azure open ai max tokens`. Tables then decide, in this
//! order: words that only describe a secret (`passwordLength`), phrases with another meaning (`shardKey`), and words
//! that mean a secret.

/// The strength of the evidence that a name denotes a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The name contains a word without another meaning, such as `password`.
    Strong,
    /// The name contains a word with other meanings, such as `key`.
    Weak,
}

/// Parts of words that mean a secret.
const STRONG: &[&str] = &["passphrase", "passwd", "password", "secret"];

/// Words that mean a secret at the end of a name.
const STRONG_AT_END: &[&str] = &["pwd"];

/// Words that may mean a secret at the end of a name, written as one word.
const WEAK_AT_END: &[&str] = &[
    "accesskey",
    "accesstoken",
    "accountkey",
    "adminkey",
    "apikey",
    "apitoken",
    "authkey",
    "authtoken",
    "clientkey",
    "key",
    "keys",
    "licensekey",
    "masterkey",
    "privatekey",
    "primarykey",
    "sastoken",
    "secondarykey",
    "sharedkey",
    "signingkey",
    "storagekey",
    "token",
    "workspacekey",
];

/// Words that may mean a secret anywhere in a name.
const WEAK: &[&str] = &["token"];

/// Words before `tokens` that show that these are not units of text.
const TOKEN_KINDS: &[&str] = &["access", "api", "auth", "bearer", "refresh", "sas", "security", "session"];

/// First words of a name that is a question about a secret.
const QUESTIONS: &[&str] = &[
    "allow", "create", "deploy", "disable", "enable", "generate", "has", "is", "require", "reset", "rotate", "should",
    "show", "skip", "use", "validate",
];

/// Words at the end of a name that describe a secret instead of containing it.
const DESCRIPTIONS: &[&str] = &[
    "algorithm",
    "audience",
    "claim",
    "claims",
    "column",
    "count",
    "date",
    "days",
    "description",
    "enabled",
    "encoding",
    "endpoint",
    "environment",
    "expiration",
    "expiry",
    "field",
    "format",
    "group",
    "header",
    "hours",
    "id",
    "identifier",
    "ids",
    "index",
    "interval",
    "issuer",
    "label",
    "length",
    "lifetime",
    "limit",
    "location",
    "minute",
    "minutes",
    "name",
    "names",
    "option",
    "options",
    "path",
    "permission",
    "permissions",
    "policy",
    "prefix",
    "property",
    "provider",
    "quota",
    "rate",
    "reference",
    "required",
    "rotation",
    "scope",
    "scopes",
    "seconds",
    "short",
    "size",
    "source",
    "suffix",
    "thumbprint",
    "time",
    "ttl",
    "type",
    "uri",
    "uris",
    "url",
    "urls",
    "usage",
    "vault",
    "version",
    "versions",
];

/// Phrases that do not mean a secret, regardless of the words around them.
const PHRASES: &[&[&str]] = &[
    &["connection", "string", "key"],
    &["continuation", "token"],
    &["creation", "token"],
    &["customer", "managed", "key"],
    &["feature", "flag"],
    // It only says whose telemetry something is:
    // <https://learn.microsoft.com/azure/azure-monitor/app/connection-strings#is-the-connection-string-a-secret>.
    &["instrumentation", "key"],
    &["instrumentationkey"],
    &["key", "vault"],
    &["keyvault"],
    &["kv", "secret"],
    &["max", "token"],
    &["no", "password"],
    &["non", "secret"],
    &["nonsecret"],
    &["not", "secret"],
    &["passwordless"],
    &["pub", "key"],
    &["pubkey"],
    &["public", "key"],
    &["publickey"],
    // The unique part of the names of resources, in templates of the Azure Developer CLI.
    &["resource", "token"],
    &["ssh", "key"],
    &["sshkey"],
    &["unique", "token"],
];

/// Words before a `key` at the end of a name that show that the key identifies something, and does not give access.
const KINDS_OF_KEYS: &[&str] = &[
    "cache",
    "composite",
    "config",
    "configuration",
    "environment",
    "foreign",
    "group",
    "hash",
    "idempotency",
    "index",
    "label",
    "lookup",
    "object",
    "partition",
    "primary",
    "range",
    "registry",
    "routing",
    "row",
    "shard",
    "size",
    "sku",
    "sort",
    "tag",
    "unique",
];

/// Returns the strength of the evidence that a parameter or property with this name contains a secret. `None` if
/// there is none.
pub fn hint(name: &str) -> Option<Hint> {
    let words = words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (first, last) = (*words.first()?, *words.last()?);
    let is_question = words.len() > 1 && QUESTIONS.contains(&first);
    let is_phrase = |phrase: &&[&str]| words.windows(phrase.len()).any(|window| is_like(window, phrase));
    if is_question || DESCRIPTIONS.contains(&last) || PHRASES.iter().any(is_phrase) {
        return None;
    }
    let is_strong = |word: &&str| STRONG.iter().any(|part| word.contains(part)) && !word.starts_with("secretar");
    if words.iter().any(is_strong) || STRONG_AT_END.contains(&last) {
        return Some(Hint::Strong);
    }
    // `key1` and `key2` are places in a list.
    if words.len() == 1 && name.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let before = words.iter().rev().nth(1).copied();
    let is_weak = match last {
        "key" | "keys" => !before.is_some_and(|kind| KINDS_OF_KEYS.contains(&kind)),
        "tokens" => before.is_some_and(|kind| TOKEN_KINDS.contains(&kind)),
        last => WEAK_AT_END.contains(&last) || words.iter().any(|word| WEAK.contains(word)),
    };
    is_weak.then_some(Hint::Weak)
}

/// Last words of the name of a parameter whose value identifies something, and gives no access.
const IDENTIFIERS: &[&str] =
    &["environment", "id", "ids", "identifier", "location", "name", "names", "prefix", "region", "sku", "suffix"];

/// Returns `true` if a parameter with this name holds a name, an ID, or a part of one: `namePrefix`, `keyVaultName`,
/// `principalId`, `keyVaultUrl`. Other URLs may contain a secret.
pub fn is_identifier(name: &str) -> bool {
    let words = words(name);
    let is_of_vault = || words.iter().any(|word| word == "vault" || word == "keyvault");
    words.last().is_some_and(|last| match last.as_str() {
        "uri" | "url" => is_of_vault(),
        last => IDENTIFIERS.contains(&last),
    })
}

/// Last words of the name of a setting that mean a secret, in addition to those of parameters.
const SETTINGS_AT_END: &[&str] = &["pass", "passwords", "pwd", "secrets"];

/// Last words of the name of a setting whose other words mean a secret.
const QUALIFIERS: &[&str] =
    &["base", "dev", "development", "prod", "production", "qa", "staging", "string", "test", "value"];

/// Returns the strength of the evidence that a setting with this name contains a secret. `None` if there is none.
///
/// In contrast to [`hint`], the words of a secret have to be at the end, because a setting is often about one:
/// `PASSWORD_HASHER`, `TOKEN_TABLE`.
pub fn setting_hint(name: &str) -> Option<Hint> {
    let hinted = hint(name);
    let words = words(name);
    let mut words = words.iter().rev().map(String::as_str);
    let last = words.find(|word| !QUALIFIERS.contains(word))?;
    let is_strong = STRONG.iter().any(|part| last.ends_with(part)) || STRONG_AT_END.contains(&last);
    match hinted {
        // `DB_PASS`, but not `BYPASS`.
        None if SETTINGS_AT_END.contains(&last) && words.next().is_some() => Some(Hint::Strong),
        Some(Hint::Strong) if is_strong || SETTINGS_AT_END.contains(&last) || matches!(last, "key" | "keys") => hinted,
        Some(_) if last == "tokens" || WEAK_AT_END.contains(&last) => Some(Hint::Weak),
        _ => None,
    }
}

/// Returns whether the words are those of a phrase, in the singular or the plural.
fn is_like(words: &[&str], phrase: &[&str]) -> bool {
    words.iter().zip(phrase).all(|(word, part)| word == part || word.strip_suffix('s') == Some(part))
}

/// Splits a name into lower-case words at each change of case and each character that is not a letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut rest = name.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        // `AIMax` is `AI Max`: the last capital of several belongs to the next word.
        let follows_word = before.is_lowercase();
        let begins_word = before.is_uppercase() && rest.peek().is_some_and(|next| next.is_lowercase());
        if !c.is_alphabetic() || (c.is_uppercase() && (follows_word || begins_word)) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_told_from_secrets() {
        for name in ["namePrefix", "keyVaultName", "principalId", "keyVaultUrl", "name"] {
            assert!(is_identifier(name), "{name}");
        }
        for name in ["webhookUrl", "adminPassword", "connectionString", "userNamePassword", ""] {
            assert!(!is_identifier(name), "{name}");
        }
    }

    #[test]
    fn names_are_split_into_words() {
        let check = |name: &str, expected: &[&str]| assert_eq!(words(name), expected, "{name}");
        check("azureOpenAIMaxTokens", &["azure", "open", "ai", "max", "tokens"]);
        check("cred1Password", &["cred", "password"]);
        check("OMSWorkspaceKey", &["oms", "workspace", "key"]);
        check("_artifactsLocationSasToken", &["artifacts", "location", "sas", "token"]);
        check("PubNub Publish-Key", &["pub", "nub", "publish", "key"]);
        check("APIKEY", &["apikey"]);
        check("", &[]);
    }

    #[test]
    fn the_name_of_a_setting_ends_with_the_words_of_a_secret() {
        let check = |names: &[&str], expected: Option<Hint>| {
            for name in names {
                assert_eq!(setting_hint(name), expected, "{name}");
            }
        };
        check(
            &[
                "DB_PASSWORD",
                "dbPass",
                "SECRET_KEY_BASE",
                "DJANGO_SECRET_KEY",
                "Smtp__Password",
                "DB_PWD_PROD",
                "db_pwd1",
            ],
            Some(Hint::Strong),
        );
        check(&["API_KEY", "Api__Token", "accessTokens", "STRIPE_APIKEY"], Some(Hint::Weak));
        let none = [
            "PASSWORD_HASHER",
            "TOKEN_TABLE",
            "SECRET_NAME",
            "DB_SECRET_ARN",
            "PASSWORD_FILE",
            "MAX_PASSWORD_ATTEMPTS",
            "PASS",
            "BYPASS",
            "PARTITION_KEY",
            "APPINSIGHTS_INSTRUMENTATIONKEY",
            "PUBLIC_KEY",
            "NO_PASSWORD",
            "STAGE",
            "",
        ];
        check(&none, None);
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    fn names_of_secrets_are_told_from_names_about_secrets() {
        let strong = [
            "password",
            "adminPassword",
            "certpassword",
            "informatica_user_password",
            "clientSecret",
            "secret",
            "dbPwd",
            "pullSecret",
            "adminPasswordOrKey",
            "secretValue",
            "pass_phrase_passphrase",
            "secrets",
        ];
        let weak = [
            "key",
            "storageKey",
            "OMSWorkspaceKey",
            "accessKeys",
            "apikey",
            "sas_token",
            "pivnetAPIToken",
            "accessTokens",
            "gitSshPrivateKey",
            "_artifactsLocationSasToken",
            "sharedKey",
            "tokenValue",
            "license_key",
            "primaryAccessKey",
        ];
        let none = [
            "azureOpenAIMaxTokens",
            "tokens",
            "maxTokensPerMinute",
            "shardKey",
            "creationToken",
            "nonSecretParameterValues",
            "passwordLength",
            "secretName",
            "secretNames",
            "secretUri",
            "keyVaultName",
            "keyVaultSecret",
            "publicKey",
            "sshPublicKey",
            "ssh_pub_key",
            "clientPubKey",
            "sshKeys",
            "passwordPolicy",
            "tokenLifetime",
            "tokenLimit",
            "usePassword",
            "enableSecretRotation",
            "disablePasswordAuthentication",
            "partitionKey",
            "rowKey",
            "primaryKey",
            "vmSkuKey",
            "featureFlagKey",
            "customerManagedKey",
            "keyName",
            "keySize",
            "monkey",
            "tokenizer",
            "keyboard",
            "secretExpirationInDays",
            "key1",
            "user",
            "location",
            "passwordless",
            "tokenEndpoint",
            "connectionStringKey",
            "adminPassKvSecret",
            "uniqueToken",
            "appInsightsInstrumentationKey",
            "instrumentationkey",
            "maskinportenTokenExchangeEnvironment",
            "resourceToken",
            "environmentKey",
            "certificateSecretIdShort",
        ];
        for name in strong {
            assert_eq!(hint(name), Some(Hint::Strong), "{name}");
        }
        for name in weak {
            assert_eq!(hint(name), Some(Hint::Weak), "{name}");
        }
        for name in none {
            assert_eq!(hint(name), None, "{name}");
        }
    }
}
