import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutboxFolder } from '../outbox/outbox-folder.js';
import { OutboxSms } from './outbox-sms.js';
import { TwilioSms, type TwilioSettings } from './twilio-sms.js';

const sms = { id: 'd7f1c0de-0000-4000-8000-000000000001', to: '4915112345678', text: 'رمزك 123456' };

/** Speaks the one call of Twilio's API that we make, and answers with the given statuses in turn. */
async function twilio(statuses: number[]) {
  const calls: { url: string; authorization: string; form: URLSearchParams }[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      calls.push({ url: request.url ?? '', authorization: request.headers.authorization ?? '', form });
      response.writeHead(statuses.shift() ?? 201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ sid: 'SM1', body: form.get('Body'), to: form.get('To') }));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const settings: TwilioSettings = {
    baseUrl: `http://127.0.0.1:${port}`,
    accountSid: 'AC123',
    authToken: 'twilio-token',
    from: '+15005550006',
    channel: 'sms',
  };
  return { calls, settings, stop: () => new Promise((done) => server.close(done)) };
}

describe('text messages', () => {
  it('go to Twilio as its API wants them, by SMS, WhatsApp or a messaging service', async () => {
    const { calls, settings, stop } = await twilio([]);
    await new TwilioSms(settings).send(sms);
    await new TwilioSms({ ...settings, channel: 'whatsapp' }).send(sms);
    await new TwilioSms({ ...settings, from: 'MG9' }).send(sms);
    expect(calls.map(({ form }) => Object.fromEntries(form))).toEqual([
      { To: '+4915112345678', From: '+15005550006', Body: sms.text },
      { To: 'whatsapp:+4915112345678', From: 'whatsapp:+15005550006', Body: sms.text },
      { To: '+4915112345678', MessagingServiceSid: 'MG9', Body: sms.text },
    ]);
    expect(calls[0]).toMatchObject({
      url: '/2010-04-01/Accounts/AC123/Messages.json',
      authorization: `Basic ${Buffer.from('AC123:twilio-token').toString('base64')}`,
    });
    await stop();
  });

  it.each([
    [429, false],
    [503, false],
    [401, false],
    [400, true],
  ])(
    'answered with %d: permanent is %s, and no word of the message or the token is repeated',
    async (status, isPermanent) => {
      const { settings, stop } = await twilio([status]);
      const refusal = await new TwilioSms(settings).send(sms).catch((error: Error) => error);
      expect(refusal).toMatchObject({ name: 'DeliveryError', isPermanent });
      expect(String(refusal)).not.toMatch(/123456|49151|twilio-token/);
      await stop();
      await expect(new TwilioSms(settings).send(sms)).rejects.toMatchObject({ isPermanent: false });
    },
  );

  it('lie in the outbox folder as readable files, and are forgotten with their number', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atrium-outbox-'));
    const transport = new OutboxSms(new OutboxFolder(folder));
    await transport.send(sms);
    const [name] = await readdir(folder);
    expect(await readFile(join(folder, name!), 'utf8')).toBe('To: +4915112345678\n\nرمزك 123456\n');
    expect(await transport.forgetRecipient(sms.to)).toBe(1);
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
