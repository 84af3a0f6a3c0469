// Azure's SDK for JavaScript, with the URI of the Secret.
import { ContainerClient, StorageRetryPolicyType } from '@azure/storage-blob';
import { content, env, headers, key, partSize, run, save, show, sync, version } from './lib.mjs';

const retryOptions = { maxTries: 1 + Number(env.RETRIES ?? 0), retryDelayInMs: 10, retryPolicyType: StorageRetryPolicyType.FIXED };
const open = (uri) => new ContainerClient(uri, undefined, { retryOptions });
const container = open(env.AZURE_STORAGE_SAS_TOKEN ?? 'http://localhost/a/b');
const blob = container.getBlockBlobClient(key || 'none');
const put = async (options) => { const body = await content(); await blob.upload(body, body.length, options); };
const get = async (from = blob, ...range) => save((await from.download(...range)).readableStreamBody);
const list = async () => {
  const names = [];
  for await (const page of container.listBlobsFlat({ prefix: `${key}/` }).byPage({ maxPageSize: 100 })) {
    names.push(...page.segment.blobItems.map((b) => b.name));
  }
  return names;
};
const copy = async (to) => (await container.getBlobClient(key + to).beginCopyFromURL(blob.url)).pollUntilDone();

await run({
  version: () => version('@azure/storage-blob'),
  put: () => put(),
  get: () => get(),
  head: async () => { const { contentLength, metadata } = await blob.getProperties(); console.log(contentLength, metadata); },
  list: async () => show(await list()),
  delimiter: async () => {
    for await (const page of container.listBlobsByHierarchy('/', { prefix: `${key}/` }).byPage({ maxPageSize: 1 })) {
      show([...page.segment.blobItems, ...(page.segment.blobPrefixes ?? [])].map((b) => b.name));
    }
  },
  range: () => get(blob, 1000, 1000),
  copy: () => copy('.copy'),
  move: async () => { await copy('.moved'); await blob.delete(); },
  delete: () => blob.delete(),
  'delete-many': async () => { for (const n of [1, 2]) await container.deleteBlob(`${key}/${n}`); },
  'put-parts': async () => blob.uploadData(await content(), { blockSize: partSize, maxSingleShotSize: partSize }),
  stream: () => blob.uploadStream(process.stdin, partSize),
  sync: () => sync(
    (k, body) => container.getBlockBlobClient(k).uploadData(body), list, (k, to) => container.getBlobClient(k).downloadToFile(to),
  ),
  'put-metadata': () => put({ metadata: { colour: 'blue' } }),
  'put-headers': () => put({ blobHTTPHeaders: headers('blobContentType', 'blobCacheControl', 'blobContentDisposition') }),
  tags: async () => { await blob.setTags({ project: 'cosi' }); console.log((await blob.getTags()).tags); },
  'put-new': () => put({ conditions: { ifNoneMatch: '*' } }),
  'put-match': () => put({ conditions: { ifMatch: '"0123"' } }),
  'get-changed': () => get(blob, 0, undefined, { conditions: { ifNoneMatch: env.ETAG } }),
  append: async () => {
    const log = container.getAppendBlobClient(key), block = await content();
    await log.create();
    for (let i = 0; i < 2; i++) await log.appendBlock(block, block.length);
  },
  snapshot: async () => {
    const { snapshot } = await blob.createSnapshot();
    await blob.upload('new', 3);
    await get(blob.withSnapshot(snapshot));
  },
  lease: async () => {
    const lease = blob.getBlobLeaseClient();
    await lease.acquireLease(-1);
    try { await put(); } finally { await lease.releaseLease(); }
  },
  anonymous: () => get(open(env.AZURE_STORAGE_SAS_TOKEN.split('?')[0]).getBlobClient(key)),
});
