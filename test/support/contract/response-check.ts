import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { Attack } from './attacks.js';
import { type Description, nameOf, type Operation, type Schema } from './description.js';
import type { WireAnswer } from './wire-call.js';

const SLOW_MS = 10_000;
const CODE = /^[a-z][a-z0-9_]*$/;
/** What only the inside of the platform says: stack traces, SQL, its errors, its files, its settings. */
const INSIDE =
  /\n\s+at \S|\bat \S+ \(|node_modules|QueryFailedError|violates \w+ constraint|duplicate key value|syntax error at or near|invalid input syntax|relation "|column "|INSERT INTO "?[a-z]|SELECT "|ECONNREFUSED|ENOENT|EISDIR|\/work\/|\/dist\/|file:\/\/|postgres:\/\/|redis:\/\/|is not a function|Cannot read propert|\[object Object\]/;
/** A 503 says that something is missing here; these are what this deployment lacks, or what passes by itself. */
const LACKING = new Set([
  'model_not_configured',
  'sso_not_configured',
  'reranker_not_configured',
  'embeddings_not_configured',
  'index_unavailable',
  'thumbnail_pending',
  'queue_full',
]);

type JsonSchema = Record<string, unknown>;

/** Where the schemas with names stand: they are compiled once for all that refer to them. */
const OF_THE_API = 'api';

/**
 * A schema of OpenAPI 3.0 as JSON Schema: `nullable` is one more type, and what declares its properties has no others,
 * so that nothing is said that is not described.
 */
function toJsonSchema(schema: Schema): JsonSchema {
  const { nullable, $ref, properties, items, allOf, anyOf, oneOf, additionalProperties, ...rest } = schema;
  const plain: JsonSchema = { ...rest };
  if ($ref) plain.$ref = `${OF_THE_API}#/definitions/${nameOf($ref)}`;
  if (properties) {
    plain.properties = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, toJsonSchema(one)]));
    plain.additionalProperties = false;
  }
  if (additionalProperties !== undefined)
    plain.additionalProperties =
      typeof additionalProperties === 'boolean' ? additionalProperties : toJsonSchema(additionalProperties);
  if (items) plain.items = toJsonSchema(items);
  if (allOf) plain.allOf = allOf.map(toJsonSchema);
  if (anyOf) plain.anyOf = anyOf.map(toJsonSchema);
  if (oneOf) plain.oneOf = oneOf.map(toJsonSchema);
  return nullable ? { anyOf: [plain, { type: 'null' }] } : plain;
}

/** Judges answers by the description of the api. */
export class ResponseCheck {
  private readonly ajv = new Ajv({ strict: false, allErrors: false });
  private readonly compiled = new Map<Schema, ValidateFunction>();

  /** @param secrets words that no answer may hold */
  constructor(
    { schemas }: Description,
    private readonly secrets: readonly string[],
  ) {
    formats.default(this.ajv);
    this.ajv.addFormat('binary', true);
    const definitions = Object.fromEntries(
      Object.entries(schemas).map(([name, one]) => [
        name,
        // Errors tell more where there is more to tell.
        { ...toJsonSchema(one), ...(name.endsWith('Error') ? { additionalProperties: true } : {}) },
      ]),
    );
    this.ajv.addSchema({ $id: OF_THE_API, definitions });
  }

  /** @returns what is wrong with the answer, null for nothing */
  complaintAbout(operation: Operation, attack: Attack, answer: WireAnswer): string | null {
    if (isAnswerOfAnother(operation, attack, answer)) return null;
    if (answer.status === 0) return answer.text;
    if (answer.ms > SLOW_MS) return `it took ${Math.round(answer.ms)} ms`;
    if (answer.status === 500) return 'a fault';
    const inside = INSIDE.exec(answer.text);
    if (inside) return `it tells of the inside: ${inside[0]}`;
    const secret = this.secrets.find((word) => answer.text.includes(word));
    if (secret) return `it says what belongs to others: ${secret}`;
    if (!answer.headers['x-request-id']) return 'it has no X-Request-Id';
    const declared = operation.responses[String(answer.status)];
    if (!declared) return `the status ${answer.status} is not declared`;
    return answer.status >= 400 ? this.errorComplaint(operation, answer) : this.successComplaint(declared, answer);
  }

  private errorComplaint({ method, responses }: Operation, answer: WireAnswer): string | null {
    if (method === 'HEAD') return null;
    const complaint = this.bodyComplaint(responses[String(answer.status)]!.content, answer);
    if (complaint) return complaint;
    // A page for people, whose description says so.
    if (String(answer.headers['content-type']).startsWith('text/html')) return null;
    const body = JSON.parse(answer.text) as Record<string, unknown>;
    const { code } = body;
    const { problems: _, ...fields } = body;
    const isByField = answer.status === 400 && Object.values(fields).every(isListOfTexts);
    if (body.jsonrpc === '2.0') return null;
    const isOfOAuth = typeof body.error === 'string' && CODE.test(body.error) && 'error_description' in body;
    if (!isByField && !isOfOAuth && !(typeof code === 'string' && CODE.test(code))) return 'its code is no code';
    if (answer.status === 401 && !isOfOAuth && !answer.headers['www-authenticate']) return 'it has no WWW-Authenticate';
    if (answer.status === 503 && !LACKING.has(String(code))) return 'nothing should be away here';
    return null;
  }

  private successComplaint({ content }: { content?: Operation['takes'] }, answer: WireAnswer): string | null {
    if (content) return this.bodyComplaint(content, answer);
    return answer.text === '' ? null : 'it has a body that is not declared';
  }

  private bodyComplaint(content: Operation['takes'] = {}, answer: WireAnswer): string | null {
    const type = String(answer.headers['content-type'] ?? '').split(';')[0]!;
    // Files come in the type that they have.
    if (content['*/*']) return null;
    const media = content[type];
    if (!media && answer.text === '' && Object.keys(content).every((one) => one === 'text/plain')) return null;
    if (!media) return `the content type "${type}" is not declared for ${answer.status}`;
    if (!type.endsWith('json')) return null;
    const schema = media.schema ?? {};
    if (schema.format === 'binary') return null;
    const body = parsed(answer.text);
    if (body === undefined) return 'it is no JSON';
    const validate = this.validatorOf(schema);
    if (validate(body)) return null;
    const surplus = validate.errors?.map(({ params }) => params['additionalProperty']).filter(Boolean) ?? [];
    return `it is not of its schema: ${this.ajv.errorsText(validate.errors)} ${surplus.join()}`;
  }

  private validatorOf(schema: Schema): ValidateFunction {
    const known = this.compiled.get(schema);
    if (known) return known;
    const made = this.ajv.compile(toJsonSchema(schema));
    this.compiled.set(schema, made);
    return made;
  }
}

/** A path that was not written for this operation may mean another one, and a condition that holds needs no body. */
function isAnswerOfAnother({ path }: Operation, attack: Attack, { status }: WireAnswer): boolean {
  const isElsewhere = Object.values(attack.path).some((text) => text !== null);
  if (isElsewhere && path.includes('{') && status === 405) return true;
  return status === 304 && 'if-none-match' in attack.headers;
}

const isListOfTexts = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === 'string' && text !== '');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
