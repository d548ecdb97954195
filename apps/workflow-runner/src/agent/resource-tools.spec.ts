import type { ServerContents, ServerRecord, ServerRecords } from '@app/mcp';
import { ResourceTools } from './resource-tools.js';

const LABELS = { muller: 'Müller & Söhne', linear: 'Linear', twin: 'Twin', twin_2: 'twin' };

async function listerOf(labels: Record<string, string>) {
  const servers = Object.entries(labels).map(([slug, label], at) => ({ id: at + 1, slug, label, enabled: true }));
  const records = { list: () => Promise.resolve(servers.map((one) => ({ ...one, status: 'ok' }))) };
  const asked: number[] = [];
  const contents = { resources: (_user: number, id: number) => Promise.resolve((asked.push(id), [])) };
  const tools = new ResourceTools(
    records as unknown as ServerRecords,
    contents as Partial<ServerContents> as ServerContents,
    undefined,
  );
  const tool = (await tools.list({ userId: 7 })).find(({ name }) => name === 'list_server_resources')!;
  const run = async (server: unknown) => {
    await tool.run({ server }, { signal: new AbortController().signal } as Parameters<typeof tool.run>[1]);
    return (servers as Pick<ServerRecord, 'id' | 'slug'>[]).find(({ id }) => id === asked.at(-1))!.slug;
  };
  return { tool, run };
}

const schemaOf = async (labels: Record<string, string>) => (await listerOf(labels)).tool.inputSchema.properties;

describe('resources of connected servers', () => {
  it.each([
    ['muller', 'muller'],
    ['Müller & Söhne', 'muller'],
    [' LINEAR ', 'linear'],
    ['twin', 'twin'],
    ['twin_2', 'twin_2'],
  ])('are those of %p', async (given, slug) => expect(await (await listerOf(LABELS)).run(given)).toBe(slug));

  it.each(['Other', 'Twin', '', 5, null])('name the servers there are instead of %p', async (given) => {
    await expect((await listerOf(LABELS)).run(given)).rejects.toMatchObject({
      isMistake: true,
      message: expect.stringContaining('There are: muller (Müller & Söhne), linear (Linear),') as string,
    });
  });

  it('tell what servers are called where that is something else', async () => {
    expect(await schemaOf({ linear: 'Linear' })).toEqual({ server: { type: 'string', enum: ['linear'] } });
    expect(await schemaOf({ crm: 'Kunden' })).toMatchObject({ server: { description: 'One of: crm (Kunden).' } });
  });
});
