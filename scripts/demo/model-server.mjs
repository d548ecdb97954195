import http from 'node:http';

/**
 * A language model by rote, at an address that speaks the protocol of OpenAI: it reckons, mails the sum, and says so.
 * @returns {Promise<{ url: string, close(): void }>}
 */
export async function startModelServer() {
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => answer(JSON.parse(body || '{}'), response));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What it says next: by what its tools have told since the last message of a person. */
function nextStep({ messages = [], tools = [] }) {
  // Titles and memories are asked for without tools, and not needed here.
  if (tools.length === 0) return { content: '{}' };
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const results = messages.slice(asked).filter(({ role }) => role === 'tool');
  if (results.length === 0)
    return call('code', { code: 'return items.reduce((sum, item) => sum + item, 0);', items: [120, 75, 40] });
  const sum = /"result":\s*(\d+)/.exec(String(results[0].content))?.[1] ?? 'unknown';
  const text = `This week's expenses come to ${sum} euros.`;
  if (results.length === 1) return call('send_email', { to: 'office@larkspur.example', subject: 'Expenses', text });
  return { content: `${text} The office has the mail.` };
}

const call = (name, input) => ({
  tool_calls: [
    { index: 0, id: `call_${name}`, type: 'function', function: { name, arguments: JSON.stringify(input) } },
  ],
});

function answer(request, response) {
  const message = nextStep(request);
  const finish_reason = message.tool_calls ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 200, completion_tokens: 20, total_tokens: 220 };
  const about = { id: 'demo', created: 0, model: request.model ?? 'by-rote' };
  if (!request.stream) {
    response.setHeader('content-type', 'application/json');
    const choice = { index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason };
    response.end(JSON.stringify({ ...about, object: 'chat.completion', choices: [choice], usage }));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const send = (choices, more = {}) =>
    response.write(`data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
  // Word by word, as a model speaks.
  const pieces = message.content ? message.content.match(/\S+\s*/g).map((content) => ({ content })) : [message];
  for (const piece of pieces) send([{ index: 0, delta: { role: 'assistant', ...piece }, finish_reason: null }]);
  send([{ index: 0, delta: {}, finish_reason }], { usage });
  response.end('data: [DONE]\n\n');
}
