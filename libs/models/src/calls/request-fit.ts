import { InvalidRequestError } from '@app/common';
import type { ModelDescriptor, ModelRequest, ModelTool } from '@app/integrations';
import { estimatePromptTokens } from './token-estimate.js';

/** Only what is too long beyond doubt is refused here: the endpoint counts exactly. */
const CERTAINTY = 0.8;

/** Why the model cannot take the request; null when it can. */
export function misfitOf(
  { contextWindow, supports }: ModelDescriptor,
  request: ModelRequest & { tools?: readonly ModelTool[] },
): InvalidRequestError | null {
  if ((request.tools?.length ?? 0) > 0 && !supports.tools)
    return new InvalidRequestError('This model cannot work with tools.', { code: 'model_lacks_tools' });
  const types = request.messages.flatMap((message) =>
    message.role === 'user' ? (message.images ?? []).map(({ mediaType }) => mediaType) : [],
  );
  if (types.includes('application/pdf') && !supports.documents)
    return new InvalidRequestError('This model cannot read PDF files.', { code: 'model_lacks_documents' });
  if (types.some((type) => type !== 'application/pdf') && !supports.images)
    return new InvalidRequestError('This model cannot look at images.', { code: 'model_lacks_images' });
  const tokens = contextWindow === null ? 0 : estimatePromptTokens(request);
  if (contextWindow !== null && tokens * CERTAINTY > contextWindow)
    return new InvalidRequestError(
      `This is more than the model can read at once: about ${count(tokens)} tokens, where prompt and answer may have ${count(contextWindow)} together.`,
      { code: 'context_too_long' },
    );
  return null;
}

const count = (tokens: number) => tokens.toLocaleString('en');
