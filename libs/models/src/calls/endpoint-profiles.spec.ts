import { loadConfig } from '@app/config';
import type { LanguageModel, ModelTool, StepPart } from '@app/integrations';
import { Logger } from '@nestjs/common';
import { hash } from 'node:crypto';
import { z } from 'zod';
import { AnthropicDouble } from '../../../../test/support/vendors/anthropic-double.js';
import { ChatDouble } from '../../../../test/support/vendors/chat-double.js';
import { CHAT_PROFILES } from '../../../../test/support/vendors/chat-profiles.js';
import { GeminiDouble } from '../../../../test/support/vendors/gemini-double.js';
import { ResponsesDouble } from '../../../../test/support/vendors/responses-double.js';
import type { VendorDouble } from '../../../../test/support/vendors/vendor-double.js';
import { createLanguageModels } from '../create-models.js';
import { UsageLedger } from '../metering/usage-ledger.js';

/** Twelve kinds of servers and four protocols, each asked by all who ask models: all get their answer, whatever is refused at first. */
const DOUBLES: (() => VendorDouble)[] = [
  ...CHAT_PROFILES.map((profile) => () => new ChatDouble(profile)),
  () => new AnthropicDouble(),
  () => Object.assign(new AnthropicDouble(), { refusesTemperature: true }),
  () => new GeminiDouble(),
  () => new ResponsesDouble(),
];

const messages = [{ role: 'user' as const, content: 'What is it about?' }];
const conversation = [
  ...messages,
  { role: 'assistant' as const, content: 'Pumps.' },
  { role: 'user' as const, content: 'Which?' },
];
const system = 'You are helpful.';
const look: ModelTool = {
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { at: { type: 'integer' } }, required: ['at'] },
};
const judgement = z.object({ facts: z.array(z.object({ text: z.string().max(300), replaces: z.int().nullable() })) });
const plan = z.object({ sql: z.string().min(1), note: z.string().optional() });
const workflow = z.object({
  nodes: z.array(z.object({ id: z.string(), params: z.record(z.string(), z.unknown()) })),
});
/** As somebody may write it in a node. */
const loose = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 2 }, zip: { type: 'string' } },
  required: ['city'],
};

type Caller = (model: LanguageModel, double: VendorDouble) => Promise<void>;

const text =
  (more: object): Caller =>
  async (model, double) => {
    double.says = 'Pumps.';
    expect((await model.generate({ system, messages, ...more })).text).toBe('Pumps.');
  };
const streamed =
  (more: object): Caller =>
  async (model, double) => {
    double.says = 'Pumps and valves.';
    let told = '';
    for await (const piece of model.streamAnswer({ system, messages, ...more })) told += piece;
    expect(told).toBe('Pumps and valves.');
  };
const object =
  (outputSchema: Record<string, unknown>, answer: object, more: object): Caller =>
  async (model, double) => {
    double.says = JSON.stringify(answer);
    expect((await model.generate({ system, messages, outputSchema, ...more })).object).toEqual(answer);
  };
const step: Caller = async (model) => {
  const parts: StepPart[] = [];
  const request = { system, messages, tools: [look], toolChoice: 'auto' as const, reasoningEffort: 'low' as const };
  for await (const part of model.streamStep({ ...request, maxOutputTokens: 16_000 })) parts.push(part);
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool_call' }));
};

const CALLERS: Record<string, Caller> = {
  title: text({ reasoningEffort: 'low', maxOutputTokens: 400 }),
  memory: object(
    z.toJSONSchema(judgement),
    { facts: [{ text: 'Has pumps.', replaces: null }] },
    { reasoningEffort: 'low' },
  ),
  summary: text({ maxOutputTokens: 1200 }),
  'agent step': step,
  'document answer': streamed({ messages: conversation }),
  'table answer': object(z.toJSONSchema(plan), { sql: 'SELECT 1' }, { temperature: 0 }),
  'prompt node': streamed({ temperature: 0.4, maxOutputTokens: 500 }),
  'structured node': object(loose, { city: 'Bonn' }, { temperature: 0, maxOutputTokens: 500 }),
  authoring: object(z.toJSONSchema(workflow), { nodes: [{ id: 'a', params: { x: 1 } }] }, { temperature: 0 }),
};

function modelOf(double: VendorDouble): LanguageModel {
  const { models } = loadConfig({
    DATABASE_URL: 'postgres://localhost/atrium',
    REDIS_URL: 'redis://localhost',
    SECRETS_KEY: hash('sha256', 'a key of tests', 'base64'),
    LLM_MODELS: JSON.stringify([{ id: 1, name: 'One', max_retries: 0, ...double.definition() }]),
  });
  return createLanguageModels(models, new UsageLedger(null, 'USD')).default;
}

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['error', 'warn', 'log']));

describe.each(DOUBLES.map((make) => [make().name, make] as const))('%s', (_name, make) => {
  const double = make();
  let model: LanguageModel;
  beforeAll(async () => {
    await double.start();
    model = modelOf(double);
  });
  afterAll(() => double.stop());

  it.each(Object.entries(CALLERS))('answers: %s', async (_caller, ask) => {
    await ask(model, double);
  });

  it('was not asked again for what it had refused', async () => {
    // Each refusal is of another field.
    const refused = double.refusals.length;
    expect(refused).toBeLessThanOrEqual(4);
    expect(new Set(double.refusals).size).toBe(refused);
    for (const ask of Object.values(CALLERS)) await ask(model, double);
    expect(double.refusals).toHaveLength(refused);
  });
});
