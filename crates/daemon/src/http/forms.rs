//! What a permission request offers beside *allow* and *deny*, in the words of the wire.

use paseo_core::permission::Form;
use paseo_core::permission::form::{self, Choice, Field, FieldOption};
use paseo_wire::permission::{FieldOptionView, FieldView, LinkView, OptionView, PlanView, QuestionView};
use paseo_wire::words::FieldKind;

/// The parts of a request that show its form. At most one is there.
#[derive(Default)]
pub(super) struct Offered {
    pub(super) questions: Vec<QuestionView>,
    pub(super) plan: Option<PlanView>,
    pub(super) fields: Vec<FieldView>,
    pub(super) link: Option<LinkView>,
}

/// Shows a form, with nothing invisible in it.
pub(super) fn offered(form: &Form) -> Offered {
    let none = Offered::default();
    match form.shown() {
        Form::Questions { questions } => {
            Offered { questions: questions.into_iter().map(question).collect(), ..none }
        }
        Form::Plan { text, advance } => Offered { plan: Some(PlanView { text, advance }), ..none },
        Form::Fields { fields } => Offered { fields: fields.into_iter().map(field).collect(), ..none },
        Form::Link { url } => {
            let openable = form::is_openable(&url);
            Offered { link: Some(LinkView { url, openable }), ..none }
        }
    }
}

fn question(question: form::Question) -> QuestionView {
    let option = |Choice { label, description, preview }| OptionView { label, description, preview };
    QuestionView {
        text: question.text,
        header: Some(question.header).filter(|header| !header.is_empty()),
        options: question.options.into_iter().map(option).collect(),
        multiple: question.multiple,
        open: question.open,
        secret: question.secret,
    }
}

fn field(field: Field) -> FieldView {
    let Field { name, title, description, required, default, kind } = field;
    let view = FieldView {
        name,
        title,
        description,
        required,
        kind: FieldKind::Boolean,
        default,
        options: Vec::new(),
        format: None,
        pattern: None,
        minimum: None,
        maximum: None,
    };
    match kind {
        form::FieldKind::Boolean => view,
        form::FieldKind::Text { min_length, max_length, pattern, format, secret } => FieldView {
            kind: if secret { FieldKind::Secret } else { FieldKind::Text },
            format: format.map(Into::into),
            pattern,
            minimum: min_length.map(Into::into),
            maximum: max_length.map(Into::into),
            ..view
        },
        form::FieldKind::Number { whole, minimum, maximum } => {
            let kind = if whole { FieldKind::Integer } else { FieldKind::Number };
            FieldView { kind, minimum, maximum, ..view }
        }
        form::FieldKind::Choice { options, multiple, min_items, max_items } => FieldView {
            kind: if multiple { FieldKind::Choices } else { FieldKind::Choice },
            options: options.into_iter().map(option).collect(),
            minimum: min_items.map(Into::into),
            maximum: max_items.map(Into::into),
            ..view
        },
    }
}

fn option(FieldOption { value, title, description }: FieldOption) -> FieldOptionView {
    FieldOptionView { value, title, description }
}
