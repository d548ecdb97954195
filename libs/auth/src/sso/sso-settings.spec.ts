import { hash } from 'node:crypto';
import { loadConfig } from '@app/config';
import { SsoSettings } from './sso-settings.js';

const settings = (env: Record<string, string> = {}) =>
  new SsoSettings(
    loadConfig({
      DATABASE_URL: 'postgres://x',
      REDIS_URL: 'redis://x',
      SECRETS_KEY: hash('sha256', 'a key of tests', 'base64'),
      ...env,
    }),
  );

const page = (env?: Record<string, string>) => settings(env).redirectUri('sso_org');

describe('settings of single sign-on', () => {
  it('lead back to the web app, or to the api where it has none', () => {
    expect(page()).toBe('http://localhost:3000/auth/sso_org/callback');
    expect(page({ PUBLIC_URL: 'https://api.example/' })).toBe('https://api.example/auth/sso_org/callback');
    expect(page({ PUBLIC_URL: 'https://api.example', CORS_ORIGINS: 'https://app.example,https://b.example' })).toBe(
      'https://app.example/auth/sso_org/callback',
    );
    expect(page({ SSO_ORG_REDIRECT_URI: 'https://app.example/back' })).toBe('https://app.example/back');
  });

  it('ask for a proof of domains where strangers are served, unless told', () => {
    expect(settings().domainProof).toBe(false);
    expect(settings({ DEPLOYMENT: 'hosted' }).domainProof).toBe(true);
    expect(settings({ DEPLOYMENT: 'hosted', SSO_DOMAIN_PROOF: 'no' }).domainProof).toBe(false);
    expect(settings({ SSO_DOMAIN_PROOF: 'on' }).domainProof).toBe(true);
  });

  it('let sign-ins go on at listed paths alone', () => {
    const listed = settings({ SSO_REDIRECT_PATHS: '/home,/boards/*' });
    for (const path of ['/home', '/home?x=1', '/home#top', '/boards/', '/boards/7/edit'])
      expect(listed.allowsRedirect(path)).toBe(true);
    for (const path of [
      '/',
      '/homes',
      '//home',
      '/\\home',
      '/boards/../admin',
      '/boards/%2e%2e/admin',
      'home',
      'https://x/home',
      '/ho me',
      '/home\n',
    ])
      expect(listed.allowsRedirect(path)).toBe(false);
  });

  it('name no issuer that is plain http, nor half a platform', () => {
    expect(() => settings({ SSO_ORG_ISSUER: 'http://idp.example' })).toThrow('http://idp.example is no issuer');
    expect(() => settings({ SSO_PLATFORM_ISSUER: 'https://idp.example' })).toThrow('belong together');
    expect(settings({ SSO_ORG_ISSUER: 'http://idp.example', SSO_ALLOW_HTTP: 'true' }).orgIssuer).toBe(
      'http://idp.example',
    );
  });
});
