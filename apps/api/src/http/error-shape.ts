/**
 * How a route writes its 400 (docs/contract/conventions.md#errors):
 * - `detail`: `{detail, code}`
 * - `error`: `{error, code}`
 * - `message`: `{message, code}`
 * - `fields`: one key per wrong field for a `ValidationError`, `{detail, code}` for the rest
 * - `fields+error`: one key per wrong field for a `ValidationError`, `{error, code}` for the rest
 * - `detail+non_field_errors`: `{non_field_errors}` for a `ValidationError` of the whole body, `{detail, code}` for the rest
 * - `scim`: the error of RFC 7644, section 3.12, for every status
 * Every other status is `{detail, code}`, unless the route names another shape for it.
 */
export type ErrorShape =
  | 'detail'
  | 'error'
  | 'message'
  | 'fields'
  | 'fields+error'
  | 'detail+non_field_errors'
  | 'scim';

/** One shape for 400, or one per status: `{ 400: 'error', 404: 'message' }`. */
export type ErrorShapes = ErrorShape | Partial<Record<number, ErrorShape>>;

export function shapeFor(shapes: ErrorShapes | undefined, status: number): ErrorShape {
  if (shapes === undefined) return 'detail';
  if (typeof shapes === 'string') return status === 400 || shapes === 'scim' ? shapes : 'detail';
  return shapes[status] ?? 'detail';
}
