//! Stores with the endpoints, credentials and certificates of the environment.

use crate::client::{Client, Protocol, bucket};
use crate::patience::Steadiness;
use crate::problem::root;
use crate::profile::{Credentials, Profile};
use crate::session::Session;
use crate::sign::encode;
use data_encoding::BASE64;
use md5::{Digest, Md5};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::{BackoffConfig, ClientOptions, RetryConfig};
use pfh_source::StoreAnswer;
use reqwest::Certificate;
use std::time::Duration;
use url::Url;

/// The reason for no client, and the advice.
pub(crate) type Refusal = (StoreAnswer, String);

fn wrong(why: &dyn std::fmt::Display) -> Refusal {
    (StoreAnswer::BadName, why.to_string())
}

fn denied(why: impl Into<String>) -> Refusal {
    (StoreAnswer::Denied, why.into())
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn is_on(value: Option<&str>) -> bool {
    value.is_some_and(|value| ["true", "1", "yes", "on", "requester"].contains(&&*value.to_ascii_lowercase()))
}

/// The store of a scheme and a host, which is a bucket's name for all but pages.
pub(crate) fn open(scheme: &str, host: &str) -> Result<Client, Refusal> {
    crate::runtime::runtime().map_err(|error| wrong(&error))?;
    match scheme {
        "s3" | "s3a" => amazon(host),
        "gs" => google(host),
        "az" => azure(host),
        _ => {
            let root = format!("{scheme}://{host}");
            Url::parse(&root).map_err(|error| wrong(&error))?;
            let redirects = reqwest::redirect::Policy::limited(10);
            client(Protocol::Web, root, String::new(), &[], redirects, "the page wants to know who asks")
        }
    }
}

/// A request as a whole has no limit of time, as it may be of a gigabyte; its silence has one.
fn client(
    protocol: Protocol,
    host: String,
    bucket: String,
    authorities: &[Certificate],
    redirects: reqwest::redirect::Policy,
    missing: &'static str,
) -> Result<Client, Refusal> {
    let builder = reqwest::Client::builder()
        .user_agent(concat!("pfh/", env!("CARGO_PKG_VERSION")))
        .https_only(!host.starts_with("http://"))
        .http1_only()
        .redirect(redirects)
        .connect_timeout(Duration::from_secs(10))
        .read_timeout(Duration::from_secs(60));
    let builder = match authorities {
        [] => builder,
        authorities => builder.tls_certs_only(authorities.iter().cloned()),
    };
    let http = builder.build().map_err(|error| wrong(&root(&error)))?;
    let attempts = env("AWS_MAX_ATTEMPTS").filter(|_| matches!(protocol, Protocol::Amazon { .. }));
    let attempts = attempts.and_then(|attempts| attempts.parse().ok()).filter(|attempts| *attempts > 0);
    let steadiness = Steadiness::of(attempts);
    let host = host.trim_end_matches('/').to_owned();
    Ok(Client { protocol, http, host, bucket, steadiness, missing })
}

/// A bucket's store, which never sends elsewhere what was signed for it.
fn store(
    protocol: Protocol,
    base: &str,
    bucket: String,
    authorities: &[Certificate],
    missing: &'static str,
) -> Result<Client, Refusal> {
    let url = Url::parse(base).map_err(|error| wrong(&format!("{base}: {error}")))?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err(wrong(&format!("{base} is not the address of a store")));
    }
    // A store may be below a path of its host.
    let below = url.path().trim_end_matches('/').to_owned();
    let host = url[..url::Position::BeforePath].to_owned();
    client(protocol, host, format!("{below}{bucket}"), authorities, reqwest::redirect::Policy::none(), missing)
}

/// Credentials are asked for again a few times: where nobody gives any, nobody waits.
fn retry() -> RetryConfig {
    let backoff =
        BackoffConfig { init_backoff: Duration::from_millis(100), max_backoff: Duration::from_secs(3), base: 2. };
    RetryConfig { backoff, max_retries: 3, retry_timeout: Duration::from_secs(20) }
}

fn of_credentials() -> ClientOptions {
    ClientOptions::new().with_connect_timeout(Duration::from_secs(10)).with_timeout(Duration::from_secs(60))
}

const NO_AMAZON: &str = "there are no credentials for this store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE \
    for a profile of ~/.aws; AWS_SKIP_SIGNATURE=true for a public bucket";
const NO_GOOGLE: &str = "there are no credentials for this store: set GOOGLE_APPLICATION_CREDENTIALS to the file of some; \
    GOOGLE_SKIP_SIGNATURE=true for a public bucket";
const NO_AZURE: &str = "there are no credentials for this store: set AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_KEY; \
    AZURE_SKIP_SIGNATURE=true for a public container";

fn amazon(name: &str) -> Result<Client, Refusal> {
    let mut builder = AmazonS3Builder::from_env().with_bucket_name(name);
    let profile = Profile::load(&env);
    let has_keys = env("AWS_ACCESS_KEY_ID").is_some() || env("AWS_SECRET_ACCESS_KEY").is_some();
    let is_public = is_on(builder.get_config_value(&AmazonS3ConfigKey::SkipSignature).as_deref());
    let profile = match profile {
        Err(why) if !has_keys && !is_public => return Err(denied(why)),
        profile => profile.ok().flatten(),
    };
    let of_profile = |name: &str| profile.as_ref().and_then(|profile| profile.value(name)).map(str::to_owned);
    let region = builder.get_config_value(&AmazonS3ConfigKey::Region).or_else(|| of_profile("region"));
    let region = region.unwrap_or_else(|| "us-east-1".into());
    builder = builder.with_region(&region);
    let of_task = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"];
    let of_role = env("AWS_WEB_IDENTITY_TOKEN_FILE").is_some() && env("AWS_ROLE_ARN").is_some();
    if !is_public && !has_keys && !of_role {
        let elsewhere = of_task.iter().any(|name| env(name).is_some());
        let nowhere = is_on(env("AWS_EC2_METADATA_DISABLED").as_deref()) && !elsewhere;
        match profile.as_ref().map_or(Credentials::Missing, Profile::credentials) {
            Credentials::Keys { id, secret, token } => {
                builder = builder.with_access_key_id(id).with_secret_access_key(secret);
                builder = token.into_iter().fold(builder, AmazonS3Builder::with_token);
            }
            Credentials::WebIdentity { role, file } => {
                builder = builder.with_config(AmazonS3ConfigKey::RoleArn, role);
                builder = builder.with_config(AmazonS3ConfigKey::WebIdentityTokenFile, file);
            }
            // A named profile is meant; the default one may be somebody's who works elsewhere.
            Credentials::Otherwise(why) if env("AWS_PROFILE").is_some() || !elsewhere => return Err(denied(why)),
            Credentials::Missing if nowhere => return Err(denied(NO_AMAZON)),
            Credentials::Otherwise(_) | Credentials::Missing => {}
        }
    }
    let endpoint = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint];
    let endpoint = endpoint.iter().find_map(|key| builder.get_config_value(key));
    let ignored = is_on(env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS").as_deref());
    let endpoint =
        endpoint.or_else(|| of_profile("s3.endpoint_url").or_else(|| of_profile("endpoint_url")).filter(|_| !ignored));
    let is_virtual = is_on(builder.get_config_value(&AmazonS3ConfigKey::VirtualHostedStyleRequest).as_deref())
        || of_profile("s3.addressing_style").is_some_and(|style| style == "virtual") && endpoint.is_none();
    // `name--zone--x-s3` is a directory bucket, which its zone's endpoint has.
    let zone = name.strip_suffix("--x-s3").and_then(|rest| Some(rest.rsplit_once("--")?.1));
    let session = zone.map(|_| Session::default());
    let (base, bucket) = match (endpoint, is_virtual, zone) {
        (Some(endpoint), true, _) => (endpoint, String::new()),
        (Some(endpoint), false, _) => (endpoint, bucket(name)),
        (None, _, Some(zone)) => (format!("https://{name}.s3express-{zone}.{region}.amazonaws.com"), String::new()),
        (None, true, _) => (format!("https://{name}.s3.{region}.amazonaws.com"), String::new()),
        (None, false, _) => (format!("https://s3.{region}.amazonaws.com"), bucket(name)),
    };
    let mut always = Vec::new();
    let pays = env("AWS_REQUEST_PAYER").or_else(|| env("AWS_REQUESTER_PAYS"));
    if is_on(pays.as_deref()) {
        always.push(("x-amz-request-payer", "requester".to_owned()));
    }
    let of_objects = customer_key(&builder)?;
    let bundle = env("AWS_CA_BUNDLE").or_else(|| of_profile("ca_bundle"));
    let authorities = bundle.map(|path| authorities(&path)).transpose()?.unwrap_or_default();
    let credentials = match is_public {
        true => None,
        false => {
            let mut options = of_credentials();
            if let Some(path) = env("AWS_CA_BUNDLE").or_else(|| of_profile("ca_bundle")) {
                let pem = std::fs::read(&path).map_err(|error| wrong(&format!("AWS_CA_BUNDLE: {path}: {error}")))?;
                let found = object_store::Certificate::from_pem_bundle(&pem).map_err(|error| wrong(&root(&error)))?;
                options = found.into_iter().fold(options, ClientOptions::with_root_certificate);
            }
            // Whose address is not used: only who asks is taken from it.
            let builder = builder.with_config(AmazonS3ConfigKey::RequestPayer, "false").with_s3_express(false);
            let built = builder.with_client_options(options).with_retry(retry()).build();
            Some(built.map_err(|error| denied(root(&error)))?.credentials().clone())
        }
    };
    store(Protocol::Amazon { credentials, region, always, of_objects, session }, &base, bucket, &authorities, NO_AMAZON)
}

/// The headers of a key that the customer keeps.
fn customer_key(builder: &AmazonS3Builder) -> Result<Vec<(&'static str, String)>, Refusal> {
    let name: AmazonS3ConfigKey = "aws_sse_customer_key_base64".parse().map_err(|error| wrong(&root(&error)))?;
    let Some(key) = builder.get_config_value(&name).filter(|key| !key.is_empty()) else { return Ok(Vec::new()) };
    let bytes = BASE64.decode(key.as_bytes()).map_err(|_| wrong(&"AWS_SSE_CUSTOMER_KEY_BASE64 is not base64"))?;
    Ok(vec![
        ("x-amz-server-side-encryption-customer-algorithm", "AES256".into()),
        ("x-amz-server-side-encryption-customer-key", key),
        ("x-amz-server-side-encryption-customer-key-md5", BASE64.encode(&Md5::digest(bytes))),
    ])
}

/// The authorities of a file, which are trusted in place of the system's.
fn authorities(path: &str) -> Result<Vec<Certificate>, Refusal> {
    let wrong = |why: String| wrong(&format!("AWS_CA_BUNDLE: {path}: {why}"));
    let pem = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let found = Certificate::from_pem_bundle(&pem).map_err(|error| wrong(root(&error)))?;
    if found.is_empty() { Err(wrong("no certificate in it".into())) } else { Ok(found) }
}

fn google(name: &str) -> Result<Client, Refusal> {
    let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(name);
    let value = |key: GoogleConfigKey| builder.get_config_value(&key).filter(|value| !value.is_empty());
    let is_public = is_on(value(GoogleConfigKey::SkipSignature).as_deref());
    // An account of an emulator says where that is.
    let account = value(GoogleConfigKey::ServiceAccountKey)
        .or_else(|| std::fs::read_to_string(value(GoogleConfigKey::ServiceAccount)?).ok())
        .and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let stated = account.and_then(|account| Some(account.get("gcs_base_url")?.as_str()?.to_owned()));
    let base = value(GoogleConfigKey::BaseUrl).or(stated);
    let base = base.unwrap_or_else(|| "https://storage.googleapis.com".into());
    let credentials = match is_public {
        true => None,
        false => {
            let built = builder.with_client_options(of_credentials()).with_retry(retry()).build();
            Some(built.map_err(|error| denied(root(&error)))?.credentials().clone())
        }
    };
    store(Protocol::Google { credentials }, &base, bucket(name), &[], NO_GOOGLE)
}

fn azure(name: &str) -> Result<Client, Refusal> {
    let builder = MicrosoftAzureBuilder::from_env().with_container_name(name);
    let value = |key: AzureConfigKey| builder.get_config_value(&key).filter(|value| !value.is_empty());
    let is_public = is_on(value(AzureConfigKey::SkipSignature).as_deref());
    let is_emulator = is_on(value(AzureConfigKey::UseEmulator).as_deref());
    let account = value(AzureConfigKey::AccountName).or_else(|| is_emulator.then(|| "devstoreaccount1".into()));
    let account = account.ok_or_else(|| denied("AZURE_STORAGE_ACCOUNT_NAME names no account"))?;
    let base = match value(AzureConfigKey::Endpoint) {
        // An emulator has all accounts below one host.
        _ if is_emulator => {
            let base = env("AZURITE_BLOB_STORAGE_URL").unwrap_or_else(|| "http://127.0.0.1:10000".into());
            format!("{}/{}", base.trim_end_matches('/'), encode(&account))
        }
        Some(endpoint) => endpoint,
        None if is_on(value(AzureConfigKey::UseFabricEndpoint).as_deref()) => {
            format!("https://{account}.blob.fabric.microsoft.com")
        }
        None => format!("https://{account}.blob.core.windows.net"),
    };
    let credentials = match is_public {
        true => None,
        false => {
            let built = builder.with_client_options(of_credentials()).with_retry(retry()).build();
            Some(built.map_err(|error| denied(root(&error)))?.credentials().clone())
        }
    };
    store(Protocol::Azure { credentials, account }, &base, bucket(name), &[], NO_AZURE)
}
