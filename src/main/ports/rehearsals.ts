import type { Rehearsal, Run, RunItem } from '../../contract/index.ts';

/** Dress rehearsals of projects. */
export interface RehearsalsPort {
  begin(input: { projectUid: string; direct: boolean }): Promise<Rehearsal>;
  get(id: string): Rehearsal;
  list(): Rehearsal[];
  items(input: { id: string; offset: number; limit: number }): Promise<{ items: RunItem[]; next: number | null }>;
  cancel(id: string): Promise<Rehearsal>;
  mint(input: { id: string; destination: string; idempotencyKey: string }): Promise<Run>;
}
