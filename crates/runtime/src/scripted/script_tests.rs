use proptest::prelude::*;
use serde_json::json;

use super::*;

fn one(text: &str) -> Step {
    let mut steps = parse(text).unwrap();
    assert_eq!(steps.len(), 1, "{text}");
    steps.remove(0)
}

fn refused(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn questions_have_options_and_may_take_several() {
    let Ok(steps) = parse("<<choose Which?* | blue: as the sky | red || When? | now>>") else { panic!() };
    let [Step::Choose(questions)] = &steps[..] else { panic!("{steps:?}") };
    let read = |at: usize| (questions[at].text.as_str(), questions[at].multiple, questions[at].options.len());
    assert_eq!((read(0), read(1)), (("Which?", true, 2), ("When?", false, 1)));
    assert_eq!(questions[0].options[0].description, "as the sky");
    for wrong in ["<<choose Which?>>", "<<choose | a>>", "<<choose A? | a || B?>>", "<<choose>>"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn every_verb_is_understood() {
    let stream = |delay, text: &str| Step::Stream { delay: Duration::from_millis(delay), text: text.into() };
    for (text, step) in [
        ("<<say hello there>>", Step::Say("hello there".into())),
        ("<<stream a b>>", stream(0, "a b")),
        ("<<stream 20ms a b>>", stream(20, "a b")),
        ("<<stream ms a>>", stream(0, "ms a")),
        ("<<think hm>>", Step::Think("hm".into())),
        ("<<tool todo>>", Step::Tool { name: "todo".into(), input: json!({}) }),
        (r#"<<tool t {"a":{"b":1}}>>"#, Step::Tool { name: "t".into(), input: json!({"a": {"b": 1}}) }),
        ("<<sh ls | wc -l>>", Step::Shell("ls | wc -l".into())),
        ("<<ask may I?>>", Step::Ask("may I?".into())),
        ("<<asks this? | that?>>", Step::Asks(vec!["this?".into(), "that?".into()])),
        ("<<wait 20>>", Step::Wait(Duration::from_millis(20))),
        ("<<fail no luck>>", Step::Fail("no luck".into())),
        ("<<limit 500>>", Step::Limit(Duration::from_millis(500))),
        ("<<hang>>", Step::Hang),
        ("<<crash>>", Step::Crash(Crash::Exit(70))),
        ("<<crash 3>>", Step::Crash(Crash::Exit(3))),
        ("<<crash KILL>>", Step::Crash(Crash::Kill)),
        ("<<spew 10>>", Step::Spew(10)),
        ("<<spew 2k>>", Step::Spew(2048)),
        ("<<spew 1m>>", Step::Spew(1024 * 1024)),
        ("<<usage 10 20>>", Step::Usage { input: 10, output: 20 }),
        ("<<garbage>>", Step::Garbage),
        ("<<big-line 70m>>", Step::BigLine(70 * 1024 * 1024)),
    ] {
        assert_eq!(one(text), step, "{text}");
    }
}

#[test]
fn text_around_directives_is_ignored() {
    let steps = parse("first <<say a>>, then\n<<say b\nc>> and so on").unwrap();
    assert_eq!(steps, [Step::Say("a".into()), Step::Say("b\nc".into())]);
}

#[test]
fn plain_text_holds_no_steps() {
    for text in ["", "hello", "a < b >> c", r"cout \<< x", r"\<<<hang"] {
        assert_eq!(parse(text), Ok(vec![]), "{text}");
    }
}

#[test]
fn a_closing_mark_can_be_escaped() {
    assert_eq!(one(r"<<sh echo a \>\> file>>"), Step::Shell("echo a >> file".into()));
    assert_eq!(one("<<sh cat <<END\nx\nEND\n>>"), Step::Shell("cat <<END\nx\nEND".into()));
}

#[test]
fn what_makes_no_sense_is_named_and_the_verbs_are_listed() {
    for (text, reason) in [
        ("<<dance now>>", "unknown verb"),
        ("<<>>", "unknown verb"),
        ("<<say>>", "`say` needs a text after it, as in `<<say …>>`"),
        ("<<stream 5ms>>", "`stream` needs a text after it, as in `<<stream …>>`"),
        ("<<wait soon>>", "milliseconds"),
        ("<<wait -1>>", "milliseconds"),
        ("<<crash 256>>", "255"),
        ("<<spew 1g>>", "bytes"),
        ("<<spew 61m>>", "more than 60m"),
        ("<<spew 99999999999999999999m>>", "bytes"),
        ("<<usage 1>>", "tokens"),
        ("<<tool t {>>", "not JSON"),
        ("<<tool>>", "name"),
        ("<<hang on>>", "no argument"),
        ("<<say hello", "missing `>>`"),
    ] {
        let message = refused(text);
        assert!(message.contains(reason), "{text}: {message}");
        assert!(message.starts_with(&format!("`{text}`")), "{text}: {message}");
        assert!(message.contains("say, stream, think"), "{text}: {message}");
    }
}

#[test]
fn a_start_file_has_a_section_per_turn_and_the_last_repeats() {
    let file = StartFile::parse("<<say one>>\n---\nthen <<say two>>\n").unwrap();
    assert_eq!(file.section(1), [Step::Say("one".into())]);
    assert_eq!(file.section(2), [Step::Say("two".into())]);
    assert_eq!(file.section(9), [Step::Say("two".into())]);
}

#[test]
fn a_start_file_names_the_section_that_is_wrong() {
    assert_eq!(StartFile::parse("<<say a>>\n---\nnothing").unwrap_err(), "section 2 has no directive");
    assert!(StartFile::parse("<<say a>>\n---\n<<no>>").unwrap_err().starts_with("section 2: `<<no>>`"));
}

proptest! {
    #[test]
    fn no_text_breaks_the_parser(text in r"(<<|>>|\\|say|wait|spew|[a-z]|[0-9]|\n| |é|.){0,40}") {
        parse(&text).ok();
        StartFile::parse(&text).ok();
    }

    #[test]
    fn what_is_said_comes_out_as_it_went_in(text in r"[^\s\\>]([^\\>]{0,40}[^\s\\>])?") {
        prop_assert_eq!(parse(&format!("<<say {text}>>")), Ok(vec![Step::Say(text)]));
    }

    #[test]
    fn directives_keep_their_order(waits in proptest::collection::vec(0u64..1000, 0..10)) {
        let text: String = waits.iter().map(|wait| format!("x <<wait {wait}>> y")).collect();
        let steps: Vec<Step> = waits.iter().map(|wait| Step::Wait(Duration::from_millis(*wait))).collect();
        prop_assert_eq!(parse(&text), Ok(steps));
    }
}

#[test]
fn these_numbers_are_promised() {
    assert_eq!((SPEW_LIMIT, BIG_LINE_LIMIT), (62_914_560, 1_073_741_824));
}
