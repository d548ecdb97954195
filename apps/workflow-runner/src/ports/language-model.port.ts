import type { AnswerStream, GeneratedAnswer, LanguageModel, ModelRequest } from '@app/integrations';
import { type LanguageModelPort, type LanguageModelRequest, ToolError, type Viewer } from '@app/workflows';
import { asToolError } from './as-tool-error.js';

/** The configured language model as tools see it. */
export class ConfiguredLanguageModel implements LanguageModelPort {
  constructor(private readonly model: LanguageModel) {}

  async generate(
    _viewer: Viewer,
    request: LanguageModelRequest,
    { signal, onText }: { signal: AbortSignal; onText?(text: string): void },
  ): Promise<GeneratedAnswer> {
    const { system, prompt, model, temperature, maxOutputTokens, outputSchema } = request;
    const { value } = this.model.descriptor;
    if (model && model !== value)
      throw new ToolError('unknown_model', `This deployment has the model ${value}, not ${model}.`, false);
    const call: ModelRequest = {
      messages: [{ role: 'user', content: prompt }],
      signal,
      ...(system && { system }),
      ...(temperature !== undefined && { temperature }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    };
    if (onText && !outputSchema) return asToolError(this.readAloud(this.model.streamAnswer(call), onText));
    return asToolError(this.model.generate({ ...call, ...(outputSchema && { outputSchema }) }));
  }

  private async readAloud(stream: AnswerStream, onText: (text: string) => void): Promise<GeneratedAnswer> {
    let text = '';
    for await (const piece of stream) {
      text += piece;
      onText(text);
    }
    const usage = stream.usage() ?? { promptTokens: 0, completionTokens: 0 };
    return { text, model: this.model.descriptor.value, ...usage };
  }
}
