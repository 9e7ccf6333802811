import {
  type BoundOperation,
  bindOperation,
  budgetFacts,
  PalisadeError,
  setBudget,
} from '@palisade/contracts';
import { answerOrRehearse, type Database, receiptOf, type WriteTx } from '@palisade/kernel';
import { putBudget, resolveRun, runStream } from '@palisade/runs';

/** Changes the limits of a run that has not ended: one that drains goes on when the new ones let it. */
export function budgetOperations(deps: {
  readonly database: Database;
  readonly onControl: (runId: string) => void;
}): BoundOperation[] {
  return [
    bindOperation(setBudget, async (input, context) => {
      const { run: ref, dry_run: dryRun, ...wanted } = input;
      if (Object.values(wanted).every((limit) => limit === undefined))
        throw new PalisadeError('invalid_input', 'no limit is named', {
          next: 'name one of cost_usd, tokens, seconds, attempts',
        });
      const set = async (tx: WriteTx) => {
        const run = await resolveRun(tx, context.project, ref);
        const budget = { ...run.budget, ...budgetFacts(wanted) };
        if (!(await putBudget(tx, run.id, budget)))
          throw new PalisadeError(
            'invalid_state',
            run.finishedAt === null
              ? `run ${run.id} is ending because its budget is used up`
              : `run ${run.id} has already ended: ${run.state}`,
            { next: `palisade rerun ${run.id} --only-failed` },
          );
        await tx.journal.append(runStream(run.id), 'run.budget_set', { actor: context.actor, budget });
        return { run_id: run.id, budget, state: run.state };
      };
      const receipt = receiptOf(context, setBudget.id);
      const answer = await answerOrRehearse(deps.database, { receipt, request: input, dryRun }, set);
      if (dryRun !== true) deps.onControl(answer.run_id);
      return answer;
    }),
  ];
}
