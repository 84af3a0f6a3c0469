// Google's client for JavaScript, with the key as its token.
import { Storage } from '@google-cloud/storage';
import { OAuth2Client } from 'google-auth-library';
import { pipeline } from 'node:stream/promises';
import { bucket as name, content, env, headers, key, na, partSize, run, save, show, sync, version } from './lib.mjs';

const open = (token) => {
  const authClient = new OAuth2Client();
  authClient.setCredentials({ access_token: token, expiry_date: Date.now() + 1e9 });
  const options = { apiEndpoint: env.COSI_GCS_ENDPOINT, projectId: env.PROJECT_ID, retryOptions: { autoRetry: !!env.RETRIES } };
  const storage = new Storage({ ...options, authClient, useAuthWithCustomEndpoint: true });
  // Resumable uploads to an endpoint that is not Google's send no token otherwise.
  storage.interceptors.push({ request: (r) => ({ ...r, headers: { ...r.headers, Authorization: `Bearer ${token}` } }) });
  return storage.bucket(name || 'none');
};
const bucket = open(`${env.HMAC_ACCESS_ID}:${env.HMAC_SECRET}`);
const file = bucket.file(key || 'none');
const put = async (options) => file.save(await content(), { resumable: false, ...options });
const list = async (options) => {
  const [files, , response] = await bucket.getFiles({ prefix: `${key}/`, maxResults: 1000, ...options });
  return [...files.map((f) => f.name), ...(response?.prefixes ?? [])];
};
const noSigning = () => na('it signs URLs with the key of a service account, and Secrets have HMAC keys');

await run({
  version: () => version('@google-cloud/storage'),
  put: () => put(),
  get: () => file.download({ destination: 'out' }),
  head: async () => { const [{ size, metadata }] = await file.getMetadata(); console.log(size, metadata); },
  list: async () => show(await list({ autoPaginate: true, maxResults: undefined })),
  delimiter: async () => show(await list({ delimiter: '/', autoPaginate: false })),
  range: () => save(file.createReadStream({ start: 1000, end: 1999 })),
  copy: () => file.copy(bucket.file(`${key}.copy`)),
  move: () => file.move(`${key}.moved`),
  delete: () => file.delete(),
  'delete-many': () => bucket.deleteFiles({ prefix: `${key}/` }),
  'put-parts': () => put({ resumable: true, chunkSize: partSize }),
  stream: () => pipeline(process.stdin, file.createWriteStream({ resumable: true })),
  sync: () => sync(
    (k, body) => bucket.file(k).save(body, { resumable: false }), list, (k, destination) => bucket.file(k).download({ destination }),
  ),
  'put-metadata': () => put({ metadata: { metadata: { colour: 'blue' } } }),
  'put-headers': () => put({ metadata: headers('contentType', 'cacheControl', 'contentDisposition') }),
  'put-new': () => put({ preconditionOpts: { ifGenerationMatch: 0 } }),
  'put-match': () => put({ preconditionOpts: { ifGenerationMatch: 1 } }),
  compose: () => bucket.combine([`${key}.a`, `${key}.b`], key),
  'presign-get': noSigning,
  'presign-put': noSigning,
  anonymous: () => na('it sends no request without a token'),
});
