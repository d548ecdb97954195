import { InvalidEventError, type ProcessorEvent } from '../payment-processor.port.js';

/** As far as it matters which object it is about. Its version is that of the endpoint, which people choose. */
interface EventObject {
  object?: unknown;
  id?: unknown;
  /** Of an invoice, until 2025. */
  subscription?: unknown;
  parent?: { subscription_details?: { subscription?: unknown } | null } | null;
}

/** Of a thin event, which says no more of its object. */
interface RelatedObject {
  type?: unknown;
  id?: unknown;
}

const THIN = 'v2.core.event';

/**
 * Names what changed; what an event says beyond that is not believed, but read anew. Both forms are taken that an
 * endpoint may ask for: with a snapshot of the object, and thin.
 * @throws InvalidEventError for what is none
 */
export function readEvent(event: unknown): ProcessorEvent {
  const { id, type, object: form, created, data, related_object: related } = (event ?? {}) as Record<string, unknown>;
  const isThin = form === THIN;
  const createdAt = isThin ? Date.parse(String(created)) : Number.isSafeInteger(created) ? Number(created) * 1000 : NaN;
  const object = isThin ? ofRelated(related) : (data as { object?: unknown } | null | undefined)?.object;
  const isEvent = typeof id === 'string' && id !== '' && typeof type === 'string' && Number.isFinite(createdAt);
  if (!isEvent || typeof object !== 'object' || object === null) throw new InvalidEventError('It is no event.');
  return { id, type, createdAt, object: objectOf(object) };
}

function ofRelated(related: unknown): EventObject {
  const { type, id } = (related ?? {}) as RelatedObject;
  return { object: type, id };
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
