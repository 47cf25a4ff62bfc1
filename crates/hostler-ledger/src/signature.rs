//! The key that seals and exports are signed with: Ed25519, one for the user, outside every project.
//!
//! A signature shows that a file was not written anew by somebody who cannot act as this user. Whoever runs with the
//! same user id can read the key file, or leave hostler a journal to seal; the guards keep an agent's tools from both as
//! far as they see it, nothing here can do more.
//!
//! Two files in a folder of ours: the private key, and the public one, which also tells a key that was lost from
//! one that was never made.

use std::fmt;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use crate::journal::{hex, sha256_hex};
use crate::{file, lock};

/// What stands before the 32 bytes of a private key (RFC 8410, PKCS #8 version 1: what OpenSSL reads).
const PRIVATE_PREFIX: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
/// What stands before the 32 bytes of a public key (RFC 8410, `SubjectPublicKeyInfo`).
const PUBLIC_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
/// A key file is a hundred bytes; more than this is none.
const FILE_BYTES_MAX: u64 = 4096;

/// Why there is no key. Sealing goes on without a signature, and says so.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system refused an operation.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A link or a special file stands in the place of a key.
    #[error("`{path}` is not a regular file of ours (a link or a special file); move it away")]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// There was a key, and it is gone.
    #[error(
        "the signing key `{private}` is gone; bring it back from a backup, or move `{public}` away and a new key is made"
    )]
    Missing {
        /// Where it was.
        private: PathBuf,
        /// Its public half, which is still there.
        public: PathBuf,
    },
    /// What is there is no key.
    #[error(
        "`{path}` is no Ed25519 key in PEM; bring it back from a backup, or move both files of its folder away and a new key is made"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The two halves do not belong together.
    #[error(
        "`{private}` is not the key of `{public}`: one of the two was replaced; bring the right one back from a backup"
    )]
    Replaced {
        /// The private key's file.
        private: PathBuf,
        /// The public key's file.
        public: PathBuf,
    },
    /// Others can read the private key.
    #[error(
        "other users can open `{path}` (mode {mode:o}), so it is not used; `chmod 600 '{path}'`, if nobody has read it"
    )]
    Exposed {
        /// The private key's file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The system has no random numbers.
    #[error("the system gave no random numbers for a new key: {reason}")]
    NoRandomness {
        /// What it said.
        reason: String,
    },
    /// A public key that was given is none.
    #[error("this is no public Ed25519 key: 64 hexadecimal digits or a PEM block `PUBLIC KEY` are expected")]
    NotAPublicKey,
}

impl Error {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { action, path, source }
    }

    /// What [`lock`] and [`file`] say, as an error of a key.
    fn of(path: &Path, error: crate::error::Error) -> Self {
        match error {
            crate::error::Error::Io { action, path, source } => Self::Io { action, path, source },
            _ => Self::NotAFile { path: path.to_path_buf() },
        }
    }
}

/// A public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Public([u8; 32]);

impl Public {
    /// Reads a public key as it is given on a command line or stands in a file: 64 hexadecimal digits, or PEM.
    ///
    /// # Errors
    /// [`Error::NotAPublicKey`].
    pub fn parse(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let bytes = match from_hex::<32>(text) {
            Some(bytes) => Some(bytes),
            None => from_pem("PUBLIC KEY", &PUBLIC_PREFIX, text),
        };
        // Not every 32 bytes are a point of the curve.
        bytes.filter(|bytes| VerifyingKey::from_bytes(bytes).is_ok()).map(Self).ok_or(Error::NotAPublicKey)
    }

    /// 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }

    /// As a PEM block, for other programs.
    pub fn pem(&self) -> String {
        pem("PUBLIC KEY", &PUBLIC_PREFIX, &self.0)
    }

    /// Its name: the SHA-256 of its DER form, as `openssl pkey -pubin -outform DER | sha256sum` prints it.
    pub fn fingerprint(&self) -> String {
        sha256_hex(&[&PUBLIC_PREFIX[..], &self.0].concat())
    }

    /// Whether `signature` (128 hexadecimal digits) is one of `text` by this key.
    pub fn verifies(&self, text: &[u8], signature: &str) -> bool {
        let Some(bytes) = from_hex::<64>(signature) else { return false };
        VerifyingKey::from_bytes(&self.0)
            .is_ok_and(|key| key.verify_strict(text, &Signature::from_bytes(&bytes)).is_ok())
    }
}

/// A private key. Its bytes are overwritten when it is dropped.
pub struct Key(SigningKey);

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Key({})", self.public().fingerprint())
    }
}

impl Key {
    /// The public half.
    pub fn public(&self) -> Public {
        Public(self.0.verifying_key().to_bytes())
    }

    /// The signature of `text`, 64 bytes.
    pub fn sign(&self, text: &[u8]) -> [u8; 64] {
        self.0.sign(text).to_bytes()
    }
}

/// Where the key is kept.
#[derive(Debug, Clone)]
pub struct Keys {
    folder: PathBuf,
}

impl Keys {
    /// The key in `folder`, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The private key's file.
    pub fn private_path(&self) -> PathBuf {
        self.folder.join("ed25519.key")
    }

    /// The public key's file.
    pub fn public_path(&self) -> PathBuf {
        self.folder.join("ed25519.pub")
    }

    /// The key, made if there never was one. Two processes that make one at the same moment get the same.
    ///
    /// # Errors
    /// See [`Error`]. A key that was lost is not replaced: old signatures could no longer be told from forged ones.
    pub fn open(&self) -> Result<Key, Error> {
        match self.load()? {
            Some(key) => Ok(key),
            None => self.create(),
        }
    }

    /// The key, if there is one.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn load(&self) -> Result<Option<Key>, Error> {
        let (private, public) = (self.private_path(), self.public_path());
        let mut meta = regular(&private)?;
        if meta.is_none() && regular(&public)?.is_some() {
            // The private one is written first: another process may have made both between the two looks.
            meta = regular(&private)?;
            if meta.is_none() {
                return Err(Error::Missing { private, public });
            }
        }
        let Some(meta) = meta else { return Ok(None) };
        let mode = meta.permissions().mode() & 0o7777;
        if mode & 0o077 != 0 {
            return Err(Error::Exposed { path: private, mode });
        }
        let text = read(&private, meta.len())?;
        let seed = from_pem("PRIVATE KEY", &PRIVATE_PREFIX, &text);
        let Some(seed) = seed else { return Err(Error::Damaged { path: private }) };
        let key = Key(SigningKey::from_bytes(&seed));
        match self.public()? {
            Some(noted) if noted == key.public() => {}
            Some(_) => return Err(Error::Replaced { private, public }),
            // A crash between the two files.
            None => self.note(&key)?,
        }
        Ok(Some(key))
    }

    /// The public half as it was noted, if there is one; the private key is not opened.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub fn public(&self) -> Result<Option<Public>, Error> {
        let path = self.public_path();
        let Some(meta) = regular(&path)? else { return Ok(None) };
        let text = read(&path, meta.len())?;
        Public::parse(&text).map(Some).map_err(|_| Error::Damaged { path })
    }

    fn create(&self) -> Result<Key, Error> {
        let path = self.private_path();
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| Error::NoRandomness { reason: error.to_string() })?;
        lock::create_folder(&self.folder).map_err(|error| Error::of(&self.folder, error))?;
        // 0600 from the start, and whole before it has its name.
        let mut temporary = tempfile::Builder::new()
            .prefix(file::LEFTOVER_PREFIX)
            .suffix(file::LEFTOVER_SUFFIX)
            .tempfile_in(&self.folder)
            .map_err(Error::io("make a file in", &self.folder))?;
        temporary
            .write_all(pem("PRIVATE KEY", &PRIVATE_PREFIX, &seed).as_bytes())
            .and_then(|()| temporary.as_file().sync_all())
            .map_err(Error::io("write", &path))?;
        match temporary.persist_noclobber(&path) {
            Ok(_) => {}
            // Another process was first, and its key is the one.
            Err(failed) if failed.error.kind() == ErrorKind::AlreadyExists => {}
            Err(failed) => return Err(Error::io("make", &path)(failed.error)),
        }
        std::fs::File::open(&self.folder)
            .and_then(|folder| folder.sync_all())
            .map_err(Error::io("sync", &self.folder))?;
        self.load()?.ok_or_else(|| Error::io("find", &path)(ErrorKind::NotFound.into()))
    }

    fn note(&self, key: &Key) -> Result<(), Error> {
        let path = self.public_path();
        file::write_atomic(&path, key.public().pem().as_bytes())
            .map_err(|error| Error::of(&path, error.into()))
    }
}

fn regular(path: &Path) -> Result<Option<std::fs::Metadata>, Error> {
    lock::regular(path).map_err(|error| Error::of(path, error))
}

fn read(path: &Path, length: u64) -> Result<String, Error> {
    if FILE_BYTES_MAX < length {
        return Err(Error::Damaged { path: path.to_path_buf() });
    }
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Err(Error::Damaged { path: path.to_path_buf() })
        }
        other => other.map_err(Error::io("read", path)),
    }
}

/// `bytes` in base64 with padding, as PEM and DSSE have it.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes that DSSE signs for a payload: its type and itself, each with its length.
pub fn dsse(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut out = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    out.extend_from_slice(payload);
    out
}

fn from_hex<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    // `from_str_radix` would take a sign.
    if text.len() != 2 * LENGTH || !text.bytes().all(|it| it.is_ascii_hexdigit()) {
        return None;
    }
    let mut out = [0; LENGTH];
    for (at, byte) in out.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(out)
}

fn pem(label: &str, prefix: &[u8], key: &[u8; 32]) -> String {
    // 48 bytes at most: one line.
    let body = STANDARD.encode([prefix, key].concat());
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
}

fn from_pem(label: &str, prefix: &[u8], text: &str) -> Option<[u8; 32]> {
    let body = text.trim().strip_prefix(&format!("-----BEGIN {label}-----"))?;
    let body = body.strip_suffix(&format!("-----END {label}-----"))?;
    let body: String = body.split_ascii_whitespace().collect();
    STANDARD.decode(body).ok()?.strip_prefix(prefix)?.try_into().ok()
}

#[cfg(test)]
mod tests;
