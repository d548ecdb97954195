import { headersForWorkflow, queryForWorkflow } from './call-headers.js';

describe('headersForWorkflow', () => {
  it('keeps what names the event and drops what proves the sender', () => {
    expect(
      headersForWorkflow({
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': 'guid',
        'x-shopify-topic': 'orders/create',
        'x-gitlab-event': 'Tag',
        'webhook-id': 'msg_1',
        'webhook-signature': 'v1,abc',
        'x-hub-signature-256': 'sha256=abc',
        'x-gitlab-token': 'geheim',
        'x-webhook-secret': 'geheim',
        'x-event-token': 'geheim',
        authorization: 'Token geheim',
        cookie: 'session=geheim',
        'set-cookie': ['a', 'b'],
        'x-forwarded-for': '10.0.0.1',
      }),
    ).toEqual({
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': 'guid',
      'x-shopify-topic': 'orders/create',
      'x-gitlab-event': 'Tag',
      'webhook-id': 'msg_1',
    });
    expect(headersForWorkflow({ 'x-event-kind': 'x'.repeat(2000) })['x-event-kind']).toHaveLength(512);
  });
});

describe('queryForWorkflow', () => {
  it('keeps every value of a field, and neither proofs nor what steers the call', () => {
    expect(
      queryForWorkflow({
        id: '7',
        tag: ['a', 'b'],
        part: ['a', '\0'],
        nothing: ['\0'],
        wait_seconds: '5',
        token: 'secret',
        Api_Key: ['secret', 'other'],
      }),
    ).toEqual({ id: '7', tag: ['a', 'b'], part: 'a' });
    expect(queryForWorkflow({ many: Array.from({ length: 200 }, () => 'x'.repeat(2000)) })).toEqual({
      many: Array.from({ length: 50 }, () => expect.stringMatching(/^.{512}$/) as string),
    });
  });
});
