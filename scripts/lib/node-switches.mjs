/**
 * What Node is told of memory in every app; `docker/Dockerfile` and the scripts of `package.json` name the same.
 *
 * V8 gives new objects up to 128 MB of a process on machines with much memory, and fills that before it looks at them: an
 * app under load would hold as much garbage as it holds data.
 */
export const NODE_SWITCHES = ['--max-semi-space-size=16'];
