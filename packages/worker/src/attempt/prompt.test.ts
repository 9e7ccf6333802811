import { describe, expect, test } from 'vitest';
import { makeSpec } from '../../test/attempt-fixture.ts';
import { taskPrompt, wholePrompt } from './prompt.ts';
import { globPattern } from './requirements.ts';
import { renderTemplate } from './template.ts';

const render = (template: string, view: unknown): string => renderTemplate(template, view).text;

describe('renderTemplate', () => {
  test('DI-132: values are not escaped, objects are JSON, what is unknown is empty', () => {
    expect(
      render('{{a}} {{{a}}} {{&a}} {{o}} {{o.x}} {{n}} {{gone}}|', { a: '<&"', o: { x: [1] }, n: 0 }),
    ).toBe('<&" <&" <&" {"x":[1]} [1] 0 |');
  });

  test('DI-132: sections, inverted sections, lists, comments and outer names', () => {
    const view = {
      title: 'T',
      list: [{ n: 1 }, { n: 2 }],
      plain: ['a', 'b'],
      none: [],
      deep: { title: 'D' },
    };
    expect(render('{{#list}}{{title}}{{n}} {{/list}}{{#plain}}{{.}},{{/plain}}', view)).toBe('T1 T2 a,b,');
    expect(
      render('{{^none}}empty{{/none}}{{#none}}x{{/none}}{{! a note }}{{#deep}}{{title}}{{/deep}}', view),
    ).toBe('emptyD');
  });

  test('a template names data and nothing else', () => {
    expect(render('{{constructor}}{{__proto__}}{{toString}}{{list.map}}', { list: [1] })).toBe('');
    expect(render('{{a}}', { a: '{{b}}', b: 'no' })).toBe('{{b}}');
  });

  test.each(['{{#a}}', '{{/a}}', '{{#a}}{{#b}}{{/a}}{{/b}}'])(
    'a section that does not nest is refused: %s',
    (template) => {
      expect(() => render(template, {})).toThrow(expect.objectContaining({ code: 'invalid_input' }));
    },
  );
});

describe('taskPrompt', () => {
  const spec = (prompt_template: string | null, prompt: string | null, input?: never) =>
    makeSpec({ prompt, agent: { prompt_template }, ...(input === undefined ? {} : { input }) });

  test('DI-132: template, item prompt and system prompt combine', () => {
    expect(taskPrompt(spec(null, 'do'))).toBe('do');
    expect(taskPrompt(spec(null, null))).toBeNull();
    expect(taskPrompt(spec('Fix it.', 'now'))).toBe('Fix it.\n\nnow');
    expect(taskPrompt(spec('Fix: {{prompt}}!', 'it'))).toBe('Fix: it!');
    expect(taskPrompt(makeSpec({ agent: { prompt_template: 'Issue {{n}}' }, input: { n: 7 } }))).toBe(
      'Issue 7',
    );
    expect(taskPrompt(makeSpec({ agent: { prompt_template: 'Got {{input}}' }, input: [1] }))).toBe('Got [1]');
    expect(wholePrompt('system', 'task')).toBe('system\n\ntask');
    expect(wholePrompt('system', null)).toBe('system');
    expect(wholePrompt(null, null)).toBeNull();
  });
});

describe('globPattern', () => {
  test('DI-045: ** is any segments, * is not a slash, the rest is literal', () => {
    const cases: [string, string, boolean][] = [
      ['**/*.ts', 'a.ts', true],
      ['**/*.ts', 'a/b/c.ts', true],
      ['src/*.ts', 'src/a.ts', true],
      ['src/*.ts', 'src/a/b.ts', false],
      ['src/**', 'src/a/b', true],
      ['src/**', 'src', false],
      ['a+b?.txt', 'a+b?.txt', true],
      ['a+b?.txt', 'aab.txt', false],
      ['a.ts', 'abts', false],
      ['./x', 'x', true],
    ];
    for (const [glob, path, matches] of cases)
      expect([glob, path, globPattern(glob).test(path)]).toEqual([glob, path, matches]);
  });
});
