/** The parts of an OpenAPI 3.0 document that its tests read. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  nullable?: boolean;
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema?: Schema;
}

export type Content = Record<string, { schema?: Schema }>;

export interface Operation {
  /** Upper case. */
  method: string;
  /** As the document writes it: `/documents/{uid}/`. */
  path: string;
  parameters: Parameter[];
  /** Media types that it takes, by name; empty for none. */
  takes: Content;
  responses: Record<string, { content?: Content }>;
  isPublic: boolean;
}

export interface Description {
  operations: Operation[];
  schemas: Record<string, Schema>;
}

interface RawOperation {
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Operation['responses'];
  security?: unknown[];
}

export interface RawDocument {
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, Schema> };
}

export function readDescription({ paths, components }: RawDocument): Description {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, raw]) => ({
      method: method.toUpperCase(),
      path,
      parameters: raw.parameters ?? [],
      takes: raw.requestBody?.content ?? {},
      responses: raw.responses,
      isPublic: raw.security?.length === 0,
    })),
  );
  return { operations, schemas: components.schemas };
}

/** The name of the schema that a reference means. */
export function nameOf($ref: string): string {
  return $ref.split('/').at(-1)!;
}
