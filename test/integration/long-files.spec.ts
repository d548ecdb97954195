import { AgentLoop, AgentTools, estimateTokens, newAgentState, type AgentState } from '@app/agents';
import { SystemClock } from '@app/common';
import { ToolError, type NewFile, type StoragePort, type WrittenFile } from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';
import {
  agentWork,
  type Durable,
  MemoryHost,
  newDurable,
  ScriptedModel,
  type ScriptedStep,
} from '../../libs/agents/src/agent/simulation.spec-support.js';
import { CatalogueTools } from '../../apps/workflow-runner/src/agent/catalogue-tools.js';

const OUTPUT_TOKENS = 4_000;
const SIZE = 200_000;

/** Text of several alphabets, so that bytes, characters and tokens are three things. */
function longText(): string {
  const lines: string[] = [];
  for (let n = 0, size = 0; size < SIZE; n += 1) {
    const line = `${n}. Der Ertrag im Quartal war höher, ${(n * 7919) % 10_007} € – الحمد لله, "fine" 🙂\n`;
    lines.push(line);
    size += Buffer.byteLength(line);
  }
  return lines.join('');
}

/** Keeps files by their key, as the database does. */
class KeyedStorage implements StoragePort {
  readonly files = new Map<string, { name: string; content: Buffer }>();
  writes = 0;

  find(): Promise<never> {
    return Promise.reject(new ToolError('file_not_found', 'No.', false));
  }

  findWritten(_viewer: unknown, key: string): Promise<WrittenFile | null> {
    const file = this.files.get(key);
    return Promise.resolve(file ? this.toFile(file) : null);
  }

  write(_viewer: unknown, { name, content, idempotencyKey }: NewFile): Promise<WrittenFile> {
    const file = { name, content: Buffer.from(content as Uint8Array) };
    this.files.set(idempotencyKey, file);
    this.writes += 1;
    return Promise.resolve(this.toFile(file));
  }

  private toFile({ name, content }: { name: string; content: Buffer }): WrittenFile {
    const open = async function* () {
      yield content;
    };
    return { name, path: name, mediaPath: `/media/${name}`, mimeType: 'text/plain', sizeBytes: content.length, open };
  }
}

/** A model that would write it all at once, is cut off, and goes on in parts after the size that it was told. */
function writer(text: string): ScriptedModel {
  const bytes = Buffer.from(text);
  return new ScriptedModel(({ messages, maxOutputTokens }): ScriptedStep => {
    const outcomes = messages.flatMap((one) => (one.role === 'tool' ? one.outcomes : []));
    if (outcomes.length === 0)
      return { calls: [{ name: 'file_writer', problem: 'The arguments are not a JSON object.' }], reason: 'length' };
    const sizes = outcomes.flatMap(({ output }) => /"size_bytes":(\d+)/.exec(output)?.[1] ?? []);
    const offset = Number(sizes.at(-1) ?? 0);
    if (offset >= bytes.length) return { text: 'Written.' };
    let content = new TextDecoder().decode(bytes.subarray(offset)).slice(0, 8_000);
    content = content.slice(0, content.lastIndexOf('\n') + 1);
    if (estimateTokens(content) > maxOutputTokens!) throw new Error('More than it may write.');
    return { calls: [{ name: 'file_writer', input: { path: 'long.txt', content, if_exists: 'append', offset } }] };
  });
}

async function write(storage: StoragePort, durable: Durable, dieAtSave: number | null): Promise<boolean> {
  const model = writer(longText());
  let saves = 0;
  const host = new MemoryHost(
    durable,
    () => Promise.resolve(),
    (text) => text,
    () => {
      saves += 1;
      if (saves === dieAtSave) throw new Error('killed');
    },
  );
  const tools = new CatalogueTools(toolCatalogue, { storage }, new SystemClock());
  const writing = tools.find('file_writer', { viewer: { userId: 1 }, workId: 'turn' })!;
  const work = agentWork(model, [], {
    tools: new AgentTools([writing], [], { asksUser: false }),
    limits: { maxSteps: 100 },
    model: { ...agentWork(model, []).model, maxOutputTokens: OUTPUT_TOKENS },
  });
  const state: AgentState = durable.state === null ? { ...newAgentState(), opening: 'Write it.' } : host.state;
  try {
    await new AgentLoop(work, state, host).run(null);
    return true;
  } catch (error) {
    if ((error as Error).message !== 'killed') throw error;
    host.die();
    return false;
  }
}

describe('a file of 200 KB, by a model that writes 4,000 tokens at once', () => {
  it('is written in parts, to the byte', async () => {
    const storage = new KeyedStorage();
    const durable = newDurable();
    expect(await write(storage, durable, null)).toBe(true);
    expect([...storage.files.values()].map(({ content }) => content.toString() === longText())).toEqual([true]);
    expect(durable.published).toContain('Written.');
  });

  it.each([3, 30])('is the same when its worker dies at write %i and each third one after', async (first) => {
    const storage = new KeyedStorage();
    const durable = newDurable();
    for (let tries = 0, at: number | null = first; ; tries += 1, at = tries < 6 ? 3 : null)
      if (await write(storage, durable, at)) break;
    expect([...storage.files.values()].map(({ content }) => content.toString() === longText())).toEqual([true]);
  });

  it('takes a repetition for one, and says where it goes on', async () => {
    const storage = new KeyedStorage();
    const caller = { viewer: { userId: 1 }, workId: 'turn' };
    const tool = new CatalogueTools(toolCatalogue, { storage }, new SystemClock()).find('file_writer', caller)!;
    const part = (content: string, offset: number | undefined, key: string) =>
      tool.run(
        { path: 'a.txt', content, if_exists: 'append', ...(offset !== undefined && { offset }) },
        { idempotencyKey: key, signal: new AbortController().signal, cite: () => 0 },
      );
    await part('one\n', 0, '1');
    await part('two\n', 4, '2');
    await part('one\n', 0, '1');
    await part('two\n', 4, 'another worker');
    expect(storage.writes).toBe(2);
    await expect(part('three\n', 4, '3')).rejects.toThrow(/has 8 bytes and ends with "one\\ntwo\\n".*offset 8/);
    await expect(part('three\n', 100, '3')).rejects.toThrow(/offset 8/);
    await expect(part('three\n', undefined, '3')).rejects.toThrow(/offset 8/);
    const others = { ...caller, workId: 'another turn' };
    const other = new CatalogueTools(toolCatalogue, { storage }, new SystemClock()).find('file_writer', others)!;
    expect(
      other.approvalFor({ path: 'a.txt', content: 'x', if_exists: 'append', offset: 0 }, null as never),
    ).toBeNull();
    await other.run(
      { path: 'a.txt', content: 'x', if_exists: 'append', offset: 0 },
      { idempotencyKey: '1', signal: new AbortController().signal, cite: () => 0 },
    );
    // What was there is as it was.
    expect([...storage.files.values()].map(({ content }) => content.toString())).toEqual(['one\ntwo\n', 'x']);
  });
});
