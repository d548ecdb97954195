import { type ParsedDefinition, parseDefinition, type ToolCatalogue } from '@app/workflow-definition';

/**
 * Parsed definitions, as long as the run store keeps the definition itself: it hands out the same object for every
 * run of one revision, so that the object is the key and nothing can be stale.
 */
export class GraphCache {
  private readonly parsed = new WeakMap<object, ParsedDefinition>();

  constructor(private readonly kinds: Pick<ToolCatalogue, 'find'>) {}

  /** Kinds and params are not checked again: that was done at save, and each node checks its own when it starts. */
  get(definition: unknown): ParsedDefinition {
    if (typeof definition !== 'object' || definition === null)
      return parseDefinition(definition, undefined, this.kinds);
    let parsed = this.parsed.get(definition);
    if (!parsed) {
      parsed = parseDefinition(definition, undefined, this.kinds);
      this.parsed.set(definition, parsed);
    }
    return parsed;
  }
}
