import type { AnswerStream, GeneratedAnswer, LanguageModel, ModelRequest } from '@app/integrations';
import { isCutShort, type ModelChoice } from '@app/models';
import { type LanguageModelPort, type LanguageModelRequest, ToolError, type Viewer } from '@app/workflow-definition';
import { asToolError } from './as-tool-error.js';
import { toNodeUsage, toUsageContext } from './used-models.js';

type ModelAnswer = Awaited<ReturnType<LanguageModelPort['generate']>>;

/** The language models as tools see them: those of the person for whom the tool works. */
export class ConfiguredLanguageModel implements LanguageModelPort {
  constructor(private readonly models: Pick<ModelChoice, 'choose' | 'findNamed'>) {}

  async generate(
    viewer: Viewer,
    request: LanguageModelRequest,
    { signal, onText }: { signal: AbortSignal; onText?(text: string): void },
  ): Promise<ModelAnswer> {
    const { system, prompt, temperature, maxOutputTokens, outputSchema } = request;
    const model = await this.modelOf(viewer, request.model ?? '');
    const call: ModelRequest = {
      messages: [{ role: 'user', content: prompt }],
      signal,
      usage: toUsageContext(viewer),
      ...(system && { system }),
      ...(temperature !== undefined && { temperature }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    };
    const answer =
      onText && !outputSchema
        ? await asToolError(readAloud(model, model.streamAnswer(call), onText))
        : await asToolError(model.generate({ ...call, ...(outputSchema && { outputSchema }) }));
    return told(answer, model);
  }

  /** What names no model is answered by that of the person for whom it works. */
  private async modelOf({ userId, modelId }: Viewer, name: string): Promise<LanguageModel> {
    const model = name === '' ? await this.models.choose(userId, modelId) : await this.models.findNamed(userId, name);
    if (!model) throw new ToolError('unknown_model', `This deployment has no model ${name}.`, false);
    if (!model.available) throw new ToolError('model_not_configured', 'No language model is configured.', false);
    return model;
  }
}

/**
 * What follows in a workflow cannot tell half an answer, or none, from what was asked for.
 * @throws ToolError for none
 */
function told({ reason, ...given }: GeneratedAnswer, { descriptor }: LanguageModel): ModelAnswer {
  const isBrokenOff = reason === 'content_filter';
  if (given.text.trim() === '') {
    const message = isBrokenOff ? 'The provider of the model refused to answer.' : 'The model gave no answer.';
    throw new ToolError('model_error', message, true, toNodeUsage(given));
  }
  if (isBrokenOff) return { ...given, endedEarly: 'broken_off' };
  const isCut = reason !== undefined && isCutShort({ reason, usage: given }, descriptor.maxOutputTokens);
  return isCut ? { ...given, endedEarly: 'cut' } : given;
}

async function readAloud(
  model: LanguageModel,
  stream: AnswerStream,
  onText: (text: string) => void,
): Promise<GeneratedAnswer> {
  let text = '';
  for await (const piece of stream) {
    text += piece;
    onText(text);
  }
  const usage = stream.usage() ?? { promptTokens: 0, completionTokens: 0 };
  const reason = stream.reason?.() ?? null;
  return { text, model: stream.answeredBy?.() ?? model.descriptor.value, ...usage, ...(reason && { reason }) };
}
