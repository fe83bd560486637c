//! Profiles of Amazon's tools: `~/.aws/config` and `~/.aws/credentials`.

use std::collections::HashMap;
use std::path::PathBuf;

/// The settings of a profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Profile {
    name: String,
    values: HashMap<String, String>,
}

/// How a profile has its credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Credentials {
    /// Keys, and perhaps a session's token.
    Keys { id: String, secret: String, token: Option<String> },
    /// A role by the token in a file.
    WebIdentity { role: String, file: String },
    /// In a way that this program does not take, and what to do.
    Otherwise(String),
    /// Not at all.
    Missing,
}

/// Asks the environment.
type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The files, which need not be there.
fn files(env: Env<'_>) -> [(PathBuf, bool); 2] {
    let home = env("HOME").or_else(|| env("USERPROFILE")).unwrap_or_default();
    let file = |name: &str, otherwise: &str| match env(name) {
        Some(path) => match path.strip_prefix("~/") {
            Some(rest) => PathBuf::from(&home).join(rest),
            None => path.into(),
        },
        None => PathBuf::from(&home).join(otherwise),
    };
    [(file("AWS_CONFIG_FILE", ".aws/config"), true), (file("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"), false)]
}

impl Profile {
    /// The profile that the environment names, or `default`; `None` if there is none of that.
    ///
    /// # Errors
    /// When a profile is named and not there, or a file is there and cannot be read.
    pub(crate) fn load(env: Env<'_>) -> Result<Option<Profile>, String> {
        let named = ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"].iter().find_map(|name| env(name));
        let named = named.filter(|name| !name.is_empty());
        let name = named.clone().unwrap_or_else(|| "default".into());
        let (mut values, mut found, mut services) = (HashMap::new(), false, HashMap::new());
        let files = files(env);
        for (path, is_config) in &files {
            let text = match std::fs::read_to_string(path) {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(format!("{}: {error}", path.display())),
            };
            for (section, own) in sections(&text) {
                let plain = section.trim_matches(['"', '\'']);
                let of = |kind: &str| {
                    let rest = plain.strip_prefix(kind).filter(|rest| rest.starts_with([' ', '\t']))?;
                    Some(rest.trim().trim_matches(['"', '\'']).to_owned())
                };
                if let Some(service) = of("services").filter(|_| *is_config) {
                    services.insert(service, own);
                    continue;
                }
                let is_it = match is_config {
                    true => of("profile").as_deref() == Some(&name) || (plain == name && name == "default"),
                    false => plain == name,
                };
                if is_it {
                    found = true;
                    values.extend(own);
                }
            }
        }
        if let Some(own) = values.get("services").and_then(|name| services.remove(name)) {
            values.extend(own);
        }
        match (found, named) {
            (true, _) => Ok(Some(Profile { name, values })),
            (false, None) => Ok(None),
            (false, Some(name)) => {
                let paths = files.map(|(path, _)| path.display().to_string()).join(" and ");
                Err(format!("AWS_PROFILE names the profile {name}, which {paths} do not have"))
            }
        }
    }

    /// A setting; one of a service is `s3.endpoint_url`.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    pub(crate) fn credentials(&self) -> Credentials {
        let value = |name: &str| self.value(name).map(str::to_owned);
        let name = &self.name;
        let otherwise = |by: &str| {
            Credentials::Otherwise(format!(
                "the profile {name} has its credentials by {by}, which this program does not ask: run \
                 eval \"$(aws configure export-credentials --profile {name} --format env)\" before it"
            ))
        };
        if let Some(role) = value("role_arn") {
            return match value("web_identity_token_file") {
                Some(file) => Credentials::WebIdentity { role, file },
                None => otherwise(&format!("the role {role}")),
            };
        }
        if let (Some(id), Some(secret)) = (value("aws_access_key_id"), value("aws_secret_access_key")) {
            return Credentials::Keys { id, secret, token: value("aws_session_token") };
        }
        if self.value("sso_session").or(self.value("sso_start_url")).is_some() {
            return otherwise("SSO (aws sso login)");
        }
        if self.value("login_session").is_some() {
            return otherwise("aws login");
        }
        if self.value("credential_process").is_some() {
            return otherwise("another program (credential_process)");
        }
        Credentials::Missing
    }
}

type Section = (String, HashMap<String, String>);

/// The sections of a file, in order. Lines that begin with a space belong to the setting above:
/// `s3 =` and `  endpoint_url = …` are `s3.endpoint_url`.
fn sections(text: &str) -> Vec<Section> {
    let (mut sections, mut above): (Vec<Section>, _) = (Vec::new(), String::new());
    for line in text.trim_start_matches('\u{feff}').lines() {
        let plain = line.trim();
        if plain.is_empty() || plain.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = plain.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            sections.push((name.0.trim().to_owned(), HashMap::new()));
            above.clear();
            continue;
        }
        let (Some((_, values)), Some((name, value))) = (sections.last_mut(), plain.split_once('=')) else { continue };
        let name = name.trim().to_ascii_lowercase();
        if line.starts_with([' ', '\t']) && !above.is_empty() {
            values.insert(format!("{above}.{name}"), value.trim().to_owned());
        } else {
            above = if value.trim().is_empty() { name.clone() } else { String::new() };
            values.insert(name, value.trim().to_owned());
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "\u{feff}# ours\n[default]\nregion = eu-central-1\n[profile dev]\nregion=eu-west-1\n\
        services = near\ns3 =\n  addressing_style = virtual\n[profile \"by sso\"]\nsso_session = corp\n\
        [profile role]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = dev\n[profile process]\n\
        credential_process = /bin/x\n[services near]\ns3 =\n  endpoint_url = http://near:9000\n\
        [profile web]\nrole_arn = r\nweb_identity_token_file = /token\n[profile old]\n\
        sso_start_url = https://x\n[profile empty]\n";
    const SECRETS: &str = "[default]\naws_access_key_id = A\naws_secret_access_key = S=/+\n\
        [dev]\naws_access_key_id=D\naws_secret_access_key=E\naws_session_token=T\n";

    fn load(name: Option<&str>) -> Result<Option<Profile>, String> {
        let room = std::env::temp_dir().join(format!("pfh-profile-{}-{}", std::process::id(), name.unwrap_or("-")));
        std::fs::create_dir_all(room.join(".aws")).unwrap();
        std::fs::write(room.join(".aws/config"), CONFIG).unwrap();
        std::fs::write(room.join("secrets"), SECRETS).unwrap();
        let loaded = Profile::load(&|asked| match asked {
            "HOME" => Some(room.display().to_string()),
            "AWS_SHARED_CREDENTIALS_FILE" => Some("~/secrets".into()),
            "AWS_PROFILE" => name.map(str::to_owned),
            _ => None,
        });
        std::fs::remove_dir_all(&room).unwrap();
        loaded
    }

    #[test]
    fn profiles_are_those_of_amazons_tools() {
        let keys = |id: &str, secret: &str, token: Option<&str>| Credentials::Keys {
            id: id.into(),
            secret: secret.into(),
            token: token.map(str::to_owned),
        };
        let found = load(None).unwrap().unwrap();
        assert_eq!((found.value("region"), found.credentials()), (Some("eu-central-1"), keys("A", "S=/+", None)));
        let found = load(Some("dev")).unwrap().unwrap();
        assert_eq!((found.value("region"), found.credentials()), (Some("eu-west-1"), keys("D", "E", Some("T"))));
        assert_eq!(found.value("s3.endpoint_url"), Some("http://near:9000"));
        assert_eq!(found.value("s3.addressing_style"), Some("virtual"));
        for (name, by) in
            [("by sso", "SSO"), ("old", "SSO"), ("role", "arn:aws:iam::1:role/r"), ("process", "credential_process")]
        {
            let Credentials::Otherwise(words) = load(Some(name)).unwrap().unwrap().credentials() else {
                panic!("{name}")
            };
            assert!(words.contains(by) && words.contains("export-credentials --profile"), "{words}");
        }
        let web = Credentials::WebIdentity { role: "r".into(), file: "/token".into() };
        assert_eq!(load(Some("web")).unwrap().unwrap().credentials(), web);
        assert_eq!(load(Some("empty")).unwrap().unwrap().credentials(), Credentials::Missing);
        let missing = load(Some("nobody")).unwrap_err();
        assert!(missing.contains("nobody") && missing.contains(".aws/config"), "{missing}");
    }
}
