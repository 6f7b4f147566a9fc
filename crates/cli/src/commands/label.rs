//! `paseo label`

use paseo_core::handle::Prefix;
use paseo_core::label::Label;
use paseo_wire::error::Exit;
use paseo_wire::session::PatchSession;

use super::ls::shown_labels;
use super::worse;
use crate::args::LabelArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::Mode;

pub(crate) async fn run(context: &Context, args: LabelArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let (handles, patch) = sort(&args.words)?;
    let client = context.client()?;
    let mut exit = Exit::Ok;
    for handle in handles {
        match client.patch_session(handle, &patch).await {
            Ok(answer) => match printer.mode() {
                Mode::Json => printer.json(&answer.session)?,
                Mode::Quiet => {}
                Mode::Normal => {
                    let labels = shown_labels(&answer.session);
                    let labels = if labels.is_empty() { "no labels" } else { &labels };
                    printer.line(&format!("{} has {labels}", answer.session.handle))?;
                }
            },
            Err(error) => {
                let failure = Failure::from(error);
                exit = worse(exit, failure.exit);
                printer.failure(&failure);
            }
        }
    }
    Ok(exit)
}

/// Tells agents, labels to set and labels to remove apart.
fn sort(words: &[String]) -> Result<(Vec<&str>, PatchSession), Failure> {
    let mut handles = Vec::new();
    let mut patch = PatchSession::default();
    for word in words {
        if word.contains('=') {
            let label: Label = word
                .parse()
                .map_err(|malformed: paseo_core::label::Malformed| Failure::usage(malformed.to_string()))?;
            patch.set_labels.insert(label.key, label.value);
        } else if let Some(key) = word.strip_suffix('-').filter(|key| !key.is_empty()) {
            patch.unset_labels.push(key.to_owned());
        } else if Prefix::parse(word).is_some() {
            handles.push(word.as_str());
        } else {
            return Err(Failure::usage(format!("`{word}` is neither a handle nor a label"))
                .hint("key=value sets a label, key- removes it"));
        }
    }
    if let Some(both) = patch.unset_labels.iter().find(|key| patch.set_labels.contains_key(*key)) {
        return Err(Failure::usage(format!("the label {both} is set and removed at once")));
    }
    if handles.is_empty() {
        return Err(Failure::usage("no agent is named").hint("paseo label HANDLE key=value"));
    }
    if patch == PatchSession::default() {
        return Err(Failure::usage("no label is named").hint("key=value sets a label, key- removes it"));
    }
    Ok((handles, patch))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(text: &str) -> Result<(Vec<String>, PatchSession), Failure> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        sort(&words).map(|(handles, patch)| (handles.into_iter().map(str::to_owned).collect(), patch))
    }

    #[test]
    fn words_are_told_apart() {
        let (handles, patch) = sorted("3f2a 91cc env=ci team- a=b=c").unwrap();
        assert_eq!(handles, ["3f2a", "91cc"]);
        assert_eq!(
            patch.set_labels.into_iter().collect::<Vec<_>>(),
            [("a".into(), "b=c".into()), ("env".into(), "ci".into())]
        );
        assert_eq!(patch.unset_labels, ["team"]);
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        let told = |text| sorted(text).unwrap_err().message;
        assert_eq!(told("3f2a foo"), "`foo` is neither a handle nor a label");
        assert_eq!(told("env=ci team-"), "no agent is named");
        assert_eq!(told("3f2a 91cc"), "no label is named");
        assert_eq!(told("3f2a env=ci env-"), "the label env is set and removed at once");
        assert!(told("3f2a =x").contains("key=value"));
    }
}
