import { UnavailableError } from '@app/common';
import {
  LanguageModel,
  type AnswerStream,
  type GeneratedAnswer,
  type ModelDescriptor,
  type StepStream,
} from './language-model.port.js';

/** Stands in where no endpoint is configured, so that callers can ask `available` instead of for null. */
export class NoLanguageModel extends LanguageModel {
  readonly available = false;
  readonly descriptor: ModelDescriptor = {
    id: 1,
    name: 'Atrium quoting model',
    value: 'quoting',
    provider: 'embedded',
    capability: 'chat',
    onPremises: true,
    contextWindow: null,
    maxOutputTokens: null,
    supports: { tools: false, structuredOutput: false, images: false, reasoning: false },
  };

  streamAnswer(): AnswerStream {
    throw notConfigured();
  }

  streamStep(): StepStream {
    throw notConfigured();
  }

  generate(): Promise<GeneratedAnswer> {
    return Promise.reject(notConfigured());
  }
}

function notConfigured(): UnavailableError {
  return new UnavailableError('No language model is configured.', { code: 'model_not_configured' });
}
