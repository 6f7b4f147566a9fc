use std::convert::Infallible;

use super::*;
use crate::http::tests::House;

fn person() -> Actor {
    Actor::Human("cli".into())
}

async fn upload(house: &House, by: &Actor, bytes: &'static [u8]) -> Result<UploadedAttachment, Failure> {
    let body = futures_util::stream::iter([Ok::<_, Infallible>(Bytes::from_static(bytes))]);
    house.app.sessions.context.attachments.receive(by, "/tmp/a.txt", body, || Ok(())).await
}

#[tokio::test]
async fn what_no_message_has_goes_after_a_day() {
    let house = House::new().await;
    let attachments = &house.app.sessions.context.attachments;
    let uploaded = upload(&house, &person(), b"hello").await.unwrap();
    let ids = [uploaded.attachment.id.clone()];
    assert_eq!(uploaded.attachment.name, "a.txt");
    let later = |hours: i64| Timestamp::from_millis(mint::now().as_millis() + hours * 3_600_000);
    attachments.tidy(0, later(23)).await.unwrap();
    assert_eq!(attachments.claimed(&person(), &ids).await.unwrap().len(), 1);
    attachments.tidy(0, later(25)).await.unwrap();
    let told = attachments.claimed(&person(), &ids).await.unwrap_err();
    assert_eq!(told.code, Code::NotFound);
}

#[tokio::test]
async fn nobody_uses_the_file_of_another() {
    let house = House::new().await;
    let attachments = &house.app.sessions.context.attachments;
    let uploaded = upload(&house, &person(), b"hello").await.unwrap();
    let ids = [uploaded.attachment.id];
    let agent = Actor::Session(mint::session());
    assert_eq!(attachments.claimed(&agent, &ids).await.unwrap_err().code, Code::NotFound);
    let twice = [ids[0].clone(), ids[0].clone()];
    assert_eq!(attachments.claimed(&person(), &twice).await.unwrap_err().code, Code::InvalidRequest);
}

#[tokio::test]
async fn an_agent_gets_only_what_its_provider_takes() {
    let house = House::new().await;
    let context = &house.app.sessions.context;
    let id = house.session().await.session.id.parse().unwrap();
    let profile = context.directory.get(id).unwrap().profile.clone();
    let file = [Attached { id: mint::file(), kind: attachment::Kind::Pdf, len: 1 }];
    let told = |provider: &str, terminal: Option<&str>| {
        let (provider, terminal) = (provider.to_owned(), terminal.map(str::to_owned));
        context.check_attachments(&Profile { provider, terminal, ..profile.clone() }, &file)
    };
    assert!(told("scripted", None).is_ok() && told("claude", None).is_ok());
    for (provider, terminal, words) in [
        ("codex", None, "codex does not accept PDF documents as input, only images and text files"),
        ("external", None, "external does not accept attachments"),
        ("claude", Some("w1"), "claude in a terminal does not accept attachments"),
        ("gone", None, "gone does not accept attachments"),
    ] {
        let refused = told(provider, terminal).unwrap_err();
        assert_eq!((refused.code, refused.message.as_str()), (Code::AttachmentRefused, words));
        assert!(refused.hint.is_some_and(|hint| hint.contains("paseo providers")));
    }
}

#[tokio::test]
async fn too_many_files_that_no_message_has_are_refused() {
    let house = House::new().await;
    let log = &house.app.sessions.context.journal.log;
    for _ in 0..UPLOADS {
        let (id, sha256) = (mint::file().uuid(), [0; 32]);
        let file = NewFile { id, actor: "session:x".into(), len: 1, sha256, meta: "{}".into() };
        log.add_file(file).await.unwrap();
    }
    // Agents take no room of people.
    upload(&house, &person(), b"hello").await.unwrap();
    let agent = Actor::Session(mint::session());
    let told = upload(&house, &agent, b"hello").await.unwrap_err();
    assert_eq!(told.code, Code::TooManyUploads, "{}", told.message);
    for _ in 1..UPLOADS {
        let (id, sha256) = (mint::file().uuid(), [0; 32]);
        let file = NewFile { id, actor: "human:cli".into(), len: 1, sha256, meta: "{}".into() };
        log.add_file(file).await.unwrap();
    }
    let told = upload(&house, &person(), b"hello").await.unwrap_err();
    assert_eq!(told.code, Code::TooManyUploads, "{}", told.message);
}

#[tokio::test]
async fn an_agent_has_room_for_a_few_files() {
    let house = House::new().await;
    let agent = Actor::Session(mint::session());
    for _ in 0..AGENT_UPLOADS {
        upload(&house, &agent, b"hello").await.unwrap();
    }
    let told = upload(&house, &agent, b"hello").await.unwrap_err();
    assert_eq!(told.code, Code::TooManyUploads, "{}", told.message);
    upload(&house, &Actor::Session(mint::session()), b"hello").await.unwrap();
}

#[tokio::test]
async fn a_right_that_is_lost_meanwhile_is_lost() {
    let house = House::new().await;
    let attachments = &house.app.sessions.context.attachments;
    let body = futures_util::stream::iter([Ok::<_, Infallible>(Bytes::from_static(b"hello"))]);
    let lost = || Err(Failure::new(Code::Forbidden, "not any more"));
    let told = attachments.receive(&person(), "a", body, lost).await.unwrap_err();
    assert_eq!(told.code, Code::Forbidden);
    assert_eq!(house.app.sessions.context.journal.log.unclaimed_files("").await.unwrap().files, 0);
}
