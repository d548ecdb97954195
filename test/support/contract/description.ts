/** The parts of the description that its tests read, with `nullable` for a null that is a type beside another. */
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
      parameters: (raw.parameters ?? []).map((one) => ({ ...one, ...withReadSchema(one) })),
      takes: readContent(raw.requestBody?.content),
      responses: Object.fromEntries(
        Object.entries(raw.responses).map(([status, { content }]) => [
          status,
          content ? { content: readContent(content) } : {},
        ]),
      ),
      isPublic: raw.security?.length === 0,
    })),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [name, readSchema(schema)] as const);
  return { operations, schemas: Object.fromEntries(schemas) };
}

const withReadSchema = ({ schema }: { schema?: Schema }) => (schema ? { schema: readSchema(schema) } : {});

function readContent(content: Content = {}): Content {
  return Object.fromEntries(Object.entries(content).map(([type, media]) => [type, withReadSchema(media)]));
}

type Written = Omit<Schema, 'type'> & { type?: string | string[]; examples?: unknown; contentMediaType?: unknown };

function readSchema(schema: Schema): Schema {
  const { type, anyOf, properties, items, additionalProperties, ...rest } = schema as Written;
  const { examples: _, contentMediaType: __, ...plain } = rest;
  const types = [type ?? []].flat();
  const one = types.find((name) => name !== 'null');
  const others = anyOf?.filter((branch) => branch.type !== 'null').map(readSchema);
  const nullable = types.length > 1 || (anyOf !== undefined && others!.length < anyOf.length);
  const only = others?.length === 1 ? others[0]! : others ? { anyOf: others } : {};
  return {
    ...plain,
    ...only,
    ...(one ? { type: one } : {}),
    ...(nullable ? { nullable: true } : {}),
    ...(items ? { items: readSchema(items) } : {}),
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, readSchema(part)])) }
      : {}),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'boolean' ? additionalProperties : readSchema(additionalProperties),
        }),
  };
}

/** The name of the schema that a reference means. */
export function nameOf($ref: string): string {
  return $ref.split('/').at(-1)!;
}
