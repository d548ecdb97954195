import { anchorsOf, codeOf, linksOf, repositoryPathsIn, routeExists, routesIn } from '../support/markdown.js';

const PAGE = [
  '# One `two`, three',
  '## One `two`, three',
  'See [there](other.md#part), [here](#one-two-three), [out](https://example.org) and `GET /users/me/`.',
  '```sh',
  '# no heading',
  'curl -X POST $api/semantic-search/search/ -d \'{"query":"x"}\'; cat libs/none.ts apps/*/x',
  '```',
].join('\n');

describe('what is read of a page', () => {
  it('finds its sections as GitHub names them', () => {
    expect([...anchorsOf(PAGE)]).toEqual(['one-two-three', 'one-two-three-1']);
  });

  it('finds the links that stay within the repository', () => {
    expect(linksOf(PAGE)).toEqual(['other.md#part', '#one-two-three']);
  });

  it('finds paths, and leaves patterns out', () => {
    expect(repositoryPathsIn(codeOf(PAGE))).toEqual(['libs/none.ts']);
  });

  it('finds routes, with their methods where they are told', () => {
    expect(routesIn('`GET|POST /users/api-tokens/` and `/users/api-tokens/<id>/`, not `…/users/add/`')).toMatchObject([
      { method: 'GET', path: '/users/api-tokens/' },
      { method: 'POST', path: '/users/api-tokens/' },
      { method: null, path: '/users/api-tokens/:x/' },
    ]);
  });

  it('knows which routes there are', () => {
    const listed = [
      { method: 'GET', path: '/users/api-tokens/' },
      { method: 'DELETE', path: '/users/api-tokens/:id/' },
    ];
    const exists = (text: string) => routesIn(text).map((route) => routeExists(route, listed));
    expect(exists('GET /users/api-tokens/')).toEqual([true]);
    expect(exists('POST /users/api-tokens/')).toEqual([false]);
    expect(exists('DELETE /users/api-tokens/{id}/')).toEqual([true]);
    expect(exists('/users/')).toEqual([true]);
    expect(exists('/users/api-token/')).toEqual([false]);
  });
});
