import { defineKind, param, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { addressList, MAX_RECIPIENTS } from './addresses.js';
import { namedFiles } from '../files/stored-file.js';
import { mailApproval } from './mail-approval.js';

const NOT_CONFIGURED = 'No mail server is configured.';

export const sendEmailTool = defineKind({
  kind: 'send_email',
  version: '1.0.0',
  title: 'Send an e-mail',
  description: 'Sends a mail in your name to up to 20 people. How many you may send in a day is limited.',
  category: categories.messages,
  icon: 'mail',
  // The queue knows each recipient's copy by run and node, so nobody gets it twice.
  sideEffects: 'idempotent',
  approval: mailApproval,
  timeoutSeconds: 60,
  params: z.object({
    to: param(addressList({ required: true }), { label: 'To', description: 'One address or several.' }),
    cc: param(addressList({ required: false }), { label: 'Copy to', description: 'Addresses that everybody sees.' }),
    bcc: param(addressList({ required: false }), {
      label: 'Hidden copy to',
      description: 'Addresses that nobody else sees.',
    }),
    subject: param(z.string().trim().min(1).max(500), { label: 'Subject', description: 'What stands above the mail.' }),
    text: param(z.string().max(500_000).default(''), {
      label: 'Text',
      description: 'The mail as plain text.',
      type: 'text',
    }),
    html: param(z.string().max(500_000).default(''), {
      label: 'HTML',
      type: 'code',
      description: 'Shown in place of the text by programs that can.',
    }),
    reply_to: param(z.union([z.literal(''), z.email().max(254)]).default(''), {
      label: 'Answers go to',
      type: 'string',
      description: 'Your own address when empty.',
    }),
    attachments: param(namedFiles(10).default([]), {
      label: 'Attachments',
      type: 'file',
      description: 'Up to 10 files, 10 MB together.',
    }),
  }),
  output: z.object({ queued: z.boolean(), recipients: z.int() }),
  examples: [{ to: 'ada@example.com', subject: 'Your order', text: 'It is on its way.' }],
  unavailableReason: ({ mail }) => (mail ? null : NOT_CONFIGURED),
  run: async (params, { mail, viewer, signal, idempotencyKey }) => {
    if (!mail) throw new ToolError('mail_not_configured', NOT_CONFIGURED, false);
    const { to, cc, bcc, text, html, reply_to: replyTo, attachments } = params;
    if (to.length + cc.length + bcc.length > MAX_RECIPIENTS)
      throw new ToolError('too_many_recipients', `A mail goes to at most ${MAX_RECIPIENTS} people.`, false);
    if (text.trim() === '' && html.trim() === '')
      throw new ToolError('invalid_params', 'text: The mail has neither text nor HTML.', false);
    // A line break would begin a header of its own.
    const subject = params.subject.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
    const message = { to, cc, bcc, subject, text, html, replyTo, attachments };
    const { recipients } = await mail.send(viewer, message, { idempotencyKey, signal });
    return { output: { queued: true, recipients } };
  },
});
