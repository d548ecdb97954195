import { findSuspicions } from './suspicions.js';

it('tells of variables that are almost settings, and of no others', () => {
  const env = {
    RATE_LIMIT: 'off',
    DATABSE_URL: 'x',
    api_port: '1',
    RATE_LIMITS: 'off',
    LARGE_KEY: 'k',
    PATH: '',
    HOME: '',
  };
  expect(findSuspicions(env)).toEqual([
    'RATE_LIMIT is no setting and has no effect. Is RATE_LIMITS meant?',
    'DATABSE_URL is no setting and has no effect. Is DATABASE_URL meant?',
    'api_port is no setting and has no effect. Is API_PORT meant?',
  ]);
});

it('tells of settings that wait for another one', () => {
  const env = { LLM_MODEL: 'm', LLM_BASE_URL: 'http://m', SMTP_URL: 'smtp://m', MAIL_PROVIDER: 'off', S3_BUCKET: '' };
  expect(findSuspicions(env)).toEqual(['LLM_MODEL has no effect without LLM_PROVIDER=openai.']);
});

it('warns where strangers can take addresses that nobody confirms', () => {
  const production = { NODE_ENV: 'production' };
  const warned = [
    production,
    { ...production, EMAIL_VERIFICATION: 'false' },
    { ...production, EMAIL_VERIFICATION: 'No' },
  ];
  for (const env of warned) expect(findSuspicions(env)).toEqual([expect.stringMatching(/^EMAIL_VERIFICATION is off/)]);
  const quiet = [{}, { ...production, EMAIL_VERIFICATION: 'true' }, { ...production, REGISTRATION: 'sso_only' }];
  for (const env of quiet) expect(findSuspicions(env)).toEqual([]);
});
