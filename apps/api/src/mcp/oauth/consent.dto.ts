import { MCP_SCOPES, type McpScope } from '@app/auth';
import { BooleanField, DateTimeField, kinds, ListField, StringField } from '../../http/fields.js';

export class ConsentRequestResponse {
  @StringField({ description: 'As the program calls itself: nobody has checked it.' })
  client_name: string;

  @StringField({ description: 'Empty when it told none.' })
  client_uri: string;

  @StringField({
    description: 'Where the answer goes; with its scheme where that is not of the web, as in `cursor://host`.',
  })
  redirect_host: string;

  @StringField({ description: 'The whole address to which the answer goes. Show it before the person agrees.' })
  redirect_uri: string;

  @StringField({
    nullable: true,
    description:
      'Set where the answer opens a program of the machine instead of a page: any program there may have claimed the scheme.',
  })
  redirect_scheme: string | null;

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
