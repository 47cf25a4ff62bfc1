#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;

use super::*;

fn keys() -> (tempfile::TempDir, Keys) {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keys::new(folder.path().join("a b/signing"));
    (folder, keys)
}

#[track_caller]
fn refused(keys: &Keys, part: &str) {
    let error = keys.open().unwrap_err().to_string();
    assert!(error.contains(part), "{part:?} in {error}");
}

#[test]
fn a_key_is_made_once_for_the_user_alone() {
    let (_folder, keys) = keys();
    assert!(keys.load().unwrap().is_none() && keys.public().unwrap().is_none());
    let key = keys.open().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&keys.private_path()), mode(&keys.folder)), (0o600, 0o700));
    assert_eq!(keys.open().unwrap().public(), key.public());
    assert_eq!(keys.public().unwrap(), Some(key.public()));
    let (_other, other) = self::keys();
    assert_ne!(other.open().unwrap().public(), key.public());
    assert_eq!(format!("{key:?}"), format!("Key({})", key.public().fingerprint()));
    assert_eq!(file::leftovers(&keys.folder), Vec::<PathBuf>::new());
}

/// RFC 8032, 7.1, tests 1 and 2, so that what we call Ed25519 is what others call so.
#[test]
fn signatures_are_those_of_the_standard() {
    for (seed, public, text, signature) in [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            &[][..],
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            &[0x72][..],
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ] {
        let key = Key(SigningKey::from_bytes(&from_hex(seed).unwrap()));
        assert_eq!(key.public().hex(), public);
        assert_eq!(hex(&key.sign(text)), signature);
        assert!(key.public().verifies(text, signature));
        assert!(!key.public().verifies(b"other", signature));
        assert!(!key.public().verifies(text, &signature.replacen('e', "f", 1)));
        assert!(!key.public().verifies(text, &signature[1..]));
    }
}

#[test]
fn public_keys_are_read_as_people_pass_them_on() {
    let (_folder, keys) = keys();
    let public = keys.open().unwrap().public();
    for text in [public.hex(), public.hex().to_uppercase(), format!(" {}\n", public.hex()), public.pem()] {
        assert_eq!(Public::parse(&text).unwrap(), public, "{text}");
    }
    assert_eq!(Public::parse(&public.pem().replace('\n', "\r\n")).unwrap(), public);
    let private = fs::read_to_string(keys.private_path()).unwrap();
    let no_point = format!("02{}", "0".repeat(62));
    for text in ["", "zz", &public.hex()[1..], &format!("+{}", &public.hex()[1..]), &private, &no_point] {
        assert!(matches!(Public::parse(text), Err(Error::NotAPublicKey)), "{text}");
    }
    assert_eq!(public.fingerprint().len(), 64);
}

#[test]
fn a_key_that_is_lost_or_damaged_is_told_and_never_replaced() {
    let (_folder, keys) = keys();
    let public = keys.open().unwrap().public();
    let whole = fs::read(keys.private_path()).unwrap();
    let write = |bytes: &[u8]| fs::write(keys.private_path(), bytes).unwrap();

    for damaged in [&b""[..], b"no key", &whole[..whole.len() - 30], &[0xff; 10], &[b'x'; 5000]] {
        write(damaged);
        refused(&keys, "is no Ed25519 key in PEM");
        assert_eq!(fs::read(keys.private_path()).unwrap(), damaged, "it was written over");
    }
    let (_other, other) = self::keys();
    other.open().unwrap();
    write(&fs::read(other.private_path()).unwrap());
    refused(&keys, "is not the key of");
    fs::remove_file(keys.private_path()).unwrap();
    refused(&keys, "is gone");
    assert!(!keys.private_path().exists());

    write(&whole);
    fs::set_permissions(keys.private_path(), fs::Permissions::from_mode(0o640)).unwrap();
    refused(&keys, "other users can open");
    fs::set_permissions(keys.private_path(), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(keys.open().unwrap().public(), public);

    // A crash after the first of the two files.
    fs::remove_file(keys.public_path()).unwrap();
    assert_eq!(keys.open().unwrap().public(), public);
    assert_eq!(keys.public().unwrap(), Some(public));
    fs::write(keys.public_path(), "nothing").unwrap();
    refused(&keys, "ed25519.pub` is no Ed25519 key");
}

#[test]
fn links_in_the_place_of_a_key_are_refused() {
    let (folder, keys) = keys();
    fs::create_dir_all(&keys.folder).unwrap();
    let victim = folder.path().join("victim");
    std::os::unix::fs::symlink(&victim, keys.private_path()).unwrap();
    refused(&keys, "is not a regular file of ours");
    assert!(!victim.exists(), "the link was followed");
    fs::remove_file(keys.private_path()).unwrap();
    fs::create_dir(keys.private_path()).unwrap();
    refused(&keys, "is not a regular file of ours");
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let (folder, keys) = keys();
    fs::write(folder.path().join("a b"), "in the way").unwrap();
    refused(&keys, "signing");
}

#[test]
fn many_at_once_make_one_key() {
    let (_folder, keys) = keys();
    let start = std::sync::Barrier::new(16);
    let mut publics: Vec<String> = std::thread::scope(|scope| {
        let make = || {
            start.wait();
            keys.open().unwrap().public().hex()
        };
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(make)).collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    publics.dedup();
    assert_eq!(publics.len(), 1, "{publics:?}");
    assert_eq!(file::leftovers(&keys.folder), Vec::<PathBuf>::new());
}
