import { type CatalogueEntry, parseDefinition } from '@app/workflow-definition';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { categories } from './categories.js';
import { toolCatalogue } from './index.js';
import { contextOf, toolOf } from './testing/tool-harness.spec-support.js';

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const { tools, categories: groups } = toolCatalogue.toListing({});
const cases = tools.map((tool): [string, CatalogueEntry] => [tool.kind, tool]);

/** References are known only in a run; any value may stand for them. */
function holdsReference(value: unknown): boolean {
  return /_output\.|_secret\.|_item|_webhook_payload/.test(JSON.stringify(value));
}

describe('catalogue', () => {
  it('has thirty kinds and more, in groups in the order of an editor', () => {
    expect(tools.length).toBeGreaterThanOrEqual(30);
    const keys = Object.keys(categories);
    expect(groups.map(({ key }) => key)).toEqual(keys.filter((key) => tools.some(({ category }) => category === key)));
    const order = tools.map(({ category }) => keys.indexOf(category));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it.each(cases)('%s says what it is', (_, tool) => {
    expect(tool.name).toMatch(/^\p{Lu}[\p{L}\p{N} .,()/-]{1,40}$/u);
    expect(tool.description.length).toBeGreaterThan(20);
    expect(tool.description).toMatch(/\.$/);
    expect(tool.icon).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(tool.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(tool.timeout_seconds).toBeGreaterThan(0);
    expect(tool.available).toBe(tool.unavailable_reason === null);
    if (tool.unavailable_reason !== null) expect(tool.unavailable_reason).toMatch(/^\p{Lu}.*\.$/u);
    for (const param of tool.params) {
      expect([param.name, param.label]).toEqual([param.name, expect.stringMatching(/^[\p{Lu}^]/u)]);
      expect([param.name, param.description]).toEqual([param.name, expect.stringMatching(/^.{9,}[.}:;]$/su)]);
      if (param.type === 'select') expect(param.options.length).toBeGreaterThan(1);
      for (const name of Object.keys(param.visible_when ?? {}))
        expect(tool.params.map((other) => other.name)).toContain(name);
    }
  });

  it.each(cases)('%s has schemas that compile, and defaults that they allow', (_, tool) => {
    const validate = ajv.compile(tool.params_schema);
    ajv.compile(tool.output_schema);
    const properties = tool.params_schema.properties as Record<string, object>;
    for (const { name, default: value } of tool.params) {
      if (value === null) continue;
      expect([name, ajv.validate(properties[name]!, value), ajv.errors]).toEqual([name, true, null]);
    }
    const required = tool.params.filter((param) => param.required).map(({ name }) => name);
    expect(validate({})).toBe(required.length === 0);
  });

  it.each(cases)('%s shows an example, or needs none', (kind, tool) => {
    const examples = (tool.params_schema.examples ?? []) as Record<string, unknown>[];
    if (examples.length === 0) expect([kind, tool.params.filter((param) => param.required)]).toEqual([kind, []]);
    const validate = ajv.compile(tool.params_schema);
    for (const params of examples) {
      if (!holdsReference(params)) expect([validate(params), validate.errors]).toEqual([true, null]);
      const nodes = [...'ab'].map((id) => ({ id, kind: 'no_op' }));
      const definition = { nodes: [{ id: 'it', kind, params, next: ['a', 'b'] }, ...nodes] };
      const { errors } = parseDefinition(definition, toolCatalogue);
      const own = errors.filter(({ code }) => code !== 'unknown_reference');
      expect(own).toEqual([]);
    }
  });

  const quick = cases.filter(
    ([, tool]) => ['flow', 'data'].includes(tool.category) && tool.available && tool.side_effects === 'none',
  );
  it.each(quick)('%s takes no turn of the event loop', (kind, tool) => {
    const examples = (tool.params_schema.examples ?? []) as Record<string, unknown>[];
    for (const params of examples) {
      if (holdsReference(params)) continue;
      expect(toolOf(kind).run(params, contextOf())).not.toBeInstanceOf(Promise);
    }
  });
});
