import type { PermanentLinkRecord } from '@app/documents';
import { DateTimeField, IntegerField, StringField, UuidField } from '../http/fields.js';

export class CreateLinkRequest {
  @UuidField({ optional: true, nullable: true, description: 'An artifact of one’s own.' })
  artifact_uid?: string | null;

  @StringField({ optional: true, nullable: true, maxLength: 4000, description: 'Media path of a file of one’s own.' })
  media_path?: string | null;
}

/** docs/contract/artifacts.md#permanent-links. */
export class PermanentLinkResponse {
  @UuidField()
  uid: string;

  @StringField({
    description:
      'Of a file relative to the API host, of an artifact absolute; works for anybody until the link is deleted.',
  })
  url: string;

  @StringField()
  media_path: string;

  @StringField()
  name: string;

  @UuidField({ nullable: true })
  artifact_uid: string | null;

  @DateTimeField()
  created_at: Date;

  @DateTimeField({ nullable: true })
  last_accessed_at: Date | null;

  @IntegerField()
  access_count: number;
}

/** @param origin of the page of an artifact; empty for a file */
export function toLinkResponse(link: PermanentLinkRecord, origin: string): PermanentLinkResponse {
  return {
    uid: link.uid,
    url: `${origin}${link.mediaPath}?link=${link.token}`,
    media_path: link.mediaPath,
    name: link.name,
    artifact_uid: link.artifactUid,
    created_at: link.createdAt,
    last_accessed_at: link.lastAccessedAt,
    access_count: link.accessCount,
  };
}
