import { type AgentTool, type ToolAnswer, ToolCallError, type ToolCallContext, type ToolEffects } from '@app/agents';
import { DomainError, ForbiddenError, InvalidRequestError, NotFoundError, ValidationError } from '@app/common';
import { QueryError } from '@app/tabular';
import { z } from 'zod';

interface DeskTool<S extends z.ZodType> {
  name: string;
  title: string;
  description: string;
  effects?: ToolEffects;
  schema: S;
  properties: Record<string, unknown>;
  required?: string[];
  run(input: z.output<S>, context: ToolCallContext): Promise<ToolAnswer>;
}

/** A tool of an agent at one thing: it reaches that alone, with the rights that its person has at that moment. */
export function deskTool<S extends z.ZodType>(given: DeskTool<S>): AgentTool {
  const { name, title, description, effects = 'none', schema, properties, required = [], run } = given;
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    effectsOf: () => effects,
    // Nobody else is reached, and what it does can be undone.
    approvalFor: () => null,
    run: async (input, context) => {
      const parsed = schema.safeParse(input);
      if (!parsed.success) throw new ToolCallError('invalid_params', z.prettifyError(parsed.error), true);
      try {
        return await run(parsed.data, context);
      } catch (error) {
        throw toCallError(error, effects);
      }
    },
  };
}

/** In words for model and user; what is a fault of ours stays one. */
function toCallError(error: unknown, effects: ToolEffects): unknown {
  if (error instanceof ValidationError) {
    const lines = Object.entries(error.fields).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
    const told = effects === 'none' ? '' : 'Nothing was changed. ';
    return new ToolCallError('invalid_values', told + lines.slice(0, 20).join('\n'), true);
  }
  if (error instanceof QueryError || error instanceof InvalidRequestError || error instanceof NotFoundError)
    return new ToolCallError(error.code, error.message, true);
  if (error instanceof ForbiddenError) return new ToolCallError(error.code, `${error.message} Tell the user.`);
  if (error instanceof DomainError) return new ToolCallError(error.code, error.message);
  return error;
}
