import type { LanguageModel } from '@app/integrations';
import { type LanguageModelPort, type LanguageModelRequest, ToolError, type Viewer } from '@app/workflows';
import { asToolError } from './as-tool-error.js';

/** The configured language model as tools see it. */
export class ConfiguredLanguageModel implements LanguageModelPort {
  constructor(private readonly model: LanguageModel) {}

  async generate(_viewer: Viewer, request: LanguageModelRequest, { signal }: { signal: AbortSignal }) {
    const { system, prompt, model, temperature, maxOutputTokens, outputSchema } = request;
    const { value } = this.model.descriptor;
    if (model && model !== value)
      throw new ToolError('unknown_model', `This deployment has the model ${value}, not ${model}.`, false);
    return asToolError(
      this.model.generate({
        messages: [{ role: 'user', content: prompt }],
        signal,
        ...(system && { system }),
        ...(temperature !== undefined && { temperature }),
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
        ...(outputSchema && { outputSchema }),
      }),
    );
  }
}
