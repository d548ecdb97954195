import { z } from 'zod';
import { GuardedFetch } from '../../guarded-fetch/guarded-fetch.js';
import { defineSource } from '../source-definition.js';
import { GraphClient } from './graph-client.js';
import { SharepointConnector } from './sharepoint-connector.js';

const config = z.strictObject({
  tenant_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,200}$/, 'The id or a domain of the tenant is needed.'),
  client_id: z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'The id of an application is needed.'),
  drive_id: z.string().regex(/^[\w!.-]{1,200}$/, 'The id of a drive is needed.'),
});

/** A document library or drive, read by an application of the tenant with `Files.Read.All` or `Sites.Selected`. */
export const sharepointSource = defineSource({
  type: 'sharepoint',
  batchType: 'sharepoint',
  config,
  secret: 'the client secret of the application',
  destinationOf: ({ tenant_id, client_id }) => JSON.stringify([tenant_id, client_id]),
  connect: ({ tenant_id, client_id, drive_id }, secret, { guard, graphUrl, loginUrl }) => {
    const application = { tenantId: tenant_id, clientId: client_id, clientSecret: secret, graphUrl, loginUrl };
    return new SharepointConnector(new GraphClient(application, new GuardedFetch(guard)), drive_id);
  },
});
