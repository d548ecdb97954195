import type { AddressInfo } from 'node:net';
import { Messages, messageWork, MessageSender, type NewMessage } from '@app/messages';
import { WorkClaims, WorkPerformer } from '@app/work';
import type { INestApplicationContext } from '@nestjs/common';
import { SMTPServer } from 'smtp-server';
import { call, startApi, type TestApi } from '../support/api.js';
import { hostBackgroundJobs } from '../support/background-jobs.js';
import { mailsTo, textsTo } from '../support/outbox.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

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
    { state: string; attempts: number; params_sealed: Buffer | null; last_error: string; lease_owner: string | null }[]
  >('SELECT state, attempts, params_sealed, last_error, lease_owner FROM outgoing_messages ORDER BY created_at');

const probe = async ({ baseUrl }: TestApi) =>
  ((await call(`${baseUrl}/readyz/`)).body as { checks: { messages: { status: string } } }).checks.messages;

const send = (worker: INestApplicationContext, id: string) =>
  worker
    .get(WorkPerformer)
    .perform(messageWork, [id], (claim, signal) => worker.get(MessageSender).send(claim, signal));

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
    await api.jobs.get(MessageSender).sweep();
    expect((await rows(api)).at(-1)).toMatchObject({ state: 'expired', params_sealed: null, attempts: 0 });
  });

  inAll('are sent by another worker when the first one dies, and given up when workers die of them', async () => {
    const { dataSource } = api.database;
    const claims = api.jobs.get(WorkClaims);
    const makeDue = (id: string) =>
      dataSource.query(`UPDATE outgoing_messages SET leased_until = now(), next_attempt_at = now() WHERE id = $1`, [
        id,
      ]);
    const taken = async (to: string) => {
      await dataSource.transaction(async (tx) => {
        await api.app.get(Messages).enqueue(code(to), tx);
        await tx.query('DELETE FROM outbox_messages');
      });
      const [{ id }] = await dataSource.query<[{ id: string }]>(
        'SELECT id FROM outgoing_messages WHERE recipient = $1',
        [to],
      );
      expect(await claims.claim(messageWork, [id])).not.toBeNull();
      return id;
    };
    await makeDue(await taken('widow@acme.example'));
    expect(await mailsTo(api, 'widow@acme.example')).toHaveLength(1);
    const deadly = await taken('deadly@acme.example');
    await dataSource.query('UPDATE outgoing_messages SET attempts = 7 WHERE id = $1', [deadly]);
    await makeDue(deadly);
    await until(async () => (await rows(api)).at(-1)?.state === 'failed');
    expect((await rows(api)).at(-1)).toMatchObject({
      params_sealed: null,
      last_error: 'The worker stopped unexpectedly.',
    });
  });

  it('tell neither what they hold nor whom they go to when they fail', async () => {
    const { dataSource } = api.database;
    await dataSource.transaction(async (tx) => {
      const receipt = await api.app.get(Messages).enqueue(code('broken@acme.example'), tx);
      await tx.query('UPDATE outgoing_messages SET params_sealed = $1 WHERE id = $2', [
        Buffer.from('987654 for broken@acme.example'),
        (receipt.payload as { key: string[] }).key[0],
      ]);
    });
    await until(async () => (await rows(api)).at(-1)!.last_error !== '');
    expect((await rows(api)).at(-1)!.last_error).toMatch(/^It failed \(\w+\)\.$/);
  });

  it('are missed by probes of the api when nobody takes them', async () => {
    await until(async () => (await probe(api)).status === 'ok');
    // The worker may be faster; this one it cannot send.
    await until(async () => {
      await api.database.dataSource.query(
        `UPDATE outgoing_messages SET attempts = 0, next_attempt_at = now() - interval '2 minutes'
         WHERE recipient = 'broken@acme.example'`,
      );
      return (await probe(api)).status === 'unavailable';
    });
    await until(async () => (await probe(api)).status === 'ok');
  });

  it('are sent by the sweeper when the queue lost them', async () => {
    const { dataSource } = api.database;
    await dataSource.transaction(async (tx) => {
      await api.app.get(Messages).enqueue(code('lost@acme.example'), tx);
      await tx.query('DELETE FROM outbox_messages');
    });
    expect(await mailsTo(api, 'lost@acme.example')).toHaveLength(1);
  });
});

describe('messages through a mail server', () => {
  const refusals: number[] = [];
  const received: string[] = [];
  let server: SMTPServer;
  let api: TestApi;
  let replica: INestApplicationContext;
  /** How long the mail server thinks about each mail. */
  let thinksMs = 0;
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
          setTimeout(done, thinksMs);
        });
      },
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.server.address() as AddressInfo;
    const settings = { MAIL_PROVIDER: 'smtp', SMTP_URL: `smtp://127.0.0.1:${port}` };
    api = await startApi(settings);
    replica = await hostBackgroundJobs(api.config);
  });
  afterAll(async () => {
    await replica.close();
    await api.stop();
    await new Promise<void>((done) => server.close(done));
  });

  it('are tried again after a refusal that will pass, and given up after one that will not', async () => {
    refusals.push(421);
    await enqueue(api, code('again@acme.example'));
    await until(async () => (await rows(api)).some(({ last_error }) => last_error === 'The mail server answered 421.'));
    await api.database.dataSource.query(`UPDATE outgoing_messages SET next_attempt_at = now() WHERE state = 'waiting'`);
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
    await Promise.all(ids.flatMap(({ id }) => [api.jobs, replica].map((worker) => send(worker, id))));
    await until(async () => (await rows(api)).every(({ state }) => state !== 'waiting'));
    expect(received.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `one${i}@acme.example`).toSorted());
  });

  inAll('are left to a worker that lives, however long it takes', async () => {
    received.length = 0;
    thinksMs = 7000;
    await enqueue(api, code('slow@acme.example'));
    await until(async () => (await rows(api)).every(({ state }) => state !== 'waiting'));
    thinksMs = 0;
    expect(received).toEqual(['slow@acme.example']);
  });

  it('are tried seven times, later and later', async () => {
    const { dataSource } = api.database;
    const waits: number[] = [];
    refusals.push(...Array.from({ length: 7 }, () => 421));
    await enqueue(api, code('busy@acme.example'));
    for (let tries = 1; tries < 7; tries += 1) {
      await until(async () => (await rows(api)).at(-1)!.last_error === 'The mail server answered 421.');
      const [[row]] = await dataSource.query<[[{ id: string; seconds: string }], number]>(
        `UPDATE outgoing_messages w SET next_attempt_at = now(), last_error = '' FROM outgoing_messages old
         WHERE w.id = old.id AND w.recipient = 'busy@acme.example'
         RETURNING w.id, extract(epoch FROM old.next_attempt_at - now()) AS seconds`,
      );
      waits.push(Number(row.seconds));
      await send(replica, row.id);
    }
    await until(async () => (await rows(api)).at(-1)!.state === 'failed');
    expect((await rows(api)).at(-1)).toMatchObject({ attempts: 7, params_sealed: null });
    for (const [at, wait] of [5, 30, 120, 600, 3600, 10_800].entries()) {
      expect(waits[at]).toBeLessThan(wait * 1.2);
      expect(waits[at]).toBeGreaterThan(wait * 0.8 - 5);
    }
  });
});
