//! What people toggle, and the credentials they made on purpose.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::content::ContentRef;
use crate::definition::Format;
use crate::id::{DeviceId, RuleId, TokenId};
use crate::notification::{Subscription, Switches};
use crate::permission::Rule;
use crate::provider::Added;
use crate::time::Timestamp;

/// The stream's name.
pub const STREAM: &str = "settings";

/// An event of the stream `settings`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data")]
pub enum Event {
    #[serde(rename = "setting.changed")]
    Changed { key: Key, value: bool },
    #[serde(rename = "token.created")]
    TokenCreated {
        token: TokenId,
        name: String,
        actor: Actor,
        sha256: String,
        /// Where the agents of threads work that are created with it, unless the request names another directory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        directory: Option<String>,
    },
    #[serde(rename = "token.revoked")]
    TokenRevoked { token: TokenId },
    #[serde(rename = "device.added")]
    DeviceAdded { device: DeviceId, name: String, sha256: String },
    #[serde(rename = "device.revoked")]
    DeviceRevoked { device: DeviceId },
    /// A browser gets notifications. Takes the place of its earlier subscription.
    #[serde(rename = "device.subscribed")]
    DeviceSubscribed {
        device: DeviceId,
        #[serde(flatten)]
        subscription: Subscription,
    },
    /// A browser wants other kinds of notifications.
    #[serde(rename = "device.switched")]
    DeviceSwitched { device: DeviceId, switches: Switches },
    /// A browser gets no notifications any more: it said so, or its push service did.
    #[serde(rename = "device.unsubscribed")]
    DeviceUnsubscribed { device: DeviceId },
    /// A person created a standing rule.
    #[serde(rename = "rule.added")]
    RuleAdded { rule: RuleId, answer: Rule },
    #[serde(rename = "rule.removed")]
    RuleRemoved { rule: RuleId },
    /// The definitions of a project count, as long as they are exactly these.
    #[serde(rename = "project.trusted")]
    ProjectTrusted {
        project: String,
        sha256: String,
        /// The hash of each file, to tell later what has changed.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        files: BTreeMap<String, String>,
    },
    #[serde(rename = "project.distrusted")]
    ProjectDistrusted { project: String },
    /// A version of a definition counts: a person trusted it, or it granted nothing new.
    #[serde(rename = "definition.accepted")]
    DefinitionAccepted {
        #[serde(default, skip_serializing_if = "Layer::is_home")]
        layer: Layer,
        slug: String,
        #[serde(flatten)]
        version: AcceptedVersion,
    },
    /// A person trusted that a definition is gone.
    #[serde(rename = "definition.forgotten")]
    DefinitionForgotten {
        #[serde(default, skip_serializing_if = "Layer::is_home")]
        layer: Layer,
        slug: String,
    },
    /// A file with many definitions was read without an error for the first time, or with one (`broken`) after that.
    #[serde(rename = "definitions.read")]
    DefinitionsRead {
        #[serde(default, skip_serializing_if = "Layer::is_home")]
        layer: Layer,
        file: String,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        broken: bool,
    },
    /// The definitions of the home that were there count. Happens once.
    #[serde(rename = "definitions.adopted")]
    DefinitionsAdopted {},
    /// A command became a provider. Takes the place of one of the same name.
    #[serde(rename = "provider.added")]
    ProviderAdded { name: String, agent: Added },
    #[serde(rename = "provider.removed")]
    ProviderRemoved { name: String },
}

/// A setting that can be toggled. All are off at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    PermSendToTab,
    PermReadTab,
    PermUserAgent,
    PermSummon,
    PermTodo,
    WebShell,
}

impl Key {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::PermSendToTab,
        Self::PermReadTab,
        Self::PermUserAgent,
        Self::PermSummon,
        Self::PermTodo,
        Self::WebShell,
    ];

    /// Returns the word that people type.
    pub fn word(self) -> &'static str {
        match self {
            Self::PermSendToTab => "perm_send_to_tab",
            Self::PermReadTab => "perm_read_tab",
            Self::PermUserAgent => "perm_user_agent",
            Self::PermSummon => "perm_summon",
            Self::PermTodo => "perm_todo",
            Self::WebShell => "web_shell",
        }
    }

    /// Finds a setting by its word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.word() == word)
    }
}

/// Whose definitions: the home's, or those of a project by its directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Layer(String);

impl Layer {
    /// Returns the layer of the user's own definitions.
    pub fn home() -> Self {
        Self::default()
    }

    /// Returns the layer of a project.
    pub fn project(directory: &str) -> Self {
        Self(directory.to_owned())
    }

    /// Returns the directory of the project, `None` for the home.
    pub fn directory(&self) -> Option<&str> {
        (!self.is_home()).then_some(&self.0)
    }

    /// Says whether it is the home's.
    pub fn is_home(&self) -> bool {
        self.0.is_empty()
    }
}

/// A version of a definition that counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedVersion {
    /// From the layer's directory on.
    pub file: String,
    pub format: Format,
    /// The definition alone, without the rest of its file.
    pub text: ContentRef,
    /// It counts because it granted nothing new, and no person has trusted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
}

/// What counts of a layer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedLayer {
    /// By slug.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, AcceptedVersion>,
    /// Files with many definitions that were read without an error.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sound: BTreeSet<String>,
}

/// The state of the stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    pub on: Vec<Key>,
    pub tokens: BTreeMap<TokenId, Token>,
    /// Browsers that are logged in.
    #[serde(default)]
    pub devices: BTreeMap<DeviceId, Device>,
    /// Standing permission rules.
    #[serde(default)]
    pub rules: BTreeMap<RuleId, Rule>,
    /// Whose definitions count: projects, with the hash of what was trusted.
    #[serde(default)]
    pub trusted: BTreeMap<String, String>,
    /// The hashes of the files that were trusted, by project.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub trusted_files: BTreeMap<String, BTreeMap<String, String>>,
    /// The definitions of the home that were there at first count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adopted: bool,
    /// The definitions that count, so that a change can be compared with them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub accepted: BTreeMap<Layer, AcceptedLayer>,
    /// Commands that are providers, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub providers: BTreeMap<String, Added>,
}

/// A browser that is logged in. Only the hash of its secret is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    pub name: String,
    pub sha256: String,
    pub created_at: Timestamp,
    /// Where its notifications go, if it gets any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push: Option<Subscription>,
}

/// A credential. Only its hash is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    pub name: String,
    pub actor: Actor,
    pub sha256: String,
    /// The directory that it was created for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    pub created_at: Timestamp,
}

impl Settings {
    /// Returns the same with everything switched on that can be.
    pub fn with_all_on(&self) -> Self {
        Self { on: Key::ALL.to_vec(), ..self.clone() }
    }

    /// Takes an event in.
    pub fn apply(&mut self, event: &Event, at: Timestamp) {
        match event {
            Event::Changed { key, value } => {
                self.on.retain(|on| on != key);
                if *value {
                    self.on.push(*key);
                    self.on.sort();
                }
            }
            Event::TokenCreated { token, name, actor, sha256, directory } => {
                let created = Token {
                    name: name.clone(),
                    actor: actor.clone(),
                    sha256: sha256.clone(),
                    directory: directory.clone(),
                    created_at: at,
                };
                self.tokens.insert(*token, created);
            }
            Event::TokenRevoked { token } => {
                self.tokens.remove(token);
            }
            Event::DeviceAdded { device, name, sha256 } => {
                let added = Device { name: name.clone(), sha256: sha256.clone(), created_at: at, push: None };
                self.devices.insert(*device, added);
            }
            Event::DeviceRevoked { device } => {
                self.devices.remove(device);
            }
            Event::DeviceSubscribed { device, subscription } => {
                // A browser that logged in again is a new device with its old address.
                for other in self.devices.values_mut() {
                    other.push.take_if(|push| push.endpoint == subscription.endpoint);
                }
                // One that was revoked meanwhile stays without.
                if let Some(device) = self.devices.get_mut(device) {
                    device.push = Some(subscription.clone());
                }
            }
            Event::DeviceSwitched { device, switches } => {
                if let Some(push) = self.devices.get_mut(device).and_then(|device| device.push.as_mut()) {
                    push.switches = *switches;
                }
            }
            Event::DeviceUnsubscribed { device } => {
                if let Some(device) = self.devices.get_mut(device) {
                    device.push = None;
                }
            }
            Event::RuleAdded { rule, answer } => {
                self.rules.insert(*rule, answer.clone());
            }
            Event::RuleRemoved { rule } => {
                self.rules.remove(rule);
            }
            Event::ProjectTrusted { project, sha256, files } => {
                self.trusted.insert(project.clone(), sha256.clone());
                self.trusted_files.insert(project.clone(), files.clone());
            }
            Event::ProjectDistrusted { project } => {
                self.trusted.remove(project);
                self.trusted_files.remove(project);
                self.accepted.remove(&Layer::project(project));
            }
            Event::DefinitionAccepted { layer, slug, version } => {
                let layer = self.accepted.entry(layer.clone()).or_default();
                layer.versions.insert(slug.clone(), version.clone());
            }
            Event::DefinitionForgotten { layer, slug } => {
                if let Some(layer) = self.accepted.get_mut(layer) {
                    layer.versions.remove(slug);
                }
            }
            Event::DefinitionsRead { layer, file, broken } => {
                let sound = &mut self.accepted.entry(layer.clone()).or_default().sound;
                if *broken {
                    sound.remove(file)
                } else {
                    sound.insert(file.clone())
                };
            }
            Event::DefinitionsAdopted {} => self.adopted = true,
            Event::ProviderAdded { name, agent } => {
                self.providers.insert(name.clone(), agent.clone());
            }
            Event::ProviderRemoved { name } => {
                self.providers.remove(name);
            }
        }
    }

    /// Says whether exactly this content of a project is trusted.
    pub fn trusts(&self, project: &str, sha256: &str) -> bool {
        self.trusted.get(project).is_some_and(|trusted| trusted == sha256)
    }

    /// Says whether a setting is on.
    pub fn is_on(&self, key: Key) -> bool {
        self.on.contains(&key)
    }
}
