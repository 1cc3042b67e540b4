import type { MadeBatch } from "./batch.ts";
import { buildBody } from "./request-body.ts";
import { sendPart, type Part } from "./send-part.ts";
import type { SendRun } from "./send-run.ts";

/**
 * Sends a batch, in parts and in their order if necessary, until all of it is settled or the run ends. False if some of
 * it was left.
 */
export async function settleBatch(batch: MadeBatch, run: SendRun): Promise<boolean> {
  const { heldKeys, target, bodyMemory } = run.state;
  const records = heldKeys.allowed(batch.records);
  /** The parts still to be sent, the next one last. */
  const parts: Part[] = [];
  if (records.length > 0)
    parts.push({
      records,
      attempts: 0,
      lateSinceMs: undefined,
      sinceMs: undefined,
    });

  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (run.hasEnded || (batch.kind === "create" && !run.takesCreates)) {
      run.leaveRows();
      return false;
    }
    if (goesAlone(batch, part, run)) {
      parts.push({ ...part, records: part.records.slice(1) });
      part = { ...part, records: part.records.slice(0, 1) };
    }
    const body = buildBody(part.records, target.envelope, bodyMemory.allocate);
    if (part.records.length > 1 && body.length > run.state.learnt.maxBytes) {
      parts.push(...halves(part));
      continue;
    }
    const end = await sendPart(batch, part, body, run);
    switch (end.kind) {
      case "settled":
        if (end.isBodyFree === true) bodyMemory.giveBack(body);
        break;
      case "left":
        run.leaveRows();
        return false;
      case "halve":
        parts.push(
          ...halves({
            ...part,
            attempts: end.attempts,
            sinceMs: end.sinceMs,
            lateSinceMs: end.lateSinceMs,
          }),
        );
        break;
    }
  }
  return true;
}

/** If there are many creates to come, single ones show whether the service refuses every one of them. */
function goesAlone(batch: MadeBatch, { records }: Part, { state: { learnt } }: SendRun): boolean {
  // A batch of an earlier process is sent whole, exactly as it was.
  return batch.kind === "create" && !batch.isOnly && !learnt.hasAcceptedCreate && records.length > 1;
}

/** The second half first, because parts are taken from the end. */
function halves(part: Part): [Part, Part] {
  const middle = Math.ceil(part.records.length / 2);
  // A key belongs to one body: halves get their own.
  return [
    { ...part, records: part.records.slice(middle) },
    { ...part, records: part.records.slice(0, middle) },
  ];
}
