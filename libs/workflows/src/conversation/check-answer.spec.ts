import { ValidationError } from '@app/common';
import type { Question } from '@app/workflow-definition';
import { checkAnswer } from './check-answer.js';

const base: Question = { message: '?', kind: 'text', options: [], fields: [] };
const options = [
  { value: 'z', label: 'Zurich' },
  { value: 'b', label: 'Berlin' },
];
const choice: Question = { ...base, kind: 'choice', options };
const several: Question = { ...choice, multiple: true };
const approval: Question = { ...base, kind: 'approval' };
const form: Question = {
  ...base,
  kind: 'form',
  fields: [
    { name: 'who', label: 'Who', type: 'text', required: true, options: [] },
    { name: 'n', label: 'N', type: 'number', required: false, options: [] },
    { name: 'ok', label: 'OK', type: 'boolean', required: false, options: [] },
    { name: 'city', label: 'City', type: 'choice', required: false, options },
    { name: 'day', label: 'Day', type: 'date', required: false, options: [] },
  ],
};
const given = (message: string, answers: Record<string, unknown> | null = null) => ({ message, answers });

describe('answers that fit', () => {
  it.each([
    [base, given('hello'), 'hello'],
    [base, given('', { answer: 'hello' }), 'hello'],
    [choice, given('z'), 'z'],
    [choice, given('Berlin'), 'b'],
    [choice, given('', { answer: 'Berlin' }), 'b'],
    [several, given('z'), ['z']],
    [several, given('', { answer: ['Berlin', 'z'] }), ['b', 'z']],
    [approval, given('approve'), { approved: true, comment: '' }],
    [approval, given(' Reject '), { approved: false, comment: '' }],
    [approval, given('Because.', { approved: false }), { approved: false, comment: 'Because.' }],
    [approval, given('', { approved: true, comment: 'Fine.' }), { approved: true, comment: 'Fine.' }],
    [form, given('', { who: 'Ada' }), { who: 'Ada', n: null, ok: null, city: null, day: null }],
    [
      form,
      given('', { who: 'Ada', n: '3.5', ok: false, city: 'Zurich', day: '2026-02-28' }),
      { who: 'Ada', n: 3.5, ok: false, city: 'z', day: '2026-02-28' },
    ],
    [
      form,
      given('', { who: 'Ada', n: ' -2e3 ', ok: 'true' }),
      { who: 'Ada', n: -2000, ok: true, city: null, day: null },
    ],
    [form, given('', { who: 'Ada', ok: 'off' }), { who: 'Ada', n: null, ok: false, city: null, day: null }],
  ])('%#: %j', (question, answer, value) => {
    expect(checkAnswer(question, answer)).toEqual(value);
  });
});

describe('answers that do not', () => {
  it.each([
    [base, given('  '), ['message']],
    [base, given('', { answer: 5 }), ['answers.answer']],
    [base, given('x'.repeat(20_001)), ['message']],
    [choice, given('Rome'), ['message']],
    [choice, given('', { answer: ['z'] }), ['answers.answer']],
    [choice, given('', { answer: { toString: 'z' } }), ['answers.answer']],
    [several, given('', { answer: [] }), ['answers.answer']],
    [several, given('', { answer: ['z', 'Rome'] }), ['answers.answer']],
    [several, given('', { answer: ['z', 'b', 'z'] }), ['answers.answer']],
    [approval, given('maybe'), ['answers']],
    [approval, given('', { approved: 'yes' }), ['answers.approved']],
    [approval, given('', { approved: true, comment: 5 }), ['answers.comment']],
    [form, given('hello'), ['answers']],
    [form, given('', {}), ['answers.who']],
    [
      form,
      given('', { who: 1, n: 'many', ok: 'perhaps', city: 'Rome', day: '2026-02-30', more: 1 }),
      ['answers.who', 'answers.n', 'answers.ok', 'answers.city', 'answers.day', 'answers.more'],
    ],
    [form, given('', { who: 'Ada', n: Number.NaN, __proto__: null }), ['answers.n']],
    // It would be another number.
    [form, given('', { who: 'Ada', n: '12345678901234567890' }), ['answers.n']],
    [form, given('', { who: 'Ada', n: [5], ok: [true] }), ['answers.n', 'answers.ok']],
    [form, given('', { who: 'Ada', day: '28.02.2026' }), ['answers.day']],
  ])('%#: %j', (question, answer, keys) => {
    let error: unknown;
    try {
      checkAnswer(question, answer);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ code: 'invalid_answer' });
    expect(Object.keys((error as ValidationError).fields).sort()).toEqual([...keys].sort());
  });
});
