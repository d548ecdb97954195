import { defineKind, param, ToolCatalogue } from '@app/workflow-definition';
import { z } from 'zod';
import { shownToRunner } from '../progress/shown-to-runner.js';
import { withoutLiteralSecrets } from './without-literal-secrets.js';

const call = defineKind({
  kind: 'call',
  version: '1.0.0',
  title: 'Call',
  description: '',
  category: { key: 'flow', label: 'Flow' },
  icon: 'x',
  sideEffects: 'external',
  timeoutSeconds: 10,
  params: z.object({
    url: z.string(),
    token: param(z.string().default(''), { label: 'Token', type: 'secret' }),
  }),
  output: z.object({}),
  run: () => ({ output: {} }),
});
const catalogue = new ToolCatalogue([call]);
const node = (token: unknown) => ({ id: 'n', kind: 'call', params: { url: 'https://x.example/', token } });

describe('a definition for somebody else', () => {
  it.each(['{{_secret.key}}', 'Bearer {{ _secret.key }}', '', undefined, { $ref: '_output.a.b' }])(
    'keeps what names a secret or none: %j',
    (token) => {
      const jsonSpec = { nodes: [node(token), { id: 'other', kind: 'unknown', params: { token: 'kept' } }] };
      expect(withoutLiteralSecrets({ jsonSpec, vueflowJson: {} }, catalogue).jsonSpec).toEqual(jsonSpec);
    },
  );

  it('empties what is one, and blots it out of the canvas', () => {
    const given = {
      jsonSpec: { nodes: [node('literal-1'), node('x{{_secret.a}}')] },
      vueflowJson: { n: ['literal-1'] },
    };
    expect(withoutLiteralSecrets(given, catalogue)).toEqual({
      jsonSpec: { nodes: [node(''), node('')] },
      vueflowJson: { n: ['***'] },
    });
    expect(withoutLiteralSecrets({ jsonSpec: { nodes: 7 }, vueflowJson: {} }, catalogue).jsonSpec).toEqual({
      nodes: 7,
    });
  });

  it('has no params for who may only run it', () => {
    const shown = shownToRunner({
      name: 'N',
      entry: ['n'],
      nodes: [{ ...node('literal-1'), next: ['m'], requires: { wait_for: ['x'] }, retry: {} }],
      edges: [{ label: 'literal-1' }],
      notes: 'literal-1',
    });
    expect(shown).toEqual({
      name: 'N',
      version: undefined,
      entry: ['n'],
      nodes: [{ id: 'n', kind: 'call', params: {}, next: ['m'], save_output: false, export_output: false }],
      edges: [],
    });
  });
});
