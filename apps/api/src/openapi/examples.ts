import type { Schema } from './schema-2020.js';
import { exampleWord } from './example-words.js';

type Schemas = Readonly<Record<string, Schema>>;

/** What contains itself is shown so often. */
const MAX_DEPTH = 6;

/**
 * Makes examples of schemas: what a field names, else its default or first choice, else a value that its name suggests.
 * A request shows what must be there and what is exemplified; an answer shows all.
 */
export class Examples {
  constructor(private readonly schemas: Schemas) {}

  of(schema: Schema, use: 'request' | 'response', name = 'value', depth = 0): unknown {
    if (typeof schema.$ref === 'string') return this.of(this.target(schema.$ref), use, name, depth);
    if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
    if (schema.const !== undefined) return schema.const;
    if (schema.default !== undefined) return schema.default;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    if (Array.isArray(schema.allOf))
      return Object.assign({}, ...(schema.allOf as Schema[]).map((one) => this.of(one, use, name, depth))) as unknown;
    const [first] = ((schema.anyOf ?? schema.oneOf) as Schema[] | undefined) ?? [];
    if (first) return this.of(first, use, name, depth);
    const type = Array.isArray(schema.type) ? (schema.type[0] as unknown) : schema.type;
    if (type === 'object') return this.object(schema, use, depth);
    if (type === 'array') return this.list(schema, use, name, depth);
    return exampleWord(schema, type, name);
  }

  private target($ref: string): Schema {
    return this.schemas[$ref.split('/').at(-1)!] ?? {};
  }

  private object(schema: Schema, use: 'request' | 'response', depth: number): unknown {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
    const required = new Set((schema.required ?? []) as string[]);
    const named = properties.filter(([name, one]) => required.has(name) || Array.isArray(one.examples));
    const wanted = use === 'response' || named.length === 0 ? properties : named;
    const shown = depth >= MAX_DEPTH ? wanted.filter(([name]) => required.has(name)) : wanted;
    return Object.fromEntries(shown.map(([name, one]) => [name, this.of(one, use, name, depth + 1)]));
  }

  private list(schema: Schema, use: 'request' | 'response', name: string, depth: number): unknown[] {
    const { items, minItems = 0 } = schema as { items?: Schema; minItems?: number };
    if (!items || Object.keys(items).length === 0 || depth >= MAX_DEPTH) return [];
    const one = this.of(items, use, name.replace(/s$/, ''), depth + 1);
    return Array.from({ length: Math.max(1, minItems) }, () => one);
  }
}
