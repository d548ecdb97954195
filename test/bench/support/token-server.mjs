// A language model that writes at an even pace, in a process of its own: an endpoint that speaks the OpenAI protocol. Each
// token is the moment at which it was sent, so that a reader can tell how long it was on its way.
//   env: TOKENS (of an answer), PACE (tokens a second). Tells its port by IPC.
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';

const tokens = Number(process.env.TOKENS ?? 500);
const gapMs = 1000 / Number(process.env.PACE ?? 50);
const now = () => performance.timeOrigin + performance.now();
const chunk = (delta, finish = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (piece) => (text += piece));
  request.on('end', () => {
    const body = JSON.parse(text);
    if (!body.stream) {
      const message = { role: 'assistant', content: 'A title' };
      const answer = {
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.socket.setNoDelay(true);
    const started = performance.now();
    let sent = 0;
    const next = () => {
      if (response.destroyed) return;
      if (sent === tokens) {
        const usage = { prompt_tokens: 10, completion_tokens: tokens, total_tokens: tokens + 10 };
        const last = JSON.stringify({
          id: 'c',
          object: 'chat.completion.chunk',
          created: 1,
          model: 'm',
          choices: [],
          usage,
        });
        response.end(`${chunk({}, 'stop')}data: ${last}\n\ndata: [DONE]\n\n`);
        return;
      }
      response.write(chunk({ content: `${now().toFixed(2)} ` }));
      sent += 1;
      setTimeout(next, Math.max(0, started + sent * gapMs - performance.now()));
    };
    next();
  });
});
server.listen(0, '127.0.0.1', () => process.send({ type: 'ready', port: server.address().port }));
