import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFault } from './json-fault.ts';

const said = (text: string): string => {
  const fault = jsonFault(text);
  return fault === null
    ? 'none'
    : `${fault.line}:${fault.column} found ${fault.found}, expected ${fault.expected}`;
};

describe('the place where a text stops being JSON', () => {
  it('is a line and a column, with what is there and what could be', () => {
    expect(said('{\n  "items": [\n    {"id": "a",}\n  ]\n}')).toBe(
      '3:16 found "}", expected a name in double quotes',
    );
    expect(said('{"a": 1 "b": 2}')).toBe('1:9 found "\\"", expected "," or "}"');
    expect(said('{"a": [1, 2')).toBe('1:12 found the end, expected "," or "]"');
    expect(said('{"a": yes}')).toBe('1:7 found "y", expected a value');
    expect(said("{'a': 1}")).toBe('1:2 found "\'", expected a name in double quotes or "}"');
    expect(said('{"a": "x\n"}')).toBe('1:9 found "\\n", expected the closing quote of a string');
    expect(said('')).toBe('1:1 found the end, expected a value');
    expect(said('{} // why')).toBe('1:4 found "/", expected the end');
    expect(said('"\\x"')).toBe('1:3 found "x", expected an escape such as \\n');
  });

  it('is found exactly when JSON.parse refuses, however the text is broken', () => {
    const parses = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '}', ']', '"', '\\', '0', ':', '\n'),
        (json, n, put) => {
          const at = n % (json.length + 1);
          for (const text of [json, json.slice(0, at) + put + json.slice(at), json.slice(0, at)])
            expect(jsonFault(text) === null, text).toBe(parses(text));
        },
      ),
      { numRuns: 500 },
    );
  });
});
