import { findMisspellings } from './misspellings.js';

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
  expect(findMisspellings(env)).toEqual([
    'RATE_LIMIT is no setting and has no effect. Is RATE_LIMITS meant?',
    'DATABSE_URL is no setting and has no effect. Is DATABASE_URL meant?',
    'api_port is no setting and has no effect. Is API_PORT meant?',
  ]);
});
