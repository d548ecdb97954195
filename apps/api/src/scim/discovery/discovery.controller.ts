import { Public } from '@app/auth';
import { NotFoundError } from '@app/common';
import { Controller, Get, Param, Req, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { toListResponse } from '../protocol/list-query.js';
import { baseOf, type Resource } from '../protocol/resources.js';
import { ScimRoute } from '../protocol/scim-route.js';
import { ScimGuard } from '../scim.guard.js';
import { resourceTypes, schemas, serviceProviderConfig } from './documents.js';
import { PartOf } from '../../http/part-of.js';

const all = (resources: Resource[]) => toListResponse(resources.length, { offset: 0, limit: 200 }, resources);

function byId(resources: Resource[], id: string): Resource {
  const found = resources.find((resource) => String(resource['id']).toLowerCase() === id.toLowerCase());
  if (!found) throw new NotFoundError();
  return found;
}

/** What this service provider can do (RFC 7644, section 4). */
@ApiTags('SCIM')
@Public()
@UseGuards(ScimGuard)
@PartOf('sso_scim')
@Controller('scim/v2')
export class ScimDiscoveryController {
  @Get('ServiceProviderConfig')
  @ScimRoute({
    summary: 'What is supported',
    description: 'Which parts of the protocol are spoken, such as PATCH and filters, and which are not.',
    gives: 'A ServiceProviderConfig',
  })
  config(@Req() request: Request): Resource {
    return serviceProviderConfig(baseOf(request));
  }

  @Get('ResourceTypes')
  @ScimRoute({ summary: 'Kinds of resource', description: 'User and Group.', gives: 'A ListResponse' })
  listTypes(@Req() request: Request): Resource {
    return all(resourceTypes(baseOf(request)));
  }

  @Get('ResourceTypes/:id')
  @ScimRoute({
    summary: 'One kind of resource',
    description: 'User or Group, with its endpoint and schema.',
    gives: 'A ResourceType',
  })
  getType(@Param('id') id: string, @Req() request: Request): Resource {
    return byId(resourceTypes(baseOf(request)), id);
  }

  @Get('Schemas')
  @ScimRoute({
    summary: 'Attributes of the resources',
    description: 'The schemas of User and Group, with what may be written.',
    gives: 'A ListResponse',
  })
  listSchemas(@Req() request: Request): Resource {
    return all(schemas(baseOf(request)));
  }

  @Get('Schemas/:id')
  @ScimRoute({ summary: 'Attributes of one kind', description: 'The schema of that name.', gives: 'A Schema' })
  getSchema(@Param('id') id: string, @Req() request: Request): Resource {
    return byId(schemas(baseOf(request)), id);
  }
}
