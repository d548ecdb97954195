import { ChatEncryption } from '@app/agents';
import { CurrentUser, Directory, LinkedProviders, type Principal, SignInMethods } from '@app/auth';
import { InvalidRequestError } from '@app/common';
import { WrittenFiles } from '@app/workflows';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import {
  ConnectedResponse,
  DirectoryResponse,
  MigrateChatsRequest,
  MigratedChatsResponse,
  ProfileRequest,
  ProfileResponse,
  toConnectedResponse,
  toProfileChange,
  toProfileResponse,
  WrittenFilesResponse,
} from './account.dto.js';
import { ProfileEdits } from './profile-edits.js';

/** What people change and see of their account (docs/contract/accounts.md#profile). */
@ApiTags('Profile')
@PartOf('core')
@Controller('users')
export class AccountController {
  constructor(
    private readonly edits: ProfileEdits,
    private readonly directory: Directory,
    private readonly files: WrittenFiles,
    private readonly providers: LinkedProviders,
    private readonly methods: SignInMethods,
    private readonly chats: ChatEncryption,
  ) {}

  @Post('profile/')
  @Route({
    summary: 'Change my profile',
    description: 'Changes only the fields that are sent.',
    errors: 'fields',
    response: ProfileResponse,
  })
  async edit(@CurrentUser() viewer: Principal, @Body() body: ProfileRequest): Promise<ProfileResponse> {
    return toProfileResponse(await this.edits.apply(viewer, toProfileChange(body)));
  }

  @Get('userslist/')
  @Route({
    summary: 'List the people of my organisation',
    description: 'Those with a confirmed address; whoever has not confirmed the own one sees only themselves.',
    response: DirectoryResponse,
  })
  async list(@CurrentUser() viewer: Principal): Promise<DirectoryResponse> {
    return { users: await this.directory.list(viewer) };
  }

  @Get('file_writer_files/')
  @Route({
    summary: 'List the files that the File Writer made',
    description: 'Files that agents and workflows wrote for you, newest first.',
    errors: 'error',
    response: WrittenFilesResponse,
  })
  async listFiles(@CurrentUser() viewer: Principal): Promise<WrittenFilesResponse> {
    return { files: await this.files.list(viewer) };
  }

  @Get('sso/connected/')
  @Route({
    summary: 'List my ways to sign in',
    description: 'The password, passkeys and linked providers of the account.',
    response: ConnectedResponse,
  })
  async connected(@CurrentUser() { userId }: Principal): Promise<ConnectedResponse> {
    const [linked, methods] = await Promise.all([this.providers.list(userId), this.methods.of(userId)]);
    return toConnectedResponse(linked, methods);
  }

  @Post('encryption/migrate-chats/')
  @Route({
    summary: 'Encrypt my earlier chats',
    description: 'AES-256-GCM with the given key, as `enc:v1:<iv>:<ct>`; what is encrypted stays as it is.',
    errors: 'error',
    response: MigratedChatsResponse,
    open: true,
  })
  async migrateChats(
    @CurrentUser() { userId }: Principal,
    @Body() { dek = '' }: MigrateChatsRequest,
  ): Promise<MigratedChatsResponse> {
    if (!/^[0-9a-f]{64}$/i.test(dek))
      throw new InvalidRequestError('The key must be 32 bytes in hex.', { code: 'invalid_dek' });
    return { migrated: await this.chats.migrate(userId, Buffer.from(dek, 'hex')) };
  }
}
