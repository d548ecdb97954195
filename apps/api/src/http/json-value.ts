/**
 * Any JSON but null, as the OpenAPI document has it. A schema that says nothing is read as "an object" by those who
 * generate clients, so all kinds are named; and it has one name, since languages without unions make up a type for each
 * place where one stands.
 */
export const JSON_VALUE = {
  description: 'Any JSON value.',
  anyOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
  ],
};

export const JSON_VALUE_REF = { $ref: '#/components/schemas/JsonValue' };
