import type { ErrorShapes } from '../http/error-shape.js';

/** The refused sign-in of a known account names no field: `{non_field_errors}` (docs/contract/sessions.md#sign-in). */
export const CALLBACK_ERRORS: ErrorShapes = {
  400: 'detail+non_field_errors',
  403: 'detail',
  404: 'detail',
  409: 'detail',
  502: 'detail',
};

export const LINK_EXCHANGE_ERRORS: ErrorShapes = { 409: 'detail', 502: 'detail' };
