/** A problem (RFC 9457) with one of the given codes: a union, which `switch (problem.code)` narrows. */
export type ProblemOf<Problem, Status extends number, Code extends string> = Code extends string
  ? Omit<Problem, "status" | "code"> & { status: Status; code: Code }
  : never;

/** The members that every problem has. */
export interface AnyProblem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  requestId: string;
  retriable: boolean;
  retryAfter?: number;
}

/** Thrown by `unwrap` for a result that is a problem. */
export class ProblemError<Problem extends AnyProblem = AnyProblem> extends Error {
  override readonly name = "ProblemError";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail} (${problem.requestId})`);
    this.problem = problem;
  }
}

/** Thrown for a response that is neither a success nor a problem. It comes from a proxy or another server. */
export class UnexpectedAnswerError extends Error {
  override readonly name = "UnexpectedAnswerError";
  readonly status: number;
  /** The Retry-After of the response in milliseconds, or 0. */
  readonly retryAfter: number;

  constructor(status: number, operation: string, retryAfter = 0) {
    super(`${operation}: the answer ${status} is not one of this API`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
