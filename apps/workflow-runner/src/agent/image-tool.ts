import { type AgentTool, ToolCallError } from '@app/agents';
import type { ImageGeneration } from '@app/integrations';
import type { StoragePort } from '@app/workflow-definition';
import { Logger } from '@nestjs/common';
import { z } from 'zod';
import type { TurnCaller } from './catalogue-tools.js';
import { toCallError } from './tool-failure.js';

const NAME = 'generate_image';
const FOLDER = 'agent';
const MAX_PROMPT = 4_000;
const EXTENSIONS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/webp': 'webp' };

const input = z.object({
  prompt: z.string().trim().min(1).max(MAX_PROMPT),
  shape: z.enum(['square', 'landscape', 'portrait']).default('square'),
  name: z.string().trim().max(100).default(''),
});

/**
 * Has a picture made, as a file of the user. Null where no model makes any, and where what is meant for a model on the
 * own machines would leave them.
 */
export function imageTool(
  images: ImageGeneration,
  storage: StoragePort | undefined,
  { viewer, onPremises }: TurnCaller,
): AgentTool | null {
  if (!images.available || !storage || (onPremises && !images.onPremises)) return null;
  const logger = new Logger(NAME);
  return {
    name: NAME,
    title: 'Make a picture',
    description:
      'Makes a picture from a description, which the user gets with the answer. It costs: one at a time, and another only where the user wants one. Not for charts of numbers, which show_chart draws, and not for diagrams with much text.',
    inputSchema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'What is to be seen: motif, style, colours, words in it.' },
        shape: { type: 'string', enum: ['square', 'landscape', 'portrait'] },
        name: { type: 'string', description: 'Of the file, without extension.' },
      },
      required: ['prompt'],
      additionalProperties: false,
    },
    // Made again after a lost worker it takes the place of the first.
    effectsOf: () => 'idempotent',
    approvalFor: () => null,
    run: async (given, { signal, idempotencyKey }) => {
      const parsed = input.safeParse(given);
      if (!parsed.success) throw new ToolCallError('invalid_params', z.prettifyError(parsed.error), true);
      const { prompt, shape, name } = parsed.data;
      try {
        const { userId, turnId } = viewer;
        const usage = { userId, purpose: 'image', ...(turnId !== undefined && { turnId }) };
        const { mediaType, data, model, usage: used } = await images.make({ prompt, shape, signal, usage });
        const file = {
          name: `${FOLDER}/${name.replaceAll(/[/\\]/g, ' ').trim() || 'picture'}.${EXTENSIONS[mediaType] ?? 'png'}`,
          mimeType: mediaType,
          content: data,
          idempotencyKey,
        };
        const { mediaPath } = await storage.write(viewer, file, signal);
        return {
          output: { file: mediaPath, media_type: mediaType, bytes: data.length, model },
          files: [mediaPath],
          pictures: [{ file: mediaPath, mediaType }],
          ...(used && { usage: { tokens: used.promptTokens + used.completionTokens, cost: used.cost ?? 0 } }),
        };
      } catch (error) {
        signal.throwIfAborted();
        throw toCallError(error, NAME, logger);
      }
    },
  };
}
