import { indexTranscripts, openTranscripts } from '../src/index.ts';

/* A process of its own that indexes the transcripts of a home directory: `node index-transcripts-once.ts HOME NOW`. */
const [, , home = '', now = '0'] = process.argv;
const env = { HOME: home };
using database = openTranscripts({ env, create: true });
const { signal } = new AbortController();
const report = await indexTranscripts({ database, env, now: Number(now), signal, host: 'here' });
process.stdout.write(JSON.stringify(report));
