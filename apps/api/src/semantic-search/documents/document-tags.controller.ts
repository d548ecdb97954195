import { CurrentUser, type Principal } from '@app/auth';
import {
  documentNotFound,
  DocumentReader,
  DocumentTags,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  normalizeTags,
} from '@app/documents';
import { Body, Controller, Put } from '@nestjs/common';
import { kinds, ListField } from '../../http/fields.js';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { DocumentResponse } from './document.dto.js';
import { presentDocument } from './present-document.js';

class TagsRequest {
  @ListField(kinds.string(), {
    description: `The tags that the document has from now on: at most ${MAX_TAGS} of ${MAX_TAG_LENGTH} characters.`,
  })
  tags: string[];
}

@PartOf('core')
@Controller('semantic-search/:uid')
export class DocumentTagsController {
  constructor(
    private readonly reader: DocumentReader,
    private readonly tags: DocumentTags,
  ) {}

  @Put('tags/')
  @Route({
    summary: 'Set the tags of a document',
    description: 'Replaces those that it had. Only its owner may.',
    errors: 'fields',
    scope: 'documents:write',
    response: DocumentResponse,
  })
  async replace(
    @CurrentUser() user: Principal,
    @UuidParam('uid') uid: string,
    @Body() body: TagsRequest,
  ): Promise<DocumentResponse> {
    await this.reader.requireAccess(user.userId, uid, 'manage');
    const document = await this.tags.replace(uid, normalizeTags(body.tags));
    if (!document) throw documentNotFound();
    return presentDocument(this.reader, document, user.userId);
  }
}
