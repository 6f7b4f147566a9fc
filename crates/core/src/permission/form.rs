//! Forms: questions with answers to choose from, plans to approve, and fields to fill in, as harnesses put them.

use serde::{Deserialize, Serialize};

use super::visible;

mod fields;
mod format;
mod link;

pub use fields::{Field, FieldKind, FieldOption, Unfit, fill};
pub use format::Format;
pub use link::is_openable;

/// Most questions in a form, and most options of one.
const QUESTIONS: usize = 16;
const OPTIONS: usize = 64;
/// The largest form, by the bytes of its texts. A larger one is shown as words.
const FORM_BYTES: usize = 64 * 1024;
/// The longest answer in a person's own words, in bytes.
const ANSWER_BYTES: usize = 16 * 1024;

/// What a request offers beside *allow* and *deny*.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Form {
    Questions {
        questions: Vec<Question>,
    },
    /// A plan in Markdown that a person approves.
    Plan {
        text: String,
        /// It also asks for permissions in advance, which are not granted.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        advance: bool,
    },
    /// Fields to fill in, as MCP servers ask for them.
    Fields {
        fields: Vec<Field>,
    },
    /// An address to visit, as MCP servers ask for it. Accepting it says that the person goes there.
    Link {
        url: String,
    },
}

/// A question. Without options, it is answered in words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub text: String,
    /// A short title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub header: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// Several options may be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multiple: bool,
    /// Other words than the options are an answer, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// The answer is shown and stored nowhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
}

/// An option of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    pub label: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What it would look like, as text: code, a sketch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub preview: String,
}

/// A person's answer to one question: options by their position, and words of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    pub chosen: Vec<usize>,
    pub text: Option<String>,
}

/// Why an answer does not fit its question. Questions are counted from 1, as people count them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    #[error("expected {expected} answers, one for each question, but got {given}")]
    Count { expected: usize, given: usize },
    #[error("question {question} has no option {option}; options are numbered from 0 to {last}")]
    Option { question: usize, option: usize, last: usize },
    #[error("question {question} has no options; answer it in words")]
    NoOptions { question: usize },
    #[error("question {question} takes one answer")]
    One { question: usize },
    #[error("question {question} has no answer")]
    Missing { question: usize },
    #[error("question {question} takes one of its options: {options}")]
    Closed { question: usize, options: String },
    #[error("the answer to question {question} is longer than {ANSWER_BYTES} bytes")]
    Long { question: usize },
    #[error("question {question} asks for a secret, which a message would show")]
    Secret { question: usize },
}

impl Form {
    /// Returns the form if people can be shown it: it is not empty, and no larger than a card.
    ///
    /// Questions do without previews that make them too large.
    pub fn checked(mut self) -> Option<Self> {
        let fits = match &mut self {
            Self::Plan { text, .. } => !text.trim().is_empty() && text.len() <= FORM_BYTES,
            Self::Questions { questions } => {
                let bytes = |questions: &[Question]| questions.iter().map(Question::bytes).sum::<usize>();
                if bytes(questions) > FORM_BYTES {
                    questions.iter_mut().flat_map(|asked| &mut asked.options).for_each(Choice::fold);
                }
                let count = (1..=QUESTIONS).contains(&questions.len());
                count && bytes(questions) <= FORM_BYTES && questions.iter().all(Question::can_be_answered)
            }
            Self::Fields { fields } => {
                fields.iter_mut().for_each(Field::settle);
                fields::can_be_filled(fields, FORM_BYTES)
            }
            Self::Link { url } => !url.trim().is_empty() && url.len() <= FORM_BYTES,
        };
        fits.then_some(self)
    }

    /// Says whether an answer to it is a secret.
    pub fn is_secret(&self) -> bool {
        match self {
            Self::Questions { questions } => questions.iter().any(|asked| asked.secret),
            Self::Fields { fields } => fields.iter().any(Field::is_secret),
            Self::Plan { .. } | Self::Link { .. } => false,
        }
    }

    /// Returns the same with nothing invisible, for people. Positions of options stay.
    pub fn shown(&self) -> Self {
        match self {
            Self::Plan { text, advance } => Self::Plan { text: visible(text), advance: *advance },
            Self::Questions { questions } => {
                Self::Questions { questions: questions.iter().map(Question::shown).collect() }
            }
            Self::Fields { fields } => Self::Fields { fields: fields.iter().map(Field::shown).collect() },
            Self::Link { url } => Self::Link { url: visible(url) },
        }
    }
}

impl Choice {
    /// Forgets the preview, which is the least of it.
    fn fold(&mut self) {
        self.preview.clear();
    }
}

impl Question {
    fn bytes(&self) -> usize {
        let options = self.options.iter();
        let options =
            options.map(|option| option.label.len() + option.description.len() + option.preview.len());
        self.text.len() + self.header.len() + options.sum::<usize>()
    }

    fn can_be_answered(&self) -> bool {
        let labelled = self.options.iter().all(|option| !option.label.trim().is_empty());
        self.options.len() <= OPTIONS && labelled && (self.open || !self.options.is_empty())
    }

    fn shown(&self) -> Self {
        let option = |option: &Choice| Choice {
            label: visible(&option.label),
            description: visible(&option.description),
            preview: visible(&option.preview),
        };
        Self {
            text: visible(&self.text),
            header: visible(&self.header),
            options: self.options.iter().map(option).collect(),
            ..*self
        }
    }

    /// Returns the answer as the harness expects it: labels as it wrote them, in its order, then other words.
    fn answer(&self, number: usize, given: &Given) -> Result<Vec<String>, Misfit> {
        let question = number;
        if let Some(option) = given.chosen.iter().copied().find(|option| *option >= self.options.len()) {
            return Err(match self.options.len().checked_sub(1) {
                Some(last) => Misfit::Option { question, option, last },
                None => Misfit::NoOptions { question },
            });
        }
        let chosen = self.options.iter().enumerate().filter(|(at, _)| given.chosen.contains(at));
        let mut answer: Vec<String> = chosen.map(|(_, option)| option.label.clone()).collect();
        let words = given.text.as_deref().map(str::trim).filter(|words| !words.is_empty());
        if let Some(words) = words {
            if words.len() > ANSWER_BYTES {
                return Err(Misfit::Long { question });
            }
            answer.push(self.own_words(number, words)?);
        }
        match answer.len() {
            0 => Err(Misfit::Missing { question }),
            2.. if !self.multiple => Err(Misfit::One { question }),
            _ => Ok(answer),
        }
    }

    /// Returns words as an answer: an option that they name, or themselves where that is allowed.
    fn own_words(&self, question: usize, words: &str) -> Result<String, Misfit> {
        let named = self.options.iter().find(|option| option.label.trim().eq_ignore_ascii_case(words));
        match named {
            Some(option) => Ok(option.label.clone()),
            None if self.open => Ok(words.to_owned()),
            None => {
                let labels = self.options.iter().map(|option| visible(&option.label));
                Err(Misfit::Closed { question, options: labels.collect::<Vec<_>>().join(", ") })
            }
        }
    }
}

/// Returns the answers to questions, each as one or more texts for the harness.
pub fn answers(questions: &[Question], given: &[Given]) -> Result<Vec<Vec<String>>, Misfit> {
    if questions.len() != given.len() {
        return Err(Misfit::Count { expected: questions.len(), given: given.len() });
    }
    questions.iter().zip(given).enumerate().map(|(at, (asked, given))| asked.answer(at + 1, given)).collect()
}

/// Reads a person's words as answers: a line for each question when there are as many, else all of them for each.
///
/// A secret is no such word: messages are shown and stored.
pub fn answers_in_words(questions: &[Question], words: &str) -> Result<Vec<Vec<String>>, Misfit> {
    if let Some(at) = questions.iter().position(|asked| asked.secret) {
        return Err(Misfit::Secret { question: at + 1 });
    }
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let each = |at: usize| if lines.len() == questions.len() { lines[at] } else { words };
    let given: Vec<Given> = (0..questions.len())
        .map(|at| Given { chosen: Vec::new(), text: Some(each(at).to_owned()) })
        .collect();
    answers(questions, &given)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(options: &[&str], multiple: bool, open: bool) -> Question {
        let choice = |label: &&str| Choice { label: (*label).to_owned(), ..Choice::default() };
        let options = options.iter().map(choice).collect();
        Question { text: "Which?".into(), options, multiple, open, ..Question::default() }
    }

    fn chosen(options: &[usize]) -> Given {
        Given { chosen: options.to_vec(), text: None }
    }

    fn words(text: &str) -> Given {
        Given { chosen: Vec::new(), text: Some(text.to_owned()) }
    }

    #[test]
    fn one_option_answers_a_question_and_several_only_where_that_is_allowed() {
        let (one, many) = (question(&["A", "B", "C"], false, true), question(&["A", "B", "C"], true, true));
        let answer = |question: &Question, given| answers(std::slice::from_ref(question), &[given]);
        assert_eq!(answer(&one, chosen(&[1])), Ok(vec![vec!["B".into()]]));
        assert_eq!(answer(&many, chosen(&[2, 0])), Ok(vec![vec!["A".into(), "C".into()]]));
        assert_eq!(answer(&one, chosen(&[0, 1])), Err(Misfit::One { question: 1 }));
        let both = Given { chosen: vec![0], text: Some("or both".into()) };
        assert_eq!(answer(&one, both.clone()), Err(Misfit::One { question: 1 }));
        assert_eq!(answer(&many, both), Ok(vec![vec!["A".into(), "or both".into()]]));
        assert_eq!(answer(&many, chosen(&[0, 0])), Ok(vec![vec!["A".into()]]));
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let closed = question(&["A", "B"], false, false);
        let answer = |given| answers(std::slice::from_ref(&closed), &[given]);
        assert_eq!(answer(chosen(&[2])), Err(Misfit::Option { question: 1, option: 2, last: 1 }));
        assert_eq!(answer(chosen(&[])), Err(Misfit::Missing { question: 1 }));
        assert_eq!(answer(words("  ")), Err(Misfit::Missing { question: 1 }));
        assert_eq!(answer(words("C")), Err(Misfit::Closed { question: 1, options: "A, B".into() }));
        assert_eq!(answer(words("b")), Ok(vec![vec!["B".into()]]));
        assert_eq!(answers(&[closed], &[]), Err(Misfit::Count { expected: 1, given: 0 }));
        let free = question(&[], false, true);
        assert_eq!(
            answers(std::slice::from_ref(&free), &[chosen(&[0])]),
            Err(Misfit::NoOptions { question: 1 })
        );
        let long = words(&"x".repeat(ANSWER_BYTES + 1));
        assert_eq!(answers(&[free], &[long]), Err(Misfit::Long { question: 1 }));
    }

    #[test]
    fn words_answer_each_question_by_its_line_or_all_by_all_lines() {
        let two = [question(&["A", "B"], false, true), question(&[], false, true)];
        assert_eq!(answers_in_words(&two, "b\nnow\n"), Ok(vec![vec!["B".into()], vec!["now".into()]]));
        let same = vec!["as you like".to_owned()];
        assert_eq!(answers_in_words(&two, "as you like"), Ok(vec![same.clone(), same]));
    }

    #[test]
    fn a_form_that_cannot_be_answered_or_shown_is_none() {
        let form = |questions| Form::Questions { questions }.checked();
        assert!(form(vec![question(&["A"], false, false)]).is_some());
        assert_eq!(form(Vec::new()), None);
        assert_eq!(form(vec![question(&[], false, false)]), None);
        assert_eq!(form(vec![question(&["A", " "], false, false)]), None);
        assert_eq!(form(vec![question(&["A"], false, true); QUESTIONS + 1]), None);
        assert_eq!(form(vec![question(&["A"; OPTIONS + 1], false, true)]), None);
        assert_eq!(form(vec![question(&[&"x".repeat(FORM_BYTES)], false, true)]), None);
        let plan = |text: &str| Form::Plan { text: text.into(), advance: false }.checked();
        assert!(plan("# Do it").is_some());
        assert_eq!(plan(" \n"), None);
        assert_eq!(plan(&"x".repeat(FORM_BYTES + 1)), None);
    }

    #[test]
    fn a_secret_is_no_message() {
        let two = [question(&["A"], false, true), Question { secret: true, ..question(&[], false, true) }];
        assert_eq!(answers_in_words(&two, "A\nhunter2"), Err(Misfit::Secret { question: 2 }));
        assert_eq!(
            answers(&two, &[chosen(&[0]), words("hunter2")]),
            Ok(vec![vec!["A".into()], vec!["hunter2".into()]])
        );
        assert!(Form::Questions { questions: two.to_vec() }.is_secret());
    }

    #[test]
    fn previews_that_are_too_large_are_left_out() {
        let mut asked = question(&["A", "B"], false, true);
        asked.options[0].preview = "+-+\n| |".into();
        let kept = Form::Questions { questions: vec![asked.clone()] }.checked();
        assert_eq!(kept, Some(Form::Questions { questions: vec![asked.clone()] }));
        asked.options[0].preview = "x".repeat(FORM_BYTES);
        let Some(Form::Questions { questions }) = (Form::Questions { questions: vec![asked] }).checked()
        else {
            panic!()
        };
        assert_eq!((questions[0].options.len(), questions[0].options[0].preview.as_str()), (2, ""));
    }

    #[test]
    fn people_see_what_is_invisible_and_the_harness_gets_its_own_label() {
        let hidden = question(&["A\u{202e}"], false, false);
        let Form::Questions { questions } = (Form::Questions { questions: vec![hidden.clone()] }).shown()
        else {
            panic!()
        };
        assert_eq!(questions[0].options[0].label, "A\\u{202e}");
        assert_eq!(answers(&[hidden], &[chosen(&[0])]), Ok(vec![vec!["A\u{202e}".into()]]));
    }
}
