import { parentPort } from 'node:worker_threads';
import { LANGUAGES } from './languages.ts';
import { parseSymbols } from './parse.ts';

/** What a thread is asked: the bytes of a text and the name of its language. */
export type Question = readonly [content: Uint8Array, language: string];

/*
 * A thread that reads symbols, one after the other, and answers in the order it is asked; null is one that cannot be read.
 * Who has it ends it when a text takes too long: nothing else stops the runtime for sure.
 */
const texts = new TextDecoder();
const languages = new Map(LANGUAGES.map((language) => [language.name, language]));
let last = Promise.resolve();
parentPort?.on('message', ([content, name]: Question) => {
  last = last.then(async () => {
    const language = languages.get(name);
    const found = language === undefined ? undefined : await parseSymbols(texts.decode(content), language);
    // A port of a thread has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    parentPort?.postMessage(found ?? null);
  });
});
