import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import { UploadRejectedError } from '../upload-rejected.error.js';
import type { ZipBudget } from './zip-budget.js';
import { opened } from './zip-entries.js';
import { listMembers, type ZipMember } from './zip-members.js';

/** An archive that was uploaded for what is in it. Nothing of it is held in memory but the list of its files. */
export class UploadedZip {
  private constructor(
    private readonly zip: ZipFile,
    readonly members: readonly ZipMember[],
  ) {}

  /**
   * @param budget is charged with what the archive says that it holds
   * @throws UploadRejectedError for one that is damaged, empty, no ZIP archive, or too much
   */
  static async open(path: string, budget: ZipBudget): Promise<UploadedZip> {
    const { size } = await stat(path);
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
    const zip = await opened((callback) => yauzl.open(path, options, callback)).catch(refuse);
    try {
      return new UploadedZip(zip, await listMembers(zip, size, budget));
    } catch (error) {
      zip.close();
      return refuse(error);
    }
  }

  /**
   * Hands the unpacked bytes of a member to `write`, one member at a time.
   * @throws UploadRejectedError when they are not what the archive says of them; whatever `write` throws
   */
  async unpack<T>({ entry }: ZipMember, write: (bytes: Readable) => Promise<T>): Promise<T> {
    const packed = await this.stream(entry).catch(damagedMember);
    let broken: unknown = null;
    const checked = async function* (): AsyncGenerator<Buffer> {
      let sum = 0;
      try {
        for await (const chunk of packed as AsyncIterable<Buffer>) {
          sum = crc32(chunk, sum);
          yield chunk;
        }
        if (sum !== entry.crc32) throw new Error('The checksum does not agree.');
      } catch (error) {
        broken = error;
        throw error;
      }
    };
    try {
      return await write(Readable.from(checked(), { objectMode: false }));
    } catch (error) {
      // A writer that fails leaves the loop above without an error in it.
      if (broken === null) throw error;
      return damagedMember(broken);
    } finally {
      packed.destroy();
    }
  }

  close(): void {
    this.zip.close();
  }

  private stream(entry: Entry): Promise<Readable> {
    return new Promise((resolve, reject) => {
      this.zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
    });
  }
}

function refuse(error: unknown): never {
  if (error instanceof UploadRejectedError) throw error;
  const message = error instanceof Error ? error.message : '';
  // Errors of the file system are ours.
  if (typeof error === 'object' && error !== null && 'syscall' in error) throw error;
  const reason = /encryption/.test(message)
    ? 'The archive is protected by a password. Unpack it and upload the files.'
    : 'This is no ZIP archive, or a damaged one: it cannot be opened.';
  throw new UploadRejectedError([reason], { cause: error });
}

function damagedMember(error: unknown): never {
  throw new UploadRejectedError(['The file is damaged: it cannot be unpacked from the archive.'], { cause: error });
}
