import { count, type RiskLevel } from '@palisade/contracts';

/** `1 file is changed since main, 0 of high risk`. */
export function changeWords(levels: readonly RiskLevel[], since = ''): string {
  const verb = levels.length === 1 ? 'is' : 'are';
  return `${count(levels.length, 'file')} ${verb} changed${since}, ${riskWords(levels)}`;
}

/** How many are of high risk, and of how many nothing is known. */
export function riskWords(levels: readonly RiskLevel[]): string {
  const of = (level: RiskLevel) => levels.filter((each) => each === level).length;
  return `${of('high')} of high risk${of('unknown') === 0 ? '' : `, ${of('unknown')} of unknown risk`}`;
}
