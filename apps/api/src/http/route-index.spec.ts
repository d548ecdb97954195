import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { type IndexedMethod, RouteIndex } from './route-index.js';

const answers = (name: string): RequestHandler => {
  return (request, response) =>
    void response.json({ name, params: request.params, url: request.url, base: request.baseUrl });
};

/** The same routes, found by Express one after the other and by the index. */
async function both(build: (add: (method: IndexedMethod, path: string) => void, use: (name: string) => void) => void) {
  const apps = [express(), express()] as const;
  let index: RouteIndex | null = null;
  build(
    (method, path) => {
      const name = `${method} ${path}`;
      apps[0][method](path, answers(name));
      index = RouteIndex.add(index, apps[1], method, path, [answers(name)]);
    },
    (name) => {
      for (const app of apps)
        app.use((request, response, next) => {
          response.append('x-passed', name);
          if (request.query['stop'] === name) response.json({ stopped: name });
          else next();
        });
    },
  );
  for (const app of apps)
    app.use((error: Error, _: Request, response: Response, __: NextFunction) => {
      response.status(400).json({ error: error.message });
    });
  const servers = await Promise.all(
    apps.map(
      (app) =>
        new Promise<ReturnType<typeof app.listen>>((done) => {
          const server = app.listen(0, '127.0.0.1', () => done(server));
        }),
    ),
  );
  const ask = (path: string, method = 'GET') =>
    Promise.all(
      servers.map(async (server) => {
        const { port } = server.address() as AddressInfo;
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
        return [answer.status, answer.headers.get('x-passed'), answer.headers.get('allow'), await answer.text()];
      }),
    );
  const stop = () => Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return { ask, stop };
}

describe('RouteIndex', () => {
  it('finds what Express finds, with the same parameters, and passes on what is no route', async () => {
    const { ask, stop } = await both((add, use) => {
      use('first');
      add('get', '/docs');
      use('second');
      add('get', '/users/me/');
      add('post', '/users/me/');
      add('get', '/users/:id/');
      add('delete', '/users/:id/');
      add('get', '/users/:id/files/*path');
      add('get', '/microservices/workflow/:id/');
      add('all', '/hooks/:token');
      add('get', '/mcp{/}');
      add('get', '/');
      use('third');
      add('get', '/:any/late/');
    });
    try {
      for (const [path, method] of [
        ['/docs'],
        ['/docs/'],
        ['/users/me/'],
        ['/users/me'],
        ['/USERS/Me/'],
        ['/users/me/', 'POST'],
        ['/users/me/', 'DELETE'],
        ['/users/7/'],
        ['/users/a%2Fb/'],
        ['/users/%6De/'],
        ['/users/7/files/x/y'],
        ['/users//'],
        ['//users/me/'],
        ['/users/me/', 'HEAD'],
        ['/users/me/', 'OPTIONS'],
        ['/users/me/', 'PUT'],
        ['/microservices/workflow/1/'],
        ['/microservices/other/1/'],
        ['/hooks/t', 'PATCH'],
        ['/mcp'],
        ['/mcp/'],
        ['/'],
        ['/?a=1'],
        ['/x/late/'],
        ['/users/late/'],
        ['/users/me/?stop=second'],
        ['/nowhere/?stop=third'],
        ['/users/%E0%A4%A/'],
      ] as const) {
        const [plain, indexed] = await ask(path, method);
        // Express answers these after all, the index in its place.
        if (method === 'OPTIONS') for (const answer of [plain!, indexed!]) answer.splice(1, 1);
        expect([path, method, indexed]).toEqual([path, method, plain]);
      }
    } finally {
      await stop();
    }
  });
});
