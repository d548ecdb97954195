import { EmbeddedGateways } from '../support/embedded-harness.js';
import { itIsAGateway } from '../support/gateway-contract.js';

describe('our own loop as a gateway', () => {
  let gateways: EmbeddedGateways;
  beforeAll(async () => {
    gateways = await EmbeddedGateways.start();
  });
  afterAll(() => gateways?.stop());

  itIsAGateway(() => gateways.harness());
});
