import { amountOf } from './amounts.js';
import type { LimitParams, Wording } from './template.js';

const hello = (name: string) => (name === '' ? 'Hello,' : `Hello ${name},`);
const NOT_YOU = 'If this was not you, change your password and sign out everywhere.';

const MEASURES = { workflow_runs: 'workflow runs', model_tokens: 'AI tokens', storage: 'storage' } as const;

const used = ({ organization, measure, used: taken, limit }: LimitParams) =>
  `${organization === '' ? 'You have' : `${organization} has`} used ${amountOf(measure, taken, 'en')} of ${amountOf(measure, limit, 'en')} of ${MEASURES[measure]}${measure === 'storage' ? '' : ' that the plan includes this month'}.`;

/** What happens now, or soon. */
function after({ measure, refuses }: LimitParams): string {
  if (measure !== 'storage') return 'Nothing is blocked. The count begins anew on the first of the month (UTC).';
  return refuses
    ? 'When storage is full, new files are refused. Reading, downloading and deleting stay open.'
    : 'Nothing is blocked.';
}

export const english: Wording = {
  'email-code': ({ code, minutes, name }) => ({
    subject: `${code} is your Atrium code`,
    paragraphs: [hello(name), 'With this code you confirm your e-mail address:'],
    code,
    closing: [`It is valid for ${minutes} minutes.`, 'If you did not ask for it, you can ignore this message.'],
  }),
  'phone-code': ({ code, minutes }) => ({
    subject: '',
    paragraphs: [`${code} is your Atrium code. It is valid for ${minutes} minutes.`],
  }),
  'recovery-code': ({ recoveryCode, name }) => ({
    subject: 'Your Atrium recovery code',
    paragraphs: [hello(name), 'This is your recovery code. It opens your account when the password is lost:'],
    code: recoveryCode,
    closing: ['Keep it in a safe place and delete this message. Atrium cannot show it to you again.'],
  }),
  'password-changed': ({ name, at, ip }) => ({
    subject: 'Your Atrium password was changed',
    paragraphs: [hello(name), `The password of your account was changed at ${at}, from the address ${ip}.`, NOT_YOU],
  }),
  'token-reuse': ({ name, at, userAgent }) => ({
    subject: 'An Atrium session was ended for your safety',
    paragraphs: [
      hello(name),
      `At ${at} somebody used a sign-in token that had already been replaced. It may have been stolen, so that session was ended.`,
      `Browser or program of that session: ${userAgent}`,
      NOT_YOU,
    ],
  }),
  'passkey-clone': ({ name, passkeyName, at }) => ({
    subject: 'An Atrium passkey was blocked',
    paragraphs: [
      hello(name),
      `At ${at} your passkey “${passkeyName}” was used in a way that suggests a copy of it. It can no longer sign in.`,
      'Remove it from your account and register a new one.',
    ],
  }),
  'approval-needed': ({ username, email }) => ({
    subject: 'An Atrium account waits for approval',
    paragraphs: [`The account ${username} (${email}) has confirmed its address and waits for approval.`],
  }),
  'account-approved': ({ name }) => ({
    subject: 'Your Atrium account is approved',
    paragraphs: [hello(name), 'Your account is approved. You can sign in now.'],
  }),
  'export-ready': ({ name, hours }) => ({
    subject: 'Your Atrium export is ready',
    paragraphs: [hello(name), `The copy of your data can be downloaded in your account for ${hours} hours.`],
  }),
  'access-requested': ({ name, requester, filename }) => ({
    subject: `Access to “${filename}” is asked for`,
    paragraphs: [
      hello(name),
      `${requester} asks to read your document “${filename}”.`,
      'You can approve or deny the request among your documents in Atrium.',
    ],
  }),
  'access-approved': ({ name, filename }) => ({
    subject: `You can read “${filename}” now`,
    paragraphs: [
      hello(name),
      `Your request was approved: the document “${filename}” is among your documents in Atrium.`,
    ],
  }),
  'access-denied': ({ name, filename, reason }) => ({
    subject: `Access to “${filename}” was not granted`,
    paragraphs: [
      hello(name),
      `The owner of “${filename}” has denied your request.`,
      ...(reason === '' ? [] : [`The reason: ${reason}`]),
    ],
  }),
  'document-shared': ({ name, owner, filename }) => ({
    subject: `“${filename}” was shared with you`,
    paragraphs: [hello(name), `${owner} lets you read “${filename}”. It is among your documents in Atrium.`],
  }),
  'workflow-viewable': ({ name, owner, workflow }) => ({
    subject: `You can view the workflow “${workflow}”`,
    paragraphs: [
      hello(name),
      `${owner} lets you view the workflow “${workflow}”. It is among your workflows in Atrium.`,
    ],
  }),
  'workflow-editable': ({ name, owner, workflow }) => ({
    subject: `You can edit the workflow “${workflow}”`,
    paragraphs: [
      hello(name),
      `${owner} lets you edit and run the workflow “${workflow}”. It is among your workflows in Atrium.`,
    ],
  }),
  'workflow-copy-received': ({ name, sharer, workflow }) => ({
    subject: `A copy of the workflow “${workflow}” is yours`,
    paragraphs: [
      hello(name),
      `${sharer} gave you a copy of the workflow “${workflow}”. It is yours to change; secrets did not come with it.`,
    ],
  }),
  'workflow-app-received': ({ name, sharer, workflow }) => ({
    subject: `You can run the app “${workflow}”`,
    paragraphs: [hello(name), `${sharer} lets you run “${workflow}”. It is among your apps in Atrium.`],
  }),
  'workflow-offered': ({ name, owner, workflow, days }) => ({
    subject: `The workflow “${workflow}” is offered to you`,
    paragraphs: [
      hello(name),
      `${owner} wants to hand the workflow “${workflow}” over to you. Accept or decline it among your workflows in Atrium within ${days} days.`,
    ],
  }),
  'workflow-accepted': ({ name, receiver, workflow }) => ({
    subject: `The workflow “${workflow}” was handed over`,
    paragraphs: [hello(name), `${receiver} accepted the workflow “${workflow}” and owns it now.`],
  }),
  'workflow-declined': ({ name, receiver, workflow }) => ({
    subject: `The workflow “${workflow}” stays yours`,
    paragraphs: [hello(name), `${receiver} declined the workflow “${workflow}”. Nothing has changed.`],
  }),
  'organization-invited': ({ name, organization, inviter, token, days }) => ({
    subject: `You are invited to “${organization}” in Atrium`,
    paragraphs: [
      hello(name),
      `${inviter} invites you to join the organization “${organization}”.`,
      'Sign in to Atrium with this e-mail address, or register with it, and accept with this code:',
    ],
    code: token,
    closing: [
      `It is valid for ${days} days, and once.`,
      'If you do not know who invites you, you can ignore this message.',
    ],
  }),
  'agent-job-done': ({ name, job, result }) => ({
    subject: `Your agent has done “${job}”`,
    paragraphs: [hello(name), `Your agent has done its job “${job}”:`, result],
    closing: ['The whole result is in the console of your agent in Atrium.'],
  }),
  'agent-job-failed': ({ name, job, result }) => ({
    subject: `Your agent could not do “${job}”`,
    paragraphs: [hello(name), `The job “${job}” of your agent went wrong:`, result],
    closing: ['More is in the console of your agent in Atrium.'],
  }),
  'payment-failed': ({ name, plan }) => ({
    subject: `A payment for your plan “${plan}” failed`,
    paragraphs: [
      hello(name),
      `We could not collect a payment for your plan “${plan}”. It will be tried again during the next days, and everything stays open until then.`,
      'Please see to it that your means of payment is valid: under “Plan” in Atrium you can change it.',
    ],
  }),
  'plan-unpaid': ({ name, plan }) => ({
    subject: `Your plan “${plan}” has expired`,
    paragraphs: [
      hello(name),
      `No payment for your plan “${plan}” could be collected, so it has expired. What you stored is still there, and can be read, exported and deleted.`,
      'To go on, pay the open invoice under “Plan” in Atrium.',
    ],
  }),
  'plan-canceled': ({ name, plan }) => ({
    subject: `Your plan “${plan}” was cancelled`,
    paragraphs: [
      hello(name),
      `Your plan “${plan}” was cancelled; nothing more is charged. What you stored is still there, and can be read, exported and deleted.`,
    ],
  }),
  'payment-given-back': ({ name, plan }) => ({
    subject: `A payment for “${plan}” was given back`,
    paragraphs: [
      hello(name),
      `You paid for “${plan}”, which could not begin: it is paid for already, or its order was closed before. The payment was cancelled and given back in full.`,
    ],
  }),
  'trial-ends': ({ name, plan, date }) => ({
    subject: `Your trial of “${plan}” ends soon`,
    paragraphs: [
      hello(name),
      `Your trial of “${plan}” ends on ${date}. From then on it is charged for; to prevent that, cancel it under “Plan” in Atrium before.`,
    ],
  }),
  'limit-near': (params) => ({
    subject: `${params.percent} % of your ${MEASURES[params.measure]} in Atrium is used`,
    paragraphs: [hello(params.name), used(params), after(params)],
    closing: ['Details are on the usage page of your account.'],
  }),
  'limit-reached': (params) => ({
    subject: `Your ${MEASURES[params.measure]} in Atrium has reached its limit`,
    paragraphs: [hello(params.name), used(params), after(params)],
    closing: ['Details are on the usage page of your account.'],
  }),
};
