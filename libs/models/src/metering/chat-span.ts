import type { ModelDefinition } from '@app/config';
import type { ModelRequest, ModelTool, StepEnd, TokenUsage } from '@app/integrations';
import { openSpan, type OpenSpan } from '@app/observability';
import type { Attempt } from './observed-call.js';

/**
 * One try of a call for operators, by the conventions of OpenTelemetry for generative AI. Attributes hold numbers and
 * names of the configuration: never what was asked, answered or passed to tools.
 */
export function openChatSpan(
  { value, provider }: Pick<ModelDefinition, 'value' | 'provider'>,
  { maxOutputTokens, temperature, tools, usage }: ModelRequest & { tools?: readonly ModelTool[] },
  { attempt, asked }: Attempt,
): OpenSpan | null {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': value,
    'gen_ai.provider.name': provider,
    ...(maxOutputTokens !== undefined && { 'gen_ai.request.max_tokens': maxOutputTokens }),
    ...(temperature !== undefined && { 'gen_ai.request.temperature': temperature }),
    ...(usage && { 'atrium.purpose': usage.purpose }),
    ...(tools && { 'atrium.tools': tools.length }),
    'atrium.attempt': attempt,
    ...(asked !== value && { 'atrium.stands_in_for': asked }),
  };
  return openSpan(`chat ${value}`, { kind: 'client', attributes });
}

export function endChatSpan(
  span: OpenSpan | null,
  {
    model,
    usage,
    reason,
    firstTokenMs,
    failure,
  }: {
    model: string;
    usage: TokenUsage;
    reason: StepEnd['reason'] | null;
    firstTokenMs: number | null;
    /** The code that clients see. */
    failure: string | undefined;
  },
): void {
  if (!span) return;
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens } = usage;
  span.set({
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': promptTokens,
    'gen_ai.usage.output_tokens': completionTokens,
    ...(cachedTokens !== undefined && { 'gen_ai.usage.cache_read.input_tokens': cachedTokens }),
    ...(cacheWriteTokens !== undefined && { 'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens }),
    ...(reason !== null && { 'gen_ai.response.finish_reasons': [reason] }),
    // Seconds, as the convention has it.
    ...(firstTokenMs !== null && { 'gen_ai.response.time_to_first_chunk': firstTokenMs / 1000 }),
    ...(failure !== undefined && { 'error.type': failure }),
  });
  span.end(failure);
}
