import { NotFoundError } from '@app/common';
import { SecretText, type Tool, type ToolContext, ToolError, type ToolResult } from '@app/workflow-definition';
import { withSecrets } from './with-secrets.js';

const VALUE = 'kanarie-vogel-4711';
const open = () => Promise.resolve({ values: new Map([['key', VALUE]]), hosts: null });

function toolOf(run: (params: Record<string, unknown>, context: ToolContext) => unknown): Tool {
  return { kind: 'it', timeoutSeconds: 1, run } as unknown as Tool;
}

const params = () => ({ url: new SecretText(['https://x/', { secret: 'key' }]), plain: [1] });

async function work(run: Parameters<typeof toolOf>[0], context: Partial<ToolContext> = {}): Promise<ToolResult> {
  return await withSecrets(toolOf(run), open).run(params(), context as ToolContext);
}

const bound = () =>
  Promise.resolve({ values: new Map([['key', VALUE]]), hosts: new Set(['api.example', 'other.example:8443']) });

describe('withSecrets', () => {
  it('hands over the values, and takes them out of what comes back', async () => {
    let given: unknown;
    const result = await work((own) => {
      given = own;
      return { output: { echo: own.url, [VALUE]: 1 }, warnings: [`careful with ${VALUE}`], chosen: ['a'] };
    });
    expect(given).toEqual({ url: `https://x/${VALUE}`, plain: [1] });
    expect(result).toEqual({
      output: { echo: 'https://x/***', '***': 1 },
      warnings: ['careful with ***'],
      chosen: ['a'],
    });
  });

  it('cleans what a wait keeps, and what is told on the way', async () => {
    const told: unknown[] = [];
    const log = { info: (...args: unknown[]) => told.push(args), warn: (...args: unknown[]) => told.push(args) };
    const result = await work(
      (own, context) => {
        context.progress(`calling ${String(own.url)}`);
        context.progress(0.5);
        context.text?.(`so far ${VALUE}`);
        context.log.info(VALUE, { deep: [VALUE] });
        context.log.warn('plain');
        return { wait: { reason: 'timer', until: 1, data: { cursor: VALUE } } };
      },
      { progress: (update) => told.push(update), text: (text) => told.push(text), log: log as ToolContext['log'] },
    );
    expect(result).toEqual({ wait: { reason: 'timer', until: 1, data: { cursor: '***' } } });
    expect(told).toEqual([
      'calling https://x/***',
      0.5,
      'so far ***',
      ['***', { deep: ['***'] }],
      ['plain', undefined],
    ]);
  });

  it.each([
    ['a tool error', new ToolError('refused', `No ${VALUE}`, false, { cause: new Error(VALUE) }), ToolError],
    ['a named error', new NotFoundError(`No ${VALUE}`), NotFoundError],
    ['anything else', new TypeError(`cannot read ${VALUE}`), Error],
    ['a text', `bad ${VALUE}`, Error],
  ])('cleans %s', async (_, thrown, type) => {
    const error: unknown = await work(() => {
      throw thrown;
    }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(type);
    const { message, stack, cause } = error as Error;
    expect(`${message}${String(stack).split('\n')[0]}${String(cause)}`).not.toContain(VALUE);
    if (error instanceof ToolError)
      expect(error).toMatchObject({ code: 'refused', retryable: false, message: 'No ***' });
  });

  it('starts nothing without the values', async () => {
    const missing = new ToolError('unknown_secret', 'The workflow has no secret key.', false);
    const tool = toolOf(() => {
      throw new Error('It ran.');
    });
    const run = withSecrets(tool, () => Promise.reject(missing)).run(params(), {} as ToolContext);
    await expect(run).rejects.toBe(missing);
  });

  describe('whose hosts are named', () => {
    const asked: { address: string; staysAtHost: boolean | undefined }[] = [];
    const http: ToolContext['http'] = {
      request: (address, { staysAtHost }) => {
        asked.push({ address: String(address), staysAtHost });
        return Promise.reject(new Error('offline'));
      },
    };
    const call = async (kind: string, address: string) => {
      const tool = { ...toolOf((_, context) => context.http!.request(address, {} as never)), kind };
      return withSecrets(tool, bound).run(params(), { http } as ToolContext);
    };

    it('reach them alone, and follow no redirect away from them', async () => {
      for (const address of ['https://api.example/x', 'http://API.example:1234/', 'https://other.example:8443/'])
        await expect(call('http_request', address)).rejects.toThrow('The tool failed.');
      expect(asked).toHaveLength(3);
      expect(asked.every(({ staysAtHost }) => staysAtHost)).toBe(true);
      for (const address of [
        'https://other.example/',
        'https://api.example.evil.example/',
        'https://evil.example/?api.example',
        'https://api.example@evil.example/',
        'https://x.api.example/',
        'nonsense',
      ])
        await expect(call('webhook_out', address)).rejects.toMatchObject({ code: 'secret_host_refused' });
      expect(asked).toHaveLength(3);
    });

    it('stand in no kind that does something else with them', async () => {
      await expect(call('code', 'https://api.example/')).rejects.toMatchObject({ code: 'secret_not_allowed' });
    });
  });

  it('takes them out of the names of files that are written', async () => {
    const names: string[] = [];
    const storage = {
      write: (_: unknown, { name }: { name: string }) => {
        names.push(name);
        return Promise.resolve({ mediaPath: '', path: '', name, mimeType: '', sizeBytes: 0 });
      },
    } as unknown as NonNullable<ToolContext['storage']>;
    await work(
      async (own, context) => {
        const file = { name: `${String(own.url)}.txt` } as never;
        return { output: await context.storage!.write(context.viewer, file, context.signal) };
      },
      { storage },
    );
    expect(names).toEqual(['https://x/***.txt']);
  });
});
