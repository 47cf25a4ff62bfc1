//! What turns texts into vectors, by what is configured: hashed words, a model in a folder, or an endpoint.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use hostler_knowledge::embed::{self, Model};
use hostler_ledger::journal::sha256_hex;
use hostler_remote::embeddings::{BATCH, Client, Endpoint};

use super::{Embedder, Error};
use crate::config::Rag;

/// The variables of an endpoint; together they are stronger than the configuration.
const URL_VARIABLE: &str = "RAG_EMBEDDINGS_URL";
const MODEL_VARIABLE: &str = "RAG_EMBEDDINGS_MODEL";
const KEY_VARIABLE: &str = "RAG_EMBEDDINGS_KEY";
/// The files of a model.
const TOKENIZER: &str = "tokenizer.json";
const WEIGHTS: &str = "model.safetensors";
const CONFIG: &str = "config.json";
/// A file of a static model is smaller.
const FILE_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Hexadecimal digits of a digest that tell two models apart.
const DIGITS: usize = 12;

/// What is configured: an endpoint where an address and a model are named, a model where a folder is, else hashed words.
///
/// # Errors
/// The endpoint cannot be asked, or the folder is no model.
pub(crate) fn configured(rag: &Rag) -> Result<Box<dyn Embedder>, Error> {
    configured_by(rag, &|name| std::env::var(name).ok().filter(|it| !it.is_empty()))
}

fn configured_by(rag: &Rag, variable: &dyn Fn(&str) -> Option<String>) -> Result<Box<dyn Embedder>, Error> {
    let endpoint = match (variable(URL_VARIABLE), variable(MODEL_VARIABLE)) {
        (Some(url), Some(model)) => {
            Some(Endpoint { url, model, key: variable(KEY_VARIABLE).unwrap_or_default() })
        }
        _ => match (&rag.embeddings.url, &rag.embeddings.model) {
            (Some(url), Some(model)) => {
                let key = rag.embeddings.key_variable.as_deref().and_then(variable).unwrap_or_default();
                Some(Endpoint { url: url.clone(), model: model.clone(), key })
            }
            (Some(_), None) => {
                return Err(Error::Usage(
                    "`rag.embeddings.url` is set and `rag.embeddings.model` is not; name the endpoint's model"
                        .to_owned(),
                ));
            }
            (None, _) => None,
        },
    };
    if let Some(endpoint) = endpoint {
        let model = endpoint.model.clone();
        let client = Client::new(endpoint).map_err(|error| Error::Usage(error.to_string()))?;
        return Ok(Box::new(Remote { model, client, dims: OnceLock::new() }));
    }
    match &rag.embeddings.model {
        Some(folder) => Ok(Box::new(Static::load(&folder_of(folder)?)?)),
        None => Ok(local()),
    }
}

/// Hashed words: nothing is needed for them.
pub(crate) fn local() -> Box<dyn Embedder> {
    Box::new(Local)
}

struct Local;

impl Embedder for Local {
    fn mode(&self) -> &'static str {
        "local"
    }

    fn name(&self) -> String {
        "hashed".to_owned()
    }

    fn dims(&self) -> Option<usize> {
        Some(embed::DIMENSIONS)
    }

    fn stored(&self) -> bool {
        true
    }

    fn cheap(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        Ok(texts.iter().map(|it| embed::hashed(it).to_vec()).collect())
    }
}

/// A model in a folder.
#[derive(Clone)]
struct Static {
    name: String,
    model: Arc<Model>,
}

impl Static {
    /// The model of a folder, read once for as long as its files stay what they are: a server is asked again and again.
    fn load(folder: &Path) -> Result<Self, Error> {
        type Kept = Option<(PathBuf, Option<SystemTime>, Static)>;
        static KEPT: Mutex<Kept> = Mutex::new(None);
        let changed = folder.join(WEIGHTS).metadata().and_then(|it| it.modified()).ok();
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((known, when, it)) if known == folder && *when == changed => return Ok(it.clone()),
            _ => {}
        }
        let read = Self::read(folder)?;
        *kept = Some((folder.to_path_buf(), changed, read.clone()));
        Ok(read)
    }

    fn read(folder: &Path) -> Result<Self, Error> {
        let wrong = |why: String| {
            Error::Usage(format!(
                "`{}` is no model: {why}; `rag.embeddings.model` names a folder with `{TOKENIZER}`, `{WEIGHTS}` and \
                 `{CONFIG}`, or is left out",
                folder.display()
            ))
        };
        let file = |name: &str| {
            let path = folder.join(name);
            let size = path.metadata().map_err(|error| wrong(format!("`{name}`: {error}")))?.len();
            if FILE_BYTES_MAX < size {
                return Err(wrong(format!("`{name}` has {size} bytes")));
            }
            fs::read(&path).map_err(|error| wrong(format!("`{name}`: {error}")))
        };
        let (tokenizer, weights) = (file(TOKENIZER)?, file(WEIGHTS)?);
        let config = if folder.join(CONFIG).exists() { Some(file(CONFIG)?) } else { None };
        let model = Model::from_bytes(&tokenizer, &weights, config.as_deref())
            .map_err(|error| wrong(error.to_string()))?;
        let parts = [&weights, &tokenizer, &config.unwrap_or_default()].map(|it| sha256_hex(it)).concat();
        let hash = sha256_hex(parts.as_bytes());
        let title = folder.file_name().map_or_else(|| "model".into(), |it| it.to_string_lossy());
        let name = format!("{title}-{}", hash.get(..DIGITS).unwrap_or(&hash));
        Ok(Self { name, model: Arc::new(model) })
    }
}

impl Embedder for Static {
    fn mode(&self) -> &'static str {
        "model"
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn dims(&self) -> Option<usize> {
        Some(self.model.dimensions())
    }

    fn stored(&self) -> bool {
        true
    }

    fn cheap(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        let embed = |text: &&str| {
            let mut vector = self.model.embed(text).map_err(|error| error.to_string())?;
            embed::normalise(&mut vector);
            Ok(vector)
        };
        texts.iter().map(embed).collect()
    }
}

/// An endpoint.
struct Remote {
    model: String,
    client: Client,
    dims: OnceLock<usize>,
}

impl Embedder for Remote {
    fn mode(&self) -> &'static str {
        "remote"
    }

    fn name(&self) -> String {
        self.model.clone()
    }

    fn dims(&self) -> Option<usize> {
        self.dims.get().copied()
    }

    fn stored(&self) -> bool {
        true
    }

    fn cheap(&self) -> bool {
        false
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        let mut out = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let mut vectors = self.client.embed(batch).map_err(|error| error.to_string())?;
            let length = vectors.first().map_or(0, Vec::len);
            let known = *self.dims.get_or_init(|| length);
            if length != known {
                return Err(format!(
                    "the endpoint gave vectors of {known} numbers before, and of {length} now"
                ));
            }
            for vector in &mut vectors {
                embed::normalise(vector);
            }
            out.append(&mut vectors);
        }
        Ok(out)
    }
}

/// The folder that a user means.
fn folder_of(path: &str) -> Result<PathBuf, Error> {
    let home = || std::env::var_os("HOME").map(PathBuf::from);
    let folder = match path.strip_prefix("~/").map(|rest| (rest, home())) {
        Some((rest, Some(home))) => home.join(rest),
        _ => PathBuf::from(path),
    };
    if folder.is_absolute() {
        return Ok(folder);
    }
    Err(Error::Usage(format!(
        "`rag.embeddings.model` is `{path}`, which is no absolute path of a folder; for the model of an endpoint, set \
         `rag.embeddings.url` as well"
    )))
}

#[cfg(test)]
mod tests;
