// A model endpoint as a process of its own: `node model-server.mjs <pieces> <per second>`. Sends its port to its parent.
import { createServer } from 'node:http';

const [pieces, perSecond] = process.argv.slice(2).map(Number);
const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', system_fingerprint: 'fp' };
const event = (more) => `data: ${JSON.stringify({ ...head, ...more })}\n\n`;
const piece = event({ choices: [{ index: 0, delta: { content: ' token' }, logprobs: null, finish_reason: null }] });
const usage = { prompt_tokens: 3, completion_tokens: pieces, total_tokens: 3 + pieces };
const end = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) + event({ choices: [], usage });

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let told = 0;
    const timer = setInterval(() => {
      if (told++ < pieces) return void response.write(piece);
      clearInterval(timer);
      response.end(`${end}data: [DONE]\n\n`);
    }, 1000 / perSecond);
    response.on('close', () => clearInterval(timer));
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
