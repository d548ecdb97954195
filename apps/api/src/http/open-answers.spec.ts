import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express, { type Express, type Response } from 'express';
import { type NumberedEvent, writeNumberedEvents } from './numbered-events.js';
import { OpenAnswers } from './open-answers.js';

async function* endless(signal: AbortSignal): AsyncGenerator<NumberedEvent | null> {
  yield { seq: 1, event: 'delta', data: {} };
  while (!signal.aborted) {
    await sleep(10);
    yield null;
  }
}

describe('the answers that an api owes', () => {
  let answers: OpenAnswers;
  let app: Express;
  let server: Server;
  let base: string;

  beforeEach(async () => {
    answers = new OpenAnswers();
    app = express();
    answers.keep(app);
    app.use((_request, response, next) => {
      answers.add(response);
      next();
    });
    server = createServer(app).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => new Promise((closed) => server.close(closed)));

  it('are the last of their connections from then on, those under way too', async () => {
    let slow!: Response;
    const arrived = new Promise<void>((resolve) =>
      app.get('/slow', (_request, response) => {
        slow = response;
        resolve();
      }),
    );
    app.get('/quick', (_request, response) => void response.send('quick'));
    const pending = fetch(`${base}/slow`);
    await arrived;
    answers.leave();
    const settled = answers.settled(new AbortController().signal).then(() => 'settled');
    expect((await fetch(`${base}/quick`)).headers.get('connection')).toBe('close');
    expect(await Promise.race([settled, sleep(60, 'waits')])).toBe('waits');
    slow.send('slow');
    const answer = await pending;
    expect([answer.headers.get('connection'), await answer.text()]).toEqual(['close', 'slow']);
    expect(await settled).toBe('settled');
  });

  it('do not wait for followers, who are sent elsewhere at an end of their answer', async () => {
    app.get(
      '/events',
      (_request, response) => void writeNumberedEvents(response, {}, new AbortController().signal, endless),
    );
    const followed = await fetch(`${base}/events`);
    answers.leave();
    await answers.settled(new AbortController().signal);
    answers.endFollowers();
    expect(await followed.text()).toBe('id: 1\nevent: delta\ndata: {}\n\n');
  });

  it('are waited for no longer than told', async () => {
    const hurry = new AbortController();
    let response!: Response;
    const arrived = new Promise<void>((resolve) =>
      app.get('/never', (_request, given) => {
        response = given;
        resolve();
      }),
    );
    const pending = fetch(`${base}/never`);
    await arrived;
    hurry.abort();
    await answers.settled(hurry.signal);
    response.end();
    await pending;
  });

  it('come until nobody asks for a while, health checks aside', async () => {
    const asked: number[] = [];
    app.get('/call', (_request, response) => {
      asked.push(performance.now());
      response.end();
    });
    app.get('/readyz/', (_request, response) => void response.end());
    const over = new AbortController();
    const ask = async (path: string, times: number) => {
      for (let n = 0; n < times && !over.signal.aborted; n += 1) {
        await (await fetch(base + path)).text();
        await sleep(20);
      }
    };
    const asking = [ask('/call', 20), ask('/readyz/', Infinity)];
    await ask('/call', 1);
    await answers.unasked(new AbortController().signal);
    const quietAt = performance.now();
    over.abort();
    await Promise.all(asking);
    expect(quietAt - Math.max(...asked.filter((at) => at <= quietAt))).toBeGreaterThan(390);
  });
});
