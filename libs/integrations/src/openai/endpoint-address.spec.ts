import { endpointAddress } from './endpoint-address.js';

describe('endpointAddress', () => {
  it.each([
    ['https://api.openai.com/v1', 'https://api.openai.com/v1/chat/completions'],
    ['http://localhost:11434/v1/', 'http://localhost:11434/v1/chat/completions'],
    ['https://proxy.example', 'https://proxy.example/chat/completions'],
    [
      'https://acme.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21',
      'https://acme.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    ],
  ])('%s', (base, url) => {
    expect(endpointAddress(base, undefined)).toMatchObject({ headers: {} });
    expect(endpointAddress(base, undefined).url('/chat/completions')).toBe(url);
  });

  it('gives Azure its key in the header that it reads, and nobody else', () => {
    expect(endpointAddress('https://acme.openai.azure.com/openai/v1', 'k').headers).toEqual({
      authorization: 'Bearer k',
      'api-key': 'k',
    });
    expect(endpointAddress('https://openai.azure.com.evil.example/v1', 'k').headers).toEqual({
      authorization: 'Bearer k',
    });
  });
});
