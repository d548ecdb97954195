import { PAGE_POLICY, pageDocument } from './page-document.js';
import { pageAddresses } from './page-addresses.js';
import { chartsScript, type Embedders, holderDocument, scriptJson, shellDocument } from './shell-document.js';

const opened = (state: Record<string, unknown> = {}) => ({ artifact: { id: 'a', version: 1, title: 'T' }, state });

const addresses = (embedders: Embedders) => pageAddresses(holderDocument(embedders), chartsScript());

describe('the document of a page', () => {
  it.each([
    ['<!doctype html><html lang="ar" dir="rtl"><head><title>x</title></head><body>x'],
    ['</head></html><!doctype html><base href="https://evil.example/">'],
    ['"></script></iframe></textarea><script>x'],
    ['<meta http-equiv="Content-Security-Policy" content="default-src *">'],
    ['<!--'],
    ['\u0000<plaintext>'],
    ['\uFEFF'],
    [''],
  ])('begins with our policy, whatever follows: %j', (html) => {
    const document = pageDocument(html, opened());
    const policy = /^<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(
      document,
    );
    expect(policy?.[1]?.replaceAll('&#39;', "'")).toBe(PAGE_POLICY);
    expect(document.endsWith(html)).toBe(true);
    expect(document.indexOf('<script')).toBeLessThan(document.length - html.length);
  });

  it('keeps what it was opened with within an attribute', () => {
    const document = pageDocument('', opened({ a: `"></script><img src=x onerror=1>'&` }));
    expect(document).not.toContain('<img');
    expect(/data-opened="([^"]*)"/.exec(document)?.[1]).toContain('&#34;state&#34;');
  });

  it('has a script that ends where we end it', () => {
    const [, script] = /<script[^>]*>([\s\S]*?)<\/script>/.exec(pageDocument('', opened()))!;
    expect(() => new Function(script!)).not.toThrow();
  });
});

describe('the shell of a page', () => {
  const contents = { title: '</title><script>x', page: '</script><!-- <script>', token: 't', seconds: 300 };
  const shell = (embedders: Embedders = { origins: ['https://app.example'], local: false }) =>
    shellDocument(contents, addresses(embedders), embedders);

  it('takes its parts from addresses that change with their policies, which browsers keep beside them', () => {
    const [here, there] = [
      { origins: ['https://app.example'], local: false },
      { origins: [], local: false },
    ].map(addresses);
    expect(there!.holder).not.toBe(here!.holder);
    expect(there!.charts).toBe(here!.charts);
    expect(addresses({ origins: [], local: false })).toEqual(there);
    const { body, headers } = chartsScript();
    const changed = { body, headers: { ...headers, 'Content-Security-Policy': "default-src 'none'" } };
    expect(pageAddresses(holderDocument({ origins: [], local: false }), changed).charts).not.toBe(there!.charts);
  });

  it('has two scripts and two nonces, whatever the page and its title hold', () => {
    const { body, headers } = shell();
    const nonce = /'nonce-([^']+)'/.exec(headers['Content-Security-Policy']!)![1]!;
    expect(body.match(/<script/g)).toHaveLength(2);
    expect(body.split(`nonce="${nonce}"`)).toHaveLength(4);
    expect(body).not.toContain('<!--');
    expect(shell().headers['Content-Security-Policy']).not.toContain(nonce);
  });

  it('says who may frame it', () => {
    expect(shell().headers['Content-Security-Policy']).toMatch(/frame-ancestors https:\/\/app\.example$/);
    expect(shell({ origins: [], local: false }).headers['Content-Security-Policy']).toMatch(/frame-ancestors 'none'$/);
    expect(shell({ origins: [], local: true }).headers['Content-Security-Policy']).toContain('http://localhost:*');
  });

  it('holds JSON that ends no script', () => {
    const text = scriptJson({ a: '</script><!--\u2028&' });
    expect(text).not.toMatch(/[<>&\u2028]/);
    expect(JSON.parse(text)).toEqual({ a: '</script><!--\u2028&' });
  });
});
