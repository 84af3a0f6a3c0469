// The AWS SDK for JavaScript.
import * as s3 from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { bucket, content, env, headers, key, partSize, run, save, show, sync, version } from './lib.mjs';

const forcePathStyle = env.AWS_S3_ADDRESSING_STYLE === 'path';
const options = { endpoint: env.AWS_ENDPOINT_URL, forcePathStyle, region: env.AWS_REGION, maxAttempts: 1 };
const client = new s3.S3(options);
const at = { Bucket: bucket, Key: key };
const put = async (more) => client.putObject({ ...at, Body: await content(), ...more });
const get = async (more, from = client, to = 'out') => save((await from.getObject({ ...at, ...more })).Body, to);
const upload = (Body, more) => new Upload({ client, params: { ...at, Body, ...more }, partSize }).done();
const list = async (more) => {
  const keys = [];
  for await (const page of s3.paginateListObjectsV2({ client, pageSize: more?.MaxKeys }, { Bucket: bucket, Prefix: `${key}/`, ...more })) {
    keys.push(...(page.Contents ?? []).map((o) => o.Key), ...(page.CommonPrefixes ?? []).map((p) => p.Prefix));
  }
  return keys;
};
const CopySource = `${bucket}/${encodeURIComponent(key)}`;
const copy = (to) => client.copyObject({ Bucket: bucket, Key: key + to, CopySource });
const copyParts = async () => {
  const to = { Bucket: bucket, Key: `${key}.copy` };
  const { UploadId } = await client.createMultipartUpload(to);
  const size = (await client.headObject(at)).ContentLength, Parts = [];
  for (let first = 0; first < size; first += partSize) {
    const PartNumber = Parts.length + 1, CopySourceRange = `bytes=${first}-${Math.min(first + partSize, size) - 1}`;
    const { CopyPartResult } = await client.uploadPartCopy({ ...to, UploadId, PartNumber, CopySource, CopySourceRange });
    Parts.push({ PartNumber, ETag: CopyPartResult.ETag });
  }
  await client.completeMultipartUpload({ ...to, UploadId, MultipartUpload: { Parts } });
};
const TagSet = [{ Key: 'project', Value: 'cosi' }];
const presign = async (command) => console.log(await getSignedUrl(client, command, { expiresIn: 60 }));

await run({
  version: () => version('@aws-sdk/client-s3'),
  put: () => put(),
  get: () => get(),
  head: async () => { const { ContentLength, Metadata } = await client.headObject(at); console.log(ContentLength, Metadata); },
  list: async () => show(await list({ MaxKeys: 100 })),
  delimiter: async () => show(await list({ Delimiter: '/', MaxKeys: 1 })),
  buckets: async () => show((await client.listBuckets({})).Buckets.map((b) => b.Name)),
  range: () => get({ Range: 'bytes=1000-1999' }),
  copy: () => copy('.copy'),
  'copy-parts': copyParts,
  move: async () => { await copy('.moved'); await client.deleteObject(at); },
  delete: () => client.deleteObject(at),
  'delete-many': () => client.deleteObjects({ Bucket: bucket, Delete: { Objects: [{ Key: `${key}/1` }, { Key: `${key}/2` }] } }),
  'put-parts': async () => upload(await content()),
  stream: () => upload(process.stdin),
  sync: () => sync((Key, Body) => client.putObject({ Bucket: bucket, Key, Body }), list, (Key, to) => get({ Key }, client, to)),
  'put-metadata': () => put({ Metadata: { colour: 'blue' } }),
  'put-headers': () => put(headers('ContentType', 'CacheControl', 'ContentDisposition')),
  tags: async () => {
    await client.putObjectTagging({ ...at, Tagging: { TagSet } });
    console.log((await client.getObjectTagging(at)).TagSet);
  },
  'bucket-tags': async () => {
    await client.putBucketTagging({ Bucket: bucket, Tagging: { TagSet } });
    console.log((await client.getBucketTagging({ Bucket: bucket })).TagSet);
    await client.deleteBucketTagging({ Bucket: bucket });
  },
  attributes: async () => console.log(await client.getObjectAttributes({ ...at, ObjectAttributes: ['ETag', 'ObjectSize'] })),
  checksum: async () => console.log((await put({ ChecksumAlgorithm: env.ALGORITHM }))[`Checksum${env.ALGORITHM}`]),
  'checksum-parts': async () => upload(await content(), { ChecksumAlgorithm: env.ALGORITHM }),
  versions: async () => show((await client.listObjectVersions({ Bucket: bucket, Prefix: key })).Versions.map((v) => v.VersionId)),
  'get-version': () => get({ VersionId: env.VERSION }),
  undelete: () => client.deleteObject({ ...at, VersionId: env.VERSION }),
  'put-new': () => put({ IfNoneMatch: '*' }),
  'put-match': () => put({ IfMatch: '"0123"' }),
  'get-changed': () => get({ IfNoneMatch: env.ETAG }),
  'presign-get': () => presign(new s3.GetObjectCommand(at)),
  'presign-put': () => presign(new s3.PutObjectCommand(at)),
  'presign-put-metadata': () => presign(new s3.PutObjectCommand({ ...at, Metadata: { colour: 'blue' } })),
  'post-form': async () => console.log(JSON.stringify(await createPresignedPost(client, at))),
  anonymous: () => get({}, new s3.S3({
    ...options, signer: { sign: async (request) => request }, credentials: { accessKeyId: '', secretAccessKey: '' },
  })),
});
