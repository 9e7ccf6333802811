import type {
  FileAnswer,
  Freshness,
  Neighbor,
  RelatedSession,
  RepositoryReview,
  RiskRanking,
} from '@palisade/contracts';
import { foreignLine } from './foreign-text.ts';
import { count, moment } from './time.ts';

/** A heading and what is under it; nothing without anything. */
export function bullets(heading: string, entries: readonly string[]): readonly string[] {
  return entries.length === 0
    ? []
    : ['', `${heading}:`, ...entries.map((entry) => `  ${foreignLine(entry)}`)];
}

/** What agents did here before, as their transcripts say. */
export function sessionBullets(
  sessions: readonly RelatedSession[] | undefined,
  times: Parameters<typeof moment>[1],
): readonly string[] {
  return bullets(
    'sessions that had it open (their own words)',
    (sessions ?? []).map(
      ({ key, harness, updated_at: at, untrusted_title: title }) =>
        `${key}  ${harness}  ${moment(at, times)}  ${JSON.stringify(title)}`,
    ),
  );
}

export function notesText(notes: readonly string[]): readonly string[] {
  return notes.map((note) => `note: ${foreignLine(note)}`);
}

/** One line when an answer speaks of older code or of none, with what mends it; none when it does not. */
export function staleText({ is_stale: isStale, reasons }: Freshness): readonly string[] {
  return isStale ? [`run pal repo index first: ${reasons.map(foreignLine).join('; ')}`] : [];
}

/** What every answer about one file begins with, `verdict` foremost where it has one. */
export function fileText(answer: FileAnswer, ...verdict: readonly string[]): readonly string[] {
  const { risk, confidence, freshness, action_guidance: guidance, evidence } = answer;
  const advice = [
    ...(guidance.safe_to_edit_alone ? ['safe to edit alone'] : []),
    ...(guidance.must_review ? ['have it reviewed'] : []),
    ...(guidance.must_verify ? ['run its checks'] : []),
  ];
  return [
    ...staleText(freshness),
    ...verdict,
    `${foreignLine(answer.path)}  ${risk.level} risk${risk.level === 'unknown' ? '' : ` ${risk.score}`}`,
    `  because  ${risk.reasons.map(foreignLine).join('; ')}`,
    `  parts    ${
      Object.entries(risk.parts)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ') || 'none'
    }`,
    `  known    ${confidence.level} confidence: ${confidence.reasons.join('; ')}`,
    ...(advice.length === 0 ? [] : [`  so       ${advice.join('; ')}`]),
    ...guidance.boundary_warnings.map((warning) => `  mind     ${foreignLine(warning)}`),
    ...notesText(evidence.notes.slice(0, -1)),
  ];
}

export function neighborLines(heading: string, neighbors: readonly Neighbor[]): readonly string[] {
  return bullets(
    heading,
    neighbors.map(
      ({ path, cochange_count: shared, confidence, lift }) =>
        `${path}  ${count(shared, 'commit')}, ${Math.round(confidence * 100)} %, lift ${lift.toFixed(1)}`,
    ),
  );
}

export function riskLine(file: RiskRanking['files'][number]): string {
  const { hotspot, level, path, churn_score: churn, recent_touch_count: recent, fix_count: fixes } = file;
  return `${hotspot.toFixed(2).padStart(6)}  ${level.padEnd(6)}  ${foreignLine(path)}  ${count(churn, 'change')}, ${recent} lately, ${count(fixes, 'fix', 'fixes')}`;
}

/** @param most files that are shown */
export function reviewText(answer: RepositoryReview, most = 40): readonly string[] {
  const { changed_files: files, required_tests: required, task } = answer;
  const tests = new Set(files.flatMap((file) => file.suggested_tests)).size;
  const more = (all: readonly unknown[]) =>
    all.length > most ? [`  … ${all.length - most} more: --json names all`] : [];
  const outside = task?.out_of_scope_changed ?? [];
  return [
    ...staleText(answer.freshness),
    answer.summary,
    ...files
      .slice(0, most)
      .map((file) =>
        `  ${file.risk_level.padEnd(7)}  ${foreignLine(file.path)}  ${[
          ...(file.change_source === 'committed' ? [] : [file.change_source.replaceAll('_', ' ')]),
          ...file.boundary_labels,
          ...(file.needs_tests ? ['no test known'] : []),
        ].join(', ')}`.trimEnd(),
      ),
    ...more(files),
    ...bullets(
      tests > required.length
        ? `tests (${required.length} of ${tests}; --json has those of each file)`
        : 'tests',
      required,
    ),
    ...bullets('checks', answer.test_commands),
    ...bullets('stop when', answer.action_guidance.stop_signals),
    ...bullets('outside of the task', outside.slice(0, most)),
    ...more(outside),
  ];
}
