use proptest::prelude::*;

use super::*;

fn notice(number: u8) -> Notice {
    Notice { session: SessionId::from_random([number; 16]), kind: Kind::Need(Need::Permission) }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

#[test]
fn a_device_wants_what_its_switches_say() {
    let kinds = [
        Kind::Need(Need::Permission),
        Kind::Need(Need::Question),
        Kind::Need(Need::Terminal),
        Kind::Need(Need::Failure),
        Kind::Need(Need::RateLimit),
        Kind::Need(Need::Hold),
        Kind::Finished,
    ];
    let wanted = |switches: Switches| kinds.map(|kind| switches.want(kind));
    assert_eq!(wanted(Switches::default()), [true, true, true, true, false, false, true]);
    let none = Switches { permission: false, question: false, failure: false, hold: false, finished: false };
    assert_eq!(wanted(none), [false; 7]);
    assert_eq!(wanted(Switches { hold: true, ..none }), [false, false, false, false, true, true, false]);
    // What a later version adds is as for a new device.
    assert_eq!(
        serde_json::from_str::<Switches>(r#"{"failure":false}"#).unwrap(),
        Switches { failure: false, ..Switches::default() }
    );
}

#[test]
fn endpoints_have_tls_or_stay_on_this_machine() {
    for good in ["https://push.example/x", "http://127.0.0.1:9/x", "http://localhost:9/x"] {
        assert!(check_endpoint(good).is_ok(), "{good}");
    }
    assert_eq!(check_endpoint("http://push.example/x"), Err(BadEndpoint::Plain));
    assert_eq!(check_endpoint("http://192.168.0.7/x"), Err(BadEndpoint::Plain));
    assert!(matches!(check_endpoint("ftp://push.example"), Err(BadEndpoint::Malformed(_))));
    let long = format!("https://push.example/{}", "x".repeat(PUSH_ENDPOINT_BYTES));
    assert_eq!(check_endpoint(&long), Err(BadEndpoint::Long));
}

#[test]
fn news_of_one_agent_take_the_place_of_older_ones() {
    let mut outbox = Outbox::default();
    assert_eq!(outbox.next(at(0)), Next::Nothing);
    outbox.add(notice(1));
    outbox.add(notice(2));
    outbox.add(Notice { kind: Kind::Finished, ..notice(1) });
    assert_eq!(outbox.next(at(0)), Next::One(notice(2)));
    assert_eq!(outbox.next(at(0)), Next::One(Notice { kind: Kind::Finished, ..notice(1) }));
    assert_eq!(outbox.next(at(0)), Next::Nothing);
}

#[test]
fn many_news_become_one_notification_and_then_wait() {
    let mut outbox = Outbox::default();
    for sent in 0..PUSHES_PER_MINUTE - 2 {
        outbox.add(notice(1));
        assert_eq!(outbox.next(at(0)), Next::One(notice(1)), "{sent}");
    }
    (1..=3).for_each(|number| outbox.add(notice(number)));
    assert_eq!(outbox.next(at(10)), Next::Several(3));
    outbox.add(notice(4));
    assert_eq!(outbox.next(at(10)), Next::One(notice(4)));
    outbox.add(notice(5));
    assert_eq!(outbox.next(at(11)), Next::Wait(Duration::from_secs(49)));
    assert_eq!(outbox.next(at(60)), Next::One(notice(5)));
}

#[test]
fn what_does_not_fit_is_counted() {
    let mut outbox = Outbox::default();
    (0..40).for_each(|number| outbox.add(notice(number)));
    assert_eq!(outbox.next(at(0)), Next::Several(40));
    assert_eq!(outbox.next(at(0)), Next::Nothing);
}

proptest! {
    #[test]
    fn no_device_gets_more_than_its_share(steps in prop::collection::vec((0u8..60, 0i64..5), 0..400)) {
        let mut outbox = Outbox::default();
        let (mut clock, mut sent) = (0, Vec::new());
        for (number, pause) in steps {
            clock += pause;
            outbox.add(notice(number));
            match outbox.next(at(clock)) {
                Next::One(_) | Next::Several(_) => sent.push(clock),
                Next::Wait(wait) => prop_assert!(!wait.is_zero() && wait <= MINUTE),
                Next::Nothing => prop_assert!(false, "something was added"),
            }
            let lately = sent.iter().filter(|then| clock - **then < 60).count();
            prop_assert!(lately <= PUSHES_PER_MINUTE);
        }
    }
}
