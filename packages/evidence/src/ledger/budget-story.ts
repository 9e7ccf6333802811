import {
  type BudgetBreach,
  type BudgetFacts,
  chargeOf,
  type EventData,
  isBreach,
  NOTHING_SPENT,
  type Spent,
  withCharge,
  withStart,
} from '@palisade/contracts';

interface ItemAccount {
  spent: Spent;
  budget: BudgetFacts | undefined;
  /** The attempt under way: when it was fired and what it may cost. */
  flight: { readonly at: number; readonly reserved: number | null };
  /** A person decides it: no program runs, and nothing counts. */
  isApproval: boolean;
}

type Report = (problem: string) => void;

/**
 * What the attempts of a ledger used, counted again from what it says of each: a breach of a limit is true only
 * when the limit is the one in force and the sum is the ledger's own.
 */
export class BudgetStory {
  #budget: BudgetFacts = {};
  #spent: Spent = NOTHING_SPENT;
  readonly #items = new Map<string, ItemAccount>();
  #isBroken = false;

  submit({ budget }: EventData<'run.submitted'>): void {
    this.#budget = budget ?? {};
  }

  set({ budget }: EventData<'run.budget_set'>, say: Report): void {
    if (this.#isBroken) say('the budget was changed after it had ended the run');
    this.#budget = budget;
  }

  fire(
    { item, budget, reserved_micro_usd: reserved }: EventData<'item.fired'>,
    at: number,
    say: Report,
  ): void {
    if (this.#isBroken) say(`item ${item} was fired after the budget had ended the run`);
    const spent = this.#items.get(item)?.spent ?? NOTHING_SPENT;
    this.#items.set(item, {
      spent: withStart(spent),
      budget,
      flight: { at, reserved: reserved ?? null },
      isApproval: false,
    });
    this.#spent = withStart(this.#spent);
  }

  /** What was fired asks for an approval: it is no attempt that uses anything. */
  ask({ item }: EventData<'item.approval_requested'>): void {
    const account = this.#items.get(item);
    if (account === undefined || account.isApproval) return;
    account.isApproval = true;
    account.spent = { ...account.spent, attempts: account.spent.attempts - 1 };
    this.#spent = { ...this.#spent, attempts: this.#spent.attempts - 1 };
  }

  reconcile({ item, product }: EventData<'item.reconciled'>, at: number): void {
    const account = this.#items.get(item);
    if (account === undefined || account.isApproval) return;
    const { flight } = account;
    const charge = chargeOf(product?.usage, flight.reserved, at - flight.at);
    account.spent = withCharge(account.spent, charge);
    this.#spent = withCharge(this.#spent, charge);
  }

  exceed({ breach }: EventData<'run.budget_exceeded'>, say: Report): void {
    if (this.#isBroken) say('the budget ended the run a second time');
    this.#isBroken = true;
    assertBreach(breach, this.#budget, this.#spent, 'the run', say);
  }

  fail({ item, code, breach }: EventData<'item.failed'>, say: Report): void {
    if ((code === 'budget_exceeded') !== (breach !== undefined))
      say(`item ${item} failed with ${code} and ${breach === undefined ? 'no' : 'a'} limit is named`);
    const account = this.#items.get(item);
    if (breach !== undefined)
      assertBreach(breach, account?.budget ?? {}, account?.spent ?? NOTHING_SPENT, `item ${item}`, say);
  }

  /** A limit ended the run. */
  get isBroken(): boolean {
    return this.#isBroken;
  }
}

function assertBreach(
  breach: BudgetBreach,
  budget: BudgetFacts,
  spent: Spent,
  whose: string,
  say: Report,
): void {
  if (isBreach(breach, budget, spent)) return;
  const { meter } = breach;
  const limit = meter === 'unknown_cost' ? 0 : budget[meter];
  say(
    `${whose} is said to have used ${breach.spent} of ${breach.limit} ${meter}, the ledger tells of ${spent[meter]} of ${limit ?? 'no limit'}`,
  );
}
