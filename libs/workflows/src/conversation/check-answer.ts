import { cutText, type FieldErrors, parseBoolean, parseNumber, Refusal, ValidationError } from '@app/common';
import type { Question, QuestionField } from '@app/workflow-definition';

const MAX_TEXT = 20_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const REQUIRED = 'This field is required.';

/** What somebody sent: `answers` for those who know the question's fields, `message` for those who just talk. */
export interface GivenAnswer {
  message: string;
  answers: Record<string, unknown> | null;
}

/**
 * The value that the node gets. `answers.answer` answers a text or a choice, `answers.approved` and `answers.comment`
 * an approval, `answers.<field>` a form; a message alone answers a text, names an option, or says approve or reject.
 * @throws ValidationError with every problem, under dotted keys.
 */
export function checkAnswer(question: Question, given: GivenAnswer): unknown {
  switch (question.kind) {
    case 'text':
      return checkText(given);
    case 'choice':
      return checkChoice(question, given);
    case 'approval':
      return checkApproval(given);
    case 'form':
      return checkForm(question.fields, given);
  }
}

function checkText({ message, answers }: GivenAnswer): string {
  const text = answers?.answer ?? message;
  const key = answers?.answer === undefined ? 'message' : 'answers.answer';
  if (typeof text !== 'string') throw refused(key, 'Not a valid string.');
  if (text.trim() === '') throw refused(key, 'This field may not be blank.');
  if (text.length > MAX_TEXT) throw refused(key, `Ensure this field has no more than ${MAX_TEXT} characters.`);
  return text;
}

function checkChoice({ options, multiple }: Question, { message, answers }: GivenAnswer): unknown {
  const key = answers?.answer === undefined ? 'message' : 'answers.answer';
  const given = answers?.answer ?? message;
  const pick = (one: unknown): string => {
    const option = options.find(({ value }) => value === one) ?? options.find(({ label }) => label === one);
    if (!option) throw refused(key, `${cutText(JSON.stringify(one) ?? 'Nothing', 100)} is not a valid choice.`);
    return option.value;
  };
  if (!multiple) return pick(given);
  const several = Array.isArray(given) ? given : [given];
  if (several.length === 0) throw refused(key, 'This list may not be empty.');
  if (several.length > options.length) throw refused(key, 'More choices than there are options.');
  return [...new Set(several.map(pick))];
}

function checkApproval({ message, answers }: GivenAnswer): { approved: boolean; comment: string } {
  const comment = answers?.comment ?? '';
  if (typeof comment !== 'string') throw refused('answers.comment', 'Not a valid string.');
  if (comment.length > MAX_TEXT)
    throw refused('answers.comment', `Ensure this field has no more than ${MAX_TEXT} characters.`);
  if (answers?.approved !== undefined) {
    if (typeof answers.approved !== 'boolean') throw refused('answers.approved', 'Must be a valid boolean.');
    return { approved: answers.approved, comment: comment || message };
  }
  const word = message.trim().toLowerCase();
  if (word !== 'approve' && word !== 'reject')
    throw refused('answers', 'Say approve or reject, or give answers.approved.');
  return { approved: word === 'approve', comment };
}

function checkForm(fields: readonly QuestionField[], { answers }: GivenAnswer): Record<string, unknown> {
  if (!answers) throw refused('answers', REQUIRED);
  const errors: FieldErrors = {};
  const values: [string, unknown][] = [];
  for (const field of fields) {
    const value = Object.hasOwn(answers, field.name) ? answers[field.name] : undefined;
    if (value === undefined || value === null || value === '') {
      if (field.required) errors[`answers.${field.name}`] = [REQUIRED];
      else values.push([field.name, null]);
      continue;
    }
    const checked = checkField(field, value);
    if ('error' in checked) errors[`answers.${field.name}`] = [checked.error];
    else values.push([field.name, checked.value]);
  }
  const known = new Set(fields.map(({ name }) => name));
  for (const name of Object.keys(answers).slice(0, 100)) {
    if (!known.has(name)) errors[`answers.${cutText(name, 100)}`] = ['The form has no such field.'];
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors, { code: 'invalid_answer' });
  return Object.fromEntries(values);
}

function checkField({ type, options }: QuestionField, value: unknown): { value: unknown } | { error: string } {
  switch (type) {
    case 'text':
      if (typeof value !== 'string') return { error: 'Not a valid string.' };
      return value.length > MAX_TEXT
        ? { error: `Ensure this field has no more than ${MAX_TEXT} characters.` }
        : { value };
    // Forms of browsers send texts; a number that would lose digits is refused, as in every other body.
    case 'number':
      return parsed(parseNumber()(value));
    case 'boolean':
      return parsed(parseBoolean(value));
    case 'choice': {
      const option = options.find((one) => one.value === value) ?? options.find(({ label }) => label === value);
      return option
        ? { value: option.value }
        : { error: `${cutText(JSON.stringify(value), 100)} is not a valid choice.` };
    }
    case 'date': {
      const isDate = typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(`${value}T00:00:00Z`));
      return isDate && new Date(`${value as string}T00:00:00Z`).toISOString().startsWith(value as string)
        ? { value }
        : { error: 'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.' };
    }
  }
}

function parsed(value: unknown): { value: unknown } | { error: string } {
  return value instanceof Refusal ? { error: value.message } : { value };
}

function refused(key: string, message: string): ValidationError {
  return new ValidationError({ [key]: [message] }, { code: 'invalid_answer' });
}
