/** Makes a field as tall as its text. */
export function fit(field: HTMLTextAreaElement): void {
    // Measured in a form that keeps its height: else the transcript above would jump with every key.
    const { form } = field;
    if (form) form.style.height = `${form.offsetHeight}px`;
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight + 2}px`;
    if (form) form.style.height = '';
}
