import { findToolsTool } from './find-tools-tool.js';
import type { AgentTool } from './tool.js';

const tool = (name: string, description: string, server: string): AgentTool => ({
  name,
  title: '',
  description,
  server,
  inputSchema: { type: 'object' },
  effectsOf: () => 'none',
  approvalFor: () => null,
  run: () => Promise.resolve({ output: null }),
});

describe('find_tools', () => {
  const tools = [
    tool('crm__create_invoice', 'Creates an invoice for a customer.', 'CRM'),
    tool('crm__close_deal', 'Closes a deal.', 'CRM'),
    tool('chat__post_message', 'Posts a message to a channel.', 'Chat'),
  ];
  const find = async (input: Record<string, unknown>, of = tools) => {
    const { output, loads } = await findToolsTool(of, {}).run(input, {
      signal: new AbortController().signal,
      idempotencyKey: 'k',
      cite: () => 0,
    });
    return { output: output as { not_what_was_meant?: { hint: string; names: Record<string, string> } }, loads };
  };

  it('gives the names of the others where few words fit, by which they are found', async () => {
    const { output, loads } = await find({ query: 'Stell der Firma Berger eine Rechnung' });
    expect(loads).toEqual([]);
    const { names } = output.not_what_was_meant!;
    expect(names).toEqual({ CRM: 'crm__create_invoice crm__close_deal', Chat: 'chat__post_message' });
    expect((await find({ query: 'crm__create_invoice' })).loads![0]).toBe('crm__create_invoice');
  });

  it('gives none where a tool fits', async () => {
    const { output, loads } = await find({ query: 'Stell der Firma Berger eine Rechnung', words: 'create invoice' });
    expect(loads).toContain('crm__create_invoice');
    expect(output.not_what_was_meant).toBeUndefined();
  });

  it('gives as many as there is room for, and says how to see the others', async () => {
    const many = Array.from({ length: 2_000 }, (_, at) => tool(`s${at % 3}__tool_${at}`, 'Does it.', `S${at % 3}`));
    const { names, hint } = (await find({ query: 'xyzzy' }, many)).output.not_what_was_meant!;
    expect(Object.values(names).join(' ').length).toBeLessThan(9_100);
    expect(hint).toMatch(/There are \d+ more; name a server/);
  });
});
