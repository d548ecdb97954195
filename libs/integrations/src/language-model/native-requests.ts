import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { AnyRequest } from './chat-requests.js';
import { schemaInstruction } from './json-answer.js';
import type { ModelDescriptor } from './language-model.port.js';
import type { NativeProtocol } from './native-provider.js';
import { nativeStyle } from './native-style.js';
import { hasOnlyOwnSteps } from './provider-data.js';
import { type ProviderCall, toProviderPrompt, toProviderTools } from './provider-prompt.js';
import type { Refusal } from './refusals.js';
import type { RequestTrial } from './request-habits.js';
import { toStrictSchema } from './strict-schema.js';

export interface WrittenCall {
  call: ProviderCall;
  sent: Refusal[];
}

/** Up to here a prompt is kept in the endpoint's cache; others do it unasked. */
const BREAKPOINTS: Partial<Record<NativeProtocol, SharedV4ProviderOptions>> = {
  anthropic: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  bedrock: { bedrock: { cachePoint: { type: 'default' } } },
};
/** A step may be longer than what a vendor looks back for the last breakpoint, so there are two. */
const BREAKPOINTS_IN_MESSAGES = 2;
/** Those whose thoughts have to be signed by themselves before each call of the step that is being worked on. */
const SIGNED = new Set<NativeProtocol>(['anthropic', 'bedrock']);

/** Writes calls of the AI SDK's providers, without what the endpoint refuses. */
export class NativeRequests {
  constructor(
    private readonly protocol: NativeProtocol,
    private readonly descriptor: ModelDescriptor,
    private readonly madeBy: string,
    private readonly takesTemperature: boolean,
  ) {}

  write(
    request: AnyRequest,
    trial: RequestTrial,
    abortSignal: AbortSignal,
    schema?: Record<string, unknown>,
  ): WrittenCall {
    const sent: Refusal[] = [];
    const wants = (what: Refusal, isWanted: boolean) => {
      const isSent = isWanted && !trial.avoids(what);
      if (isSent) sent.push(what);
      return isSent;
    };
    const { tools = [], toolChoice = 'auto', temperature, maxOutputTokens, messages } = request;
    const { supports } = this.descriptor;
    const held = schema && supports.structuredOutput ? this.formOf(schema) : null;
    const isHeld = held !== null && wants('response_format', true);
    const told = schema && !isHeld ? schemaInstruction(schema) : undefined;
    const system = [request.system, told].filter(Boolean).join('\n\n') || undefined;
    if (messages.some((one) => one.role === 'assistant' && (one.toolCalls?.length ?? 0) > 0))
      sent.push('signature_back');
    const prompt = toProviderPrompt(system, messages, nativeStyle(this.madeBy, trial));
    const isCached = tools.length > 0 && BREAKPOINTS[this.protocol] !== undefined && wants('cache_control', true);
    const most = this.descriptor.maxOutputTokens;
    const call: ProviderCall = {
      prompt: isCached ? withBreakpoints(prompt, BREAKPOINTS[this.protocol]!) : prompt,
      abortSignal,
      ...(wants('temperature', temperature !== undefined && this.takesTemperature) && { temperature: temperature! }),
      ...(maxOutputTokens !== undefined &&
        wants('max_tokens', true) && { maxOutputTokens: Math.min(maxOutputTokens, most ?? maxOutputTokens) }),
      ...(tools.length > 0 && { tools: toProviderTools(tools) }),
      ...(wants('tool_choice', tools.length > 0) && { toolChoice: { type: toolChoice } }),
      ...(isHeld && { responseFormat: { type: 'json' as const, name: 'response', schema: held.schema } }),
      ...this.reasoningOf(request, isHeld, wants),
      providerOptions: optionsOf(this.protocol, held?.isStrict ?? true),
    };
    return { call, sent };
  }

  /** Thoughts may not begin in the middle of steps that another model took, or go with a form that is forced. */
  private reasoningOf(
    { reasoningEffort, messages }: AnyRequest,
    isHeld: boolean,
    wants: (what: Refusal, isWanted: boolean) => boolean,
  ): Pick<ProviderCall, 'reasoning'> {
    const isSigned = SIGNED.has(this.protocol);
    const isPossible = !isSigned || (!isHeld && hasOnlyOwnSteps(messages, this.madeBy));
    const isWanted = reasoningEffort !== undefined && this.descriptor.supports.reasoning && isPossible;
    return wants('reasoning_effort', isWanted) ? { reasoning: reasoningEffort! } : {};
  }

  /** Null: it has to be said in words. */
  private formOf(schema: Record<string, unknown>): { schema: Record<string, unknown>; isStrict: boolean } | null {
    const { $schema: _, ...plain } = schema;
    const held = toStrictSchema(schema);
    if (this.protocol === 'gemini') return { schema: plain, isStrict: false };
    if (held !== null) return { schema: held, isStrict: true };
    return this.protocol === 'anthropic' ? null : { schema: plain, isStrict: false };
  }
}

function optionsOf(protocol: NativeProtocol, isStrict: boolean): SharedV4ProviderOptions {
  // Nothing of a conversation stays with the vendor: thoughts come back encrypted, and go along.
  if (protocol !== 'openai-responses') return {};
  return { openai: { store: false, include: ['reasoning.encrypted_content'], strictJsonSchema: isStrict } };
}

function withBreakpoints(prompt: LanguageModelV4Prompt, options: SharedV4ProviderOptions): LanguageModelV4Prompt {
  const asked = prompt.flatMap(({ role }, index) => (role === 'user' || role === 'tool' ? [index] : []));
  const chosen = new Set(asked.slice(-BREAKPOINTS_IN_MESSAGES));
  return prompt.map((message, index) =>
    message.role === 'system' || chosen.has(index)
      ? { ...message, providerOptions: { ...message.providerOptions, ...options } }
      : message,
  );
}
