import { READ_RESULT, type ResultStore } from '../kept-results/index.js';
import { readResult, type ResultReading } from '../kept-results/read-result.js';
import { toResultValue } from '../kept-results/result-value.js';
import { type AgentTool, ToolCallError } from './tool.js';

/** What one reading shows at most: it is never so long that it would be kept itself. */
const MOST_READ = 6_000;
const READ_SHARE = 0.5;
const MAX_RESULTS = 5;

/** Lets a model read on in what was too long to be shown. @param shown characters that a result may take */
export function readResultTool(store: ResultStore, shown: number): AgentTool {
  const characters = Math.min(MOST_READ, Math.floor(shown * READ_SHARE));
  return {
    name: READ_RESULT,
    title: 'Read on in a result',
    description:
      'Reads on in a long result of an earlier call that was kept under a handle (r_…). search finds the parts that have the words, the quickest way to one fact; path goes into JSON; offset and limit read on in order. Not for files or documents: those have tools of their own.',
    inputSchema: {
      type: 'object',
      properties: {
        result: { type: 'string', description: 'The handle.' },
        search: {
          type: 'string',
          description: 'Telling words that stand near what you look for, in the language of the result.',
        },
        path: {
          type: 'string',
          description:
            'JSON Pointer into a structured result, like /items/3/name; * stands for every member: /items/*/name.',
        },
        offset: { type: 'integer', minimum: 0, description: 'Lines, items or hits to skip.' },
        limit: { type: 'integer', minimum: 1, description: 'How many at most.' },
        unit: { type: 'string', enum: ['lines', 'characters'], description: 'What offset and limit count in text.' },
      },
      required: ['result'],
      additionalProperties: false,
    },
    effectsOf: () => 'none',
    approvalFor: () => null,
    run: async (input, { signal }) => {
      const { text } = await find(store, input.result);
      return { output: await readResult(text, toReading(input), characters, signal) };
    },
  };
}

/** The same tool, which gets kept results as `params`, without the model having to write them out again. */
export function withResults(tool: AgentTool, store: ResultStore): AgentTool {
  const { properties = {} } = tool.inputSchema as { properties?: Record<string, unknown> };
  const results = {
    type: 'array',
    items: { type: 'string' },
    maxItems: MAX_RESULTS,
    description:
      'Handles of kept results (r_…): the code finds each whole as params[handle], JSON already parsed, everything else as text.',
  };
  return {
    ...tool,
    inputSchema: { ...tool.inputSchema, properties: { ...properties, results } },
    run: async ({ results: handles, ...input }, context) => {
      if (handles === undefined || handles === null) return tool.run(input, context);
      if (!Array.isArray(handles) || handles.length > MAX_RESULTS)
        throw mistake(`results: Give at most ${MAX_RESULTS} handles as a list.`);
      const entries: [string, unknown][] = [];
      for (const handle of handles as unknown[]) {
        const value = toResultValue((await find(store, handle)).text);
        entries.push([String(handle), value.kind === 'json' ? value.value : value.text]);
      }
      const params = typeof input.params === 'object' ? input.params : {};
      return tool.run({ ...input, params: { ...params, ...Object.fromEntries(entries) } }, context);
    },
  };
}

async function find(store: ResultStore, handle: unknown) {
  const name = typeof handle === 'string' ? /r_[0-9a-f]{8}/.exec(handle)?.[0] : undefined;
  const result = name === undefined ? null : await store.find(name);
  if (!result) throw mistake('There is no kept result of this handle, or it is kept no longer: make the call again.');
  return result;
}

function toReading({ path, search, offset, limit, unit }: Record<string, unknown>): ResultReading {
  const [skipped, most] = [toNumber(offset, 0), toNumber(limit, 1)];
  return {
    ...(typeof path === 'string' && { path }),
    ...(typeof search === 'string' && { search }),
    ...(skipped !== undefined && { offset: skipped }),
    ...(most !== undefined && { limit: most }),
    ...(unit === 'characters' && { unit }),
  };
}

function toNumber(value: unknown, least: number): number | undefined {
  const given = typeof value === 'string' ? Number(value) : value;
  return typeof given === 'number' && Number.isSafeInteger(given) && given >= least ? given : undefined;
}

function mistake(message: string): ToolCallError {
  return new ToolCallError('invalid_params', message, true);
}
