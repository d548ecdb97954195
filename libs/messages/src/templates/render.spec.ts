import { renderMessage } from './render.js';
import type { MessageParams, TemplateName } from './template.js';

const LIMIT = { name: 'Ada', organization: 'Acme', refuses: true };
const params: MessageParams = {
  'email-code': { code: '123456', minutes: 10, name: 'Ada' },
  'phone-code': { code: '123456', minutes: 10 },
  'recovery-code': { recoveryCode: 'ABCD-EFGH', name: 'Ada' },
  'password-changed': { name: 'Ada', at: '2026-11-21 08:00 UTC', ip: '192.0.2.1' },
  'token-reuse': { name: 'Ada', at: '2026-11-21 08:00 UTC', userAgent: 'Firefox' },
  'passkey-clone': { name: 'Ada', passkeyName: 'Key', at: '2026-11-21 08:00 UTC' },
  'approval-needed': { username: 'ada', email: 'ada@acme.example' },
  'account-approved': { name: 'Ada' },
  'export-ready': { name: 'Ada', hours: 168 },
  'access-requested': { name: 'Ada', requester: 'Grace Hopper (grace)', filename: 'plan.pdf' },
  'access-approved': { name: 'Ada', filename: 'plan.pdf' },
  'access-denied': { name: 'Ada', filename: 'plan.pdf', reason: 'It is not finished.' },
  'document-shared': { name: 'Ada', owner: 'Grace Hopper (grace)', filename: 'plan.pdf' },
  'workflow-viewable': { name: 'Ada', owner: 'Grace Hopper (grace)', workflow: 'Invoices' },
  'workflow-editable': { name: 'Ada', owner: 'Grace Hopper (grace)', workflow: 'Invoices' },
  'workflow-copy-received': { name: 'Ada', sharer: 'Grace Hopper (grace)', workflow: 'Invoices' },
  'workflow-app-received': { name: 'Ada', sharer: 'Grace Hopper (grace)', workflow: 'Invoices' },
  'workflow-offered': { name: 'Ada', owner: 'Grace Hopper (grace)', workflow: 'Invoices', days: 7 },
  'workflow-accepted': { name: 'Ada', receiver: 'Grace Hopper (grace)', workflow: 'Invoices' },
  'workflow-declined': { name: 'Ada', receiver: 'Grace Hopper (grace)', workflow: 'Invoices' },
  'organization-invited': { name: 'Ada', organization: 'Acme', inviter: 'grace', token: 'q7-AbC_9', days: 7 },
  'agent-job-done': { name: 'Ada', job: 'Morning news', result: 'All quiet.' },
  'agent-job-failed': { name: 'Ada', job: 'Morning news', result: 'The model does not answer.' },
  'payment-failed': { name: 'Ada', plan: 'Pro' },
  'plan-unpaid': { name: 'Ada', plan: 'Pro' },
  'plan-canceled': { name: 'Ada', plan: 'Pro' },
  'payment-given-back': { name: 'Ada', plan: 'Pro' },
  'trial-ends': { name: 'Ada', plan: 'Pro', date: '2026-12-01' },
  'limit-near': { ...LIMIT, measure: 'workflow_runs', used: 800, limit: 1000, percent: 80 },
  'limit-reached': { ...LIMIT, measure: 'storage', used: 1.5 * 1024 ** 3, limit: 1024 ** 3, percent: 100 },
};
/** Where what is said is not what was given. */
const shown: Partial<Record<TemplateName, string[]>> = {
  'limit-near': ['Ada', 'Acme', '800', '1,000'],
  'limit-reached': ['Ada', 'Acme', '1.5 GiB', '1 GiB'],
};

describe.each(Object.keys(params) as TemplateName[])('the message %s', (template) => {
  it.each(['en', 'ar'] as const)('says in %s all that it was given, in text and in HTML', (language) => {
    const { subject, text, html } = renderMessage(template, language, params[template]);
    for (const value of shown[template] ?? Object.values(params[template]).map(String)) {
      expect(text).toContain(value);
      expect(html).toContain(value);
    }
    expect(subject === '').toBe(template === 'phone-code');
    expect(html).toContain(language === 'ar' ? '<html lang="ar" dir="rtl">' : '<html lang="en" dir="ltr">');
    expect(/[\u0600-\u06ff]/.test(text)).toBe(language === 'ar');
  });
});

it('takes nothing that people chose for markup or for a new line', () => {
  const name = '<img src=x onerror=alert(1)>"\'&\r\nBcc: victim@acme.example';
  const { text, html, subject } = renderMessage('recovery-code', 'en', { name, recoveryCode: name });
  expect(html).not.toMatch(/<img|onerror=alert\(1\)>"/);
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;');
  expect(text).not.toMatch(/[\r\n]Bcc/);
  expect(subject).not.toMatch(/[\r\n]/);
});

/** The mail of a share by somebody of that name. */
const sharedBy = (owner: string) =>
  renderMessage('document-shared', 'en', { name: 'Ada', owner, filename: 'plan.pdf' }).text;

describe('names that lead somewhere', () => {
  it.each([
    'http://evil.example click',
    'www.evil',
    'Win at evil.example',
    'win@evil',
    'You have won. Call us. '.repeat(5),
  ])('are not greeted: %s', (name) => {
    for (const language of ['en', 'ar'] as const) {
      const { text, html } = renderMessage('email-code', language, { code: '123456', minutes: 10, name });
      expect(text).not.toContain(name);
      expect(html).not.toContain(name);
    }
    const { text } = renderMessage('email-code', 'en', { code: '123456', minutes: 10, name });
    expect(text).toMatch(/^Hello,\n/);
  });

  it.each(['Ada', 'J.R.R.', 'Anne-Marie St. John', 'أدا', "O'Neill"])('others are: %s', (name) => {
    expect(renderMessage('account-approved', 'en', { name }).text).toContain(`Hello ${name},`);
  });

  it('of others give way to their user names', () => {
    expect(sharedBy('Win at http://evil.example (grace)')).toContain('\n\ngrace lets you read');
    expect(sharedBy('Grace (Amazing) Hopper (grace)')).toContain('Grace (Amazing) Hopper (grace) lets you read');
    expect(sharedBy('grace')).toContain('grace lets you read');
  });
});
