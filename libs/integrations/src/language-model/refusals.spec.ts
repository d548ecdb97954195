import { EndpointFault, toHttpFault } from './endpoint-fault.js';
import type { Refusal } from './refusals.js';

const answered = (status: number, body: unknown): EndpointFault =>
  toHttpFault({ status, headers: {}, text: typeof body === 'string' ? body : JSON.stringify(body) });
const error = (message: string, param: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param },
});

/** As the servers of today write them. */
const REFUSED: [string, number, unknown, Refusal[]][] = [
  [
    'OpenAI',
    400,
    error(
      "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
      'temperature',
    ),
    ['temperature'],
  ],
  [
    'OpenAI',
    400,
    error(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
    ),
    ['max_tokens'],
  ],
  ['OpenAI', 400, error('Unrecognized request argument supplied: reasoning_effort'), ['reasoning_effort']],
  [
    'OpenAI',
    400,
    error(
      "Invalid schema for response_format 'response': In context=(), 'additionalProperties' is required to be supplied and to be false.",
      'response_format',
    ),
    ['strict', 'response_format'],
  ],
  [
    'OpenAI',
    400,
    error(
      "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
      'response_format',
    ),
    ['response_format'],
  ],
  ['Azure', 400, error('Unrecognized request argument supplied: stream_options'), ['stream_options']],
  ['Ollama', 400, error('"llama3.2:latest" does not support thinking'), ['reasoning_effort']],
  [
    'Ollama, its own way',
    400,
    { error: 'registry.ollama.ai/library/llama3.2 does not support thinking' },
    ['reasoning_effort'],
  ],
  [
    'vLLM',
    400,
    {
      object: 'error',
      message:
        "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted'}]",
      code: 400,
    },
    ['stream_options'],
  ],
  ['vLLM', 400, { object: 'error', message: 'System role not supported', code: 400 }, ['system']],
  ['vLLM', 400, error('Conversation roles must alternate user/assistant/user/assistant/...'), ['alternation']],
  [
    'LM Studio',
    400,
    { error: "Invalid tool_choice type: 'object'. Supported string values: none, auto, required" },
    ['tool_choice'],
  ],
  [
    'llama.cpp',
    400,
    { error: { code: 400, message: 'Failed to parse grammar', type: 'invalid_request_error' } },
    ['response_format'],
  ],
  [
    'LiteLLM',
    400,
    error(
      "litellm.UnsupportedParamsError: ollama does not support parameters: ['reasoning_effort', 'temperature'], for model=x",
    ),
    ['temperature', 'reasoning_effort'],
  ],
  [
    'Mistral',
    422,
    {
      object: 'error',
      message: {
        detail: [{ type: 'extra_forbidden', loc: ['body', 'reasoning_effort'], msg: 'Extra inputs are not permitted' }],
      },
    },
    ['reasoning_effort'],
  ],
  [
    'Mistral',
    400,
    { object: 'error', message: 'Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.' },
    ['call_ids'],
  ],
  [
    'Groq',
    400,
    error(
      "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
    ),
    ['reasoning_given'],
  ],
  ['Groq', 400, error('`max_tokens` must be less than or equal to `8192`, the maximum value'), ['max_tokens']],
  [
    'Together',
    422,
    error('Input validation error: `response_format` json_schema is not supported'),
    ['response_format'],
  ],
  ['DeepSeek', 400, error('This response_format type is unavailable now'), ['response_format']],
  ['DeepSeek', 400, error('deepseek-reasoner does not support this tool_choice'), ['tool_choice']],
  [
    'DeepSeek',
    400,
    error('Missing `reasoning_content` field in the assistant message at message index 2.'),
    ['reasoning_back'],
  ],
  [
    'DeepSeek',
    400,
    error('The `reasoning_content` in the thinking mode must be passed back to the API.'),
    ['reasoning_back'],
  ],
  [
    'Kimi',
    400,
    error('thinking is enabled but reasoning_content is missing in assistant tool call message at index 2'),
    ['reasoning_back'],
  ],
  [
    'Gemini',
    400,
    [
      {
        error: {
          code: 400,
          message: 'Invalid JSON payload received. Unknown name "stream_options": Cannot find field.',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    ['stream_options'],
  ],
  [
    'Gemini',
    400,
    [
      {
        error: {
          code: 400,
          message: 'Function call is missing a thought_signature in functionCall parts.',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    ['signature_back'],
  ],
  [
    'Anthropic',
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' } },
    ['temperature'],
  ],
  [
    'nobody',
    400,
    error(`Refused: ${JSON.stringify({ model: 'm', messages: [{ content: 'temperature must' }], temperature: 0 })}`),
    [],
  ],
  ['nobody', 401, error('temperature is not supported'), []],
];

it.each(REFUSED)('%s answers %i %j: %j', (_who, status, body, refused) => {
  expect(answered(status, body).refused).toEqual(refused);
});

it.each([
  ['registry.ollama.ai/library/gemma:2b does not support tools', 'tools'],
  ['"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', 'tools'],
  ['No endpoints found that support tool use', 'tools'],
  ['No endpoints found that support image input', 'images'],
  ['This model does not support image inputs', 'images'],
  ['Something else', null],
])('%s: lacks %s', (message, lack) => {
  expect(answered(404, error(message)).lack).toBe(lack);
});
