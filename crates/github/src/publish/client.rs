//! One exchange with GitHub: a [`Request`] is sent, an [`Answer`] or a [`Failure`] is received.
//!
//! octocrab sends the requests through reqwest, which supports proxies. The layers of octocrab that retry requests and
//! follow redirects are not used, because they also repeat writes, and a repeated write would be a duplicate comment.
//!
//! # Invariant
//!
//! Only this module talks to GitHub.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use octocrab::service::middleware::auth_header::AuthHeaderLayer;
use octocrab::service::middleware::extra_headers::ExtraHeadersLayer;
use octocrab::service::middleware::reqwest_connector::ReqwestConnector;
use octocrab::{AuthState, Octocrab, OctocrabBuilder};
use reqwest::Url;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue, LOCATION, USER_AGENT};

use crate::publish::error::Error;
use crate::publish::failure::Failure;
use crate::publish::request::{Interface, Method, Request};

/// Timeout for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout for a complete answer. GitHub itself gives up after ten seconds.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Maximum size of an answer, in bytes. A page of a hundred comments of the maximum size is smaller.
const MAX_ANSWER: usize = 64 << 20;

/// Maximum number of redirects.
const MAX_REDIRECTIONS: usize = 3;

/// The token. `Debug` does not show it, and it is removed from every response.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Uses the string unchanged as the token.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Addresses of GitHub, and the token.
#[derive(Clone, Debug)]
pub struct Access {
    /// Address of the REST API: `https://api.github.com`, `https://HOST/api/v3`.
    pub api: String,
    /// Address of GraphQL: `https://api.github.com/graphql`, `https://HOST/api/graphql`.
    pub graphql: String,
    /// Token to authenticate with.
    pub token: Token,
}

/// A successful answer of the server.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// Connection to the REST and GraphQL APIs of one GitHub.
pub(super) struct Client {
    crab: Octocrab,
    api: Url,
    graphql: Url,
    token: Token,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("api", &self.api.as_str()).finish_non_exhaustive()
    }
}

impl Client {
    /// Creates the client without sending anything. Must be called inside a runtime.
    pub(super) fn new(access: &Access) -> Result<Self, Error> {
        let (api, graphql) = (address(&access.api)?, address(&access.graphql)?);
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", access.token.0))
            .map_err(|_| Error::Setup("the token has characters that no token has".to_owned()))?;
        authorization.set_sensitive(true);
        let headers = vec![
            (USER_AGENT, HeaderValue::from_static(concat!("formwork/", env!("CARGO_PKG_VERSION")))),
            (ACCEPT, HeaderValue::from_static("application/vnd.github+json")),
        ];
        let authority = |url: &Url| url.origin().ascii_serialization().parse().map_err(|_| bad_address(url.as_str()));
        let authorize = AuthHeaderLayer::new(Some(authorization), authority(&api)?, authority(&graphql)?);
        let Ok(crab) = OctocrabBuilder::new_empty()
            .with_service(ReqwestConnector::new(http()?))
            .with_layer(&ExtraHeadersLayer::new(Arc::new(headers)))
            .with_layer(&authorize)
            .with_auth(AuthState::None)
            .build();
        Ok(Self { crab, api, graphql, token: access.token.clone() })
    }

    /// Sends a request once. A redirect means that the request had no effect, so it is followed if it stays on the
    /// host.
    pub(super) async fn exchange(&self, request: &Request) -> Result<Answer, Failure> {
        let mut url = self.url(request);
        for _ in 0..=MAX_REDIRECTIONS {
            let (status, headers, body) = self.send(request, &url).await.map_err(|error| self.clean(error))?;
            match status {
                200..=299 => {
                    let failure = match request.interface {
                        Interface::Graphql => Failure::of_graphql(&headers, &body),
                        Interface::Rest => None,
                    };
                    return failure.map_or(Ok(Answer { headers, body }), Err);
                }
                307 | 308 => url = self.redirected(&url, &headers)?,
                301 | 302 if request.method == Method::Get => url = self.redirected(&url, &headers)?,
                _ => return Err(self.clean(Failure::of_answer(status, &headers, &body))),
            }
        }
        Err(Failure::Other("it redirects without end".to_owned()))
    }

    /// Returns the full address of a request.
    fn url(&self, request: &Request) -> Url {
        match request.interface {
            Interface::Graphql => self.graphql.clone(),
            Interface::Rest => {
                let (path, query) = request.path.split_once('?').map_or((&*request.path, None), |(p, q)| (p, Some(q)));
                let mut url = self.api.clone();
                url.set_path(&format!("{}{path}", self.api.path().trim_end_matches('/')));
                url.set_query(query);
                url
            }
        }
    }

    async fn send(&self, request: &Request, url: &Url) -> Result<(u16, HeaderMap, Vec<u8>), Failure> {
        let sent = match request.method {
            Method::Get => self.crab._get(url.as_str()).await,
            Method::Post => self.crab._post(url.as_str(), Some(&request.body)).await,
            Method::Delete => self.crab._delete(url.as_str(), None::<&()>).await,
            Method::Patch => self.crab._patch(url.as_str(), Some(&request.body)).await,
        };
        let answer = sent.map_err(|error| Failure::Unclear(cause(&error)))?;
        let (parts, body) = answer.into_parts();
        let read = Limited::new(body, MAX_ANSWER).collect().await;
        let body = read.map_err(|error| Failure::Unclear(cause(&*error)))?;
        Ok((parts.status.as_u16(), parts.headers, body.to_bytes().to_vec()))
    }

    /// Returns the target of a redirect. It must be on the same host, because the token is sent to it.
    fn redirected(&self, from: &Url, headers: &HeaderMap) -> Result<Url, Failure> {
        let location =
            headers.get(LOCATION).and_then(|header| header.to_str().ok()).and_then(|address| from.join(address).ok());
        let Some(to) = location else {
            return Err(Failure::Other("it redirects to no address".to_owned()));
        };
        if to.origin() == from.origin() {
            return Ok(to);
        }
        let host = to.host_str().unwrap_or_default().to_owned();
        Err(self.clean(Failure::Other(format!("it redirects to another host, `{host}`"))))
    }

    /// Removes the token from a failure, in case a server or a proxy repeated it.
    fn clean(&self, failure: Failure) -> Failure {
        match failure {
            Failure::Unauthorized(text) => Failure::Unauthorized(self.without_token(&text)),
            Failure::Forbidden(text) => Failure::Forbidden(self.without_token(&text)),
            Failure::NotFound(text) => Failure::NotFound(self.without_token(&text)),
            Failure::Unprocessable(text) => Failure::Unprocessable(self.without_token(&text)),
            Failure::Unclear(text) => Failure::Unclear(self.without_token(&text)),
            Failure::Other(text) => Failure::Other(self.without_token(&text)),
            Failure::RateLimited(wait) => Failure::RateLimited(wait),
        }
    }

    fn without_token(&self, text: &str) -> String {
        text.replace(&self.token.0, "***")
    }
}

/// Creates the HTTP client, which reads proxies from the environment.
fn http() -> Result<reqwest::Client, Error> {
    // An error means that a provider is already installed, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder().connect_timeout(CONNECT_TIMEOUT).timeout(TIMEOUT);
    let built = builder.redirect(reqwest::redirect::Policy::none()).retry(reqwest::retry::never()).build();
    built.map_err(|error| Error::Setup(format!("TLS cannot be used: {}", cause(&error))))
}

fn address(text: &str) -> Result<Url, Error> {
    let url = Url::parse(text).map_err(|_| bad_address(text))?;
    let is_plain = url.has_host() && url.username().is_empty() && url.password().is_none() && url.query().is_none();
    if is_plain && matches!(url.scheme(), "https" | "http") { Ok(url) } else { Err(bad_address(text)) }
}

fn bad_address(text: &str) -> Error {
    Error::Setup(format!("`{text}` is not an address of GitHub, like `https://api.github.com`"))
}

/// Returns the innermost cause of an error. The outer ones describe octocrab's layers, and addresses that can contain
/// the password of a proxy.
fn cause(error: &(dyn std::error::Error + 'static)) -> String {
    let (mut is_timeout, mut is_connection, mut last) = (false, false, String::new());
    for error in std::iter::successors(Some(error), |error| error.source()) {
        let request_error = error.downcast_ref::<reqwest::Error>();
        is_timeout |= request_error.is_some_and(reqwest::Error::is_timeout);
        is_connection |= request_error.is_some_and(reqwest::Error::is_connect);
        last = error.to_string();
    }
    match (is_timeout, is_connection) {
        (true, _) => "no answer in time".to_owned(),
        (false, true) => format!("no connection: {last}"),
        (false, false) => last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_place(api: &str, path: &str, expected: &str) {
        let access = Access {
            api: api.to_owned(),
            graphql: "https://example.org/api/graphql".to_owned(),
            token: Token::new("secret"),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let _inside = runtime.enter();
        let client = Client::new(&access).unwrap();
        assert_eq!(client.url(&Request::get(path.to_owned())).as_str(), expected);
        assert!(!format!("{access:?} {client:?}").contains("secret"));
    }

    #[test]
    fn the_path_of_the_server_stays_in_front() {
        let path = "/repos/o/r/pulls?head=o:a%23b";
        check_place("https://api.github.com", path, "https://api.github.com/repos/o/r/pulls?head=o:a%23b");
        check_place("https://example.org/api/v3", path, "https://example.org/api/v3/repos/o/r/pulls?head=o:a%23b");
        check_place("https://example.org/api/v3/", path, "https://example.org/api/v3/repos/o/r/pulls?head=o:a%23b");
        // A prefix that the path begins with is a prefix all the same.
        check_place("https://example.org/repos", path, "https://example.org/repos/repos/o/r/pulls?head=o:a%23b");
    }

    #[test]
    fn only_plain_addresses_of_the_web_are_taken() {
        for wrong in ["", "api.github.com", "ftp://api.github.com", "https://user:pass@host/api/v3", "https://h/?x=1"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
