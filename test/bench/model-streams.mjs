// What a piece of a streamed answer costs the process that reads it, by the layer it is read through: CPU of the reading
// process alone, the endpoint is another one.
//   npm run bench -- model-streams [--streams 200] [--pieces 150] [--rate 50]
import { fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '200' },
    pieces: { type: 'string', default: '150' },
    rate: { type: 'string', default: '50' },
  },
});
const [streams, pieces, rate] = [values.streams, values.pieces, values.rate].map(Number);
const here = new URL('.', import.meta.url);
// As libs/integrations sees its packages, and the built libs as the apps see them.
const from = createRequire(new URL('../../libs/integrations/package.json', here));
const load = (name) => import(pathToFileURL(from.resolve(name)).href);
const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible');
const { streamText } = await load('ai');
const { OpenAiLanguageModel } = await import(new URL('../../libs/integrations/dist/index.js', here).href);
const { createLanguageModels, UsageLedger } = await import(new URL('../../libs/models/dist/index.js', here).href);

const server = fork(new URL('support/model-server.mjs', here), [String(pieces), String(rate)]);
const port = await new Promise((resolve) => server.once('message', resolve));
const baseUrl = `http://127.0.0.1:${port}/v1`;
const provider = createOpenAICompatible({ name: 'openai', baseURL: baseUrl, includeUsage: true }).chatModel('m');
const timeouts = { firstTokenSeconds: 60, silenceSeconds: 30, totalSeconds: 120 };
const one = new OpenAiLanguageModel({ baseUrl, model: 'm', timeouts });
const known = { id: 1, name: 'm', value: 'm', provider: '', capability: 'chat', description: null, details: [] };
const limits = { contextWindow: 100_000, maxOutputTokens: null, maxConcurrency: 500, requestsPerMinute: null };
const definition = {
  ...known,
  ...limits,
  onPremises: true,
  baseUrl,
  apiKey: null,
  supports: one.descriptor.supports,
  takesTemperature: true,
  protocol: 'openai',
  accessKeyId: null,
  headers: {},
  extraBody: {},
  price: { input: 1, output: 1, cachedInput: 1 },
  timeouts,
  maxRetries: 2,
  fallback: null,
  isDefault: true,
};
const served = createLanguageModels(
  { list: [definition], defaultId: 1, currency: 'USD' },
  new UsageLedger(null, 'USD'),
);

const messages = [{ role: 'user', content: 'Tell me.' }];
async function count(stream, isText) {
  let read = 0;
  for await (const part of stream) if (isText(part)) read += 1;
  return read;
}
const ways = {
  'bytes of fetch': async () => {
    const headers = { 'content-type': 'application/json' };
    const { body } = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body: '{"stream":true}', headers });
    return count(body, () => true);
  },
  'streamText of the AI SDK': () =>
    count(streamText({ model: provider, messages, onError: () => {} }).fullStream, ({ type }) => type === 'text-delta'),
  'doStream of its provider': async () => {
    const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Tell me.' }] }];
    const { stream } = await provider.doStream({ prompt });
    return count(stream, ({ type }) => type === 'text-delta');
  },
  'OpenAiLanguageModel.streamStep': () => count(one.streamStep({ messages, tools: [] }), ({ type }) => type === 'text'),
  'a model of LanguageModels, streamAnswer': () => count(served.default.streamAnswer({ messages }), () => true),
};

const ideal = (pieces / rate) * 1000;
console.log(`${streams} streams of ${pieces} pieces, ${rate} a second each; ideally ${ideal.toFixed(0)} ms`);
for (const [name, read] of Object.entries(ways)) {
  await read();
  const before = process.cpuUsage();
  const started = performance.now();
  const totals = await Promise.all(Array.from({ length: streams }, read));
  const { user, system } = process.cpuUsage(before);
  const milliseconds = performance.now() - started;
  const micros = (user + system) / totals.reduce((sum, total) => sum + total, 0);
  const share = (user + system) / 10 / milliseconds;
  console.log(
    `${name}: ${micros.toFixed(0)} µs a piece, ${share.toFixed(0)} % of a core, ${milliseconds.toFixed(0)} ms`,
  );
}
server.disconnect();
