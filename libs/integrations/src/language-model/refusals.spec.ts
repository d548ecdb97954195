import { EndpointFault, toHttpFault, toModelError } from './endpoint-fault.js';
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

const codeOf = (status: number, body: unknown) =>
  (toModelError(answered(status, body), new AbortController().signal, undefined) as { code: string }).code;

describe('a prompt that is too long', () => {
  it.each<[string, number, unknown]>([
    ['OpenAI', 400, { error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window.' } }],
    ['Anthropic', 400, error('prompt is too long: 213462 tokens > 200000 maximum')],
    ['Anthropic', 400, error('input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000')],
    [
      'Anthropic',
      413,
      { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
    ],
    ['Gemini', 400, error('The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).')],
    ['Gemini', 400, error('The input token count exceeds the maximum number of tokens allowed 1048576.')],
    [
      'xAI',
      400,
      {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
    ],
    ['Groq', 413, error('Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 12000')],
    ['GitHub', 413, error('Request body too large for gpt-4o model. Max size: 8000 tokens.')],
    [
      'Mistral',
      400,
      {
        object: 'error',
        message: 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
      },
    ],
    ['Kimi', 400, error('Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)')],
    ['Qwen', 400, error('<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]')],
    ['Zhipu', 400, { error: { code: '1261', message: 'Prompt exceeds max length' } }],
    ['watsonx', 400, error('the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model')],
    [
      'vLLM',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
      },
    ],
    [
      'vLLM',
      400,
      error(
        'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller',
      ),
    ],
    [
      'Xinference',
      500,
      {
        detail:
          '[address=0.0.0.0:1, pid=1] The decoder prompt (length 66501) is longer than the maximum model length of 65536.',
      },
    ],
    ['SGLang', 400, error('Input length (5000 tokens) exceeds the maximum allowed length (4090 tokens).')],
    [
      'TGI',
      422,
      {
        error:
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens',
        error_type: 'validation',
      },
    ],
    ['TGI', 422, { error: 'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000' }],
    ['llama.cpp', 400, error('the request exceeds the available context size, try increasing it')],
    ['llama.cpp', 500, error('Context size has been exceeded.')],
    ['llama.cpp', 500, error('input is too large to process. increase the physical batch size')],
    [
      'LM Studio',
      400,
      {
        error:
          'Trying to keep the first 5054 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      },
    ],
    ['Ollama', 400, { error: 'prompt too long; exceeded max context length by 12 tokens' }],
    ['TabbyAPI', 422, error('Prompt length 5000 is greater than max_seq_len 4096')],
    ['a proxy', 413, '<html><title>413 Request Entity Too Large</title></html>'],
  ])('of %s (%i) is told apart', (_who, status, body) => {
    expect(codeOf(status, body)).toBe('context_too_long');
  });

  it.each<[string, number, unknown]>([
    ['a limit of requests', 429, error('Too many tokens, please wait before trying again.')],
    [
      'an error that says the question again',
      400,
      error(`Refused: ${JSON.stringify({ messages: [{ content: 'What is a context window?' }] })}`),
    ],
    ['a failure', 500, error('The engine is dead.')],
    ['a lack', 400, error('max_output_tokens is not supported')],
  ])('is not %s', (_what, status, body) => {
    expect(codeOf(status, body)).not.toBe('context_too_long');
  });

  it.each<[string, unknown]>([
    [
      'vLLM',
      error(
        "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 4096 tokens and your request has 22 input tokens (8192 > 4096 - 22).",
      ),
    ],
    ['vLLM', error('max_tokens=8192 cannot be greater than max_model_len=4096. Please request fewer output tokens.')],
    ['llama.cpp', error('max_tokens must be at most 2048: context size 4096')],
  ])('is not the limit of an answer that is too much for %s', (_who, body) => {
    expect(codeOf(400, body)).not.toBe('context_too_long');
    expect(answered(400, body)).toMatchObject({
      refused: expect.arrayContaining(['max_tokens']) as string[],
      isTooMuch: true,
    });
  });
});
