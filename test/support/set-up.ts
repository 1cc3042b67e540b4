import fc from "fast-check";
import { draws } from "./draws.ts";

// Configs that others may write are refused, so tests must not inherit a umask that allows that.
process.umask(0o022);

/** Property tests draw the same values in every run; FC_SEED draws others. */
fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? 20_161_107), ...draws(100) });
