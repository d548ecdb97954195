import type Stripe from 'stripe';
import type { ProcessorEvent } from '../payment-processor.port.js';

/** As far as it matters which object it is about. Its version is that of the endpoint, which people choose. */
interface EventObject {
  object?: unknown;
  id?: unknown;
  /** Of an invoice, until 2025. */
  subscription?: unknown;
  parent?: { subscription_details?: { subscription?: unknown } | null } | null;
}

/** Names what changed; what an event says beyond that is not believed, but read anew. */
export function readEvent(event: Stripe.Event): ProcessorEvent {
  const { id, type, created } = event;
  return { id, type, createdAt: created * 1000, object: objectOf(event.data.object as EventObject) };
}

function objectOf({ object, id, subscription, parent }: EventObject): ProcessorEvent['object'] {
  if (object === 'checkout.session') return named('checkout', id);
  if (object === 'subscription') return named('subscription', id);
  if (object === 'invoice')
    return named('subscription', parent?.subscription_details?.subscription ?? subscription ?? null);
  return null;
}

function named(kind: 'checkout' | 'subscription', id: unknown): ProcessorEvent['object'] {
  const name = typeof id === 'object' && id !== null ? (id as { id?: unknown }).id : id;
  return typeof name === 'string' && name !== '' ? { kind, id: name } : null;
}
