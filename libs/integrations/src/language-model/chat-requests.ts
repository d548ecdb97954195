import { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import { chatStyle, givesThoughts } from './chat-style.js';
import { schemaInstruction } from './json-answer.js';
import type { ModelDescriptor, ModelRequest, StepRequest } from './language-model.port.js';
import { hasUsersInARow, withSystemInside, withUsersMerged } from './message-order.js';
import { toProviderPrompt, toProviderTools } from './provider-prompt.js';
import type { Refusal } from './refusals.js';
import type { RequestTrial } from './request-habits.js';
import { toStrictSchema } from './strict-schema.js';

export type AnyRequest = ModelRequest & Partial<Pick<StepRequest, 'tools' | 'toolChoice'>>;

export interface WrittenRequest {
  body: Record<string, unknown>;
  /** What of it an endpoint may refuse. */
  sent: Refusal[];
}

/** Writes the bodies of requests of the OpenAI protocol, without what the endpoint refuses. The AI SDK's provider knows the messages. */
export class ChatRequests {
  private readonly provider: OpenAICompatibleChatLanguageModel;

  constructor(
    private readonly descriptor: ModelDescriptor,
    private readonly madeBy: string,
    private readonly takesTemperature: boolean,
    /** Members that the operator wants in every body. */
    private readonly extraBody: Readonly<Record<string, unknown>>,
  ) {
    this.provider = new OpenAICompatibleChatLanguageModel(descriptor.value, {
      provider: 'openai',
      url: () => '',
      headers: {},
      supportsStructuredOutputs: true,
    });
  }

  async write(
    request: AnyRequest,
    trial: RequestTrial,
    { schema, isStreamed }: { schema?: Record<string, unknown>; isStreamed: boolean },
  ): Promise<WrittenRequest> {
    const sent: Refusal[] = [];
    const adds = <T extends object>(what: Refusal, isWanted: boolean, fields: T): T | Record<string, never> => {
      if (!isWanted || trial.avoids(what)) return {};
      sent.push(what);
      return fields;
    };
    const { supports } = this.descriptor;
    const isHeld = schema !== undefined && supports.structuredOutput && !trial.avoids('response_format');
    const { tools = [], toolChoice = 'auto' } = request;
    const { temperature, reasoningEffort } = request;
    const call = {
      prompt: this.promptOf(request, trial, sent, isHeld ? undefined : schema),
      ...(tools.length > 0 && { tools: toProviderTools(tools) }),
    };
    const { body } = await this.provider.prepareRequest(call);
    return {
      body: {
        ...body,
        ...adds('temperature', temperature !== undefined && this.takesTemperature, { temperature }),
        ...adds('reasoning_effort', reasoningEffort !== undefined && supports.reasoning, {
          reasoning_effort: reasoningEffort,
        }),
        ...this.limitOf(request, trial, sent),
        ...adds('tool_choice', tools.length > 0, { tool_choice: toolChoice }),
        ...(isHeld && { response_format: formatOf(schema, trial, sent) }),
        ...(isStreamed && { stream: true }),
        ...adds('stream_options', isStreamed, { stream_options: { include_usage: true } }),
        ...this.extraBody,
      },
      sent,
    };
  }

  private promptOf(request: AnyRequest, trial: RequestTrial, sent: Refusal[], told?: Record<string, unknown>) {
    let { messages } = request;
    let system = [request.system, told && schemaInstruction(told)].filter(Boolean).join('\n\n') || undefined;
    if (system !== undefined) {
      if (trial.avoids('system')) {
        messages = withSystemInside(system, messages);
        system = undefined;
      } else sent.push('system');
    }
    if (trial.avoids('alternation')) messages = withUsersMerged(messages);
    else if (hasUsersInARow(messages)) sent.push('alternation');
    const hasCalls = messages.some((one) => one.role === 'assistant' && (one.toolCalls?.length ?? 0) > 0);
    if (hasCalls) sent.push('call_ids', 'signature_back');
    if (messages.some(({ role }) => role === 'assistant')) sent.push('reasoning_back');
    if (givesThoughts(messages, this.madeBy)) sent.push('reasoning_given');
    return toProviderPrompt(system, messages, chatStyle(this.madeBy, trial));
  }

  /** Under the name by which the endpoint knows it. */
  private limitOf({ maxOutputTokens }: AnyRequest, trial: RequestTrial, sent: Refusal[]): Record<string, number> {
    if (maxOutputTokens === undefined) return {};
    const limit = Math.min(maxOutputTokens, this.descriptor.maxOutputTokens ?? maxOutputTokens);
    const name = (['max_tokens', 'max_completion_tokens'] as const).find((one) => !trial.avoids(one));
    if (name === undefined) return {};
    sent.push(name);
    return { [name]: limit };
  }
}

function formatOf(schema: Record<string, unknown>, trial: RequestTrial, sent: Refusal[]) {
  sent.push('response_format');
  const held = trial.avoids('strict') ? null : toStrictSchema(schema);
  if (held !== null) sent.push('strict');
  const { $schema: _, ...plain } = schema;
  const form = held === null ? { schema: plain } : { schema: held, strict: true };
  return { type: 'json_schema', json_schema: { name: 'response', ...form } };
}
