import { BooleanField, DateTimeField, kinds, ListField, StringField } from '../../http/fields.js';
import { MCP_SCOPES, type McpScope } from './oauth-scopes.js';

export class ConsentRequestResponse {
  @StringField({ description: 'As the program calls itself: nobody has checked it.' })
  client_name: string;

  @StringField({ description: 'Empty when it told none.' })
  client_uri: string;

  @StringField({ description: 'Where the answer goes.' })
  redirect_host: string;

  @ListField(kinds.choice(MCP_SCOPES))
  scopes: McpScope[];

  @DateTimeField()
  expires_at: Date;
}

export class ConsentAnswerRequest {
  @BooleanField()
  approve: boolean;

  @ListField(kinds.choice(MCP_SCOPES), { optional: true, description: 'Some of those asked for; all when absent.' })
  scopes?: McpScope[];
}

export class ConsentAnswerResponse {
  @StringField()
  redirect_to: string;
}
