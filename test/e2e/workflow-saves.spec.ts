import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { inAll, rounds } from '../support/long.js';
import { addCollaborator, ask, startWorkflow } from '../support/workflow-api.js';

// Each save that wins is one that all others lose: the requests grow with the square of the editors.
const EDITORS = rounds(10, 5);
const SAVES = rounds(20, 8);

interface Spec {
  name: string;
  nodes: { id: string; kind: string; params: { fields: Record<string, string> } }[];
}

/** Each save adds a line to what the editor last saw: a lost update is a line that is missing in the end. */
const withLine = (spec: Spec, line: string): Spec => ({
  ...spec,
  nodes: spec.nodes.map((node) => ({ ...node, params: { fields: { ...node.params.fields, [line]: 'x' } } })),
});

describe('many editors of one workflow', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  inAll('lose no save, and each loser gets the newer workflow to go on with', async () => {
    const owner = await api.signUp();
    const start: Spec = { name: 'Shared', nodes: [{ id: 'a', kind: 'set', params: { fields: {} } }] };
    const id = await startWorkflow(owner, start);
    const path = `/microservices/workflow/${id}/`;
    const editors: HttpClient[] = [owner];
    while (editors.length < EDITORS) {
      const editor = await api.signUp();
      await addCollaborator(api, id, editor, 'editor');
      editors.push(editor);
    }
    let conflicts = 0;
    const revisions: number[] = [];

    await Promise.all(
      editors.map(async (editor, index) => {
        let seen = { json_spec: start, content_revision: 1 };
        for (let saves = 0; saves < SAVES;) {
          const json_spec = withLine(seen.json_spec, `editor ${index} save ${saves}`);
          const body = { name: 'Shared', json_spec, expected_content_revision: seen.content_revision };
          const answer = await ask(editor, 'PUT', path, body);
          if (answer.status === 200) {
            const content_revision = answer.body.content_revision as number;
            revisions.push(content_revision);
            expect(content_revision).toBe(seen.content_revision + 1);
            seen = { json_spec, content_revision };
            saves += 1;
            continue;
          }
          conflicts += 1;
          expect(answer).toMatchObject({
            status: 409,
            body: {
              detail: 'Workflow save conflict.',
              code: 'save_conflict',
              content_revision: expect.any(Number),
              last_edited_by: { id: expect.any(Number), username: expect.any(String) },
              last_edited_at: expect.any(String),
              workflow: { id, my_role: index === 0 ? 'owner' : 'editor' },
            },
          });
          const newer = answer.body.workflow as typeof seen;
          expect(newer.content_revision).toBe(answer.body.content_revision);
          expect(newer.content_revision).toBeGreaterThan(seen.content_revision);
          seen = { json_spec: newer.json_spec, content_revision: newer.content_revision };
        }
      }),
    );

    const total = EDITORS * SAVES;
    expect(revisions.sort((a, b) => a - b)).toEqual(Array.from({ length: total }, (_, index) => index + 2));
    const end = await owner.get<{ json_spec: Spec; content_revision: number }>(path);
    expect(end.content_revision).toBe(total + 1);
    expect(Object.keys(end.json_spec.nodes[0]!.params.fields)).toHaveLength(total);
    expect(conflicts).toBeGreaterThan(0);
    const versions = await owner.get<{ count: number }>(`${path}versions/`);
    expect(versions.count).toBe(total + 1);
  });

  it('takes whatever comes last from those who do not say what they saw', async () => {
    const owner = await api.signUp();
    const id = await startWorkflow(owner, { nodes: [] });
    const path = `/microservices/workflow/${id}/`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        ask(owner, 'PUT', path, { name: `Name ${index}`, json_spec: { nodes: [] } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    const revisions = answers.map(({ body }) => body.content_revision as number).sort((a, b) => a - b);
    expect(revisions).toEqual(Array.from({ length: 10 }, (_, index) => index + 2));
  });
});
