import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** The library's exports name no file that a script tag could load. */
const BUNDLE = join(__dirname, '../../node_modules/@simplewebauthn/browser/dist/bundle/index.umd.min.js');

/** The code of docs/guides/spa/accounts.md#passkeys, for scripts that are no modules. */
const SPA = `
const { startRegistration, startAuthentication } = SimpleWebAuthnBrowser;
async function call(method, path, body, token) {
  const headers = { 'content-type': 'application/json', ...(token ? { authorization: 'Token ' + token } : {}) };
  const response = await fetch(api + path, { method, headers, credentials: 'include', body: body && JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}
const post = (path, body, token) => call('POST', '/users/passkeys/' + path, body, token);

async function addPasskey(token, name) {
  const { body: { ceremony_id, options } } = await post('register/begin/', { name }, token);
  const credential = await startRegistration({ optionsJSON: options });
  return { ...(await post('register/finish/', { ceremony_id, credential }, token)), credential };
}
async function signIn(useBrowserAutofill = false) {
  const { body: { ceremony_id, options } } = await post('login/discoverable/begin/', {});
  const credential = await startAuthentication({ optionsJSON: options, useBrowserAutofill });
  return { ...(await post('login/discoverable/finish/', { ceremony_id, credential })), credential };
}
`;

export interface ServedPage {
  origin: string;
  stop(): Promise<void>;
}

/** A page of a single-page application on http://localhost, with @simplewebauthn/browser. */
export async function servePage(): Promise<ServedPage & { callFrom(apiUrl: string): void }> {
  const library = await readFile(BUNDLE);
  let api = '';
  const server = createServer((request, response) => {
    const isPage = request.url === '/';
    response.setHeader('content-type', isPage ? 'text/html; charset=utf-8' : 'text/javascript; charset=utf-8');
    if (request.url === '/library.js') return response.end(library);
    if (request.url === '/spa.js') return response.end(`const api = ${JSON.stringify(api)};${SPA}`);
    response.statusCode = isPage ? 200 : 404;
    response.end(
      isPage
        ? '<!doctype html><title>Atrium</title><input name="user" autocomplete="username webauthn"><script src="/library.js"></script><script src="/spa.js"></script>'
        : '',
    );
  });
  await new Promise<void>((done) => server.listen(0, done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    callFrom: (apiUrl) => {
      api = apiUrl;
    },
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
