import { McpServers, ServerProbe, ToolAcceptance } from '@app/mcp';
import { DataSource } from 'typeorm';
import { type TestApi, startApi } from '../support/api.js';
import { OddServer } from '../support/mcp-odd-server.js';
import { Mortal } from '../support/mortal.js';
import { createUserRow } from '../support/documents.js';

interface State {
  url: string;
  status: string;
  hasSecret: boolean;
  version: number;
  tools: number;
  accepted: number;
  audited: number;
}

/** More than any of these needs. */
const STATEMENTS = 25;

describe('tool servers, when the process dies between two statements', () => {
  let api: TestApi;
  let odd: OddServer;
  let mortal: Mortal;
  let userId: number;
  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);

  beforeAll(async () => {
    odd = await OddServer.start();
    odd.tools = [{ name: 'one' }, { name: 'two' }];
    api = await startApi({ MCP_HOSTS: odd.host });
    userId = await createUserRow(api.database);
    mortal = new Mortal(api.app.get(DataSource));
  });
  afterAll(async () => {
    await api.stop();
    await odd.stop();
  });
  beforeEach(() => sql('DELETE FROM mcp_servers'));

  const actor = () => ({ userId, username: 'u' });
  const draft = () => ({ label: 'Odd', url: odd.url, authType: 'bearer' as const, secret: 'top-secret-key' });
  const make = async () => (await api.app.get(McpServers, { strict: false }).create(actor(), draft())).id;

  async function states(): Promise<State[]> {
    return sql<State[]>(
      `SELECT url, status, secret_sealed IS NOT NULL AS "hasSecret", version,
         (SELECT count(*)::int FROM mcp_tools t WHERE t.server_id = s.id) AS tools,
         (SELECT count(*)::int FROM mcp_tools t WHERE t.server_id = s.id AND accepted_hash = definition_hash) AS accepted,
         (SELECT count(*)::int FROM (
           SELECT event->'personal'->>'target' AS target FROM audit_inbox UNION ALL SELECT personal->>'target' FROM audit_events) a
          WHERE a.target = 'mcp_server:' || s.id) AS audited
       FROM mcp_servers s`,
    );
  }

  /** Lets the work die after each number of statements. @returns every state that was seen afterwards */
  async function deaths(prepare: () => Promise<number>, work: (id: number) => Promise<unknown>): Promise<State[][]> {
    const seen: State[][] = [];
    for (let statements = 0; statements <= STATEMENTS; statements += 1) {
      await sql('DELETE FROM mcp_servers');
      const id = await prepare();
      await mortal.dies(statements, () => work(id));
      seen.push(await states());
    }
    return seen;
  }

  it('are created with their secret, or not at all', async () => {
    const seen = await deaths(async () => 0, make);
    for (const state of seen)
      expect([
        [],
        [expect.objectContaining({ hasSecret: true, status: 'untested', audited: 1 }) as State],
      ]).toContainEqual(state);
    expect([seen[0]!.length, seen.at(-1)!.length]).toEqual([0, 1]);
  });

  it('never have a new address with the old secret', async () => {
    const seen = await deaths(make, (id) =>
      api.app.get(McpServers, { strict: false }).update(actor(), id, { url: `${odd.url}?new` }),
    );
    for (const [state] of seen)
      expect([
        [odd.url, true, 1, 1],
        [`${odd.url}?new`, false, 2, 2],
      ]).toContainEqual([state!.url, state!.hasSecret, state!.version, state!.audited]);
    expect(seen.at(-1)![0]!.hasSecret).toBe(false);
  });

  it('have the outcome of a test whole, or not at all', async () => {
    const seen = await deaths(make, (id) => api.app.get(ServerProbe).test(userId, id));
    for (const [state] of seen)
      expect([
        ['untested', 0, 0],
        ['ok', 2, 2],
      ]).toContainEqual([state!.status, state!.tools, state!.accepted]);
    expect(seen.at(-1)![0]!.status).toBe('ok');
  });

  it('have tools accepted with a note of it, or not at all', async () => {
    const seen = await deaths(
      async () => {
        const id = await make();
        await api.app.get(ServerProbe).test(userId, id);
        await sql(`UPDATE mcp_tools SET accepted_hash = 'other' WHERE server_id = $1`, [id]);
        return id;
      },
      (id) => api.app.get(ToolAcceptance, { strict: false }).accept(actor(), id, { all: true }, {}),
    );
    for (const [state] of seen)
      expect([
        [0, 1],
        [2, 2],
      ]).toContainEqual([state!.accepted, state!.audited]);
    expect(seen.at(-1)![0]!.accepted).toBe(2);
  });
});
