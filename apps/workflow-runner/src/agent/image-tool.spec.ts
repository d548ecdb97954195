import { ImageGeneration, type MadePicture, type PictureRequest } from '@app/integrations';
import type { NewFile, StoragePort } from '@app/workflow-definition';
import { InvalidRequestError } from '@app/common';
import { imageTool } from './image-tool.js';

class Painter extends ImageGeneration {
  readonly model = 'painter';
  readonly asked: PictureRequest[] = [];

  constructor(
    readonly available = true,
    readonly onPremises = false,
  ) {
    super();
  }

  make(request: PictureRequest): Promise<MadePicture> {
    this.asked.push(request);
    if (request.prompt === 'no')
      return Promise.reject(new InvalidRequestError('The model does not want to.', { code: 'picture_refused' }));
    return Promise.resolve({
      mediaType: 'image/webp',
      data: Buffer.from('RIFF'),
      model: 'painter',
      usage: { promptTokens: 12, completionTokens: 1000, cost: 0.04 },
    });
  }
}

const written: NewFile[] = [];
const storage: StoragePort = {
  find: () => Promise.reject(new Error('not called')),
  findWritten: () => Promise.resolve(null),
  write: (_viewer, file) => {
    written.push(file);
    const rest = { path: file.name, name: 'a.webp', mimeType: file.mimeType, sizeBytes: 4 };
    return Promise.resolve({ mediaPath: '/media/written/1/a.webp', ...rest });
  },
};
const caller = { viewer: { userId: 7, turnId: 't' }, workId: 't', onPremises: false, tell: () => undefined };
const context = { idempotencyKey: 't:1.1', signal: new AbortController().signal, cite: () => 0 };

describe('generate_image', () => {
  it('keeps the picture as a file of the user, shows it, and names who it was for', async () => {
    const painter = new Painter();
    const tool = imageTool(painter, storage, caller)!;
    const answer = await tool.run({ prompt: 'A heron', shape: 'portrait', name: '../../heron' }, context);
    expect(answer).toMatchObject({
      files: ['/media/written/1/a.webp'],
      pictures: [{ file: '/media/written/1/a.webp', mediaType: 'image/webp' }],
      // Counts towards what the turn may cost.
      usage: { tokens: 1012, cost: 0.04 },
    });
    expect(painter.asked[0]).toMatchObject({
      prompt: 'A heron',
      shape: 'portrait',
      usage: { userId: 7, purpose: 'image', turnId: 't' },
    });
    expect(written[0]).toMatchObject({ idempotencyKey: 't:1.1', mimeType: 'image/webp' });
    expect(written[0]!.name).toMatch(/^agent\/[^/]*heron\.webp$/);
  });

  it.each([
    ['where no model makes any', new Painter(false), storage, false],
    ['where no files are kept', new Painter(), undefined, false],
    ['where a prompt for the own machines would leave them', new Painter(), storage, true],
  ])('is not offered %s', (_, painter, kept, onPremises) => {
    expect(imageTool(painter, kept, { ...caller, onPremises })).toBeNull();
  });

  it('is offered where both are on the own machines', () => {
    expect(imageTool(new Painter(true, true), storage, { ...caller, onPremises: true })).not.toBeNull();
  });

  it.each([
    [{}, /prompt/],
    [{ prompt: 'a', shape: 'round' }, /shape/],
    [{ prompt: 'no' }, /does not want to/],
  ])('tells the model what is wrong: %j', async (input, message) => {
    await expect(imageTool(new Painter(), storage, caller)!.run(input, context)).rejects.toThrow(message);
  });
});
