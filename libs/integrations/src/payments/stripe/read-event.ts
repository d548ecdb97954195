import { InvalidEventError, type ProcessorEvent } from '../payment-processor.port.js';

/** As far as it matters which object it is about. Its version is that of the endpoint, which people choose. */
interface EventObject {
  object?: unknown;
  id?: unknown;
  /** Of an invoice, until 2025. */
  subscription?: unknown;
  parent?: { subscription_details?: { subscription?: unknown } | null } | null;
}

/**
 * Names what changed; what an event says beyond that is not believed, but read anew.
 * @throws InvalidEventError for what is none
 */
export function readEvent(event: unknown): ProcessorEvent {
  const { id, type, created, data } = (event ?? {}) as Record<string, unknown>;
  const object = (data as { object?: unknown } | null | undefined)?.object;
  const isEvent = typeof id === 'string' && id !== '' && typeof type === 'string' && Number.isSafeInteger(created);
  if (!isEvent || typeof object !== 'object' || object === null) throw new InvalidEventError('It is no event.');
  return { id, type, createdAt: Number(created) * 1000, object: objectOf(object) };
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
