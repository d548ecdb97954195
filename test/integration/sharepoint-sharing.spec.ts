import { EgressGuard, SharepointSharing, SourceError, type SourceAccess } from '@app/integrations';
import { startGraph, type GraphServer } from '../support/graph.js';

describe('sharing repeated in SharePoint', () => {
  let graph: GraphServer;
  let sharing: SharepointSharing;
  let source: SourceAccess;
  let itemId: string;
  const of = (email: string) => ({ source, itemId, email });

  beforeAll(async () => {
    graph = await startGraph();
    const guard = new EgressGuard({ allowedHosts: graph.hosts });
    sharing = new SharepointSharing({ guard, graphUrl: graph.graphUrl, loginUrl: graph.loginUrl });
    const config = { tenant_id: graph.tenant, client_id: graph.client, drive_id: graph.drive };
    source = { type: 'sharepoint', config, secret: graph.secret };
  });
  beforeEach(() => {
    itemId = graph.put(`${Math.random()}/note.txt`, 'A note');
  });
  afterAll(() => graph.stop());

  it('is for SharePoint alone', () => {
    expect(sharing.supports(source)).toBe(true);
    expect(sharing.supports({ ...source, type: 's3' })).toBe(false);
    expect(sharing.supports(null)).toBe(false);
  });

  it('grants reading, and takes exactly that back', async () => {
    const ada = await sharing.share(of('ada@mail.example'));
    const bob = await sharing.share(of('bob@mail.example'));
    expect(graph.permissionsOf(itemId)).toEqual([
      { email: 'ada@mail.example', roles: ['read'] },
      { email: 'bob@mail.example', roles: ['read'] },
    ]);
    await sharing.unshare(of('ada@mail.example'), ada);
    expect(graph.permissionsOf(itemId)).toEqual([{ email: 'bob@mail.example', roles: ['read'] }]);
    // Once more, and by the handle alone.
    await sharing.unshare(of('ada@mail.example'), ada);
    await sharing.unshare(of(''), bob);
    expect(graph.permissionsOf(itemId)).toEqual([]);
  });

  it('leaves rights alone that it did not give', async () => {
    graph.grant(itemId, 'carol@mail.example', ['write']);
    expect(await sharing.share(of('Carol@mail.example'))).toBeNull();
    await sharing.unshare(of('carol@mail.example'), null);
    await sharing.unshare(of('above@mail.example'), null);
    await sharing.unshare(of(''), null);
    expect(graph.permissionsOf(itemId)).toEqual([{ email: 'carol@mail.example', roles: ['write'] }]);
  });

  it('finds its grant again when a worker died before it was written down', async () => {
    await sharing.share(of('dan@mail.example'));
    expect(await sharing.share(of('dan@mail.example'))).toBeNull();
    expect(graph.permissionsOf(itemId)).toHaveLength(1);
    await sharing.unshare(of('dan@mail.example'), null);
    expect(graph.permissionsOf(itemId)).toEqual([]);
  });

  it('has nothing to do for an item that is gone, and tells what stands in its way', async () => {
    const handle = await sharing.share(of('eve@mail.example'));
    graph.remove(itemId);
    await sharing.unshare(of('eve@mail.example'), handle);
    const gone = sharing.share(of('eve@mail.example')).catch((error: SourceError) => error.failure);
    expect(await gone).toBe('not_found');
    graph.throttle = { times: 1, retryAfter: '9' };
    const slow = await sharing.share(of('eve@mail.example')).catch((error: SourceError) => error);
    expect(slow).toMatchObject({ failure: 'throttled', retryAfterSeconds: 9 });
  });
});
