import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SearchedTool } from '@app/agents';
import type { Embeddings } from '@app/integrations';
import { Logger } from '@nestjs/common';

/** Of definitions, over all users of this process. */
const MAX_KEPT = 5_000;
const BATCH = 64;
/** A model that looks for a tool waits no longer; what is missing then is there the next time. */
const WAIT_MS = 3_000;
const MAX_TEXT = 500;

/** How alike a query and tools are in meaning. Vectors of definitions are kept: a definition that changes is another one. */
export class ToolLikeness {
  private readonly logger = new Logger(ToolLikeness.name);
  private readonly vectors = new Map<string, Float32Array>();
  private filling: Promise<void> = Promise.resolve();

  constructor(private readonly embeddings: Embeddings) {}

  /** In the order of the tools; null for those without a vector yet, and as a whole where the query has none. */
  async of(query: string, tools: readonly SearchedTool[]): Promise<(number | null)[] | null> {
    try {
      const keys = tools.map((tool) => keyOf(tool));
      const asked = this.embeddings.embed([query.slice(0, MAX_TEXT)]);
      this.filling = this.filling.then(() => this.fill(tools, keys));
      await Promise.race([Promise.all([asked, this.filling]), sleep(WAIT_MS, null, { ref: false })]);
      const [wanted] = await asked;
      if (!wanted) return null;
      return keys.map((key) => {
        const vector = this.vectors.get(key);
        return vector ? dot(wanted, vector) : null;
      });
    } catch (error) {
      this.logger.warn(`Tools are looked for by words alone: ${String(error)}`);
      return null;
    }
  }

  private async fill(tools: readonly SearchedTool[], keys: readonly string[]): Promise<void> {
    const missing = tools.flatMap((tool, at) => (this.vectors.has(keys[at]!) ? [] : [{ key: keys[at]!, tool }]));
    try {
      for (let at = 0; at < missing.length; at += BATCH) {
        const batch = missing.slice(at, at + BATCH);
        const vectors = await this.embeddings.embed(batch.map(({ tool }) => textOf(tool)));
        for (const [index, { key }] of batch.entries()) this.vectors.set(key, vectors[index]!);
      }
    } catch (error) {
      this.logger.warn(`Definitions of tools got no vectors: ${String(error)}`);
    }
    for (const key of this.vectors.keys()) {
      if (this.vectors.size <= MAX_KEPT) break;
      this.vectors.delete(key);
    }
  }
}

function textOf({ name, title, description, server = '' }: SearchedTool): string {
  const own = (name.split('__').at(-1) ?? name).replaceAll(/[_-]+/g, ' ');
  return `${server}: ${own}. ${title}. ${description}`.slice(0, MAX_TEXT);
}

function keyOf(tool: SearchedTool): string {
  return createHash('sha256').update(textOf(tool)).digest('base64');
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += one[at]! * other[at]!;
  return sum;
}
