import { randomBytes } from 'node:crypto';
import { isDictionary, keepNumber } from '@app/common';
import { type ModelMessage, type ModelTool, NO_NAME, NO_SUCH_TOOL, type ToolCall } from './language-model.port.js';
import type { TextCall } from './text-call-forms.js';
import { toToolInput, toToolSchema } from './tool-schema.js';
import { toTypedValue } from './typed-value.js';

const MAX_ID_LENGTH = 128;
/** Goes back to the endpoint with the conversation, and endpoints refuse a name that is none. */
const UNNAMED = 'unnamed';
/** In a call that cannot be read as JSON. */
const NAME = /"name"\s{0,9}:\s{0,9}"([a-zA-Z0-9_-]{1,64})"/;

/** Letters of marks, as JSON and HTML write them. */
const ESCAPED: Record<string, string> = {
  '3c': '<',
  '3e': '>',
  '22': '"',
  '26': '&',
  lt: '<',
  gt: '>',
  quot: '"',
  amp: '&',
};

/** Without what a model leaves out or puts in when it quotes: blanks, escapes, fences, and the tokens of its kind. */
const plain = (text: string) =>
  text
    .replaceAll(
      /\\u00(3c|3e|22|26)|&(lt|gt|quot|amp);/gi,
      (_, code?: string, name?: string) => ESCAPED[(code ?? name ?? '').toLowerCase()]!,
    )
    .replaceAll(
      /\\+[nrt]|[\s\\`]+|<[|｜][\w▁]{1,40}[|｜]>|\[(?:ARGS|TOOL_CALLS)\]|\[CALL_ID\][a-zA-Z0-9_-]{0,128}/g,
      '',
    );

/** Reads the calls of one step: whatever a model writes becomes a call that can be carried out, or one with a problem. */
export class ToolCallReading {
  private readonly known: ReadonlyMap<string, Record<string, unknown>>;
  private readonly taken: Set<string>;
  /** What the model was given to read, once it was asked for. */
  private given: string | null = null;

  /** @param messages the conversation so far, whose calls have ids already */
  constructor(
    tools: readonly Pick<ModelTool, 'name' | 'inputSchema'>[],
    private readonly messages: readonly ModelMessage[],
  ) {
    this.known = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]));
    const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
    this.taken = new Set(calls.map(({ id }) => id));
  }

  /** Whether there is anything that could be called. */
  get offersTools(): boolean {
    return this.known.size > 0;
  }

  /** Whether what users, files and tools said holds the same, however it is escaped and broken into lines. */
  isQuoted(written: string): boolean {
    this.given ??= plain(
      this.messages
        .map((message) => {
          if (message.role === 'tool') return message.outcomes.map(({ output }) => output).join('\n');
          return message.role === 'user' ? message.content : '';
        })
        .join('\n'),
    );
    return this.given.includes(plain(written));
  }

  /** @param written the arguments, as the model wrote them */
  read(id: string, name: string, written: string): ToolCall {
    return this.toCall(id, name, parseArguments(written));
  }

  /** A call that stands in the text. */
  readText(call: TextCall): ToolCall {
    if ('object' in call) return this.readObject(call.object);
    if ('problem' in call) return { ...this.toCall('', call.name, {}), problem: call.problem };
    if ('json' in call) return this.toCall('', call.name, parseArguments(call.json));
    const schema = this.known.get(call.name);
    const known = schema === undefined ? {} : toToolSchema(schema).schema;
    const input = call.values.map(([key, value]): [string, unknown] => [key, toTypedValue(known, key, value)]);
    return this.toCall('', call.name, Object.fromEntries(input.filter(([key]) => key !== '__proto__')));
  }

  /** @param written `{"name": …, "arguments": {…}}` */
  private readObject(written: string): ToolCall {
    const said = parseArguments(written);
    // As the protocol has it: `{"type": "function", "function": {…}}`.
    const call = said !== null && isDictionary(said.function) ? said.function : said;
    if (call === null) return this.toCall('', NAME.exec(written)?.[1] ?? '', null);
    const { name, arguments: given = call.parameters ?? {} } = call;
    const input = typeof given === 'string' ? parseArguments(given) : isDictionary(given) ? given : null;
    return this.toCall('', typeof name === 'string' ? name : '', input);
  }

  /** @param input null: it is no JSON object */
  private toCall(givenId: string, givenName: string, input: Record<string, unknown> | null): ToolCall {
    const id = this.ownId(givenId);
    const name = givenName.trim();
    if (name === '') return { id, name: UNNAMED, input: {}, problem: NO_NAME };
    if (input === null) return { id, name, input: {}, problem: 'The arguments are not a JSON object.' };
    const schema = this.known.get(name);
    if (schema === undefined) return { id, name, input, problem: NO_SUCH_TOOL };
    return { id, name, input: toToolInput(toToolSchema(schema), input) };
  }

  /** Some endpoints count their ids from 0 in every answer, or leave them out. */
  private ownId(id: string): string {
    const isUsable = id !== '' && id.length <= MAX_ID_LENGTH && !this.taken.has(id);
    const own = isUsable ? id : `call_${randomBytes(12).toString('hex')}`;
    this.taken.add(own);
    return own;
  }
}

/**
 * No arguments at all are an empty object: some models leave the braces out. Others write the object as JSON twice, a text
 * in which it stands.
 */
function parseArguments(written: string, isTwice = false): Record<string, unknown> | null {
  if (written.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(written, asWritten);
    if (typeof value === 'string' && !isTwice) return parseArguments(value, true);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Without a key that changes what other code sees of every object, once it is copied; large numbers stay as written. */
function asWritten(key: string, value: unknown, context?: { source?: string }): unknown {
  return key === '__proto__' ? undefined : keepNumber(key, value, context);
}
