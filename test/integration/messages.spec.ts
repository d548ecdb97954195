import type { AddressInfo } from 'node:net';
import { Messages, MessageSender, type NewMessage } from '@app/messages';
import { SMTPServer } from 'smtp-server';
import { startApi, type TestApi } from '../support/api.js';
import { mailsTo, textsTo } from '../support/outbox.js';
import { until } from '../support/until.js';

const code = (to: string): NewMessage<'email-code'> => ({
  channel: 'mail',
  template: 'email-code',
  language: 'en',
  to,
  userId: null,
  params: { code: '987654', minutes: 10, name: 'Ada' },
});

async function enqueue(api: TestApi, message: NewMessage<'email-code'> | NewMessage<'phone-code'>): Promise<void> {
  const messages = api.app.get(Messages);
  const receipt = await api.database.dataSource.transaction((tx) => messages.enqueue(message, tx));
  messages.publish(receipt);
}

const rows = (api: TestApi) =>
  api.database.dataSource.query<
    { state: string; attempts: number; params_sealed: Buffer | null; last_error: string }[]
  >('SELECT state, attempts, params_sealed, last_error FROM outgoing_messages ORDER BY created_at');

describe('messages on the embedded defaults', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  it('become readable files, and what they held is erased', async () => {
    await enqueue(api, code('ada@acme.example'));
    const [mail] = await mailsTo(api, 'ada@acme.example');
    expect(mail).toMatchObject({ subject: '987654 is your Atrium code' });
    expect(mail!.text).toContain('Hello Ada,');
    const params = { code: '123456', minutes: 10 };
    await enqueue(api, { ...code('4915112345678'), channel: 'sms', language: 'ar', template: 'phone-code', params });
    expect((await textsTo(api, '4915112345678'))[0]).toContain('123456 هو رمزك');
    await until(async () => (await rows(api)).every(({ state, params_sealed }) => state === 'sent' && !params_sealed));
  });

  it('are not sent once they are of no use', async () => {
    await enqueue(api, { ...code('late@acme.example'), usefulSeconds: 0 });
    await api.app.get(MessageSender).sweep();
    expect((await rows(api)).at(-1)).toMatchObject({ state: 'expired', params_sealed: null, attempts: 0 });
  });

  it('are sent by the sweeper when the queue lost them', async () => {
    const { dataSource } = api.database;
    await dataSource.transaction((tx) => api.app.get(Messages).enqueue(code('lost@acme.example'), tx));
    await dataSource.query('DELETE FROM outbox_messages');
    await dataSource.query(
      `UPDATE outgoing_messages SET next_attempt_at = now() - interval '1 minute' WHERE state = 'waiting'`,
    );
    await api.app.get(MessageSender).sweep();
    expect(await mailsTo(api, 'lost@acme.example')).toHaveLength(1);
  });
});

describe('messages through a mail server', () => {
  const refusals: number[] = [];
  const received: string[] = [];
  let server: SMTPServer;
  let api: TestApi;
  let replica: TestApi;
  beforeAll(async () => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onRcptTo: (_address, _session, done) => {
        const responseCode = refusals.shift();
        done(responseCode ? Object.assign(new Error('greylisted'), { responseCode }) : null);
      },
      onData: (stream, session, done) => {
        stream.resume();
        stream.on('end', () => {
          received.push(session.envelope.rcptTo[0]!.address);
          done();
        });
      },
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.server.address() as AddressInfo;
    const settings = { MAIL_PROVIDER: 'smtp', SMTP_URL: `smtp://127.0.0.1:${port}` };
    api = await startApi(settings);
    replica = await api.startReplica();
  });
  afterAll(async () => {
    await replica.stop();
    await api.stop();
    await new Promise<void>((done) => server.close(done));
  });

  it('are tried again after a refusal that will pass, and given up after one that will not', async () => {
    refusals.push(421);
    await enqueue(api, code('again@acme.example'));
    await until(async () => (await rows(api)).some(({ last_error }) => last_error === 'The mail server answered 421.'));
    await api.database.dataSource.query('UPDATE outgoing_messages SET next_attempt_at = now()');
    await until(() => received.includes('again@acme.example'));
    refusals.push(550);
    await enqueue(api, code('never@acme.example'));
    await until(async () => (await rows(api)).at(-1)?.state === 'failed');
    expect((await rows(api)).at(-1)).toMatchObject({ attempts: 1, params_sealed: null });
  });

  it('are sent once, however many replicas are told of them', async () => {
    received.length = 0;
    for (let i = 0; i < 20; i += 1) await enqueue(api, code(`one${i}@acme.example`));
    const ids = await api.database.dataSource.query<{ id: string }[]>('SELECT id FROM outgoing_messages');
    const senders = [api, replica].map(({ app }) => app.get(MessageSender));
    await Promise.all(ids.flatMap(({ id }) => senders.map((sender) => sender.trySend(id))));
    await until(async () => (await rows(api)).every(({ state }) => state !== 'waiting'));
    expect(received.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `one${i}@acme.example`).toSorted());
  });
});
