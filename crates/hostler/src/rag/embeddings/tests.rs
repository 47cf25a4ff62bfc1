#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::config::Embeddings;

fn by(url: Option<&str>, model: Option<&str>, variables: &[(&str, &str)]) -> Result<String, String> {
    let text = |it: Option<&str>| it.map(ToOwned::to_owned);
    let embeddings =
        Embeddings { url: text(url), model: text(model), key_variable: Some("A_KEY".to_owned()) };
    let rag = Rag { embeddings, ..Rag::default() };
    let variable =
        |name: &str| variables.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_owned());
    match configured_by(&rag, &variable) {
        Ok(it) => Ok(format!("{} {}", it.mode(), it.name())),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn an_endpoint_wants_an_address_and_a_model() {
    let url = "http://127.0.0.1:9/v1/embeddings";
    assert_eq!(by(None, None, &[]).unwrap(), "local hashed");
    assert_eq!(by(Some(url), Some("m"), &[]).unwrap(), "remote m");
    assert_eq!(by(None, None, &[(URL_VARIABLE, url), (MODEL_VARIABLE, "n")]).unwrap(), "remote n");
    assert_eq!(by(Some(url), Some("m"), &[(URL_VARIABLE, url), (MODEL_VARIABLE, "n")]).unwrap(), "remote n");
    // One variable alone means nothing, as in the source.
    assert_eq!(by(None, None, &[(URL_VARIABLE, url)]).unwrap(), "local hashed");
    assert_eq!(by(None, None, &[(MODEL_VARIABLE, "n")]).unwrap(), "local hashed");
    assert!(by(Some(url), None, &[]).unwrap_err().contains("name the endpoint's model"));
    assert!(by(Some("ftp://h/"), Some("m"), &[]).unwrap_err().contains("`ftp://h/`"));
}

#[test]
fn a_key_that_cannot_be_sent_is_refused_without_being_told() {
    let url = "http://127.0.0.1:9/";
    let error = by(Some(url), Some("m"), &[("A_KEY", "se\ncret")]).unwrap_err();
    assert!(error.contains("key") && !error.contains("cret"), "{error}");
}

#[test]
fn a_folder_that_is_no_model_is_told_with_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let error = by(None, Some(path), &[]).unwrap_err();
    assert!(error.contains(path) && error.contains("`tokenizer.json`"), "{error}");
    fs::write(folder.path().join(TOKENIZER), "{}").unwrap();
    fs::write(folder.path().join(WEIGHTS), "x").unwrap();
    assert!(by(None, Some(path), &[]).unwrap_err().contains("`tokenizer.json` is not a tokenizer"));
    assert!(by(None, Some("potion"), &[]).unwrap_err().contains("no absolute path"));
}
