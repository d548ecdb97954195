import { hash } from 'node:crypto';
import { loadConfig } from '@app/config';
import { relyingPartyOf } from './relying-party.js';

const minimal = {
  DATABASE_URL: 'postgres://localhost/atrium',
  REDIS_URL: 'redis://localhost',
  SECRETS_KEY: hash('sha256', 'a key of tests', 'base64'),
};
const of = (settings: Record<string, string>) => relyingPartyOf(loadConfig({ ...minimal, ...settings }));

describe('relyingPartyOf', () => {
  it('is localhost when nothing is set', () => {
    expect(of({})).toEqual({ id: 'localhost', name: 'Atrium', origins: ['http://localhost:3000'] });
    expect(of({ PUBLIC_URL: 'http://10.0.0.7:3000' })).toMatchObject({ id: 'localhost', origins: [] });
  });

  it('belongs to the page rather than to the api', () => {
    expect(of({ CORS_ORIGINS: 'https://app.atrium.example', PUBLIC_URL: 'https://api.atrium.example' })).toMatchObject({
      id: 'app.atrium.example',
      origins: ['https://app.atrium.example'],
    });
  });

  it('takes every known page within the domain, and no other', () => {
    const pages = 'https://app.atrium.example,https://admin.atrium.example:8443,https://notatrium.example';
    expect(of({ WEBAUTHN_RP_ID: 'atrium.example', CORS_ORIGINS: pages }).origins).toEqual([
      'https://app.atrium.example',
      'https://admin.atrium.example:8443',
    ]);
  });

  it('takes the origins of the settings as they are', () => {
    expect(of({ WEBAUTHN_ORIGINS: 'https://a.example, android:apk-key-hash:abc-_1' }).origins).toEqual([
      'https://a.example',
      'android:apk-key-hash:abc-_1',
    ]);
    expect(() => of({ WEBAUTHN_ORIGINS: 'https://a.example/' })).toThrow('WEBAUTHN_ORIGINS');
    expect(() => of({ WEBAUTHN_RP_ID: 'https://a.example' })).toThrow('WEBAUTHN_RP_ID');
  });
});
