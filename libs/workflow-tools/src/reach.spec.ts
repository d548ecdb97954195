import { coversReach, hostOf, summariseReach } from '@app/workflow-definition';
import { toolCatalogue } from './index.js';
import { isReachKnown } from './reach.js';

const reach = (...nodes: object[]) =>
  summariseReach({ nodes: nodes.map((node, i) => ({ id: `n${i}`, ...node })) }, toolCatalogue);

describe('what a workflow reaches', () => {
  it('is known of every kind that gets at something', () => {
    // Kinds with a param of such a type reach things; a new one that does not say so fails here.
    expect(toolCatalogue.list().filter(({ kind }) => !isReachKnown(kind))).toEqual([]);
    const types = new Set(['document', 'file', 'table', 'connection']);
    for (const tool of toolCatalogue.list()) {
      const { params } = tool.toCatalogueEntry({});
      const named = params.filter(({ type }) => types.has(type)).map(({ name }) => name);
      const { own, resources } = tool.reachOf!(Object.fromEntries(named.map((name) => [name, 'x'])));
      if (named.length > 0) expect([tool.kind, own]).toEqual([tool.kind, true]);
      // A tool server is named by the author alone.
      const steerable = params.filter(({ type, accepts_ref: takesRef }) => types.has(type) && takesRef);
      for (const { name } of steerable)
        expect([tool.kind, Object.keys(resources)]).toEqual([tool.kind, expect.arrayContaining([name])]);
    }
  });

  it('counts bodies, batches and the tools of agents', () => {
    const search = { kind: 'semantic_search', params: { query: 'x' } };
    const body = { nodes: [{ id: 'in', kind: 'loop', params: { body: { nodes: [{ id: 'deep', ...search }] } } }] };
    expect(reach({ kind: 'loop', params: { items: [], body } })).toEqual({ kinds: ['semantic_search'], hosts: [] });
    const http = { kind: 'batch', params: { kind: 'http_request', params: { url: 'https://a.example/{{_item}}' } } };
    expect(reach(http)).toEqual({ kinds: [], hosts: ['a.example'] });
    const tools = ['http_request', 'list_documents', 'crm__find', 'mcp:crm/find', 'code'];
    expect(reach({ kind: 'agent', params: { prompt: 'x', tools } })).toEqual({
      kinds: ['agent', 'list_documents', 'mcp_tool'],
      hosts: ['*'],
    });
    expect(reach({ kind: 'sub_workflow', params: {} }, { kind: 'send_email' }).kinds).toEqual([
      'send_email',
      'sub_workflow',
    ]);
  });

  it('is nothing for steps that work on their inputs, whatever these look like', () => {
    const data = { kind: 'code', params: { code: 'x', input: { nodes: [{ id: 'a', kind: 'send_email' }] } } };
    expect(reach(data, { kind: 'language_model', params: {} }, { kind: 'unheard_of' })).toEqual({
      kinds: [],
      hosts: [],
    });
    const http = {
      kind: 'http_request',
      params: { url: 'https://a.example', body: { nodes: [{ id: 'a', kind: 'send_email' }] } },
    };
    expect(reach(http)).toEqual({ kinds: [], hosts: ['a.example'] });
  });

  it.each([
    ['https://a.example/x', 'a.example'],
    ['HTTPS://A.example:8443/x', 'a.example:8443'],
    [' https://a.example/{{_output.x}}', 'a.example'],
    ['https://a.example?{{_output.x}}', 'a.example'],
    ['https://a.example{{_output.x}}', '*'],
    ['https://{{_output.x}}.a.example/', '*'],
    ['https://a.example@{{_output.x}}/', '*'],
    ['https://a.example:{{_output.x}}/', '*'],
    ['https://u:p@a.example/{{_output.x}}', '*'],
    ['https://a.example\\{{_output.x}}', '*'],
    ['https://a.exa\nmple/{{_output.x}}', '*'],
    ['{{_output.x}}', '*'],
    ['nonsense', '*'],
    [{ $ref: '_output.x' }, '*'],
    [undefined, '*'],
  ])('reads the host of %j as %s', (address, host) => expect(hostOf(address)).toBe(host));

  it('is agreed to as long as no kind and no host is added', () => {
    const agreed = { kinds: ['read_file', 'send_email'], hosts: ['a.example'] };
    expect(coversReach(agreed, agreed)).toBe(true);
    expect(coversReach(agreed, { kinds: ['read_file'], hosts: [] })).toBe(true);
    expect(coversReach(agreed, { kinds: ['read_file', 'mcp_tool'], hosts: [] })).toBe(false);
    expect(coversReach(agreed, { kinds: ['read_file'], hosts: ['b.example'] })).toBe(false);
    expect(coversReach(agreed, { kinds: ['read_file'], hosts: ['*'] })).toBe(false);
    expect(coversReach({ ...agreed, hosts: ['*'] }, { kinds: ['read_file'], hosts: ['b.example'] })).toBe(true);
    // Without things of one's own there is nothing to agree to.
    expect(coversReach(null, { kinds: [], hosts: ['b.example'] })).toBe(true);
    expect(coversReach(null, { kinds: ['agent'], hosts: [] })).toBe(false);
  });
});
