import type { MailPort, NewMail } from '@app/workflow-definition';
import { errorOf, outputOf } from '../tool-context.spec-support.js';
import { sendEmailTool as tool } from './send-email.tool.js';

class Recorder implements MailPort {
  readonly sent: NewMail[] = [];

  send(_viewer: unknown, mail: NewMail) {
    this.sent.push(mail);
    return Promise.resolve({ recipients: mail.to.length + mail.cc.length + mail.bcc.length });
  }
}

const params = (more: Record<string, unknown> = {}) => ({ to: 'a@x.example', subject: 'S', text: 'T', ...more });

describe('send_email', () => {
  it('reads addresses however they are given, each once', async () => {
    const mail = new Recorder();
    const to = 'a@x.example, b@x.example; A@x.example';
    expect(await outputOf(tool, params({ to, cc: ['c@x.example'], bcc: null }), { mail })).toEqual({
      queued: true,
      recipients: 3,
    });
    expect(mail.sent).toMatchObject([
      { to: ['A@x.example', 'b@x.example'], cc: ['c@x.example'], bcc: [], replyTo: '' },
    ]);
  });

  it('lets no subject begin a header', async () => {
    const mail = new Recorder();
    await outputOf(tool, params({ subject: 'Hi\r\nBcc: victim@x.example' }), { mail });
    expect(mail.sent[0]!.subject).toBe('Hi Bcc: victim@x.example');
  });

  const many = Array.from({ length: 15 }, (_, index) => `p${index}@x.example`);
  it.each([
    [{ to: '' }, 'invalid_params'],
    [{ to: 'nobody' }, 'invalid_params'],
    [{ to: 'a@x.example\r\nRCPT TO:<b@x.example>' }, 'invalid_params'],
    [{ to: [...many, ...many.map((one) => `q${one}`)] }, 'invalid_params'],
    [{ to: many, cc: many.map((one) => `q${one}`) }, 'too_many_recipients'],
    [{ text: '', html: ' ' }, 'invalid_params'],
    [{ reply_to: 'x' }, 'invalid_params'],
    [{ attachments: Array.from({ length: 11 }, () => 'a') }, 'invalid_params'],
  ])('refuses %j', async (more, code) => {
    const mail = new Recorder();
    expect(await errorOf(tool, params(more), { mail })).toMatchObject({ code, retryable: false });
    expect(mail.sent).toEqual([]);
  });

  it('is checked at save as far as it is known', () => {
    expect(tool.checkParams(params({ to: '{{_output.a.email}}, b@x.example' }), [])).toEqual([]);
    expect(tool.checkParams(params({ to: { $ref: '_output.a.email' } }), [])).toEqual([]);
    expect(tool.checkParams(params({ to: 'nobody' }), [])).toMatchObject([{ code: 'invalid_params' }]);
    expect(tool.unavailableReason({})).toBe('No mail server is configured.');
  });
});
