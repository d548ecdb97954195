import { Clock } from '@app/common';
import type { AppConfig } from '@app/config';
import { KeyRing } from '@app/secrets';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PaymentProcessor } from '@app/integrations';
import { PaymentEventIntake } from '../events/payment-event-intake.js';
import { PaymentObjectReader } from '../events/payment-object-reader.js';
import { TestEvents } from './test-events.js';
import { TestEventDelivery } from './test-event-delivery.js';
import { TestPayer } from './test-payer.js';
import { type PageAddress, TestProcessor } from './test-processor.js';
import { TestSignatures } from './test-signatures.js';

/** Of the api, where its pages are. */
export const TEST_PAGES_PATH = 'billing/test';

export const testProcessorProviders = ({ http }: AppConfig): Provider[] => {
  const base = (http.publicUrl ?? `http://localhost:${http.port}`).replace(/\/+$/, '');
  const address: PageAddress = (path) => `${base}/${TEST_PAGES_PATH}/${path}`;
  return [
    {
      provide: TestSignatures,
      inject: [KeyRing],
      useFactory: (ring: KeyRing) => new TestSignatures(ring.derive('billing-test-events')),
    },
    TestEvents,
    TestPayer,
    PaymentEventIntake,
    PaymentObjectReader,
    TestEventDelivery,
    {
      provide: PaymentProcessor,
      inject: [DataSource, TestEvents, TestSignatures, Clock],
      useFactory: (dataSource: DataSource, events: TestEvents, signatures: TestSignatures, clock: Clock) =>
        new TestProcessor(dataSource, events, signatures, address, clock),
    },
  ];
};
