import type { ChatMessage, ChatProfile, ChatRequest } from './chat-double.js';

const error = (message: string, param: string | null = null, status = 400) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param, code: null } },
});
const usersInARow = (messages: readonly ChatMessage[]) =>
  messages.some(({ role }, at) => role === 'user' && messages[at - 1]?.role === 'user');
const thinksAloud = (asked: ChatRequest) =>
  asked.messages.findIndex((one) => one.role === 'assistant' && (one.reasoning_content ?? one.reasoning) !== undefined);

/** Twelve kinds of servers, with the words in which they refuse what they do not know. */
export const CHAT_PROFILES: readonly ChatProfile[] = [
  {
    name: 'openai-gpt-5',
    refuses: ({ temperature, max_tokens: limit }) => {
      if (temperature !== undefined && temperature !== 1)
        return error(
          "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
          'temperature',
        );
      if (limit !== undefined)
        return error(
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          'max_tokens',
        );
      return null;
    },
  },
  {
    name: 'azure-2024-06',
    refuses: ({ stream_options: options, reasoning_effort: effort, response_format: format }) => {
      if (options) return error('Unrecognized request argument supplied: stream_options');
      if (effort) return error('Unrecognized request argument supplied: reasoning_effort');
      if (format)
        return error(
          "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
          'response_format',
        );
      return null;
    },
  },
  {
    name: 'ollama-llama3',
    refuses: ({ reasoning_effort: effort }) => (effort ? error('"llama3.2:latest" does not support thinking') : null),
  },
  {
    name: 'vllm-gemma',
    thoughts: 'think_tags',
    refuses: ({ messages, reasoning_effort: effort }) => {
      if (effort)
        return {
          status: 400,
          body: {
            object: 'error',
            code: 400,
            message:
              "[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort'), 'msg': 'Extra inputs are not permitted', 'input': 'low'}]",
          },
        };
      if (messages[0]!.role === 'system')
        return { status: 400, body: { object: 'error', code: 400, message: 'System role not supported' } };
      if (usersInARow(messages))
        return {
          status: 400,
          body: {
            object: 'error',
            code: 400,
            message: 'Conversation roles must alternate user/assistant/user/assistant/...',
          },
        };
      return null;
    },
  },
  {
    name: 'lm-studio',
    thoughts: 'think_tags',
    refuses: ({ tool_choice: choice }) =>
      choice
        ? { status: 400, body: { error: `Invalid tool_choice: ${choice} is not supported by this engine` } }
        : null,
  },
  {
    name: 'llama-cpp',
    refuses: ({ response_format: format }) =>
      format
        ? {
            status: 400,
            body: { error: { code: 400, message: 'Failed to parse grammar', type: 'invalid_request_error' } },
          }
        : null,
  },
  {
    name: 'litellm',
    refuses: ({ reasoning_effort: effort, temperature }) => {
      const names = [...(effort ? ['reasoning_effort'] : []), ...(temperature === undefined ? [] : ['temperature'])];
      return names.length === 0
        ? null
        : error(
            `litellm.UnsupportedParamsError: custom does not support parameters: ${JSON.stringify(names)}, for model=x. To drop these, set \`litellm.drop_params=True\``,
          );
    },
  },
  {
    name: 'openrouter-claude',
    thoughts: 'reasoning_details',
    refuses: ({ response_format: format }) =>
      format?.json_schema.strict ? error('Provider returned error: strict is not supported', null, 404) : null,
  },
  {
    name: 'mistral',
    refuses: ({ stream_options: options, reasoning_effort: effort, messages }) => {
      const loc = options ? 'stream_options' : effort ? 'reasoning_effort' : null;
      if (loc !== null)
        return {
          status: 422,
          body: {
            object: 'error',
            message: {
              detail: [
                { type: 'extra_forbidden', loc: ['body', loc], msg: 'Extra inputs are not permitted', input: {} },
              ],
            },
          },
        };
      const ids = messages
        .flatMap((one) => (one.role === 'assistant' ? (one.tool_calls ?? []) : []))
        .map(({ id }) => id);
      const bad = ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
      if (bad !== undefined)
        return {
          status: 400,
          body: { object: 'error', message: `Tool call id was ${bad} but must be a-z, A-Z, 0-9, with a length of 9.` },
        };
      return null;
    },
  },
  {
    name: 'groq',
    thoughts: 'reasoning_content',
    refuses: (asked) => {
      const { reasoning_effort: effort, response_format: format, max_tokens: limit = 0 } = asked;
      if (effort) return error('`reasoning_effort` is not supported with this model', 'reasoning_effort');
      if (format)
        return error(
          'This model does not support response format `json_schema`. See supported models.',
          'response_format',
        );
      if (limit > 8192)
        return error(
          '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
          'max_tokens',
        );
      const aloud = thinksAloud(asked);
      if (aloud >= 0)
        return error(
          `'messages.${aloud}' : for 'role:assistant' the following must be satisfied[('messages.${aloud}' : property 'reasoning_content' is unsupported)]`,
        );
      return null;
    },
  },
  {
    name: 'deepseek',
    thoughts: 'reasoning_content',
    wantsThoughts: true,
    refuses: ({ response_format: format, tool_choice: choice }) => {
      if (format) return error('This response_format type is unavailable now');
      if (choice) return error('deepseek-reasoner does not support this tool_choice');
      return null;
    },
  },
  {
    name: 'gemini-compat',
    thoughts: 'signature',
    refuses: ({ stream_options: options }) =>
      options
        ? {
            status: 400,
            body: [
              {
                error: {
                  code: 400,
                  message: 'Invalid JSON payload received. Unknown name "stream_options": Cannot find field.',
                  status: 'INVALID_ARGUMENT',
                },
              },
            ],
          }
        : null,
  },
];

export function chatProfile(name: string): ChatProfile {
  return CHAT_PROFILES.find((one) => one.name === name)!;
}
