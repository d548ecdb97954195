import { ChoiceField, IntegerField, StringField } from '../../http/fields.js';

export class FolderResponse {
  @StringField({ description: 'Path; empty for the root.' })
  folder: string;

  @IntegerField({ description: 'Documents in it, without those of its sub-folders.' })
  count: number;
}

/** In the body or in the query. */
export class DeleteFolderRequest {
  @StringField({ optional: true, allowBlank: true, trim: false, description: 'Empty for the files of the root.' })
  folder?: string;
}

export class FolderTrashedResponse {
  @ChoiceField(['trashed'])
  status: 'trashed';

  @IntegerField()
  count: number;
}

export class MoveFolderRequest {
  @StringField({ trim: false })
  from: string;

  @StringField({ allowBlank: true, trim: false, description: 'The new path of the folder; empty for the root.' })
  to: string;
}

export class FolderMovedResponse {
  @ChoiceField(['moved'])
  status: 'moved';

  @IntegerField()
  count: number;

  @StringField()
  from: string;

  @StringField()
  to: string;
}
