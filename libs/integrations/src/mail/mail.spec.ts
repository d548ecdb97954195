import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { OutboxFolder } from '../outbox/outbox-folder.js';
import type { MailTransport } from './mail.port.js';
import { OutboxMail } from './outbox-mail.js';
import { SmtpMail } from './smtp-mail.js';

const FROM = 'Atrium <no-reply@atrium.example>';
const note = { filename: 'n\u00f6te.txt', contentType: 'text/plain', content: Buffer.from('file') };
const mail = {
  id: 'd7f1c0de-0000-4000-8000-000000000001',
  to: 'ada@acme.example',
  subject: 'رمزك 123456\r\nBcc: victim@acme.example',
  text: 'مرحبًا\n\n123456',
  html: '<html lang="ar" dir="rtl"><p>123456</p></html>',
  language: 'ar',
};

interface Side {
  transport: MailTransport;
  received(): Promise<Buffer[]>;
  stop(): Promise<void>;
}

async function outbox(): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-outbox-'));
  return {
    transport: new OutboxMail(new OutboxFolder(folder), FROM),
    received: async () => Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name)))),
    stop: () => rm(folder, { recursive: true }),
  };
}

async function smtp(answer?: { responseCode: number }): Promise<Side> {
  const mails: Buffer[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'atrium' && password === 'secret-of-smtp' ? done(null, { user: 'atrium' }) : done(new Error('no')),
    onRcptTo: (_address, _session, done) => done(answer ? Object.assign(new Error('ada@acme.example'), answer) : null),
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks));
        done();
      });
    },
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.server.address() as AddressInfo;
  return {
    transport: new SmtpMail({ url: `smtp://atrium:secret-of-smtp@127.0.0.1:${port}`, from: FROM }),
    received: async () => mails,
    stop: () => new Promise<void>((done) => server.close(done)),
  };
}

describe.each([
  ['the outbox folder', outbox],
  ['a mail server', smtp],
])('mail through %s', (_name, start) => {
  it('names all who get it, carries files and says where answers go, delivery by delivery', async () => {
    const side = await start();
    const shared = {
      ...mail,
      language: '',
      text: '',
      messageId: 'one-for-all',
      replyTo: 'owner@acme.example',
      addressedTo: { to: ['bob@acme.example', '"x, y"@acme.example'], cc: ['carol@acme.example'] },
    };
    await side.transport.send({ ...shared, id: 'a', to: 'bob@acme.example', attachments: [note] });
    await side.transport.send({ ...shared, id: 'b', to: 'hidden@acme.example', attachments: [note] });
    const raws = await side.received();
    expect(raws).toHaveLength(2);
    for (const raw of raws) {
      expect(raw.toString()).not.toMatch(/hidden|Content-Language/i);
      const received = await PostalMime.parse(raw);
      expect(received.to?.map(({ address }) => address)).toEqual(['bob@acme.example', '"x, y"@acme.example']);
      expect(received.cc?.map(({ address }) => address)).toEqual(['carol@acme.example']);
      expect(received).toMatchObject({
        messageId: '<one-for-all@atrium.example>',
        replyTo: [{ address: 'owner@acme.example' }],
        html: expect.stringContaining('123456') as string,
      });
      expect(received.attachments[0]).toMatchObject({ filename: 'n\u00f6te.txt', mimeType: 'text/plain' });
      expect(new TextDecoder().decode(received.attachments[0]!.content as ArrayBuffer)).toBe('file');
    }
    await side.stop();
  });

  it('arrives whole, once per id in its Message-ID, and without the headers that a subject tried to add', async () => {
    const side = await start();
    await side.transport.send(mail);
    const [raw] = await side.received();
    const received = await PostalMime.parse(raw!);
    expect(received.to).toEqual([{ address: mail.to, name: '' }]);
    expect(received.from).toEqual({ address: 'no-reply@atrium.example', name: 'Atrium' });
    expect(received.bcc).toBeUndefined();
    expect(received.subject).toContain('رمزك 123456');
    expect(received.text?.trim()).toBe(mail.text);
    expect(received.html?.trim()).toBe(mail.html);
    expect(received.messageId).toBe(`<${mail.id}@atrium.example>`);
    await side.stop();
  });
});

describe('the outbox folder', () => {
  it('keeps files for the owner alone, replaces a repeated one, and forgets a recipient', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atrium-outbox-'));
    const transport = new OutboxMail(new OutboxFolder(folder), FROM);
    await transport.send(mail);
    await transport.send(mail);
    await transport.send({ ...mail, id: 'd7f1c0de-0000-4000-8000-000000000002', to: 'bob@acme.example' });
    const names = await readdir(folder);
    expect(names).toHaveLength(2);
    expect((await stat(join(folder, names[0]!))).mode & 0o777).toBe(0o600);
    expect(await transport.forgetRecipient('ADA@acme.example')).toBe(1);
    expect(await readdir(folder)).toHaveLength(1);
    await rm(folder, { recursive: true });
  });
});

describe('a mail server that refuses', () => {
  it.each([
    [451, false],
    [550, true],
  ])('with %d: permanent is %s, and nothing of the mail is repeated', async (responseCode, isPermanent) => {
    const side = await smtp({ responseCode });
    const refusal = await side.transport.send(mail).catch((error: Error) => error);
    expect(refusal).toMatchObject({ name: 'DeliveryError', isPermanent });
    expect((refusal as Error).message).not.toMatch(/ada|secret/);
    await side.stop();
  });

  it('tries again when the password is wrong or nobody answers', async () => {
    const side = await smtp();
    const url = (side.transport as unknown as { settings: { url: string } }).settings.url;
    const wrong = new SmtpMail({ url: url.replace('secret-of-smtp', 'wrong'), from: FROM });
    await expect(wrong.send(mail)).rejects.toMatchObject({ isPermanent: false });
    await side.stop();
    await expect(side.transport.send(mail)).rejects.toMatchObject({ isPermanent: false });
  });
});
