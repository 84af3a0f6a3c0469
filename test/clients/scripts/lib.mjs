// What the scripts for Node have in common.
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';

export const env = process.env, key = env.KEY, bucket = env.BUCKET_NAME;
export const partSize = 5 << 20;
// headers are those that are written with an object, by the names that a client has for them.
export const headers = (type, cache, disposition) => (
  { [type]: 'text/x-test', [cache]: 'max-age=60', [disposition]: 'attachment; filename="a b.txt"' });
export const content = () => readFile('in');
export const save = (stream, path = 'out') => pipeline(stream, createWriteStream(path));
export const show = (lines) => console.log(lines.join('\n'));
export const version = async (name) => console.log(JSON.parse(await readFile(`node_modules/${name}/package.json`)).version);

// na ends a case that the client cannot do.
export const na = (reason = '') => { process.stderr.write(reason); process.exit(42); };

// sync uploads the directory up, and downloads what a list has to the directory down.
export const sync = async (put, list, get) => {
  for (const entry of await readdir('up', { recursive: true, withFileTypes: true })) {
    const path = `${entry.parentPath ?? entry.path}/${entry.name}`;
    if (entry.isFile()) await put(key + path.slice(2), await readFile(path));
  }
  for (const name of await list()) {
    const to = 'down' + name.slice(key.length);
    await mkdir(dirname(to), { recursive: true });
    await get(name, to);
  }
};

// run runs the case.
export const run = async (cases) => {
  try {
    await (cases[process.argv[2]] ?? na)();
  } catch (e) {
    console.error(`${e.name} ${e.Code ?? e.code ?? ''} ${e.$metadata?.httpStatusCode ?? e.statusCode ?? ''}: ${e.message}`);
    process.exit(1);
  }
};
