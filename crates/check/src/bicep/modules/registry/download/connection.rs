//! The requests for one module.
//!
//! Everything goes over HTTPS, except to a registry on this machine. The token of a registry is sent to it alone: what
//! it redirects to does not get it.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_LENGTH, HeaderMap, LOCATION, USER_AGENT, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode, Url};
use serde::Deserialize;

use crate::bicep::compiler::Artifact;
use crate::bicep::modules::registry::download::DownloadFailure;
use crate::bicep::modules::registry::download::challenge::Challenge;

/// Time limit for making a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of redirections that are followed.
const MAX_REDIRECTIONS: usize = 5;

/// The largest answer with a token, in bytes.
const MAX_TOKEN: u64 = 256 << 10;

/// An answer that came to its end.
#[derive(Debug)]
pub(super) struct HttpResponse {
    pub(super) body: Vec<u8>,
    /// The digest that the registry says it has.
    pub(super) digest: Option<String>,
}

/// Address of one module, and the client that downloads it.
pub(super) struct Connection<'a> {
    client: &'a reqwest::Client,
    /// The address of the repository, with a slash at its end.
    base: Url,
    repository: &'a str,
    token: Option<String>,
}

/// The answer of an address that gives tokens.
#[derive(Deserialize)]
struct Granted {
    token: Option<String>,
    access_token: Option<String>,
}

/// Creates the HTTP client. It reads proxies from the environment. The error is a message.
pub(super) fn client() -> Result<reqwest::Client, String> {
    // An error means that a provider is already installed, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder().connect_timeout(CONNECT_TIMEOUT);
    let built = builder.redirect(reqwest::redirect::Policy::none()).retry(reqwest::retry::never()).build();
    built.map_err(|error| format!("TLS cannot be used: {}", cause(&error)))
}

impl<'a> Connection<'a> {
    pub(super) fn new(client: &'a reqwest::Client, artifact: &'a Artifact) -> Result<Self, DownloadFailure> {
        let Artifact { registry, repository, .. } = artifact;
        let address = |scheme| Url::parse(&format!("{scheme}://{registry}/v2/{repository}/"));
        let base = match address("https") {
            Ok(base) if is_local(&base) => address("http"),
            base => base,
        };
        let base = base.map_err(|_| DownloadFailure::Wrong(format!("`{registry}` is not the name of a registry")))?;
        Ok(Self { client, base, repository, token: None })
    }

    /// Reads an answer of no more than `limit` bytes. `path` is relative to the repository.
    pub(super) async fn get(
        &mut self,
        path: &str,
        accepted: &str,
        limit: u64,
    ) -> Result<HttpResponse, DownloadFailure> {
        // Not `join`, which takes `sha256:` for a scheme.
        let place = format!("{}{path}", self.base);
        let place = Url::parse(&place).map_err(|_| DownloadFailure::Wrong(format!("`{path}` is not an address")))?;
        let mut url = place.clone();
        for _ in 0..=MAX_REDIRECTIONS {
            let answer = self.send(&url, accepted).await?;
            match answer.status() {
                StatusCode::OK => {
                    let digest = text(answer.headers(), "docker-content-digest").map(ToOwned::to_owned);
                    return Ok(HttpResponse { body: body(answer, limit).await?, digest });
                }
                StatusCode::UNAUTHORIZED if self.token.is_none() && self.is_own(&url) => {
                    self.token = Some(self.grant(answer.headers()).await?);
                }
                status if status.is_redirection() => url = self.redirected(&url, answer.headers())?,
                status => return Err(refused(status)),
            }
        }
        Err(DownloadFailure::Wrong("it redirects without end".to_owned()))
    }

    fn is_own(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    async fn send(&self, url: &Url, accepted: &str) -> Result<Response, DownloadFailure> {
        let request = self.client.get(url.clone()).header(ACCEPT, accepted);
        let request = request.header(USER_AGENT, concat!("formwork/", env!("CARGO_PKG_VERSION")));
        let request = match &self.token {
            Some(token) if self.is_own(url) => request.bearer_auth(token),
            _ => request,
        };
        request.send().await.map_err(|error| failed(&error))
    }

    /// Gets a token for everyone, from the address that the registry names.
    async fn grant(&self, headers: &HeaderMap) -> Result<String, DownloadFailure> {
        let challenge = headers.get_all(WWW_AUTHENTICATE).iter();
        let challenge = challenge.filter_map(|header| header.to_str().ok()).find_map(Challenge::parse);
        let challenge = challenge.ok_or(DownloadFailure::Private)?;
        let mut url = self.allowed(&challenge.realm, Url::parse(&challenge.realm).ok())?;
        let scope = challenge.scope.unwrap_or_else(|| format!("repository:{}:pull", self.repository));
        url.query_pairs_mut().extend_pairs(challenge.service.map(|service| ("service", service)));
        url.query_pairs_mut().append_pair("scope", &scope);
        let request = self.client.get(url).header(USER_AGENT, concat!("formwork/", env!("CARGO_PKG_VERSION")));
        let answer = request.send().await.map_err(|error| failed(&error))?;
        if answer.status() != StatusCode::OK {
            return Err(refused(answer.status()));
        }
        let granted: Option<Granted> = serde_json::from_slice(&body(answer, MAX_TOKEN).await?).ok();
        let token = granted.and_then(|granted| granted.token.or(granted.access_token)).unwrap_or_default();
        let is_token = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        if is_token { Ok(token) } else { Err(DownloadFailure::Private) }
    }

    fn redirected(&self, from: &Url, headers: &HeaderMap) -> Result<Url, DownloadFailure> {
        let location = text(headers, LOCATION.as_str()).unwrap_or_default();
        self.allowed(location, from.join(location).ok())
    }

    /// Returns the address, if it may be asked: over HTTPS, or on this machine if the registry is there too.
    fn allowed(&self, written: &str, url: Option<Url>) -> Result<Url, DownloadFailure> {
        let is_safe = |url: &Url| match url.scheme() {
            "https" => !is_local(url) || is_local(&self.base),
            "http" => is_local(url) && is_local(&self.base),
            _ => false,
        };
        let url = url.filter(|url| is_safe(url) && url.username().is_empty() && url.password().is_none());
        url.ok_or_else(|| DownloadFailure::Wrong(format!("it leads to `{}`", crate::text::cut(written, 80))))
    }
}

/// Returns `true` if an address is on this machine.
fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|header| header.to_str().ok())
}

/// Returns the body of an answer, which is dropped as soon as it is too long.
async fn body(mut answer: Response, limit: u64) -> Result<Vec<u8>, DownloadFailure> {
    let too_long = || DownloadFailure::Wrong(format!("an answer is longer than {limit} bytes"));
    let announced: Option<u64> = text(answer.headers(), CONTENT_LENGTH.as_str()).and_then(|length| length.parse().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| failed(&error))? {
        if (bytes.len() + chunk.len()) as u64 > limit {
            return Err(too_long());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

fn refused(status: StatusCode) -> DownloadFailure {
    match status.as_u16() {
        401 | 403 => DownloadFailure::Private,
        404 => DownloadFailure::Absent,
        408 | 429 | 500.. => DownloadFailure::Passing(format!("HTTP status {}", status.as_u16())),
        other => DownloadFailure::Wrong(format!("HTTP status {other}")),
    }
}

fn failed(error: &reqwest::Error) -> DownloadFailure {
    if error.is_connect() || error.is_timeout() {
        return DownloadFailure::Unreachable(cause(error));
    }
    DownloadFailure::Passing(cause(error))
}

/// Returns the innermost cause of an error. The outer ones name addresses, which can have the password of a proxy.
fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no connection in time".to_owned();
    }
    let chain = std::iter::successors(Some(error as &(dyn std::error::Error + 'static)), |error| error.source());
    chain.last().map(ToString::to_string).unwrap_or_default()
}
