import { z } from 'zod';
import { defineKind } from '../tools/define-tool.js';
import { ToolCatalogue } from '../tools/tool-catalogue.js';
import { secretUses } from './secret-uses.js';
import type { KnownSecrets } from './check-secrets.js';
import { parseDefinition } from './parse-definition.js';

const base = {
  version: '1.0.0',
  title: 'It',
  description: 'It.',
  category: { key: 'data', label: 'Data' },
  icon: 'box',
  sideEffects: 'none' as const,
  timeoutSeconds: 1,
  output: z.unknown(),
  run: () => ({ output: null }),
};
const catalogue = new ToolCatalogue([
  defineKind({ ...base, kind: 'plain', params: z.object({ text: z.string().max(5).optional(), list: z.unknown() }) }),
  defineKind({ ...base, kind: 'shown', keepsParams: true, params: z.object({ text: z.string() }) }),
  defineKind({
    ...base,
    kind: 'loop',
    keepsParams: true,
    opaqueParams: ['body'],
    params: z.object({ body: z.unknown().optional(), inputs: z.unknown().optional() }),
  }),
]);

function problemsOf(kind: string, params: object, known?: KnownSecrets): string[][] {
  const { errors, warnings } = parseDefinition({ nodes: [{ id: 'a', kind, params }] }, catalogue, catalogue, known);
  const brief = (problems: typeof errors) => problems.map(({ code, path }) => `${code} ${path}`);
  return [brief(errors), brief(warnings)];
}

describe('secrets that a definition names', () => {
  const known = new Set(['key']);

  it('are known, unknown, or cannot be told', () => {
    const params = { text: 'longer than five {{_secret.key}}', list: [{ $ref: '_secret.missing' }] };
    const place = 'unknown_secret nodes[0].params.list[0]';
    expect(problemsOf('plain', params, known)).toEqual([[place], []]);
    expect(problemsOf('plain', params, 'unseen')).toEqual([[], ['unknown_secret nodes[0].params.text', place]]);
    expect(problemsOf('plain', params)).toEqual([[], []]);
  });

  it.each(['1st', '', 'a-b', 'a.b', 'x'.repeat(65), 'kéy'])('cannot be called %j', (name) => {
    const [errors] = problemsOf('plain', { list: `{{_secret.${name}}}` }, 'unseen');
    expect(errors).toEqual(['invalid_secret_name nodes[0].params.list']);
  });

  it('do not stand where people see them, but in the bodies of loops', () => {
    expect(problemsOf('shown', { text: '{{_secret.key}}' }, known)).toEqual([
      ['secret_not_allowed nodes[0].params.text'],
      [],
    ]);
    const body = { nodes: [{ id: 'x', kind: 'plain', params: { text: '{{_secret.key}} {{_secret.missing}}' } }] };
    expect(problemsOf('loop', { body }, known)).toEqual([
      ['unknown_secret nodes[0].params.body.nodes[0].params.text'],
      [],
    ]);
    expect(problemsOf('loop', { inputs: { a: '{{_secret.key}}' } }, known)).toEqual([
      ['secret_not_allowed nodes[0].params.inputs.a'],
      [],
    ]);
  });

  it('are told by node', () => {
    const nodes = [
      { id: 'a', params: { text: '{{_secret.key}}{{_secret.key}}', other: { $ref: '_secret.two' } } },
      { id: 'b', params: { body: { nodes: [{ params: { text: 'x{{ _secret.key }}' } }] } } },
      { id: 'c', params: {} },
    ];
    expect([...secretUses(nodes)]).toEqual([
      ['key', ['a', 'b']],
      ['two', ['a']],
    ]);
  });

  it('are on the graph for the runner', () => {
    const { graph } = parseDefinition({
      nodes: [
        { id: 'a', kind: 'plain', params: { text: '{{_secret.key}}' } },
        { id: 'b', kind: 'plain', params: { text: '_secret.key {{ _webhook_payload.text }}' } },
      ],
    });
    expect(graph!.nodes.map(({ secretNames }) => secretNames)).toEqual([['key'], []]);
  });
});
