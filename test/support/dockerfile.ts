export interface Stage {
  name: string;
  from: string;
  /** Instructions in their order, such as `['RUN', 'npm ci']`. */
  steps: [instruction: string, argument: string][];
}

/** The stages of a Dockerfile: enough of its grammar for ours (continued lines and comments; no heredocs). */
export function parseDockerfile(text: string): Stage[] {
  const lines = text.replace(/\\\n/g, ' ').split('\n');
  const stages: Stage[] = [];
  for (const line of lines) {
    const match = /^([A-Z]+)\s+(.*)$/.exec(line.trim());
    if (!match) continue;
    const [, instruction = '', argument = ''] = match;
    if (instruction === 'FROM') {
      const [from = '', , name = from] = argument.split(/\s+/);
      stages.push({ name, from, steps: [] });
    } else stages.at(-1)?.steps.push([instruction, argument]);
  }
  return stages;
}

/** What an image of the target is, by its own stage and the stages that it builds upon. */
export interface Image {
  /** The base image from a registry. */
  base: string;
  env: Record<string, string>;
  user: string;
  command: string[];
  healthCheck: string[] | null;
  /** Of each `COPY --from=<stage> <path> .`, the stage. */
  copiedFrom: string[];
}

const exec = (argument: string) => JSON.parse(argument.slice(argument.indexOf('['))) as string[];

export function describeImage(stages: Stage[], target: string): Image {
  const stage = stages.find((candidate) => candidate.name === target);
  if (!stage) return { base: target, env: {}, user: 'root', command: [], healthCheck: null, copiedFrom: [] };
  const image = describeImage(stages, stage.from);
  for (const [instruction, argument] of stage.steps) {
    if (instruction === 'USER') image.user = argument;
    if (instruction === 'CMD') image.command = exec(argument);
    if (instruction === 'HEALTHCHECK') image.healthCheck = exec(argument);
    if (instruction === 'ENV')
      for (const [, name = '', value = ''] of argument.matchAll(/(\w+)=(\S+)/g)) image.env[name] = value;
    const source = /^--from=(\S+) \/out \/app$/.exec(argument)?.[1];
    if (instruction === 'COPY' && source) image.copiedFrom.push(source);
  }
  return image;
}
