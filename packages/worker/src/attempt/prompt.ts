import type { AttemptSpec } from '@palisade/contracts';
import { renderTemplate } from './template.ts';

/**
 * What the agent is asked, or null (DI-132). The agent's template is rendered over the input, in
 * which `prompt` also names the item's own prompt unless the input has such a member; a prompt the
 * template does not use follows it. Without a template the item's prompt stands alone.
 */
export function taskPrompt(spec: Pick<AttemptSpec, 'agent' | 'prompt' | 'input'>): string | null {
  const template = spec.agent.prompt_template;
  if (template === null) return spec.prompt;
  const input = spec.input;
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const view = isObject ? { prompt: spec.prompt ?? '', ...input } : { prompt: spec.prompt ?? '', input };
  const { text, names } = renderTemplate(template, view);
  return spec.prompt === null || names.has('prompt') ? text : `${text}\n\n${spec.prompt}`;
}

/** System prompt and task in one text, for programs that take a single one (stdin, `prompt.md`). */
export function wholePrompt(systemPrompt: string | null, prompt: string | null): string | null {
  const parts = [systemPrompt, prompt].filter((part) => part !== null && part !== '');
  return parts.length === 0 ? null : parts.join('\n\n');
}
