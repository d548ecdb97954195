import { AnyField, IntegerField, NestedField, StringField } from '../http/fields.js';

class JsonRpcFaultResponse {
  @IntegerField()
  code: number;

  @StringField()
  message: string;

  @AnyField({ optional: true, nullable: true })
  data?: unknown;
}

/** An error of JSON-RPC 2.0, section 5.1. */
export class JsonRpcErrorResponse {
  @StringField()
  jsonrpc: string;

  @AnyField({ nullable: true, description: 'Of the request; null where it could not be told.' })
  id: unknown;

  @NestedField(() => JsonRpcFaultResponse)
  error: JsonRpcFaultResponse;
}
