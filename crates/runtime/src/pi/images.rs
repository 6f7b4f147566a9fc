//! Whether pi can pass an image on. Where it cannot, it tells the model a sentence instead and goes on.

use std::path::Path;

use crate::provider::Message;

/// The package that pi makes images smaller with, below `node_modules`.
const RESIZER: &str = "node_modules/@silvia-odwyer/photon-node";
/// The package that pi itself is.
const PACKAGE: &str = "pi-coding-agent";

/// Says whether a pi that node runs lacks the package without which it drops every image.
pub(super) fn lacks_resizer(program: &Path) -> bool {
    let Ok(program) = program.canonicalize() else { return false };
    let is_package = program.extension().is_some_and(|extension| extension == "js")
        && program.components().any(|part| part.as_os_str() == PACKAGE);
    is_package && !program.ancestors().any(|folder| folder.join(RESIZER).is_dir())
}

/// Says why a turn cannot have its images; `None` when it has none, or can.
pub(super) fn refusal(messages: &[Message], lacks_resizer: bool, takes: Option<&[String]>) -> Option<String> {
    messages.iter().flat_map(Message::images).next()?;
    if takes.is_some_and(|kinds| !kinds.iter().any(|kind| kind == "image")) {
        return Some(
            "pi's model does not accept images: choose another with --model, or add \"image\" to its \
             `input` in models.json"
                .to_owned(),
        );
    }
    lacks_resizer.then(|| {
        "pi is missing the package @silvia-odwyer/photon-node and would drop every image: reinstall pi \
         with `npm install -g`"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use paseo_core::attachment::Kind;

    use super::super::tests::message;
    use super::*;
    use crate::provider::Attachment;

    #[test]
    fn a_bare_package_lacks_what_makes_images_smaller() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("node_modules/@x/pi-coding-agent/dist");
        std::fs::create_dir_all(&package).unwrap();
        let program = package.join("cli.js");
        std::fs::write(&program, "").unwrap();
        assert!(lacks_resizer(&program));
        std::fs::create_dir_all(folder.path().join(RESIZER)).unwrap();
        assert!(!lacks_resizer(&program));
        // One that is a program of its own has it built in.
        let binary = folder.path().join("pi");
        std::fs::write(&binary, "").unwrap();
        assert!(!lacks_resizer(&binary));
    }

    #[test]
    fn an_image_that_would_be_dropped_is_refused() {
        let plain = message(1, "hello");
        let picture = Attachment { name: "a.png".into(), kind: Kind::Png, bytes: b"x".as_slice().into() };
        let with = Message { attachments: vec![picture], ..plain.clone() };
        let (text, both) = (vec!["text".to_owned()], vec!["text".to_owned(), "image".to_owned()]);
        assert_eq!(refusal(&[plain], true, Some(&text)), None);
        let told = |lacks, takes| refusal(std::slice::from_ref(&with), lacks, takes);
        assert!(told(false, Some(text.as_slice())).unwrap().contains("models.json"));
        assert!(told(true, Some(both.as_slice())).unwrap().contains("photon"));
        assert_eq!(told(false, Some(both.as_slice())), None);
        assert_eq!(told(false, None), None);
    }
}
